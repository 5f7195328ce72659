"""Power of a paired test: how many cases are needed to detect a change, and which change some cases detect."""

from collections.abc import Callable
from math import ceil, inf, isnan, log2, sqrt
from typing import Final

from fieldwise.kernels.student import student_quantile

MAX_CASES: Final = 100_000_000
"""No more cases than this are ever suggested."""
_NORMAL_FROM: Final = 20_000
"""From this many cases on, the t distribution is the normal one for practical purposes."""


def detection_power(change: float, deviation: float, n: int, confidence: float = 0.95) -> float:
    """The probability that a two-sided paired test of `n` differences with this standard deviation detects a change of their mean.

    The power of the t test; the permutation test has the same power for practical purposes, from `fewest_differences` on.

    >>> round(detection_power(0.5, 1.0, 34), 3)
    0.808
    """
    from scipy.special import nctdtr, ndtr, ndtri

    if n < 2:
        return 0.0
    if deviation <= 0:
        return 1.0 if change else 1 - confidence
    noncentrality = abs(change) / deviation * sqrt(n)
    tail = 0.5 + confidence / 2
    if n >= _NORMAL_FROM:
        quantile = float(ndtri(tail))
        return float(ndtr(noncentrality - quantile) + ndtr(-noncentrality - quantile))
    quantile = student_quantile(n - 1, tail)
    missed, reversed_sign = (float(nctdtr(n - 1, noncentrality, limit)) for limit in (quantile, -quantile))
    # scipy returns NaN for some probabilities that are 0 to double precision
    return 1 - (0.0 if isnan(missed) else missed) + (0.0 if isnan(reversed_sign) else reversed_sign)


def fewest_differences(confidence: float = 0.95) -> int:
    """The smallest number of differences whose permutation test can be significant: two of its 2ⁿ sign flips are as extreme at least.

    >>> fewest_differences(), fewest_differences(0.99)
    (6, 8)
    """
    return max(2, ceil(1 - log2(1 - confidence) - 1e-9))


def discordant_power(change: float, discordance: float, n: int, confidence: float = 0.95) -> float:
    """The probability that McNemar's exact test of `n` pairs of yes and no detects a change of the share of yes.

    `discordance` is the share of pairs that differ, at least the change itself. The sign-flip test of such pairs is the same test.

    >>> round(discordant_power(0.1, 0.2, 150), 3)
    0.746
    """
    import numpy as np
    from scipy.special import bdtr, gammaln, ndtri, xlog1py, xlogy

    discordance = min(1.0, max(discordance, abs(change)))
    if n < 1 or discordance <= 0:
        return 0.0
    centre, reach = n * discordance, 9 * sqrt(n * discordance * (1 - discordance)) + 9
    differing = np.arange(max(0, int(centre - reach)), min(n, int(centre + reach)) + 1)
    log_weight = gammaln(n + 1) - gammaln(differing + 1) - gammaln(n - differing + 1)
    weight = np.exp(log_weight + xlogy(differing, discordance) + xlog1py(n - differing, -discordance))
    tail = (1 - confidence) / 2
    near = np.floor(differing / 2 + float(ndtri(tail)) * np.sqrt(differing) / 2)
    limit = np.full(len(differing), -1.0)  # largest significant number of pairs in the rarer direction
    for offset in range(-3, 3):
        candidate = near + offset
        is_significant = (candidate >= 0) & (bdtr(np.maximum(candidate, 0), differing, 0.5) <= tail)
        limit[is_significant] = candidate[is_significant]
    toward = (discordance + abs(change)) / (2 * discordance)
    can_reject = limit >= 0
    rarer = np.maximum(limit, 0)
    detected = bdtr(rarer, differing, 1 - toward) + bdtr(rarer, differing, toward)
    return float((weight * detected)[can_reject].sum())


def find_smallest_number(power_of: Callable[[int], float], power: float) -> int | None:
    """The smallest number of cases, from 2 on, with this power; None if it is above `MAX_CASES`. More cases must have more power."""
    low, high = 1, 2
    while power_of(high) < power:
        low, high = high, high * 2
        if high > MAX_CASES:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if power_of(middle) >= power:
            high = middle
        else:
            low = middle
    return high


def detectable_effect(n: int, *, power: float = 0.8, confidence: float = 0.95, degrees: float | None = None) -> float:
    """The smallest change, in standard errors of the mean, that `n` differences detect with this power.

    `degrees` are the degrees of freedom of the standard error; default: `n - 1`.

    >>> round(detectable_effect(100_000), 3), round(detectable_effect(10), 3)
    (2.802, 3.15)
    """
    from scipy.special import nctdtrinc, ndtri

    if n < 2:
        return inf
    tail = 0.5 + confidence / 2
    degrees = n - 1 if degrees is None else degrees
    if degrees >= _NORMAL_FROM - 1:
        return float(ndtri(tail) + ndtri(power))
    return float(nctdtrinc(degrees, 1 - power, student_quantile(degrees, tail)))
