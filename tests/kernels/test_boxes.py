"""Intersection over union of boxes, as arrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.geometry import box_areas, box_iou_grid, box_iou_pairs, boxes_from_xywh

SMALL = st.integers(0, 6)


@st.composite
def boxes(draw: st.DrawFn, least: int = 0) -> np.ndarray:
    """Boxes on a small lattice, so that they touch, nest and coincide; some have no area."""
    corners = draw(st.lists(st.tuples(SMALL, SMALL, SMALL, SMALL), min_size=least, max_size=6))
    return np.array([(min(a, c), min(b, d), max(a, c), max(b, d)) for a, b, c, d in corners], dtype=np.float64).reshape(-1, 4)


def by_the_formula(a: list[float], b: list[float]) -> float:
    width = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    shared = width * height
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared
    return 0.0 if union == 0 else shared / union


@settings(max_examples=100, deadline=None)
@given(boxes(), boxes())
def test_the_grid_is_the_formula_for_every_pair(expected: np.ndarray, actual: np.ndarray) -> None:
    """structured-data spec: IoU is intersection over union, 0 where the union is 0."""
    grid = box_iou_grid(expected, actual)
    assert grid.shape == (len(expected), len(actual))
    assert grid.tolist() == [[by_the_formula(a, b) for b in actual.tolist()] for a in expected.tolist()]


@settings(max_examples=60, deadline=None)
@given(boxes(1))
def test_rows_compare_as_the_grid_does(expected: np.ndarray) -> None:
    actual = expected[::-1]
    assert box_iou_pairs(expected, actual).tolist() == np.diagonal(box_iou_grid(expected, actual)).tolist()


def test_a_large_grid_is_worked_on_in_blocks_with_the_same_result() -> None:
    rng = np.random.default_rng(1)
    low = rng.uniform(0, 50, (400, 2))
    rows = np.hstack([low, low + rng.uniform(0, 30, (400, 2))])
    rows[7, 2:] = rows[7, :2]
    grid = box_iou_grid(rows, rows)
    picked = [(0, 399), (7, 7), (399, 0), (200, 201), (123, 123)]
    assert [grid[i, j] for i, j in picked] == [by_the_formula(rows[i].tolist(), rows[j].tolist()) for i, j in picked]
    assert grid[7, 7] == 0.0


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
