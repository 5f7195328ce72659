"""The map from raw similarity to score."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.meaning.calibration import (
    CalibrationCurve,
    compute_auc,
    find_best_threshold,
    fit_curve,
    is_held_out,
    measure_quality,
)

shares = st.floats(min_value=0, max_value=1)


@given(
    st.lists(st.tuples(shares, st.booleans()), min_size=4, max_size=30).filter(lambda rows: len({same for _, same in rows}) == 2),
    shares,
    shares,
)
@settings(deadline=None, max_examples=80)
def test_a_fitted_map_keeps_the_order_and_the_range(rows: list[tuple[float, bool]], left: float, right: float) -> None:
    curve = fit_curve([raw for raw, _ in rows], [same for _, same in rows])
    low, high = curve(sorted((left, right)))
    assert 0.0 <= low <= high <= 1.0
    assert curve([0.0, 1.0]).tolist() == [0.0, 1.0]


def test_a_clean_gap_is_cut_in_its_middle() -> None:
    assert find_best_threshold(np.array([0.2, 0.3, 0.7, 0.8]), np.array([False, False, True, True])) == pytest.approx(0.5)


def test_the_cut_becomes_the_score_asked_for() -> None:
    curve = fit_curve([0.2, 0.3, 0.7, 0.8], [False, False, True, True], at=0.9)
    assert curve([0.5]).tolist() == pytest.approx([0.9])


def test_labels_of_one_kind_cannot_be_cut() -> None:
    with pytest.raises(ValueError, match="pairs that mean the same and pairs that do not"):
        find_best_threshold(np.array([0.1, 0.9]), np.array([True, True]))


@pytest.mark.parametrize(
    "knots", [(), ((0.0, 0.0), (0.5, 0.5)), ((0.0, 0.0), (0.5, 0.9), (0.4, 0.95), (1.0, 1.0)), ((0.1, 0.0), (1.0, 1.0))]
)
def test_a_map_that_does_not_rise_from_0_to_1_is_refused(knots: tuple[tuple[float, float], ...]) -> None:
    with pytest.raises(ValueError, match="must rise from"):
        CalibrationCurve(knots)


def test_precision_and_recall_at_the_cut() -> None:
    quality = measure_quality(np.array([0.9, 0.85, 0.8, 0.1]), np.array([True, True, False, True]))
    assert (quality.precision, quality.recall, quality.accuracy) == pytest.approx((2 / 3, 2 / 3, 0.5))


def test_auc_of_nothing_is_unknown() -> None:
    assert np.isnan(compute_auc(np.array([]), np.array([0.5])))


def test_the_halves_are_about_equal_and_decided_by_the_text() -> None:
    halves = [is_held_out(str(number), "x") for number in range(1000)]
    assert 400 < sum(halves) < 600
    assert halves == [is_held_out(str(number), "x") for number in range(1000)]
