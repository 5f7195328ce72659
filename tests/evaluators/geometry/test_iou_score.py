"""iou_score: boxes and polygons, one or lists."""

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise import Result

SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10]]

NAN = float("nan")


def iou(expected: Any, actual: Any, **options: Any) -> Result:
    return fw.evaluate({"type": "iou_score", **options}, expected=expected, actual=actual)


@pytest.mark.parametrize(
    ("options", "expected", "actual", "score"),
    [
        ({}, [0, 0, 10, 10], [0, 0, 10, 10], 1.0),
        ({}, [0, 0, 10, 10], [0, 0, 10, 5], 0.5),
        ({}, [0, 0, 10, 10], [5, 5, 15, 15], 25 / 175),
        ({}, [0, 0, 10, 10], [10, 0, 20, 10], 0.0),
        ({"format": "xywh"}, [10, 10, 10, 10], [10, 10, 10, 10], 1.0),
        ({"format": "xywh"}, [10, 10, 10, 10], [10, 10, 10, 5], 0.5),
        ({"format": "xywh"}, [10, 10, 10, 10], [30, 30, 10, 10], 0.0),
        ({"format": "polygon"}, [[0, 0], [4, 0], [4, 4], [0, 4]], [[0, 0], [4, 0], [4, 4], [0, 4]], 1.0),
        ({"format": "polygon"}, [[0, 0], [4, 0], [4, 4], [0, 4]], [[0, 0], [4, 0], [0, 4]], 0.5),
        ({"format": "polygon"}, [0, 0, 4, 0, 4, 4, 0, 4], [[0, 0], [4, 0], [0, 4]], 0.5),
        ({"format": "polygon"}, [[0, 0], [4, 0], [4, 4], [0, 4]], [[9, 9], [10, 9], [9, 10]], 0.0),
        ({"actual_format": "xywh"}, [10, 10, 20, 20], [10, 10, 10, 10], 1.0),
        ({"actual_format": "polygon"}, [0, 0, 4, 4], [[0, 0], [4, 0], [0, 4]], 0.5),
        ({"format": "polygon", "actual_format": "xyxy", "polygon": "bbox"}, [[0, 0], [4, 0], [0, 4]], [0, 0, 4, 4], 1.0),
        ({"path": "page.box"}, {"page": {"box": [0, 0, 10, 10]}}, {"page": {"box": [0, 0, 10, 5]}}, 0.5),
        ({}, {"x1": 0, "y1": 0, "x2": 10, "y2": 10}, [0, 0, 10, 5], 0.5),
        ({"format": "xywh"}, {"x": 0, "y": 0, "width": 10, "height": 10}, {"x": 0, "y": 0, "w": 10, "h": 5}, 0.5),
        ({"format": "polygon"}, [[0, 0], [4, 0], [4, 4], [0, 4]], [{"x": 0, "y": 0}, {"x": 4, "y": 0}, {"x": 0, "y": 4}], 0.5),
    ],
)
def test_all_formats_with_perfect_partial_and_no_overlap(options: dict[str, Any], expected: Any, actual: Any, score: float) -> None:
    """structured-data spec: IoU calculation: all formats (xyxy, xywh, polygon), perfect/partial/no overlap."""
    assert iou(expected, actual, **options).score == pytest.approx(score)


@pytest.mark.parametrize("form", ["xyxy", "xywh"])
@pytest.mark.parametrize(
    "box",
    [
        {"x1": 2, "y1": 3, "x2": 12, "y2": 8},
        {"x0": 2, "y0": 3, "x1": 12, "y1": 8},
        {"xmin": 2, "ymin": 3, "xmax": 12, "ymax": 8},
        {"x_max": 12, "x_min": 2, "y_max": 8, "y_min": 3},
        {"left": 2, "top": 3, "right": 12, "bottom": 8},
        {"Width": 10, "Height": 5, "Left": 2, "Top": 3},
        {"x": 2, "y": 3, "width": 10, "height": 5, "rotation": 0},
    ],
)
def test_the_keys_of_a_box_say_its_format(form: str, box: dict[str, int]) -> None:
    number_list = [2, 3, 12, 8] if form == "xyxy" else [2, 3, 10, 5]
    assert iou([number_list], [box], format=form).score == 1.0
    assert iou([box], [number_list], format=form).score == 1.0


@pytest.mark.parametrize(
    "segmentation",
    [[[0, 0, 4, 0, 4, 4, 0, 4]], [[[0, 0], [4, 0], [4, 4], [0, 4]]], [[{"x": 0, "y": 0}, {"x": 4, "y": 0}, {"x": 4, "y": 4}]]],
)
def test_a_polygon_may_be_the_only_ring_of_a_list(segmentation: Any) -> None:
    options = {"box": "segmentation", "format": "polygon"}
    assert iou([{"segmentation": segmentation}], [{"segmentation": segmentation}], **options).score == 1.0
    assert iou([{"segmentation": segmentation}], [{"segmentation": segmentation * 2}], **options).misses == [
        "[0] (2 rings, a polygon has one)"
    ]


def test_a_list_of_points_in_place_of_a_box_names_the_format_that_reads_it() -> None:
    quadrilateral = [[0, 0], [1, 0], [1, 1], [0, 1]]
    assert iou([[0, 0, 1, 1]], [quadrilateral]).misses == ["[0] (a list of points; `format: polygon` reads polygons)"]


def test_a_fault_of_the_data_says_what_is_wrong_and_which_keys_there_are() -> None:
    result = iou([{"kind": "dog", "rectangle": [0, 0, 1, 1]}], [], box="bbox", label="kind")
    assert (result.status, result.details["fault"]) == ("error", "ours")
    assert result.reasoning == "no expected item can be read: no box: the key `bbox` is missing; there are `kind`, `rectangle`"


def test_disjoint_triangles_with_equal_bounding_boxes_score_0_exactly_and_1_by_their_boxes() -> None:
    lower, upper = [[0, 0], [4, 0], [0, 4]], [[4, 4], [4, 0], [0, 4]]
    assert iou(lower, upper, format="polygon").score == 0.0
    assert iou(lower, upper, format="polygon", polygon="bbox").score == 1.0


def test_a_polygon_is_its_bounding_box_by_option() -> None:
    """structured-data spec: Polygon: compute bounding rectangle."""
    assert iou([[0, 0], [4, 0], [0, 4]], [0, 0, 4, 4], format="polygon", actual_format="xyxy", polygon="bbox").score == 1.0


@pytest.mark.parametrize("box", [[3, 3, 3, 3], [1, 1, 1, 5]])
def test_a_union_of_0_is_0(box: list[int]) -> None:
    """structured-data spec: unionArea === 0 ? 0."""
    assert iou(box, box).score == 0.0


def test_one_box_is_named_by_its_path_and_the_record_itself_is_the_root() -> None:
    assert iou([0, 0, 1, 1], [0, 0, 1, 1]).hits == ["(root)"]
    assert iou({"a": [0, 0, 1, 1]}, {"a": [5, 5, 6, 6]}, path="a").misses == ["a"]


class TestLists:
    def test_equal_lengths_are_paired_by_index_and_averaged(self) -> None:
        """structured-data spec: Equal lengths: straightforward pairing, mean by default."""
        result = iou([[0, 0, 10, 10], [0, 0, 10, 10]], [[0, 0, 10, 10], [0, 0, 10, 5]])
        assert result.score == 0.75
        assert result.hits == ["[0]", "[1]"]
        assert result.details["pairs"] == [{"expected": 0, "actual": 0, "iou": 1.0}, {"expected": 1, "actual": 1, "iou": 0.5}]

    def test_missing_items_contribute_0_over_the_longer_list(self) -> None:
        """structured-data spec: pair by index, penalize mismatches."""
        box = [0, 0, 10, 10]
        fewer = iou({"b": [box, box, box]}, {"b": [box, box]}, path="b")
        assert fewer.score == pytest.approx(2 / 3)
        assert fewer.misses == ["b[2] (required, missing)"]
        more = iou({"b": [box]}, {"b": [box, box, box, box]}, path="b")
        assert more.score == 0.25
        assert more.misses == ["b[+1] (extra)", "b[+2] (extra)", "b[+3] (extra)"]

    def test_empty_against_empty_is_1_and_one_side_empty_is_0(self) -> None:
        """structured-data spec: Batch evaluation: empty arrays."""
        both = iou({"b": []}, {"b": []}, path="b")
        assert (both.score, both.verdict, both.hits, both.misses) == (1.0, "pass", ["b"], [])
        assert iou([], [[0, 0, 1, 1]]).misses == ["[+0] (extra)"]
        assert iou([], [[0, 0, 1, 1]]).score == iou([[0, 0, 1, 1]], []).score == 0.0

    def test_mixed_results_are_partial(self) -> None:
        """structured-data spec: Batch evaluation: mixed results."""
        result = iou([[0, 0, 10, 10], [0, 0, 10, 10]], [[0, 0, 10, 10], [50, 50, 60, 60]])
        assert (result.score, result.verdict, result.hits, result.misses) == (0.5, "partial", ["[0]"], ["[1]"])

    def test_best_pairing_finds_the_counterparts_wherever_they_stand(self) -> None:
        """structured-data spec: Hungarian matching: optimal bbox assignment."""
        boxes = [[0, 0, 10, 10], [20, 0, 30, 10], [40, 0, 50, 10]]
        assert iou(boxes, boxes[::-1]).score == pytest.approx(1 / 3)
        result = iou(boxes, boxes[::-1], pairing="best")
        assert result.score == 1.0
        assert [(pair["expected"], pair["actual"]) for pair in result.details["pairs"]] == [(0, 2), (1, 1), (2, 0)]

    def test_best_pairing_does_not_pair_what_does_not_overlap(self) -> None:
        result = iou([[0, 0, 10, 10]], [[50, 50, 60, 60], [0, 0, 10, 10]][:1], pairing="best", path="")
        assert result.misses == ["[0] (required, missing)", "[+0] (extra)"]
        assert result.score == 0.0

    def test_best_pairing_of_polygons_is_exact_and_leaves_malformed_ones_out(self) -> None:
        lower, upper, crossed = [[0, 0], [4, 0], [0, 4]], [[4, 4], [4, 0], [0, 4]], [[0, 0], [4, 4], [4, 0], [0, 4]]
        result = iou([lower, upper], [crossed, upper, lower], pairing="best", format="polygon")
        assert result.score == pytest.approx(2 / 3)
        assert result.misses == ["[+0] (self-crossing polygon, at (2, 2))"]

    def test_a_path_may_go_through_the_items_of_a_list(self) -> None:
        result = iou({"pages": [{"box": [0, 0, 1, 1]}, {"box": [0, 0, 1, 1]}]}, {"pages": [{"box": [0, 0, 1, 1]}, {}]}, path="pages[*].box")
        assert (result.score, result.hits, result.misses) == (0.5, ["pages[0].box"], ["pages[1].box (required, missing)"])


ITEMS = {"box": "bbox", "label": "kind"}


class TestLabels:
    def test_items_are_paired_within_a_label(self) -> None:
        cup, pen = {"kind": "cup", "bbox": [0, 0, 10, 10]}, {"kind": "pen", "bbox": [20, 20, 30, 30]}
        assert iou([cup, pen], [pen, cup], **ITEMS).score == 1.0
        assert iou([cup, pen], [pen, cup], box="bbox").score == 0.0

    def test_the_right_box_with_the_wrong_label_is_missing_and_extra(self) -> None:
        cup = {"kind": "cup", "bbox": [0, 0, 10, 10]}
        result = iou([cup], [{**cup, "kind": "pen"}], pairing="best", threshold=0.5, **ITEMS)
        assert (result.score, result.misses) == (0.0, ["[0] (required, missing)", "[+0] (extra)"])
        assert (result.metrics["false_positives"], result.metrics["false_negatives"]) == (1.0, 1.0)

    @pytest.mark.parametrize("pairing", ["index", "best"])
    def test_a_wrong_label_costs_one_item_and_leaves_the_others_in_place(self, pairing: str) -> None:
        """The mean is over the longer list, whatever the labels: one of two is right."""
        cup, pen = {"kind": "cup", "bbox": [0, 0, 10, 10]}, {"kind": "pen", "bbox": [20, 20, 30, 30]}
        result = iou([cup, pen], [{**cup, "kind": "pen"}, pen], pairing=pairing, **ITEMS)
        assert (result.score, result.hits) == (0.5, ["[1]"])
        assert result.misses == ["[0] (required, missing)", "[+0] (extra)"]

    def test_a_single_item_with_another_label_says_so(self) -> None:
        cup = {"kind": "cup", "bbox": [0, 0, 10, 10]}
        assert iou(cup, {**cup, "kind": "pen"}, **ITEMS).misses == ["(root) (label pen, expected cup)"]

    def test_an_item_without_its_label_is_malformed(self) -> None:
        result = iou([{"kind": 1, "bbox": [0, 0, 1, 1]}], [{"bbox": [0, 0, 1, 1]}], **ITEMS)
        assert "[+0] (no label: the key `kind` is missing; there are `bbox`)" in result.misses

    def test_labels_of_different_kinds_differ(self) -> None:
        assert iou([{"kind": 1, "bbox": [0, 0, 1, 1]}], [{"kind": True, "bbox": [0, 0, 1, 1]}], **ITEMS).score == 0.0
        assert iou([{"kind": 1, "bbox": [0, 0, 1, 1]}], [{"kind": 1.0, "bbox": [0, 0, 1, 1]}], **ITEMS).score == 1.0


class TestThreshold:
    def test_each_pair_is_a_hit_at_the_threshold_and_the_score_stays_the_mean(self) -> None:
        """structured-data spec: Precision/Recall/F1 as first-class metrics."""
        box = [0, 0, 10, 10]
        result = iou([box, box, box], [box, [0, 0, 10, 5], [0, 0, 10, 2], box], threshold=0.5)
        assert result.hits == ["[0]", "[1]"]
        assert result.misses == ["[2]", "[+3] (extra)"]
        assert result.score == pytest.approx((1 + 0.5 + 0.2) / 4)
        assert result.metrics == pytest.approx(
            {
                "mean_iou": 0.425,
                "precision": 0.5,
                "recall": 2 / 3,
                "f1": 4 / 7,
                "true_positives": 2,
                "false_positives": 2,
                "false_negatives": 1,
            }
        )

    def test_binary_rounding_does_not_cost_the_threshold(self) -> None:
        assert iou([0, 0, 1, 1], [0, 0, 1, 0.1 + 0.2], threshold=0.3).hits == ["(root)"]
        assert iou([0, 0, 1, 1], [0, 0, 1, 0.3 - 1e-8], threshold=0.3).hits == []

    def test_without_a_threshold_any_overlap_is_a_hit(self) -> None:
        assert iou([0, 0, 100, 100], [99, 99, 200, 200]).hits == ["(root)"]
        assert "precision" not in iou([0, 0, 1, 1], [0, 0, 1, 1]).metrics

    def test_a_threshold_of_0_does_not_let_a_malformed_box_pass(self) -> None:
        assert iou([0, 0, 1, 1], [1, 1, 0, 0], threshold=0).hits == []

    def test_nothing_against_nothing_has_f1_1(self) -> None:
        assert iou([], [], threshold=0.5).metrics["f1"] == 1.0


@pytest.mark.parametrize(
    ("form", "shape", "what"),
    [
        ("xyxy", [5, 0, 1, 1], "inverted box: x2 < x1"),
        ("xyxy", [0, 5, 1, 1], "inverted box: y2 < y1"),
        ("xywh", [0, 0, -1, 1], "negative width"),
        ("xywh", [0, 0, 1, -1], "negative height"),
        ("xyxy", [0, 0, NAN, 1], "x2 is NaN"),
        ("xywh", [0, 0, 1, float("inf")], "h is infinite"),
        ("xyxy", [0, 0, 1], "wrong length: 3 numbers, a box has 4"),
        ("xyxy", [0, 0, 1, 1, 1], "wrong length: 5 numbers, a box has 4"),
        ("xyxy", [0, 0, "1", 1], "x2 is not a number: string"),
        ("xyxy", [0, 0, True, 1], "x2 is not a number: bool"),
        ("xyxy", [0, None, 1, 1], "y1 is not a number: null"),
        ("xyxy", [0, 0, 10**400, 1], "x2 is too large: beyond 1e150"),
        ("xyxy", "box", "not a list of numbers: string"),
        ("xyxy", 7, "not a list of numbers: number"),
        ("xyxy", {"a": 1}, "an object without the keys x1, y1, x2, y2; `box` names the key that holds the box"),
        ("polygon", [[0, 0], [2, 2], [2, 0], [0, 2]], "self-crossing polygon, at (1, 1)"),
        ("polygon", [[0, 0], [1, 1]], "wrong length: 2 corners, a polygon has at least 3"),
        ("polygon", [[0, 0], [1, 1], [2, 2]], "polygon without area: its corners lie on a line"),
        ("polygon", [[0, 0], [1, 0], [0, 1, 2]], "corner 2 is not a pair of numbers"),
        ("polygon", [[0, 0], [1, "0"], [0, 1]], "corner 1 is not a number: string"),
        ("polygon", [[0, 0], [1, 0], [0, NAN]], "corner 2 is NaN"),
        ("polygon", [0, 0, 1, 0, 1], "corner 2 is not a pair of numbers"),
    ],
)
def test_a_malformed_shape_is_a_miss_that_says_what_is_wrong_with_which(form: str, shape: Any, what: str) -> None:
    """structured-data spec: never throw; score 0.0 with a descriptive error in misses."""
    good = [[0, 0], [1, 0], [0, 1]] if form == "polygon" else [0, 0, 1, 1]
    alone = iou({"s": good}, {"s": shape}, path="s", format=form)
    assert (alone.score, alone.status, alone.misses) == (0.0, "scored", [f"s ({what})"])
    listed = iou({"s": [good, good]}, {"s": [good, shape]}, path="s", format=form)
    assert (listed.score, listed.misses) == (0.5, [f"s[1] ({what})"])


def test_a_malformed_expected_box_is_told_from_a_malformed_answer() -> None:
    listed = iou([[0, 0, 1, 1], [5, 5, 0, 0]], [[0, 0, 1, 1], [0, 0, 1, 1]])
    assert listed.misses == ["[1] (expected: inverted box: x2 < x1)"]
    assert listed.details["flags"] == ["malformed_expected"]
    alone = iou([5, 5, 0, 0], [0, 0, 1, 1])
    assert (alone.status, alone.details["fault"], alone.score) == ("error", "ours", 0.0)


class TestCoordinates:
    def test_normalised_expected_against_pixels_is_noticed_and_said(self) -> None:
        result = iou([0.1, 0.1, 0.5, 0.5], [64, 48, 320, 240])
        assert result.details["flags"] == ["mixed_coordinates"]
        assert result.misses == ["(root) (mixed coordinates: normalised against pixels)"]
        assert "expected is normalised (0 to 1), actual is in pixels" in result.reasoning

    def test_pixels_against_normalised_is_said_the_other_way_round(self) -> None:
        assert "expected is in pixels, actual is normalised (0 to 1)" in iou([64, 48, 320, 240], [0.1, 0.1, 0.5, 0.5]).reasoning

    def test_a_list_that_mixes_both_is_noticed(self) -> None:
        boxes = [[0.1, 0.1, 0.5, 0.5], [64, 48, 320, 240]]
        result = iou(boxes, boxes)
        assert result.score == 1.0
        assert result.details["flags"] == ["mixed_coordinates"]
        assert "some shapes are normalised (0 to 1), others are in pixels" in result.reasoning

    @pytest.mark.parametrize("box", [[0, 0, 1, 1], [0.1, 0.1, 0.5, 0.5], [0, 0, 3, 3], [64, 48, 320, 240], [-5, -5, 5, 5]])
    def test_boxes_of_one_kind_carry_no_flag(self, box: list[float]) -> None:
        assert "flags" not in iou(box, box).details


class TestAbsence:
    def test_a_missing_or_null_answer_is_a_miss_at_the_path(self) -> None:
        """structured-data spec: null or undefined is a missing value."""
        assert iou({"b": [[0, 0, 1, 1]]}, {}, path="b").misses == ["b (required, missing)"]
        null = iou({"b": [[0, 0, 1, 1], [0, 0, 2, 2]]}, {"b": None}, path="b", threshold=0.5)
        assert (null.score, null.misses, null.metrics["false_negatives"]) == (0.0, ["b (null value)"], 2.0)

    @pytest.mark.parametrize("actual", [{}, {"b": None}, {"b": [0, 0, 1, 1]}])
    def test_what_expected_lacks_is_skipped_with_a_reason(self, actual: dict[str, Any]) -> None:
        result = iou({"a": 1}, actual, path="b")
        assert (result.status, result.reasoning, result.verdict) == ("skipped", "expected has nothing at b", None)

    def test_null_in_expected_agrees_with_nothing_and_not_with_a_value(self) -> None:
        assert iou({"b": None}, {"b": None}, path="b").hits == ["b"]
        assert iou({"b": None}, {"c": 1}, path="b").score == 1.0
        assert iou({"b": None}, {"b": [0, 0, 1, 1]}, path="b").misses == ["b (unexpected value)"]

    def test_null_items_keep_their_place(self) -> None:
        assert iou([[0, 0, 1, 1], [0, 0, 1, 1]], [None, [0, 0, 1, 1]]).misses == ["[0] (null value)"]


class TestOptions:
    def test_a_malformed_path_is_an_error_of_the_configuration(self) -> None:
        with pytest.raises(fw.ConfigError, match="empty step"):
            iou([0, 0, 1, 1], [0, 0, 1, 1], path="a..b")

    def test_two_stars_in_a_path_are_refused(self) -> None:
        with pytest.raises(fw.ConfigError, match=r"more than one `\[\*\]`"):
            iou([], [], path="a[*].b[*]")

    @pytest.mark.parametrize("options", [{"threshold": 1.5}, {"format": "xyx"}, {"pairing": "greedy"}, {"polygon": "hull"}, {"tresh": 1}])
    def test_bad_options_are_refused(self, options: dict[str, Any]) -> None:
        with pytest.raises(fw.ConfigError):
            iou([0, 0, 1, 1], [0, 0, 1, 1], **options)

    def test_without_shapely_exact_polygons_are_unavailable_and_say_how_to_get_them(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fieldwise.kernels.geometry.find_spec", lambda name: None)
        result = iou([[0, 0], [1, 0], [0, 1]], [[0, 0], [1, 0], [0, 1]], format="polygon")
        assert result.status == "unavailable"
        assert "fieldwise[geometry]" in result.reasoning
        assert iou([[0, 0], [1, 0], [0, 1]], [[0, 0], [1, 0], [0, 1]], format="polygon", polygon="bbox").score == 1.0


COORDINATES = st.integers(0, 5)
BOXES = st.lists(
    st.tuples(COORDINATES, COORDINATES, COORDINATES, COORDINATES).map(
        lambda b: [min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3])]
    ),
    max_size=5,
)


@settings(max_examples=100, deadline=None)
@given(BOXES, BOXES)
def test_best_pairing_never_scores_below_index(expected: list[Any], actual: list[Any]) -> None:
    assert iou(expected, actual, pairing="best").score >= iou(expected, actual).score - 1e-9


@settings(max_examples=60, deadline=None)
@given(BOXES, BOXES, st.sampled_from(["index", "best"]))
def test_the_score_is_symmetric_and_stays_when_both_are_shifted_and_scaled(expected: list[Any], actual: list[Any], pairing: str) -> None:
    score = iou(expected, actual, pairing=pairing).score
    assert iou(actual, expected, pairing=pairing).score == pytest.approx(score, abs=1e-9)
    moved = [[[(value + 7) * 0.5 for value in box] for box in side] for side in (expected, actual)]
    assert iou(*moved, pairing=pairing).score == pytest.approx(score, abs=1e-9)


SCRAPS = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(["x1", "bbox", "kind", "x"]), inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(SCRAPS, SCRAPS, st.sampled_from(["xyxy", "xywh", "polygon"]), st.sampled_from(["index", "best"]), st.booleans())
def test_no_data_raises_and_the_score_stays_between_0_and_1(expected: Any, actual: Any, form: str, pairing: str, keyed: bool) -> None:
    """structured-data spec: Never throw exceptions from evaluators."""
    options = {"box": "bbox", "label": "kind"} if keyed else {}
    result = iou({"b": expected}, {"b": actual}, path="b", format=form, pairing=pairing, threshold=0.5, **options)
    assert 0.0 <= result.score <= 1.0
    assert result.status in ("scored", "skipped", "error")
    json.dumps(result.to_json()["details"], allow_nan=False)


def test_a_box_may_name_its_own_format() -> None:
    box = {"format": "xyxy", "coordinates": [0, 0, 10, 10]}
    half = {"format": "xywh", "coordinates": [0, 0, 10, 5]}
    assert fw.evaluate({"type": "iou_score", "path": "box"}, expected={"box": box}, actual={"box": half}).score == 0.5
    assert fw.evaluate({"type": "iou_score", "path": "boxes"}, expected={"boxes": [box]}, actual={"boxes": [box]}).score == 1.0


def test_many_boxes_pair_alike_however_the_grid_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(2)
    corners = [(rng.random() * 100, rng.random() * 100) for _ in range(80)]
    expected = [[x, y, x + 10, y + 10] for x, y in corners]
    actual = [[x + 1, y, x + 11, y + 10] for x, y in rng.sample(corners, 70)]
    config = {"type": "iou_score", "path": "b", "format": "xyxy", "threshold": 0.5, "pairing": "best"}
    whole = fw.evaluate(config, expected={"b": expected}, actual={"b": actual})
    monkeypatch.setattr("fieldwise.evaluators.geometry._item_matching._MAX_GRID_CELLS", 500)
    parts = fw.evaluate(config, expected={"b": expected}, actual={"b": actual})
    assert (parts.score, parts.hits, parts.misses) == (whole.score, whole.hits, whole.misses)


@pytest.mark.parametrize(
    ("expected", "actual", "score"),
    [
        ({"format": "polygon", "coordinates": SQUARE}, {"format": "xyxy", "coordinates": [0, 0, 10, 5]}, 0.5),
        ({"format": "xywh", "coordinates": [0, 0, 10, 5]}, {"format": "polygon", "coordinates": SQUARE}, 0.5),
        ([{"format": "polygon", "coordinates": [[0, 0], [10, 0], [0, 10]]}], [[0, 0, 10, 10]], 0.5),
        ([{"format": "polygon", "coordinates": SQUARE}, [20, 20, 30, 30]], [[0, 0, 10, 10], [20, 20, 30, 25]], 0.75),
    ],
)
def test_polygons_that_name_their_format_are_compared_with_boxes(expected: Any, actual: Any, score: float) -> None:
    result = fw.evaluate({"type": "iou_score", "path": "b"}, expected={"b": expected}, actual={"b": actual})
    assert (result.score, result.misses) == (pytest.approx(score), [])


def test_an_inverted_box_beside_a_polygon_is_named() -> None:
    polygon = {"format": "polygon", "coordinates": SQUARE}
    result = fw.evaluate({"type": "iou_score", "path": "b"}, expected={"b": [polygon, [0, 0, 1, 1]]}, actual={"b": [polygon, [5, 5, 1, 1]]})
    assert result.misses == ["b[1] (inverted box: x2 < x1)"]
