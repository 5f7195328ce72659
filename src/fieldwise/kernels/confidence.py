"""How good confidences are: calibration, ranking, risk and coverage, and the errors found by reviewing the least confident values.

`confidence` holds numbers from 0 to 1, `correct` whether each value is right. Values of equal confidence are never told apart: where a
boundary falls among them, each counts with their mean, so no result depends on the order of the values.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.statistics import draw_poisson_weights

BINS: Final = 10
_MAX_BLOCK: Final = 1 << 22
"""Cells of a block of replicates that are computed at once."""
_SEEDS: Final = 5
"""Draws of weights, of 200 replicates each."""
_MANY_VALUES: Final = 20_000
"""From this many values on, one draw does: the interval is narrow, and its ends need not be exact."""

_BISECTIONS: Final = 60

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Values of similar confidence."""

    low: float
    high: float
    n: float
    """Number of values; a fraction where a boundary falls among equal confidences."""
    confidence: float
    """Mean confidence."""
    accuracy: float


def reliability_bins(confidence: Floats, correct: Floats, bins: int = BINS) -> list[ReliabilityBin]:
    """Bins of equal count, by ascending confidence.

    >>> [round(bin.accuracy, 2) for bin in reliability_bins(np.array([0.1, 0.9, 0.9]), np.array([0.0, 1.0, 0.0]), bins=3)]
    [0.0, 0.5, 0.5]
    """
    if not len(confidence):
        return []
    confidence, correct = _sort_by_confidence(confidence, correct)
    edges = np.linspace(0, len(confidence), bins + 1)
    count = len(confidence) / bins
    means = [np.diff(_sums_up_to(edges, column)) / count for column in (confidence, correct)]
    rows: list[ReliabilityBin] = []
    for at in range(bins):
        low = confidence[min(int(np.floor(edges[at])), len(confidence) - 1)]
        high = confidence[max(int(np.ceil(edges[at + 1])) - 1, 0)]
        rows.append(ReliabilityBin(float(low), float(high), count, float(means[0][at]), float(means[1][at])))
    return rows


def _sums_up_to(positions: Floats, column: Floats) -> Floats:
    """The sum of a column before each position, which may be between two values."""
    return np.interp(positions, np.arange(len(column) + 1), np.concatenate([[0.0], np.cumsum(column)]))


def _sort_by_confidence(confidence: Floats, correct: Floats) -> tuple[Floats, Floats]:
    """Both columns by ascending confidence; values of equal confidence get their mean correctness."""
    levels, codes, counts = np.unique(confidence, return_inverse=True, return_counts=True)
    means = np.bincount(codes, weights=correct, minlength=len(levels)) / counts
    return np.repeat(levels, counts), np.repeat(means, counts)


def expected_calibration_error(confidence: Floats, correct: Floats, bins: int = BINS) -> float:
    """Mean distance of confidence and accuracy over bins of equal count.

    >>> round(expected_calibration_error(np.full(20, 0.9), np.array([1.0] * 15 + [0.0] * 5)), 6)
    0.15
    """
    rows = reliability_bins(confidence, correct, bins)
    return float(np.mean([abs(row.confidence - row.accuracy) for row in rows])) if rows else float("nan")


def brier_score(confidence: Floats, correct: Floats) -> float:
    """Mean squared distance of confidence and correctness."""
    return float(np.mean((confidence - correct) ** 2))


def area_under_roc(confidence: Floats, correct: Floats) -> float:
    """Probability that a correct value has a higher confidence than a wrong one; ties count half. NaN without one of both.

    >>> area_under_roc(np.array([0.2, 0.8, 0.8]), np.array([0.0, 1.0, 0.0]))
    0.75
    """
    order = np.argsort(confidence, kind="stable")
    area = _areas_under_roc(confidence[order], correct[order], np.ones((1, len(confidence))))
    return float(area[0])


def _areas_under_roc(confidence: Floats, correct: Floats, weights: Floats) -> Floats:
    """The area for each row of weights, of values by ascending confidence; NaN where a row has no weight on right or on wrong values."""
    starts = np.flatnonzero(np.concatenate([[True], confidence[1:] != confidence[:-1]]))
    right = np.add.reduceat(weights * correct, starts, axis=1)
    wrong = np.add.reduceat(weights, starts, axis=1) - right
    wrong_below = np.cumsum(wrong, axis=1) - wrong / 2
    pairs = right.sum(axis=1) * wrong.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(pairs > 0, (right * wrong_below).sum(axis=1) / pairs, np.nan)


def area_interval(
    confidence: Floats, correct: Floats, document: NDArray[np.int64], keys: NDArray[np.uint64], level: float = 0.95
) -> tuple[float, float] | None:
    """Interval of the area; None for fewer than five documents with a value, and for equal confidences, which rank nothing.

    It is the wider at each end of two: a percentile bootstrap of documents, which is too narrow near 0 and 1, and there without a width,
    and a score interval with documents as units, which is too narrow where right and wrong values are spread very differently.
    `document` indexes `keys`, which draw the weights of a document, so the interval does not depend on the order of the documents.
    """
    used, document = np.unique(document, return_inverse=True)
    if len(used) < 5 or confidence.min() == confidence.max():
        return None
    area = area_under_roc(confidence, correct)
    documents_with_right, documents_with_wrong = (len(np.unique(document[correct == side])) for side in (1, 0))
    score_interval = area_score_interval(area, documents_with_right, documents_with_wrong, level)
    order = np.argsort(confidence, kind="stable")
    confidence, correct, document = confidence[order], correct[order], document[order]
    block = max(_MAX_BLOCK // max(len(confidence), 1), 1)
    areas: list[Floats] = []
    for seed in range(_SEEDS if len(confidence) < _MANY_VALUES else 1):
        weights = draw_poisson_weights(keys[used], seed)
        for start in range(0, weights.shape[1], block):
            drawn = weights[:, start : start + block].T.astype(np.float64)
            areas.append(_areas_under_roc(confidence, correct, drawn[:, document]))
    replicates = np.concatenate(areas)
    measured = replicates[~np.isnan(replicates)]
    if len(measured) < len(replicates) / 2:
        return None
    low, high = np.quantile(measured, [(1 - level) / 2, (1 + level) / 2])
    return min(float(low), score_interval[0]), max(float(high), score_interval[1])


def area_score_interval(area: float, right: int, wrong: int, level: float = 0.95) -> tuple[float, float]:
    """The areas from which an area measured on this number of right and wrong values is no surprise (Newcombe 2006, method 5).

    Its variance is that of Hanley and McNeil at the hypothetical area, so the interval has a width also at 0 and 1, and stays inside.

    >>> [round(end, 3) for end in area_score_interval(1.0, 20, 10)]
    [0.849, 1.0]
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    mean_size = (right + wrong) / 2 - 1

    def is_surprising(hypothetical: float) -> bool:
        spread = 1 + mean_size * (1 - hypothetical) / (2 - hypothetical) + mean_size * hypothetical / (1 + hypothetical)
        variance = hypothetical * (1 - hypothetical) * spread / (right * wrong)
        return (area - hypothetical) ** 2 > z * z * variance

    return _find_end(area, 0.0, is_surprising), _find_end(area, 1.0, is_surprising)


def _find_end(inside: float, outside: float, is_surprising: Callable[[float], bool]) -> float:
    """Where the interval ends between the area and 0 or 1, by bisection."""
    for _ in range(_BISECTIONS):
        middle = (inside + outside) / 2
        if is_surprising(middle):
            outside = middle
        else:
            inside = middle
    return (inside + outside) / 2


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """What accepting all values from a confidence on means."""

    threshold: float
    coverage: float
    """Share of the values that are accepted."""
    risk: float
    """Share of the accepted values that are wrong."""


def risk_coverage(confidence: Floats, correct: Floats, points: int = 50) -> list[RiskPoint]:
    """Risk at every distinct confidence, from the highest down; at most `points` of them, evenly spread over the coverage."""
    if not len(confidence):
        return []
    levels, codes, counts = np.unique(confidence, return_inverse=True, return_counts=True)
    errors = np.bincount(codes, weights=1 - correct, minlength=len(levels))
    accepted = np.cumsum(counts[::-1])
    risk = np.cumsum(errors[::-1]) / accepted
    coverage = accepted / len(confidence)
    positions = np.searchsorted(coverage, np.arange(1, points + 1) / points - 1e-12)
    rows = sorted({*np.minimum(positions, len(levels) - 1).tolist()})
    return [RiskPoint(float(levels[::-1][row]), float(coverage[row]), float(risk[row])) for row in rows]


def errors_caught(confidence: Floats, correct: Floats, shares: Sequence[float]) -> list[float]:
    """Number of errors among the least confident values, for each share of all values as a whole number of them.

    It is a fraction where ties are cut.

    >>> errors_caught(np.array([0.1, 0.9, 0.9]), np.array([0.0, 0.0, 1.0]), [1 / 3, 2 / 3])
    [1.0, 1.5]
    """
    confidence, correct = _sort_by_confidence(confidence, correct)
    return _sums_up_to(np.rint(np.array(shares) * len(confidence)), 1 - correct).tolist()
