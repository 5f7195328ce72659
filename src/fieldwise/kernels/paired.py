"""Statistics of paired measurements: the same cases, measured twice."""

from collections.abc import Sequence
from math import erfc, inf, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

Differences = NDArray[np.float64]

_BOOTSTRAP_DRAWS: Final = 2000
_PERMUTATIONS: Final = 10_000
_ROUNDS: Final = 20
"""Draws are made in this many rounds, which bounds memory."""
_MAX_EXHAUSTIVE: Final = 12
"""Up to this many differences, every combination of signs is tried."""
_MAX_DISTINCT_SIZES: Final = 60
"""Up to this many distinct absolute differences, signs are drawn for all differences of a size at once."""
_NORMAL_FROM: Final = 5000
"""Above this many cases the mean is normally distributed for practical purposes, and the normal approximation replaces resampling."""
_Z95, _Z80 = 1.959963984540054, 0.8416212335729143
"""Quantiles of the normal distribution at 97.5 % and 80 %."""


def mcnemar_p_value(broken: int, fixed: int) -> float:
    """Two-sided p-value of the exact McNemar test: cases that broke against cases that were fixed.

    >>> round(mcnemar_p_value(1, 9), 4)
    0.0215
    """
    from scipy.special import bdtr  # the same number as scipy.stats.binomtest, which takes much longer to import

    total = broken + fixed
    return 1.0 if total == 0 else min(1.0, 2 * float(bdtr(min(broken, fixed), total, 0.5)))


def sign_flip_p_value(differences: Differences, seed: int = 0) -> float:
    """Two-sided p-value of a paired permutation test on the mean: how often random signs move it as far.

    Sampled permutations give (k + 1) / (n + 1), which counts the observed signs among them and is never 0.

    >>> sign_flip_p_value(np.array([0.1, 0.2, 0.3, 0.1, 0.2]))
    0.0625
    """
    nonzero = differences[differences != 0]
    if len(nonzero) == 0:
        return 1.0
    observed = abs(float(nonzero.sum()))
    if len(nonzero) > _NORMAL_FROM:
        return _two_sided_normal_tail(observed / sqrt(float((nonzero**2).sum())))
    threshold = observed - 1e-12 * float(np.abs(nonzero).sum())  # slack for rounding: the observed signs themselves must count
    if len(nonzero) <= _MAX_EXHAUSTIVE:
        return _exhaustive_p_value(nonzero, threshold)
    as_far = _count_permutations_as_far(nonzero, threshold, np.random.default_rng(seed))
    return (as_far + 1) / (_PERMUTATIONS + 1)


def _two_sided_normal_tail(z: float) -> float:
    return erfc(z / sqrt(2))


def _exhaustive_p_value(differences: Differences, threshold: float) -> float:
    n = len(differences)
    signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
    return float(np.mean(np.abs(signs @ differences) >= threshold))


def _count_permutations_as_far(differences: Differences, threshold: float, rng: np.random.Generator) -> int:
    """Count the sampled sign permutations whose sum is at least `threshold` away from 0."""
    sizes, counts = np.unique(np.abs(differences), return_counts=True)
    if len(sizes) <= _MAX_DISTINCT_SIZES:  # how many differences of a size are positive is binomial: no sign need be drawn
        sums = (2 * rng.binomial(counts, 0.5, size=(_PERMUTATIONS, len(sizes))) - counts) @ sizes
        return int(np.count_nonzero(np.abs(sums) >= threshold))
    as_far = 0
    for _ in range(_ROUNDS):
        signs = rng.integers(0, 2, size=(_PERMUTATIONS // _ROUNDS, len(differences)), dtype=np.int8) * 2 - 1
        as_far += int(np.count_nonzero(np.abs(signs @ differences) >= threshold))
    return as_far


def bootstrap_mean_interval(differences: Differences, seed: int = 0) -> tuple[float, float]:
    """The 95 % interval of a mean, by bootstrap over the cases; (-inf, inf) for fewer than two cases.

    >>> low, high = bootstrap_mean_interval(np.array([0.1, 0.2, 0.3, 0.1, 0.2]))
    >>> low > 0 and high < 0.31
    True
    """
    n = len(differences)
    if n < 2:
        return -inf, inf
    if n > _NORMAL_FROM:
        half = _Z95 * float(differences.std(ddof=1)) / sqrt(n)
        return float(differences.mean()) - half, float(differences.mean()) + half
    rng = np.random.default_rng(seed)
    means = [differences[rng.integers(0, n, size=(_BOOTSTRAP_DRAWS // _ROUNDS, n))].mean(axis=1) for _ in range(_ROUNDS)]
    low, high = np.percentile(np.concatenate(means), [2.5, 97.5])
    return float(low), float(high)


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


def paired_effect_size(differences: Differences) -> float:
    """The mean difference in standard deviations of the differences (Cohen's d for pairs); 0 if there are no differences."""
    if len(differences) < 2:
        return 0.0
    mean, spread = float(differences.mean()), float(differences.std(ddof=1))
    if spread != 0:
        return mean / spread
    if mean == 0:
        return 0.0
    return inf if mean > 0 else -inf


def minimum_detectable_change(differences: Differences) -> float:
    """The smallest change of the mean that this many cases detect with 80 % power at 95 % confidence."""
    n = len(differences)
    return inf if n < 2 else (_Z95 + _Z80) * float(differences.std(ddof=1)) / sqrt(n)


def normalized_gain(base: float, new: float) -> float | None:
    """The gain as a share of the possible gain, or the loss as a share of the possible loss; None if neither was possible.

    >>> normalized_gain(0.8, 0.9), normalized_gain(0.8, 0.4), normalized_gain(1.0, 1.0)
    (0.5, -0.5, None)
    """
    if new >= base:
        return round((new - base) / (1 - base), 12) if base < 1 else None
    return round((new - base) / base, 12) if base > 0 else None
