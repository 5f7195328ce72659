"""Which cases of a run are wanted, found in memory: what is needed of a run is read once, and a few runs are remembered."""

from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldwise.report.lowest import Ranked, Spread
from fieldwise.store.comparison_table import OUTCOMES
from fieldwise.store.run import Run
from fieldwise.store.run_index import Ids, Labels, Scores, Wrongs, cases_with, ids_of, labels_of, scores_of, wrongs_of
from fieldwise.store.tables import STATUSES, VERDICTS
from fieldwise.web.cache import Cache

Order = Literal["case", "score", "-score"]
RIGHT = ("match", "both_absent", "ignored")
_ROUNDING = 1e-9
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a reader asked for; None asks for everything."""

    evaluator: str
    verdict: str | None = None
    status: str | None = None
    text: str | None = None
    """Part of an id."""
    field: str | None = None
    outcome: str | None = None
    """Of the field, or of any; `wrong` means every outcome that is no match."""
    cause: str | None = None
    tag: str | None = None
    split: str | None = None
    low: float | None = None
    high: float | None = None
    measured: bool = False
    """Leave out what could not be measured."""
    order: Order = "case"


class Index:
    """What is remembered of runs to find cases in them. One that has not finished is looked at anew each time."""

    def __init__(self) -> None:
        self._scores = Cache[Scores](8)
        self._ids = Cache[Ids](4)
        self._wrongs = Cache[Wrongs](4)
        self._labels = Cache[Labels](4)
        self._with = Cache[NDArray[np.int64]](16)

    def scores(self, run: Run, evaluator: str) -> Scores:
        """The scores of an evaluator."""
        return kept(self._scores, run, (evaluator,), lambda: scores_of(run, evaluator))

    def ids(self, run: Run) -> Ids:
        """The ids of the cases."""
        return kept(self._ids, run, (), lambda: ids_of(run))

    def wrongs(self, run: Run, evaluator: str) -> Wrongs:
        """What does not match."""
        return kept(self._wrongs, run, (evaluator,), lambda: wrongs_of(run, evaluator))

    def labels(self, run: Run) -> Labels:
        """Tags and splits."""
        return kept(self._labels, run, (), lambda: labels_of(run))

    def cases_with(self, run: Run, evaluator: str, field: str | None, outcome: str | None) -> NDArray[np.int64]:
        """The cases where a field was compared, or had an outcome that is no failure."""
        return kept(self._with, run, (evaluator, field, outcome), lambda: cases_with(run, evaluator, field, outcome))

    def spread(self, run: Run, evaluator: str) -> Spread:
        """How the scores of an evaluator are spread."""
        found = self.scores(run, evaluator)
        score = found.score[found.measured]
        tenth = np.clip((score * 10 + _ROUNDING).astype(np.int64), 0, 10)
        return Spread(evaluator=evaluator, lowest=(), bins=tuple(np.bincount(tenth, minlength=11).tolist()), measured=len(score))


def kept(cache: Cache[T], run: Run, about: tuple[Any, ...], make: Any) -> T:
    """What is made of a run: once, if the run has finished, for it will never change; else anew."""
    return make() if run.finished is None else cache.get((str(run.path), run.finished, *about), make)


class Chosen:
    """Cases of a run in order. Their ids are looked up when they are shown: a page shows a few of very many."""

    def __init__(self, rows: NDArray[Any], scores: Scores, index: Index, run: Run) -> None:
        self._rows = rows
        self._scores = scores
        self._index, self._run = index, run

    def __len__(self) -> int:
        return len(self._rows)

    def page(self, offset: int, limit: int) -> list[Ranked]:
        """Some of them."""
        rows = self._rows[offset : offset + limit]
        positions = self._scores.case[rows].tolist()
        ids = self._index.ids(self._run).at(positions) if positions else []
        return [Ranked(*each) for each in zip(positions, ids, self._scores.score[rows].tolist(), strict=True)]

    def near(self, position: int) -> tuple[str | None, str | None]:
        """The ids of the cases before and after the one at this position."""
        row = int(np.searchsorted(self._scores.case, position))
        if row == len(self._scores.case) or self._scores.case[row] != position:
            return None, None
        at = int(np.flatnonzero(self._rows == row)[0])
        before, after = (self.page(one, 1) if 0 <= one < len(self) else [] for one in (at - 1, at + 1))
        return (before[0].id if before else None), (after[0].id if after else None)


def chosen(index: Index, run: Run, wanted: Wanted) -> Chosen:
    """The cases that are wanted, in the order that is wanted."""
    scores = index.scores(run, wanted.evaluator)
    kept = np.ones(len(scores.case), dtype=np.bool_)
    for value, names, codes in ((wanted.verdict, VERDICTS, scores.verdict), (wanted.status, STATUSES, scores.status)):
        if value is not None:
            kept &= codes == (names.index(value) if value in names else -2)
    if wanted.measured:
        kept &= scores.measured
    if wanted.low is not None:
        kept &= scores.score >= wanted.low
    if wanted.high is not None:
        kept &= scores.score <= wanted.high
    for found in _positions(index, run, wanted):
        kept &= _among(scores.case, found)
    order = {"case": None, "score": "rising", "-score": "falling"}[wanted.order]
    if order is None:
        return Chosen(np.flatnonzero(kept), scores, index, run)
    rows: NDArray[np.int32] = getattr(scores, order)
    return Chosen(rows if kept.all() else rows[kept[rows]], scores, index, run)


def _among(case: NDArray[np.int32], positions: NDArray[Any]) -> NDArray[np.bool_]:
    """Which cases are at one of these positions."""
    there = np.zeros(int(max(case.max(initial=0), positions.max(initial=0))) + 1, dtype=np.bool_)
    there[positions] = True
    return there[case]


def _positions(index: Index, run: Run, wanted: Wanted) -> list[NDArray[Any]]:
    """For everything that is asked of the cases themselves, the positions where it holds."""
    found: list[NDArray[Any]] = []
    if wanted.text is not None:
        found.append(index.ids(run).like(wanted.text))
    if wanted.tag is not None:
        found.append(index.labels(run).with_tag(wanted.tag))
    if wanted.split is not None:
        found.append(index.labels(run).in_split(wanted.split))
    any_outcome = wanted.field is not None and wanted.outcome is None
    if wanted.cause is None and (wanted.outcome in RIGHT or any_outcome):
        found.append(index.cases_with(run, wanted.evaluator, wanted.field, wanted.outcome))
    elif wanted.field is not None or wanted.outcome is not None or wanted.cause is not None:
        found.append(_wrong(index, run, wanted))
    return found


def _wrong(index: Index, run: Run, wanted: Wanted) -> NDArray[np.int32]:
    """The positions of cases where that field, outcome or cause was met."""
    wrongs = index.wrongs(run, wanted.evaluator)
    kept = np.ones(len(wrongs.case), dtype=np.bool_)
    if wanted.outcome == "wrong":
        kept &= ~np.isin(wrongs.outcome, [OUTCOMES.index(name) for name in RIGHT])
    elif wanted.outcome is not None:
        kept &= wrongs.outcome == (OUTCOMES.index(wanted.outcome) if wanted.outcome in OUTCOMES else -2)
    for value, names, codes in ((wanted.field, wrongs.fields, wrongs.field), (wanted.cause, wrongs.causes, wrongs.cause)):
        if value is not None:
            kept &= codes == (names.index(value) if value in names else -2)
    return wrongs.case[kept]
