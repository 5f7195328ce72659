"""Power agrees with statsmodels and with simulation."""

import numpy as np
import pytest
from scipy import stats

from fieldwise.kernels.power import cases_needed, detectable_effect, detection_power


@pytest.mark.parametrize("effect", [0.05, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("power", [0.8, 0.95])
def test_the_number_of_cases_is_that_of_statsmodels(effect: float, power: float) -> None:
    peer = pytest.importorskip("statsmodels.stats.power", reason="needs statsmodels, a development package").TTestPower()
    assert cases_needed(effect, 1.0, power=power) == int(np.ceil(peer.solve_power(effect, alpha=0.05, power=power)))


@pytest.mark.parametrize("n", [5, 30, 400, 3000])
def test_the_smallest_detectable_change_has_the_asked_power(n: int) -> None:
    change = detectable_effect(n) / np.sqrt(n)
    assert detection_power(change, 1.0, n) == pytest.approx(0.8, abs=0.002)


def test_power_is_the_share_of_tests_that_detect_the_change() -> None:
    samples = np.random.default_rng(1).normal(0.3, 1, (4000, 40))
    detected = np.mean(stats.ttest_1samp(samples, 0, axis=1).pvalue <= 0.05)
    assert detection_power(0.3, 1.0, 40) == pytest.approx(detected, abs=0.025)


def test_no_change_is_never_detected_and_no_spread_always() -> None:
    assert cases_needed(0.0, 1.0) is None
    assert cases_needed(1e-9, 1.0) is None
    assert cases_needed(0.1, 0.0) == 2


def test_one_case_detects_nothing() -> None:
    assert detection_power(0.5, 1.0, 1) == 0.0
