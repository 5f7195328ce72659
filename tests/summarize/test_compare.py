"""Comparison of runs: adjustment for multiple tests, size of a change, verdicts."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from fieldwise.kernels.paired import adjust_benjamini_hochberg, adjust_holm
from fieldwise.model.change import Change, Changes, EvaluatorChange
from fieldwise.summarize.compare import (
    MIN_CASES,
    EvaluatorMeasurements,
    adjust_together,
    compare_evaluator,
    compare_metric,
    compare_numbers,
    judge_change,
)


def change(name: str, p: float) -> Change:
    values = {"n": 50, "base": 0.5, "new": 0.6, "low": 0.05, "high": 0.15, "test": "permutation", "effect": 0.4, "gain": 0.2}
    return Change(name=name, p=p, p_adjusted=p, smallest_shown=0.05, verdict="better", **values)


def changes(new: str, metric: float, *fields: float) -> Changes:
    field_changes = [change(f"f{place}", p) for place, p in enumerate(fields)]
    return Changes(
        base="0", new=new, evaluators={"e": EvaluatorChange(evaluator="e", n=50, metrics=[change("e.score", metric)], fields=field_changes)}
    )


@pytest.mark.parametrize(("way", "adjust"), [("holm", adjust_holm), ("bh", adjust_benjamini_hochberg)])
def test_metrics_are_adjusted_over_the_runs_and_fields_over_runs_and_fields(way, adjust) -> None:
    adjusted = adjust_together([changes("a", 0.03, 0.001, 0.04), changes("b", 0.04, 0.02, 0.5)], way)
    metrics = [run.evaluators["e"].metrics[0].p_adjusted for run in adjusted]
    fields = [field.p_adjusted for run in adjusted for field in run.evaluators["e"].fields]
    assert metrics == adjust([0.03, 0.04])
    assert fields == adjust([0.001, 0.04, 0.02, 0.5])


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
    power = stats.norm.sf(stats.norm.ppf(0.975) - compared.smallest_shown / (differences.std(ddof=1) / np.sqrt(200)))
    assert power == pytest.approx(0.8, abs=1e-6)


def test_cases_are_paired_by_id_whatever_their_order() -> None:
    def measured(ids: list[str], scores: list[float]) -> EvaluatorMeasurements:
        verdict = np.array([2 if score == 1 else 0 for score in scores], dtype=np.int8)
        return EvaluatorMeasurements(ids=ids, verdict=verdict, metrics={"score": np.array(scores)}, fields={})

    evaluator = compare_evaluator("e", measured(["a", "b", "c"], [1.0, 0.0, 0.0]), measured(["c", "x", "a"], [1.0, 0.0, 0.0]))
    assert (evaluator.fixed, evaluator.broken, evaluator.still_broken, evaluator.n) == (["c"], ["a"], [], 2)


def test_of_some_metrics_less_is_a_gain() -> None:
    base, new = np.tile([0.2, 0.6], 50), np.tile([0.1, 0.3], 50)
    compared = compare_metric("quality.hallucination", base, new)
    assert compared is not None
    assert (compared.verdict, compared.gain) == ("better", 0.5)  # half of what was invented is gone
    back = compare_metric("quality.hallucination", new, base)
    assert back is not None
    assert (back.verdict, back.gain) == ("worse", -0.25)  # a quarter of what was free of inventions is lost
    assert (compared.loss, back.loss) == (pytest.approx(-0.2), pytest.approx(0.2))


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


def test_a_count_has_no_gain_even_if_its_mean_is_small() -> None:
    compared = compare_metric("prf.wrong_value", np.tile([0.0, 0.0, 2.0], 30), np.tile([0.0, 0.0, 1.0], 30))
    assert compared is not None
    assert (compared.verdict, compared.gain) == ("better", None)


@pytest.mark.parametrize(("n", "verdict"), [(MIN_CASES - 1, "not enough cases"), (MIN_CASES, "no difference shown")])
def test_from_ten_cases_on_a_quiet_comparison_means_no_difference(n: int, verdict: str) -> None:
    assert judge_change(replace(change("e.score", 0.5), n=n)) == verdict
