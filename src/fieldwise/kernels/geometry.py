"""Boxes, polygons and points as arrays: overlap and distance, pair by pair or as a grid.

Boxes are rows (x1, y1, x2, y2) with x1 ≤ x2 and y1 ≤ y2. All coordinates are finite and within ±`MAX_COORDINATE`.
The polygon functions need shapely; importing this module does not.
"""

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.ragged import Integers, expand_ranges, list_offsets

Floats = NDArray[np.float64]
Polygons = NDArray[np.object_]
"""Shapely polygons."""
DistanceMetric = Literal["euclidean", "manhattan", "cosine"]

MAX_COORDINATE: Final = 1e150
"""The square of a larger number, and so an area or a squared distance, overflows a float."""
_BLOCK_PAIRS: Final = 4_000
"""Pairs computed at a time. Arrays of 128 KB and more get new pages of memory in every call, which takes up to four times as long."""
_NEGATE_LOW: Final = np.array([[-1.0], [-1.0], [1.0], [1.0]])


# Boxes


def boxes_from_xywh(boxes: Floats) -> Floats:
    """Convert boxes given by a corner, a width and a height.

    >>> boxes_from_xywh(np.array([[1.0, 2.0, 3.0, 4.0]])).tolist()
    [[1.0, 2.0, 4.0, 6.0]]
    """
    return np.concatenate((boxes[:, :2], boxes[:, :2] + boxes[:, 2:]), axis=1)


def box_areas(boxes: Floats) -> Floats:
    """Width times height of every box."""
    sides = boxes[:, 2:] - boxes[:, :2]
    return sides[:, 0] * sides[:, 1]


def box_iou_grid(expected: Floats, actual: Floats) -> Floats:
    """Intersection over union of every expected with every actual box: float64[n, m]. 0 where the union is 0.

    >>> actual = np.array([[0.0, 0.0, 2.0, 2.0], [1.0, 0.0, 3.0, 2.0], [5.0, 5.0, 6.0, 6.0]])
    >>> box_iou_grid(np.array([[0.0, 0.0, 2.0, 2.0]]), actual).round(2)
    array([[1.  , 0.33, 0.  ]])
    """
    n, m = len(expected), len(actual)
    if n == 0 or m == 0:
        return np.empty((n, m))
    corners, areas = _prepare_boxes(np.concatenate((expected, actual)))
    union_may_be_zero = bool(np.count_nonzero(areas) < n + m)
    rows, columns, row_areas, column_areas = corners[:, :n, None], corners[:, None, n:], areas[:n, None], areas[n:]
    if n * m <= _BLOCK_PAIRS:
        return _box_ious(rows, columns, row_areas + column_areas, union_may_be_zero)
    grid = np.empty((n, m))
    step = max(1, _BLOCK_PAIRS // m)
    buffer = np.empty((4, step, m))
    for start in range(0, n, step):
        block = slice(start, start + step)
        out = grid[block]
        _box_ious(rows[:, block], columns, row_areas[block] + column_areas, union_may_be_zero, buffer[:, : len(out)], out)
    return grid


def box_iou_grids(expected: Floats, actual: Floats, expected_counts: Integers, actual_counts: Integers) -> Iterator[Floats]:
    """Yield the grid of `box_iou_grid` for each of many groups, whose boxes follow each other in both arrays.

    Small groups are computed together: for one of them alone, the calls cost more than the numbers.

    >>> boxes = np.array([[0.0, 0.0, 2.0, 2.0], [1.0, 0.0, 3.0, 2.0], [5.0, 5.0, 6.0, 6.0]])
    >>> [grid.tolist() for grid in box_iou_grids(boxes, boxes[1:], np.array([1, 2]), np.array([0, 2]))]
    [[[]], [[1.0, 0.0], [0.0, 1.0]]]
    """
    expected_offsets, actual_offsets = list_offsets(expected_counts), list_offsets(actual_counts)
    pair_offsets = list_offsets(expected_counts * actual_counts)
    start = 0
    while start < len(expected_counts):
        fitting = int(np.searchsorted(pair_offsets, pair_offsets[start] + _BLOCK_PAIRS, side="right")) - 1
        stop = max(start + 1, fitting)
        block_expected = expected[expected_offsets[start] : expected_offsets[stop]]
        block_actual = actual[actual_offsets[start] : actual_offsets[stop]]
        if stop == start + 1:
            yield box_iou_grid(block_expected, block_actual)
        else:
            ious = _group_ious(block_expected, block_actual, expected_counts[start:stop], actual_counts[start:stop])
            offsets = (pair_offsets[start : stop + 1] - pair_offsets[start]).tolist()
            for group in range(stop - start):
                grid = ious[offsets[group] : offsets[group + 1]]
                yield grid.reshape(expected_counts[start + group], actual_counts[start + group])
        start = stop


def _group_ious(expected: Floats, actual: Floats, expected_counts: Integers, actual_counts: Integers) -> Floats:
    """The grids of all groups, row by row in one array."""
    n = len(expected)
    corners, areas = _prepare_boxes(np.concatenate((expected, actual)))
    row_lengths = actual_counts.repeat(expected_counts)
    first_columns = (np.cumsum(actual_counts) - actual_counts + n).repeat(expected_counts)
    columns = expand_ranges(first_columns, row_lengths)
    area_sums = areas[:n].repeat(row_lengths) + areas.take(columns)
    union_may_be_zero = bool(np.count_nonzero(areas) < len(areas))
    return _box_ious(corners[:, :n].repeat(row_lengths, axis=1), corners.take(columns, axis=1), area_sums, union_may_be_zero)


def _prepare_boxes(boxes: Floats) -> tuple[Floats, Floats]:
    """Boxes as (-x1, -y1, x2, y2), and their areas.

    A contiguous row for each coordinate broadcasts faster. The larger of two low corners is the smaller of their negatives.
    """
    corners = np.multiply(boxes.T, _NEGATE_LOW, order="C")
    sides = corners[2:] + corners[:2]
    return corners, sides[0] * sides[1]


def _box_ious(
    rows: Floats, columns: Floats, area_sums: Floats, union_may_be_zero: bool, buffer: Floats | None = None, out: Floats | None = None
) -> Floats:
    """Intersection over union of boxes with negated low corners, broadcast; overwrites the sums of their areas."""
    corners = np.minimum(rows, columns, out=buffer)
    sides = corners[2:]
    sides += corners[:2]
    np.maximum(sides, 0.0, out=sides)
    ious = np.multiply(sides[0], sides[1], out=out)
    area_sums -= ious
    if union_may_be_zero:
        area_sums[area_sums <= 0] = 1.0
    ious /= area_sums
    return ious


def intersection_areas(expected: Floats, actual: Floats) -> Floats:
    """The area that each expected box shares with the actual box in the same row: float64[n]."""
    low = np.maximum(expected[:, :2], actual[:, :2])
    sides = np.maximum(np.minimum(expected[:, 2:], actual[:, 2:]) - low, 0.0)
    return sides[:, 0] * sides[:, 1]


def box_iou_pairs(expected: Floats, actual: Floats) -> Floats:
    """Intersection over union, row by row: float64[n].

    >>> box_iou_pairs(np.array([[0.0, 0.0, 2.0, 2.0]]), np.array([[1.0, 0.0, 3.0, 2.0]])).round(3).tolist()
    [0.333]
    """
    shared = intersection_areas(expected, actual)
    return divide_or_zero(shared, box_areas(expected) + box_areas(actual) - shared)


def divide_or_zero(part: Floats, whole: Floats) -> Floats:
    """part / whole; 0 where whole is 0."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


# Polygons


def has_shapely() -> bool:
    """Return whether shapely is installed."""
    return find_spec("shapely") is not None


def _import_shapely() -> Any:
    return import_module("shapely")


def polygons_from_rings(rings: Sequence[Floats]) -> Polygons:
    """Make polygons from their corners, float64[k, 2] each with k ≥ 3; the last corner need not repeat the first."""
    shapely = _import_shapely()
    if not len(rings):
        return np.empty(0, dtype=np.object_)
    sizes = [len(ring) for ring in rings]
    owners = np.repeat(np.arange(len(rings)), sizes)
    return shapely.polygons(shapely.linearrings(np.concatenate(rings), indices=owners))


def polygons_from_boxes(boxes: Floats) -> Polygons:
    """Make polygons from boxes; None for a row of NaN."""
    present = ~np.isnan(boxes).any(axis=1)
    shapes = np.full(len(boxes), None, dtype=np.object_)
    shapes[present] = _import_shapely().box(*boxes[present].T)
    return shapes


def find_polygon_faults(shapes: Polygons) -> dict[int, str]:
    """Return the fault of every invalid polygon, by position.

    >>> crossing, valid = np.array([[0, 0], [2, 2], [2, 0], [0, 2.0]]), np.array([[0, 0], [1, 0], [0, 1.0]])
    >>> find_polygon_faults(polygons_from_rings([crossing, valid]))
    {0: 'self-crossing polygon, at (1, 1)'}
    """
    shapely = _import_shapely()
    invalid = np.flatnonzero(~shapely.is_valid(shapes))
    return {int(row): _describe_fault(shapely.is_valid_reason(shapes[row]), shapely.get_coordinates(shapes[row])) for row in invalid}


def _describe_fault(reason: str, corners: Floats) -> str:
    if np.linalg.matrix_rank(corners - corners[0]) < 2:
        return "polygon without area: its corners lie on a line"
    point = re.search(r"\[(\S+) (\S+)\]", reason)
    return f"self-crossing polygon, at ({point[1]}, {point[2]})" if point else f"invalid polygon: {reason.lower()}"


def polygon_iou_pairs(expected: Polygons, actual: Polygons) -> Floats:
    """Intersection over union of valid polygons, row by row: float64[n]. 0 where the union is 0."""
    shapely = _import_shapely()
    return _polygon_ious(shapely, expected, actual, shapely.area(expected), shapely.area(actual))


def polygon_iou_grid(expected: Polygons, actual: Polygons) -> Floats:
    """Intersection over union of every expected with every actual polygon: float64[n, m].

    Intersections are computed only for pairs that a spatial index reports as touching.
    """
    shapely = _import_shapely()
    grid = np.zeros((len(expected), len(actual)))
    if grid.size == 0:
        return grid
    rows, columns = shapely.STRtree(actual).query(expected, predicate="intersects")
    row_areas, column_areas = shapely.area(expected)[rows], shapely.area(actual)[columns]
    grid[rows, columns] = _polygon_ious(shapely, expected[rows], actual[columns], row_areas, column_areas)
    return grid


def _polygon_ious(shapely: Any, expected: Polygons, actual: Polygons, expected_areas: Floats, actual_areas: Floats) -> Floats:
    shared = np.zeros(len(expected_areas))
    solid = (expected_areas > 0) & (actual_areas > 0)
    shared[solid] = shapely.area(shapely.intersection(expected[solid], actual[solid]))
    return np.clip(divide_or_zero(shared, expected_areas + actual_areas - shared), 0.0, 1.0)


# Points and vectors, one in each row


def distance_pairs(expected: Floats, actual: Floats, metric: DistanceMetric = "euclidean") -> Floats:
    """Distance of each expected row from the actual row at the same position: float64[n].

    >>> distance_pairs(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]])).tolist()
    [5.0]
    >>> distance_pairs(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]), "manhattan").tolist()
    [7.0]
    """
    if metric == "cosine":
        return _distance_from_cosine(np.einsum("ij,ij->i", scale_to_unit_length(expected), scale_to_unit_length(actual)))
    differences = np.abs(expected - actual)
    return differences.sum(axis=1) if metric == "manhattan" else np.sqrt(np.einsum("ij,ij->i", differences, differences))


def distance_grid(expected: Floats, actual: Floats, metric: DistanceMetric = "euclidean") -> Floats:
    """Distance of every expected row from every actual row: float64[n, m].

    >>> distance_grid(np.array([[1.0, 0.0]]), np.array([[0.0, 2.0], [5.0, 0.0], [0.0, 0.0]]), "cosine").tolist()
    [[1.0, 0.0, 1.0]]
    """
    if metric == "cosine":
        return _distance_from_cosine(scale_to_unit_length(expected) @ scale_to_unit_length(actual).T)
    total = np.zeros((len(expected), len(actual)))
    for expected_axis, actual_axis in zip(expected.T, actual.T, strict=True):  # by dimension: no array of n × m × dimensions
        difference = expected_axis[:, None] - actual_axis
        total += np.abs(difference) if metric == "manhattan" else difference * difference
    return total if metric == "manhattan" else np.sqrt(total)


def similarity_from_distance(distance: Floats, metric: DistanceMetric = "euclidean") -> Floats:
    """Convert distances to similarities in [0, 1]: 1 / (1 + d), and for cosine 1 - d, not below 0.

    >>> similarity_from_distance(np.array([0.0, 1.0, 3.0])).tolist()
    [1.0, 0.5, 0.25]
    """
    return np.clip(1.0 - distance, 0.0, 1.0) if metric == "cosine" else 1.0 / (1.0 + distance)


def scale_to_unit_length(rows: Floats) -> Floats:
    """Divide every row by its length; a row of zeros stays as it is.

    >>> scale_to_unit_length(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    largest = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
    scaled = np.divide(rows, largest, out=np.zeros_like(rows), where=largest > 0)  # squares of tiny numbers would underflow
    length = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
    return np.divide(scaled, length, out=scaled, where=length > 0)


def _distance_from_cosine(cosine: Floats) -> Floats:
    distance = 1.0 - cosine
    distance[np.abs(distance) < 1e-15] = 0.0  # rounding must not separate a vector from itself
    return np.clip(distance, 0.0, 2.0)
