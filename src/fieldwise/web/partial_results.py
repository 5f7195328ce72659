"""Summaries of unfinished runs, from the parts that are complete."""

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Final

from fieldwise.engines.run_totals import RunTotals
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.summary import EvaluatorSummary, Metric, Summary
from fieldwise.report.evaluator_tables import BarShare, share_cases_by_status
from fieldwise.store.errors import StoreError
from fieldwise.store.manifest import Part
from fieldwise.store.part_reader import read_parts
from fieldwise.store.resume import drop_overlapping
from fieldwise.store.run import Run

READ_SECONDS: Final = 0.4
"""Maximum time to read parts per update, so that the first view of a large run does not block; later updates read the rest."""
SUMMARY_INTERVAL: Final = 5
"""Minimum time between two summaries, as a multiple of the time that the last one took."""
MAX_RUNS: Final = 4
LOWEST_FIELDS: Final = 4
_READ_ERRORS: Final = (StoreError, OSError, ValueError, LookupError, TypeError)
"""A part was replaced or truncated while it was read, or an evaluator is no longer installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InterimEvaluator:
    """Interim results of one evaluator."""

    name: str
    score: Metric | None
    statuses: tuple[BarShare, ...]
    lowest: tuple[tuple[str, float], ...]
    """The fields with the lowest scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InterimSummary:
    """Summary of the parts of an unfinished run."""

    cases: int
    """Number of cases it covers."""
    rows: tuple[InterimEvaluator, ...]
    complete: bool = False
    """True if it covers every stored case."""


class RunAccumulator:
    """Accumulates the parts of one run as they are written; each part is read once."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._lock = threading.Lock()
        self._reset()

    def _reset(self) -> None:
        evaluators = self._run.manifest.evaluators
        planned = [PlannedEvaluator(type=str(evaluator["type"]), name=str(evaluator["name"]), config=None) for evaluator in evaluators]
        self._totals = RunTotals(planned)
        self._read_parts: set[tuple[int, int, int, str]] = set()
        self._cases = 0
        self._summary: InterimSummary | None = None
        self._next_summary = 0.0

    def update(self) -> InterimSummary | None:
        """Read new parts and return the current summary; None while there is none. After a read error, the last summary."""
        with self._lock:
            try:
                return self._update()
            except _READ_ERRORS:
                return self._summary

    def _update(self) -> InterimSummary | None:
        parts = {_part_key(part): part for part in drop_overlapping(read_parts(self._run.path))}
        if not self._read_parts <= parts.keys():  # the run was resumed and some parts were scored again
            self._reset()
        deadline = time.monotonic() + READ_SECONDS
        for key in [key for key in parts if key not in self._read_parts]:
            self._totals.add_stored_parts(self._run.path, [parts[key]])
            self._read_parts.add(key)
            self._cases += parts[key].cases
            if time.monotonic() > deadline:
                break
        complete = len(self._read_parts) == len(parts)
        if self._summary is None or (self._summary.cases != self._cases and time.monotonic() >= self._next_summary):
            began = time.monotonic()
            self._summary = _make_summary(self._totals.build_summary(), self._cases) if self._cases else None
            self._next_summary = time.monotonic() + SUMMARY_INTERVAL * (time.monotonic() - began)
        if self._summary is None:
            return None
        return replace(self._summary, complete=complete and self._summary.cases == self._cases)


def _part_key(part: Part) -> tuple[int, int, int, str]:
    return part.number, part.first, part.cases, part.content


def _make_summary(summary: Summary, cases: int) -> InterimSummary:
    return InterimSummary(cases=cases, rows=tuple(_make_row(evaluator) for evaluator in summary.evaluators.values()))


def _make_row(evaluator: EvaluatorSummary) -> InterimEvaluator:
    imperfect = [(field.field, field.score.value) for field in evaluator.fields if field.score.value < 1]
    lowest = sorted(imperfect, key=lambda pair: pair[1])[:LOWEST_FIELDS]
    return InterimEvaluator(
        name=evaluator.name,
        score=evaluator.metrics.get("score"),
        statuses=share_cases_by_status(evaluator.counts),
        lowest=tuple(lowest),
    )


class PartialResults:
    """Accumulators of the unfinished runs that were viewed last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._accumulators: OrderedDict[str, RunAccumulator] = OrderedDict()

    def summarize(self, run: Run) -> InterimSummary | None:
        """Summarize the stored parts of an unfinished run."""
        with self._lock:
            accumulator = self._accumulators.pop(run.id, None) or RunAccumulator(run)
            self._accumulators[run.id] = accumulator  # moves it to the end
            while len(self._accumulators) > MAX_RUNS:
                self._accumulators.popitem(last=False)
        return accumulator.update()
