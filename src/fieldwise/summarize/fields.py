"""What became of each field over a run."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.statistics import precision_recall_f1, wilson
from fieldwise.kernels.sums import ExactSums
from fieldwise.model.comparison import Comparisons, Outcome
from fieldwise.model.summary import FieldSummary, Metric
from fieldwise.model.values import MISSING
from fieldwise.summarize.lowest import Lowest
from fieldwise.summarize.measured import Measured
from fieldwise.summarize.rule_text import rule_text

_OUTCOMES = len(Outcome)
_WORST = 5
_CAUSES = 5
_EXPECTED = (Outcome.MATCH, Outcome.WRONG_VALUE, Outcome.FORMAT_ERROR, Outcome.OMISSION)
_GIVEN = (Outcome.MATCH, Outcome.WRONG_VALUE, Outcome.FORMAT_ERROR, Outcome.HALLUCINATION)
_PASSED, _SCORED, _CASES, _EXPECTED_FAULTS, _GIVEN_FAULTS = range(5)

Key = tuple[str, int]
"""A field's name, and which of the rules of that name it is."""


class FieldsState:
    """Counters for each field of one evaluator."""

    __slots__ = ("_causes", "_counts", "_outcomes", "_seen", "_slot", "_sums", "_worst")

    def __init__(self) -> None:
        self._slot: dict[Key, int] = {}
        self._outcomes = np.zeros((0, _OUTCOMES), dtype=np.int64)
        self._counts = np.zeros((0, 5), dtype=np.int64)
        self._sums = ExactSums()
        self._causes: dict[Key, dict[str, int]] = {}
        self._worst: dict[Key, Lowest] = {}
        self._seen: dict[Key, tuple[int, int, str]] = {}
        """By field: the first case that has it, its place among the fields there, its rule in words."""

    def add(self, comparisons: Comparisons, of: Measured, positions: NDArray[np.int64], ids: Sequence[str], first: int) -> None:
        """Add the comparisons of a batch. `positions` says where in the run each of its cases is, `ids[position - first]` its id."""
        keys = _keys(comparisons.fields)
        slots = np.array(self._slots(keys), dtype=np.int64)
        rows = slice(None) if of.everything else np.flatnonzero(of.rows[comparisons.case])
        field, case = comparisons.field[rows].astype(np.int64), comparisons.case[rows].astype(np.int64)
        outcome, passed = comparisons.outcome[rows], comparisons.passed[rows]
        size = len(keys)
        table = np.bincount(field * _OUTCOMES + outcome, minlength=size * _OUTCOMES).reshape(size, _OUTCOMES)
        self._outcomes[slots] += table
        self._count(_PASSED, slots, np.bincount(field[passed], minlength=size))
        scored = (outcome != Outcome.IGNORED) & ((outcome != Outcome.BOTH_ABSENT) | passed)
        value = np.nan_to_num(comparisons.similarity[rows], nan=0.0)
        value[outcome == Outcome.BOTH_ABSENT] = 1.0
        self._count(_SCORED, slots, np.bincount(field[scored], minlength=size))
        self._sums.add(value[scored], slots[field[scored]])
        seen = np.zeros((size, comparisons.cases), dtype=np.bool_)
        seen[field[scored], case[scored]] = True
        self._count(_CASES, slots, seen.sum(axis=1))
        self._note_first(keys, comparisons, field, positions[case])
        self._note_worst(keys, field, value, positions[case], scored & ~passed, (ids, first))
        self._note_causes(keys, comparisons, of)
        self._note_faults(slots, comparisons, of)

    def _slots(self, keys: list[Key]) -> list[int]:
        slots = [self._slot.setdefault(key, len(self._slot)) for key in keys]
        more = ((0, len(self._slot) - len(self._counts)), (0, 0))
        if more[0][1]:
            self._outcomes, self._counts = np.pad(self._outcomes, more), np.pad(self._counts, more)
            self._sums.grow(len(self._slot))
        return slots

    def _count(self, what: int, slots: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
        self._counts[slots, what] += counts

    def _note_first(self, keys: list[Key], comparisons: Comparisons, field: NDArray[np.int64], position: NDArray[np.int64]) -> None:
        never = np.iinfo(np.int64).max
        firsts = np.full(len(keys), never, dtype=np.int64)
        np.minimum.at(firsts, field, position)
        for rank, (key, first) in enumerate(zip(keys, firsts.tolist(), strict=True)):
            if key not in self._seen or (first, rank) < self._seen[key][:2]:
                self._seen[key] = (first, rank, rule_text(comparisons.rules[rank]))

    def _note_worst(
        self,
        keys: list[Key],
        field: NDArray[np.int64],
        value: NDArray[np.float64],
        position: NDArray[np.int64],
        wrong: NDArray[np.bool_],
        names: tuple[Sequence[str], int],
    ) -> None:
        bars = [self._worst[key].bar if key in self._worst else (float("inf"), 0) for key in keys]
        limit, place = np.array([bar[0] for bar in bars]), np.array([bar[1] for bar in bars], dtype=np.int64)
        rows = np.flatnonzero(wrong)
        at = field[rows]
        rows = rows[(value[rows] < limit[at]) | ((value[rows] == limit[at]) & (position[rows] < place[at]))]
        rows = rows[np.argsort(field[rows], kind="stable")]
        starts = np.searchsorted(field[rows], np.arange(len(keys) + 1))
        for index in np.flatnonzero(np.diff(starts)).tolist():
            some = rows[starts[index] : starts[index + 1]]
            self._worst.setdefault(keys[index], Lowest(_WORST)).add(value[some], position[some], *names)

    def _note_causes(self, keys: list[Key], comparisons: Comparisons, of: Measured) -> None:
        for row, cause in comparisons.cause.items():
            if of.rows[comparisons.case[row]]:
                causes = self._causes.setdefault(keys[comparisons.field[row]], {})
                causes[cause] = causes.get(cause, 0) + 1

    def _note_faults(self, slots: NDArray[np.int64], comparisons: Comparisons, of: Measured) -> None:
        """A comparison that failed does not say by its outcome which sides had a value."""
        for row in np.flatnonzero(comparisons.outcome == Outcome.FAULT).tolist():
            if of.rows[comparisons.case[row]]:
                slot = slots[comparisons.field[row]]
                self._counts[slot, _EXPECTED_FAULTS] += _has_value(comparisons.expected[row])
                self._counts[slot, _GIVEN_FAULTS] += _has_value(comparisons.actual[row])

    def merge(self, other: "FieldsState") -> None:
        """Take in the batches that another has seen."""
        slots = self._slots(list(other._slot))
        self._outcomes[slots] += other._outcomes
        self._counts[slots] += other._counts
        self._sums.merge(other._sums, slots)
        for key, causes in other._causes.items():
            mine = self._causes.setdefault(key, {})
            for cause, count in causes.items():
                mine[cause] = mine.get(cause, 0) + count
        for key, worst in other._worst.items():
            self._worst.setdefault(key, Lowest(_WORST)).merge(worst)
        for key, seen in other._seen.items():
            self._seen[key] = min(self._seen.get(key, seen), seen)

    def finish(self) -> tuple[FieldSummary, ...]:
        """Every field, in the order in which the run came upon them."""
        return tuple(self._summary(key) for key in sorted(self._slot, key=lambda key: (self._seen[key][:2], key)))

    def _summary(self, key: Key) -> FieldSummary:
        slot = self._slot[key]
        counts, outcomes = self._counts[slot].tolist(), self._outcomes[slot].tolist()
        expected, given = sum(outcomes[o] for o in _EXPECTED), sum(outcomes[o] for o in _GIVEN)
        found = outcomes[Outcome.MATCH]
        precision, recall, f1 = precision_recall_f1(found, given - found, expected - found)
        causes = sorted(self._causes.get(key, {}).items(), key=lambda item: (-item[1], item[0]))
        return FieldSummary(
            field=key[0],
            rule=self._seen[key][2],
            n=sum(outcomes),
            expected=expected + counts[_EXPECTED_FAULTS],
            given=given + counts[_GIVEN_FAULTS],
            outcomes={outcome.label: outcomes[outcome] for outcome in Outcome if outcomes[outcome]},
            matched=counts[_PASSED],
            score=self._score(slot),
            precision=float(precision),
            recall=float(recall),
            f1=float(f1),
            causes=tuple(causes[:_CAUSES]),
            worst=tuple(name for _, _, name in self._worst[key].entries) if key in self._worst else (),
        )

    def _score(self, slot: int) -> Metric:
        scored, cases = int(self._counts[slot, _SCORED]), int(self._counts[slot, _CASES])
        if not scored:
            return Metric(value=0.0, n=0)
        mean = self._sums.mean(slot, scored)
        # Items of one list stand or fall together, so the interval counts cases, not items.
        low, high = wilson(mean * cases, cases)
        return Metric(value=mean, n=cases, low=low, high=high)


def _keys(fields: Sequence[str]) -> list[Key]:
    """Fields by name; the second rule for the same path is a field of its own."""
    if len(set(fields)) == len(fields):
        return [(name, 0) for name in fields]
    times: dict[str, int] = {}
    keys: list[Key] = []
    for name in fields:
        keys.append((name, times.get(name, 0)))
        times[name] = times.get(name, 0) + 1
    return keys


def _has_value(value: object) -> bool:
    return value is not None and value is not MISSING
