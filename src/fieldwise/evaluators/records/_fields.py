"""What evaluators of fields have in common: hits, misses and status, read off the comparisons."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.values import non_finite
from fieldwise.model.comparison import Comparisons, Outcome
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.options import Problem
from fieldwise.model.path import EACH, Path
from fieldwise.model.result import Labels, Status
from fieldwise.model.rule import FieldRule, ListRule


def lists_without_items(fields: Iterable[FieldRule], lists: Iterable[ListRule], *, open: bool = False) -> Iterator[Problem]:
    """Lists that a rule aligns though nothing looks at their items one by one: no field goes through them, or one stops before.

    `open` says that every leaf is looked at unless a field stops before it.
    """
    paths = [rule.path.steps for rule in fields if rule.path is not None]
    for rule in lists:
        steps = rule.path.steps
        through = any(path[: len(steps) + 1] == (*steps, EACH) for path in paths)
        if open and not through:
            through = not any(path == steps[: len(path)] for path in paths)
        if not through:
            item = Path((*steps, EACH))
            yield "lists", f"no field goes through the items of `{rule.path}`", f"name a field of its items, such as `{item}`, or remove it"


def field_status(comparisons: Comparisons, counted: NDArray[Any]) -> tuple[NDArray[np.uint8], dict[int, str]]:
    """Scored, skipped where there was nothing to score, error or unavailable where a field could not be compared."""
    status = np.where(counted > 0, Status.SCORED, Status.SKIPPED).astype(np.uint8)
    reasons = {int(row): "no field to score" for row in np.flatnonzero(counted == 0)}
    for row, fault in comparisons.faults.items():
        case_faults(status, reasons, {int(comparisons.case[row]): fault})
    return status, reasons


def case_faults(status: NDArray[np.uint8], reasons: dict[int, str], faults: Mapping[int, Diagnostic]) -> None:
    """Note what could not be measured of a case: unavailable where something needed is not there, else an error, which outweighs it."""
    for case, fault in faults.items():
        if status[case] != Status.ERROR:
            status[case] = Status.UNAVAILABLE if fault.code == "unavailable" else Status.ERROR
            reasons[case] = fault.what if not fault.fix else f"{fault.what} ({fault.fix})"


def reasoning(reasons: Mapping[int, str], say: Callable[..., str], *columns: NDArray[Any]) -> list[str]:
    """The reason of each case that has one, else what `say` makes of its numbers; cases with the same numbers are told once."""
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    told = {row: say(*row) for row in {*rows}}
    return [reasons.get(case) or told[row] for case, row in enumerate(rows)] if reasons else [told[row] for row in rows]


def hit_labels(comparisons: Comparisons, scored: NDArray[np.bool_]) -> Labels:
    """The paths that passed, case by case."""
    return _once(comparisons, scored & comparisons.passed, "hits", lambda rows: row_labels(comparisons, rows))


def miss_labels(comparisons: Comparisons, scored: NDArray[np.bool_]) -> Labels:
    """The paths that did not pass, with what is wrong, case by case."""

    def made(rows: NDArray[np.bool_]) -> Labels:
        outcomes: list[int] = comparisons.outcome.tolist()
        return row_labels(comparisons, rows, lambda row, path: _miss(comparisons, row, outcomes[row], path))

    return _once(comparisons, scored & ~comparisons.passed, "misses", made)


def _once(comparisons: Comparisons, rows: NDArray[np.bool_], kind: str, make: Callable[[NDArray[np.bool_]], Labels]) -> Labels:
    """Labels of some rows, made once for evaluators that share their comparisons and look at the same rows."""
    key = (kind, rows.tobytes())
    if key not in comparisons.told:
        comparisons.told[key] = make(rows)
    return comparisons.told[key]


def row_labels(comparisons: Comparisons, rows: NDArray[np.bool_], say: Callable[[int, str], str] | None = None) -> Labels:
    """The paths of these rows, case by case; `say` makes of a row and its path what is told of it."""
    order, offsets = comparisons.by_case()
    chosen = rows[order]
    ends = np.concatenate([[0], np.cumsum(chosen)])[offsets]
    at = order[chosen]
    if say is None:
        return Labels(ends, comparisons.path[at], comparisons.paths)
    texts: dict[str, int] = {}
    paths: list[int] = comparisons.path[at].tolist()
    told = (say(row, comparisons.paths[path]) for row, path in zip(at.tolist(), paths, strict=True))
    return Labels(ends, np.array([texts.setdefault(text, len(texts)) for text in told], dtype=np.int32), list(texts))


_FORMAT_ERROR, _HALLUCINATION, _FAULT, _OMISSION = map(int, (Outcome.FORMAT_ERROR, Outcome.HALLUCINATION, Outcome.FAULT, Outcome.OMISSION))


def _miss(comparisons: Comparisons, row: int, outcome: int, path: str) -> str:
    """A miss in words: the bare path for a wrong value, else the path with what is wrong."""
    if outcome == _FORMAT_ERROR:
        return f"{path} (type mismatch)"
    if outcome == _HALLUCINATION:
        return f"{path} (extra)" if comparisons.extra[row] else f"{path} (unexpected value)"
    if outcome == _FAULT:
        return f"{path} (evaluation error: {comparisons.faults[row].what})"
    note = comparisons.note.get(row)
    if note and comparisons.rules[int(comparisons.field[row])].match.name == "semantic":
        note = not_finite(comparisons, row)  # how two meanings differ stands with the comparison: the value is wrong, and no more
    if note is None and outcome == _OMISSION:
        note = "null value" if comparisons.actual[row] is None else "required, missing"
    return f"{path} ({note})" if note else path


def not_finite(comparisons: Comparisons, row: int) -> str | None:
    """What is told of a value that holds a NaN or an Infinity; None where none does."""
    name = non_finite(comparisons.expected[row]) or non_finite(comparisons.actual[row])
    return f"{name} is not a number" if name else None


def faults_of(comparisons: Comparisons, case: int, reasons: dict[int, str]) -> dict[str, Any]:
    """For the details of a case: what could not be compared and why; empty where everything could."""
    if not comparisons.faults:
        return {}
    faults = [comparisons.faults[row].to_json() for row in comparisons.rows_of(case).tolist() if row in comparisons.faults]
    return {"fault": "ours", "reason": reasons.get(case, ""), "faults": faults} if faults else {}
