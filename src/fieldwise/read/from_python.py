"""A case that a Python program gives: its records as JSON has them, or the reason why they cannot be had so."""

from dataclasses import replace
from typing import Any, Final

from fieldwise.kernels.text_keys import contains_cycle, to_json_record
from fieldwise.model.case import Case, Cases
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.values import KINDS, MISSING

_PARTS: Final = {
    "expected": ("expected", "what is expected"),
    "actual": ("actual", "the output"),
    "actuals": ("actual", "one of the outputs"),
    "input": ("case", "the input"),
    "contexts": ("case", "one of the contexts"),
    "metadata": ("case", "one of the metadata"),
}
"""By part of a case: what cannot be trusted where it cannot be read, and what people call it."""


def normalize_case(case: Case) -> Cases:
    """A batch of this one case. A part that has no end or is of a type that JSON does not know is unreadable, and said to be.

    >>> given(Case(id="1", expected={1: "a"}, actual=object())).diagnostics[0][0].what
    'the output is of the type `object`, which JSON does not know'
    """
    plain: dict[str, Any] = {}
    notes: list[Diagnostic] = []
    for part, (side, name) in _PARTS.items():
        plain[part], why = normalize_value(getattr(case, part))
        if why:
            fix = "give what json.loads could have given: dicts, lists, text, numbers, booleans and None"
            notes.append(Diagnostic(code=f"unreadable-{side}", what=f"{name} {why}", where=Where(case=case.id), fix=fix))
            plain[part] = _NOTHING[part]
    if not isinstance(plain["contexts"], list | tuple | None):
        plain["contexts"] = [plain["contexts"]]  # one context, as in a file
    cases = Cases.of([replace(case, **plain)])
    return replace(cases, diagnostics={0: notes} if notes else {})


_NOTHING: Final[dict[str, Any]] = {"expected": MISSING, "actual": MISSING, "actuals": None, "input": None, "contexts": None, "metadata": {}}


def normalize_value(value: Any) -> tuple[Any, str]:
    """The value as JSON has it, and nothing; or MISSING, and why it cannot be had so."""
    if value is MISSING:
        return value, ""
    try:
        found = to_json_record(value)
    except Exception as error:  # a model of the user's own that cannot be written
        return MISSING, f"cannot be written as JSON: {error}"
    if contains_cycle(found):
        return MISSING, "contains itself, so it has no end"
    if not isinstance(found, tuple(KINDS)):
        return MISSING, f"is of the type `{type(found).__name__}`, which JSON does not know"
    return found, ""
