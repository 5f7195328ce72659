"""Gates hold or not, with slack for binary rounding only; problems name what exists."""

from dataclasses import replace

import pytest

from fieldwise.model.change import Change, Changes, EvaluatorChange
from fieldwise.model.plan import Gate, PlannedEvaluator, Regression
from fieldwise.model.summary import Counts, EvaluatorSummary, Metric, Summary
from fieldwise.plan.schema import build_suite_schema
from fieldwise.summarize.gates import gate_diagnostics, judge_gates, judge_regressions


def summary(metrics=None, **counts):
    metrics = {"score": 0.9, "macro_f1": 0.1 + 0.2} if metrics is None else metrics
    metric_summaries = {name: Metric(value=value, n=10) for name, value in metrics.items()}
    counted = Counts(**({"cases": 10, "scored": 10} | counts))
    return Summary(
        cases=counted.cases, evaluators={"fields": EvaluatorSummary(name="fields", type="x", counts=counted, metrics=metric_summaries)}
    )


def gate(metric="score", operator=">=", value=0.9, evaluator="fields"):
    return Gate(evaluator=evaluator, metric=metric, operator=operator, value=value)


@pytest.mark.parametrize(
    ("operator", "value", "passed"),
    [
        (">=", 0.90, True),
        (">", 0.90, False),
        ("<=", 0.9, True),
        ("<", 0.9, False),
        ("==", 0.9, True),
        ("!=", 0.9, False),
        (">=", 0.91, False),
    ],
)
def test_gates_compare_inclusively_and_exactly(operator, value, passed):
    [result] = judge_gates([gate(operator=operator, value=value)], summary())
    assert (result.passed, result.value) == (passed, 0.9)


@pytest.mark.parametrize(("operator", "passed"), [(">=", True), ("<", False), ("==", True), ("!=", False), ("<=", True), (">", False)])
def test_a_mean_that_binary_rounding_moved_is_on_its_gate_and_not_beside_it(operator, passed):
    for value in ((0.7 + 0.8 + 0.9) / 3, 0.8 + 1e-16, 0.8):
        [result] = judge_gates([gate(operator=operator, value=0.8)], summary({"score": value}))
        assert (result.passed, result.message) == (
            passed,
            f"fields.score is 0.8: fields.score {operator} 0.8 {'holds' if passed else 'does not hold'}",
        )


def test_a_count_beside_a_gate_of_0_has_no_slack():
    [result] = judge_gates([gate("omission", "<=", 0.0)], summary({"omission": 1e-12}))
    assert not result.passed


def test_a_gate_is_shown_with_all_its_digits():
    assert str(gate(value=0.99999999)) == "fields.score >= 0.99999999"
    assert str(gate(value=1.0)) == "fields.score >= 1"


def test_a_message_never_rounds_a_value_across_its_gate():
    [result] = judge_gates([gate()], summary({"score": 0.89999}))
    assert result.message == "fields.score is 0.89999: fields.score >= 0.9 does not hold"


def test_a_gate_on_a_metric_that_is_not_there_names_the_nearest_and_all():
    [problem] = gate_diagnostics([gate("makro_f1")], summary())
    assert problem.level == "error"
    assert problem.fix == "did you mean `macro_f1`? there are: score, macro_f1"
    [result] = judge_gates([gate("makro_f1")], summary())
    assert (result.passed, result.value) == (False, None)


def test_a_gate_on_an_evaluator_that_is_not_there_is_an_error():
    [problem] = gate_diagnostics([gate(evaluator="field")], summary())
    assert problem.what == "gate `field.score >= 0.9`: there is no evaluator `field`"
    assert problem.fix == "did you mean `fields`? there are: fields"


def test_a_gate_on_nothing_measured_never_passes():
    nothing = summary({}, scored=0, skipped=10)
    [result] = judge_gates([gate(operator="<=")], nothing)
    assert (result.passed, result.message) == (False, "gate `fields.score <= 0.9`: not measured: `fields` measured nothing")
    assert [(problem.code, problem.level) for problem in gate_diagnostics([gate()], nothing)] == [("nothing-measured", "error")]


def test_a_gate_on_a_declared_metric_without_a_value_is_not_measured():
    planned = PlannedEvaluator(type="detection", name="fields", config=object())
    [problem] = gate_diagnostics([gate("ap_small")], summary(), evaluators=[planned])
    assert (problem.code, problem.what) == (
        "nothing-measured",
        "gate `fields.ap_small >= 0.9`: not measured: `ap_small` had nothing to measure in any of 10 cases",
    )
    [problem] = gate_diagnostics([gate("ap_smal")], summary(), evaluators=[planned])
    assert problem.code == "unknown-gate"


def test_good_gates_have_no_diagnostics():
    assert gate_diagnostics([gate()], summary()) == []


def change(drop: float, p: float) -> Changes:
    values = {"n": 50, "base": 0.9, "new": 0.9 - drop, "low": None, "high": None, "test": "permutation", "effect": None, "gain": None}
    score = Change(name="fields.score", p=p, p_adjusted=p, smallest_shown=0.07, verdict="worse", **values)
    return Changes(base="a", new="b", evaluators={"fields": EvaluatorChange(evaluator="fields", n=50, metrics=[score])})


def test_a_regression_fails_if_it_is_too_large_and_significant():
    regression = Regression(evaluator="fields", metric="score", max_drop=0.02)
    [significant] = judge_regressions([regression], change(0.05, 0.001))
    assert (significant.passed, significant.message.endswith(": a drop beyond 0.02")) == (False, True)
    [by_chance] = judge_regressions([regression], change(0.05, 0.4))
    assert by_chance.passed
    assert by_chance.message.endswith("; this may be chance: with 50 cases, drops of 0.070 or more are detected with 80 % power")
    [small] = judge_regressions([regression], change(0.01, 0.001))
    assert (small.passed, "chance" in small.message) == (True, False)


def test_a_regression_of_what_was_not_measured_in_both_runs_never_passes():
    [result] = judge_regressions([Regression(evaluator="fields", metric="f1", max_drop=0.02)], change(0.0, 1.0))
    assert (result.passed, result.value) == (False, None)


def test_confidence_is_that_of_a_drop_at_all_and_not_of_one_beyond_the_limit():
    """What the schema says of `confidence`: the interval of this drop, 0.03 to 0.07, holds the limit, and the gate fails."""
    changes = change(0.05, 0.001)
    [score] = changes.evaluators["fields"].metrics
    evaluator = replace(changes.evaluators["fields"], metrics=[replace(score, low=-0.07, high=-0.03)])
    shown = replace(changes, evaluators={"fields": evaluator})
    [result] = judge_regressions([Regression(evaluator="fields", metric="score", max_drop=0.04)], shown)
    assert not result.passed
    described = build_suite_schema()["properties"]["gate"]["properties"]["regression"]["anyOf"][0]["properties"]["confidence"]
    assert described["description"] == "Fail only if the drop is significant at this confidence, besides being above `max_drop`."
