"""Statistics of paired measurements: the same cases, measured twice.

Where cases belong to groups, such as pages of one document, the functions take sums by group: groups are independent, their cases are not.
"""

from collections.abc import Sequence
from functools import cache
from math import exp, inf, log, pi, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.power import detectable_effect, fewest_differences
from fieldwise.kernels.statistics import degrees_of_freedom
from fieldwise.kernels.student import student_quantile

Differences = NDArray[np.float64]
"""The differences of single cases, or their sums by group."""
GroupSizes = NDArray[np.float64]
"""Number of cases of each group."""

MIN_GROUPS: Final = 5
"""With fewer cases or groups there is no interval."""
_PERMUTATIONS: Final = 10_000
_MAX_EXHAUSTIVE: Final = 12
"""Up to this many differences, every combination of signs is tried."""
_MAX_SAMPLED: Final = 128
"""Up to this many differences, all signs are drawn."""
_MAX_DRAWN_SIZES: Final = 32
"""Of more differences, signs are drawn for this many sizes, those that weigh most; the sum of the others is nearly normal."""
_SMALLEST_SAMPLED: Final = 10 / _PERMUTATIONS
"""Below, too few draws decide, and the saddlepoint approximation gives the p-value."""
_MIN_UNIT: Final = 0.01
"""A common unit of the differences below this share of the largest one leaves no visible steps in their sums."""
_NEWTON_STEPS: Final = 60
_MAX_STEPS: Final = 2048
"""Up to this many steps of a common unit, the distribution of the sum is computed exactly."""


def mcnemar_p_value(broken: int, fixed: int) -> float:
    """Two-sided p-value of the exact McNemar test: cases that broke against cases that were fixed.

    >>> round(mcnemar_p_value(1, 9), 4)
    0.0215
    """
    from scipy.special import bdtr  # the same number as scipy.stats.binomtest, which takes much longer to import

    total = broken + fixed
    return 1.0 if total == 0 else min(1.0, 2 * float(bdtr(min(broken, fixed), total, 0.5)))


def sign_flip_p_value(differences: Differences) -> float:
    """Two-sided p-value of a paired permutation test on the sum: how often random signs move it as far.

    Exact for up to 12 differences and for differences that are small multiples of a common unit, as those of counts and of means over
    few fields are; otherwise by drawing signs: of all differences up to 128 of them, beyond that of the 32 sizes that weigh most.

    >>> sign_flip_p_value(np.array([0.1, 0.2, 0.3, 0.1, 0.2]))
    0.0625
    """
    differences = differences[differences != 0]  # of many cases, few differ
    if not len(differences):
        return 1.0
    scaled = differences / _largest_size(differences)
    scaled = scaled[np.abs(scaled) > 5e-10]  # less is what rounding leaves of 0
    sizes, counts = np.unique(np.rint(np.abs(scaled) * 1e9) / 1e9, return_counts=True)
    if len(sizes) == 1:
        positive = int((scaled > 0).sum())
        return mcnemar_p_value(positive, len(scaled) - positive)
    observed = abs(float(scaled.sum()))
    threshold = observed - 1e-9 * len(scaled)  # slack for rounding: the observed signs themselves must count
    if len(scaled) <= _MAX_EXHAUSTIVE:
        return float(np.mean(np.abs(_all_signs(len(scaled)) @ scaled) >= threshold))
    unit = _common_unit(sizes)
    if unit and float(counts @ sizes) <= _MAX_STEPS * unit:
        return _lattice_p_value(np.rint(sizes / unit).astype(np.int64), counts, round(observed / unit))
    if len(scaled) <= _MAX_SAMPLED:
        as_far = int(np.count_nonzero(np.abs(scaled @ _random_signs()[: len(scaled)]) >= threshold))
        return (as_far + 1) / (_PERMUTATIONS + 1)  # counts the observed signs among the permutations, so it is never 0
    p = _partly_sampled_p_value(sizes, counts, threshold)
    # sums move in steps of two units: the tail begins half a step before the observed sum
    return p if p > _SMALLEST_SAMPLED else min(p, _saddlepoint_p_value(sizes, counts, observed - unit))


def _partly_sampled_p_value(sizes: Differences, counts: NDArray[np.int64], observed: float) -> float:
    """Two-sided tail of the sum of randomly signed differences: signs are drawn for the sizes that weigh most, the rest is nearly normal.

    For each draw the normal distribution gives the probability that the rest makes up what is missing, so that few large differences
    among many small ones are tested as well as many similar ones. Signs of equal differences are drawn together, by their number.
    """
    from scipy.special import ndtr

    order = np.argsort(counts * sizes**2)[::-1]
    drawn, rest = order[:_MAX_DRAWN_SIZES], order[_MAX_DRAWN_SIZES:]
    single = drawn[counts[drawn] == 1]
    sums = sizes[single] @ _random_signs()[: len(single)]
    generator = np.random.default_rng(1)
    for at in drawn[counts[drawn] > 1].tolist():
        sums += sizes[at] * (2 * generator.binomial(counts[at], 0.5, _PERMUTATIONS) - counts[at])
    if not len(rest):
        return (int(np.count_nonzero(np.abs(sums) >= observed)) + 1) / (_PERMUTATIONS + 1)
    deviation = sqrt(float(counts[rest] @ sizes[rest] ** 2))
    tails = ndtr((sums - observed) / deviation) + ndtr((-sums - observed) / deviation)
    return min(1.0, (float(tails.sum()) + 1) / (_PERMUTATIONS + 1))


def _lattice_p_value(steps: NDArray[np.int64], counts: NDArray[np.int64], observed: int) -> float:
    """Two-sided tail of the sum of randomly signed whole numbers: exact, by convolving the binomial distribution of each size."""
    from scipy.special import gammaln

    shares = np.ones(1)  # probability of each total of the numbers with a negative sign
    for step, count in zip(steps.tolist(), counts.tolist(), strict=True):
        negative = np.arange(count + 1)
        of_size = np.zeros(step * count + 1)
        of_size[::step] = np.exp(gammaln(count + 1) - gammaln(negative + 1) - gammaln(count - negative + 1) - count * log(2))
        shares = np.convolve(shares, of_size)
    sums = int(steps @ counts) - 2 * np.arange(len(shares))
    return min(1.0, max(float(shares[np.abs(sums) >= observed].sum()), _lowest_p_value(counts)))


def _lowest_p_value(counts: NDArray[np.int64]) -> float:
    """The share of one choice of signs and its mirror image."""
    return 2.0 ** max(1 - int(counts.sum()), -1000)


def _all_signs(n: int) -> NDArray[np.int64]:
    return 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)


@cache  # 10 MB, the same for every metric and field; as floats, because NumPy multiplies those four times as fast
def _random_signs() -> NDArray[np.float64]:
    """Random signs, one column for each permutation."""
    signs = np.random.default_rng(0).integers(0, 2, size=(_MAX_SAMPLED, _PERMUTATIONS), dtype=np.int8)
    return signs.astype(np.float64) * 2 - 1


def _common_unit(sizes: Differences) -> float:
    """The largest number that divides all sizes, which are at most 1; 0 if it is too small to matter."""
    if sizes.min() < _MIN_UNIT:
        return 0.0
    unit = 1.0
    for size in sizes.tolist():
        remainder = size
        while remainder > 1e-6:
            unit, remainder = remainder, unit % remainder
            remainder = 0.0 if unit - remainder < 1e-6 else remainder
        if unit < _MIN_UNIT:
            return 0.0
    return unit


def _saddlepoint_p_value(sizes: Differences, counts: NDArray[np.int64], observed: float) -> float:
    """Two-sided tail of the sum of randomly signed differences, by Lugannani and Rice.

    The cumulant generating function of a random sign times `d` is log cosh(t d). Newton's method starts left of the saddlepoint and,
    because the derivative is concave, approaches it from the left.
    """
    from scipy.special import ndtr

    variance = float(counts @ sizes**2)
    if observed <= 0.05 * sqrt(variance):  # in the middle of the distribution the approximation divides by almost nothing
        return min(1.0, 2 * float(ndtr(-observed / sqrt(variance))))
    at = observed / variance
    for _ in range(_NEWTON_STEPS):
        tanh = np.tanh(at * sizes)
        curvature = float(counts @ (sizes**2 * (1 - tanh**2)))
        missing = observed - float(counts @ (sizes * tanh))
        if curvature <= 0 or missing <= 1e-10 * observed:
            break
        at += missing / curvature
    scaled = at * sizes
    cumulant = float(counts @ (np.logaddexp(scaled, -scaled) - log(2)))
    curvature = float(counts @ (sizes / np.cosh(np.minimum(scaled, 300))) ** 2)
    root, saddle = sqrt(2 * (at * observed - cumulant)), at * sqrt(curvature)
    upper_bound = exp(-root * root / 2)  # Chernoff's; where nearly all signs are equal there is no saddlepoint, and it alone remains
    tail = float(ndtr(-root)) + upper_bound / sqrt(2 * pi) * (1 / saddle - 1 / root) if saddle > 0 else upper_bound
    return min(1.0, max(2 * min(tail, upper_bound), _lowest_p_value(counts)))


def mean_interval(
    sums: Differences, sizes: GroupSizes | None = None, confidence: float = 0.95, *, error: float | None = None
) -> tuple[float, float] | None:
    """The t interval of a mean, over cases or over groups; None for fewer than five of them and where all are equal.

    `sums` are the sums by group and `sizes` the numbers of cases in them; without `sizes` every case is a group of its own.
    `error` is their standard error, if it is known already. The degrees of freedom are those of the groups that decide it.

    >>> low, high = mean_interval(np.array([0.1, 0.2, 0.3, 0.1, 0.2])) or (0.0, 0.0)
    >>> round(low, 3), round(high, 3)
    (0.076, 0.284)
    """
    groups = len(sums)
    if groups < MIN_GROUPS:
        return None
    error = standard_error(sums, sizes) if error is None else error
    if error in (0, inf):
        return None
    mean = float(sums.sum()) / (groups if sizes is None else float(sizes.sum()))
    half = student_quantile(_effective_degrees(sums, sizes), 0.5 + confidence / 2) * error
    return mean - half, mean + half


def _effective_degrees(sums: Differences, sizes: GroupSizes | None) -> float:
    """Degrees of freedom of the standard error: one less than cases, or than groups, or fewer where few groups decide it."""
    independent = len(sums) - 1
    if sizes is None or bool((sizes == 1).all()):
        return independent
    scaled = sums / (_largest_size(sums) or 1.0)
    return min(independent, degrees_of_freedom(scaled, sizes, float(scaled.sum()) / float(sizes.sum())))


def standard_error(sums: Differences, sizes: GroupSizes | None = None) -> float:
    """The standard error of a mean, over cases or over groups (robust to dependence within groups).

    Infinite for a single one, and 0 if all are equal, also where rounding makes them differ in the last bits.
    """
    groups = len(sums)
    if groups < 2:
        return inf
    largest = _largest_size(sums)
    scaled = sums / (largest or 1.0)
    if sizes is None:
        return _zero_if_rounding(float(scaled.std(ddof=1))) * largest / sqrt(groups)
    cases = float(sizes.sum())
    residuals = scaled - sizes * (float(scaled.sum()) / cases)
    return _zero_if_rounding(sqrt(groups / (groups - 1) * float((residuals**2).sum()))) * largest / cases


def _largest_size(values: Differences) -> float:
    """The largest absolute value."""
    return abs(max(float(values.max()), -float(values.min())))


def _zero_if_rounding(deviation: float) -> float:
    """A deviation of numbers of which the largest is 1; 0 if it is no more than rounding."""
    return deviation if deviation > 1e-12 else 0.0


def adjust_holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for multiple tests (Holm): the probability of even one false positive stays at the level.

    >>> adjust_holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    ascending = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(ascending):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def adjust_benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for multiple tests (Benjamini–Hochberg): the false discovery rate stays at the level.

    >>> adjust_benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    descending = sorted(range(len(p_values)), key=lambda index: p_values[index], reverse=True)
    adjusted, lowest = [0.0] * len(p_values), 1.0
    for rank, index in enumerate(descending):
        lowest = min(lowest, p_values[index] * len(p_values) / (len(p_values) - rank))
        adjusted[index] = lowest
    return adjusted


def paired_effect_size(differences: Differences, error: float | None = None) -> float:
    """The mean difference in standard deviations of the differences (Cohen's d for pairs); 0 if there are no differences."""
    if len(differences) < 2:
        return 0.0
    error = standard_error(differences) if error is None else error
    mean, spread = float(differences.mean()), error * sqrt(len(differences))
    if spread != 0:
        return mean / spread
    if mean == 0:
        return 0.0
    return inf if mean > 0 else -inf


def minimum_detectable_change(sums: Differences, sizes: GroupSizes | None = None, error: float | None = None) -> float:
    """The smallest change of the mean that these cases or groups detect with 80 % power at 95 % confidence.

    Infinite for fewer than the test can find significant, and where all are equal: nothing shows then how much the mean varies.
    """
    if len(sums) < fewest_differences():
        return inf
    error = standard_error(sums, sizes) if error is None else error
    return inf if error == 0 else detectable_effect(len(sums), degrees=_effective_degrees(sums, sizes)) * error


def normalized_gain(base: float, new: float) -> float | None:
    """The gain as a share of the possible gain, or the loss as a share of the possible loss; None if neither was possible.

    >>> normalized_gain(0.8, 0.9), normalized_gain(0.8, 0.4), normalized_gain(1.0, 1.0)
    (0.5, -0.5, None)
    """
    if new >= base:
        return round((new - base) / (1 - base), 12) if base < 1 else None
    return round((new - base) / base, 12) if base > 0 else None
