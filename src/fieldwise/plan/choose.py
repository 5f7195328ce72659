"""Which match suits a field, judged by the values that are expected there.

>>> match, why = choose(["2025-03-04", "2024-12-31"])
>>> match.name, why
('date', 'every value is a calendar date')
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from math import isfinite
from statistics import median
from typing import Any, Final, TypeAlias

from fieldwise import registry
from fieldwise.kernels.dates import Ambiguous, parse_date
from fieldwise.kernels.numbers import parse_number
from fieldwise.kernels.written_numbers import decimals_of
from fieldwise.model.rule import Match
from fieldwise.model.values import Json, kind

Choice: TypeAlias = tuple[Match, str]
"""A match and why it was chosen, as the end of a sentence that begins with `because`."""

MOST: Final = 0.8
"""So many of the values must look alike for the field to be taken for what they look like."""
HALF: Final = 0.5
"""For dates more than this is enough: other text still matches itself, while fuzzy would let the wrong day pass."""
MOST_DECIMALS: Final = 6
"""Numbers with more decimals were computed, not printed: their last decimals say nothing."""
LONG_TEXT: Final = 120
"""From this length on, text is prose."""

_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+\.\w+")
_URL: Final = re.compile(r"(?:https?://|www\.)\S+", re.I)
_WORD_IN_SMALL_LETTERS: Final = re.compile(r"[a-z]+(?:[_-][a-z]+)*")
_CAPITALS: Final = re.compile(r"[A-Z][A-Z_&/.-]{0,7}|[A-Z]+(?:_[A-Z]+)+")
_AMOUNT: Final = re.compile(r"[^\d\s]")
_LAST_DIGITS: Final = re.compile(r"[.,](\d+)\D*$")
_SHORT_CODE, _SHORT_NAME = 16, 24
_FEWEST_FOR_A_LIST, _REPEATS = 6, 3


def choose(values: Sequence[Json]) -> Choice:
    """The match for a field with these expected values, none of them null, and why."""
    kinds = {kind(value) for value in values}
    if not values:
        return _match("exact"), "no value was seen"
    if kinds == {"bool"}:
        return _match("exact"), "every value is true or false"
    if kinds == {"number"}:
        return _for_numbers([value for value in values if isinstance(value, int | float)])
    texts = [value.strip() for value in values if isinstance(value, str)]
    if kinds == {"string"}:
        return _for_texts([text for text in texts if text])
    if kinds == {"string", "number"} and all(parse_number(text) is not None for text in texts):
        return _tolerant(max(map(_decimals, values)), parse=True, why="the numbers are partly written as text")
    return _match("exact"), f"the values are of several kinds: {', '.join(sorted(kinds))}"


def _match(name: str, **options: Any) -> Match:
    return Match(name, registry.MATCHERS.find(name).options(**options))


def _decimals(value: Any) -> int:
    """How many decimals a number has; in text, zeros at the end count.

    >>> [_decimals(value) for value in (12.5, "12.50", "1,234", "1.234,5", float("nan"))]
    [1, 2, 0, 1, 0]
    """
    number = parse_number(value) if isinstance(value, str) else value
    if number is None or not isfinite(number):
        return 0
    written = _LAST_DIGITS.search(value) if isinstance(value, str) else None
    return max(decimals_of(number), len(written[1]) if written and len(written[1]) != 3 else 0)


def _for_numbers(numbers: Sequence[int | float]) -> Choice:
    if all(isinstance(number, int) or number.is_integer() for number in numbers):
        return _match("exact"), "every value is a whole number"
    return _tolerant(max(map(_decimals, numbers)), parse=False, why="the values are numbers")


def _tolerant(decimals: int, *, parse: bool, why: str) -> Choice:
    """Half a unit of the last decimal: what rounding to the decimals that are printed can change, and no more."""
    tolerant = partial(_match, "numeric_tolerance", **({"parse": True} if parse else {}))
    if decimals > MOST_DECIMALS:
        return tolerant(tolerance=1e-6, relative=True), f"{why} with more than {MOST_DECIMALS} decimals: one millionth may differ"
    if decimals == 0:
        return tolerant(), f"{why} without decimals"
    named = "one decimal" if decimals == 1 else f"{decimals} decimals"
    return tolerant(tolerance=0.5 * 10.0**-decimals), f"{why} with up to {named}: half a unit of the last one may differ"


def _for_texts(texts: Sequence[str]) -> Choice:
    if not texts:
        return _match("exact"), "every value is blank"
    distinct = list(dict.fromkeys(texts))
    for attempt in (_as_dates, _as_amounts, _as_codes, partial(_as_listed, len(texts))):
        choice = attempt(distinct)
        if choice:
            return choice
    if median(map(len, distinct)) >= LONG_TEXT:
        return _match("fuzzy", algorithm="token_sort", threshold=0.8), "the values are long text, compared by their words"
    return _match("fuzzy"), "the values are names or short text, where small slips do not matter"


def _as_dates(texts: Sequence[str]) -> Choice | None:
    found = [parse_date(text) for text in texts]
    days = [day for day in found if day is not None]
    if len(days) <= HALF * len(texts) or (len(texts) < 3 and all(text.isdecimal() for text in texts)):
        return None
    share = "every value is a calendar date" if len(days) == len(texts) else "most values are calendar dates"
    unclear = [day for day in days if isinstance(day, Ambiguous)]
    if not unclear:
        return _match("date"), share
    order = _day_first(texts)
    if order is None:
        return _match("exact"), f"{share}, but whether day or month comes first cannot be told from them"
    return _match("date", day_first=order), f"{share}, {'day' if order else 'month'} first, as those beyond the 12th show"


def _day_first(texts: Sequence[str]) -> bool | None:
    """Which number is the day, if the dates that can be read one way only agree on it."""
    shown: set[bool] = set()
    for text in texts:
        numbers = re.match(r"(\d{1,2})\D(\d{1,2})\D", text)
        if numbers and int(numbers[1]) > 12:
            shown.add(True)
        elif numbers and int(numbers[2]) > 12:
            shown.add(False)
    return shown.pop() if len(shown) == 1 else None


def _as_amounts(texts: Sequence[str]) -> Choice | None:
    """Numbers with a separator, a decimal or a sign; digits alone are codes, such as `00123`."""
    if not any(_AMOUNT.search(text) for text in texts):
        return None
    if any(parse_number(text) is None for text in texts):
        return None
    return _tolerant(max(map(_decimals, texts)), parse=True, why="every value is a number written as text")


def _as_codes(texts: Sequence[str]) -> Choice | None:
    for look, why in _CODES:
        if sum(map(look, texts)) >= MOST * len(texts):
            return _match("exact"), why
    return None


def _has_mostly_digits(text: str) -> bool:
    digits = sum(map(str.isdigit, text))
    return digits > 0 and (digits >= 0.5 * len(text) or len(text) <= _SHORT_CODE)


def _is_one_word_with_digits(text: str) -> bool:
    return not any(map(str.isspace, text)) and any(map(str.isdigit, text)) and len(text) < LONG_TEXT


def _fits(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


_CODES: Final[tuple[tuple[Callable[[str], bool], str], ...]] = (
    (_fits(_EMAIL), "the values are e-mail addresses"),
    (_fits(_URL), "the values are web addresses"),
    (_is_one_word_with_digits, "the values are codes"),
    (_has_mostly_digits, "the values are short with digits, where every digit counts"),
    (_fits(_CAPITALS), "the values are short codes in capitals"),
    (_fits(_WORD_IN_SMALL_LETTERS), "the values are single words in small letters, as from a list of choices"),
)


def _as_listed(seen: int, distinct: Sequence[str]) -> Choice | None:
    """Few short values that come up again and again."""
    few = seen >= _FEWEST_FOR_A_LIST and len(distinct) * _REPEATS <= seen
    if few and all(len(text) <= _SHORT_NAME and len(text.split()) <= 2 for text in distinct):
        return _match("exact"), "a few short values come up again and again, as from a list of choices"
    return None
