"""Boxes as arrays: one row (x1, y1, x2, y2) each, x1 ≤ x2, y1 ≤ y2, finite and within ±`LARGEST`."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LARGEST: Final = 1e150
"""Coordinates beyond this have areas that no float can hold."""

_BLOCK: Final = 16_384
"""Pairs worked on at a time: a few buffers of this many floats stay in the processor's cache."""


def from_xywh(boxes: Floats) -> Floats:
    """Corners from a corner, a width and a height.

    >>> from_xywh(np.array([[1.0, 2.0, 3.0, 4.0]])).tolist()
    [[1.0, 2.0, 4.0, 6.0]]
    """
    return np.concatenate((boxes[:, :2], boxes[:, :2] + boxes[:, 2:]), axis=1)


def areas(boxes: Floats) -> Floats:
    """Width times height of every box."""
    sides = boxes[:, 2:] - boxes[:, :2]
    return sides[:, 0] * sides[:, 1]


def iou_grid(expected: Floats, actual: Floats) -> Floats:
    """Intersection over union of every expected with every actual box: float64[n, m]. Where the union is 0, it is 0.

    >>> iou_grid(np.array([[0.0, 0.0, 2.0, 2.0]]), np.array([[0.0, 0.0, 2.0, 2.0], [1.0, 0.0, 3.0, 2.0], [5.0, 5.0, 6.0, 6.0]])).round(2)
    array([[1.  , 0.33, 0.  ]])
    """
    n, m = len(expected), len(actual)
    grid = np.empty((n, m))
    if n == 0 or m == 0:
        return grid
    rows, columns = expected.T[:, :, None], actual.T[:, None, :].copy()  # coordinates in one piece each: faster to broadcast
    row_areas, column_areas = areas(expected)[:, None], areas(actual)
    flat = not (row_areas.min() > 0 or column_areas.min() > 0)  # only then may a union be 0
    step = max(1, _BLOCK // m)
    if step >= n:
        _ratios_of_block(rows, columns, row_areas + column_areas, grid, flat)
        return grid
    for start in range(0, n, step):
        block = slice(start, start + step)
        _ratios_of_block(rows[:, block], columns, row_areas[block] + column_areas, grid[block], flat)
    return grid


def _ratios_of_block(rows: Floats, columns: Floats, both: Floats, out: Floats, flat: bool) -> None:
    """Intersection over union of every row with every column, into `out`; `both` is the sum of their areas and is used up."""
    sides = np.minimum(rows[2:], columns[2:])
    sides -= np.maximum(rows[:2], columns[:2])
    np.maximum(sides, 0.0, out=sides)
    np.multiply(sides[0], sides[1], out=out)
    both -= out
    if flat:
        both[both <= 0] = 1.0
    out /= both


def intersections(expected: Floats, actual: Floats) -> Floats:
    """The area that each expected box shares with the actual box in the same row."""
    low = np.maximum(expected[:, :2], actual[:, :2])
    sides = np.maximum(np.minimum(expected[:, 2:], actual[:, 2:]) - low, 0.0)
    return sides[:, 0] * sides[:, 1]


def iou_pairs(expected: Floats, actual: Floats) -> Floats:
    """Intersection over union, row by row: float64[n].

    >>> iou_pairs(np.array([[0.0, 0.0, 2.0, 2.0]]), np.array([[1.0, 0.0, 3.0, 2.0]])).round(3).tolist()
    [0.333]
    """
    shared = intersections(expected, actual)
    return ratios(shared, areas(expected) + areas(actual) - shared)


def ratios(part: Floats, whole: Floats) -> Floats:
    """part / whole, 0 where whole is 0."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
