"""Cases from Python objects: each part converted to JSON values, or a diagnostic if that is not possible."""

from dataclasses import replace
from typing import Any, Final, NamedTuple

from fieldwise.kernels.json_conversion import contains_cycle, find_foreign_type, to_json_record
from fieldwise.model.case import Case, Cases
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.values import KINDS, MISSING


class _CasePart(NamedTuple):
    side: str
    """What cannot be trusted if the part cannot be read: `expected`, `actual` or the whole `case`."""
    name: str
    """The part in messages."""
    absent: Any
    """The value that replaces an unreadable part."""


_PARTS: Final = {
    "expected": _CasePart("expected", "what is expected", MISSING),
    "actual": _CasePart("actual", "the output", MISSING),
    "actuals": _CasePart("actual", "one of the outputs", None),
    "input": _CasePart("case", "the input", None),
    "contexts": _CasePart("case", "one of the contexts", None),
    "metadata": _CasePart("case", "one of the metadata", {}),
}


_KNOWN_TYPES: Final = tuple(KINDS)


def normalize_case(case: Case) -> Cases:
    """A batch of this one case, with a diagnostic for each part that contains itself or is not JSON.

    >>> normalize_case(Case(id="1", expected={1: "a"}, actual=object())).diagnostics[0][0].what
    'the output is of the type `object`, which JSON does not know'
    """
    values: dict[str, Any] = {}
    notes: list[Diagnostic] = []
    for attribute, part in _PARTS.items():
        values[attribute], reason = normalize_value(getattr(case, attribute))
        if reason:
            fix = "give what json.loads could have given: dicts, lists, text, numbers, booleans and None"
            where = Where(case=case.id)
            notes.append(Diagnostic(code=f"unreadable-{part.side}", what=f"{part.name} {reason}", where=where, fix=fix))
            values[attribute] = part.absent
    if not isinstance(values["contexts"], list | tuple | None):
        values["contexts"] = [values["contexts"]]  # one context, as in a file
    cases = Cases.of([replace(case, **values)])
    return replace(cases, diagnostics={0: notes} if notes else {})


def normalize_value(value: Any) -> tuple[Any, str]:
    """The value as JSON has it and an empty reason; or MISSING and the reason why it is not JSON."""
    if value is MISSING:
        return value, ""
    try:
        record = to_json_record(value)
    except Exception as error:  # a user's own model class may raise anything while it is converted
        return MISSING, f"cannot be written as JSON: {error}"
    if contains_cycle(record):
        return MISSING, "contains itself, so it has no end"
    foreign = find_foreign_type(record, _KNOWN_TYPES)
    if foreign is not None:
        verb = "is" if foreign is type(record) else "contains a value"
        return MISSING, f"{verb} of the type `{foreign.__name__}`, which JSON does not know"
    return record, ""
