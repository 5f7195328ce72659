"""Matching detections to objects, and the curves that follow."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fieldwise.kernels.detections import (
    AREA_RANGES,
    IOU_THRESHOLDS,
    Detections,
    ExpectedObjects,
    compute_curves,
    ignored_object_bits,
    match_detections,
    unpack_flags,
)
from fieldwise.kernels.geometry import box_areas, box_iou_grid


def objects(
    boxes: list[list[float]], group: list[int] | None = None, crowd: list[bool] | None = None, area: float | None = None
) -> ExpectedObjects:
    rows = np.array(boxes, dtype=np.float64).reshape(-1, 4)
    sizes = box_areas(rows)
    return ExpectedObjects(
        np.array(group or [0] * len(rows), dtype=np.int64),
        rows,
        sizes,
        sizes if area is None else np.full(len(rows), area),
        np.array(crowd or [False] * len(rows), dtype=np.bool_),
    )


def detections(boxes: list[list[float]], score: list[float], group: list[int] | None = None) -> Detections:
    rows = np.array(boxes, dtype=np.float64).reshape(-1, 4)
    return Detections(np.array(group or [0] * len(rows), dtype=np.int64), rows, box_areas(rows), np.array(score, dtype=np.float64))


BOX, NEAR, FAR = [0.0, 0.0, 10.0, 10.0], [0.0, 0.0, 10.0, 8.0], [50.0, 50.0, 60.0, 60.0]


def test_the_best_score_chooses_first_and_takes_the_largest_overlap() -> None:
    matches = match_detections(objects([NEAR, BOX]), detections([BOX, BOX, FAR], [0.5, 0.9, 0.7]))
    assert matches.row.tolist() == [1, 2, 0]
    assert matches.partner.tolist() == [1, -1, 0]
    assert matches.iou.tolist() == [1.0, 0.0, 0.8]


def test_equal_scores_keep_their_order_and_equal_overlaps_take_the_last_object() -> None:
    matches = match_detections(objects([BOX, BOX]), detections([BOX, BOX], [0.5, 0.5]))
    assert matches.row.tolist() == [0, 1]
    assert matches.partner.tolist() == [1, 0]


def test_groups_do_not_meet() -> None:
    assert match_detections(objects([BOX], group=[1]), detections([BOX], [0.5], group=[2])).partner.tolist() == [-1]


def test_a_match_at_one_threshold_is_none_at_a_higher_one() -> None:
    flags = unpack_flags(match_detections(objects([BOX]), detections([NEAR], [0.5])).matched)
    assert flags[0, 0].tolist() == [threshold <= 0.8 for threshold in IOU_THRESHOLDS]


def test_only_the_hundred_best_of_a_group_count() -> None:
    matches = match_detections(objects([BOX]), detections([FAR] * 120 + [BOX], [0.9] * 120 + [0.1]))
    assert len(matches.row) == 100
    assert matches.partner.max() == -1


def test_a_crowd_is_ignored_and_takes_any_number() -> None:
    crowd = objects([[0.0, 0.0, 100.0, 100.0]], crowd=[True])
    matches = match_detections(crowd, detections([BOX, BOX], [0.9, 0.8]))
    assert matches.partner.tolist() == [0, 0]
    assert unpack_flags(matches.ignored)[:, 0, 0].tolist() == [True, True]
    assert unpack_flags(ignored_object_bits(crowd))[0, :, 0].all()


def test_an_object_that_counts_is_taken_before_a_crowd_that_overlaps_more() -> None:
    both = objects([NEAR, [0.0, 0.0, 10.0, 10.0]], crowd=[False, True])
    assert match_detections(both, detections([BOX], [0.9])).partner.tolist() == [0]


def test_sizes_decide_what_counts_in_each_range_of_area() -> None:
    flags = unpack_flags(ignored_object_bits(objects([BOX, BOX], area=2000.0)))[:, :, 0]
    assert dict(zip(AREA_RANGES, flags[0].tolist(), strict=True)) == {"all": False, "small": True, "medium": False, "large": True}


def test_nothing_at_all_matches_nothing() -> None:
    assert len(match_detections(objects([]), detections([], [])).row) == 0
    assert match_detections(objects([]), detections([BOX], [0.5])).partner.tolist() == [-1]
    assert len(match_detections(objects([BOX]), detections([], [])).row) == 0


def test_a_box_of_nan_finds_nothing() -> None:
    assert match_detections(objects([BOX]), detections([[np.nan] * 4], [0.5])).partner.tolist() == [-1]


@settings(max_examples=60, deadline=None)
@given(
    arrays(np.float64, st.tuples(st.integers(0, 5), st.just(4)), elements=st.integers(0, 4).map(float)),
    arrays(np.float64, st.tuples(st.integers(0, 6), st.just(4)), elements=st.integers(0, 4).map(float)),
)
def test_every_match_is_one_to_one_and_reaches_its_threshold(left: np.ndarray, right: np.ndarray) -> None:
    object_boxes, detection_boxes = (
        np.hstack([np.minimum(side[:, :2], side[:, 2:]), np.maximum(side[:, :2], side[:, 2:])]) for side in (left, right)
    )
    matches = match_detections(objects(object_boxes.tolist()), detections(detection_boxes.tolist(), [0.5] * len(detection_boxes)))
    taken = [(row, partner) for row, partner in zip(matches.row.tolist(), matches.partner.tolist(), strict=True) if partner >= 0]
    assert len({partner for _, partner in taken}) == len(taken)
    assert all(box_iou_grid(object_boxes, detection_boxes)[partner, row] >= 0.5 for row, partner in taken)


def test_the_curve_of_a_category_is_the_best_precision_at_each_recall_or_beyond() -> None:
    """Two objects, matches by the first and the third detection: precision 1 up to recall 0.5, then 2/3."""
    expected = objects([BOX, FAR])
    matches = match_detections(expected, detections([BOX, [80.0, 80.0, 90.0, 90.0], FAR], [0.9, 0.8, 0.7]))
    pool = {
        "case": np.zeros(5, dtype=np.int64),
        "is_object": np.array([True, True, False, False, False]),
        "category": np.array(["dog"] * 5),
        "score": np.r_[0.0, 0.0, 0.9, 0.8, 0.7],
        "rank": np.r_[0, 0, matches.rank],
        "matched": np.r_[np.zeros(2, dtype=np.uint64), matches.matched],
        "ignored": np.r_[ignored_object_bits(expected), matches.ignored],
    }
    curves = compute_curves(pool)
    curve = curves.precision[list(curves.categories).index("dog"), 0, 0]
    assert curve[:51] == pytest.approx(1.0)
    assert curve[51:] == pytest.approx(2 / 3)
    assert curves.recall[0, 0, 0].tolist() == [0.5, 1.0, 1.0]
