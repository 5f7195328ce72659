"""The flow that the evaluators of boxes and of points share: find the items, pair them, judge the pairs, tell the result."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from fieldwise.evaluators.geometry._items import Names, items, steps_of
from fieldwise.evaluators.geometry._pairing import Column, Judged, Measure, Setup, column, judge
from fieldwise.model.batch import Batch
from fieldwise.model.lookup import find
from fieldwise.model.result import Result, Results
from fieldwise.model.values import MISSING

M = TypeVar("M", bound=Measure)


def evaluate(
    batch: Batch,
    setup: Setup,
    read: Callable[[Column, Column], M],
    finish: Callable[[Judged, M | None], Result],
) -> Results:
    """Find, read, pair and judge the items of every case; `finish` puts each case into words and numbers."""
    steps = steps_of(setup.path)
    if steps is None:
        return Results.from_results([Result(misses=[f"{setup.path} (malformed path)"], reasoning="the path cannot be read")] * len(batch))
    names = Names(steps)
    expected = [find(record, steps) for record in batch.records.expected]
    actual = [find(record, steps) for record in batch.records.actual]
    results: dict[int, Result] = {}
    for row, (left, right) in enumerate(zip(expected, actual, strict=True)):
        if left is MISSING:
            results[row] = Result(status="skipped", reasoning=f"expected has nothing at {names.whole}")
        elif left is None or right is None or right is MISSING:
            results[row] = _absent(left, right, names.whole, setup, lambda judged: finish(judged, None))
    rows = [row for row in range(len(batch)) if row not in results]
    ours = column([expected[row] for row in rows], setup, actual=False)
    theirs = column([actual[row] for row in rows], setup, actual=True)
    measure = read(ours, theirs)
    for row, judged in zip(rows, judge(ours, theirs, measure, setup, names), strict=True):
        results[row] = finish(judged, measure)
    return Results.from_results([results[row] for row in range(len(batch))])


def _absent(expected: Any, actual: Any, name: str, setup: Setup, finish: Callable[[Judged], Result]) -> Result:
    """The result of a case where a side is null, or actual is missing."""
    wanted = 0 if expected is None else len(items(expected, lambda value: setup.is_one(value, False)).values)
    given = 0 if actual is None or actual is MISSING else len(items(actual, lambda value: setup.is_one(value, True)).values)
    agreed = expected is None and not given and (actual is None or actual is MISSING)
    why = "unexpected value" if expected is None else "null value" if actual is None else "required, missing"
    judged = Judged(
        score=float(agreed),
        hits=[name] if agreed else [],
        misses=[] if agreed else [f"{name} ({why})"],
        passed=0,
        expected=wanted,
        actual=given,
        pairs=[],
        malformed_expected=0,
        expected_rows=range(0),
        actual_rows=range(0),
    )
    return replace(finish(judged), reasoning="no value expected, none given" if agreed else f"{why} at {name}")


def counts(judged: Judged) -> dict[str, float]:
    """Precision, recall and F1 of a case, and what they are made of. Nothing expected and nothing given is all right: 1.0."""
    tp, fp, fn = judged.passed, judged.actual - judged.passed, judged.expected - judged.passed
    nothing = tp + fp + fn == 0
    return {
        "precision": 1.0 if nothing else tp / (tp + fp) if tp else 0.0,
        "recall": 1.0 if nothing else tp / (tp + fn) if tp else 0.0,
        "f1": 1.0 if nothing else 2 * tp / (2 * tp + fp + fn),
        "true_positives": float(tp),
        "false_positives": float(fp),
        "false_negatives": float(fn),
    }


def result(judged: Judged, metrics: Mapping[str, float], reasoning: str, flags: Sequence[str] = ()) -> Result:
    """A judged case as a result.

    Where no expected item at all can be read there is nothing to measure against: a fault of the data, not of the system.
    """
    all_flags = [*flags, *(["malformed_expected"] if judged.malformed_expected else [])]
    details: dict[str, Any] = {"pairs": judged.pairs} | ({"flags": all_flags} if all_flags else {})
    if judged.expected and judged.malformed_expected == judged.expected:
        details["fault"] = "ours"
        return Result(status="error", misses=judged.misses, reasoning="no expected item can be read", details=details)
    score = min(1.0, max(0.0, judged.score))
    return Result(score=score, hits=judged.hits, misses=judged.misses, reasoning=reasoning, metrics=metrics, details=details)
