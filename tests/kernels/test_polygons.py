"""Exact overlap of polygons."""

import numpy as np
import pytest

from fieldwise.kernels.geometry import find_polygon_faults, polygon_iou_grid, polygon_iou_pairs, polygons_from_boxes, polygons_from_rings

LOWER = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
UPPER = np.array([[4.0, 4.0], [4.0, 0.0], [0.0, 4.0]])
SQUARE = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]])
FAR = SQUARE + 100


def test_the_grid_holds_every_pair() -> None:
    shapes = polygons_from_rings([LOWER, UPPER, SQUARE, FAR])
    assert polygon_iou_grid(shapes, shapes).tolist() == [
        [1.0, 0.0, 0.5, 0.0],
        [0.0, 1.0, 0.5, 0.0],
        [0.5, 0.5, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]


def test_rows_compare_as_the_grid_does() -> None:
    ours, theirs = polygons_from_rings([LOWER, SQUARE, FAR]), polygons_from_rings([SQUARE, UPPER, LOWER])
    assert polygon_iou_pairs(ours, theirs).tolist() == np.diagonal(polygon_iou_grid(ours, theirs)).tolist() == [0.5, 0.5, 0.0]


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
