"""One-to-one assignment of two lists with the largest total similarity."""

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from itertools import permutations
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

IndexPairs = list[tuple[int, int]]
"""(row, column) of each pair, by row."""

DIAGONAL_BONUS = 1e-9
"""The most that all pairs of an assignment together gain by being near the diagonal. It decides ties, nothing else."""
EXHAUSTIVE_LIMIT = 5
"""Up to this many items on either side, every assignment is tried: most lists are short, and scipy need not be imported for them."""
_MAX_CACHED_CELLS = 4096
CLEAR_LEAD = 1e-6
"""A sum that is larger than another by this is larger however it is computed, and whatever bonus decides ties."""


def assign_pairs(similarity: NDArray[np.float64]) -> IndexPairs:
    """Return the min(n, m) pairs with the largest sum, by row. Of equal sums, the one nearest the diagonal; NaN is the worst value.

    >>> assign_pairs(np.array([[0.9, 0.8], [0.7, 0.1]]))
    [(0, 1), (1, 0)]
    >>> assign_pairs(np.ones((3, 3)))
    [(0, 0), (1, 1), (2, 2)]
    """
    n, m = similarity.shape
    if n == 0 or m == 0:
        return []
    finite = _replace_non_finite(similarity)
    if max(n, m) <= EXHAUSTIVE_LIMIT:
        return assign_small(finite.ravel().tolist(), n, m)
    return _assign_with_scipy(finite)


def assign_sparse(cells: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]], n: int, m: int) -> IndexPairs:
    """Return the pairs with the largest sum of a matrix that is 0 but for these cells: rows, columns and positive values.

    Rows and columns that are connected by cells are assigned together, apart from all others; pairs of value 0 are left out.

    >>> assign_sparse((np.array([0, 0, 7]), np.array([0, 1, 5]), np.array([0.5, 0.9, 0.2])), 8, 6)
    [(0, 1), (7, 5)]
    """
    rows, columns, values = cells
    sparse: Any = import_module("scipy.sparse")
    graph = sparse.coo_array((values, (rows, columns + n)), shape=(n + m, n + m))
    _, labels = import_module("scipy.sparse.csgraph").connected_components(graph, directed=False)
    order = np.argsort(labels[rows], kind="stable")
    starts = np.flatnonzero(np.diff(labels[rows][order], prepend=-1))
    pairs: IndexPairs = []
    for component in np.split(order, starts[1:]):
        own_rows, row_codes = np.unique(rows[component], return_inverse=True)
        own_columns, column_codes = np.unique(columns[component], return_inverse=True)
        similarity = np.zeros((len(own_rows), len(own_columns)))
        similarity[row_codes, column_codes] = values[component]
        pairs += [(int(own_rows[i]), int(own_columns[j])) for i, j in assign_pairs(similarity) if similarity[i, j] > 0]
    return sorted(pairs)


def _replace_non_finite(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return similarities as finite numbers in the same order, NaN and -inf below and inf above all others."""
    if np.isfinite(similarity).all():
        return similarity
    finite = similarity[np.isfinite(similarity)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    step = max(high - low, 1.0) * similarity.size  # larger than any difference between sums of the finite ones
    return np.nan_to_num(similarity, nan=low - step, neginf=low - step, posinf=high + step)


def assign_small(similarity: Sequence[float], n: int, m: int) -> IndexPairs:
    """Assign at most `EXHAUSTIVE_LIMIT` items a side by trying every assignment. `similarity` is finite, row by row in one sequence.

    >>> assign_small([0.9, 0.8, 0.7, 0.1], 2, 2)
    [(0, 1), (1, 0)]
    """
    spread = min(1.0, max(similarity) - min(similarity)) or 1.0
    best_pairs: IndexPairs = []
    best_total = -inf
    for cells, diagonal_bonus, pairs in _list_assignments(n, m):
        total = diagonal_bonus * spread
        for cell in cells:
            total += similarity[cell]
        if total > best_total:
            best_total, best_pairs = total, pairs
    return best_pairs.copy()


def assign_clearly(similarity: NDArray[np.float64]) -> IndexPairs | None:
    """Return the pairs of `assign_pairs` if their sum clearly exceeds that of every other assignment; None if it may not.

    Faster than a general solver, and the result for a part of a matrix is that part of the result for the whole.

    >>> assign_clearly(np.array([[0.9, 0.8], [0.7, 0.1]])), assign_clearly(np.ones((2, 2)))
    ([(0, 1), (1, 0)], None)
    """
    n, m = similarity.shape
    if n > m:
        transposed = assign_clearly(similarity.T)
        return None if transposed is None else sorted((row, column) for column, row in transposed)
    rows, columns = np.arange(n), np.arange(m)
    pairs: IndexPairs = []
    while len(rows):
        clear_rows, clear_columns = _find_clear_cells(similarity)
        if not len(clear_rows):
            rest = _assign_small_clearly(similarity)
            return None if rest is None else sorted(pairs + [(int(rows[row]), int(columns[column])) for row, column in rest])
        pairs += zip(rows[clear_rows].tolist(), columns[clear_columns].tolist(), strict=True)
        rows, columns = np.delete(rows, clear_rows), np.delete(columns, clear_columns)
        similarity = np.delete(np.delete(similarity, clear_rows, axis=0), clear_columns, axis=1)
    return sorted(pairs)


def _find_clear_cells(similarity: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find cells that are in every assignment with a sum near the largest, of a matrix with at least as many columns as rows.

    An assignment without such a cell (i, j) has cells (i, k) and (l, j), or (i, k) and nothing in column j. With (i, j) and (l, k) in their
    place, its sum is larger if the cell exceeds the next in its row and the next in its column together, all less the smallest value.
    """
    rows = np.arange(len(similarity))
    winners = similarity.argmax(axis=1)
    best = similarity[rows, winners]
    others = similarity.copy()
    others[rows, winners] = -inf
    lowest = similarity.min()
    next_in_row = np.maximum(others.max(axis=1), lowest)
    wins = np.bincount(winners, minlength=similarity.shape[1])
    if wins.max() == 1 and bool((best - next_in_row > CLEAR_LEAD).all()):
        return rows, winners  # every row has what it prefers
    next_in_column = np.maximum(others.max(axis=0), lowest)[winners]
    clear = (wins[winners] == 1) & (best + lowest - next_in_row - next_in_column > CLEAR_LEAD)
    return rows[clear], winners[clear]


def _assign_small_clearly(similarity: NDArray[np.float64]) -> IndexPairs | None:
    """Assign by trying every assignment; None if there are too many, or if the second-best sum is near the best."""
    n, m = similarity.shape
    if max(n, m) > EXHAUSTIVE_LIMIT:
        return None
    assignments = _list_assignments(n, m)
    if len(assignments) == 1:
        return assignments[0][2]
    totals = similarity.ravel()[np.array([cells for cells, _, _ in assignments])].sum(axis=1)
    second, best = np.argpartition(totals, -2)[-2:].tolist()
    return assignments[best][2] if totals[best] - totals[second] > CLEAR_LEAD else None


_Assignment = tuple[tuple[int, ...], float, IndexPairs]
"""Positions in the row-major sequence of similarities, diagonal bonus, pairs. A plain tuple: it unpacks faster than a NamedTuple."""


@lru_cache(maxsize=EXHAUSTIVE_LIMIT * EXHAUSTIVE_LIMIT)  # depends on the two sizes alone, and there are only these many
def _list_assignments(n: int, m: int) -> list[_Assignment]:
    """List every way to pair all items of the shorter side with items of the longer."""
    bonuses = _diagonal_bonuses(n, m).ravel().tolist()
    if n <= m:
        all_pairs = [[*enumerate(columns)] for columns in permutations(range(m), n)]
    else:
        all_pairs = [sorted((row, column) for column, row in enumerate(rows)) for rows in permutations(range(n), m)]
    assignments: list[_Assignment] = []
    for pairs in all_pairs:
        cells = tuple(row * m + column for row, column in pairs)
        assignments.append((cells, sum(bonuses[cell] for cell in cells), pairs))
    return assignments


def _assign_with_scipy(similarity: NDArray[np.float64]) -> IndexPairs:
    linear_sum_assignment: Any = import_module("scipy.optimize").linear_sum_assignment  # imported late: most runs never need it
    n, m = similarity.shape
    spread = float(similarity.max() - similarity.min())
    bonuses = _diagonal_bonuses(n, m) if n * m <= _MAX_CACHED_CELLS else _diagonal_bonuses.__wrapped__(n, m)
    rows, columns = linear_sum_assignment(similarity + bonuses * (min(1.0, spread) or 1.0), maximize=True)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


@lru_cache(maxsize=128)  # depends on the two sizes alone; callers never write to the array
def _diagonal_bonuses(n: int, m: int) -> NDArray[np.float64]:
    """A bonus for each cell: largest on the diagonal, falling to 0 in the far corner."""
    distance = np.abs(np.subtract.outer(np.arange(n), np.arange(m)))
    return (1.0 - distance / max(n, m)) * (DIAGONAL_BONUS / min(n, m))
