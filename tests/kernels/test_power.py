"""Power agrees with statsmodels and with simulation."""

import numpy as np
import pytest
from scipy import stats

from fieldwise.kernels.power import detectable_effect, detection_power, discordant_power, find_smallest_number


def cases_needed(effect: float, power: float = 0.8) -> int | None:
    return find_smallest_number(lambda n: detection_power(effect, 1.0, n), power)


@pytest.mark.parametrize("effect", [0.05, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("power", [0.8, 0.95])
def test_the_number_of_cases_is_that_of_statsmodels(effect: float, power: float) -> None:
    peer = pytest.importorskip("statsmodels.stats.power", reason="needs statsmodels, a development package").TTestPower()
    assert cases_needed(effect, power) == int(np.ceil(peer.solve_power(effect, alpha=0.05, power=power)))


@pytest.mark.parametrize("n", [5, 30, 400, 3000])
def test_the_smallest_detectable_change_has_the_asked_power(n: int) -> None:
    change = detectable_effect(n) / np.sqrt(n)
    assert detection_power(change, 1.0, n) == pytest.approx(0.8, abs=0.002)


def test_power_is_the_share_of_tests_that_detect_the_change() -> None:
    samples = np.random.default_rng(1).normal(0.3, 1, (4000, 40))
    detected = np.mean(stats.ttest_1samp(samples, 0, axis=1).pvalue <= 0.05)
    assert detection_power(0.3, 1.0, 40) == pytest.approx(detected, abs=0.025)


def test_no_change_is_never_detected_and_no_spread_always() -> None:
    assert cases_needed(1e-9) is None
    assert find_smallest_number(lambda n: detection_power(0.1, 0.0, n), 0.8) == 2


def test_one_case_detects_nothing() -> None:
    assert detection_power(0.5, 1.0, 1) == 0.0


@pytest.mark.parametrize(("change", "discordance", "n"), [(0.1, 0.2, 60), (0.05, 0.05, 70), (0.3, 0.4, 20), (0.5, 0.9, 15), (0.0, 0.3, 40)])
def test_the_power_of_pairs_is_that_of_the_exact_test(change: float, discordance: float, n: int) -> None:
    toward = (discordance + change) / (2 * discordance)
    power = 0.0
    for differing in range(n + 1):
        for pairs in range(differing + 1):
            if differing and stats.binomtest(pairs, differing).pvalue <= 0.05:
                power += stats.binom.pmf(differing, n, discordance) * stats.binom.pmf(pairs, differing, toward)
    assert discordant_power(change, discordance, n) == pytest.approx(power, abs=1e-9)


def test_no_pair_that_differs_has_no_power() -> None:
    assert discordant_power(0.0, 0.0, 50) == 0
    assert discordant_power(0.5, 0.5, 0) == 0


@pytest.mark.parametrize("n", [6, 10, 30, 1000])
def test_the_power_of_a_large_change_is_a_number_that_never_falls(n: int) -> None:
    powers = [detection_power(change / np.sqrt(n), 1.0, n) for change in np.linspace(0, 60, 601)]
    assert not np.isnan(powers).any()
    assert (np.diff(powers) > -1e-9).all()
    assert powers[-1] == pytest.approx(1.0)
