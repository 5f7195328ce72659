"""Amounts of money per unit: `$5 per hour`, `€5/kg`, `$9/user/month`.

>>> rate = read_rate("€5/kg")
>>> rate.value, rate.currencies, describe_per(rate.per)
(5, frozenset({'EUR'}), 'per kilogram')
>>> read_rate("$5") is None
True
"""

import re
from functools import lru_cache
from typing import Final

from fieldwise.kernels.amounts import Figure, read_figure
from fieldwise.kernels.locale_tables import fold_name
from fieldwise.kernels.numerals import DecimalMark
from fieldwise.kernels.units import units_called
from fieldwise.pattern import compile_on_use

_SEPARATOR: Final = compile_on_use(r" ?/ ?| (?:per|pro|par|por|je|an?|each|every) ", re.IGNORECASE)
_SHORT_RATE: Final = compile_on_use(
    r" (p\.? ?a|pcm|p\.? ?[whm]|p\.? ?mo|hourly|daily|weekly|monthly|quarterly|yearly|annually|each|ea)\.?$", re.IGNORECASE
)
_SHORT_RATE_UNITS: Final = {
    "pa": "year", "pcm": "month", "pm": "month", "pmo": "month", "pw": "week", "ph": "hour", "hourly": "hour", "daily": "day",
    "weekly": "week", "monthly": "month", "quarterly": "quarter", "yearly": "year", "annually": "year", "each": "piece", "ea": "piece",
}  # fmt: skip
"""Abbreviations and adverbs: per annum, per calendar month, monthly."""
_SEPARATORS_OF_NUMBERS: Final = frozenset({"/", "per"})
"""What separates a number without a currency from its unit: `45.00/hr`, `45 per hour`. Other words do so beside a currency only."""
_COUNTED_UNIT: Final = compile_on_use(r"(\d*) ?(.+)")
"""A unit with how many of it: `100 g`."""
_NAME: Final = compile_on_use(r"[^\W\d_]+(?:[ -][^\W\d_]+){0,2}")
_MORE_UNITS: Final = {"annum": "year", "anno": "year"}
_MAX_LENGTH: Final = 80
"""Longer texts are no rates."""
_MAX_BEFORE_NUMBER: Final = 12
"""Characters of a sign and a currency before the number; prose has more."""

Per = tuple[frozenset[str], ...]
"""The units of a rate, each with what its name may mean, in one order."""


def read_rate(text: str, decimal_mark: DecimalMark | None = None) -> Figure | None:
    """An amount per unit; None if the text is anything else. `decimal_mark` is as in `read_figure`.

    A unit may be any word if the amount names its currency, and must be a known unit if it names none.
    """
    if len(text) > _MAX_LENGTH or not any(map(str.isdigit, text[:_MAX_BEFORE_NUMBER])):
        return None
    return _read_rate(text, decimal_mark)


# Rates repeat within a column; the arguments alone decide the result.
@lru_cache(maxsize=1 << 14)
def _read_rate(text: str, decimal_mark: DecimalMark | None) -> Figure | None:
    text = " ".join(text.split())
    short = _SHORT_RATE.search(text)
    separator = _SEPARATOR.search(text) if short is None else short
    figure = None if separator is None else read_figure(text[: separator.start()], decimal_mark)
    if separator is None or figure is None:
        return None
    figure = figure.as_amount()
    if figure.percent or figure.units or not (figure.currencies or separator[0].strip().lower() in _SEPARATORS_OF_NUMBERS):
        return None
    if short is not None:
        return figure._replace(per=(frozenset({_SHORT_RATE_UNITS[re.sub(r"[. ]", "", short[1].lower())]}),))
    per = _read_per(text[separator.end() :], known_only=not figure.currencies)
    return None if per is None else figure._replace(per=per)


def _read_per(text: str, *, known_only: bool) -> Per | None:
    """The units that a text names one after another; None if one of its parts names none."""
    units: list[frozenset[str]] = []
    for part in _SEPARATOR.split(text):
        meanings = _read_unit(part.strip(), known_only)
        if not meanings:
            return None
        units.append(meanings)
    return tuple(sorted(units, key=min))


def _read_unit(text: str, known_only: bool) -> frozenset[str]:
    """What one unit may mean; an unknown word means itself, unless only known units count."""
    counted = _COUNTED_UNIT.fullmatch(text)
    if counted is None:
        return frozenset()
    count, name = counted[1].lstrip("0"), counted[2]
    key = fold_name(name).strip(".")
    units = frozenset({_MORE_UNITS[key]}) if key in _MORE_UNITS else units_called(name)
    if not units and not known_only and _NAME.fullmatch(key):
        units = frozenset({key})
    return units if count in ("", "1") else frozenset(f"{count} {unit}" for unit in units)


def agree_on_per(expected: Per, actual: Per) -> bool:
    """True if two amounts are per the same units, or both per none."""
    return len(expected) == len(actual) and not any(map(frozenset.isdisjoint, expected, actual))


def describe_per(per: Per) -> str:
    """The units of a rate in words.

    >>> describe_per(read_rate("$9/user/month").per), describe_per(())
    ('per month per user', 'per no unit')
    """
    return " ".join(f"per {' or '.join(sorted(meanings))}" for meanings in per) or "per no unit"
