"""Statistics of paired measurements: the same cases, measured twice."""

from collections.abc import Sequence
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

DRAWS = 2000
EXACT = 12
"""Up to so many differences, every way to flip their signs is tried."""
SIZES = 60
"""Up to so many different sizes of differences, signs are drawn for all of a size at once."""
MANY = 5000
"""From so many cases on, the mean is as good as normal, and the normal law stands in for drawing."""
Z95, Z80 = 1.959963984540054, 0.8416212335729143
"""Where the normal law reaches 97.5 % and 80 %."""


def mcnemar_exact(broken: int, fixed: int) -> float:
    """How likely such an imbalance is by chance, if cases break as easily as they are fixed: the exact two-sided p-value.

    >>> round(mcnemar_exact(1, 9), 4)
    0.0215
    """
    from scipy.special import bdtr

    total = broken + fixed
    return 1.0 if total == 0 else min(1.0, 2 * float(bdtr(min(broken, fixed), total, 0.5)))


def sign_flip_test(differences: Numbers, seed: int = 0) -> float:
    """The two-sided p-value of a paired permutation test on the mean: how often random signs move it as far.

    >>> sign_flip_test(np.array([0.1, 0.2, 0.3, 0.1, 0.2]))
    0.0625
    """
    moved = differences[differences != 0]
    n = len(moved)
    if n == 0:
        return 1.0
    observed = abs(float(moved.sum()))
    if n > MANY:
        return _normal_tail(observed / sqrt(float((moved**2).sum())))
    slack = 1e-12 * float(np.abs(moved).sum())
    if n <= EXACT:
        signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        return float(np.mean(np.abs(signs @ moved) >= observed - slack))
    rng = np.random.default_rng(seed)
    as_far, total = 0, 10_000
    sizes, counts = np.unique(np.abs(moved), return_counts=True)
    if len(sizes) <= SIZES:  # how many of each size go up is a binomial number: no sign need be drawn
        sums = (2 * rng.binomial(counts, 0.5, size=(total, len(sizes))) - counts) @ sizes
        return (int(np.count_nonzero(np.abs(sums) >= observed - slack)) + 1) / (total + 1)
    for _ in range(20):
        signs = rng.integers(0, 2, size=(total // 20, n), dtype=np.int8) * 2 - 1
        as_far += int(np.count_nonzero(np.abs(signs @ moved) >= observed - slack))
    return (as_far + 1) / (total + 1)


def _normal_tail(z: float) -> float:
    from math import erfc

    return erfc(z / sqrt(2))


def mean_interval(differences: Numbers, seed: int = 0) -> tuple[float, float]:
    """The 95 % interval of a mean, by bootstrap over the cases; (-inf, inf) for a single case, which tells nothing.

    >>> low, high = mean_interval(np.array([0.1, 0.2, 0.3, 0.1, 0.2]))
    >>> low > 0 and high < 0.31
    True
    """
    n = len(differences)
    if n < 2:
        return -inf, inf
    if n > MANY:
        half = Z95 * float(differences.std(ddof=1)) / sqrt(n)
        return float(differences.mean()) - half, float(differences.mean()) + half
    rng = np.random.default_rng(seed)
    means = np.concatenate([differences[rng.integers(0, n, size=(DRAWS // 20, n))].mean(axis=1) for _ in range(20)])
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for having asked several times (Holm): the chance of even one false alarm stays as stated.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda at: p_values[at])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[at]))
        adjusted[at] = highest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted so that the share of false alarms among the alarms stays as stated (Benjamini–Hochberg).

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    order = sorted(range(len(p_values)), key=lambda at: p_values[at], reverse=True)
    adjusted, lowest = [0.0] * len(p_values), 1.0
    for place, at in enumerate(order):
        lowest = min(lowest, p_values[at] * len(p_values) / (len(p_values) - place))
        adjusted[at] = lowest
    return adjusted


def effect_size(differences: Numbers) -> float:
    """The mean difference in standard deviations of the differences (Cohen's d for pairs); 0 where nothing differs."""
    if len(differences) < 2:
        return 0.0
    mean, spread = float(differences.mean()), float(differences.std(ddof=1))
    if spread == 0:
        return 0.0 if mean == 0 else inf if mean > 0 else -inf
    return mean / spread


def smallest_shown(differences: Numbers) -> float:
    """The smallest change of the mean that this many cases show four times out of five, at 95 % confidence."""
    n = len(differences)
    return inf if n < 2 else (Z95 + Z80) * float(differences.std(ddof=1)) / sqrt(n)


def normalised_gain(base: float, new: float) -> float | None:
    """How much of what was missing has been won; of what there was, lost, if it got worse. None where there was nothing to win or lose.

    >>> normalised_gain(0.8, 0.9), normalised_gain(0.8, 0.4), normalised_gain(1.0, 1.0)
    (0.5, -0.5, None)
    """
    if new >= base:
        return round((new - base) / (1 - base), 12) if base < 1 else None
    return round((new - base) / base, 12) if base > 0 else None
