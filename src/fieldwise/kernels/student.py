"""Quantiles of Student's t distribution.

scipy.special has them too, but importing it takes a third of the CPU time of a run with few cases.
"""

from functools import lru_cache
from math import exp, lgamma, log, log1p, pi
from statistics import NormalDist
from typing import Final

_MANY_DEGREES: Final = 200
"""From here on, the series in powers of 1/degrees is exact to 13 digits."""
_SERIES: Final = (
    (1, (1,)),
    (4, (1, 1)),
    (96, (5, 16, 3)),
    (384, (3, 19, 17, -15)),
    (92_160, (79, 776, 1_482, -1_920, -945)),
    (368_640, (27, 339, 930, -1_782, -765, 17_955)),
)
"""For each power of 1/degrees: a divisor, and the coefficients of the odd powers of the normal quantile, highest first."""
_MAX_STEPS: Final = 60
_NEARLY_EXACT: Final = 1e-9
"""The error after a step of Newton's method is about the square of the step."""
_MAX_TERMS: Final = 1_000
_EXACT: Final = 1e-15


@lru_cache(maxsize=1024)  # the metrics and fields of a run share a few numbers of cases
def student_quantile(degrees: float, probability: float) -> float:
    """The value that a t variable with at least 1 degree of freedom exceeds with probability 1 - `probability`, between 0.5 and 1.

    >>> round(student_quantile(9, 0.975), 6), round(student_quantile(1_000_000, 0.975), 6)
    (2.262157, 1.959966)
    """
    normal_quantile = NormalDist().inv_cdf(probability)
    if degrees >= _MANY_DEGREES:
        return _sum_series(normal_quantile, degrees)
    log_tail = log(1 - probability)
    quantile = normal_quantile
    for _ in range(_MAX_STEPS):  # Newton's method for log(tail) as a function of log(quantile), which is concave
        tail = _upper_tail(quantile, degrees)
        step = (log(tail) - log_tail) * tail / (quantile * _density(quantile, degrees))
        quantile *= exp(step)
        if abs(step) < _NEARLY_EXACT:
            break
    return quantile


def _sum_series(normal_quantile: float, degrees: float) -> float:
    """Fisher's and Cornish's expansion of the quantile."""
    square = normal_quantile * normal_quantile
    total = 0.0
    for power, (divisor, coefficients) in enumerate(_SERIES):
        polynomial = 0.0
        for coefficient in coefficients:
            polynomial = polynomial * square + coefficient
        total += polynomial * normal_quantile / (divisor * degrees**power)
    return total


def _density(value: float, degrees: float) -> float:
    log_scale = lgamma((degrees + 1) / 2) - lgamma(degrees / 2) - 0.5 * log(degrees * pi)
    return exp(log_scale - (degrees + 1) / 2 * log1p(value * value / degrees))


def _upper_tail(value: float, degrees: float) -> float:
    """The probability of a larger value than this positive one: half of the regularized incomplete beta function I(x; d/2, 1/2)."""
    a, b = degrees / 2, 0.5
    x = degrees / (degrees + value * value)
    factor = value * _density(value, degrees)  # equals x^a (1 - x)^b / B(a, b)
    if x < (a + 1) / (a + b + 2):  # where the continued fraction converges fast
        return 0.5 * factor / a * _beta_fraction(a, b, x)
    return 0.5 - 0.5 * factor / b * _beta_fraction(b, a, 1 - x)


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    numerator, denominator = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = denominator
    for term in range(1, _MAX_TERMS):
        even = term * (b - term) * x / ((a + 2 * term - 1) * (a + 2 * term))
        odd = -(a + term) * (a + b + term) * x / ((a + 2 * term) * (a + 2 * term + 1))
        for coefficient in (even, odd):
            denominator = 1 / (1 + coefficient * denominator)
            numerator = 1 + coefficient / numerator
            change = numerator * denominator
            fraction *= change
        if abs(change - 1) < _EXACT:
            break
    return fraction
