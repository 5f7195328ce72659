"""The same numbers for part of the cases: by tag and by split."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.statistics import precision_recall_f1
from fieldwise.kernels.sums import ExactSums
from fieldwise.model.case import Cases
from fieldwise.model.summary import Metric
from fieldwise.summarize.metrics import COUNTS, RATES, Columns, pass_rate

_COLUMNS = ("score", *RATES, *COUNTS)
_WIDTH = len(_COLUMNS)
_VERDICTS = 3


@dataclass(frozen=True, slots=True)
class Members:
    """Which cases of a batch belong to which slices; a case may belong to several."""

    case: NDArray[np.int64]
    slice: NDArray[np.int64]
    """Index into `names`."""
    names: list[str]


def members(cases: Cases) -> Members:
    """The slices of a batch: `tag:…` and `split:…`."""
    if not any(cases.tags) and cases.split.count(None) == len(cases):
        return Members(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), [])
    kinds: dict[tuple[tuple[str, ...], str | None], int] = {}
    kind = np.array([kinds.setdefault(pair, len(kinds)) for pair in zip(cases.tags, cases.split, strict=True)], dtype=np.int64)
    order = np.argsort(kind, kind="stable")
    ends = np.searchsorted(kind[order], np.arange(len(kinds) + 1))
    known: dict[str, int] = {}
    case, number = [order[:0]], [order[:0]]
    for index, (tags, split) in enumerate(kinds):
        names = [f"tag:{tag}" for tag in dict.fromkeys(tags)] + ([] if split is None else [f"split:{split}"])
        rows = order[ends[index] : ends[index + 1]]
        for name in names:
            case.append(rows)
            number.append(np.full(len(rows), known.setdefault(name, len(known))))
    return Members(np.concatenate(case), np.concatenate(number), list(known))


class SlicesState:
    """Sums by slice, for one evaluator."""

    __slots__ = ("_n", "_slot", "_sums", "_verdicts")

    def __init__(self) -> None:
        self._slot: dict[str, int] = {}
        self._sums = ExactSums()
        self._n = np.zeros((0, _WIDTH), dtype=np.int64)
        self._verdicts = np.zeros((0, _VERDICTS), dtype=np.int64)

    def add(self, of: Members, row_of: NDArray[np.int64], columns: Columns, verdict: NDArray[np.int8]) -> None:
        """Add a batch; `row_of[case]` is the case's row in the columns and verdicts, -1 where it was not measured."""
        if not len(of.case):
            return
        here = row_of[of.case] >= 0
        rows = row_of[of.case[here]]
        slots = np.array(self._slots(of.names), dtype=np.int64)[of.slice[here]]
        judged = verdict[rows] >= 0
        cells = slots[judged] * _VERDICTS + verdict[rows[judged]]
        self._verdicts += np.bincount(cells, minlength=self._verdicts.size).reshape(-1, _VERDICTS)
        present = [(column, columns[name][rows]) for column, name in enumerate(_COLUMNS) if name in columns]
        values = np.concatenate([numbers for _, numbers in present])
        places = np.concatenate([slots * _WIDTH + column for column, _ in present])
        known = ~np.isnan(values)
        self._n += np.bincount(places[known], minlength=self._n.size).reshape(-1, _WIDTH)
        self._sums.add(values[known], places[known])

    def _slots(self, names: list[str]) -> list[int]:
        slots = [self._slot.setdefault(name, len(self._slot)) for name in names]
        more = ((0, len(self._slot) - len(self._n)), (0, 0))
        self._n, self._verdicts = np.pad(self._n, more), np.pad(self._verdicts, more)
        return slots

    def merge(self, other: "SlicesState") -> None:
        """Take in the batches that another has seen."""
        slots = self._slots(list(other._slot))
        self._n[slots] += other._n
        self._verdicts[slots] += other._verdicts
        onto = [slot * _WIDTH + column for slot in slots for column in range(_WIDTH)]
        self._sums.merge(other._sums, onto[: len(other._sums)])

    def finish(self) -> dict[str, Mapping[str, Metric]]:
        """The metrics of every slice in which something was measured, by the slice's name."""
        found = {name: self._metrics(self._slot[name]) for name in sorted(self._slot)}
        return {name: metrics for name, metrics in found.items() if metrics}

    def _metrics(self, slot: int) -> dict[str, Metric]:
        n = dict(zip(_COLUMNS, self._n[slot].tolist(), strict=True))
        place = {name: slot * _WIDTH + column for column, name in enumerate(_COLUMNS)}
        out: dict[str, Metric] = {}
        if n["score"]:
            out["score"] = Metric(value=self._sums.mean(place["score"], n["score"]), n=n["score"])
        judged = int(self._verdicts[slot].sum())
        if judged:
            out["pass_rate"] = pass_rate(int(self._verdicts[slot, 2]), judged)
        for rate in RATES:
            if n[rate]:
                out[f"macro_{rate}"] = Metric(value=self._sums.mean(place[rate], n[rate]), n=n[rate])
        if all(n[name] for name in COUNTS):
            pooled = precision_recall_f1(*(self._sums.value(place[name]) for name in COUNTS))
            out |= {f"micro_{rate}": Metric(value=float(value), n=n[COUNTS[0]]) for rate, value in zip(RATES, pooled, strict=True)}
        return out
