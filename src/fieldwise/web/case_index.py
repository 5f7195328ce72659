"""Select the cases of a run in memory. Columns of finished runs are read once and cached."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldwise.report.case_view import RankedCase, ScoreSpread
from fieldwise.store.arrow_tables import STATUSES, VERDICTS
from fieldwise.store.comparison_table import OUTCOMES
from fieldwise.store.run import Run
from fieldwise.store.run_index import (
    CaseIds,
    CaseLabels,
    EvaluatorScores,
    MismatchIndex,
    find_cases,
    load_case_ids,
    load_case_labels,
    load_mismatches,
    load_scores,
)

T = TypeVar("T")


class Cache(Generic[T]):
    """An LRU cache of `size` values. Threads that request the same key wait for one computation.

    >>> squares = Cache[int](2)
    >>> squares.get("three", lambda: 3 * 3), squares.get("three", lambda: 0)
    (9, 9)
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._mutex = threading.Lock()
        self._values: OrderedDict[Hashable, T] = OrderedDict()
        self._computing: dict[Hashable, threading.Lock] = {}

    def __contains__(self, key: Hashable) -> bool:
        """True if the value of a key is stored."""
        with self._mutex:
            return key in self._values

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the value of a key. An exception of `compute` is not cached: the next caller tries again."""
        with self._mutex:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
            key_lock = self._computing.setdefault(key, threading.Lock())
        with key_lock:
            with self._mutex:
                if key in self._values:
                    return self._values[key]
            try:
                value = compute()
            finally:
                with self._mutex:
                    self._computing.pop(key, None)
            with self._mutex:
                self._values[key] = value
                while len(self._values) > self._size:
                    self._values.popitem(last=False)
        return value


def cached_page(cache: Cache[T], run: Run, key: tuple[Any, ...], compute: Callable[[], T]) -> T:
    """Return a cached value that was computed from a run; an unfinished run still changes, so it is computed anew.

    The path and the finishing time identify the content of a finished run: its files never change.
    """
    if run.finished is None:
        return compute()
    return cache.get(cache_key(run, key), compute)


def cache_key(run: Run, key: tuple[Any, ...]) -> Hashable:
    """The key under which `cached_page` stores what was computed from a finished run."""
    return (str(run.path), run.finished, *key)


Order = Literal["case", "score", "-score"]
NO_FAILURE = ("match", "both_absent", "ignored")
_ROUNDING = 1e-9
"""Added before a score is cut to tenths: a mean of 0.6999999999999999 counts as 0.7."""
_NO_CODE = -2
"""Matches no row: codes are indices from 0, and -1 stands for null."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseQuery:
    """Conditions on the cases of a run; None does not restrict."""

    evaluator: str
    verdict: str | None = None
    status: str | None = None
    text: str | None = None
    """Part of an id."""
    field: str | None = None
    outcome: str | None = None
    """Outcome of the field, or of any field; `wrong` means every outcome that is no match."""
    cause: str | None = None
    tag: str | None = None
    split: str | None = None
    low: float | None = None
    high: float | None = None
    measured: bool = False
    """Only cases with a measured score."""
    fault: bool = False
    """Only cases where the evaluation itself failed, so that there is no score."""
    order: Order = "case"


class CaseIndex:
    """Columns of recently used runs: scores, ids, mismatches, labels."""

    def __init__(self) -> None:
        self._scores = Cache[EvaluatorScores](8)
        self._ids = Cache[CaseIds](4)
        self._mismatches = Cache[MismatchIndex](4)
        self._labels = Cache[CaseLabels](4)
        self._positions = Cache[NDArray[np.int64]](16)

    def scores(self, run: Run, evaluator: str) -> EvaluatorScores:
        """The scores of an evaluator."""
        return cached_page(self._scores, run, (evaluator,), lambda: load_scores(run, evaluator))

    def ids(self, run: Run) -> CaseIds:
        """The ids of the cases."""
        return cached_page(self._ids, run, (), lambda: load_case_ids(run))

    def mismatches(self, run: Run, evaluator: str) -> MismatchIndex:
        """The comparisons of an evaluator that are no match."""
        return cached_page(self._mismatches, run, (evaluator,), lambda: load_mismatches(run, evaluator))

    def labels(self, run: Run) -> CaseLabels:
        """Tags and splits."""
        return cached_page(self._labels, run, (), lambda: load_case_labels(run))

    def cases_with(self, run: Run, evaluator: str, field: str | None, outcome: str | None) -> NDArray[np.int64]:
        """Positions of the cases where a field was compared, or had an outcome that is no failure."""
        return cached_page(self._positions, run, (evaluator, field, outcome), lambda: find_cases(run, evaluator, field, outcome))

    def score_spread(self, run: Run, evaluator: str) -> ScoreSpread:
        """The histogram of an evaluator's scores."""
        scores = self.scores(run, evaluator)
        measured = scores.score[scores.measured]
        tenth = np.clip((measured * 10 + _ROUNDING).astype(np.int64), 0, 10)
        return ScoreSpread(evaluator=evaluator, lowest=(), bins=tuple(np.bincount(tenth, minlength=11).tolist()), measured=len(measured))


class CaseSelection:
    """Selected cases of a run in order. Ids are looked up only for the page that is shown."""

    def __init__(self, rows: NDArray[Any], scores: EvaluatorScores, index: CaseIndex, run: Run) -> None:
        self._rows = rows
        self._scores = scores
        self._index, self._run = index, run

    def __len__(self) -> int:
        return len(self._rows)

    def page(self, offset: int, limit: int) -> list[RankedCase]:
        """At most `limit` cases from `offset` on."""
        rows = self._rows[offset : offset + limit]
        positions = self._scores.case[rows].tolist()
        ids = self._index.ids(self._run).at(positions) if positions else []
        scores = self._scores.score[rows].tolist()
        return [RankedCase(*ranked) for ranked in zip(positions, ids, scores, strict=True)]

    def neighbours(self, position: int) -> tuple[str | None, str | None]:
        """The ids of the cases before and after the one at this position."""
        row = int(np.searchsorted(self._scores.case, position))
        if row == len(self._scores.case) or self._scores.case[row] != position:
            return None, None
        rank = int(np.flatnonzero(self._rows == row)[0])
        return self._id_at(rank - 1), self._id_at(rank + 1)

    def _id_at(self, rank: int) -> str | None:
        return self.page(rank, 1)[0].id if 0 <= rank < len(self) else None


def select_cases(index: CaseIndex, run: Run, query: CaseQuery) -> CaseSelection:
    """Select and order the cases of a run."""
    scores = index.scores(run, query.evaluator)
    selected = np.ones(len(scores.case), dtype=np.bool_)
    if query.verdict is not None:
        selected &= scores.verdict == _code_of(query.verdict, VERDICTS)
    if query.status is not None:
        selected &= scores.status == _code_of(query.status, STATUSES)
    if query.measured:
        selected &= scores.measured
    if query.fault:
        selected &= ~scores.measured & (scores.status == _code_of("error", STATUSES))
    if query.low is not None:
        selected &= scores.score >= query.low
    if query.high is not None:
        selected &= scores.score <= query.high
    for positions in _matching_positions(index, run, query):
        selected &= _is_member(scores.case, positions)
    if query.order == "case":
        return CaseSelection(np.flatnonzero(selected), scores, index, run)
    rows = scores.ascending if query.order == "score" else scores.descending
    return CaseSelection(rows if selected.all() else rows[selected[rows]], scores, index, run)


def _code_of(name: str, names: Sequence[str]) -> int:
    return names.index(name) if name in names else _NO_CODE


def _is_member(case: NDArray[np.int32], positions: NDArray[Any]) -> NDArray[np.bool_]:
    """For each case, whether it is at one of these positions."""
    present = np.zeros(int(max(case.max(initial=0), positions.max(initial=0))) + 1, dtype=np.bool_)
    present[positions] = True
    return present[case]


def _matching_positions(index: CaseIndex, run: Run, query: CaseQuery) -> list[NDArray[Any]]:
    """For each condition on ids, labels or comparisons, the positions of the cases that meet it."""
    matching: list[NDArray[Any]] = []
    if query.text is not None:
        matching.append(index.ids(run).containing(query.text))
    if query.tag is not None:
        matching.append(index.labels(run).with_tag(query.tag))
    if query.split is not None:
        matching.append(index.labels(run).in_split(query.split))
    field_compared = query.field is not None and query.outcome is None
    if query.cause is None and (query.outcome in NO_FAILURE or field_compared):
        matching.append(index.cases_with(run, query.evaluator, query.field, query.outcome))
    elif query.field is not None or query.outcome is not None or query.cause is not None:
        matching.append(_mismatch_positions(index, run, query))
    return matching


def _mismatch_positions(index: CaseIndex, run: Run, query: CaseQuery) -> NDArray[np.int32]:
    """The positions of the cases with a mismatch of that field, outcome and cause."""
    mismatches = index.mismatches(run, query.evaluator)
    selected = np.ones(len(mismatches.case), dtype=np.bool_)
    if query.outcome == "wrong":
        selected &= ~np.isin(mismatches.outcome, [OUTCOMES.index(name) for name in NO_FAILURE])
    elif query.outcome is not None:
        selected &= mismatches.outcome == _code_of(query.outcome, OUTCOMES)
    if query.field is not None:
        selected &= mismatches.field == _code_of(query.field, mismatches.fields)
    if query.cause is not None:
        selected &= mismatches.cause == _code_of(query.cause, mismatches.causes)
    return mismatches.case[selected]
