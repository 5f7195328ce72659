"""The summary of a run in progress. Batches are added and states merged in any order; the result is bit-identical."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.statistics import draw_poisson_weights, hash_texts
from fieldwise.model.batch import BatchOutcome, EvaluatorOutcome
from fieldwise.model.case import Cases
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.result import Results, Status
from fieldwise.model.summary import Counts, EvaluatorSummary, Metric, Summary
from fieldwise.registry import EVALUATORS
from fieldwise.specs import USAGE_METRICS, EvaluatorSpec
from fieldwise.summarize.field_totals import BatchFields, FieldTotals, count_batch_fields
from fieldwise.summarize.metrics import (
    CaseDraws,
    GroupSets,
    LowestCases,
    MeasuredRows,
    MetricTotals,
    SliceMembers,
    SliceTotals,
    find_measured_rows,
    find_slice_members,
    pass_rate,
)
from fieldwise.summarize.pool import PoolTotals
from fieldwise.summarize.vacuous import count_unscored, leave_out_vacuous

Summarizer = Callable[[Mapping[str, NDArray[Any]]], Mapping[str, float | Metric]]
_MAX_WORST: Final = 10
_VERDICT_CODES: Final = {"failed": 0, "partial": 1, "passed": 2}


class SummaryState:
    """Totals of all evaluators over the batches so far.

    `add` adds a batch, `merge` the state of other batches of the same run, `finish` builds the summary. Without `intervals`, nothing is
    drawn: the summary has the same values, and its intervals mean nothing.
    """

    __slots__ = ("_evaluators", "_groups", "_intervals", "_seed", "_states", "cases")

    def __init__(self, evaluators: Sequence[PlannedEvaluator], *, seed: int = 0, intervals: bool = True) -> None:
        self.cases = 0
        self._intervals = intervals
        self._seed = seed
        self._groups = GroupSets()
        self._evaluators = tuple(evaluators)
        self._states = {evaluator.name: EvaluatorState() for evaluator in evaluators}

    def add(self, outcome: BatchOutcome) -> None:
        """Add a batch."""
        self.cases += len(outcome.cases)
        if not len(outcome.cases):
            return
        draws = _draw_weights(outcome.cases, self._seed) if self._intervals else _draw_nothing(outcome.cases)
        if draws.groups is not None:
            self._groups.add("cases", draws.groups)
        slices, field_counts = find_slice_members(outcome.cases), _FieldCountCache(outcome.cases.id, outcome.first, draws)
        for evaluated in outcome.evaluated:
            if len(evaluated.rows):
                self._states[evaluated.evaluator.name].add(outcome, evaluated, draws, slices, field_counts)

    def merge(self, other: "SummaryState") -> None:
        """Add the state of other batches of the same run."""
        self.cases += other.cases
        self._groups.merge(other._groups)
        for name, state in other._states.items():
            self._states[name].merge(state)

    def finish(self, summarizers: Mapping[str, Summarizer | None] | None = None) -> Summary:
        """The summary. `summarizers` maps an evaluator type to the function for its pooled columns; default: the registered ones."""
        summaries: dict[str, EvaluatorSummary] = {}
        for evaluator in self._evaluators:
            summarizer = registered_summarizer(evaluator.type) if summarizers is None else summarizers.get(evaluator.type)
            summaries[evaluator.name] = self._states[evaluator.name].finish(evaluator, self.cases, summarizer)
        return Summary(cases=self.cases, evaluators=summaries, groups=self._groups.count("cases"))


def registered_summarizer(evaluator_type: str) -> Summarizer | None:
    """The `summarize` function that an evaluator type was registered with."""
    return EVALUATORS.find(evaluator_type).summarize


def _draw_weights(cases: Cases, seed: int) -> CaseDraws:
    """The bootstrap weights of a batch. They depend on the ids of cases or groups alone, so they are the same however cases are batched."""
    keys = hash_texts(cases.group or cases.id)
    return CaseDraws(weights=draw_poisson_weights(keys, seed), groups=keys if cases.group else None)


def _draw_nothing(cases: Cases) -> CaseDraws:
    """The groups of a batch, and no weights."""
    no_weights = np.zeros((len(cases), 0), dtype=np.uint8)
    return CaseDraws(weights=no_weights, groups=hash_texts(cases.group) if cases.group else None)


class _FieldCountCache:
    """Field counts of one batch, computed once for all evaluators that share comparisons."""

    def __init__(self, ids: Sequence[str], first: int, draws: CaseDraws) -> None:
        self._ids, self._first, self._draws = ids, first, draws
        self._cache: dict[tuple[int, bytes, bytes], BatchFields] = {}

    def count_fields(self, evaluated: EvaluatorOutcome, measured: MeasuredRows) -> BatchFields:
        """The field counts of an evaluator's comparisons."""
        comparisons = evaluated.results.comparisons
        assert comparisons is not None
        # by identity, not by value: evaluators share the object itself, and the batch outcome keeps it alive as long as this cache
        key = (id(comparisons), evaluated.rows.tobytes(), measured.rows.tobytes())
        if key not in self._cache:
            positions = evaluated.rows + self._first
            draws = self._draws.take(evaluated.rows)
            self._cache[key] = count_batch_fields(comparisons, measured, positions, self._ids, self._first, draws)
        return self._cache[key]


class EvaluatorState:
    """Totals of one evaluator over the batches so far."""

    __slots__ = ("_counts", "_fields", "_flags", "_metrics", "_pool", "_slices", "_unscored", "_worst")

    def __init__(self) -> None:
        self._counts = dict.fromkeys((field.name for field in fields(Counts)), 0)
        self._metrics = MetricTotals()
        self._fields = FieldTotals()
        self._slices = SliceTotals()
        self._worst = LowestCases(_MAX_WORST)
        self._flags: dict[str, int] = {}
        self._unscored: dict[str, int] = {}
        self._pool = PoolTotals()

    def add(
        self, outcome: BatchOutcome, evaluated: EvaluatorOutcome, draws: CaseDraws, slices: SliceMembers, field_counts: _FieldCountCache
    ) -> None:
        """Add one batch's results, with the bootstrap weights and slices of its cases."""
        results, ids, first = evaluated.results, outcome.cases.id, outcome.first
        measured = find_measured_rows(results)
        rows = np.flatnonzero(measured.rows)
        verdict = results.verdict[rows] if len(results.verdict) else np.full(len(rows), -1, dtype=np.int8)
        self._count_results(len(results), measured, verdict)
        positions = evaluated.rows + first
        spec = _find_spec(evaluated.evaluator.type)
        columns = _metric_columns(results, rows, spec)
        if spec is not None:
            _add_counts(self._unscored, count_unscored(results.metrics, results.flags, results.status == Status.SCORED, spec))
        measured_draws = draws.take(evaluated.rows[rows])
        passed = {"pass_rate": np.where(verdict >= 0, verdict == _VERDICT_CODES["passed"], np.nan)} if draws.groups is not None else {}
        self._metrics.add(columns | passed, positions[rows], measured_draws.weights, measured_draws.groups)
        self._slices.add(slices, _row_of_case(len(ids), evaluated.rows[rows]), columns, verdict, measured_draws)
        imperfect = columns["score"] < 1.0
        self._worst.add(columns["score"][imperfect], positions[rows][imperfect], ids, first)
        if results.comparisons is not None and len(results.comparisons):
            self._fields.add(field_counts.count_fields(evaluated, measured))
        if results.flags is not None:
            counts = np.bincount(results.flags.codes, minlength=len(results.flags.texts)).tolist()
            _add_counts(self._flags, dict(zip(results.flags.texts, counts, strict=True)))
        self._pool.add(results.pool, measured, positions)

    def _count_results(self, applied: int, measured: MeasuredRows, verdict: NDArray[np.int8]) -> None:
        self._counts["cases"] += applied
        for name in ("scored", "failures", "faults", "skipped", "unavailable"):
            self._counts[name] += getattr(measured, name)
        for name, code in _VERDICT_CODES.items():
            self._counts[name] += int((verdict == code).sum())

    def merge(self, other: "EvaluatorState") -> None:
        """Add the totals of other batches."""
        for name, count in other._counts.items():
            self._counts[name] += count
        self._metrics.merge(other._metrics)
        self._fields.merge(other._fields)
        self._slices.merge(other._slices)
        self._worst.merge(other._worst)
        _add_counts(self._flags, other._flags)
        _add_counts(self._unscored, other._unscored)
        self._pool.merge(other._pool)

    def finish(self, evaluator: PlannedEvaluator, cases: int, summarizer: Summarizer | None) -> EvaluatorSummary:
        """This evaluator's part of the summary of a run with `cases` cases."""
        counts = Counts(**(self._counts | {"cases": cases, "not_applicable": cases - self._counts["cases"]}))
        measured = counts.scored + counts.failures
        spec = _find_spec(evaluator.type)
        metrics = self._metrics.finish() if spec is None else self._metrics.finish(spec.counts, _list_unbounded(spec, evaluator.config))
        grouped_pass_rate = metrics.pop("pass_rate", None)
        head_metrics = {"score": metrics.pop("score")} if "score" in metrics else {}
        judged = counts.passed + counts.partial + counts.failed
        if judged:
            head_metrics["pass_rate"] = grouped_pass_rate or pass_rate(counts.passed, judged)
        dataset_metrics: dict[str, Metric] = {}
        if summarizer is not None and measured and not self._pool.is_empty:
            for name, value in summarizer(self._pool.columns()).items():
                dataset_metrics[name] = value if isinstance(value, Metric) else Metric(value=float(value), n=measured)
        return EvaluatorSummary(
            name=evaluator.name,
            type=evaluator.type,
            counts=counts,
            metrics=head_metrics | metrics | dataset_metrics,
            fields=self._fields.finish(),
            worst=tuple((case_id, value) for value, _, case_id in self._worst.entries),
            flags={flag: self._flags[flag] for flag in sorted(self._flags) if self._flags[flag]},
            unscored={metric: self._unscored[metric] for metric in sorted(self._unscored) if self._unscored[metric]},
            slices=self._slices.finish(),
        )


def _add_counts(totals: dict[str, int], counts: Mapping[str, int]) -> None:
    for name, count in counts.items():
        totals[name] = totals.get(name, 0) + count


def _find_spec(evaluator_type: str) -> EvaluatorSpec | None:
    try:
        return EVALUATORS.find(evaluator_type)
    except KeyError:  # an evaluator that is no longer installed
        return None


def _list_unbounded(spec: EvaluatorSpec, config: object) -> frozenset[str]:
    """The metrics that may be outside [0, 1]: those that the evaluator declares, and what the questions of a judge used."""
    return spec.unbounded_names(config) | frozenset(USAGE_METRICS if spec.is_judge else ())


def _metric_columns(results: Results, rows: NDArray[np.int64], spec: EvaluatorSpec | None) -> dict[str, NDArray[np.float64]]:
    """The score and every metric of these rows, as float columns; NaN where a metric had nothing to measure."""
    columns = {"score": results.score}
    for name, column in results.metrics.items():
        if name not in ("score", "pass_rate"):
            columns[name] = np.asarray(column, dtype=np.float64)
    if spec is not None and (spec.vacuous or spec.unscored):
        columns = leave_out_vacuous(columns, results.flags, results.status == Status.SCORED, spec)
    if len(rows) == len(results):
        return columns
    return {name: column[rows] for name, column in columns.items()}


def _row_of_case(cases: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """By case of the batch, its position in `rows`; -1 if it is not there."""
    row_of = np.full(cases, -1, dtype=np.int64)
    row_of[rows] = np.arange(len(rows))
    return row_of
