"""What the complete parts of a run that has not finished come to so far."""

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Final

from fieldwise.engines.run_totals import Tally
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.summary import EvaluatorSummary, Metric, Summary
from fieldwise.report.page_parts import Part as Share
from fieldwise.report.page_parts import became_of
from fieldwise.store.errors import StoreError
from fieldwise.store.manifest import Part
from fieldwise.store.reading import parts_on_disk
from fieldwise.store.resume import apart
from fieldwise.store.run import Run

BUDGET: Final = 0.4
"""For so many seconds at a time parts are taken in: a large run that nobody looked at before is caught up with step by step."""
PATIENCE: Final = 5
"""A summary is made anew only after so many times as long as the last one took."""
KEPT: Final = 4
FIELDS: Final = 4
_UNTOLD: Final = (StoreError, OSError, ValueError, LookupError, TypeError)
"""A part that is retired or torn as it is read, an evaluator that is no longer installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InterimRow:
    """One evaluator."""

    name: str
    score: Metric | None
    became: tuple[Share, ...]
    lowest: tuple[tuple[str, float], ...]
    """The fields that score lowest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interim:
    """A run in the making, summed up."""

    cases: int
    """How many cases are in it."""
    rows: tuple[InterimRow, ...]
    complete: bool = False
    """Every case that is stored is in it."""


class SoFar:
    """Takes in the parts of one run as they come. A part is read once."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._lock = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        planned = [PlannedEvaluator(type=str(one["type"]), name=str(one["name"]), config=None) for one in self._run.manifest.evaluators]
        self._tally = Tally(planned)
        self._taken: set[tuple[int, int, int, str]] = set()
        self._cases = 0
        self._told: Interim | None = None
        self._next = 0.0

    def look(self) -> Interim | None:
        """What it comes to by now; None before there is anything to tell."""
        with self._lock:
            try:
                return self._look()
            except _UNTOLD:
                return self._told

    def _look(self) -> Interim | None:
        parts = {_key(part): part for part in apart(parts_on_disk(self._run.path))}
        if not self._taken <= parts.keys():  # somebody went on with it, and scored some cases again
            self._begin()
        end = time.monotonic() + BUDGET
        for key in [key for key in parts if key not in self._taken]:
            self._tally.add(self._run.path, [parts[key]])
            self._taken.add(key)
            self._cases += parts[key].cases
            if time.monotonic() > end:
                break
        complete = len(self._taken) == len(parts)
        if self._told is None or (self._told.cases != self._cases and time.monotonic() >= self._next):
            began = time.monotonic()
            self._told = _interim(self._tally.summary(), self._cases) if self._cases else None
            self._next = time.monotonic() + PATIENCE * (time.monotonic() - began)
        return self._told and replace(self._told, complete=complete and self._told.cases == self._cases)


def _key(part: Part) -> tuple[int, int, int, str]:
    return part.number, part.first, part.cases, part.content


def _interim(summary: Summary, cases: int) -> Interim:
    return Interim(cases=cases, rows=tuple(_row(one) for one in summary.evaluators.values()))


def _row(one: EvaluatorSummary) -> InterimRow:
    fields = sorted(((field.field, field.score.value) for field in one.fields if field.score.value < 1), key=lambda pair: pair[1])
    return InterimRow(name=one.name, score=one.metrics.get("score"), became=became_of(one.counts), lowest=tuple(fields[:FIELDS]))


class Sums:
    """The last few unfinished runs that somebody looked at."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[str, SoFar] = OrderedDict()

    def of(self, run: Run) -> Interim | None:
        """What an unfinished run comes to so far."""
        with self._lock:
            known = self._known.pop(run.id, None) or SoFar(run)
            self._known[run.id] = known
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return known.look()
