"""Runs compared: what is adjusted for what, and how large a change is."""

import numpy as np
import pytest
from scipy import stats

from fieldwise.kernels.paired import benjamini_hochberg, holm
from fieldwise.model.change import Change, Changes, EvaluatorChange
from fieldwise.summarize.compare import Measured, adjust_together, compare_evaluator, compare_metric, compare_numbers


def change(name: str, p: float) -> Change:
    known = {"n": 50, "base": 0.5, "new": 0.6, "low": 0.05, "high": 0.15, "test": "permutation", "effect": 0.4, "gain": 0.2}
    return Change(name=name, p=p, p_adjusted=p, smallest_shown=0.05, verdict="better", **known)


def changes(new: str, metric: float, *fields: float) -> Changes:
    found = [change(f"f{place}", p) for place, p in enumerate(fields)]
    return Changes(
        base="0", new=new, evaluators={"e": EvaluatorChange(evaluator="e", n=50, metrics=[change("e.score", metric)], fields=found)}
    )


@pytest.mark.parametrize(("way", "adjust"), [("holm", holm), ("bh", benjamini_hochberg)])
def test_metrics_are_adjusted_over_the_runs_and_fields_over_runs_and_fields(way, adjust) -> None:
    found = adjust_together([changes("a", 0.03, 0.001, 0.04), changes("b", 0.04, 0.02, 0.5)], way)
    metrics = [one.evaluators["e"].metrics[0].p_adjusted for one in found]
    fields = [field.p_adjusted for one in found for field in one.evaluators["e"].fields]
    assert metrics == adjust([0.03, 0.04])
    assert fields == adjust([0.001, 0.04, 0.02, 0.5])


def test_what_was_sure_alone_may_not_be_among_many() -> None:
    found = adjust_together([changes("a", 0.03), changes("b", 0.04)])
    assert [one.evaluators["e"].metrics[0].verdict for one in found] == ["no difference shown", "no difference shown"]


def test_a_run_that_lacks_an_evaluator_is_no_obstacle() -> None:
    [first, second] = adjust_together([changes("a", 0.01), Changes(base="0", new="b", evaluators={})])
    assert first.evaluators["e"].metrics[0].p_adjusted == 0.01
    assert second.evaluators == {}


def test_effect_gain_and_power_are_what_their_definitions_say() -> None:
    rng = np.random.default_rng(3)
    base, new = rng.uniform(0.2, 0.6, 200), rng.uniform(0.4, 0.8, 200)
    found = compare_numbers("e.score", base, new)
    assert found is not None
    differences = new - base
    assert found.effect == pytest.approx(differences.mean() / differences.std(ddof=1))
    assert found.gain == pytest.approx((new.mean() - base.mean()) / (1 - base.mean()))
    assert found.smallest_shown is not None
    power = stats.norm.sf(stats.norm.ppf(0.975) - found.smallest_shown / (differences.std(ddof=1) / np.sqrt(200)))
    assert power == pytest.approx(0.8, abs=1e-6)


def test_cases_are_paired_by_id_whatever_their_order() -> None:
    def measured(ids: list[str], scores: list[float]) -> Measured:
        verdict = np.array([2 if score == 1 else 0 for score in scores], dtype=np.int8)
        return Measured(ids=ids, verdict=verdict, metrics={"score": np.array(scores)}, fields={})

    found = compare_evaluator("e", measured(["a", "b", "c"], [1.0, 0.0, 0.0]), measured(["c", "x", "a"], [1.0, 0.0, 0.0]))
    assert (found.fixed, found.broken, found.still_broken, found.n) == (["c"], ["a"], [], 2)


def test_of_some_metrics_less_is_a_gain() -> None:
    base, new = np.tile([0.2, 0.6], 50), np.tile([0.1, 0.3], 50)
    found = compare_metric("quality.hallucination", base, new)
    assert found is not None
    assert (found.verdict, found.gain) == ("better", 0.5)  # half of what was invented is gone
    back = compare_metric("quality.hallucination", new, base)
    assert back is not None
    assert (back.verdict, back.gain) == ("worse", -0.25)  # a quarter of what was free of inventions is lost
    assert (found.loss, back.loss) == (pytest.approx(-0.2), pytest.approx(0.2))


def test_a_field_that_is_called_like_such_a_metric_is_still_better_if_it_scores_more() -> None:
    verdict = np.full(100, 1, dtype=np.int8)
    ids = [str(at) for at in range(100)]
    base, new = (
        Measured(ids=ids, verdict=verdict, metrics={}, fields={"report.violations": np.tile([low, low + 0.1], 50)}) for low in (0.2, 0.6)
    )
    [field] = compare_evaluator("fields", base, new).fields
    assert field.verdict == "better"
    assert field.gain is not None
    assert field.gain > 0


def test_a_count_has_no_gain_even_if_its_mean_is_small() -> None:
    found = compare_metric("prf.wrong_value", np.tile([0.0, 0.0, 2.0], 30), np.tile([0.0, 0.0, 1.0], 30))
    assert found is not None
    assert (found.verdict, found.gain) == ("better", None)
