"""Comparison of runs: adjustment for multiple tests, size of a change, verdicts."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from fieldwise.kernels.paired import adjust_benjamini_hochberg, adjust_holm, mcnemar_p_value
from fieldwise.model.change import Change, Changes, EvaluatorChange
from fieldwise.model.plan import Regression
from fieldwise.summarize.compare import (
    MIN_CASES,
    EvaluatorMeasurements,
    adjust_together,
    compare_evaluator,
    compare_metric,
    compare_numbers,
    judge_change,
)
from fieldwise.summarize.gates import judge_regressions


def change(name: str, p: float) -> Change:
    values = {"n": 50, "base": 0.5, "new": 0.6, "low": 0.05, "high": 0.15, "test": "permutation", "effect": 0.4, "gain": 0.2}
    return Change(name=name, p=p, p_adjusted=p, smallest_shown=0.05, verdict="better", **values)


def changes(new: str, metric: float, *fields: float, others: Sequence[float] = ()) -> Changes:
    field_changes = [change(f"f{place}", p) for place, p in enumerate(fields)]
    metrics = [change("e.score", metric), *(change(f"e.m{place}", p) for place, p in enumerate(others))]
    evaluator = EvaluatorChange(evaluator="e", n=50, metrics=metrics, fields=field_changes, primary="e.score")
    return Changes(base="0", new=new, evaluators={"e": evaluator})


@pytest.mark.parametrize(("way", "adjust"), [("holm", adjust_holm), ("bh", adjust_benjamini_hochberg)])
def test_primary_metrics_are_adjusted_over_the_runs_and_fields_over_runs_and_fields(way, adjust) -> None:
    adjusted = adjust_together([changes("a", 0.03, 0.001, 0.04), changes("b", 0.04, 0.02, 0.5)], way)
    metrics = [run.evaluators["e"].metrics[0].p_adjusted for run in adjusted]
    fields = [field.p_adjusted for run in adjusted for field in run.evaluators["e"].fields]
    assert metrics == adjust([0.03, 0.04])
    assert fields == adjust([0.001, 0.04, 0.02, 0.5])
    assert [(run.tested_metrics, run.tested_fields, run.adjust) for run in adjusted] == [(2, 4, way)] * 2


def test_other_metrics_are_judged_only_where_the_primary_one_shows_a_difference() -> None:
    [quiet] = adjust_together([changes("a", 0.2, others=[0.0001, 0.5])])
    assert [metric.verdict for metric in quiet.evaluators["e"].metrics] == ["no difference shown", "not tested", "not tested"]
    assert quiet.evaluators["e"].tested == 0
    [loud] = adjust_together([changes("a", 0.01, others=[0.02, 0.03, 0.5])])
    metrics = loud.evaluators["e"].metrics
    assert [metric.p_adjusted for metric in metrics] == pytest.approx([0.01, 0.06, 0.06, 0.5])
    assert [metric.verdict for metric in metrics[:2]] == ["better", "no difference shown"]
    assert loud.evaluators["e"].tested == 3


def test_the_primary_metrics_of_all_evaluators_are_one_family() -> None:
    first = changes("a", 0.03).evaluators["e"]
    second = replace(first, evaluator="x", primary="x.score", metrics=[change("x.score", 0.04)])
    [adjusted] = adjust_together([Changes(base="0", new="a", evaluators={"e": first, "x": second})])
    assert [evaluator.metrics[0].p_adjusted for evaluator in adjusted.evaluators.values()] == [0.06, 0.06]


def test_a_field_that_two_evaluators_share_is_one_test() -> None:
    first = changes("a", 0.5, 0.02, 0.3).evaluators["e"]
    [adjusted] = adjust_together([Changes(base="0", new="a", evaluators={"e": first, "x": replace(first, evaluator="x")})])
    assert [field.p_adjusted for field in adjusted.evaluators["x"].fields] == [0.04, 0.3]
    assert adjusted.tested_fields == 2


def test_what_was_sure_alone_may_not_be_among_many() -> None:
    adjusted = adjust_together([changes("a", 0.03), changes("b", 0.04)])
    assert [run.evaluators["e"].metrics[0].verdict for run in adjusted] == ["no difference shown", "no difference shown"]


def test_a_run_that_lacks_an_evaluator_is_no_obstacle() -> None:
    [first, second] = adjust_together([changes("a", 0.01), Changes(base="0", new="b", evaluators={})])
    assert first.evaluators["e"].metrics[0].p_adjusted == 0.01
    assert second.evaluators == {}


def test_effect_gain_and_power_are_what_their_definitions_say() -> None:
    rng = np.random.default_rng(3)
    base, new = rng.uniform(0.2, 0.6, 200), rng.uniform(0.4, 0.8, 200)
    compared = compare_numbers("e.score", base, new)
    assert compared is not None
    differences = new - base
    assert compared.effect == pytest.approx(differences.mean() / differences.std(ddof=1))
    assert compared.gain == pytest.approx((new.mean() - base.mean()) / (1 - base.mean()))
    assert compared.smallest_shown is not None
    power = stats.nct.sf(stats.t.ppf(0.975, 199), 199, compared.smallest_shown / (differences.std(ddof=1) / np.sqrt(200)))
    assert power == pytest.approx(0.8, abs=1e-6)


def test_cases_are_paired_by_id_whatever_their_order() -> None:
    def measured(ids: list[str], scores: list[float]) -> EvaluatorMeasurements:
        verdict = np.array([2 if score == 1 else 0 for score in scores], dtype=np.int8)
        return EvaluatorMeasurements(ids=ids, verdict=verdict, metrics={"score": np.array(scores)}, fields={})

    evaluator = compare_evaluator("e", measured(["a", "b", "c"], [1.0, 0.0, 0.0]), measured(["c", "x", "a"], [1.0, 0.0, 0.0]))
    assert (evaluator.fixed, evaluator.broken, evaluator.still_broken, evaluator.n) == (["c"], ["a"], [], 2)


def test_fields_of_many_cases_change_as_they_do_one_by_one_and_in_order() -> None:
    n, rng = 60_000, np.random.default_rng(3)
    ids = [str(number) for number in range(n)]
    sides = [{f"f{place}": (rng.random(n) < 0.9).astype(np.float64) for place in range(7)} for _ in range(2)]
    sides[0]["lost"] = np.ones(n)
    measurements = [
        EvaluatorMeasurements(ids=ids, verdict=np.full(n, -1, dtype=np.int8), metrics={"score": np.ones(n)}, fields=side) for side in sides
    ]
    evaluator = compare_evaluator("e", *measurements)
    alone = [compare_numbers(field, sides[0][field], sides[1][field]) for field in sides[1]]
    assert evaluator.fields == [replace(one, common_share=1.0) for one in alone if one is not None]
    assert [field.name for field in evaluator.fields] == [f"f{place}" for place in range(7)]
    assert evaluator.lost_fields == ["lost"]


def test_of_some_metrics_less_is_a_gain() -> None:
    base, new = np.tile([0.2, 0.6], 50), np.tile([0.1, 0.3], 50)
    compared = compare_metric("quality.hallucination", base, new)
    assert compared is not None
    assert (compared.verdict, compared.gain) == ("better", 0.5)  # half of what was invented is gone
    back = compare_metric("quality.hallucination", new, base)
    assert back is not None
    assert (back.verdict, back.gain) == ("worse", -0.25)  # a quarter of what was free of inventions is lost
    assert (compared.loss, back.loss) == (pytest.approx(-0.2), pytest.approx(0.2))


def test_the_interval_of_a_change_of_shares_stays_between_minus_1_and_1() -> None:
    verdict = np.array([2, 2, 2, 2, 2, 0], dtype=np.int8)
    ids = [str(at) for at in range(6)]
    right, wrong = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 0.0]), np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    unbounded = frozenset({"mean_distance"})
    base, new = (
        EvaluatorMeasurements(
            ids=ids, verdict=verdict, metrics={"score": values, "mean_distance": values}, fields={"total": values}, unbounded=unbounded
        )
        for values in (right, wrong)
    )
    compared = compare_evaluator("e", base, new)
    [score, distance] = [change for change in compared.metrics if change.name != "e.pass_rate"]
    half = stats.t.ppf(0.975, 5) * (wrong - right).std(ddof=1) / np.sqrt(6)
    assert half > 1 / 3
    for change in (score, *compared.fields):
        assert (change.low, change.high) == (-1.0, pytest.approx(half - 2 / 3))
    assert (distance.low, distance.high) == (pytest.approx(-half - 2 / 3), pytest.approx(half - 2 / 3))  # a distance may be above 1


def test_a_field_that_is_called_like_such_a_metric_is_still_better_if_it_scores_more() -> None:
    verdict = np.full(100, 1, dtype=np.int8)
    ids = [str(at) for at in range(100)]
    base, new = (
        EvaluatorMeasurements(ids=ids, verdict=verdict, metrics={}, fields={"report.violations": np.tile([low, low + 0.1], 50)})
        for low in (0.2, 0.6)
    )
    [field] = compare_evaluator("fields", base, new).fields
    assert field.verdict == "better"
    assert field.gain is not None
    assert field.gain > 0


def test_many_cases_are_enough_to_compare_costs_and_distances_far_above_1() -> None:
    rng = np.random.default_rng(3)
    base, new = rng.choice([0.0, 40.0, 80.0], size=(2, 5000))
    compared = compare_metric("cost.per_case", base, new, is_unbounded=True)
    assert compared is not None
    assert compared.smallest_shown is not None
    assert 1 < compared.smallest_shown < 0.1 * base.mean()
    assert compared.verdict == "no difference shown"
    few = compare_metric("cost.per_case", base[:30], new[:30], is_unbounded=True)
    assert few is not None
    assert few.verdict == "not enough cases"


def test_a_count_has_no_gain_even_if_its_mean_is_small() -> None:
    compared = compare_metric("prf.wrong_value", np.tile([0.0, 0.0, 2.0], 30), np.tile([0.0, 0.0, 1.0], 30))
    assert compared is not None
    assert (compared.verdict, compared.gain) == ("better", None)


@pytest.mark.parametrize(("n", "verdict"), [(MIN_CASES - 1, "not enough cases"), (MIN_CASES, "no difference shown")])
def test_from_ten_cases_on_a_quiet_comparison_means_no_difference(n: int, verdict: str) -> None:
    assert judge_change(replace(change("e.score", 0.5), n=n)) == verdict


def test_cases_of_one_group_count_once() -> None:
    """Ten copies of each case say no more than one."""
    rng = np.random.default_rng(0)
    base, new = rng.uniform(0, 1, 30), rng.uniform(0, 1, 30)
    once = compare_numbers("e.score", base, new)
    copied = compare_numbers("e.score", np.repeat(base, 10), np.repeat(new, 10), np.repeat(np.arange(30), 10))
    assert once is not None
    assert copied is not None
    assert (copied.n, copied.groups, copied.test) == (300, 30, "permutation by group")
    assert (copied.p, copied.low, copied.high, copied.smallest_shown) == pytest.approx((once.p, once.low, once.high, once.smallest_shown))


def test_the_pass_rate_of_groups_is_not_tested_by_mcnemar() -> None:
    ids = [str(at) for at in range(40)]
    rng = np.random.default_rng(1)
    base, new = (
        EvaluatorMeasurements(
            ids=ids,
            verdict=np.where(rng.random(40) < share, 2, 0).astype(np.int8),
            metrics={"score": rng.random(40)},
            fields={},
            groups=[f"g{at // 5}" for at in range(40)],
        )
        for share in (0.5, 0.6)
    )
    evaluator = compare_evaluator("e", base, new)
    assert evaluator.groups == 8
    assert [metric.test for metric in evaluator.metrics] == ["permutation by group"] * 2


def test_a_constant_shift_is_a_difference_without_an_interval() -> None:
    base = np.random.default_rng(2).uniform(0, 0.5, 30)
    compared = compare_numbers("e.score", base, base + 0.2)
    assert compared is not None
    assert (compared.low, compared.high, compared.verdict) == (None, None, "better")


def test_counts_have_no_interval() -> None:
    rng = np.random.default_rng(3)
    ids = [str(at) for at in range(30)]
    base, new = (
        EvaluatorMeasurements(
            ids=ids,
            verdict=np.zeros(30, dtype=np.int8),
            metrics={"score": rng.random(30), "omission": rng.poisson(1, 30).astype(float)},
            fields={},
            counts=frozenset({"omission"}),
        )
        for _ in range(2)
    )
    changes_by_name = {change.name: change for change in compare_evaluator("e", base, new).metrics}
    assert changes_by_name["e.omission"].low is None
    assert changes_by_name["e.score"].low is not None


def test_every_pair_of_verdicts_is_in_one_list() -> None:
    verdicts = {"none": -1, "fail": 0, "partial": 1, "pass": 2}
    pairs = [(base, new) for base in verdicts for new in verdicts]

    def measured(names: list[str]) -> EvaluatorMeasurements:
        column = np.array([verdicts[name] for name in names], dtype=np.int8)
        return EvaluatorMeasurements(
            ids=["-".join(pair) for pair in pairs], verdict=column, metrics={"score": np.zeros(len(column))}, fields={}
        )

    evaluator = compare_evaluator("e", measured([base for base, _ in pairs]), measured([new for _, new in pairs]))
    assert evaluator.fixed == ["fail-pass", "partial-pass"]
    assert evaluator.broken == ["pass-fail", "pass-partial"]
    assert evaluator.still_broken == ["fail-fail", "fail-partial", "partial-fail", "partial-partial"]
    assert evaluator.unmeasured == ["-".join(pair) for pair in pairs if "none" in pair]


def test_a_regression_gate_adjusts_the_p_values_of_fields_only() -> None:
    drop = {"n": 50, "base": 0.9, "new": 0.5, "low": -0.6, "high": -0.2, "test": "permutation", "effect": -0.8, "gain": None}
    metric, field = (
        Change(name=name, p=0.01, p_adjusted=0.3, smallest_shown=0.05, verdict="worse", **drop) for name in ("e.score", "total")
    )
    evaluator = EvaluatorChange(evaluator="e", n=50, metrics=[metric], fields=[field], primary="e.score")
    gate = Regression(evaluator="e", metric="score", per_field=True)
    of_metric, of_field = judge_regressions([gate], Changes(base="0", new="1", evaluators={"e": evaluator}))
    assert (of_metric.passed, of_field.passed) == (False, True)


def test_differences_that_are_all_equal_have_no_interval_effect_or_power() -> None:
    """0.9 - 1 is the same in every case, and the mean of thirty of them is not, in the last bits."""
    change = compare_numbers("score", np.ones(30), np.full(30, 0.9))
    assert change is not None
    assert (change.low, change.effect, change.smallest_shown, change.verdict) == (None, None, None, "worse")
    equal = compare_numbers("score", np.full(30, 0.7), np.full(30, 0.7))
    assert equal is not None
    assert (equal.p, equal.effect, equal.smallest_shown, equal.verdict) == (1.0, 0.0, None, "no difference shown")


@pytest.mark.filterwarnings("error")
def test_numbers_that_are_infinite_or_very_large_give_finite_results() -> None:
    base = np.array([1.0, np.inf, 0.5, 0.2, np.nan] * 6)
    change = compare_numbers("distance", base, np.where(np.isnan(base), 1.0, 0.4), lower=True)
    assert change is not None
    assert change.n == 18
    large = compare_numbers("distance", np.array([1e300, -1e300, 0.5] * 5), np.ones(15))
    assert large is not None
    for result in (change, large):
        assert all(np.isfinite(number) for number in (result.base, result.new, result.low, result.high, result.p, result.smallest_shown))


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_few_groups_show_nothing_and_say_so(groups: int) -> None:
    change = compare_numbers("score", np.ones(40), np.linspace(0, 0.5, 40), np.arange(40) % groups)
    assert change is not None
    assert (change.low, change.high, change.groups, change.verdict) == (None, None, groups, "not enough cases")


def test_the_pass_rate_is_tested_by_the_cases_that_changed() -> None:
    def measured(verdicts: list[int]) -> EvaluatorMeasurements:
        ids = [str(at) for at in range(len(verdicts))]
        return EvaluatorMeasurements(ids=ids, verdict=np.array(verdicts, dtype=np.int8), metrics={"score": np.zeros(len(ids))}, fields={})

    evaluator = compare_evaluator("e", measured([2] + [0] * 6 + [2] * 9), measured([0] + [2] * 6 + [2] * 9))
    [pass_rate] = [metric for metric in evaluator.metrics if metric.name == "e.pass_rate"]
    assert (pass_rate.test, pass_rate.p) == ("McNemar", mcnemar_p_value(1, 6))
