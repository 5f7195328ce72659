"""Upper bounds on an error rate."""

import numpy as np
import pytest
from scipy.stats import beta, binomtest

from fieldwise.kernels.error_bounds import clustered_upper_bound, upper_bound


@pytest.mark.parametrize(("errors", "n"), [(0, 1), (0, 4), (6, 1026), (3, 3), (41, 77), (0, 150)])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.999])
def test_the_bound_equals_scipy(errors, n, level):
    expected = binomtest(errors, n, alternative="less").proportion_ci(level, method="exact").high
    assert upper_bound(errors, n, level) == pytest.approx(expected, abs=1e-12)
    if errors < n:
        assert upper_bound(errors, n, level) == pytest.approx(beta.ppf(level, errors + 1, n - errors), abs=1e-12)


def test_nothing_observed_bounds_nothing():
    assert upper_bound(0, 0, 0.95) == 1.0
    assert clustered_upper_bound(np.zeros(0), np.zeros(0), 0.95) == 1.0


def test_documents_with_one_value_give_the_exact_bound():
    errors = np.zeros(400)
    errors[:7] = 1
    assert clustered_upper_bound(np.ones(400), errors, 0.95) == upper_bound(7, 400, 0.95)


def test_without_errors_documents_count_not_values():
    assert clustered_upper_bound(np.full(100, 8.0), np.zeros(100), 0.95) == pytest.approx(upper_bound(0, 100, 0.95))


def test_documents_that_are_wrong_as_a_whole_count_once():
    sizes, errors = np.full(200, 5.0), np.zeros(200)
    errors[:20] = 5
    assert clustered_upper_bound(sizes, errors, 0.95) == upper_bound(20, 200, 0.95)


def test_documents_that_are_wrong_in_every_value_have_no_bound():
    assert clustered_upper_bound(np.array([1.0, 3.0]), np.array([1.0, 3.0]), 0.95) == 1.0


@pytest.mark.parametrize(("documents", "items", "rate"), [(60, 10, 0.05), (200, 50, 0.003), (400, 6, 0.1), (30, 4, 0.5)])
@pytest.mark.parametrize("level", [0.95, 0.99])
def test_the_bound_is_the_quantile_of_random_weights_with_one_more_wrong_document(documents, items, rate, level):
    random = np.random.default_rng(items)
    sizes = random.integers(1, items + 1, documents).astype(float)
    errors = random.binomial(sizes.astype(int), rate).astype(float)
    added = (sizes**2).sum() / sizes.sum()
    weights = random.exponential(size=(20_000, documents + 1))
    rates = (weights @ np.append(errors, added)) / (weights @ np.append(sizes, added))
    assert clustered_upper_bound(sizes, errors, level) == pytest.approx(np.quantile(rates, level), rel=0.03)


def test_independent_errors_are_bounded_closer_than_by_documents():
    random = np.random.default_rng(0)
    sizes = np.full(500, 6.0)
    errors = random.binomial(6, 0.1, size=500).astype(float)
    wrong = errors.sum()
    bound = clustered_upper_bound(sizes, errors, 0.95)
    assert upper_bound(wrong, 3000, 0.95) < bound < upper_bound(wrong / 6, 500, 0.95)
    assert bound - wrong / 3000 < 1.6 * (upper_bound(wrong, 3000, 0.95) - wrong / 3000)


def test_the_bound_holds_where_few_documents_are_wrong_as_a_whole():
    """Single errors in many documents tell nothing about documents that are lost as a whole and were not seen."""
    random = np.random.default_rng(1)
    exceeded = 0
    for _ in range(300):
        is_lost = random.random(200) < 0.003
        errors = np.where(is_lost, 50, random.binomial(50, 0.003, 200)).astype(float)
        exceeded += clustered_upper_bound(np.full(200, 50.0), errors, 0.95) < 0.003 + 0.997 * 0.003
    assert exceeded <= 15  # 5 % of 300


def test_a_document_more_without_errors_lowers_the_bound():
    sizes, errors = np.array([3.0, 5, 8, 2, 7]), np.array([1.0, 0, 2, 0, 0])
    bounds = [clustered_upper_bound(np.append(sizes, np.full(more, 5.0)), np.append(errors, np.zeros(more)), 0.95) for more in range(30)]
    assert bounds == sorted(bounds, reverse=True)
