"""MLflow expectations beside an answer in text: the expected answer among them, without guidelines and other expectations.

Called by the readers of rows, where the column of the expected side is `expectations`.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final

from fieldwise.model.answer_values import read_answers
from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.plan import Source
from fieldwise.model.values import MISSING, Value
from fieldwise.read.columns import ColumnRoles, fold_name
from fieldwise.read.pairing_fields import is_named
from fieldwise.read.records_in_text import find_record

EXPECTATIONS: Final = "expectations"
_ANSWER_NAMES: Final = ("expected_response", "expected_output", "expected", "ground_truth")
"""Names of an expectation that is the whole expected answer."""


def take_expected_answers(cases: Cases, roles: ColumnRoles, source: Source, file: str) -> list[Diagnostic]:
    """Replace expectations by the expected answer among them where the output is a text; the others go to the metadata.

    Expectations stay a record where the output is a record, and where a rule names one of them. Returns a remark for each name that
    was used.
    """
    if fold_name(roles.columns.get("expected", "")) != EXPECTATIONS and source.format != "mlflow":
        return []
    taken: dict[str, None] = {}
    for row, (expected, actual) in enumerate(zip(cases.expected, cases.actual, strict=True)):
        name = _find_answer_name(expected, actual, source.named_fields)
        if name is None or not isinstance(expected, dict):
            continue
        cases.expected[row] = expected[name]
        cases.metadata[row] = {**cases.metadata[row], EXPECTATIONS: {key: value for key, value in expected.items() if key != name}}
        taken[name] = None
    where = Where(file=file)
    what = "is read as the expected answer where the output is a text; the other expectations are in the metadata"
    return [Diagnostic(code="expected-answer", what=f"`{name}` of `{EXPECTATIONS}` {what}", where=where, level="info") for name in taken]


def _find_answer_name(expected: Value, actual: Value, named_fields: Collection[str]) -> str | None:
    """The only expectation that is a whole answer in text, if the output is a text and no rule names an expectation."""
    if not isinstance(expected, dict) or len(expected) < 2:
        return None
    names = [name for name in _ANSWER_NAMES if isinstance(expected.get(name), str)]
    if len(names) != 1 or any(is_named((key,), named_fields) for key in expected):
        return None
    return names[0] if _is_text_answer(actual, expected, names[0]) else None


def _is_text_answer(actual: Value, expected: Mapping[str, Any], answer_name: str) -> bool:
    if isinstance(actual, dict) and expected.keys() & actual.keys():
        return False
    if actual is MISSING or actual is None:
        return True
    text = read_answers(expected[answer_name], actual)[1]
    return isinstance(text, str) and not isinstance(find_record(text).value, dict)
