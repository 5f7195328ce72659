"""Pairing two lists one to one so that the pairs are as similar as they can be together."""

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from itertools import permutations
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

BIAS = 1e-9
"""How much all pairs of an assignment together may gain by standing near the diagonal. It decides ties, nothing else."""


FEW = 5
"""Up to so many items on either side, every way to pair them is tried: short lists are most, and need not wait for scipy to load."""


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
    return assign_few(known.ravel().tolist(), n, m) if max(n, m) <= FEW else _solve(known)


def _without_nan(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Similarities as finite numbers, in the order they had."""
    if np.isfinite(similarity).all():
        return similarity
    finite = similarity[np.isfinite(similarity)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    step = max(high - low, 1.0) * similarity.size  # no sum of other pairs makes up for one of these
    return np.nan_to_num(similarity, nan=low - step, neginf=low - step, posinf=high + step)


def assign_few(similarity: Sequence[float], n: int, m: int) -> list[tuple[int, int]]:
    """The same for a few items and numbers that are finite, row by row in one sequence: trying every way takes less time than an array.

    >>> assign_few([0.9, 0.8, 0.7, 0.1], 2, 2)
    [(0, 1), (1, 0)]
    """
    spread = min(1.0, max(similarity) - min(similarity)) or 1.0
    found: list[tuple[int, int]] = []
    best = -inf
    for cells, near, pairs in _ways(n, m):
        total = near * spread
        for cell in cells:
            total += similarity[cell]
        if total > best:
            best, found = total, pairs
    return found.copy()


@lru_cache(maxsize=FEW * FEW)
def _ways(n: int, m: int) -> list[tuple[tuple[int, ...], float, list[tuple[int, int]]]]:
    """Every way to pair the shorter side with some of the longer: its cells, how much it gains by standing near the diagonal, its pairs."""
    near = _nearness(n, m).ravel().tolist()
    ways = [[*enumerate(columns)] for columns in permutations(range(m), n)] if n <= m else _columns_first(n, m)
    cells = [tuple(row * m + column for row, column in pairs) for pairs in ways]
    return [(some, sum(near[cell] for cell in some), pairs) for some, pairs in zip(cells, ways, strict=True)]


def _columns_first(n: int, m: int) -> list[list[tuple[int, int]]]:
    return [sorted((row, column) for column, row in enumerate(rows)) for rows in permutations(range(n), m)]


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
