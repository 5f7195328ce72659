"""Pairing two lists one to one so that the pairs are as similar as they can be together."""

from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

BIAS = 1e-9
"""How much all pairs of an assignment together may gain by standing near the diagonal. It decides ties, nothing else."""


def assign(similarity: NDArray[np.float64]) -> list[tuple[int, int]]:
    """The min(n, m) pairs (row, column) with the largest sum, by row. Of equal sums, the one nearest the diagonal; NaN is the worst value.

    >>> assign(np.array([[0.9, 0.8], [0.7, 0.1]]))
    [(0, 1), (1, 0)]
    >>> assign(np.ones((3, 3)))
    [(0, 0), (1, 1), (2, 2)]
    """
    n, m = similarity.shape
    if n == 0 or m == 0:
        return []
    known = _without_nan(similarity)
    if n == 1:
        return [(0, int(known.argmax()))]
    if m == 1:
        return [(int(known.argmax()), 0)]
    if n == 2 and m == 2:
        return _two_by_two(known)
    return _solve(known)


def _without_nan(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Similarities as finite numbers, in the order they had."""
    if np.isfinite(similarity).all():
        return similarity
    finite = similarity[np.isfinite(similarity)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    step = max(high - low, 1.0) * similarity.size  # no sum of other pairs makes up for one of these
    return np.nan_to_num(similarity, nan=low - step, neginf=low - step, posinf=high + step)


def _two_by_two(similarity: NDArray[np.float64]) -> list[tuple[int, int]]:
    (a, b), (c, d) = similarity.tolist()
    slack = BIAS * min(1.0, max(a, b, c, d) - min(a, b, c, d))
    return [(0, 0), (1, 1)] if a + d >= b + c - slack else [(0, 1), (1, 0)]


def _solve(similarity: NDArray[np.float64]) -> list[tuple[int, int]]:
    solve: Any = import_module("scipy.optimize").linear_sum_assignment  # imported late: most runs never need it
    n, m = similarity.shape
    spread = float(similarity.max() - similarity.min())
    near = _nearness(n, m) if n * m <= 4096 else _nearness.__wrapped__(n, m)
    rows, columns = solve(similarity + near * (min(1.0, spread) or 1.0), maximize=True)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


@lru_cache(maxsize=128)
def _nearness(n: int, m: int) -> NDArray[np.float64]:
    """Largest on the diagonal, falling to 0 in the far corner; any assignment gains at most `BIAS`."""
    away = np.abs(np.subtract.outer(np.arange(n), np.arange(m)))
    return (1.0 - away / max(n, m)) * (BIAS / min(n, m))
