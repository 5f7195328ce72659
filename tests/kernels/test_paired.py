"""Paired statistics agree with scipy on the same numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fieldwise.kernels.paired import (
    adjust_benjamini_hochberg,
    adjust_holm,
    mcnemar_p_value,
    mean_interval,
    minimum_detectable_change,
    normalized_gain,
    paired_effect_size,
    sign_flip_p_value,
    standard_error,
)
from fieldwise.kernels.power import detectable_effect
from fieldwise.kernels.statistics import degrees_of_freedom

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


@pytest.mark.parametrize("size", [25, 60, 128])
def test_more_differences_are_tested_by_drawing_signs(size: int) -> None:
    differences = np.random.default_rng(1).normal(0.1, 1, size)
    peer = stats.permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=20_000, rng=1)
    assert sign_flip_p_value(differences) == pytest.approx(peer.pvalue, abs=0.015)


@pytest.mark.parametrize(("size", "kind"), [(150, "continuous"), (150, "skewed"), (150, "tenths"), (150, "halves"), (300, "continuous")])
def test_many_differences_are_tested_as_scipy_tests_them(size: int, kind: str) -> None:
    rng = np.random.default_rng(size)
    differences = {
        "continuous": rng.normal(0.1, 1, size),
        "skewed": rng.exponential(1, size) - 0.85,
        "tenths": rng.integers(-10, 12, size) / 10,
        "halves": rng.choice([-1, -0.5, 0, 0.5, 1], size, p=[0.15, 0.15, 0.3, 0.2, 0.2]),
    }[kind]
    peer = stats.permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=40_000, rng=1)
    assert sign_flip_p_value(differences) == pytest.approx(peer.pvalue, abs=0.008)


@pytest.mark.parametrize("scale", [1e-1, 1e-2, 1e-3, 1e-6])
@pytest.mark.parametrize("large", [1, 5, 17, 60])
def test_few_large_differences_among_many_small_ones_are_tested_as_scipy_tests_them(large: int, scale: float) -> None:
    rng = np.random.default_rng(large)
    differences = np.r_[rng.choice([-1.0, 1.0], large, p=[0.2, 0.8]) * rng.uniform(0.8, 1, large), rng.normal(0.1, scale, 300) * scale]
    peer = stats.permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=20_000, rng=1)
    assert sign_flip_p_value(differences) == pytest.approx(peer.pvalue, abs=0.015)


def test_equal_differences_among_many_other_sizes_keep_their_steps() -> None:
    """260 whole numbers beside small differences: their sum moves in steps, which a normal distribution would smooth away."""
    rng = np.random.default_rng(8)
    differences = np.r_[rng.choice([-1.0, 1.0], 260, p=[0.45, 0.55]), rng.uniform(-1, 1, 300) * 1e-5]
    peer = stats.permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=40_000, rng=1)
    assert sign_flip_p_value(differences) == pytest.approx(peer.pvalue, abs=0.008)


@pytest.mark.parametrize("scale", [1.0, 1e-2, 1e-4, 1e-6])
def test_differences_that_all_rise_are_never_explained_by_chance(scale: float) -> None:
    """No saddlepoint exists there: the sum is the largest of all."""
    rng = np.random.default_rng(3)
    for large in (1, 2, 5, 20):
        assert sign_flip_p_value(np.r_[rng.uniform(0.8, 1, large), rng.uniform(0.1, 1, 300) * scale]) < 1e-12


@given(st.lists(st.integers(-4, 4), min_size=13, max_size=15), st.sampled_from([1.0, 0.05, 1 / 3]))
def test_multiples_of_a_unit_are_tested_by_every_sign_however_many(steps: list[int], unit: float) -> None:
    differences = np.array(steps) * unit
    signs = 1 - 2 * ((np.arange(2 ** len(steps))[:, None] >> np.arange(len(steps))) & 1)
    expected = np.mean(np.abs(signs @ np.array(steps)) >= abs(sum(steps)))
    assert sign_flip_p_value(differences) == pytest.approx(expected, rel=1e-9)


def test_very_many_differences_agree_with_the_t_test() -> None:
    differences = np.random.default_rng(2).normal(0.02, 1, 20_000)
    assert sign_flip_p_value(differences) == pytest.approx(stats.ttest_1samp(differences, 0).pvalue, abs=1e-3)


@pytest.mark.parametrize("size", [20, 80, 300, 5000])
def test_a_p_value_is_never_0_and_falls_with_the_difference(size: int) -> None:
    noise = np.random.default_rng(size).normal(0, 1, size)
    noise -= noise.mean()
    p_values = [sign_flip_p_value(noise + shift) for shift in (0.0, 0.1, 0.3, 1.0, 5.0)]
    assert p_values == sorted(p_values, reverse=True)
    assert all(0 < p <= 1 for p in p_values)


def test_differences_of_one_size_are_tested_exactly() -> None:
    """Also where rounding makes the sizes differ in the last bits."""
    differences = np.array([0.3 - 0.1] * 40 + [0.1 - 0.3] * 20 + [0.9 - 0.7] * 3)
    assert sign_flip_p_value(differences) == pytest.approx(stats.binomtest(43, 63).pvalue, rel=1e-9)


def test_what_rounding_leaves_of_no_difference_is_no_difference() -> None:
    differences = np.array([1.0] * 14 + [-1.0] * 4 + [0.1 + 0.2 - 0.3] * 5)
    assert sign_flip_p_value(differences) == pytest.approx(stats.binomtest(14, 18).pvalue, rel=1e-9)
    mixed = np.array([2.0] * 10 + [-1.0] * 8 + [0.1 + 0.2 - 0.3] * 5)
    assert sign_flip_p_value(mixed) == pytest.approx(sign_flip_p_value(mixed[:18]), rel=1e-9)


def test_no_difference_is_no_surprise() -> None:
    assert sign_flip_p_value(np.zeros(50)) == 1.0


@pytest.mark.parametrize("size", [5, 30, 8000])
def test_the_interval_is_the_t_interval(size: int) -> None:
    differences = np.random.default_rng(size).exponential(1, size) - 0.9
    peer = stats.ttest_1samp(differences, 0).confidence_interval()
    assert mean_interval(differences) == pytest.approx((peer.low, peer.high))


def test_the_interval_over_groups_is_the_cluster_robust_one_of_statsmodels() -> None:
    linear_model = pytest.importorskip("statsmodels.api", reason="needs statsmodels, a development package")
    rng = np.random.default_rng(4)
    groups = rng.integers(0, 12, 80)
    values = rng.normal(0, 1, 12)[groups] + rng.normal(0, 0.5, 80)
    fit = linear_model.OLS(values, np.ones(80)).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    sums, sizes = np.bincount(groups, weights=values), np.bincount(groups).astype(float)
    assert standard_error(sums, sizes) == pytest.approx(fit.bse[0])
    low, high = mean_interval(sums, sizes)
    degrees = degrees_of_freedom(sums, sizes, sums.sum() / 80)  # statsmodels counts all groups, 11 degrees
    assert degrees < 11
    assert (low + high) / 2 == pytest.approx(fit.params[0])
    assert (high - low) / 2 == pytest.approx(np.diff(fit.conf_int()[0])[0] / 2 * stats.t.ppf(0.975, degrees) / stats.t.ppf(0.975, 11))


def test_a_few_large_groups_make_a_wide_interval_and_a_large_detectable_change() -> None:
    rng = np.random.default_rng(6)
    sizes = np.r_[np.full(16, 1.0), np.full(4, 50.0)]
    sums = sizes * rng.normal(0, 0.1, 20)
    error = standard_error(sums, sizes)
    low, high = mean_interval(sums, sizes)
    assert high - low > 2 * stats.t.ppf(0.975, 4) * error
    assert minimum_detectable_change(sums, sizes) > detectable_effect(5) * error


def test_the_interval_over_uneven_groups_holds_the_true_mean() -> None:
    rng = np.random.default_rng(7)
    covered = 0
    for _ in range(400):
        sizes = rng.choice([1.0, 1.0, 1.0, 1.0, 50.0], 30)
        low, high = mean_interval(sizes * rng.normal(0, 0.1, 30), sizes)
        covered += low <= 0 <= high
    assert covered / 400 > 0.92


def test_groups_of_one_case_are_cases() -> None:
    values = np.random.default_rng(5).normal(0, 1, 20)
    assert mean_interval(values, np.ones(20)) == pytest.approx(mean_interval(values))


@pytest.mark.parametrize("differences", [np.array([0.1, 0.2, 0.3, 0.4]), np.full(20, 0.25), np.zeros(20)], ids=["few", "equal", "none"])
def test_too_few_or_equal_differences_have_no_interval(differences: np.ndarray) -> None:
    assert mean_interval(differences) is None


def test_one_case_tells_nothing() -> None:
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
        assert sign_flip_p_value(moved) == pytest.approx(stats.binomtest(up, 1000).pvalue)


def test_runs_without_a_difference_differ_by_chance() -> None:
    assert sign_flip_p_value(np.zeros(3)) == 1.0


def test_groups_whose_means_are_equal_have_no_error_whatever_their_sizes() -> None:
    assert standard_error(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])) == 0.0


def test_below_zero_there_is_no_share_of_a_loss() -> None:
    assert normalized_gain(0.0, -0.5) is None
