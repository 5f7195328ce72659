"""A case that a Python program gives: its records as JSON has them, or the reason why they cannot be had so."""

from dataclasses import replace
from typing import Any

from fieldwise.kernels.text_keys import contains_itself, text_keys
from fieldwise.model.case import Case, Cases
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.values import KINDS, MISSING


def given(case: Case) -> Cases:
    """A batch of this one case. A record that has no end or is of a type that JSON does not know is unreadable, and said to be.

    >>> given(Case(id="1", expected={1: "a"}, actual=object())).diagnostics[0][0].what
    'the output is of the type `object`, which JSON does not know'
    """
    sides = {"expected": "what is expected", "actual": "the output", "actuals": "one of the outputs"}
    plain: dict[str, Any] = {}
    notes: list[Diagnostic] = []
    for side, name in sides.items():
        plain[side], why = readable(getattr(case, side))
        if why:
            code = f"unreadable-{side.removesuffix('s')}"
            fix = "give what json.loads could have given: dicts, lists, text, numbers, booleans and None"
            notes.append(Diagnostic(code=code, what=f"{name} {why}", where=Where(case=case.id), fix=fix))
    if plain["actuals"] is MISSING:
        plain["actuals"] = None
    cases = Cases.of([replace(case, **plain)])
    return replace(cases, diagnostics={0: notes} if notes else {})


def readable(value: Any) -> tuple[Any, str]:
    """The value as JSON has it, and nothing; or MISSING, and why it cannot be had so."""
    if value is MISSING:
        return value, ""
    try:
        found = text_keys(value)
    except Exception as error:  # a model of the user's own that cannot be written
        return MISSING, f"cannot be written as JSON: {error}"
    if contains_itself(found):
        return MISSING, "contains itself, so it has no end"
    if not isinstance(found, tuple(KINDS)):
        return MISSING, f"is of the type `{type(found).__name__}`, which JSON does not know"
    return found, ""
