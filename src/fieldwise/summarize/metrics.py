"""Means of an evaluator's metrics over a run and over its slices, with intervals.

All totals can be added and merged in any order: sums are exact (`ExactSums`), so the result is bit-identical however cases are batched.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import merge
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.statistics import (
    BUCKETS,
    MIN_UNITS,
    REPLICATES,
    GroupDesign,
    Replicates,
    Weights,
    degrees_of_freedom,
    estimate_interval,
    find_buckets,
    precision_recall_f1,
    ratio_variance,
    wilson_interval,
)
from fieldwise.kernels.sums import ExactSums
from fieldwise.model.case import Cases
from fieldwise.model.result import Results, Status
from fieldwise.model.summary import Metric

COUNTS: Final = ("true_positives", "false_positives", "false_negatives")
RATES: Final = ("precision", "recall", "f1")
MetricColumns = Mapping[str, NDArray[np.float64]]
_OTHER_COUNTING: Final = {"_fp": ("omission",), "_fp_fn": ("omission", "format_error", "wrong_value")}
"""Outcomes that count as false negatives, by the suffix of the way of counting."""


@dataclass(frozen=True, slots=True)
class MeasuredRows:
    """Which results of one evaluator for one batch are measurements, and the counts of all of them by status."""

    rows: NDArray[np.bool_]
    """True for scored results and for failures of the system under test: these count in every mean."""
    scored: int
    failures: int
    faults: int
    skipped: int
    unavailable: int

    @property
    def is_everything(self) -> bool:
        """True if all results are measurements."""
        return self.scored + self.failures == len(self.rows)


def find_measured_rows(results: Results) -> MeasuredRows:
    """Find the results that are measurements; the details of an error say whether the system failed."""
    rows = results.status == Status.SCORED
    by_status = np.bincount(results.status, minlength=len(Status)).tolist()
    failures = 0
    for row in np.flatnonzero(results.status == Status.ERROR).tolist():
        if results.details(row).get("fault") == "system":
            rows[row] = True
            failures += 1
    return MeasuredRows(
        rows=rows,
        scored=by_status[Status.SCORED],
        failures=failures,
        faults=by_status[Status.ERROR] - failures,
        skipped=by_status[Status.SKIPPED],
        unavailable=by_status[Status.UNAVAILABLE],
    )


class LowestCases:
    """The `size` cases with the lowest values, each once; among equal values, the first in the run."""

    __slots__ = ("entries", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.entries: list[tuple[float, int, str]] = []
        """Value, position in the run and id, sorted."""

    @property
    def threshold(self) -> tuple[float, int]:
        """Value and position below which a case is added."""
        return self.entries[-1][:2] if len(self.entries) == self.size else (float("inf"), 0)

    def add(self, values: NDArray[np.float64], positions: NDArray[np.int64], ids: Sequence[str], first: int) -> None:
        """Add values with their positions in the run; the id of a case is `ids[position - first]`."""
        value, position = self.threshold
        rows = np.flatnonzero((values < value) | ((values == value) & (positions < position)))
        if len(rows):
            rows = rows[np.lexsort((positions[rows], values[rows]))]
            self._add_sorted((float(values[row]), int(positions[row]), ids[int(positions[row]) - first]) for row in rows)

    def merge(self, other: "LowestCases") -> None:
        """Add the entries of another one."""
        self._add_sorted(other.entries)

    def _add_sorted(self, entries: Iterable[tuple[float, int, str]]) -> None:
        """Add sorted entries; read no more of them than fit."""
        by_position: dict[int, tuple[float, int, str]] = {}
        for entry in merge(self.entries, entries):
            by_position.setdefault(entry[1], entry)
            if len(by_position) == self.size:
                break
        self.entries = list(by_position.values())


GroupKeys = NDArray[np.uint64] | None
"""A hash of the group of each case; None if every case is a group of its own."""


@dataclass(frozen=True, slots=True)
class CaseDraws:
    """Bootstrap weights of cases; equal for the cases of one group."""

    weights: Weights
    groups: GroupKeys

    def take(self, rows: NDArray[np.int64]) -> "CaseDraws":
        """The draws of these cases, without a copy if they are all cases in order."""
        if len(rows) == len(self.weights) and bool((rows == np.arange(len(rows))).all()):
            return self
        return CaseDraws(self.weights[rows], None if self.groups is None else self.groups[rows])


class GroupSets:
    """The distinct groups in which each of several names was measured."""

    __slots__ = ("_keys",)

    def __init__(self) -> None:
        self._keys: dict[str, NDArray[np.uint64]] = {}

    def add(self, name: str, keys: NDArray[np.uint64]) -> None:
        """Add the groups of the cases in which a name was measured."""
        key = self._keys.get(name)
        self._keys[name] = np.unique(keys) if key is None else np.union1d(key, keys)

    def merge(self, other: "GroupSets") -> None:
        """Add the groups of other batches."""
        for name, keys in other._keys.items():
            self.add(name, keys)

    def count(self, name: str) -> int | None:
        """Number of groups; None if the cases have none."""
        return len(self._keys[name]) if name in self._keys else None


@dataclass(frozen=True, slots=True)
class ValueRange:
    """The range of the values of a mean."""

    lowest: float
    highest: float
    is_binary: bool
    """True if all are 0 or 1."""
    is_unbounded: bool = False
    """True if values outside [0, 1] are possible, as for costs, even if all of these are inside."""


def find_mean_interval(
    value: float,
    n: int,
    groups: int | None,
    values: ValueRange,
    find_variance: Callable[[int], float | None],
    find_degrees: Callable[[], float],
) -> tuple[float, float] | None:
    """The interval of a mean; None if there is none.

    `find_variance` returns its variance for a number of cases or groups, `find_degrees` the degrees of freedom where groups have several
    cases.
    """
    units = n if groups is None else groups
    is_grouped = units < n
    is_yes_or_no = values.is_binary and not values.is_unbounded
    if is_yes_or_no and not is_grouped:
        return wilson_interval(round(value * n), n) if units >= MIN_UNITS else None
    if values.lowest == values.highest and not is_yes_or_no:
        return None
    variance = find_variance(units)
    if variance is None:
        return None
    design = GroupDesign(n, find_degrees()) if is_grouped else None
    is_share = not values.is_unbounded and values.lowest >= 0 and values.highest <= 1
    return estimate_interval(value, variance, units, design, is_share=is_share)


class MetricTotals:
    """Sums and bootstrap replicates of one evaluator's metrics."""

    __slots__ = ("_first_seen", "_groups", "_is_binary", "_n", "_range", "_replicates", "_slot", "_sums")

    def __init__(self) -> None:
        self._slot: dict[str, int] = {}
        self._sums = ExactSums()
        self._n: dict[str, int] = {}
        self._groups = GroupSets()
        self._is_binary: dict[str, bool] = {}
        """False if a metric has values other than 0 and 1."""
        self._range: dict[str, tuple[float, float]] = {}
        """The lowest and the highest value of a metric."""
        self._first_seen: dict[str, tuple[int, int]] = {}
        """Position of the first case with the metric, and its rank among the metrics there: the order of the summary."""
        self._replicates = Replicates()

    def add(self, columns: MetricColumns, positions: NDArray[np.int64], weights: Weights, groups: GroupKeys = None) -> None:
        """Add the measured cases of a batch: one row each in every column, NaN where a case has no such number."""
        present = {name: column for name, column in columns.items() if not np.isnan(column).all()}
        if not present:
            return
        values, slots = list[NDArray[np.float64]](), list[NDArray[np.int64]]()
        for rank, (name, column) in enumerate(present.items()):
            has_value = ~np.isnan(column)
            numbers = column[has_value]
            slot = self._slot.setdefault(name, len(self._slot))
            self._n[name] = self._n.get(name, 0) + len(numbers)
            self._is_binary[name] = self._is_binary.get(name, True) and bool(((numbers == 0) | (numbers == 1)).all())
            self._widen_range(name, float(numbers.min()), float(numbers.max()))
            if groups is not None:
                self._groups.add(name, groups[has_value])
            first_seen = (int(positions[has_value].min()), rank)
            self._first_seen[name] = min(self._first_seen.get(name, first_seen), first_seen)
            values.append(numbers)
            slots.append(np.full(len(numbers), slot, dtype=np.int64))
        self._sums.add(np.concatenate(values), np.concatenate(slots))
        self._replicates.add(weights, present, groups)

    def _widen_range(self, name: str, low: float, high: float) -> None:
        known_low, known_high = self._range.get(name, (low, high))
        self._range[name] = (min(low, known_low), max(high, known_high))

    def merge(self, other: "MetricTotals") -> None:
        """Add the totals of other batches."""
        target_slots = [self._slot.setdefault(name, len(self._slot)) for name in other._slot]
        self._sums.merge(other._sums, target_slots[: len(other._sums)])
        for name, n in other._n.items():
            self._n[name] = self._n.get(name, 0) + n
            self._is_binary[name] = self._is_binary.get(name, True) and other._is_binary[name]
            self._widen_range(name, *other._range[name])
            self._first_seen[name] = min(self._first_seen.get(name, other._first_seen[name]), other._first_seen[name])
        self._replicates.merge(other._replicates)
        self._groups.merge(other._groups)

    def finish(self, counts: Collection[str] = (), unbounded: Collection[str] = ()) -> dict[str, Metric]:
        """The mean of every metric by its name, then macro and micro rates where there are any.

        `counts` have no interval; `unbounded` metrics have that of values which may be outside [0, 1].
        """
        names = sorted(self._first_seen, key=self._first_seen.__getitem__)
        means = {name: self._mean(name, has_interval=name not in counts, is_unbounded=name in unbounded) for name in names}
        macro = {f"macro_{name}": metric for name, metric in means.items() if name.split("_fp")[0] in RATES}
        return means | macro | self._micro_rates()

    def _mean(self, name: str, *, has_interval: bool, is_unbounded: bool) -> Metric:
        n, groups = self._n[name], self._groups.count(name)
        value = self._sums.mean(self._slot[name], n)
        values = ValueRange(self._range[name][0], self._range[name][1], self._is_binary[name], is_unbounded)
        interval = self._mean_interval(name, value, n, groups, values) if has_interval else None
        low, high = interval or (None, None)
        return Metric(value=value, n=n, low=low, high=high, groups=groups)

    def _mean_interval(self, name: str, value: float, n: int, groups: int | None, values: ValueRange) -> tuple[float, float] | None:
        def find_variance(units: int) -> float | None:
            return self._replicates.mean_variance(name, value, n, units)

        def find_degrees() -> float:
            return degrees_of_freedom(self._replicates.bucket_sums(name), self._replicates.bucket_counts(name), value)

        return find_mean_interval(value, n, groups, values, find_variance, find_degrees)

    def _micro_rates(self) -> dict[str, Metric]:
        """Rates of the pooled counts, in the evaluator's way of counting and in the others that it reports."""
        if not all(name in self._n for name in COUNTS):
            return {}
        rates = self._pooled_rates(COUNTS, "")
        for suffix, outcomes in _OTHER_COUNTING.items():
            own_count = f"false_negatives{suffix}"
            false_negatives = (own_count,) if own_count in self._n else outcomes
            if f"recall{suffix}" in self._n and all(name in self._n for name in false_negatives):
                other_rates = self._pooled_rates((*COUNTS[:2], *false_negatives), suffix)
                del other_rates[f"micro_precision{suffix}"]  # equal in both ways of counting
                rates |= other_rates
        n = self._n[COUNTS[0]]
        return rates | {f"total_{name}": Metric(value=self._sums.value(self._slot[name]), n=n) for name in COUNTS}

    def _pooled_rates(self, names: tuple[str, ...], suffix: str) -> dict[str, Metric]:
        """Micro rates from counts: true positives, false positives, then one or more counts of false negatives."""
        totals = [self._sums.value(self._slot[name]) for name in names]
        draws = [self._replicates.column_sums(name) for name in names]
        buckets = [self._replicates.bucket_sums(name) for name in names]
        rates = precision_recall_f1(totals[0], totals[1], sum(totals[2:]))
        n, groups = self._n[names[0]], self._groups.count(names[0])
        units = n if groups is None else groups
        # every rate is a ratio of two sums of counts
        ratios = zip(*(_ratio_parts(counts[0], counts[1], sum(counts[2:])) for counts in (totals, draws, buckets)), strict=True)
        metrics: dict[str, Metric] = {}
        for rate, value, ((_, whole), (parts, wholes), (group_parts, group_wholes)) in zip(RATES, map(float, rates), ratios, strict=True):
            variance = ratio_variance(parts, wholes, value, whole, units)
            design = GroupDesign(n, degrees_of_freedom(group_parts, group_wholes, value)) if units < n else None
            if units == n and self._is_share_of_cases(f"{rate}{suffix}", names, whole):
                interval = wilson_interval(round(value * n), n) if n >= MIN_UNITS else None
            else:
                interval = None if variance is None else estimate_interval(value, variance, units, design)
            low, high = interval or (None, None)
            metrics[f"micro_{rate}{suffix}"] = Metric(value=value, n=n, low=low, high=high, groups=groups)
        return metrics

    def _is_share_of_cases(self, rate: str, counts: tuple[str, ...], whole: float) -> bool:
        """True if a pooled rate, whose denominator is `whole`, is the share of right cases: each has one value, which is right or wrong.

        The macro rate then is the same number, so that both must have the same interval.
        """
        n = self._n[counts[0]]
        has_one_value = all(self._range[count][1] <= 1 for count in counts) and whole in (n, 2 * n)  # F1 counts a right value twice
        return has_one_value and self._n.get(rate) == n and self._is_binary[rate]


def _ratio_parts(true_positives: Any, false_positives: Any, false_negatives: Any) -> tuple[tuple[Any, Any], ...]:
    """Numerator and denominator of precision, recall and F1."""
    return (
        (true_positives, true_positives + false_positives),
        (true_positives, true_positives + false_negatives),
        (2 * true_positives, 2 * true_positives + false_positives + false_negatives),
    )


def pass_rate(passed: int, judged: int) -> Metric:
    """The share of independent cases that passed, with Wilson's interval unless the cases are few."""
    low, high = wilson_interval(passed, judged) if judged >= MIN_UNITS else (None, None)
    return Metric(value=passed / judged, n=judged, low=low, high=high)


_SLICE_COLUMNS = ("score", *RATES, *COUNTS)
_SLICE_WIDTH = len(_SLICE_COLUMNS)
_VERDICT_COUNT = 3
_PASSED = 2


@dataclass(frozen=True, slots=True)
class SliceMembers:
    """Which cases of a batch belong to which slices; a case may belong to several."""

    case: NDArray[np.int64]
    slice: NDArray[np.int64]
    """Index into `names`."""
    names: list[str]


def find_slice_members(cases: Cases) -> SliceMembers:
    """The slices of a batch: `tag:…` and `split:…`."""
    if not any(cases.tags) and cases.split.count(None) == len(cases):
        return SliceMembers(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), [])
    # cases with the same tags and split are handled together: there are few such combinations
    code_of: dict[tuple[tuple[str, ...], str | None], int] = {}
    codes = np.array([code_of.setdefault(pair, len(code_of)) for pair in zip(cases.tags, cases.split, strict=True)], dtype=np.int64)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(len(code_of) + 1))
    slice_of_name: dict[str, int] = {}
    case, slice_number = [order[:0]], [order[:0]]
    for code, (tags, split) in enumerate(code_of):
        rows = order[starts[code] : starts[code + 1]]
        names = [f"tag:{tag}" for tag in dict.fromkeys(tags)]
        if split is not None:
            names.append(f"split:{split}")
        for name in names:
            case.append(rows)
            slice_number.append(np.full(len(rows), slice_of_name.setdefault(name, len(slice_of_name))))
    return SliceMembers(np.concatenate(case), np.concatenate(slice_number), list(slice_of_name))


_SliceReplicates = NDArray[np.int64]
"""By slice, a whole number for each replicate."""
_SLICE_UNITS: Final = 2.0**24
_MAX_SLICE_VALUE: Final = 2.0**16
"""Scores beyond this have no interval in slices: the sums of 64-bit whole numbers hold four million cases of such a score."""


class SliceDraws:
    """Bootstrap replicates and value ranges of one number in every slice: the score, or whether a case passed."""

    __slots__ = ("_binary", "_bucket_counts", "_bucket_sums", "_counts", "_highest", "_lowest", "_sums")

    def __init__(self) -> None:
        self._sums: _SliceReplicates = np.zeros((0, REPLICATES), dtype=np.int64)
        self._counts: _SliceReplicates = np.zeros((0, REPLICATES), dtype=np.int64)
        # by slice the totals of each bucket of groups; none where cases are independent
        self._bucket_sums: dict[int, NDArray[np.int64]] = {}
        self._bucket_counts: dict[int, NDArray[np.int64]] = {}
        self._lowest, self._highest = np.zeros(0), np.zeros(0)
        self._binary = np.zeros(0, dtype=np.bool_)

    def resize(self, slices: int) -> None:
        """Make room for this many slices."""
        missing = slices - len(self._sums)
        if missing > 0:
            self._sums, self._counts = (np.pad(table, ((0, missing), (0, 0))) for table in (self._sums, self._counts))
            self._lowest = np.pad(self._lowest, (0, missing), constant_values=np.inf)
            self._highest = np.pad(self._highest, (0, missing), constant_values=-np.inf)
            self._binary = np.pad(self._binary, (0, missing), constant_values=True)

    def add(self, slots: NDArray[np.int64], values: NDArray[np.float64], draws: CaseDraws) -> None:
        """Add values, which are finite, with the slice and the weights of each."""
        if not len(slots):
            return
        order = np.argsort(slots, kind="stable")
        slots, values, weights = slots[order], values[order], draws.weights[order]
        starts = np.flatnonzero(np.r_[True, slots[1:] != slots[:-1]])
        slices = slots[starts]
        self._lowest[slices] = np.minimum(self._lowest[slices], np.minimum.reduceat(values, starts))
        self._highest[slices] = np.maximum(self._highest[slices], np.maximum.reduceat(values, starts))
        self._binary[slices] &= np.logical_and.reduceat((values == 0) | (values == 1), starts)
        if weights.size:
            # whole numbers: the sums are the same in any order
            units = np.rint(np.clip(values, -_MAX_SLICE_VALUE, _MAX_SLICE_VALUE) * _SLICE_UNITS).astype(np.int64)
            counts = weights.astype(np.int64)
            self._counts[slices] += np.add.reduceat(counts, starts, axis=0)
            self._sums[slices] += np.add.reduceat(counts * units[:, None], starts, axis=0)
            if draws.groups is not None:
                self._add_buckets(slices.tolist(), np.split(units, starts[1:]), np.split(find_buckets(draws.groups[order]), starts[1:]))

    def _add_buckets(self, slices: list[int], units: list[NDArray[np.int64]], buckets: list[NDArray[np.int64]]) -> None:
        for slot, units_of_slice, buckets_of_slice in zip(slices, units, buckets, strict=True):
            sums = np.zeros(BUCKETS, dtype=np.int64)
            np.add.at(sums, buckets_of_slice, units_of_slice)
            self._bucket_sums[slot] = self._bucket_sums.get(slot, 0) + sums
            self._bucket_counts[slot] = self._bucket_counts.get(slot, 0) + np.bincount(buckets_of_slice, minlength=BUCKETS)

    def merge(self, other: "SliceDraws", slots: Sequence[int]) -> None:
        """Add the draws of other batches, whose slices are these slots."""
        chosen = np.array(slots, dtype=np.int64)
        self._sums[chosen] += other._sums
        self._counts[chosen] += other._counts
        self._lowest[chosen] = np.minimum(self._lowest[chosen], other._lowest)
        self._highest[chosen] = np.maximum(self._highest[chosen], other._highest)
        self._binary[chosen] &= other._binary
        for totals, totals_of_other in ((self._bucket_sums, other._bucket_sums), (self._bucket_counts, other._bucket_counts)):
            for slot, total in totals_of_other.items():
                totals[slots[slot]] = totals.get(slots[slot], 0) + total

    def find_interval(self, slot: int, value: float, n: int, groups: int | None) -> tuple[float, float] | None:
        """The interval of the mean of a slice."""
        values = ValueRange(float(self._lowest[slot]), float(self._highest[slot]), bool(self._binary[slot]))
        if max(-values.lowest, values.highest) > _MAX_SLICE_VALUE:
            return None
        counts = self._counts[slot].astype(np.float64)

        def find_variance(units: int) -> float | None:
            return ratio_variance(self._sums[slot] / _SLICE_UNITS, counts, value, n, units) if counts.any() else None

        def find_degrees() -> float:
            sums, cases = self._bucket_sums[slot] / _SLICE_UNITS, self._bucket_counts[slot].astype(np.float64)
            return degrees_of_freedom(sums, cases, value)

        return find_mean_interval(value, n, groups, values, find_variance, find_degrees)


class SliceTotals:
    """Sums and bootstrap replicates by slice, for one evaluator."""

    __slots__ = ("_groups", "_judged_groups", "_n", "_passed", "_scores", "_slot", "_sums", "_verdicts")

    def __init__(self) -> None:
        self._slot: dict[str, int] = {}
        self._sums = ExactSums()
        self._n = np.zeros((0, _SLICE_WIDTH), dtype=np.int64)
        self._verdicts = np.zeros((0, _VERDICT_COUNT), dtype=np.int64)
        self._scores = SliceDraws()
        self._passed = SliceDraws()
        self._groups = GroupSets()
        self._judged_groups = GroupSets()

    def add(
        self, members: SliceMembers, row_of: NDArray[np.int64], columns: MetricColumns, verdict: NDArray[np.int8], draws: CaseDraws
    ) -> None:
        """Add a batch; `row_of[case]` is the case's row in the columns, verdicts and draws, -1 if it was not measured."""
        if not len(members.case):
            return
        is_measured = row_of[members.case] >= 0
        rows = row_of[members.case[is_measured]]
        slots = np.array(self._slots(members.names), dtype=np.int64)[members.slice[is_measured]]
        judged = verdict[rows] >= 0
        verdict_cells = slots[judged] * _VERDICT_COUNT + verdict[rows[judged]]
        self._verdicts += np.bincount(verdict_cells, minlength=self._verdicts.size).reshape(-1, _VERDICT_COUNT)
        present = [(column, columns[name][rows]) for column, name in enumerate(_SLICE_COLUMNS) if name in columns]
        values = np.concatenate([numbers for _, numbers in present])
        cells = np.concatenate([slots * _SLICE_WIDTH + column for column, _ in present])
        has_value = ~np.isnan(values)
        self._n += np.bincount(cells[has_value], minlength=self._n.size).reshape(-1, _SLICE_WIDTH)
        self._sums.add(values[has_value], cells[has_value])
        has_score = np.isfinite(columns["score"][rows])
        scored = rows[has_score]
        self._scores.add(slots[has_score], columns["score"][scored], draws.take(scored))
        if draws.groups is not None:
            self._passed.add(slots[judged], (verdict[rows[judged]] == _PASSED).astype(np.float64), draws.take(rows[judged]))
            self._add_groups(self._groups, slots[has_score], draws.groups[scored])
            self._add_groups(self._judged_groups, slots[judged], draws.groups[rows[judged]])

    def _add_groups(self, sets: GroupSets, slots: NDArray[np.int64], keys: NDArray[np.uint64]) -> None:
        names = list(self._slot)
        for slot in np.unique(slots).tolist():
            sets.add(names[slot], keys[slots == slot])

    def _slots(self, names: list[str]) -> list[int]:
        slots = [self._slot.setdefault(name, len(self._slot)) for name in names]
        padding = ((0, len(self._slot) - len(self._n)), (0, 0))
        self._n, self._verdicts = np.pad(self._n, padding), np.pad(self._verdicts, padding)
        for draws in (self._scores, self._passed):
            draws.resize(len(self._slot))
        return slots

    def merge(self, other: "SliceTotals") -> None:
        """Add the totals of other batches."""
        slots = self._slots(list(other._slot))
        self._n[slots] += other._n
        self._verdicts[slots] += other._verdicts
        target_cells = [slot * _SLICE_WIDTH + column for slot in slots for column in range(_SLICE_WIDTH)]
        self._sums.merge(other._sums, target_cells[: len(other._sums)])
        self._scores.merge(other._scores, slots)
        self._passed.merge(other._passed, slots)
        self._groups.merge(other._groups)
        self._judged_groups.merge(other._judged_groups)

    def finish(self) -> dict[str, Mapping[str, Metric]]:
        """The metrics of every slice in which something was measured, by the name of the slice. Score and pass rate have an interval."""
        by_slice = {name: self._slice_metrics(name) for name in sorted(self._slot)}
        return {name: metrics for name, metrics in by_slice.items() if metrics}

    def _slice_metrics(self, name: str) -> dict[str, Metric]:
        slot, groups = self._slot[name], self._groups.count(name)
        n = dict(zip(_SLICE_COLUMNS, self._n[slot].tolist(), strict=True))
        cell = {column: slot * _SLICE_WIDTH + place for place, column in enumerate(_SLICE_COLUMNS)}
        metrics: dict[str, Metric] = {}
        if n["score"]:
            value = self._sums.mean(cell["score"], n["score"])
            low, high = self._scores.find_interval(slot, value, n["score"], groups) or (None, None)
            metrics["score"] = Metric(value=value, n=n["score"], low=low, high=high, groups=groups)
        judged = int(self._verdicts[slot].sum())
        if judged:
            metrics["pass_rate"] = self._pass_rate(slot, judged, self._judged_groups.count(name))
        for rate in RATES:
            if n[rate]:
                metrics[f"macro_{rate}"] = Metric(value=self._sums.mean(cell[rate], n[rate]), n=n[rate], groups=groups)
        if all(n[count] for count in COUNTS):
            pooled = precision_recall_f1(*(self._sums.value(cell[count]) for count in COUNTS))
            for rate, value in zip(RATES, pooled, strict=True):
                metrics[f"micro_{rate}"] = Metric(value=float(value), n=n[COUNTS[0]], groups=groups)
        return metrics

    def _pass_rate(self, slot: int, judged: int, groups: int | None) -> Metric:
        passed = int(self._verdicts[slot, _PASSED])
        if groups is None:
            return pass_rate(passed, judged)
        low, high = self._passed.find_interval(slot, passed / judged, judged, groups) or (None, None)
        return Metric(value=passed / judged, n=judged, low=low, high=high, groups=groups)
