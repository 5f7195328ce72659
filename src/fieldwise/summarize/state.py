"""A run's summary in the making: batches are added in any order, parts are merged, and the outcome is the same to the bit."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.statistics import Weights, hashes, poisson_weights
from fieldwise.model.outcome import BatchOutcome, Evaluated
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.result import Results
from fieldwise.model.summary import Counts, EvaluatorSummary, Metric, Summary
from fieldwise.registry import EVALUATORS
from fieldwise.summarize.fields import BatchFields, FieldsState, batch_fields
from fieldwise.summarize.lowest import Lowest
from fieldwise.summarize.measured import Measured, measured
from fieldwise.summarize.metrics import MetricsState, pass_rate
from fieldwise.summarize.pool import PoolState
from fieldwise.summarize.slices import Members, SlicesState, members

Summarizer = Callable[[Mapping[str, NDArray[Any]]], Mapping[str, float | Metric]]
_WORST = 10
_VERDICTS = {"failed": 0, "partial": 1, "passed": 2}


class SummaryState:
    """What all batches of a run come to so far.

    `add` takes a batch, `merge` the state of other batches of the same run, `finish` gives the summary.
    """

    __slots__ = ("_evaluators", "_seed", "_states", "cases")

    def __init__(self, evaluators: Sequence[PlannedEvaluator], *, seed: int = 0) -> None:
        self.cases = 0
        self._seed = seed
        self._evaluators = tuple(evaluators)
        self._states = {evaluator.name: EvaluatorState() for evaluator in evaluators}

    def add(self, outcome: BatchOutcome) -> None:
        """Add a batch."""
        self.cases += len(outcome.cases)
        if not len(outcome.cases):
            return
        weights = poisson_weights(hashes(outcome.cases.id), self._seed)
        slices, fields = members(outcome.cases), _Fields(outcome.cases.id, outcome.first)
        for evaluated in outcome.evaluated:
            if len(evaluated.rows):
                self._states[evaluated.evaluator.name].add(outcome, evaluated, weights, slices, fields)

    def merge(self, other: "SummaryState") -> None:
        """Take in what another has seen of the same run."""
        self.cases += other.cases
        for name, state in other._states.items():
            self._states[name].merge(state)

    def finish(self, summarizers: Mapping[str, Summarizer | None] | None = None) -> Summary:
        """The summary. `summarizers` gives, by evaluator type, what turns pooled columns into metrics; default: the registered ones."""
        found: dict[str, EvaluatorSummary] = {}
        for evaluator in self._evaluators:
            summarizer = registered_summarizer(evaluator.type) if summarizers is None else summarizers.get(evaluator.type)
            found[evaluator.name] = self._states[evaluator.name].finish(evaluator, self.cases, summarizer)
        return Summary(cases=self.cases, evaluators=found)


def registered_summarizer(kind: str) -> Summarizer | None:
    """The `summarize` that an evaluator type was registered with."""
    return EVALUATORS.find(kind).summarize


class _Fields:
    """What became of the fields of a batch, counted once for evaluators that look at the same comparisons."""

    def __init__(self, ids: Sequence[str], first: int) -> None:
        self._ids, self._first = ids, first
        self._known: dict[tuple[int, bytes, bytes], BatchFields] = {}

    def of(self, evaluated: Evaluated, of: Measured) -> BatchFields:
        """The fields that an evaluator has compared."""
        comparisons = evaluated.results.comparisons
        assert comparisons is not None
        key = (id(comparisons), evaluated.rows.tobytes(), of.rows.tobytes())
        if key not in self._known:
            self._known[key] = batch_fields(comparisons, of, evaluated.rows + self._first, self._ids, self._first)
        return self._known[key]


class EvaluatorState:
    """What one evaluator's results come to so far."""

    __slots__ = ("_counts", "_fields", "_flags", "_metrics", "_pool", "_slices", "_worst")

    def __init__(self) -> None:
        self._counts = dict.fromkeys((field.name for field in fields(Counts)), 0)
        self._metrics = MetricsState()
        self._fields = FieldsState()
        self._slices = SlicesState()
        self._worst = Lowest(_WORST)
        self._flags: dict[str, int] = {}
        self._pool = PoolState()

    def add(self, outcome: BatchOutcome, evaluated: Evaluated, weights: Weights, slices: Members, fields: "_Fields") -> None:
        """Add one batch's results, with the cases' bootstrap weights and slices, and what is known of its fields."""
        results, ids, first = evaluated.results, outcome.cases.id, outcome.first
        of = measured(results)
        keep = np.flatnonzero(of.rows)
        verdict = results.verdict[keep] if len(results.verdict) else np.full(len(keep), -1, dtype=np.int8)
        self._count(len(results), of, verdict)
        positions = evaluated.rows + first
        columns = _columns(results, keep)
        self._metrics.add(columns, positions[keep], _picked(weights, evaluated.rows[keep]))
        self._slices.add(slices, _row_of(len(ids), evaluated.rows[keep]), columns, verdict)
        imperfect = columns["score"] < 1.0
        self._worst.add(columns["score"][imperfect], positions[keep][imperfect], ids, first)
        if results.comparisons is not None and len(results.comparisons):
            self._fields.add(fields.of(evaluated, of))
        if results.flags is not None:
            counts = np.bincount(results.flags.codes, minlength=len(results.flags.texts)).tolist()
            self._add_flags(dict(zip(results.flags.texts, counts, strict=True)))
        self._pool.add(results.pool, of, positions)

    def _count(self, applied: int, of: Measured, verdict: NDArray[np.int8]) -> None:
        self._counts["cases"] += applied
        for name in ("scored", "failures", "faults", "skipped", "unavailable"):
            self._counts[name] += getattr(of, name)
        for name, code in _VERDICTS.items():
            self._counts[name] += int((verdict == code).sum())

    def _add_flags(self, flags: Mapping[str, int]) -> None:
        for flag, count in flags.items():
            self._flags[flag] = self._flags.get(flag, 0) + count

    def merge(self, other: "EvaluatorState") -> None:
        """Take in the batches that another has seen."""
        for name, count in other._counts.items():
            self._counts[name] += count
        self._metrics.merge(other._metrics)
        self._fields.merge(other._fields)
        self._slices.merge(other._slices)
        self._worst.merge(other._worst)
        self._add_flags(other._flags)
        self._pool.merge(other._pool)

    def finish(self, evaluator: PlannedEvaluator, cases: int, summarizer: Summarizer | None) -> EvaluatorSummary:
        """This evaluator's part of the summary of a run of so many cases."""
        counts = Counts(**(self._counts | {"cases": cases, "not_applicable": cases - self._counts["cases"]}))
        measured = counts.scored + counts.failures
        metrics = self._metrics.finish()
        head = {"score": metrics.pop("score")} if "score" in metrics else {}
        judged = counts.passed + counts.partial + counts.failed
        if judged:
            head["pass_rate"] = pass_rate(counts.passed, judged)
        pooled = summarizer(self._pool.columns()) if summarizer is not None and measured and not self._pool.empty else {}
        whole = {name: value if isinstance(value, Metric) else Metric(value=float(value), n=measured) for name, value in pooled.items()}
        return EvaluatorSummary(
            name=evaluator.name,
            type=evaluator.type,
            counts=counts,
            metrics=head | metrics | whole,
            fields=self._fields.finish(),
            worst=tuple((name, value) for value, _, name in self._worst.entries),
            flags={flag: self._flags[flag] for flag in sorted(self._flags) if self._flags[flag]},
            slices=self._slices.finish(),
        )


def _columns(results: Results, keep: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    """The score and every metric of the measured rows, as numbers."""
    named = {name: np.asarray(column, dtype=np.float64) for name, column in results.metrics.items()}
    named = {"score": results.score} | {name: column for name, column in named.items() if name not in ("score", "pass_rate")}
    if len(keep) == len(results):
        return named
    return {name: column[keep] for name, column in named.items()}


def _picked(weights: Weights, rows: NDArray[np.int64]) -> Weights:
    """The weights of these rows, without a copy where they are all of them in order."""
    everything = len(rows) == len(weights) and bool((rows == np.arange(len(weights))).all())
    return weights if everything else weights[rows]


def _row_of(cases: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    out = np.full(cases, -1, dtype=np.int64)
    out[rows] = np.arange(len(rows))
    return out
