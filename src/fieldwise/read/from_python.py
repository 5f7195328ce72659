"""Cases from Python objects: each part converted to JSON values, or a diagnostic if that is not possible."""

from dataclasses import replace
from typing import Any, Final, NamedTuple

from fieldwise.kernels.json_conversion import contains_cycle, find_foreign_type, is_plain_tree, to_json_record
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
    changed: dict[str, Any] = {}
    notes: list[Diagnostic] = []
    for attribute, part in _PARTS.items():
        value = getattr(case, attribute)
        normalized, reason = normalize_value(value)
        if normalized is not value:
            changed[attribute] = normalized
        if reason:
            fix = "give what json.loads could have given: dicts, lists, text, numbers, booleans and None"
            where = Where(case=case.id)
            notes.append(Diagnostic(code=f"unreadable-{part.side}", what=f"{part.name} {reason}", where=where, fix=fix))
            changed[attribute] = part.absent
    contexts = changed.get("contexts", case.contexts)
    if not isinstance(contexts, list | tuple | None):
        changed["contexts"] = [contexts]  # one context, as in a file
    cases = Cases.of([replace(case, **changed) if changed else case])
    return replace(cases, diagnostics={0: notes}) if notes else cases


def normalize_value(value: Any) -> tuple[Any, str]:
    """The value as JSON has it and an empty reason; or MISSING and the reason why it is not JSON."""
    if value is None or value is MISSING or is_plain_tree(value):
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
