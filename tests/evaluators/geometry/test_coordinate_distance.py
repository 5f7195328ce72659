"""coordinate_distance: points in any number of dimensions, one or lists."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise import Result
from fieldwise.model.values import MISSING

NAN = float("nan")


def distance(expected: Any, actual: Any, **options: Any) -> Result:
    return fw.evaluate({"type": "coordinate_distance", **options}, expected=expected, actual=actual)


@pytest.mark.parametrize(
    ("metric", "expected", "actual", "apart"),
    [
        ("euclidean", [0, 0], [3, 4], 5.0),
        ("euclidean", [1, 2, 3], [1, 2, 3], 0.0),
        ("euclidean", [0, 0, 0], [2, 3, 6], 7.0),
        ("euclidean", [0] * 9, [1] * 9, 3.0),
        ("euclidean", [1.5], [2.0], 0.5),
        ("manhattan", [0, 0], [3, 4], 7.0),
        ("manhattan", [1, 1, 1], [2, 0, 3], 4.0),
        ("cosine", [1, 0], [0, 1], 1.0),
        ("cosine", [1, 2, 3], [2, 4, 6], 0.0),
        ("cosine", [1, 0], [-1, 0], 2.0),
        ("euclidean", {"x": 0, "y": 0}, [3, 4], 5.0),
        ("euclidean", {"x": 0, "y": 0, "z": 0}, {"z": 6, "y": 3, "x": 2}, 7.0),
    ],
)
def test_the_three_metrics_in_2_3_and_n_dimensions(metric: str, expected: Any, actual: Any, apart: float) -> None:
    """structured-data spec: Distance metrics: all three metrics (Euclidean, Manhattan, Cosine), 2D/3D."""
    result = distance(expected, actual, metric=metric)
    assert result.metrics["mean_distance"] == pytest.approx(apart, abs=1e-12)
    assert result.score == pytest.approx(max(0.0, 1 - apart) if metric == "cosine" else 1 / (1 + apart))


@pytest.mark.parametrize(("expected", "actual"), [([0, 0], [1, 1]), ([1, 1], [0, 0]), ([0, 0], [0, 0])])
def test_zero_magnitude_has_cosine_distance_1(expected: list[int], actual: list[int]) -> None:
    """structured-data spec: mag1 === 0 || mag2 === 0: maximum distance."""
    result = distance(expected, actual, metric="cosine")
    assert (result.metrics["mean_distance"], result.score, result.hits) == (1.0, 0.0, [])


def test_dimension_mismatch_is_a_miss_not_an_exception() -> None:
    """structured-data spec: Dimension mismatch."""
    result = distance({"p": [0, 0]}, {"p": [0, 0, 0]}, path="p")
    assert (result.score, result.misses) == (0.0, ["p (dimension mismatch: 3, expected 2)"])
    assert distance([[0, 0], [1, 1]], [[0, 0, 0], [1, 1]]).score == 0.5


class TestThreshold:
    def test_up_to_the_threshold_is_1_and_beyond_is_0(self) -> None:
        assert distance([0, 0], [3, 4], threshold=5).score == 1.0
        assert distance([0, 0], [3, 4], threshold=4.99).score == 0.0
        assert distance([0, 0], [3, 4], threshold=4.99).misses == ["(root)"]

    def test_a_threshold_of_0_asks_for_the_same_point(self) -> None:
        assert distance([1, 1], [1, 1], threshold=0).score == 1.0
        assert distance([1, 1], [1, 1 + 1e-12], threshold=0).score == 0.0

    def test_binary_rounding_does_not_cost_the_threshold(self) -> None:
        assert distance([1.0], [1.1], threshold=0.1).score == 1.0
        assert distance([100000000.0], [100000000.1], threshold=0.1).score == 1.0
        assert distance([1.0], [1.1000001], threshold=0.1).score == 0.0

    def test_precision_recall_and_f1_come_with_it(self) -> None:
        result = distance([[0, 0], [10, 10]], [[0, 1], [50, 50], [3, 3]], threshold=1)
        assert result.score == pytest.approx(1 / 3)
        assert result.metrics["precision"] == pytest.approx(1 / 3)
        assert result.metrics["recall"] == 0.5
        assert result.metrics["f1"] == pytest.approx(0.4)

    @pytest.mark.parametrize("actual", [None, MISSING, "no JSON"])
    def test_points_that_no_output_names_stay_missed_when_counts_are_pooled(self, actual: Any) -> None:
        result = distance([[0, 0], [1, 1]], actual, threshold=1)
        assert (result.status, result.metrics["false_negatives"], result.metrics["recall"]) == ("error", 2, 0.0)


class TestLists:
    def test_pairs_by_index_are_averaged_and_missing_points_count_0(self) -> None:
        """structured-data spec: Batch evaluation: various array lengths."""
        result = distance({"p": [[0, 0], [1, 1]]}, {"p": [[0, 0]]}, path="p")
        assert (result.score, result.misses) == (0.5, ["p[1] (required, missing)"])
        assert distance([[0, 0]], [[0, 0], [5, 5]]).misses == ["[+1] (extra)"]

    def test_empty_against_empty_is_1_and_one_side_empty_is_0(self) -> None:
        """structured-data spec: Batch evaluation: empty arrays."""
        assert (distance([], []).score, distance([], []).verdict) == (1.0, "pass")
        assert distance([], [[0, 0]]).score == distance([[0, 0]], []).score == 0.0

    def test_best_pairing_finds_the_nearest_together(self) -> None:
        result = distance([[0, 0], [5, 5]], [[5, 5], [0, 1]], pairing="best")
        assert [(pair["expected"], pair["actual"], pair["distance"]) for pair in result.details["pairs"]] == [(0, 1, 1.0), (1, 0, 0.0)]
        assert result.score == 0.75

    def test_best_pairing_with_a_threshold_maximises_hits_before_nearness(self) -> None:
        """One perfect pair and one hopeless one would be nearer together than two that both pass."""
        expected, actual = [[0.0], [2.0]], [[2.0], [3.9]]
        assert distance(expected, actual, pairing="best", threshold=2).score == 1.0

    def test_best_pairing_keeps_to_points_of_one_dimension(self) -> None:
        result = distance([[0, 0], [1, 1, 1]], [[1, 1, 1], [0, 0]], pairing="best")
        assert result.score == 1.0


@pytest.mark.parametrize(
    ("point", "what"),
    [
        ([NAN, 0], "coordinate 0 is NaN"),
        ([0, float("inf")], "coordinate 1 is infinite"),
        ([0, "1"], "coordinate 1 is not a number: string"),
        ([True, 0], "coordinate 0 is not a number: bool"),
        ("here", "not a list of numbers: string"),
        ({"lat": 1, "lon": 2}, "an object without the keys x, y"),
        ({"x": 1, "y": 2, "w": 3, "h": 4}, "a box, not a point; `iou_score` compares boxes"),
        ([10**400, 0], "coordinate 0 is too large: beyond 1e150"),
        ([2**53 + 1, 0], "coordinate 0 has more digits than a distance keeps: beyond 2^53"),
    ],
)
def test_a_malformed_point_is_a_miss_that_says_what_is_wrong(point: Any, what: str) -> None:
    """structured-data spec: Infinity or NaN always fail with a clear error message."""
    result = distance({"p": [0, 0]}, {"p": point}, path="p", threshold=1)
    assert (result.score, result.misses) == (0.0, [f"p ({what})"])


def test_whole_coordinates_that_differ_in_the_last_digit_are_not_equal() -> None:
    assert distance([2**53], [2**53 + 1], threshold=0).score == 0.0
    assert distance([2**60], [2**60], threshold=0).score == 1.0


def test_a_point_may_have_a_name_and_a_visibility_beside_its_coordinates() -> None:
    expected = [{"name": "nose", "x": 1, "y": 2, "visible": True}, {"name": "eye", "x": 5, "y": 2}]
    result = distance(expected, [{"x": 1, "y": 3, "score": 0.4}, {"x": 5, "y": 2}], threshold=1)
    assert (result.score, result.metrics["mean_distance"]) == (1.0, 0.5)


def test_absent_points_are_misses_or_skipped() -> None:
    """structured-data spec: null or undefined is treated as a missing value, not 0."""
    assert distance({"p": [0, 0]}, {}, path="p").misses == ["p (required, missing)"]
    assert distance({"p": [0, 0]}, {"p": None}, path="p").misses == ["p (null value)"]
    assert distance({}, {"p": [0, 0]}, path="p").status == "skipped"


POINTS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)).map(list), max_size=5)


@settings(max_examples=100, deadline=None)
@given(POINTS, POINTS, st.sampled_from(["euclidean", "manhattan", "cosine"]), st.sampled_from([None, 0.3, 1.0, 2.0]))
def test_best_pairing_never_scores_below_index(expected: list[Any], actual: list[Any], metric: str, threshold: float | None) -> None:
    options: dict[str, Any] = {"metric": metric} | ({} if threshold is None else {"threshold": threshold})
    best, index = (distance(expected, actual, pairing=pairing, **options).score for pairing in ("best", "index"))
    assert best >= index - 1e-9


SCRAPS = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["x", "y", "z"]), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=150, deadline=None)
@given(
    SCRAPS, SCRAPS, st.sampled_from(["euclidean", "manhattan", "cosine"]), st.sampled_from(["index", "best"]), st.sampled_from([None, 1.0])
)
def test_no_data_raises_and_the_score_stays_between_0_and_1(expected: Any, actual: Any, metric: str, pairing: str, threshold: Any) -> None:
    """structured-data spec: Never throw exceptions from evaluators."""
    result = distance({"p": expected}, {"p": actual}, path="p", metric=metric, pairing=pairing, threshold=threshold)
    assert 0.0 <= result.score <= 1.0
    json.dumps(result.to_json()["details"], allow_nan=False)
