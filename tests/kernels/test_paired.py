"""Paired statistics agree with scipy on the same numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fieldwise.kernels.paired import (
    adjust_benjamini_hochberg,
    adjust_holm,
    bootstrap_mean_interval,
    mcnemar_p_value,
    minimum_detectable_change,
    normalized_gain,
    paired_effect_size,
    sign_flip_p_value,
)

shares = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_is_the_exact_binomial_test(broken: int, fixed: int) -> None:
    expected = stats.binomtest(broken, broken + fixed, 0.5).pvalue if broken + fixed else 1.0
    assert mcnemar_p_value(broken, fixed) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("size", [5, 9, 11])
def test_few_differences_are_tested_by_trying_every_sign(size: int) -> None:
    differences = np.random.default_rng(size).normal(0.3, 1, size)
    peer = stats.permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert sign_flip_p_value(differences) == pytest.approx(peer.pvalue, abs=1e-12)


def test_more_differences_are_tested_by_drawing_signs() -> None:
    differences = np.random.default_rng(1).normal(0.1, 1, 300)
    peer = stats.permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=20_000, rng=1)
    assert sign_flip_p_value(differences) == pytest.approx(peer.pvalue, abs=0.02)


def test_very_many_differences_are_tested_by_the_normal_law() -> None:
    differences = np.random.default_rng(2).normal(0.02, 1, 20_000)
    assert sign_flip_p_value(differences) == pytest.approx(stats.ttest_1samp(differences, 0).pvalue, abs=1e-3)


@pytest.mark.parametrize("differences", [np.full(60, 0.25), np.linspace(0.1, 0.9, 80)], ids=["signs by size", "each sign drawn"])
def test_a_sampled_p_value_counts_the_observed_signs_and_is_never_0(differences: np.ndarray) -> None:
    """(k + 1) / (n + 1) with k = 0 of n = 10,000 permutations as far: all differences are positive."""
    assert sign_flip_p_value(differences) == 1 / 10_001


def test_a_sampled_p_value_is_the_share_of_permutations_as_far() -> None:
    differences = np.array([0.25] * 9 + [-0.25] * 7)  # at least 9 of 16 signs alike: all but the even split
    as_far = round(sign_flip_p_value(differences) * 10_001) - 1
    assert sign_flip_p_value(differences) == (as_far + 1) / 10_001
    assert as_far / 10_000 == pytest.approx(1 - stats.binom.pmf(8, 16, 0.5), abs=0.015)


def test_no_difference_is_no_surprise() -> None:
    assert sign_flip_p_value(np.zeros(50)) == 1.0


@pytest.mark.parametrize("size", [30, 400, 8000])
def test_the_interval_agrees_with_scipy(size: int) -> None:
    differences = np.random.default_rng(size).exponential(1, size) - 0.9
    peer = stats.bootstrap((differences,), np.mean, method="percentile", n_resamples=4000, rng=3).confidence_interval
    low, high = bootstrap_mean_interval(differences)
    width = peer.high - peer.low
    assert low == pytest.approx(peer.low, abs=0.1 * width)
    assert high == pytest.approx(peer.high, abs=0.1 * width)


def test_one_case_tells_nothing() -> None:
    assert bootstrap_mean_interval(np.array([0.5])) == (-np.inf, np.inf)
    assert minimum_detectable_change(np.array([0.5])) == np.inf


@given(shares)
def test_benjamini_hochberg_agrees_with_scipy(p_values: list[float]) -> None:
    assert adjust_benjamini_hochberg(p_values) == pytest.approx(stats.false_discovery_control(p_values).tolist(), abs=1e-12)


@given(shares)
def test_holm_rejects_step_by_step(p_values: list[float]) -> None:
    """The definition: going up the sorted p-values, reject while p <= level / number of those left."""
    adjusted = adjust_holm(p_values)
    for level in (0.01, 0.05, 0.2):
        order = sorted(range(len(p_values)), key=lambda index: p_values[index])
        rejected: set[int] = set()
        for rank, index in enumerate(order):
            if p_values[index] * (len(p_values) - rank) > level:
                break
            rejected.add(index)
        assert {index for index, p in enumerate(adjusted) if p <= level} == rejected


def test_the_effect_is_in_standard_deviations() -> None:
    differences = np.array([0.1, 0.2, 0.3])
    assert paired_effect_size(differences) == pytest.approx(2.0)
    assert paired_effect_size(np.zeros(3)) == 0.0
    assert paired_effect_size(np.ones(3)) == np.inf


def test_a_drop_of_the_smallest_size_shown_is_found_four_times_out_of_five() -> None:
    rng = np.random.default_rng(5)
    detected = 0
    for _ in range(300):
        noise = rng.normal(0, 0.2, 100)
        drop = (1.959963984540054 + 0.8416212335729143) * 0.2 / 10
        detected += stats.ttest_1samp(noise - drop, 0).pvalue < 0.05
    assert 0.72 < detected / 300 < 0.88
    assert minimum_detectable_change(rng.normal(0, 0.2, 100_000)) == pytest.approx(drop / np.sqrt(1000), rel=0.05)


@pytest.mark.parametrize(("base", "new", "gain"), [(0.8, 0.9, 0.5), (0.8, 0.4, -0.5), (1.0, 1.0, None), (0.0, 0.0, 0.0), (0.0, 1.0, 1.0)])
def test_gain_is_the_share_of_what_was_missing(base: float, new: float, gain: float | None) -> None:
    assert normalized_gain(base, new) == gain


def test_differences_of_one_size_are_judged_as_a_coin_is() -> None:
    for up in (500, 520, 540, 560):
        moved = np.array([0.25] * up + [-0.25] * (1000 - up))
        assert sign_flip_p_value(moved) == pytest.approx(stats.binomtest(up, 1000).pvalue, abs=0.015)
