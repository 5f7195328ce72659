"""Finds the likely cause of each mismatch: the first cause by rank that holds for its two values.

>>> contexts = MismatchContexts([0], ["vendor"], ["vendor"], [{"vendor": "Acme Corp"}], [{"vendor": "ACME CORP"}])
>>> likely_causes(["Acme Corp"], ["ACME CORP"], contexts)
['letter_case']
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, Literal, TypeAlias

import numpy as np

from fieldwise.model.comparison import Comparisons, Outcome
from fieldwise.model.context import Context, MismatchContexts
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.services import NO_SERVICES, Services
from fieldwise.model.values import Value
from fieldwise.registry import CAUSES, CauseSpec
from fieldwise.score.guard import Crash, Success, call_guarded

PairKind: TypeAlias = Literal["text", "number", "mixed"]
_PAIR_KINDS: Final[tuple[PairKind, ...]] = ("text", "number", "mixed")
_NUMBERS: Final = frozenset((int, float))
NO_CAUSE: Final = ""
PLACEHOLDER_CAUSE: Final = "null_text"


def find_causes(
    comparisons: Comparisons, expected: Sequence[Value], actual: Sequence[Value], services: Services = NO_SERVICES
) -> dict[int, str]:
    """By row, the likely cause of every mismatch with a value on both sides. `expected` and `actual` are the records by case."""
    mismatched = (comparisons.outcome == Outcome.WRONG_VALUE) | (comparisons.outcome == Outcome.FORMAT_ERROR)
    rows: list[int] = np.flatnonzero(mismatched).tolist()
    placeholders = _find_placeholders(comparisons)
    if not rows:
        return placeholders
    cases: list[int] = comparisons.case[rows].tolist()
    path_codes: list[int] = comparisons.path[rows].tolist()
    field_codes: list[int] = comparisons.field[rows].tolist()
    paths = [comparisons.paths[code] for code in path_codes]
    fields = [comparisons.fields[code] for code in field_codes]
    contexts = MismatchContexts(cases, paths, fields, expected, actual)
    expected_values = [comparisons.expected[row] for row in rows]
    actual_values = [comparisons.actual[row] for row in rows]
    causes = likely_causes(expected_values, actual_values, contexts, services)
    return placeholders | {row: cause for row, cause in zip(rows, causes, strict=True) if cause != NO_CAUSE}


def _find_placeholders(comparisons: Comparisons) -> dict[int, str]:
    """By row, the cause of text such as `null` where expected has no value; of invented values no other cause is known."""
    rows: list[int] = np.flatnonzero(comparisons.outcome == Outcome.HALLUCINATION).tolist()
    candidates = [row for row in rows if isinstance(comparisons.actual[row], str)]
    if not candidates:
        return {}
    is_placeholder = CAUSES.find(PLACEHOLDER_CAUSE).function
    context = Context("", "")
    return {row: PLACEHOLDER_CAUSE for row in candidates if is_placeholder(None, comparisons.actual[row], context)}


def likely_causes(
    expected: Sequence[Value], actual: Sequence[Value], contexts: MismatchContexts, services: Services = NO_SERVICES
) -> list[str]:
    """The first cause by rank that holds for each pair of values; `NO_CAUSE` if none does. `contexts` runs in parallel to the pairs."""
    causes = _causes_by_kind()
    names: list[str] = []
    for position, (expected_value, actual_value) in enumerate(zip(expected, actual, strict=True)):
        candidates = causes[_pair_kind(expected_value, actual_value)]
        names.append(_find_cause(candidates, expected_value, actual_value, contexts(position), services))
    return names


def describe_cause(cause: str) -> tuple[str, str]:
    """The label of a cause and the advice against it.

    >>> describe_cause("letter_case")[0]
    'letter case'
    """
    spec = CAUSES.find(cause)
    return spec.label, spec.advice


def _causes_by_kind() -> Mapping[PairKind, Sequence[CauseSpec]]:
    """The causes that apply to each kind of pair, by rank."""
    by_rank = sorted(CAUSES.all(), key=lambda cause: (cause.rank, cause.name))
    return {kind: [cause for cause in by_rank if cause.kinds in (kind, "any")] for kind in _PAIR_KINDS}


def _pair_kind(expected: Value, actual: Value) -> PairKind:
    if type(expected) is str and type(actual) is str:
        return "text"
    return "number" if type(expected) in _NUMBERS and type(actual) in _NUMBERS else "mixed"


def _find_cause(causes: Sequence[CauseSpec], expected: Value, actual: Value, context: Context, services: Services) -> str:
    """The name of the first cause that holds. A cause that crashes is reported and skipped."""
    call = call_guarded(partial(_first_cause_that_holds, causes, expected, actual, context))
    if isinstance(call, Success):
        return call.value
    for cause in causes:  # call each on its own, to know which one crashed
        holds = call_guarded(partial(cause.function, expected, actual, context))
        if isinstance(holds, Crash):
            what = f"the cause `{cause.name}` crashed and was skipped: {holds.message}"
            fix = f"report this to the author of `{cause.name}`"
            services.report(Diagnostic(code="cause-crashed", level="warning", what=what, fix=fix))
        elif holds.value:
            return cause.name
    return NO_CAUSE


def _first_cause_that_holds(causes: Sequence[CauseSpec], expected: Value, actual: Value, context: Context) -> str:
    for cause in causes:
        if cause.function(expected, actual, context):
            return cause.name
    return NO_CAUSE
