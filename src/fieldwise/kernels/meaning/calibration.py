"""A monotone map from raw similarity to a score whose best cut is the one people use, fitted on labelled pairs.

>>> curve = fit([0.9, 0.8, 0.3, 0.2], [True, True, False, False])
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

USUAL_CUT = 0.80


@dataclass(frozen=True, slots=True)
class Curve:
    """A strictly rising line through a few points, from (0, 0) to (1, 1)."""

    knots: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        rising = all(low[0] < high[0] and low[1] < high[1] for low, high in pairwise(self.knots))
        if len(self.knots) < 2 or self.knots[0] != (0.0, 0.0) or self.knots[-1] != (1.0, 1.0) or not rising:
            raise ValueError(f"a calibration must rise from (0, 0) to (1, 1) with every point; this does not: {self.knots}")

    def __call__(self, raw: ArrayLike) -> NDArray[np.float64]:
        """Scores in [0, 1]; raw values beyond it count as its ends."""
        points = np.array(self.knots)
        return np.interp(np.asarray(raw, dtype=np.float64), points[:, 0], points[:, 1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """How well scores tell pairs that mean the same from others."""

    pairs: int
    precision: float
    recall: float
    f1: float
    accuracy: float
    auc: float
    """The chance that a pair that means the same scores above one that does not."""


def fit(raw: Sequence[float] | NDArray[np.float64], same: Sequence[bool] | NDArray[np.bool_], *, at: float = USUAL_CUT) -> Curve:
    """The map that puts the best cut of these pairs at `at`."""
    cut = round(best_cut(np.asarray(raw, dtype=np.float64), np.asarray(same, dtype=np.bool_)), 3)
    return Curve(((0.0, 0.0), (min(max(cut, 0.001), 0.999), at), (1.0, 1.0)))


def best_cut(raw: NDArray[np.float64], same: NDArray[np.bool_]) -> float:
    """The cut with the highest F1. Cuts within 0.01 of it are as good, since labels are few; of these it is the middle.

    Both kinds of pairs are needed.
    """
    if same.all() or not same.any():
        raise ValueError("a cut needs pairs that mean the same and pairs that do not")
    values = np.unique(raw)
    cuts = (values + np.concatenate([[0.0], values[:-1]])) / 2
    f1 = np.array([quality(raw, same, at=cut).f1 for cut in cuts])
    good = cuts[f1 >= f1.max() - 0.01]
    return float((good[0] + good[-1]) / 2)


def quality(score: NDArray[np.float64], same: NDArray[np.bool_], *, at: float = USUAL_CUT) -> Quality:
    """Precision, recall and their like with `at` as the cut, inclusive."""
    passed = score >= at
    hits = int(np.sum(passed & same))
    precision = hits / max(int(np.sum(passed)), 1)
    recall = hits / max(int(np.sum(same)), 1)
    return Quality(
        pairs=len(same),
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall) if hits else 0.0,
        accuracy=float(np.mean(passed == same)) if len(same) else 0.0,
        auc=auc(score[same], score[~same]),
    )


def auc(same: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The chance that one of `same` is above one of `other`, ties counting half; NaN where a side is empty.

    >>> auc(np.array([0.9, 0.5]), np.array([0.5, 0.1]))
    0.875
    """
    if not len(same) or not len(other):
        return float("nan")
    ranked = np.sort(other)
    above = np.searchsorted(ranked, same, side="left")
    not_below = np.searchsorted(ranked, same, side="right")
    return float(np.mean((above + not_below) / (2 * len(other))))


def held_out(expected: str, actual: str) -> bool:
    """Whether a pair belongs to the half that is only reported on: decided by its text, so that no one chooses.

    >>> held_out("Net 30", "Net 60"), held_out("CEO", "CFO")
    (True, False)
    """
    return sha256(f"{expected}\x1f{actual}".encode()).digest()[0] % 2 == 1
