"""Polygons as they are, holes and overlaps counted exactly. Needs shapely; importing this file does not."""

import re
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.boxes import Floats, ratios

Polygons = NDArray[np.object_]
"""Shapely polygons."""


def available() -> bool:
    """Whether shapely is installed."""
    return find_spec("shapely") is not None


def _shapely() -> Any:
    return import_module("shapely")


def polygons(rings: Sequence[Floats]) -> Polygons:
    """Polygons from their corners, float64[k, 2] each with k ≥ 3; the last corner need not repeat the first."""
    shapely = _shapely()
    if not len(rings):
        return np.empty(0, dtype=np.object_)
    sizes = [len(ring) for ring in rings]
    owner = np.repeat(np.arange(len(rings)), sizes)
    return shapely.polygons(shapely.linearrings(np.concatenate(rings), indices=owner))


def from_boxes(boxes: Floats) -> Polygons:
    """Polygons from boxes (x1, y1, x2, y2); None for a row of NaN."""
    known = ~np.isnan(boxes).any(axis=1)
    shapes = np.full(len(boxes), None, dtype=np.object_)
    shapes[known] = _shapely().box(*boxes[known].T)
    return shapes


def faults(shapes: Polygons) -> dict[int, str]:
    """What is wrong with those that are not simple polygons, by position.

    >>> faults(polygons([np.array([[0, 0], [2, 2], [2, 0], [0, 2.0]]), np.array([[0, 0], [1, 0], [0, 1.0]])]))
    {0: 'self-crossing polygon, at (1, 1)'}
    """
    shapely = _shapely()
    broken = np.flatnonzero(~shapely.is_valid(shapes))
    return {int(row): _fault(shapely.is_valid_reason(shapes[row]), shapely.get_coordinates(shapes[row])) for row in broken}


def _fault(reason: str, corners: Floats) -> str:
    if np.linalg.matrix_rank(corners - corners[0]) < 2:
        return "polygon without area: its corners lie on a line"
    place = re.search(r"\[(\S+) (\S+)\]", reason)
    return f"self-crossing polygon, at ({place[1]}, {place[2]})" if place else f"invalid polygon: {reason.lower()}"


def polygon_iou_pairs(expected: Polygons, actual: Polygons) -> Floats:
    """Intersection over union of valid polygons, row by row: float64[n]. Where the union is 0, it is 0."""
    shapely = _shapely()
    return _shares(shapely, expected, actual, shapely.area(expected), shapely.area(actual))


def polygon_iou_grid(expected: Polygons, actual: Polygons) -> Floats:
    """Intersection over union of every expected with every actual polygon: float64[n, m].

    Only pairs that an index of their outlines finds touching are cut against each other.
    """
    shapely = _shapely()
    grid = np.zeros((len(expected), len(actual)))
    if grid.size == 0:
        return grid
    rows, columns = shapely.STRtree(actual).query(expected, predicate="intersects")
    grid[rows, columns] = _shares(shapely, expected[rows], actual[columns], shapely.area(expected)[rows], shapely.area(actual)[columns])
    return grid


def _shares(shapely: Any, expected: Polygons, actual: Polygons, expected_areas: Floats, actual_areas: Floats) -> Floats:
    shared = np.zeros(len(expected_areas))
    solid = (expected_areas > 0) & (actual_areas > 0)
    shared[solid] = shapely.area(shapely.intersection(expected[solid], actual[solid]))
    return np.clip(ratios(shared, expected_areas + actual_areas - shared), 0.0, 1.0)
