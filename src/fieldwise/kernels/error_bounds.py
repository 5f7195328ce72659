"""Upper bounds on an error rate: exact where values are independent, by the effective number of values where documents have several."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

MIN_ERROR_DOCUMENTS: Final = 10
"""From this many documents with errors on, the design effect is estimated; below, documents count as units."""


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


def clustered_upper_bound(sizes: NDArray[np.float64], errors: NDArray[np.float64], level: float, largest_share: float = 1.0) -> float:
    """The upper bound for documents with these numbers of values and errors.

    Exact if every document has one value. Otherwise the effective number of values takes the place of their number: it is the number of
    values divided by the design effect, estimated from the documents, or without enough of them with errors, the one for documents
    whose values are all right or all wrong. `largest_share` limits the effective share of the values, where more documents are known.
    """
    total, wrong = float(sizes.sum()), float(errors.sum())
    if not total:
        return 1.0
    share = min(effective_size(sizes, errors) / total, largest_share)
    return upper_bound(wrong * share, total * share, level)


def effective_size(sizes: NDArray[np.float64], errors: NDArray[np.float64]) -> float:
    """The number of independent values that tell as much about the error rate as the values of these documents.

    >>> effective_size(np.array([1.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0])), effective_size(np.full(5, 10.0), np.zeros(5))
    (3.0, 5.0)
    """
    total, wrong = float(sizes.sum()), float(errors.sum())
    if (sizes <= 1).all():
        return total
    by_document = total * total / float((sizes * sizes).sum())
    documents = int((sizes > 0).sum())
    if int((errors > 0).sum()) < MIN_ERROR_DOCUMENTS or documents < 2 or wrong >= total:
        return by_document
    rate = wrong / total
    residuals = errors - rate * sizes
    clustered_variance = float((residuals * residuals).sum()) * documents / (documents - 1) / total**2
    independent_variance = rate * (1 - rate) / total
    # few documents with errors make the estimate uncertain, so it is raised by two standard errors
    raised = clustered_variance * (1 + 2 * np.sqrt(2 / int((errors > 0).sum())))
    design_effect = max(raised / independent_variance, 1.0)
    return max(total / design_effect, by_document)
