"""What became of each field over a run."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.statistics import precision_recall_f1, wilson
from fieldwise.kernels.sums import ExactSums
from fieldwise.model.comparison import Comparisons, Outcome
from fieldwise.model.rule import FieldRule
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
Mask = NDArray[np.bool_] | None
"""Which comparisons belong to measured cases; None for all."""


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

    def add(self, batch: "BatchFields") -> None:
        """Add the fields of a batch."""
        slots = np.array(self._slots(batch.keys), dtype=np.int64)
        self._outcomes[slots] += batch.outcomes
        self._counts[slots] += batch.counts
        self._sums.merge(batch.sums, slots.tolist())
        self._note_first(batch)
        for field, worst in batch.worst.items():
            self._worst.setdefault(batch.keys[field], Lowest(_WORST)).merge(worst)
        for (field, cause), count in batch.causes.items():
            causes = self._causes.setdefault(batch.keys[field], {})
            causes[cause] = causes.get(cause, 0) + count

    def _slots(self, keys: list[Key]) -> list[int]:
        slots = [self._slot.setdefault(key, len(self._slot)) for key in keys]
        more = ((0, len(self._slot) - len(self._counts)), (0, 0))
        if more[0][1]:
            self._outcomes, self._counts = np.pad(self._outcomes, more), np.pad(self._counts, more)
            self._sums.grow(len(self._slot))
        return slots

    def _note_first(self, batch: "BatchFields") -> None:
        for rank, (key, first) in enumerate(zip(batch.keys, batch.firsts, strict=True)):
            if key not in self._seen or (first, rank) < self._seen[key][:2]:
                self._seen[key] = (first, rank, rule_text(batch.rules[rank]))

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
            n=counts[_SCORED],
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


@dataclass(frozen=True, slots=True)
class BatchFields:
    """What became of the fields of one batch, for every evaluator that looks at the same comparisons."""

    keys: list[Key]
    rules: Sequence[FieldRule]
    firsts: list[int]
    """Where in the run the first case with the field is."""
    outcomes: NDArray[np.int64]
    counts: NDArray[np.int64]
    sums: ExactSums
    """Similarities added up, by field."""
    worst: dict[int, Lowest]
    """The cases where a field is least alike, of those where it did not pass."""
    causes: Counter[tuple[int, str]]


def batch_fields(comparisons: Comparisons, of: Measured, positions: NDArray[np.int64], ids: Sequence[str], first: int) -> BatchFields:
    """Count a batch's comparisons. Nearly all are matches at 1.0, and only counted, in one pass; what looks closer looks at the others.

    `positions` says where in the run each case of the comparisons is, and `ids[position - first]` what its id is.
    """
    keys = _keys(comparisons.fields)
    measured = None if of.everything else of.rows[comparisons.case]
    outcomes, counts = _counted(comparisons, measured, len(keys))
    scored = counts[:, _SCORED]
    counts[:, _CASES] = _distinct_cases(comparisons, measured, scored)
    _count_faults(counts, comparisons, measured)
    firsts = np.full(len(keys), np.iinfo(np.int64).max, dtype=np.int64)
    np.minimum.at(firsts, comparisons.field, positions[comparisons.case])
    failed = _compared(comparisons, _among(np.flatnonzero(~comparisons.passed), measured))
    return BatchFields(
        keys=keys,
        rules=comparisons.rules,
        firsts=firsts.tolist(),
        outcomes=outcomes,
        counts=counts,
        sums=_summed(comparisons, measured, scored),
        worst=_worst(comparisons, failed, positions, ids, first),
        causes=_caused(comparisons, measured),
    )


def _worst(
    comparisons: Comparisons, failed: NDArray[np.int64], positions: NDArray[np.int64], ids: Sequence[str], first: int
) -> dict[int, Lowest]:
    """By field, the cases of these rows that are least alike."""
    rows = failed[np.argsort(comparisons.field[failed], kind="stable")]
    value, position = np.nan_to_num(comparisons.similarity[rows], nan=0.0), positions[comparisons.case[rows]]
    starts = np.searchsorted(comparisons.field[rows], np.arange(len(comparisons.fields) + 1))
    found: dict[int, Lowest] = {}
    for field in np.flatnonzero(np.diff(starts)).tolist():
        found[field] = Lowest(_WORST)
        some = slice(starts[field], starts[field + 1])
        found[field].add(value[some], position[some], ids, first)
    return found


def _counted(comparisons: Comparisons, measured: Mask, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Outcomes by field, and how many rows of each passed and how many are scored."""
    cell = comparisons.field * (2 * _OUTCOMES) + comparisons.outcome * np.uint8(2) + comparisons.passed
    table = np.bincount(cell if measured is None else cell[measured], minlength=size * 2 * _OUTCOMES).reshape(size, _OUTCOMES, 2)
    outcomes = table.sum(axis=2)
    counts = np.zeros((size, 5), dtype=np.int64)
    counts[:, _PASSED] = table[:, :, 1].sum(axis=1)
    counts[:, _SCORED] = outcomes.sum(axis=1) - outcomes[:, Outcome.IGNORED] - table[:, Outcome.BOTH_ABSENT, 0]
    return outcomes, counts


def _summed(comparisons: Comparisons, measured: Mask, scored: NDArray[np.int64]) -> ExactSums:
    """Similarities added up: those that are not 1 one by one, the others by their number."""
    rows = _compared(comparisons, _among(np.flatnonzero(comparisons.similarity != 1.0), measured))
    field = comparisons.field[rows].astype(np.int64)
    ones = scored - np.bincount(field, minlength=len(scored))
    value = np.nan_to_num(comparisons.similarity[rows], nan=0.0)
    sums = ExactSums(len(scored))
    sums.add(np.concatenate([ones.astype(np.float64), value]), np.concatenate([np.arange(len(scored)), field]))
    return sums


def _caused(comparisons: Comparisons, measured: Mask) -> Counter[tuple[int, str]]:
    rows = np.fromiter(comparisons.cause, dtype=np.int64, count=len(comparisons.cause))
    pairs: Iterable[tuple[int, str]] = zip(comparisons.field[rows].tolist(), comparisons.cause.values(), strict=True)
    return Counter(pairs if measured is None else compress(pairs, measured[rows].tolist()))


def _count_faults(counts: NDArray[np.int64], comparisons: Comparisons, measured: Mask) -> None:
    """A comparison that failed does not say by its outcome which sides had a value."""
    for row in _among(np.flatnonzero(comparisons.outcome == Outcome.FAULT), measured).tolist():
        field = comparisons.field[row]
        counts[field, _EXPECTED_FAULTS] += _has_value(comparisons.expected[row])
        counts[field, _GIVEN_FAULTS] += _has_value(comparisons.actual[row])


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


def _among(rows: NDArray[np.int64], measured: Mask) -> NDArray[np.int64]:
    return rows if measured is None else rows[measured[rows]]


def _compared(comparisons: Comparisons, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """These rows without those that compare nothing."""
    outcome = comparisons.outcome[rows]
    return rows[(outcome != Outcome.IGNORED) & (outcome != Outcome.BOTH_ABSENT)]


def _distinct_cases(comparisons: Comparisons, measured: Mask, scored: NDArray[np.int64]) -> NDArray[np.int64]:
    """In how many cases each field is scored; not the number of its rows where a field has many items in a case."""
    key = comparisons.field.astype(np.int64) * comparisons.cases + comparisons.case
    if bool((key[1:] > key[:-1]).all()):
        return scored
    seen = np.zeros(len(scored) * comparisons.cases, dtype=np.bool_)
    absent = (comparisons.outcome == Outcome.BOTH_ABSENT) & ~comparisons.passed
    counted = ~absent & (comparisons.outcome != Outcome.IGNORED)
    seen[key[counted if measured is None else counted & measured]] = True
    return seen.reshape(len(scored), comparisons.cases).sum(axis=1)


def _has_value(value: object) -> bool:
    return value is not None and value is not MISSING
