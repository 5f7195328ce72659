"""Upper bounds on an error rate: exact where values are independent, and safe where the values of one document may fail together."""

from collections.abc import Callable
from math import exp, pi, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_CLOSEST: Final = 1e-12
"""How close to its singularity the cumulant generating function is evaluated, relative to it."""


def upper_bound(errors: float, n: float, level: float) -> float:
    """One-sided Clopper–Pearson upper bound on a rate: the true rate is above it with probability of at most 1 - level.

    >>> round(upper_bound(0, 4, 0.95), 3), round(upper_bound(6, 1026, 0.95), 4)
    (0.527, 0.0115)
    """
    return float(upper_bounds(np.array([errors]), np.array([n]), level)[0])


def upper_bounds(errors: NDArray[np.float64], n: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """The same for arrays of errors and numbers of values, which may be fractions."""
    from scipy.special import betaincinv  # slow to import, and only policies need it

    is_open = (n > 0) & (errors < n)
    bounds = betaincinv(np.where(is_open, errors + 1, 1.0), np.where(is_open, n - errors, 1.0), level)
    return np.where(is_open, bounds, 1.0)


def clustered_upper_bound(sizes: NDArray[np.float64], errors: NDArray[np.float64], level: float) -> float:
    """The upper bound for documents with these numbers of values and errors, however the errors of a document depend on each other.

    Gaffke's bound for means of bounded values: a document that is wrong as a whole is added to those seen, all of them get random
    weights (Dirichlet's), and the quantile of the weighted error rate is the bound. Documents that are all right or all wrong and equally
    large have Clopper–Pearson's bound over documents, and documents with one value have it over values. The added document is as large
    as that of a random value.

    >>> round(clustered_upper_bound(np.full(100, 8.0), np.zeros(100), 0.95), 4), round(upper_bound(0, 100, 0.95), 4)
    (0.0295, 0.0295)
    """
    total, wrong = float(sizes.sum()), float(errors.sum())
    if not total or wrong >= total:
        return 1.0
    largest = float(sizes.max())
    if bool(((sizes == largest) & ((errors == 0) | (errors == largest))).all()):
        return upper_bound(wrong / largest, len(sizes), level)
    added = total / effective_documents(sizes)
    documents = np.stack([np.append(errors, added), np.append(sizes, added)], axis=1)
    kinds, counts = np.unique(documents, axis=0, return_counts=True)
    # the weighted rate is above r exactly if the weighted sum of errors - r * size is above 0
    lowest = (wrong + added) / (total + added)

    def find_excess(rate: float) -> float:
        return _positive_share(kinds[:, 0] - rate * kinds[:, 1], counts) - (1 - level)

    margin = 1e-9 * (1 - lowest)
    return _find_root(find_excess, lowest + margin, 1 - margin, 1e-10)


def effective_documents(sizes: NDArray[np.float64]) -> float:
    """The number of equally large documents that tell as much as these about an error rate if documents are right or wrong as a whole.

    >>> effective_documents(np.full(5, 10.0)), effective_documents(np.array([1.0, 1.0, 1.0]))
    (5.0, 3.0)
    """
    return float(sizes.sum()) ** 2 / float((sizes * sizes).sum())


def _positive_share(coefficients: NDArray[np.float64], counts: NDArray[np.int64]) -> float:
    """The probability that a sum of exponential variables with these coefficients, `counts` of each, is above 0; its mean is below 0.

    By the saddlepoint approximation of Lugannani and Rice, whose relative error is below 1 % here.
    """
    from scipy.special import ndtr

    def find_slope(at: float) -> float:
        return float((counts * coefficients / (1 - coefficients * at)).sum())

    end = (1 - _CLOSEST) / float(coefficients.max())
    if find_slope(end) <= 0:
        return 0.0
    saddle = _find_root(find_slope, 0.0, end, 1e-14 * end)
    cumulant = -float((counts * np.log1p(-coefficients * saddle)).sum())
    curvature = float((counts * (coefficients / (1 - coefficients * saddle)) ** 2).sum())
    root, scaled = sqrt(max(-2 * cumulant, 0.0)), saddle * sqrt(curvature)
    if root < 1e-4:  # at the mean, where the approximation divides by almost nothing
        return 0.5
    return float(ndtr(-root)) + exp(-root * root / 2) / sqrt(2 * pi) * (1 / scaled - 1 / root)


def _find_root(function: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    """Where a function that has opposite signs at both ends is 0."""
    from scipy.optimize import brentq

    root: Any = brentq(function, low, high, xtol=tolerance)
    return float(root)
