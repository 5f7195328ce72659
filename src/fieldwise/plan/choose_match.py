"""Choose the match for a column from what all its values show.

A type is chosen if at least 90 % of the values read as it; the reason lists the rest. No choice drops a part that the column uses: a column
with currencies is `money`, one with times of day `datetime`, one with units `quantity`, and text that is only partly of a type is `exact`.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from math import ulp
from typing import Any, Final, TypeAlias

from fieldwise import registry
from fieldwise.model.rule import Match
from fieldwise.model.values import Json
from fieldwise.plan.column_evidence import MAX_DECIMALS, MAX_NUMBERS, ColumnEvidence, SideEvidence

MIN_SHARE: Final = 0.9
"""Share of the values that must read as a type."""
MIN_EXPECTED_SHARE: Final = 0.5
"""Share of the expected values that must read as a type where only both sides together reach `MIN_SHARE`."""
MAX_TYPED_SHARE_OF_TEXT: Final = 0.1
"""With more numbers, dates or codes than this in a column of text, a similar text is no longer the same value."""
NEARLY_EQUAL: Final = 1e-6
"""Relative difference that computed numbers may have."""
ROUNDING: Final = 1e-12
"""The same where there are too many numbers to see whether different ones are as close as that."""
_MIN_VALUES_FOR_CHOICES, _MIN_REPEATS_OF_CHOICES = 6, 3
_CERTAIN_YES_NO: Final = frozenset({"yes", "no", "true", "false"})
_TERM_WORDS: Final = {"country": "country", "nationality": "country", "nation": "country", "currency": "currency", "language": "language"}

MatchChoice: TypeAlias = tuple[Match, str]
"""A match and the reason for it, as the end of a sentence that begins with `because`."""


def choose_match(expected: Sequence[Json], actual: Sequence[Json] = (), name: str = "") -> MatchChoice:
    """The match for a field with these values and this name, and the reason.

    >>> match, reason = choose_match(["2025-03-04", "2024-12-31"])
    >>> match.name, reason
    ('date', '2 of 2 values read as calendar dates')
    """
    evidence = new_evidence(name)
    evidence.expected.add(expected)
    evidence.actual.add(actual)
    return choose_from_evidence(evidence)


def new_evidence(name: str) -> ColumnEvidence:
    """Evidence for a path whose last part has this name; the name decides which closed vocabulary is looked for.

    >>> new_evidence("billing_country").expected.term
    'country'
    """
    words = "".join(f"_{character.lower()}" if character.isupper() else character for character in name).replace("-", "_").split("_")
    term = next((_TERM_WORDS[word] for word in reversed(words) if word in _TERM_WORDS), "")
    return ColumnEvidence(SideEvidence(term=term), SideEvidence(term=term))


def choose_from_evidence(evidence: ColumnEvidence) -> MatchChoice:
    """The match for a column with this evidence, and the reason."""
    kinds = {kind for kind, count in evidence.expected.kinds.items() if count}
    if not kinds:
        return build_match("exact"), "no value was seen"
    if kinds == {"bool"}:
        return build_match("exact"), "every value is true or false"
    if kinds == {"blank"}:
        return build_match("exact"), "every value is blank"
    if kinds == {"number"}:
        return _choose_for_numbers(evidence)
    if kinds <= {"string", "blank", "number"}:
        return _choose_for_texts(evidence)
    kinds -= {"blank"}
    return build_match("exact"), f"the values are of several kinds: {', '.join(sorted(kinds))}"


def build_match(name: str, **options: Any) -> Match:
    """A match with these options."""
    return Match(name, registry.MATCHERS.find(name).options(**options))


def _choose_for_numbers(evidence: ColumnEvidence) -> MatchChoice:
    share = _choose_share(evidence)
    if share is not None:
        return share
    if evidence.actual.signs["currency"] and _reads_as(evidence, "number"):
        return _choose_money(evidence)
    if not evidence.expected.fractional:
        return build_match("exact"), "every value is a whole number"
    return _choose_tolerance(evidence.expected, parse=False, reason="the values are numbers")


def _choose_tolerance(expected: SideEvidence, *, parse: bool, reason: str) -> MatchChoice:
    """Half a unit of the last decimal: the most that rounding to the printed decimals can change."""
    build = partial(build_match, "numeric_tolerance", **({"parse": True} if parse else {}))
    decimals = expected.decimals
    if decimals > MAX_DECIMALS and not parse:
        limit = NEARLY_EQUAL if len(expected.numbers) < MAX_NUMBERS else ROUNDING
        if _has_close_numbers(expected, limit):
            return build(), f"{reason} with more than {MAX_DECIMALS} decimals, and some differ only in the last ones"
        return build(tolerance=limit, relative=True), f"{reason} with more than {MAX_DECIMALS} decimals: a share of {limit:g} may differ"
    if decimals == 0:
        return build(), f"{reason} without decimals"
    count = "one decimal" if decimals == 1 else f"{decimals} decimals"
    tolerance = 0.5 * 10.0**-decimals
    if _has_numbers_within(expected, tolerance):
        return build(), f"{reason} with up to {count}, some so large that their last decimals are rounded"
    return build(tolerance=tolerance), f"{reason} with up to {count}: half a unit of the last one may differ"


def _has_close_numbers(expected: SideEvidence, limit: float) -> bool:
    """True if two different expected numbers would count as equal."""
    ordered = sorted(expected.numbers)
    if 0 in expected.numbers and any(0 < abs(number) <= limit for number in ordered):  # the share of 0 is an absolute difference
        return True
    return any(larger - smaller <= 2 * limit * max(abs(smaller), abs(larger)) for smaller, larger in pairwise(ordered))


def _has_numbers_within(expected: SideEvidence, tolerance: float) -> bool:
    """True if two different expected numbers are within an absolute tolerance and the slack for binary rounding."""
    for smaller, larger in pairwise(sorted(expected.numbers)):
        limit = 1.1 * tolerance + 8 * ulp(max(abs(smaller), abs(larger)))
        if larger - smaller <= limit:
            return True
    return False


def _choose_for_texts(evidence: ColumnEvidence) -> MatchChoice:
    for choose in _TYPE_CHOICES:
        choice = choose(evidence)
        if choice is not None:
            return choice
    expected = evidence.expected
    typed = expected.signs["typed"] + expected.kinds["number"]
    if typed > MAX_TYPED_SHARE_OF_TEXT * _count_values(expected):
        return build_match("exact"), f"{typed} of {_count_values(expected)} values are numbers, dates or codes, and the rest is text"
    digits: dict[str, str] = {"digits": "equal"} if expected.signs["any digit"] else {}
    note = "; their digits must agree" if digits else ""
    if expected.signs["long"] * 2 >= expected.kinds["string"]:
        return build_match(
            "fuzzy", algorithm="token_sort", threshold=0.8, **digits
        ), f"the values are long text, compared by their words{note}"
    return build_match("fuzzy", **digits), f"the values are names or short text, where small typos do not matter{note}"


def _count_values(side: SideEvidence) -> int:
    """Number of values that are neither null nor blank."""
    return side.values - side.kinds["blank"]


def _reads_as(evidence: ColumnEvidence, *signs: str) -> bool:
    """True if enough values have one of these signs, which exclude each other."""
    expected = sum(evidence.expected.count(sign) for sign in signs)
    if expected >= MIN_SHARE * _count_values(evidence.expected):
        return True
    both = expected + sum(evidence.actual.count(sign) for sign in signs)
    return expected >= MIN_EXPECTED_SHARE * _count_values(evidence.expected) and both >= MIN_SHARE * (
        _count_values(evidence.expected) + _count_values(evidence.actual)
    )


def _describe(evidence: ColumnEvidence, noun: str, *signs: str) -> str:
    """`694 of 700 values read as amounts (not "n/a", "see invoice")`."""
    sides = (evidence.expected, evidence.actual)
    total = sum(map(_count_values, sides))
    read = sum(side.count(sign) for side in sides for sign in signs)
    sentence = f"{read} of {total} {'value reads' if total == 1 else 'values read'} as {noun}"
    if read >= total:
        return sentence
    examples: dict[str, None] = {}
    for side in sides:
        examples |= dict.fromkeys(f'"{text}"' for text in side.exceptions.get(signs[0], ()))
    shown = list(examples)[:3]
    return f"{sentence} (not {', '.join(shown)}{' …' if total - read > len(shown) else ''})" if shown else sentence


def _choose_address(evidence: ColumnEvidence) -> MatchChoice | None:
    for sign, noun in (("email", "e-mail addresses"), ("url", "web addresses")):
        if _reads_as(evidence, sign):
            return build_match("exact"), f"the values are {noun}"
    return None


def _choose_date(evidence: ColumnEvidence) -> MatchChoice | None:
    expected, actual = evidence.expected, evidence.actual
    if not _reads_as(evidence, "date"):
        return None
    if expected.distinct < 3 and expected.signs["compact"] == expected.signs["date"]:  # numbers such as 20250304 are more likely codes
        return None
    options, order = _choose_order(evidence)
    if _uses_times(evidence):
        timed = sum(side.signs["time"] + side.signs["midnight"] for side in (expected, actual))
        reason = _describe(evidence, "dates", "date") + f", {timed} with a time of day"
        return build_match("datetime", **options), reason + order
    return build_match("date", **options), _describe(evidence, "calendar dates", "date") + order


def _uses_times(evidence: ColumnEvidence) -> bool:
    """True if times of day count: one that is not midnight, or midnight in every date; beside dates without a time it says nothing."""
    sides = [side for side in (evidence.expected, evidence.actual) if side.signs["date"]]
    return any(side.signs["time"] for side in sides) or all(side.signs["midnight"] >= side.signs["date"] for side in sides)


def _choose_order(evidence: ColumnEvidence) -> tuple[dict[str, bool], str]:
    """Whether the day comes first, by the dates that can be read in one way only, and the evidence; the expected side decides if it can."""
    expected, actual = evidence.expected, evidence.actual
    if not expected.signs["either order"] + actual.signs["either order"]:
        return {}, ""
    for sides in ((expected,), (expected, actual)):
        day_first, month_first = (sum(side.signs[order] for side in sides) for order in ("day first", "month first"))
        order_evidence = f", {day_first} values only read day first, {month_first} only month first"
        if max(day_first, month_first) >= MIN_SHARE * (day_first + month_first) > 0:
            return {"day_first": day_first > month_first}, order_evidence
    return {}, f"{order_evidence}: the order of day and month is open"


def _choose_scheme(evidence: ColumnEvidence) -> MatchChoice | None:
    if not _reads_as(evidence, "scheme", "bank code"):
        return None
    return build_match("code"), _describe(evidence, "identifiers with a check digit or prefix", "scheme", "bank code")


def _choose_number(evidence: ColumnEvidence) -> MatchChoice | None:
    expected, actual = evidence.expected, evidence.actual
    if not _reads_as(evidence, "number"):
        return None
    if not expected.signs["marks"]:  # digits alone
        return _choose_for_digits(evidence)
    if expected.signs["marks"] == expected.signs["weak currency"]:  # R5, Q1: letters and digits
        return None
    if expected.signs["currency"] + actual.signs["currency"]:
        return _choose_money(evidence) if _reads_as(evidence, "currency", "weak currency", "bare number") else None
    return _choose_tolerance(expected, parse=True, reason=_describe(evidence, "numbers", "number"))


def _choose_share(evidence: ColumnEvidence) -> MatchChoice | None:
    """Percent on one side, and on the other numbers of which none is more than 1: `19 %` and 0.19."""
    sides = (evidence.expected, evidence.actual)
    for percents, shares in (sides, sides[::-1]):
        are_percents = percents.signs["percent"] >= MIN_SHARE * max(_count_values(percents), 1)
        are_shares = shares.kinds["number"] >= MIN_SHARE * max(_count_values(shares), 1) and shares.fractional
        if are_percents and are_shares and all(abs(number) <= 1 for number in shares.numbers):
            reason = f"{percents.signs['percent']} values with a percent sign, {shares.kinds['number']} numbers up to 1 on the other side"
            return build_match("numeric_tolerance", parse=True, percent="share"), reason
    return None


def _choose_money(evidence: ColumnEvidence) -> MatchChoice:
    named = evidence.expected.signs["currency"] + evidence.actual.signs["currency"]
    decimals = evidence.expected.decimals
    options = {"tolerance": 0.5 * 10.0**-decimals} if 0 < decimals <= MAX_DECIMALS else {}
    return build_match("money", **options), _describe(evidence, "amounts", "number") + f", {named} with a currency"


def _choose_for_digits(evidence: ColumnEvidence) -> MatchChoice | None:
    """Digits alone are codes if one has a leading zero; otherwise they are numbers if JSON numbers or other spellings occur.

    0 and 1 are yes and no where the other side has true and false.
    """
    expected, actual = evidence.expected, evidence.actual
    if expected.signs["leading zero"]:
        return None
    if actual.kinds["bool"] >= MIN_SHARE * max(_count_values(actual), 1) and not expected.unlisted and {*expected.choices} <= {"0", "1"}:
        return build_match("boolean"), f"the values are 0 or 1, and {actual.kinds['bool']} on the other side are true or false"
    if actual.kinds["number"] or actual.signs["marks"] or expected.kinds["number"]:
        return _choose_tolerance(expected, parse=True, reason=_describe(evidence, "numbers", "number"))
    return build_match("exact"), "the values are digits, where every digit counts"


def _choose_quantity(evidence: ColumnEvidence) -> MatchChoice | None:
    expected = evidence.expected
    strong = sum(side.signs["quantity"] - side.signs["weak unit"] for side in (expected, evidence.actual))
    if expected.signs["duration"] and _reads_as(evidence, "duration") and (strong or not expected.signs["quantity"]):
        return build_match("duration"), _describe(evidence, "lengths of time", "duration")
    if not expected.signs["quantity"] or not strong or not _reads_as(evidence, "quantity", "bare number"):
        return None
    return build_match("quantity"), _describe(evidence, "quantities", "quantity", "bare number")


def _choose_boolean(evidence: ColumnEvidence) -> MatchChoice | None:
    if not _reads_as(evidence, "boolean"):
        return None
    signs = evidence.expected.signs + evidence.actual.signs
    if not (signs["true"] and signs["false"]) and not {text.lower() for text in evidence.expected.choices} <= _CERTAIN_YES_NO:
        return None  # `ok`, `on` and `x` alone need not mean yes
    return build_match("boolean"), _describe(evidence, "yes or no", "boolean")


def _choose_term(evidence: ColumnEvidence) -> MatchChoice | None:
    term = evidence.expected.term
    if not term or not _reads_as(evidence, term):
        return None
    nouns = {"country": "countries", "currency": "currencies", "language": "languages"}
    return build_match(term), _describe(evidence, nouns[term], term)


def _choose_code(evidence: ColumnEvidence) -> MatchChoice | None:
    """Letters and digits without spaces, or digits of which some have leading zeros."""
    if not evidence.expected.signs["code"] or not _reads_as(evidence, "code", "bare digits"):
        return None
    if evidence.expected.signs["code with sign"]:
        return build_match("exact"), "the values are codes, some with a sign such as `+` that tells them apart"
    return build_match("code"), _describe(evidence, "codes", "code", "bare digits")


def _choose_strict_text(evidence: ColumnEvidence) -> MatchChoice | None:
    """Text in which every character counts."""
    for sign, reason in (
        ("version", "the values are versions or section numbers"),
        ("clock", "the values are clock times"),
        ("short with digits", "the values are short with digits, where every digit counts"),
        ("capitals", "the values are short codes in capitals"),
        ("lower word", "the values are single words in small letters, as from a list of choices"),
    ):
        if _reads_as(evidence, sign):
            return build_match("exact"), reason
    return None


def _choose_choices(evidence: ColumnEvidence) -> MatchChoice | None:
    """A few short values that repeat."""
    expected = evidence.expected
    count = expected.kinds["string"]
    if count < _MIN_VALUES_FOR_CHOICES or expected.unlisted or len(expected.choices) * _MIN_REPEATS_OF_CHOICES > count:
        return None
    if all(len(text.split()) <= 2 for text in expected.choices):
        return build_match("exact"), "a few short values repeat, as from a list of choices"
    return None


_TYPE_CHOICES: Final[tuple[Callable[[ColumnEvidence], MatchChoice | None], ...]] = (
    _choose_address,
    _choose_date,
    _choose_scheme,
    _choose_share,
    _choose_number,
    _choose_quantity,
    _choose_boolean,
    _choose_term,
    _choose_code,
    _choose_strict_text,
    _choose_choices,
)
