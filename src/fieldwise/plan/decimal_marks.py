"""What a column of numbers in text shows about its marks: whether `25.000` and `25,000` have decimals.

Called where the match of a column is chosen. At scoring, a rule without the option `decimal` still leaves it to the column.
"""

from collections import Counter
from typing import Any, Final

from fieldwise import registry
from fieldwise.kernels.numbers import count_decimals
from fieldwise.plan.column_evidence import ColumnEvidence

_MIN_SHARE: Final = 0.9
"""Share of the values that must have one mark; the others are slips."""
_MIN_DECIMAL_SHARE: Final = 0.1
"""Share of the values with a comma that must show that it is a decimal one, where most have three digits behind it."""
_MIN_PRECISE: Final = 3
_MIN_PRECISE_SHARE: Final = 0.5
"""Number and share of the actual numbers with two decimals from which expected numbers with one are rounded ones."""


def describe_ambiguous_marks(evidence: ColumnEvidence) -> str | None:
    """Why numbers cannot be read where `25.000` and `25,000` both occur and nothing shows which mark groups; None if they can."""
    sides = (evidence.expected, evidence.actual)
    is_decided = any(side.decimal_signs[sign] for side in sides for sign in (".", ",", "plain"))
    has_both_marks = all(any(mark in side.open_decimals for side in sides) for mark in ".,")
    if is_decided or not has_both_marks or any(side.kinds["number"] for side in sides):
        return None
    texts = Counter(evidence.expected.choices) + Counter(evidence.actual.choices)
    counts = {mark: sum(count for text, count in texts.items() if mark in text) for mark in ".,"}
    if max(counts.values()) >= _MIN_SHARE * sum(counts.values()):
        return None
    examples = " and ".join(next(f"`{text}`" for text in texts if mark in text) for mark in ".,")
    reason = f"ambiguous numbers, such as {examples}: nothing shows which mark groups. `match: code` compares their digits alone"
    return f"the values are {reason}"


def choose_decimal_mark(evidence: ColumnEvidence) -> dict[str, str]:
    """The option `decimal` for a column of numbers such as `25,000`, if hardly any value shows a decimal comma; else nothing.

    One output `5,00` for `5,000` would otherwise show a decimal comma, so that both are 5.
    """
    sides = (evidence.expected, evidence.actual)
    if not any("," in side.open_decimals for side in sides) or any("." in side.open_decimals for side in sides):
        return {}
    open_count = sum(side.decimal_signs["undecided"] for side in sides)
    comma_count = sum(side.decimal_signs[","] for side in sides)
    is_slip = 0 < comma_count < _MIN_DECIMAL_SHARE * (open_count + comma_count)
    return {"decimal": "point"} if is_slip else {}


def count_expected_decimals(evidence: ColumnEvidence, name: str) -> int:
    """Most decimals of an expected number, where the column decides whether the comma of `1,234` groups, as it does for this match.

    A column that decides nothing has the decimals of both readings, if one of its numbers has any. JSON writes 5.50 as 5.5: amounts of
    money with one decimal have two, and so have other numbers, unless they are the rounded ones of the actual side.
    """
    decimals = _count_written_decimals(evidence, name)
    has_dropped_zero = decimals == 1 and (name == "money" or (evidence.actual.decimals == 2 and not _are_rounded(evidence)))
    return 2 if has_dropped_zero else decimals


def _are_rounded(evidence: ColumnEvidence) -> bool:
    """True if most actual numbers have a second decimal: then expected numbers with one are rounded."""
    numbers = evidence.actual.numbers | evidence.actual.printed_numbers
    precise = sum(count_decimals(number) == 2 for number in numbers)
    return precise >= max(_MIN_PRECISE, _MIN_PRECISE_SHARE * len(numbers))


def _count_written_decimals(evidence: ColumnEvidence, name: str) -> int:
    expected = evidence.expected
    if not expected.open_decimals or choose_decimal_mark(evidence):
        return expected.decimals
    signs: Counter[str] = Counter()
    for prefix, side in (("expected: ", expected), ("actual: ", evidence.actual)):
        for sign, count in side.decimal_signs.items():
            signs[sign] += count
            signs[prefix + sign] += count
    matcher = registry.MATCHERS.find(name)
    options: Any = matcher.options(**({"parse": True} if name == "numeric_tolerance" else {}))
    if matcher.column_survey is not None:
        options, _ = matcher.column_survey.resolve(options, signs)
    decimal_marks = {"point": {"."}, "comma": {","}}.get(options.decimal)
    if decimal_marks is None:
        has_certain_mark = any(signs[sign] for sign in (".", ",", "plain"))
        decimal_marks = {".", ","} if has_certain_mark else {"."}
    return max(expected.decimals, *(digits if mark in decimal_marks else 0 for mark, digits in expected.open_decimals.items()))
