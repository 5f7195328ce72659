"""Outcome counts, scores, causes and worst cases of each field over a run."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.statistics import (
    MIN_UNITS,
    GroupDesign,
    Replicates,
    degrees_of_freedom,
    estimate_interval,
    precision_recall_f1,
    ratio_variance,
    wilson_interval,
)
from fieldwise.kernels.sums import ExactSums
from fieldwise.model.comparison import OUTCOME_LABELS, ComparisonTable, Outcome
from fieldwise.model.rule import FieldRule
from fieldwise.model.summary import FieldSummary, Metric
from fieldwise.model.values import MISSING
from fieldwise.summarize.metrics import CaseDraws, GroupSets, LowestCases, MeasuredRows
from fieldwise.summarize.rule_text import rule_texts

_OUTCOME_COUNT = len(Outcome)
_MAX_WORST = 5
_MAX_CAUSES = 5
_WITH_EXPECTED = [Outcome.MATCH, Outcome.WRONG_VALUE, Outcome.FORMAT_ERROR, Outcome.OMISSION]
_WITH_ACTUAL = [Outcome.MATCH, Outcome.WRONG_VALUE, Outcome.FORMAT_ERROR, Outcome.HALLUCINATION]
_PASSED, _SCORED, _CASES, _FAULTS_WITH_EXPECTED, _FAULTS_WITH_ACTUAL, _GRADED = range(6)
_COUNTER_COUNT = 6
_ROUNDING = 1e-12
"""Means of equal similarities that were added in another order differ by no more."""
_MAX_CELLS = 1 << 22
"""Maximum size of a table of cases and fields."""

FieldKey = tuple[str, int]
"""A field's name, and which of the rules of that name it is."""
RowMask = NDArray[np.bool_] | None
"""Which comparisons belong to measured cases; None for all."""


class FieldTotals:
    """Counters for each field of one evaluator; additions and merges commute."""

    __slots__ = ("_causes", "_counts", "_first_seen", "_groups", "_outcomes", "_ranges", "_replicates", "_slot", "_sums", "_worst")

    def __init__(self) -> None:
        self._slot: dict[FieldKey, int] = {}
        self._outcomes = np.zeros((0, _OUTCOME_COUNT), dtype=np.int64)
        self._counts = np.zeros((0, _COUNTER_COUNT), dtype=np.int64)
        self._sums = ExactSums()
        self._replicates = Replicates()
        """By field the number of scored items, and the sum of what they lack of similarity 1."""
        self._ranges = np.zeros((0, 2))
        """By field the lowest mean similarity of a case, and the highest with the sign changed, so that both are minima."""
        self._groups = GroupSets()
        self._causes: dict[FieldKey, dict[str, int]] = {}
        self._worst: dict[FieldKey, LowestCases] = {}
        self._first_seen: dict[FieldKey, tuple[int, int, str]] = {}
        """By field: position of the first case that has it, its rank among the fields there, the text of its rule."""

    def add(self, batch: "BatchFields") -> None:
        """Add the fields of a batch."""
        slots = np.array(self._slots(batch.keys), dtype=np.int64)
        self._outcomes[slots] += batch.outcomes
        self._counts[slots] += batch.counts
        self._ranges[slots] = np.minimum(self._ranges[slots], batch.ranges)
        self._sums.merge(batch.sums, slots.tolist())
        self._replicates.merge(batch.replicates)
        self._groups.merge(batch.groups)
        self._update_first_seen(batch)
        for field, worst in batch.worst.items():
            self._worst.setdefault(batch.keys[field], LowestCases(_MAX_WORST)).merge(worst)
        for (field, cause), count in batch.causes.items():
            causes = self._causes.setdefault(batch.keys[field], {})
            causes[cause] = causes.get(cause, 0) + count

    def _slots(self, keys: list[FieldKey]) -> list[int]:
        slots = [self._slot.setdefault(key, len(self._slot)) for key in keys]
        new_slots = len(self._slot) - len(self._counts)
        if new_slots:
            padding = ((0, new_slots), (0, 0))
            self._outcomes, self._counts = np.pad(self._outcomes, padding), np.pad(self._counts, padding)
            self._ranges = np.pad(self._ranges, padding, constant_values=np.inf)
            self._sums.grow(len(self._slot))
        return slots

    def _update_first_seen(self, batch: "BatchFields") -> None:
        for rank, (key, first_case, text) in enumerate(zip(batch.keys, batch.first_cases, rule_texts(batch.rules), strict=True)):
            if key not in self._first_seen or (first_case, rank) < self._first_seen[key][:2]:
                self._first_seen[key] = (first_case, rank, text)

    def merge(self, other: "FieldTotals") -> None:
        """Add the totals of other batches."""
        slots = self._slots(list(other._slot))
        self._outcomes[slots] += other._outcomes
        self._counts[slots] += other._counts
        self._ranges[slots] = np.minimum(self._ranges[slots], other._ranges)
        self._sums.merge(other._sums, slots)
        self._replicates.merge(other._replicates)
        self._groups.merge(other._groups)
        for key, other_causes in other._causes.items():
            causes = self._causes.setdefault(key, {})
            for cause, count in other_causes.items():
                causes[cause] = causes.get(cause, 0) + count
        for key, worst in other._worst.items():
            self._worst.setdefault(key, LowestCases(_MAX_WORST)).merge(worst)
        for key, first_seen in other._first_seen.items():
            self._first_seen[key] = min(self._first_seen.get(key, first_seen), first_seen)

    def finish(self) -> tuple[FieldSummary, ...]:
        """The summary of every field, in the order of their first appearance in the run."""
        keys = sorted(self._slot, key=lambda key: (self._first_seen[key][:2], key))
        with_expected = self._outcomes[:, _WITH_EXPECTED].sum(axis=1)
        with_actual = self._outcomes[:, _WITH_ACTUAL].sum(axis=1)
        matched = self._outcomes[:, Outcome.MATCH]
        shares = np.stack(precision_recall_f1(matched, with_actual - matched, with_expected - matched), axis=1)
        with_faults = self._counts[:, [_FAULTS_WITH_EXPECTED, _FAULTS_WITH_ACTUAL]]
        # lists of Python numbers, which are read one by one many times faster than arrays
        columns = (self._counts, self._outcomes, np.stack([with_expected, with_actual], axis=1) + with_faults, shares)
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        return tuple(self._summarize_field(key, *rows[self._slot[key]]) for key in keys)

    def _summarize_field(
        self, key: FieldKey, counts: list[int], outcomes: list[int], sides: list[int], shares: list[float]
    ) -> FieldSummary:
        """The summary of a field; `sides` are the numbers of its expected and of its actual values."""
        causes = self._causes.get(key, {})
        sorted_causes = sorted(causes.items(), key=lambda item: (-item[1], item[0])) if causes else ()
        return FieldSummary(
            field=key[0],
            rule=self._first_seen[key][2],
            n=counts[_SCORED],
            expected=sides[0],
            given=sides[1],
            outcomes={label: count for label, count in zip(OUTCOME_LABELS, outcomes, strict=True) if count},
            matched=counts[_PASSED],
            score=self._mean_similarity(key, counts),
            precision=shares[0],
            recall=shares[1],
            f1=shares[2],
            causes=tuple(sorted_causes[:_MAX_CAUSES]),
            worst=tuple(case_id for _, _, case_id in self._worst[key].entries) if key in self._worst else (),
        )

    def _mean_similarity(self, key: FieldKey, counts: list[int]) -> Metric:
        scored, cases = counts[_SCORED], counts[_CASES]
        if not scored:
            return Metric(value=0.0, n=0)
        mean, groups = self._sums.mean(self._slot[key], scored), self._groups.count(_scored_name(key))
        low, high = self._mean_interval(key, mean, counts, groups) or (None, None)
        return Metric(value=mean, n=cases, low=low, high=high, groups=groups)

    def _mean_interval(self, key: FieldKey, mean: float, counts: list[int], groups: int | None) -> tuple[float, float] | None:
        # items of one list are not independent, so the interval counts cases, not items
        scored, cases = counts[_SCORED], counts[_CASES]
        units = cases if groups is None else groups
        is_share = not counts[_GRADED] and scored == cases
        if is_share and units == cases:
            return wilson_interval(mean * cases, cases) if cases >= MIN_UNITS else None
        lowest, negative_highest = self._ranges[self._slot[key]].tolist()
        if 0 < mean < 1 and -negative_highest - lowest <= _ROUNDING:  # the replicates, which are rounded, would have some variance
            return None
        items, lacking = _scored_name(key), _lacking_name(key)
        variance = ratio_variance(self._replicates.column_sums(lacking), self._replicates.column_sums(items), 1 - mean, scored, units)
        if variance is None:
            return None
        design = None
        if units < cases:
            degrees = degrees_of_freedom(self._replicates.bucket_sums(lacking), self._replicates.bucket_sums(items), 1 - mean)
            design = GroupDesign(cases, degrees)
        return estimate_interval(mean, variance, units, design)


@dataclass(frozen=True, slots=True)
class BatchFields:
    """The counters of one batch's fields, shared by evaluators with the same comparisons."""

    keys: list[FieldKey]
    rules: Sequence[FieldRule]
    first_cases: list[int]
    """Position in the run of the first case with the field."""
    outcomes: NDArray[np.int64]
    counts: NDArray[np.int64]
    sums: ExactSums
    """Sums of similarities, by field."""
    replicates: Replicates
    ranges: NDArray[np.float64]
    """By field the lowest mean similarity of a case, and the highest with the sign changed; infinite without a scored case."""
    groups: GroupSets
    worst: dict[int, LowestCases]
    """By field, the least similar cases that did not pass."""
    causes: Counter[tuple[int, str]]


def count_batch_fields(
    comparisons: ComparisonTable, measured: MeasuredRows, positions: NDArray[np.int64], ids: Sequence[str], first: int, draws: CaseDraws
) -> BatchFields:
    """Count the comparisons of a batch. Most are matches at 1.0 and only counted; the closer steps look at the others.

    `positions` are the positions in the run of the comparisons' cases, and `draws` their weights; the id of a case is
    `ids[position - first]`.
    """
    keys = _field_keys(comparisons.fields)
    mask = None if measured.is_everything else measured.rows[comparisons.case]
    outcomes, counts = _count_outcomes(comparisons, mask, len(keys))
    imperfect = _without_uncompared(comparisons, _masked(np.flatnonzero(comparisons.similarity != 1.0), mask))
    replicates, counts[:, _CASES], ranges = _draw_replicates(comparisons, mask, imperfect, keys, draws)
    _count_faults(counts, comparisons, mask)
    counts[:, _GRADED] = _count_graded(comparisons, imperfect, len(keys))
    first_cases = np.full(len(keys), np.iinfo(np.int64).max, dtype=np.int64)
    np.minimum.at(first_cases, comparisons.field, positions[comparisons.case])
    failed = _without_uncompared(comparisons, _masked(np.flatnonzero(~comparisons.passed), mask))
    return BatchFields(
        keys=keys,
        rules=comparisons.rules,
        first_cases=first_cases.tolist(),
        outcomes=outcomes,
        counts=counts,
        sums=_sum_similarities(comparisons, imperfect, counts[:, _SCORED]),
        replicates=replicates,
        ranges=ranges,
        groups=_find_groups(comparisons, mask, keys, draws),
        worst=_find_worst_cases(comparisons, failed, positions, ids, first),
        causes=_count_causes(comparisons, mask),
    )


def _find_worst_cases(
    comparisons: ComparisonTable, failed: NDArray[np.int64], positions: NDArray[np.int64], ids: Sequence[str], first: int
) -> dict[int, LowestCases]:
    """By field, the cases of the failed rows with the lowest similarity."""
    rows = failed[np.argsort(comparisons.field[failed], kind="stable")]
    similarity, position = np.nan_to_num(comparisons.similarity[rows], nan=0.0), positions[comparisons.case[rows]]
    starts = np.searchsorted(comparisons.field[rows], np.arange(len(comparisons.fields) + 1))
    worst: dict[int, LowestCases] = {}
    for field in np.flatnonzero(np.diff(starts)).tolist():
        field_rows = slice(starts[field], starts[field + 1])
        worst[field] = LowestCases(_MAX_WORST)
        worst[field].add(similarity[field_rows], position[field_rows], ids, first)
    return worst


def _count_outcomes(comparisons: ComparisonTable, mask: RowMask, fields: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Outcomes by field, and the counters with the rows that passed and those that are scored."""
    cell = comparisons.field * (2 * _OUTCOME_COUNT) + comparisons.outcome * np.uint8(2) + comparisons.passed
    cells = cell if mask is None else cell[mask]
    table = np.bincount(cells, minlength=fields * 2 * _OUTCOME_COUNT).reshape(fields, _OUTCOME_COUNT, 2)
    outcomes = table.sum(axis=2)
    counts = np.zeros((fields, _COUNTER_COUNT), dtype=np.int64)
    counts[:, _PASSED] = table[:, :, 1].sum(axis=1) - table[:, Outcome.IGNORED, 1]
    counts[:, _SCORED] = outcomes.sum(axis=1) - outcomes[:, Outcome.IGNORED] - table[:, Outcome.BOTH_ABSENT, 0]
    return outcomes, counts


def _sum_similarities(comparisons: ComparisonTable, imperfect: NDArray[np.int64], scored: NDArray[np.int64]) -> ExactSums:
    """Sums of similarities by field: those that are not 1 one by one, the others by their number."""
    field = comparisons.field[imperfect].astype(np.int64)
    ones = scored - np.bincount(field, minlength=len(scored))
    similarity = np.nan_to_num(comparisons.similarity[imperfect], nan=0.0)
    sums = ExactSums(len(scored))
    sums.add(np.concatenate([ones.astype(np.float64), similarity]), np.concatenate([np.arange(len(scored)), field]))
    return sums


def _scored_name(key: FieldKey) -> str:
    return f"scored {key[1]} {key[0]}"


def _lacking_name(key: FieldKey) -> str:
    return f"lacking {key[1]} {key[0]}"


def _find_scored_rows(comparisons: ComparisonTable, mask: RowMask) -> NDArray[np.bool_]:
    is_scored = (comparisons.outcome != Outcome.IGNORED) & ((comparisons.outcome != Outcome.BOTH_ABSENT) | comparisons.passed)
    return is_scored if mask is None else is_scored & mask


def _count_graded(comparisons: ComparisonTable, imperfect: NDArray[np.int64], fields: int) -> NDArray[np.int64]:
    """The number of similarities by field that are neither 0 nor 1."""
    similarity = comparisons.similarity[imperfect]
    return np.bincount(comparisons.field[imperfect[(similarity > 0) & (similarity < 1)]], minlength=fields)


def _draw_replicates(
    comparisons: ComparisonTable, mask: RowMask, imperfect: NDArray[np.int64], keys: Sequence[FieldKey], draws: CaseDraws
) -> tuple[Replicates, NDArray[np.int64], NDArray[np.float64]]:
    """Replicates of the scored items of each field and of what they lack of similarity 1, the number of cases with scored items, and
    the ranges of their means.
    """
    replicates, case_counts, ranges = Replicates(), np.zeros(len(keys), dtype=np.int64), np.full((len(keys), 2), np.inf)
    is_scored = _find_scored_rows(comparisons, mask)
    scored = slice(None) if is_scored.all() else is_scored
    lacking = 1.0 - np.nan_to_num(comparisons.similarity[imperfect], nan=0.0)
    width = max(1, _MAX_CELLS // max(comparisons.cases, 1))
    for start in range(0, len(keys), width):
        block = range(start, min(start + width, len(keys)))
        items = _add_by_case(comparisons, scored, block)
        case_counts[block] = np.count_nonzero(items, axis=0)
        missing = _add_by_case(comparisons, imperfect, block, lacking)
        incomplete = np.flatnonzero(missing.any(axis=0))
        ranges[block] = np.where(case_counts[block, None] > 0, (1.0, -1.0), np.inf)
        ranges[start + incomplete] = _find_ranges(items[:, incomplete], missing[:, incomplete])
        names = [*(_scored_name(keys[field]) for field in block), *(_lacking_name(keys[start + index]) for index in incomplete.tolist())]
        replicates.add_sums(draws.weights, names, np.hstack([items, missing[:, incomplete]]), draws.groups)
    return replicates, case_counts, ranges


def _find_ranges(items: NDArray[np.float64], missing: NDArray[np.float64]) -> NDArray[np.float64]:
    """By column the lowest mean similarity of a case that has items, and the highest with the sign changed."""
    has_items = items > 0
    means = 1 - missing / np.where(has_items, items, 1.0)
    return np.stack([np.where(has_items, means, np.inf).min(axis=0), np.where(has_items, -means, np.inf).min(axis=0)], axis=1)


def _add_by_case(
    comparisons: ComparisonTable, rows: "NDArray[Any] | slice", fields: range, values: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """A table of cases and these fields: the number of the rows of each, or the sum of their values."""
    cells, field = comparisons.case[rows].astype(np.int64), comparisons.field[rows]
    cells *= len(fields)
    cells += field
    if len(fields) < len(comparisons.fields):
        is_chosen = (field >= fields.start) & (field < fields.stop)
        cells, values = cells[is_chosen] - fields.start, None if values is None else values[is_chosen]
    # bincount adds in order of the rows, so a case has the same sum in every batch
    table = np.bincount(cells, weights=values, minlength=comparisons.cases * len(fields))
    return table.reshape(-1, len(fields)).astype(np.float64, copy=False)


def _find_groups(comparisons: ComparisonTable, mask: RowMask, keys: Sequence[FieldKey], draws: CaseDraws) -> GroupSets:
    """The groups in which each field is scored; none if the cases are independent."""
    groups = GroupSets()
    if draws.groups is None:
        return groups
    rows = np.flatnonzero(_find_scored_rows(comparisons, mask))
    field = comparisons.field[rows]
    for index, key in enumerate(keys):
        groups.add(_scored_name(key), draws.groups[comparisons.case[rows[field == index]]])
    return groups


def _count_causes(comparisons: ComparisonTable, mask: RowMask) -> Counter[tuple[int, str]]:
    rows = np.fromiter(comparisons.cause, dtype=np.int64, count=len(comparisons.cause))
    pairs: Iterable[tuple[int, str]] = zip(comparisons.field[rows].tolist(), comparisons.cause.values(), strict=True)
    return Counter(pairs if mask is None else compress(pairs, mask[rows].tolist()))


def _count_faults(counts: NDArray[np.int64], comparisons: ComparisonTable, mask: RowMask) -> None:
    """Count which sides of faults had a value, which their outcome does not say."""
    for row in _masked(np.flatnonzero(comparisons.outcome == Outcome.FAULT), mask).tolist():
        field = comparisons.field[row]
        counts[field, _FAULTS_WITH_EXPECTED] += _has_value(comparisons.expected[row])
        counts[field, _FAULTS_WITH_ACTUAL] += _has_value(comparisons.actual[row])


def _field_keys(fields: Sequence[str]) -> list[FieldKey]:
    """Fields by name; a second rule for the same path is a field of its own."""
    occurrences: Counter[str] = Counter()
    keys: list[FieldKey] = []
    for name in fields:
        keys.append((name, occurrences[name]))
        occurrences[name] += 1
    return keys


def _masked(rows: NDArray[np.int64], mask: RowMask) -> NDArray[np.int64]:
    return rows if mask is None else rows[mask[rows]]


def _without_uncompared(comparisons: ComparisonTable, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """These rows without ignored fields and fields that both sides lack."""
    outcome = comparisons.outcome[rows]
    return rows[(outcome != Outcome.IGNORED) & (outcome != Outcome.BOTH_ABSENT)]


def _has_value(value: object) -> bool:
    return value is not None and value is not MISSING
