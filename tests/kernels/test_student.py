"""Quantiles of Student's t distribution, beside scipy's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fieldwise.kernels.student import student_quantile


@pytest.mark.parametrize("degrees", [1, 1.5, 2, 3, 4, 9, 29, 99, 199, 199.9, 200, 201, 1_000, 100_000, 10**9])
@pytest.mark.parametrize("probability", [0.55, 0.8, 0.9, 0.95, 0.975, 0.995, 0.9995])
def test_a_quantile_is_that_of_scipy(degrees: float, probability: float) -> None:
    assert student_quantile(degrees, probability) == pytest.approx(stats.t.ppf(probability, degrees), rel=1e-12)


@given(st.floats(1, 10_000), st.floats(0.51, 0.9999))
def test_a_quantile_with_any_degrees_of_freedom_is_that_of_scipy(degrees: float, probability: float) -> None:
    assert student_quantile(degrees, probability) == pytest.approx(stats.t.ppf(probability, degrees), rel=1e-11)


@given(st.floats(1, 500), st.floats(0.1, 100))
def test_more_degrees_of_freedom_have_a_smaller_quantile(degrees: float, more: float) -> None:
    assert student_quantile(degrees + more, 0.975) < student_quantile(degrees, 0.975)
