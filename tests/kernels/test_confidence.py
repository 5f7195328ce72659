"""Calibration and ranking, against scikit-learn and a second implementation."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import brier_score_loss, roc_auc_score

from fieldwise.kernels.confidence import (
    area_interval,
    area_under_roc,
    brier_score,
    errors_caught,
    expected_calibration_error,
    reliability_bins,
    risk_coverage,
)
from fieldwise.kernels.statistics import hash_texts


def draw(n: int, seed: int, *, digits: int = 12):
    random = np.random.default_rng(seed)
    confidence = np.round(random.beta(3, 1, n), digits)
    correct = (random.random(n) < confidence * 0.9).astype(float)
    return confidence, correct


@pytest.mark.parametrize("digits", [12, 1], ids=["distinct", "ties"])
@pytest.mark.parametrize("n", [30, 999])
def test_area_and_brier_equal_scikit_learn(n, digits):
    confidence, correct = draw(n, n + digits, digits=digits)
    assert area_under_roc(confidence, correct) == pytest.approx(roc_auc_score(correct, confidence), abs=1e-12)
    assert brier_score(confidence, correct) == pytest.approx(brier_score_loss(correct, confidence), abs=1e-12)


def plain_ece(confidence, correct, bins: int = 10) -> float:
    """A second implementation, value by value: bins of equal count, by ascending confidence."""
    rows = sorted(zip(confidence.tolist(), correct.tolist(), strict=True))
    size = len(rows) // bins
    gaps = []
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        gaps.append(abs(sum(probability for probability, _ in part) - sum(right for _, right in part)) / len(part))
    return sum(gaps) / bins


@pytest.mark.parametrize("n", [30, 500, 2000])
def test_the_calibration_error_equals_a_second_implementation(n):
    confidence, correct = draw(n, n)
    assert expected_calibration_error(confidence, correct) == pytest.approx(plain_ece(confidence, correct), abs=1e-12)


def test_nothing_depends_on_the_order_of_equal_confidences():
    confidence, correct = draw(401, 5, digits=1)
    order = np.random.default_rng(1).permutation(401)
    assert expected_calibration_error(confidence, correct) == expected_calibration_error(confidence[order], correct[order])
    shares = [0.05, 0.1, 0.2]
    assert errors_caught(confidence, correct, shares) == errors_caught(confidence[order], correct[order], shares)


def test_bins_hold_equal_counts_and_all_values():
    confidence, correct = draw(55, 3)
    bins = reliability_bins(confidence, correct)
    assert [row.n for row in bins] == [5.5] * 10
    assert np.mean([row.accuracy for row in bins]) == pytest.approx(correct.mean())
    assert np.mean([row.confidence for row in bins]) == pytest.approx(confidence.mean())


def test_the_curve_ends_with_all_values_and_their_error():
    confidence, correct = draw(300, 4)
    points = risk_coverage(confidence, correct)
    assert len(points) <= 50
    assert points[-1].coverage == 1.0
    assert points[-1].risk == pytest.approx(1 - correct.mean())
    for point in points:
        accepted = confidence >= point.threshold
        assert point.coverage == pytest.approx(accepted.mean())
        assert point.risk == pytest.approx(1 - correct[accepted].mean())


def test_never_more_errors_are_caught_than_values_reviewed():
    for n in (30, 31, 50, 82, 90, 99):
        caught = errors_caught(np.linspace(0, 1, n), np.zeros(n), [0.05, 0.10, 0.20])
        assert caught == [round(share * n) for share in (0.05, 0.10, 0.20)]


def test_errors_caught_by_hand():
    confidence = np.arange(20) / 20
    correct = np.array([0.0, 0, 1, 0, *[1] * 16])
    assert errors_caught(confidence, correct, [0.05, 0.10, 0.20]) == [1.0, 2.0, 3.0]


def test_the_interval_is_wider_where_documents_repeat_their_values():
    confidence, correct = draw(200, 6)
    alone = area_interval(confidence, correct, np.arange(200), hash_texts([str(row) for row in range(200)]))
    repeated = np.tile(np.arange(200), 5)
    grouped = area_interval(np.tile(confidence, 5), np.tile(correct, 5), repeated, hash_texts([str(row) for row in range(200)]))
    assert grouped == pytest.approx(alone, abs=1e-9)
    area = area_under_roc(confidence, correct)
    assert alone[0] < area < alone[1]
    assert area_interval(confidence[:4], correct[:4], np.arange(4), hash_texts(list("abcd"))) is None


def test_a_bin_for_each_value_ends_at_that_value():
    from fieldwise.kernels.confidence import reliability_bins, risk_coverage

    bins = reliability_bins(np.array([0.2, 0.5, 0.9]), np.array([0.0, 1.0, 1.0]), bins=3)
    assert [(row.low, row.high) for row in bins] == [(0.2, 0.2), (0.5, 0.5), (0.9, 0.9)]
    assert risk_coverage(np.zeros(0), np.zeros(0)) == []
    assert reliability_bins(np.zeros(0), np.zeros(0)) == []


def interval_of(confidence, correct, document=None):
    document = np.arange(len(correct)) if document is None else document
    return area_interval(confidence, correct, document, hash_texts([str(number) for number in range(len(correct))]))


def test_a_perfect_ranking_has_an_interval_with_a_width():
    confidence = np.concatenate([np.linspace(0.3, 0.39, 10), np.linspace(0.4, 0.59, 20)])
    correct = np.repeat([0.0, 1.0], [10, 20])
    low, high = interval_of(confidence, correct)
    assert (round(low, 3), high) == (0.849, 1.0)
    reversed_low, reversed_high = interval_of(-confidence, correct)
    assert (reversed_low, reversed_high) == (0.0, pytest.approx(1 - low))


def test_equal_confidences_have_no_interval():
    assert interval_of(np.full(33, 0.7), np.repeat([0.0, 1.0], [11, 22])) is None


def test_values_of_one_document_widen_the_score_interval():
    confidence, correct = np.linspace(0, 1, 60), np.repeat([0.0, 1.0], [20, 40])
    low, _ = interval_of(confidence, correct)
    low_of_documents, _ = interval_of(confidence, correct, np.arange(60) // 4)
    assert low_of_documents < low


@pytest.mark.parametrize(("area", "wrong", "right"), [(0.6, 12, 24), (0.95, 12, 24), (0.99, 15, 150)])
def test_the_interval_covers_the_true_area_in_simulation(area, wrong, right):
    """Normal confidences; a percentile bootstrap alone covers 0.93, 0.88 and 0.83."""
    random = np.random.default_rng(1)
    shift = norm.ppf(area) * np.sqrt(2)
    correct = np.repeat([0.0, 1.0], [wrong, right])
    covered = 0
    for _ in range(100):
        low, high = interval_of(norm.cdf(random.normal(size=len(correct)) + shift * correct), correct)
        covered += low <= area <= high
    assert covered >= 91
