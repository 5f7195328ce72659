"""What a column of numbers in text shows about its marks: whether `25.000` and `25,000` have decimals.

Called where the match of a column is chosen. At scoring, a rule without the option `decimal` still leaves it to the column.
"""

from collections import Counter
from typing import Final

from fieldwise.plan.column_evidence import ColumnEvidence

_MIN_SHARE: Final = 0.9
"""Share of the values that must have one mark; the others are slips."""
_MIN_DECIMAL_SHARE: Final = 0.1
"""Share of the values with a comma that must show that it is a decimal one, where most have three digits behind it."""


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
