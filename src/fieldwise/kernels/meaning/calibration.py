"""A monotone map from raw similarity to a score whose best threshold is the usual one, fitted on labelled pairs.

>>> curve = fit_curve([0.9, 0.8, 0.3, 0.2], [True, True, False, False])
>>> [(raw, round(score, 2)) for raw, score in curve.knots]
[(0.0, 0.0), (0.55, 0.8), (1.0, 1.0)]
>>> curve([0.0, 0.55, 1.0]).tolist()
[0.0, 0.8, 1.0]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldwise.kernels.statistics import precision_recall_f1

DEFAULT_THRESHOLD = 0.80
_EQUALLY_GOOD_F1 = 0.01
"""Thresholds whose F1 is within this of the best are as good, since labels are few."""


@dataclass(frozen=True, slots=True)
class CalibrationCurve:
    """A strictly increasing polyline from (0, 0) to (1, 1)."""

    knots: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        increasing = all(low[0] < high[0] and low[1] < high[1] for low, high in pairwise(self.knots))
        if len(self.knots) < 2 or self.knots[0] != (0.0, 0.0) or self.knots[-1] != (1.0, 1.0) or not increasing:
            raise ValueError(f"a calibration must rise from (0, 0) to (1, 1) with every point; this does not: {self.knots}")

    def __call__(self, raw: ArrayLike) -> NDArray[np.float64]:
        """Return scores in [0, 1]; raw values outside [0, 1] count as its ends."""
        points = np.array(self.knots)
        return np.interp(np.asarray(raw, dtype=np.float64), points[:, 0], points[:, 1])


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationQuality:
    """How well scores separate pairs with the same meaning from others."""

    pairs: int
    precision: float
    recall: float
    f1: float
    accuracy: float
    auc: float
    """The probability that a pair with the same meaning scores above one without."""


def fit_curve(
    raw: Sequence[float] | NDArray[np.float64], same: Sequence[bool] | NDArray[np.bool_], *, at: float = DEFAULT_THRESHOLD
) -> CalibrationCurve:
    """Fit the map that moves the best threshold of these pairs to `at`."""
    threshold = round(find_best_threshold(np.asarray(raw, dtype=np.float64), np.asarray(same, dtype=np.bool_)), 3)
    return CalibrationCurve(((0.0, 0.0), (min(max(threshold, 0.001), 0.999), at), (1.0, 1.0)))


def find_best_threshold(raw: NDArray[np.float64], same: NDArray[np.bool_]) -> float:
    """Return the threshold with the highest F1; of those that are equally good, the middle. Both kinds of pairs are needed."""
    if same.all() or not same.any():
        raise ValueError("calibration needs pairs that mean the same and pairs that do not")
    values = np.unique(raw)
    thresholds = (values + np.concatenate([[0.0], values[:-1]])) / 2
    f1 = np.array([measure_quality(raw, same, at=threshold).f1 for threshold in thresholds])
    good = thresholds[f1 >= f1.max() - _EQUALLY_GOOD_F1]
    return float((good[0] + good[-1]) / 2)


def measure_quality(score: NDArray[np.float64], same: NDArray[np.bool_], *, at: float = DEFAULT_THRESHOLD) -> CalibrationQuality:
    """Measure how well scores of `at` or more identify pairs with the same meaning."""
    passed = score >= at
    precision, recall, f1 = precision_recall_f1(np.sum(passed & same), np.sum(passed & ~same), np.sum(~passed & same))
    return CalibrationQuality(
        pairs=len(same),
        precision=float(precision),
        recall=float(recall),
        f1=float(f1),
        accuracy=float(np.mean(passed == same)) if len(same) else 0.0,
        auc=compute_auc(score[same], score[~same]),
    )


def compute_auc(positives: NDArray[np.float64], negatives: NDArray[np.float64]) -> float:
    """Return the probability that a positive scores above a negative, ties counting half; NaN where a side is empty.

    >>> compute_auc(np.array([0.9, 0.5]), np.array([0.5, 0.1]))
    0.875
    """
    if not len(positives) or not len(negatives):
        return float("nan")
    ranked = np.sort(negatives)
    above = np.searchsorted(ranked, positives, side="left")
    not_below = np.searchsorted(ranked, positives, side="right")
    return float(np.mean((above + not_below) / (2 * len(negatives))))


def is_held_out(expected: str, actual: str) -> bool:
    """Return whether a pair is in the held-out half: a hash of its text decides, so that the split cannot be chosen.

    >>> is_held_out("Net 30", "Net 60"), is_held_out("CEO", "CFO")
    (True, False)
    """
    return sha256(f"{expected}\x1f{actual}".encode()).digest()[0] % 2 == 1
