"""Precision, recall and F1, intervals, agreement of labels, and a bootstrap that can be computed in parts.

The bootstrap draws the weight of each case from a hash of the case itself and adds up whole numbers only. So the replicates
of two halves add up to those of the whole, to the bit, whatever the order and the size of the parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from statistics import NormalDist
from typing import TYPE_CHECKING, Final, TypeAlias

from fieldwise.dataclass import dataclass
from fieldwise.kernels.student import student_quantile
from fieldwise.kernels.text_hash import hash_each
from fieldwise.numpy_on_use import np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# Shares


def precision_recall_f1(
    true_positives: ArrayLike, false_positives: ArrayLike, false_negatives: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Precision, recall and F1 of counts; 0 wherever a denominator is 0.

    >>> [float(value) for value in precision_recall_f1(3, 1, 0)]
    [0.75, 1.0, 0.8571428571428571]
    """
    hits = np.asarray(true_positives, dtype=np.float64)
    precision = _divide_or_zero(hits, hits + np.asarray(false_positives, dtype=np.float64))
    recall = _divide_or_zero(hits, hits + np.asarray(false_negatives, dtype=np.float64))
    return precision, recall, _divide_or_zero(2 * (precision * recall), precision + recall)


def f1_of_counts(true_positives: ArrayLike, false_positives: ArrayLike, false_negatives: ArrayLike) -> NDArray[np.float64]:
    """F1 of counts in one division; 0 where there is nothing to count.

    The third result of `precision_recall_f1` may differ from it in the last bit. Stored results of boxes and points have these values,
    those of fields the others, so that neither may be replaced by the other.

    >>> float(f1_of_counts(3, 1, 0))
    0.8571428571428571
    """
    doubled = 2 * np.asarray(true_positives, dtype=np.float64)
    return _divide_or_zero(doubled, doubled + np.asarray(false_positives) + np.asarray(false_negatives))


def _divide_or_zero(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), 0.0)


def wilson_interval(successes: float, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's confidence interval for a share; (0, 1) if n is 0.

    `successes` may be a sum of fractions, which scipy.stats.binomtest does not accept.

    >>> low, high = wilson_interval(9, 10)
    >>> round(low, 3), round(high, 3)
    (0.596, 0.982)
    """
    if n <= 0:
        return 0.0, 1.0
    return _score_interval(successes / n, n, NormalDist().inv_cdf(0.5 + confidence / 2))


def _score_interval(share: float, n: float, quantile: float) -> tuple[float, float]:
    """The shares from which this one, of `n` cases, is no further than `quantile` standard errors."""
    square = quantile * quantile
    centre = share + square / (2 * n)
    spread = quantile * (share * (1 - share) / n + square / (4 * n * n)) ** 0.5
    scale = 1 + square / n
    return (max(0.0, min(share, (centre - spread) / scale)), min(1.0, max(share, (centre + spread) / scale)))


MIN_UNITS: Final = 5
"""With fewer independent cases or groups there is no interval."""
_PRIOR_CASES: Final = 0.25
"""Weight of the assumption that values are 0 or 1, in cases: keeps the interval from collapsing where nearly all values are equal."""
_NO_SPREAD: Final = 1e-20
"""A variance below this is rounding: all values are equal."""


def estimate_interval(
    value: float, variance: float, units: int, groups: GroupDesign | None = None, *, is_share: bool = True, confidence: float = 0.95
) -> tuple[float, float] | None:
    """The interval of a mean or a ratio with this variance, over `units` independent cases or groups.

    Wilson's interval with the effective number of cases, that is the number of yes/no cases that would have this variance, and
    Student's quantile. Like the values themselves it stays in [0, 1] and is wider on the side that is further away. With `is_share` False,
    for values outside [0, 1], the t interval. None for fewer than five units, and for equal values other than 0 and 1.

    >>> [round(end, 3) for end in estimate_interval(0.9, 0.001, 30) or ()]
    [0.816, 0.948]
    """
    if units < MIN_UNITS:
        return None
    if is_share and value in (0.0, 1.0):
        return wilson_interval(value * units, units, confidence)
    if not variance > _NO_SPREAD:
        return None
    degrees = units - 1 if groups is None else min(units - 1, groups.degrees)
    quantile = student_quantile(degrees, 0.5 + confidence / 2)
    if not is_share:
        half = quantile * variance**0.5
        return value - half, value + half
    prior = _PRIOR_CASES if groups is None else _PRIOR_CASES * units / groups.cases
    likely = (value * units + prior / 2) / (units + prior)
    squares = variance * units * (units - 1) + prior * likely * (1 - likely)
    smoothed = squares / ((units - 1 + prior) * units)
    return _score_interval(value, value * (1 - value) / smoothed, quantile)


@dataclass(frozen=True, slots=True)
class GroupDesign:
    """What the interval of a mean over groups of cases depends on, beside its variance."""

    cases: int
    degrees: float
    """Degrees of freedom of the variance; fewer than groups where few groups decide it."""


def degrees_of_freedom(numerators: NDArray[np.float64], denominators: NDArray[np.float64], ratio: float) -> float:
    """Degrees of freedom of the variance of a ratio of two sums, from the two sums by group (Satterthwaite's).

    The variance is as certain as the number of groups that decide it: those with large residuals, where most groups have none, or the
    largest groups, where sizes differ much. The lower of the two counts, and 1 at least. The second assumes the residuals of a group to
    grow with its size, as they do where the cases of a group are alike.

    >>> few = degrees_of_freedom(np.r_[np.ones(28), 0, 0], np.ones(30), 28 / 30)
    >>> many = degrees_of_freedom(np.tile([0.7, 0.8, 0.9], 10), np.ones(30), 0.8)
    >>> round(few, 1), round(many, 1)
    (5.0, 30.0)
    """
    has_cases = denominators > 0
    parts, wholes = numerators[has_cases], denominators[has_cases]
    groups = len(wholes)
    squares = (parts - ratio * wholes) ** 2
    total = float(squares.sum())
    if groups < 2 or total <= 0:
        return 1.0
    of_residuals = float((squares**2).sum()) / total**2
    of_sizes = 3 * float((wholes**4).sum()) / float((wholes**2).sum()) ** 2  # the fourth moment of a normal residual is 3
    spread = max(of_residuals, of_sizes) - 1 / groups
    return max(1.0, 2 / spread) if spread > 0 else float(groups)


_MAX_EQUAL_GROUPS: Final = 50
"""With more equal groups, groups of different size are no concern."""
_MIN_EQUAL_SHARE: Final = 0.6
"""Groups of one to nine cases weigh as much as 0.8 times as many equal ones."""


def describe_uneven_groups(sizes: Sequence[int]) -> str | None:
    """A remark if groups of these sizes differ so much that few of them decide the intervals, else None.

    >>> describe_uneven_groups([10] * 12), describe_uneven_groups([10, 10] + [1] * 10)
    (None, 'the 12 groups differ much in size and weigh about as much as 4 equal ones')
    """
    equal_groups = sum(sizes) ** 2 / sum(size * size for size in sizes) if sizes else 0.0
    if len(sizes) < MIN_UNITS or equal_groups >= min(_MAX_EQUAL_GROUPS, _MIN_EQUAL_SHARE * len(sizes)):
        return None
    return f"the {len(sizes)} groups differ much in size and weigh about as much as {equal_groups:.0f} equal ones"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelAgreement:
    """The share of equal labels and Cohen's kappa, each with its 95 % interval."""

    n: int
    agreement: float
    agreement_interval: tuple[float, float]
    kappa: float | None
    """1 is full agreement, 0 agreement by chance; None where both sides use only one label, so that the two cannot be told apart."""
    kappa_interval: tuple[float, float] | None


def cohen_kappa(table: NDArray[np.int64]) -> LabelAgreement:
    """Agreement from a square table of counts: rows are the labels of one side, columns those of the other.

    The interval of kappa is Wilson's for the agreement, carried over with the marginal shares as they are. Unlike a bootstrap it stays
    valid with few cases and near full agreement (in simulations of 20 to 200 cases it held the true value in 93 to 99 % of them).

    >>> labels = cohen_kappa(np.array([[40, 5], [5, 50]]))
    >>> round(labels.agreement, 3), round(labels.kappa or 0.0, 3)
    (0.9, 0.798)
    """
    n = int(table.sum())
    if n == 0:
        return LabelAgreement(n=0, agreement=0.0, agreement_interval=(0.0, 1.0), kappa=None, kappa_interval=None)
    equal = int(np.trace(table))
    share, interval = equal / n, wilson_interval(equal, n)
    chance = float((table.sum(axis=1) / n) @ (table.sum(axis=0) / n))
    if chance >= 1.0:
        return LabelAgreement(n=n, agreement=share, agreement_interval=interval, kappa=None, kappa_interval=None)
    kappa, low, high = (max(-1.0, (value - chance) / (1 - chance)) for value in (share, *interval))
    return LabelAgreement(n=n, agreement=share, agreement_interval=interval, kappa=kappa, kappa_interval=(low, high))


# Bootstrap

REPLICATES: Final = 200

Weights: TypeAlias = "NDArray[np.uint8]"
"""How often each case (row) counts in each replicate (column)."""
Buckets: TypeAlias = "NDArray[np.int64]"
"""The bucket of the group of each case."""
_ColumnKey = tuple[str, int]
"""The name of a column and the level of its unit; 0 for columns of counts."""
_ScaledBlock: TypeAlias = "tuple[list[_ColumnKey], NDArray[np.float64]]"
"""Columns of whole numbers, and the key of each column."""

_GOLDEN_GAMMA: Final = 0x9E3779B97F4A7C15
# Poisson(1) in 256ths: 94 bytes draw 0, 95 draw 1, then 46, 16, 4 and 1. These keep its mean and its variance at exactly 1.
_POISSON_BOUNDS: Final = tuple(accumulate((94, 95, 46, 16, 4)))
_UNIT_BITS: Final = 24
_LEVEL_BITS: Final = 12
_LOWEST_LEVEL: Final = -80
BUCKETS: Final = 1 << 10
"""Number of buckets in which groups are summed: a state of fixed size, in which up to a hundred groups rarely share a bucket."""
_MAX_ROWS: Final = 1 << 11  # 2**36 per value, weights up to 5: their sums stay below 2**53. A block fits into a core's cache.


def hash_texts(texts: Sequence[str]) -> NDArray[np.uint64]:
    """A 64-bit hash of each text, the same on every machine and in every process."""
    return np.array(hash_each(texts), dtype=np.uint64)


def _mix_bits(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply the finishing step of splitmix64, in place."""
    state ^= state >> np.uint64(30)
    state *= np.uint64(0xBF58476D1CE4E5B9)
    state ^= state >> np.uint64(27)
    state *= np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    return state


def draw_poisson_weights(keys: NDArray[np.uint64], seed: int = 0) -> Weights:
    """Draw how often each case counts in each replicate: one row for each key, from that key and the seed alone."""
    start = _mix_bits(keys ^ np.uint64(seed & 0xFFFFFFFFFFFFFFFF))
    steps = np.arange(1, REPLICATES // 8 + 1, dtype=np.uint64) * np.uint64(_GOLDEN_GAMMA)
    random_words = _mix_bits(start[:, None] + steps[None, :]).astype("<u8", copy=False)
    random_bytes = random_words.view(np.uint8)
    weights = (random_bytes >= np.uint8(_POISSON_BOUNDS[0])).view(np.uint8)
    for bound in _POISSON_BOUNDS[1:]:  # five comparisons of bytes are faster than one table lookup
        weights += random_bytes >= np.uint8(bound)
    return weights


def find_buckets(groups: NDArray[np.uint64]) -> Buckets:
    """The bucket of each group, from the hash of the group alone."""
    return (_mix_bits(groups.copy()) % np.uint64(BUCKETS)).astype(np.int64)


class _ColumnTotals:
    """Whole numbers by column and unit level: a table with a row for each of them, and a column for each replicate or bucket.

    The table may have more rows than are used, so that adding columns batch by batch does not copy it each time.
    """

    __slots__ = ("_levels", "_row_of_key", "_table")

    def __init__(self, width: int) -> None:
        self._row_of_key: dict[_ColumnKey, int] = {}
        self._levels: set[int] = set()
        self._table = np.zeros((0, width), dtype=np.int64)

    def __contains__(self, name: str) -> bool:
        return (name, 0) in self._row_of_key

    def add(self, keys: Sequence[_ColumnKey], totals: NDArray[np.int64]) -> None:
        """Add rows to those of the keys, which are distinct."""
        row_of_key = self._row_of_key
        known_keys = len(row_of_key)
        rows = [row_of_key.setdefault(key, len(row_of_key)) for key in keys]
        if len(row_of_key) > known_keys:
            self._levels.update({level for _, level in keys})
            self._grow(len(row_of_key))
        if known_keys == 0:  # the keys have the first rows, in order
            self._table[: len(keys)] = totals
        else:
            self._table[rows] += totals

    def _grow(self, rows: int) -> None:
        size, width = self._table.shape
        if rows > size:
            table = np.zeros((max(rows, 2 * size), width), dtype=np.int64)
            table[:size] = self._table
            self._table = table

    def merge(self, part: _ColumnTotals) -> None:
        """Add the rows of a part to these."""
        self.add(list(part._row_of_key), part._table[: len(part._row_of_key)])

    def counts(self, name: str) -> NDArray[np.float64]:
        """The numbers of a column that has no unit."""
        return self._table[self._row_of_key[name, 0]].astype(np.float64)

    def sums(self, name: str) -> NDArray[np.float64]:
        """The numbers of a column as sums of values; 0 for a column that was never added."""
        sums = np.zeros(self._table.shape[1])
        for level in sorted(self._levels):  # lowest first, so that the rounding is always the same
            row = self._row_of_key.get((name, level))
            if row is not None:
                sums += np.ldexp(self._table[row].astype(np.float64), _LEVEL_BITS * level - _UNIT_BITS)
        return sums


class Replicates:
    """Replicate sums of named columns, with the number of cases that each replicate counts for them; of groups also the sums by bucket."""

    __slots__ = ("_bucket_counts", "_bucket_sums", "_counts", "_infinite", "_sums")

    def __init__(self) -> None:
        self._sums = _ColumnTotals(REPLICATES)
        self._counts = _ColumnTotals(REPLICATES)
        self._bucket_sums = _ColumnTotals(BUCKETS)
        self._bucket_counts = _ColumnTotals(BUCKETS)
        self._infinite: set[str] = set()

    def add(self, weights: Weights, columns: Mapping[str, NDArray[np.float64]], groups: NDArray[np.uint64] | None = None) -> None:
        """Add a batch: `weights`, `groups` and each column have a row for each case; NaN where a case was not measured.

        Weights without columns add nothing: there are no replicates.
        """
        if columns:
            self._add_rows(weights, list(columns), np.column_stack(list(columns.values())), groups, with_counts=True)

    def add_sums(
        self, weights: Weights, names: Sequence[str], values: NDArray[np.float64], groups: NDArray[np.uint64] | None = None
    ) -> None:
        """`add` for a table of columns that are measured in every case: only their sums are kept, not the number of cases."""
        self._add_rows(weights, names, values, groups, with_counts=False)

    def _add_rows(
        self,
        weights: Weights,
        names: Sequence[str],
        values: NDArray[np.float64],
        groups: NDArray[np.uint64] | None,
        *,
        with_counts: bool,
    ) -> None:
        if not len(names) or not weights.size:
            return
        for start in range(0, len(values), _MAX_ROWS):
            rows = slice(start, start + _MAX_ROWS)
            buckets = None if groups is None else find_buckets(groups[rows])
            self._add_block(weights[rows], values[rows], names, buckets, with_counts=with_counts)

    def _add_block(
        self, weights: Weights, values: NDArray[np.float64], names: Sequence[str], buckets: Buckets | None, *, with_counts: bool
    ) -> None:
        """Add a block by one matrix product: a column of ones, columns of what was measured, and the values as whole numbers."""
        measured = ~np.isnan(values)
        self._infinite.update(names[column] for column in np.flatnonzero(np.isinf(values).any(axis=0)).tolist())
        finite_values = np.where(np.isfinite(values), values, 0.0)
        scaled_blocks = self._to_whole_numbers(finite_values, names)
        incomplete = np.flatnonzero(~measured.all(axis=0))
        ones = np.ones((len(values), 1))
        blocks = [ones, measured[:, incomplete].astype(np.float64), *(block for _, block in scaled_blocks)]
        totals = (weights.astype(np.float64).T @ np.hstack(blocks)).astype(np.int64)
        keys = [key for block_keys, _ in scaled_blocks for key in block_keys]
        self._sums.add(keys, totals.T[1 + len(incomplete) :])
        if with_counts:
            counts = np.repeat(totals[:, :1].T, len(names), axis=0)
            counts[incomplete] = totals.T[1 : 1 + len(incomplete)]
            self._counts.add(scaled_blocks[0][0], counts)
        if buckets is not None:
            self._add_buckets(buckets, measured if with_counts else None, scaled_blocks)

    def _add_buckets(self, buckets: Buckets, measured: NDArray[np.bool_] | None, scaled_blocks: list[_ScaledBlock]) -> None:
        if measured is not None:
            counts = [np.bincount(buckets[is_measured], minlength=BUCKETS) for is_measured in measured.T]
            self._bucket_counts.add(scaled_blocks[0][0], np.array(counts))
        for keys, block in scaled_blocks:
            sums = [np.bincount(buckets, weights=column, minlength=BUCKETS) for column in block.T]
            self._bucket_sums.add(keys, np.array(sums).astype(np.int64))

    @staticmethod
    def _to_whole_numbers(values: NDArray[np.float64], names: Sequence[str]) -> list[_ScaledBlock]:
        """Express values as whole numbers of a unit that depends on the size of the value alone, one block for each unit level.

        The first block has all columns, at level 0.
        """
        sizes = np.abs(values)
        usual = (sizes < 2.0**_LEVEL_BITS) & ((sizes >= 2.0**-_LEVEL_BITS) | (sizes == 0))
        usual_values = np.where(usual, values, 0.0)
        blocks = [([(name, 0) for name in names], np.rint(usual_values * 2.0**_UNIT_BITS))]
        if usual.all():
            return blocks
        _, exponents = np.frexp(values)
        levels = np.where(exponents > 0, (exponents - 1) // _LEVEL_BITS, -(-exponents // _LEVEL_BITS))
        levels = np.maximum(np.where(usual, 0, levels), _LOWEST_LEVEL)
        for level in np.unique(levels[~usual]).tolist():
            level_values = np.where(levels == level, values, 0.0)
            columns = np.flatnonzero(level_values.any(axis=0))
            block = np.rint(np.ldexp(level_values[:, columns], _UNIT_BITS - _LEVEL_BITS * level))
            blocks.append(([(names[column], level) for column in columns.tolist()], block))
        return blocks

    def merge(self, part: Replicates) -> None:
        """Add the sums of a part to these."""
        self._sums.merge(part._sums)
        self._counts.merge(part._counts)
        self._bucket_sums.merge(part._bucket_sums)
        self._bucket_counts.merge(part._bucket_counts)
        self._infinite |= part._infinite

    def column_sums(self, name: str) -> NDArray[np.float64]:
        """The sum of a column in each replicate."""
        return self._sums.sums(name)

    def bucket_sums(self, name: str) -> NDArray[np.float64]:
        """The sum of a column in each bucket of groups."""
        return self._bucket_sums.sums(name)

    def bucket_counts(self, name: str) -> NDArray[np.float64]:
        """The number of measured cases of a column in each bucket of groups."""
        return self._bucket_counts.counts(name)

    def column_counts(self, name: str) -> NDArray[np.float64]:
        """The number of measured cases of a column in each replicate."""
        return self._counts.counts(name)

    def mean_variance(self, name: str, mean: float, n: int, units: int) -> float | None:
        """The variance of a column's mean over `n` cases in `units` groups; None if it cannot be computed."""
        if name not in self._counts or name in self._infinite:
            return None
        return ratio_variance(self.column_sums(name), self.column_counts(name), mean, n, units)


def ratio_variance(
    numerators: NDArray[np.float64], denominators: NDArray[np.float64], ratio: float, denominator: float, units: int
) -> float | None:
    """The variance of a ratio of two sums, from their replicates; None for a single unit or a denominator of 0.

    The weights of the replicates have mean 1 and variance 1, and the residuals `numerator - ratio * denominator` of all cases add up
    to 0, so the mean square of their weighted sums is the sum of their squares, by group if weights are drawn by group.
    """
    if units < 2 or denominator <= 0:
        return None
    residuals = (numerators - ratio * denominators) / denominator
    return float(np.mean(residuals * residuals)) * units / (units - 1)
