"""Overlap of boxes and polygons, and distances between points."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fieldwise.kernels.geometry import (
    DistanceMetric,
    box_areas,
    box_iou_grid,
    box_iou_grids,
    box_iou_pairs,
    boxes_from_xywh,
    distance_grid,
    distance_pairs,
    find_polygon_faults,
    polygon_iou_grid,
    polygon_iou_pairs,
    polygons_from_boxes,
    polygons_from_rings,
    similarity_from_distance,
)

SMALL_INTEGERS = st.integers(0, 6)


@st.composite
def boxes(draw: st.DrawFn, least: int = 0) -> np.ndarray:
    """Boxes on a small lattice, so that they touch, nest and coincide; some have no area."""
    corners = draw(st.lists(st.tuples(SMALL_INTEGERS, SMALL_INTEGERS, SMALL_INTEGERS, SMALL_INTEGERS), min_size=least, max_size=6))
    return np.array([(min(a, c), min(b, d), max(a, c), max(b, d)) for a, b, c, d in corners], dtype=np.float64).reshape(-1, 4)


def iou_by_definition(a: list[float], b: list[float]) -> float:
    width = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    shared = width * height
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared
    return 0.0 if union == 0 else shared / union


@settings(max_examples=100, deadline=None)
@given(boxes(), boxes())
def test_the_iou_of_boxes_is_the_formula_for_every_pair(expected: np.ndarray, actual: np.ndarray) -> None:
    """structured-data spec: IoU is intersection over union, 0 where the union is 0."""
    grid = box_iou_grid(expected, actual)
    assert grid.shape == (len(expected), len(actual))
    assert grid.tolist() == [[iou_by_definition(a, b) for b in actual.tolist()] for a in expected.tolist()]


@settings(max_examples=60, deadline=None)
@given(boxes(1))
def test_rows_of_boxes_compare_as_the_grid_does(expected: np.ndarray) -> None:
    actual = expected[::-1]
    assert box_iou_pairs(expected, actual).tolist() == np.diagonal(box_iou_grid(expected, actual)).tolist()


def test_a_large_grid_is_worked_on_in_blocks_with_the_same_result() -> None:
    rng = np.random.default_rng(1)
    low = rng.uniform(0, 50, (400, 2))
    rows = np.hstack([low, low + rng.uniform(0, 30, (400, 2))])
    rows[7, 2:] = rows[7, :2]
    grid = box_iou_grid(rows, rows)
    picked = [(0, 399), (7, 7), (399, 0), (200, 201), (123, 123)]
    assert [grid[i, j] for i, j in picked] == [iou_by_definition(rows[i].tolist(), rows[j].tolist()) for i, j in picked]
    assert grid[7, 7] == 0.0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(boxes(), boxes()), max_size=6), st.integers(1, 40))
def test_grids_of_many_groups_are_those_of_each_alone(groups: list[tuple[np.ndarray, np.ndarray]], block: int) -> None:
    expected = np.concatenate([np.empty((0, 4)), *(expected for expected, _ in groups)])
    actual = np.concatenate([np.empty((0, 4)), *(actual for _, actual in groups)])
    counts = np.array([(len(expected), len(actual)) for expected, actual in groups], dtype=np.int64).reshape(-1, 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fieldwise.kernels.geometry._BLOCK_PAIRS", block)
        grids = list(box_iou_grids(expected, actual, counts[:, 0], counts[:, 1]))
    assert [grid.shape for grid in grids] == [tuple(sizes) for sizes in counts.tolist()]
    assert [grid.tolist() for grid in grids] == [box_iou_grid(*group).tolist() for group in groups]


@settings(max_examples=60, deadline=None)
@given(boxes(1), boxes(1))
def test_iou_is_symmetric(expected: np.ndarray, actual: np.ndarray) -> None:
    assert np.array_equal(box_iou_grid(expected, actual), box_iou_grid(actual, expected).T)


@settings(max_examples=60, deadline=None)
@given(boxes(1))
def test_a_box_with_area_has_iou_1_with_itself_and_one_without_has_0(rows: np.ndarray) -> None:
    assert box_iou_pairs(rows, rows).tolist() == [float(area > 0) for area in box_areas(rows)]


@settings(max_examples=60, deadline=None)
@given(boxes(1), boxes(1), st.sampled_from([0.25, 1.0, 3.0, 1e6, 1e-3]), st.integers(-50, 50))
def test_shifting_or_scaling_both_changes_nothing(expected: np.ndarray, actual: np.ndarray, scale: float, shift: int) -> None:
    moved = box_iou_grid((expected + shift) * scale, (actual + shift) * scale)
    assert moved == pytest.approx(box_iou_grid(expected, actual), abs=1e-9)


def test_a_corner_with_width_and_height_becomes_two_corners() -> None:
    assert boxes_from_xywh(np.array([[10.0, 20.0, 30.0, 40.0]])).tolist() == [[10.0, 20.0, 40.0, 60.0]]


LOWER = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
UPPER = np.array([[4.0, 4.0], [4.0, 0.0], [0.0, 4.0]])
SQUARE = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]])
FAR = SQUARE + 100


def test_the_grid_of_polygons_holds_every_pair() -> None:
    shapes = polygons_from_rings([LOWER, UPPER, SQUARE, FAR])
    assert polygon_iou_grid(shapes, shapes).tolist() == [
        [1.0, 0.0, 0.5, 0.0],
        [0.0, 1.0, 0.5, 0.0],
        [0.5, 0.5, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]


def test_rows_of_polygons_compare_as_the_grid_does() -> None:
    expected, actual = polygons_from_rings([LOWER, SQUARE, FAR]), polygons_from_rings([SQUARE, UPPER, LOWER])
    assert polygon_iou_pairs(expected, actual).tolist() == np.diagonal(polygon_iou_grid(expected, actual)).tolist() == [0.5, 0.5, 0.0]


def test_nothing_against_something_is_an_empty_grid() -> None:
    assert polygon_iou_grid(polygons_from_rings([]), polygons_from_rings([SQUARE])).shape == (0, 1)


def test_the_direction_of_the_corners_does_not_matter() -> None:
    assert polygon_iou_pairs(polygons_from_rings([SQUARE]), polygons_from_rings([SQUARE[::-1]])).tolist() == [1.0]


def test_boxes_become_polygons_and_a_flat_one_has_iou_0() -> None:
    shapes = polygons_from_boxes(np.array([[0, 0, 4, 4], [1, 1, 1, 3], [np.nan] * 4]))
    assert shapes[2] is None
    assert polygon_iou_grid(shapes[:2], polygons_from_rings([SQUARE])).tolist() == [[1.0], [0.0]]
    assert polygon_iou_pairs(shapes[1:2], shapes[1:2]).tolist() == [0.0]


def test_a_concave_polygon_is_cut_as_it_is() -> None:
    ell = np.array([[0, 0], [4, 0], [4, 1], [1, 1], [1, 4], [0, 4.0]])
    assert polygon_iou_pairs(polygons_from_rings([ell]), polygons_from_rings([SQUARE])).tolist() == pytest.approx([7 / 16])


def test_what_is_no_simple_polygon_is_named() -> None:
    bow_tie, line = np.array([[0, 0], [2, 2], [2, 0], [0, 2.0]]), np.array([[0, 0], [1, 1], [2, 2.0]])
    assert find_polygon_faults(polygons_from_rings([SQUARE, bow_tie, line])) == {
        1: "self-crossing polygon, at (1, 1)",
        2: "polygon without area: its corners lie on a line",
    }


METRICS: list[DistanceMetric] = ["euclidean", "manhattan", "cosine"]
ROWS = st.integers(1, 4).flatmap(lambda n: arrays(np.float64, (n, 3), elements=st.integers(-3, 3).map(float)))


def distance_by_definition(a: list[float], b: list[float], metric: DistanceMetric) -> float:
    if metric == "euclidean":
        return math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)))
    if metric == "manhattan":
        return sum(abs(x - y) for x, y in zip(a, b, strict=True))
    lengths = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(y * y for y in b))
    return 1.0 if lengths == 0 else 1.0 - sum(x * y for x, y in zip(a, b, strict=True)) / lengths


@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=60, deadline=None)
@given(expected=ROWS, actual=ROWS)
def test_the_distance_grid_is_the_formula_for_every_pair(metric: DistanceMetric, expected: np.ndarray, actual: np.ndarray) -> None:
    """structured-data spec: Euclidean, Manhattan and cosine distance; zero magnitude has cosine distance 1."""
    formula = [[distance_by_definition(a, b, metric) for b in actual.tolist()] for a in expected.tolist()]
    assert distance_grid(expected, actual, metric) == pytest.approx(np.array(formula), abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=40, deadline=None)
@given(rows=ROWS)
def test_rows_of_points_compare_as_the_grid_does(metric: DistanceMetric, rows: np.ndarray) -> None:
    reversed_rows = rows[::-1].copy()
    assert distance_pairs(rows, reversed_rows, metric) == pytest.approx(np.diagonal(distance_grid(rows, reversed_rows, metric)), abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_a_vector_is_at_distance_0_from_itself(metric: DistanceMetric) -> None:
    rows = np.random.default_rng(0).normal(size=(50, 7))
    assert distance_pairs(rows, rows, metric).tolist() == [0.0] * 50


def test_cosine_ignores_magnitude_however_large_or_small() -> None:
    rows = np.array([[3.0, 4.0], [3e140, 4e140], [3e-200, 4e-200]])
    assert distance_pairs(rows, np.array([[6.0, 8.0]] * 3), "cosine") == pytest.approx([0.0, 0.0, 0.0], abs=1e-15)


def test_opposite_directions_have_cosine_distance_2_and_closeness_0() -> None:
    distance = distance_pairs(np.array([[1.0, 0.0]]), np.array([[-2.0, 0.0]]), "cosine")
    assert distance.tolist() == [2.0]
    assert similarity_from_distance(distance, "cosine").tolist() == [0.0]


def test_closeness_falls_with_distance() -> None:
    assert similarity_from_distance(np.array([0.0, 1.0, 4.0])).tolist() == [1.0, 0.5, 0.2]
    assert similarity_from_distance(np.array([0.0, 0.25, 1.0]), "cosine").tolist() == [1.0, 0.75, 0.0]


@pytest.mark.parametrize("offset", [(0.0, 0.0), (5.0, 1.0)])
def test_corners_on_a_line_are_reported_wherever_the_line_is(offset: tuple[float, float]) -> None:
    from fieldwise.kernels.geometry import find_polygon_faults, polygons_from_rings

    ring = np.array([[0, 0], [1, 1], [2, 2], [0, 0]]) + np.array(offset)
    assert find_polygon_faults(polygons_from_rings([ring])) == {0: "polygon without area: its corners lie on a line"}
