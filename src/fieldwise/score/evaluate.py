"""Runs evaluators on batches. The one place that catches what they raise, and the one place that gives verdicts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.ask import Asker
from fieldwise.model.case import Cases
from fieldwise.model.faults import fault
from fieldwise.model.outcome import BatchOutcome, Evaluated
from fieldwise.model.plan import Plan, PlannedEvaluator, When
from fieldwise.model.result import Labels, Result, Results, Status
from fieldwise.model.values import MISSING, Missing
from fieldwise.ports import asking
from fieldwise.registry import EVALUATORS, EvaluatorSpec
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.join import join
from fieldwise.score.judges import judge_cases

_NOTHING = frozenset((type(None), Missing))
PASS, PARTIAL, FAIL, NONE = 2, 1, 0, -1
VERDICTS = {PASS: "pass", PARTIAL: "partial", FAIL: "fail", NONE: None}


def score_batch(plan: Plan, cases: Cases, first: int = 0, asker: Asker | None = None) -> BatchOutcome:
    """What every evaluator of the plan says of a batch of cases; judges ask the asker."""
    batch = ScoringBatch(cases, asker)
    return BatchOutcome(first=first, cases=cases, evaluated=[_evaluated(planned, batch, asker) for planned in plan.evaluators])


def _evaluated(planned: PlannedEvaluator, batch: ScoringBatch, asker: Asker | None) -> Evaluated:
    rows = applicable(planned.when, batch.cases)
    results = evaluate(planned, batch.part(rows.tolist()), asker)
    return Evaluated(evaluator=planned, rows=rows, results=results)


def applicable(when: When | None, cases: Cases) -> NDArray[np.int64]:
    """The positions of the cases that `when` lets in."""
    if when is None:
        return np.arange(len(cases), dtype=np.int64)
    return np.array([row for row in range(len(cases)) if _lets_in(when, cases, row)], dtype=np.int64)


def _lets_in(when: When, cases: Cases, row: int) -> bool:
    return (
        (not when.id or any(fnmatchcase(cases.id[row], pattern) for pattern in when.id))
        and (not when.tag or any(tag in cases.tags[row] for tag in when.tag))
        and (not when.split or cases.split[row] in when.split)
        and (when.contexts is None or bool(cases.contexts[row]) == when.contexts)
    )


def evaluate(planned: PlannedEvaluator, batch: ScoringBatch, asker: Asker | None = None) -> Results:
    """One evaluator's results for a batch, with their verdicts."""
    entry = EVALUATORS.find(planned.type)
    kept, failed, left_out = _sorted_out(entry, planned, batch)
    failed = {row: failed[old] for row, old in enumerate(kept) if old in failed}
    part = batch.part(kept)
    judges = bool(entry.is_judge)
    with asking(asker or batch.asker):  # for matchers that ask a model
        results = judge_cases(entry, planned, part.cases, failed, asker) if judges else _guarded(entry, planned, part)
    results.kinds = _kinds(results, entry)
    _fail(results, failed, entry)
    if left_out:
        results = _with_left_out(results, kept, left_out, len(batch))
    _note_repairs(results, entry, batch)
    results.verdict = verdicts(results, planned.pass_at)
    return results


def evaluate_all(planned: PlannedEvaluator, batch: ScoringBatch) -> Results:
    """An evaluator's results for every case of a batch, for another evaluator: skipped where its `when` leaves a case out."""
    rows: list[int] = applicable(planned.when, batch.cases).tolist()
    results = evaluate(planned, batch.part(rows), batch.asker)
    if len(rows) == len(batch):
        return results
    others = {row: Result(status="skipped", reasoning="`when` leaves this case out") for row in set(range(len(batch))) - set(rows)}
    results = _with_left_out(results, rows, others, len(batch))
    results.verdict = verdicts(results, planned.pass_at)
    return results


def _kinds(results: Results, entry: EvaluatorSpec) -> dict[str, type]:
    """Which metrics are counts and which are yes or no."""
    flags = {name: bool for name, column in results.metrics.items() if column.dtype == np.bool_}
    return {**flags, **results.kinds, **dict.fromkeys(entry.counts, int)}


def _sorted_out(
    entry: EvaluatorSpec, planned: PlannedEvaluator, batch: ScoringBatch
) -> tuple[list[int], dict[int, str], dict[int, Result]]:
    """The rows the evaluator sees; of those, the ones the system failed at, and why; the rest with their results."""
    kept: list[int] = []
    failed: dict[int, str] = {}
    left_out: dict[int, Result] = {}
    needs_expected = bool(entry.needs_expected)
    unreadable = _unreadable(batch, needs_expected) if entry.reads == "records" else {}
    plain = not unreadable and not batch.cases.diagnostics
    if plain and _NOTHING.isdisjoint(map(type, chain(batch.cases.expected, batch.cases.actual))):
        return list(range(len(batch))), failed, left_out
    for row, (expected, actual) in enumerate(zip(batch.cases.expected, batch.cases.actual, strict=True)):
        ours, theirs = (None, None) if plain else _troubles(batch.cases, unreadable, row)
        if ours:
            left_out[row] = fault(ours)
        elif needs_expected and (expected is None or expected is MISSING):
            left_out[row] = Result(status="skipped", reasoning="nothing is expected of this case")
        else:
            kept.append(row)
            if theirs or ((actual is None or actual is MISSING) and not _looks_elsewhere(entry, planned, batch.cases, row)):
                failed[row] = theirs or ("the output is null" if actual is None else "there is no output")
    return kept, failed, left_out


def _unreadable(batch: ScoringBatch, needs_expected: bool) -> Mapping[int, Mapping[str, str]]:
    """What cannot be read as a record, of the sides that the evaluator looks at: a schema for outputs may stand beside answers in prose."""
    found = batch.records.unreadable
    return found if needs_expected else {row: {"actual": sides["actual"]} for row, sides in found.items() if "actual" in sides}


def _looks_elsewhere(entry: EvaluatorSpec, planned: PlannedEvaluator, cases: Cases, row: int) -> bool:
    """Whether the case has what the evaluator looks at, though it has no output."""
    has_output = entry.has_output
    return has_output is not None and has_output(cases.at(row), planned.config)


def _troubles(cases: Cases, unreadable: Mapping[int, Mapping[str, str]], row: int) -> tuple[str | None, str | None]:
    """What is wrong with the expected side (or the whole line), and with the actual side."""
    ours = theirs = None
    for diagnostic in cases.diagnostics.get(row, ()):
        if diagnostic.code in ("unreadable-case", "unreadable-expected"):
            ours = diagnostic.what
        elif diagnostic.code == "unreadable-actual":
            theirs = diagnostic.what
    sides = unreadable.get(row, {})
    if "expected" in sides:
        ours = f"the expected data cannot be read: {sides['expected']}"
    if "actual" in sides:
        theirs = f"the output cannot be read: {sides['actual']}"
    return ours, theirs


def _guarded(entry: EvaluatorSpec, planned: PlannedEvaluator, batch: ScoringBatch) -> Results:
    """The evaluator's results; a crashing batch is halved until the crash is one case, and that case is a fault."""
    if not len(batch):
        return Results.from_results([])
    try:
        return entry.function(batch, planned.config)
    except Exception as error:
        if len(batch) == 1:
            return Results.from_results([fault(f"{planned.name} crashed: {str(error) or type(error).__name__}")])
        half = len(batch) // 2
        rows = list(range(len(batch)))
        return join([_guarded(entry, planned, batch.part(rows[:half])), _guarded(entry, planned, batch.part(rows[half:]))])


def _fail(results: Results, failed: Mapping[int, str], entry: EvaluatorSpec) -> None:
    """Make the rows the system failed at errors: score 0, no hits, and 0 in every mean."""
    if not failed:
        return
    rows = np.array(list(failed), dtype=np.int64)
    results.score, results.status = _put(results.score, rows, 0.0), _put(results.status, rows, Status.ERROR)
    kept = entry.counts
    # a metric that the evaluator has no number for, such as a mean distance without any pair, has none still
    measured = {name: rows[column[rows] == column[rows]] for name, column in results.metrics.items()}
    results.metrics = {name: column if name in kept else _put(column, measured[name], 0) for name, column in results.metrics.items()}
    results.hits = Labels.of([] if row in failed else results.hits.at(row) for row in range(len(results)))
    results.misses = Labels.of(
        (results.misses.at(row) or [f"({failed[row]})"]) if row in failed else results.misses.at(row) for row in range(len(results))
    )
    results.reasoning = [failed.get(row, reason) for row, reason in enumerate(results.reasoning)]
    inner = results.details
    results.details = lambda row: {**inner(row), "fault": "system", "reason": failed[row]} if row in failed else inner(row)


def _put(column: NDArray[Any], rows: NDArray[np.int64], value: float) -> NDArray[Any]:
    """A copy with these rows set: an evaluator may share one array between its metrics, or keep it."""
    column = column.copy()
    column[rows] = value
    return column


def _with_left_out(results: Results, kept: Sequence[int], left_out: Mapping[int, Result], size: int) -> Results:
    """Results for all rows: the evaluator's where it looked, ours where it did not."""
    place = {row: at for at, row in enumerate(kept)}
    at = np.array(kept, dtype=np.int64)
    score, status = np.zeros(size, dtype=np.float64), np.zeros(size, dtype=np.uint8)
    score[at], status[at] = results.score, results.status
    for row, result in left_out.items():
        status[row] = Status[result.status.upper()]
    comparisons, pool = results.comparisons, dict[str, NDArray[Any]](results.pool)
    if comparisons is not None:
        comparisons = replace(comparisons, cases=size, case=at[comparisons.case].astype(np.int32), _order=None)
    if "case" in pool:
        pool["case"] = at[pool["case"]]

    def spread(labels: Labels, others: Mapping[int, Sequence[str]]) -> Labels:
        return Labels.of(labels.at(place[row]) if row in place else others.get(row, ()) for row in range(size))

    def details(row: int) -> Mapping[str, Any]:
        return results.details(place[row]) if row in place else left_out[row].details

    return replace(
        results,
        score=score,
        status=status,
        hits=spread(results.hits, {}),
        misses=spread(results.misses, {row: result.misses for row, result in left_out.items()}),
        flags=None if results.flags is None else spread(results.flags, {}),
        reasoning=[results.reasoning[place[row]] if row in place else left_out[row].reasoning for row in range(size)],
        metrics={name: _spread(column, at, size) for name, column in results.metrics.items()},
        details=details,
        comparisons=comparisons,
        pool=pool,
    )


def _spread(column: NDArray[Any], at: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    """A metric column at its rows, NaN elsewhere."""
    out = np.full(size, np.nan, dtype=np.float64)
    out[at] = column
    return out


def _note_repairs(results: Results, entry: EvaluatorSpec, batch: ScoringBatch) -> None:
    """Say in the details what was needed to read a record."""
    if entry.reads != "records" or not batch.records.repairs:
        return
    repairs, inner = batch.records.repairs, results.details
    results.details = lambda row: {**inner(row), "repairs": repairs[row]} if row in repairs else inner(row)


def verdicts(results: Results, pass_at: float | None) -> NDArray[np.int8]:
    """Pass, partial, fail or none, as SPEC'd: with `pass_at` by the score alone, else by hits, misses and score."""
    if pass_at is None:
        no_hits, no_misses = results.hits.counts() == 0, results.misses.counts() == 0
        found = np.where(no_hits | (results.score <= 0), FAIL, np.where(no_misses, PASS, PARTIAL))
    else:
        slack = 1e-9 * pass_at + 4 * np.spacing(pass_at)  # a score of 0.9 may come out as 0.8999999999999999
        found = np.where(results.score >= pass_at - slack, PASS, FAIL)
        found = np.where(results.status == Status.ERROR, FAIL, found)
    judged = (results.status == Status.SCORED) | (results.status == Status.ERROR)
    return np.where(judged, found, NONE).astype(np.int8)


def result_at(results: Results, row: int) -> Result:
    """One case's result as people read it."""
    numbers: dict[str, float | bool] = {}
    for name, column in results.metrics.items():
        value = column[row].item()
        if value == value:  # NaN: this case has no such number  # noqa: PLR0124
            numbers[name] = results.kinds.get(name, type(value))(value)
    verdict: Any = VERDICTS[int(results.verdict[row])] if len(results.verdict) else None
    return Result(
        score=float(results.score[row]),
        verdict=verdict,
        hits=results.hits.at(row),
        misses=results.misses.at(row),
        reasoning=results.reasoning[row],
        status=Status(int(results.status[row])).label,
        metrics=numbers,
        details=dict(results.details(row)),
        comparisons=list(results.comparisons.of_case(row)) if results.comparisons is not None else [],
    )
