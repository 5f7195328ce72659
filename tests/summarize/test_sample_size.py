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


def draw_shares(rng: np.random.Generator, share: float, drop: float, cases: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values 0 and 1 of the same cases in two runs, correlated by 0.5."""
    new_share = share - drop
    both = share * new_share + 0.5 * np.sqrt(share * (1 - share) * new_share * (1 - new_share))
    kind = rng.choice(4, size=cases, p=[both, share - both, new_share - both, 1 - share - new_share + both])
    return (kind <= 1).astype(np.float64), np.isin(kind, (0, 2)).astype(np.float64)


@pytest.mark.parametrize(("share", "drop"), [(0.98, 0.02), (0.95, 0.05), (0.9, 0.1)])
def test_a_drop_of_a_share_near_one_is_detected_with_the_stated_power(share: float, drop: float) -> None:
    values = np.ones(1000)
    values[: round(1000 * (1 - share))] = 0.0
    spread = measure_spread(values, None, 0.5, is_share=True)
    assert spread is not None
    cases = plan_sample_size(spread, drop).cases
    assert cases is not None
    rng = np.random.default_rng(5)
    changes = [compare_numbers("fields.pass_rate", *draw_shares(rng, share, drop, cases)) for _ in range(400)]
    detected = np.mean([change is not None and change.verdict == "worse" for change in changes])
    assert 0.73 < detected < 0.87  # 0.53 to 0.56 with the variance before the drop


def test_two_runs_of_a_share_count_the_cases_that_the_drop_makes_wrong() -> None:
    differences, baseline = np.zeros(400), np.ones(400)
    differences[:4], differences[4:8] = 1.0, -1.0
    baseline[:4] = 0.0
    spread = measure_spread(differences, None, None, is_share=True, baseline=baseline)
    assert spread is not None
    cases = [row.cases or 0 for row in plan_sample_size(spread, 0.1).table]
    assert cases == sorted(cases, reverse=True)
    assert cases[2] > 70  # of these, 7 fail anew, and 6 in one direction are significant; 16 with the variance of both runs alone


def draw_scores(rng: np.random.Generator, cases: int, drop: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores of two runs: 20 % are below 1, by a half on average, and 5 % vary from run to run; `drop` makes more of them such scores."""

    def draw(count: int) -> NDArray[np.float64]:
        return np.where(rng.random(count) < 0.2, rng.beta(2, 2, count), 1.0)

    scores = draw(cases)
    new_scores = np.where(rng.random(cases) < 0.05, draw(cases), scores)
    is_hit = (rng.random(cases) < 2.5 * drop) & (new_scores == 1)
    return scores, np.where(is_hit, rng.beta(2, 2, cases), new_scores)


@pytest.mark.parametrize("drop", [0.02, 0.05, 0.1])
def test_two_runs_of_scores_in_between_state_enough_cases_for_cases_that_drop(drop: float) -> None:
    """Where two runs hardly differ, the variance of their differences alone is far too low: 16 cases for a drop of 0.05."""
    rng = np.random.default_rng(8)
    scores, again = draw_scores(rng, 1000, 0.0)
    spread = measure_spread(again - scores, None, None, is_share=True, baseline=scores)
    assert spread is not None
    cases = plan_sample_size(spread, drop).cases
    assert cases is not None
    changes = [compare_numbers("fields.score", *draw_scores(rng, cases, drop)) for _ in range(200)]
    detected = np.mean([change is not None and change.verdict == "worse" for change in changes])
    assert detected > 0.75


def test_fewer_cases_than_the_test_can_find_significant_are_never_stated() -> None:
    spread = measure_spread(np.tile([0.01, 0.0, -0.01], 20), None, None)
    assert spread is not None
    assert plan_sample_size(spread, 0.5).cases == 6
    assert plan_sample_size(spread, 0.5, confidence=0.99).cases == 8
    few = measure_spread(np.array([0.01, 0.0, -0.01]), None, None)
    assert few is not None
    assert plan_sample_size(few, 0.5).detectable is None


def test_a_share_cannot_drop_below_zero() -> None:
    spread = measure_spread(np.tile([0.0, 0.0, 0.0, 1.0], 20), None, 0.5, is_share=True)
    assert spread is not None
    plan = plan_sample_size(spread, 0.1)
    assert spread.largest_drop == 0.25
    assert [row.drop for row in plan.table] == pytest.approx([0.025, 0.05, 0.1, 0.2])
    assert plan.detectable is None or plan.detectable <= 0.25


def test_few_cases_near_zero_detect_no_drop() -> None:
    spread = measure_spread(np.array([0.0] * 19 + [1.0]), None, 0.5, is_share=True)
    assert spread is not None
    assert plan_sample_size(spread, 0.05).detectable is None
