"""The number of cases and groups that `fieldwise power` states."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from fieldwise.kernels.paired import minimum_detectable_change
from fieldwise.summarize.compare import compare_numbers
from fieldwise.summarize.sample_size import measure_spread, plan_sample_size


def draw_differences(rng: np.random.Generator, groups: int, drop: float = 0.0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Differences of cases in groups of 1 or 20, half of their variance shared within a group."""
    group_of_case = np.repeat(np.arange(groups), rng.choice([1, 20], groups))
    shared, own = rng.normal(size=groups)[group_of_case], rng.normal(size=len(group_of_case))
    return 0.3 * (shared + own) / np.sqrt(2) - drop, group_of_case


def test_groups_of_very_different_size_detect_the_drop_with_the_stated_power() -> None:
    rng = np.random.default_rng(8)
    detected: list[bool] = []
    for _ in range(10):
        spread = measure_spread(*draw_differences(rng, 150), None)
        assert spread is not None
        groups = plan_sample_size(spread, 0.25).groups
        assert groups is not None
        for _ in range(30):
            differences, group_of_case = draw_differences(rng, groups, 0.25)
            change = compare_numbers("fields.score", np.zeros(len(differences)), differences, group_of_case)
            assert change is not None
            detected.append(change.verdict == "worse")
    assert np.mean(detected) > 0.75  # 0.73 if every group counted as one of equal size


def test_the_detectable_drop_of_a_run_is_that_of_compare() -> None:
    differences, group_of_case = draw_differences(np.random.default_rng(1), 40)
    spread = measure_spread(differences, group_of_case, None)
    assert spread is not None
    sums, sizes = np.bincount(group_of_case, weights=differences), np.bincount(group_of_case).astype(np.float64)
    assert spread.equal_share < 0.7
    assert plan_sample_size(spread, 0.1).detectable == pytest.approx(minimum_detectable_change(sums, sizes))


def test_more_groups_are_needed_for_smaller_drops_and_have_more_power() -> None:
    spread = measure_spread(*draw_differences(np.random.default_rng(2), 60), None)
    assert spread is not None
    plan = plan_sample_size(spread, 0.1)
    needed = [row.groups or 0 for row in plan.table]
    assert needed == sorted(needed, reverse=True)
    assert all(before.power <= after.power for before, after in pairwise(plan.curve))
    assert any(point.groups == plan.groups and point.power >= 0.8 for point in plan.curve)


def test_independent_cases_count_as_they_are() -> None:
    spread = measure_spread(np.tile([0.0, 0.2, 0.4], 20), None, None)
    assert spread is not None
    assert spread.equal_share == 1
