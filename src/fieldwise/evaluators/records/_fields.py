"""Shared by the evaluators of fields: hits, misses, status and faults, read from the comparisons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from fieldwise.kernels.values import find_non_finite
from fieldwise.model.comparison import ComparisonTable, Outcome
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.options import OptionProblem
from fieldwise.model.path import EACH, Path
from fieldwise.model.result import Labels, Status
from fieldwise.model.rule import FieldRule, ListRule
from fieldwise.numpy_on_use import np
from fieldwise.registry import MATCHERS

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SCORED, _SKIPPED = int(Status.SCORED), int(Status.SKIPPED)


def find_unused_list_rules(fields: Iterable[FieldRule], lists: Iterable[ListRule], *, open: bool = False) -> Iterator[OptionProblem]:
    """Problems of list rules whose items no field compares.

    With `open`, every leaf is compared unless a field compares a container above it as a whole.
    """
    paths = [rule.path.steps for rule in fields if rule.path is not None]
    for rule in lists:
        steps = rule.path.steps
        is_used = any(path[: len(steps) + 1] == (*steps, EACH) for path in paths)
        if open and not is_used:
            is_used = not any(path == steps[: len(path)] for path in paths)
        if not is_used:
            item = Path((*steps, EACH))
            yield "lists", f"no field goes through the items of `{rule.path}`", f"name a field of its items, such as `{item}`, or remove it"


def decide_statuses(comparisons: ComparisonTable, scored_fields: NDArray[Any]) -> tuple[NDArray[np.uint8], dict[int, str]]:
    """The status of each case, and the reasons of those that are not scored: no field to score, or a field that could not be compared."""
    has_fields = scored_fields > 0
    status = np.where(has_fields, _SCORED, _SKIPPED).astype(np.uint8)
    reasons: dict[int, str] = dict.fromkeys((~has_fields).nonzero()[0].tolist(), "no field to score")
    for row, fault in comparisons.faults.items():
        mark_case_faults(status, reasons, {int(comparisons.case[row]): fault})
    return status, reasons


def mark_case_faults(status: NDArray[np.uint8], reasons: dict[int, str], faults: Mapping[int, Diagnostic]) -> None:
    """Set status and reason of cases with a fault: `unavailable` if a model or package is missing, else `error`, which takes precedence."""
    for case, fault in faults.items():
        if status[case] != Status.ERROR:
            status[case] = Status.UNAVAILABLE if fault.code == "unavailable" else Status.ERROR
            reasons[case] = fault.what if not fault.fix else f"{fault.what} ({fault.fix})"


def write_reasoning(reasons: Mapping[int, str], describe: Callable[..., str], *columns: NDArray[Any]) -> list[str]:
    """The reason of each case that has one, else `describe(*numbers)` of its numbers; equal numbers are described once."""
    numbers_by_case = list(zip(*(column.tolist() for column in columns), strict=True))
    text_by_numbers = {numbers: describe(*numbers) for numbers in {*numbers_by_case}}
    return [reasons.get(case) or text_by_numbers[numbers] for case, numbers in enumerate(numbers_by_case)]


def build_hit_labels(comparisons: ComparisonTable, scored: NDArray[np.bool_]) -> Labels:
    """The paths that passed, by case."""
    return _build_labels_once(comparisons, "hits", scored & comparisons.passed, lambda rows: build_row_labels(comparisons, rows))


def build_miss_labels(comparisons: ComparisonTable, scored: NDArray[np.bool_]) -> Labels:
    """The paths that did not pass, each with what is wrong, by case."""
    return _build_labels_once(comparisons, "misses", scored & ~comparisons.passed, lambda rows: _describe_misses(comparisons, rows))


def _build_labels_once(
    comparisons: ComparisonTable, kind: str, rows: NDArray[np.bool_], build: Callable[[NDArray[np.bool_]], Labels]
) -> Labels:
    """Labels of some rows: evaluators that share comparisons and select the same rows share them, and storage writes shared labels once."""
    key = (kind, rows.tobytes())
    if key not in comparisons.derived:
        comparisons.derived[key] = build(rows)
    return comparisons.derived[key]


def _describe_misses(comparisons: ComparisonTable, rows: NDArray[np.bool_]) -> Labels:
    if not rows.any():
        return _no_labels(comparisons)
    is_bare = comparisons.outcome == _WRONG_VALUE
    is_bare[list(comparisons.note)] = False
    return build_row_labels(comparisons, rows, lambda row, path: _describe_miss(comparisons, row, path), is_bare)


def _no_labels(comparisons: ComparisonTable) -> Labels:
    return Labels(np.zeros(comparisons.cases + 1, dtype=np.int64), np.zeros(0, dtype=np.int32), [])


def build_row_labels(
    comparisons: ComparisonTable,
    rows: NDArray[np.bool_],
    describe: Callable[[int, str], str] | None = None,
    is_bare: NDArray[np.bool_] | None = None,
) -> Labels:
    """The paths of the selected rows, by case, or `describe(row, path)` of them, except of rows that `is_bare` selects."""
    if not rows.any():
        return _no_labels(comparisons)
    order, offsets = comparisons.by_case()
    is_selected = rows[order]
    counts = np.zeros(len(order) + 1, dtype=np.int64)
    is_selected.cumsum(out=counts[1:])
    selected = order[is_selected]
    codes = comparisons.path[selected]
    if describe is None:
        return Labels(counts[offsets], codes, comparisons.paths)
    described = np.arange(len(selected)) if is_bare is None else np.flatnonzero(~is_bare[selected])
    code_by_text: dict[str, int] = {}
    new_codes: list[int] = []
    path_codes: list[int] = codes[described].tolist()
    for row, code in zip(selected[described].tolist(), path_codes, strict=True):
        text = describe(row, comparisons.paths[code])
        new_codes.append(code_by_text.setdefault(text, len(comparisons.paths) + len(code_by_text)))
    codes[described] = new_codes
    return Labels(counts[offsets], codes, [*comparisons.paths, *code_by_text])


_WRONG_VALUE, _FORMAT_ERROR, _HALLUCINATION, _FAULT, _OMISSION = map(
    int, (Outcome.WRONG_VALUE, Outcome.FORMAT_ERROR, Outcome.HALLUCINATION, Outcome.FAULT, Outcome.OMISSION)
)


def _describe_miss(comparisons: ComparisonTable, row: int, path: str) -> str:
    """The bare path for a wrong value, else the path with what is wrong."""
    outcome = int(comparisons.outcome[row])
    if outcome == _FORMAT_ERROR:
        return f"{path} (type mismatch)"
    if outcome == _HALLUCINATION:
        return f"{path} (extra)" if comparisons.unmatched_actual[row] else f"{path} (unexpected value)"
    if outcome == _FAULT and row in comparisons.faults:
        return f"{path} (evaluation error: {comparisons.faults[row].what})"
    note = comparisons.note.get(row)
    if note and outcome == _WRONG_VALUE and _is_simply_wrong(comparisons, row):
        note = describe_non_finite(comparisons, row)
    if note is None and outcome == _OMISSION:
        actual = comparisons.actual[row]
        note = "null value" if actual is None or isinstance(actual, str) else "required, missing"  # text among the `null_values`
    return f"{path} ({note})" if note else path


def _is_simply_wrong(comparisons: ComparisonTable, row: int) -> bool:
    """True if the note of a wrong value says how the values differ, not that one of them cannot be read.

    Notes of `semantic` explain a similarity; those of `code` say on which side a check digit fails.
    """
    match = comparisons.rules[int(comparisons.field[row])].match
    if match.name in ("auto", "code"):
        return False
    spec = MATCHERS.find(match.name)
    if spec.unread_note is None:
        return match.name == "semantic"
    options = spec.options() if match.options is None else match.options
    return all(spec.unread_note(value, options) is None for value in (comparisons.compared_value(row), comparisons.actual[row]))


def describe_non_finite(comparisons: ComparisonTable, row: int) -> str | None:
    """The note on a NaN or an Infinity in either value of a row; None if there is none."""
    name = find_non_finite(comparisons.compared_value(row)) or find_non_finite(comparisons.actual[row])
    return f"{name} is not a number" if name else None


def describe_faults(comparisons: ComparisonTable, case: int, reasons: dict[int, str]) -> dict[str, Any]:
    """Details of the comparisons of a case that could not be made; empty if all could."""
    if not comparisons.faults:
        return {}
    faults = [comparisons.faults[row].to_json() for row in comparisons.rows_of(case).tolist() if row in comparisons.faults]
    return {"fault": "ours", "reason": reasons.get(case, ""), "faults": faults} if faults else {}
