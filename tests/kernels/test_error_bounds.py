"""Upper bounds on an error rate."""

import numpy as np
import pytest
from scipy.stats import beta, binomtest

from fieldwise.kernels.error_bounds import clustered_upper_bound, effective_size, upper_bound


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
    assert effective_size(sizes, errors) == 200
    assert clustered_upper_bound(sizes, errors, 0.95) == pytest.approx(upper_bound(20, 200, 0.95))


def test_independent_errors_count_nearly_by_value():
    random = np.random.default_rng(0)
    sizes = np.full(500, 6.0)
    errors = random.binomial(6, 0.1, size=500).astype(float)
    assert 500 * 6 / 1.5 < effective_size(sizes, errors) <= 500 * 6


def test_single_errors_in_many_documents_tell_more_than_one_value_each():
    sizes, errors = np.full(50, 4.0), np.zeros(50)
    errors[:10] = 1
    residuals = errors - 0.05 * sizes
    clustered = (residuals**2).sum() * 50 / 49 / 200**2 * (1 + 2 * np.sqrt(2 / 10))
    assert effective_size(sizes, errors) == pytest.approx(200 * (0.05 * 0.95 / 200) / clustered)
