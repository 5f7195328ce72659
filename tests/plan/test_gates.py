"""Gates from suites and from the command line."""

import re
from dataclasses import replace

import pytest

from fieldwise import registry
from fieldwise.model.diagnostic import ConfigError
from fieldwise.model.plan import Gate
from fieldwise.plan.evaluators import plan_config
from fieldwise.plan.gates import parse_gate, parse_gate_with_warnings


@pytest.mark.parametrize("operator", [">=", ">", "<=", "<", "==", "!="])
@pytest.mark.parametrize("text", ["fields.score{}0.9", "  fields.score {} 0.9 ", "fields.score {} 9e-1"])
def test_a_gate_is_an_evaluator_a_metric_an_operator_and_a_number(operator, text):
    assert parse_gate(text.format(operator)) == Gate(evaluator="fields", metric="score", operator=operator, value=0.9)


@pytest.mark.parametrize(
    ("text", "what", "fix"),
    [
        ("fields.score", "the gate `fields.score` has no condition", "add one, such as `>= 0.9`"),
        ("fields.score 0.9", "the gate `fields.score` has no operator", "use one of `>=`"),
        ("score >= 0.9", "the gate `score` does not name an evaluator and a metric", "write `score.score`"),
        ("regression >= 0.9", "the gate `regression` does not name", "write `regression.fields.score <= 0.01`"),
        (">= 0.9", "the gate `` does not name an evaluator and a metric", "write `fields.score`"),
        ("fields.score => 0.9", "the gate `fields.score` has an unknown operator `=>`", 'did you mean `">= 0.9"`?'),
        ("fields.score = 0.9", "the gate `fields.score` has an unknown operator `=`", 'did you mean `"== 0.9"`?'),
        ("fields.score >= high", "the gate `fields.score` compares with `high`, which is not a number", "write a number"),
        ("fields.score >= nan", "compares with `nan`", "write a number"),
        ("fields.score >= 1_0", "compares with `1_0`", "write a number"),
        ("fields.score >= 90%", "compares with `90%`, which is not a number", "write 0.9"),
        ("fields.score >= 0.9 and more", "compares with `0.9 and more`", "write a number"),
        ("", "does not name an evaluator", "write `fields.score`"),
    ],
)
def test_a_gate_that_cannot_be_read_says_why(text, what, fix):
    with pytest.raises(ConfigError) as caught:
        parse_gate(text)
    assert any(what in diagnostic.what and fix in diagnostic.fix for diagnostic in caught.value.diagnostics)


def test_a_gate_without_a_condition_is_one_error():
    with pytest.raises(ConfigError) as caught:
        parse_gate("fields.score")
    assert len(caught.value.diagnostics) == 1


def test_a_gate_on_the_command_line_must_name_an_evaluator_of_the_suite():
    evaluators = [plan_config({"type": "field_prf"}), plan_config({"type": "json_quality", "name": "quality"})]
    assert parse_gate("quality.score > 0", evaluators).evaluator == "quality"
    with pytest.raises(ConfigError, match="did you mean `quality`"):
        parse_gate("qualty.score > 0", evaluators)


def test_a_gate_on_the_command_line_must_name_a_metric_of_the_evaluator():
    with pytest.raises(ConfigError, match="`field_prf` has no metric `scroe`"):
        parse_gate("field_prf.scroe > 0", [plan_config({"type": "field_prf"})])


@pytest.mark.parametrize("spec", registry.EVALUATORS.all(), ids=lambda spec: spec.name)
def test_a_misspelt_metric_of_any_evaluator_is_refused_with_the_right_name(spec):
    planned = plan_config({"type": spec.name, "name": "checked", **spec.examples[0].options})
    for metric in ("score", *sorted(spec.metric_names(planned.config))):
        misspelt = f"{metric[:-2]}{metric[-1]}{metric[-2]}x"
        with pytest.raises(ConfigError, match=f"has no metric `{re.escape(misspelt)}`"):
            parse_gate(f"checked.{misspelt} > 0", [planned])
        assert parse_gate(f"checked.{metric} > 0", [planned]).metric == metric
    with pytest.raises(ConfigError, match="did you mean `score`"):
        parse_gate("checked.scroe > 0", [planned])


def test_average_precision_can_be_gated_by_category():
    planned = plan_config({"type": "detection"})
    assert parse_gate("detection.ap[dog] > 0.5", [planned]).metric == "ap[dog]"
    for metric in ("ap[dog", "ar[dog]", "ap[]"):
        with pytest.raises(ConfigError, match="has no metric"):
            parse_gate(f"detection.{metric} > 0.5", [planned])


def test_a_gate_on_an_amount_that_is_never_negative_cannot_fail_at_0():
    cost = plan_config({"type": "error_cost", **registry.EVALUATORS.find("error_cost").examples[0].options, "name": "prices"})
    distance = plan_config({"type": "coordinate_distance", "name": "distance"})
    for gate, planned in (("prices.per_case", cost), ("distance.mean_distance", distance)):
        [warning] = parse_gate_with_warnings(f"{gate} >= 0", [planned])[1]
        assert "is never below 0" in warning.what
        assert parse_gate_with_warnings(f"{gate} <= 90", [planned])[1] == []


def test_a_gate_on_the_time_or_the_cost_of_a_judge_can_fail():
    planned = plan_config({"type": "llm_judge", "prompt": "Is it right?"})
    for metric in ("latency_seconds", "cost_usd", "tokens_in"):
        assert parse_gate_with_warnings(f"llm_judge.{metric} <= 5", [planned])[1] == []


def test_a_metric_that_only_a_run_can_tell_is_accepted_with_a_warning_if_it_looks_misspelt(monkeypatch):
    spec = replace(registry.EVALUATORS.find("equals"), metrics=None)
    monkeypatch.setitem(registry.EVALUATORS.specs, "equals", spec)
    planned = plan_config({"type": "equals", "value": "a"})
    _, [warning] = parse_gate_with_warnings("equals.scroe > 0", [planned])
    assert warning.fix == "did you mean `score`?"
    assert parse_gate_with_warnings("equals.latency > 0", [planned])[1] == []


@pytest.mark.parametrize(
    ("gate", "what", "fix"),
    [
        ("{field_prf.macro_f1: 0.9}", "the gate `field_prf.macro_f1` needs an operator and a number, not the number 0.9", '">= 0.9"'),
        ("{field_prf.macro_f1: [1]}", "the gate `field_prf.macro_f1` needs an operator and a number, not a list", '">= 0.9"'),
        ("{policy.holds: false}", "the gate `policy.holds` must be `true`, not `false`", "write `policy.holds: true`"),
        ("{policy.holds: sure}", 'the gate `policy.holds` must be `true`, not the text "sure"', "write `policy.holds: true`"),
        ('{fieldprf.f1: ">= 0.9"}', "there is no evaluator named `fieldprf`", "did you mean `field_prf`?"),
        ('{regression.f1: "<= 0.9"}', "`f1` does not name an evaluator and a metric", "write `fields.score`"),
        ('{field_prf.macro_f2: ">= 0.9"}', "`field_prf` has no metric `macro_f2`", "did you mean `macro_f1`?"),
        ('["field_prf.f1 >= 0.9"]', "`gate` must be a mapping of metrics to conditions, not a list", "write `gate:"),
    ],
)
def test_what_is_wrong_with_a_gate_of_a_suite_is_said(problem, gate, what, fix):
    diagnostic = problem(f"evaluators: [{{type: field_prf}}]\ngate: {gate}\n")
    assert (diagnostic.where.line, diagnostic.what) == (2, what)
    assert fix in diagnostic.fix


@pytest.fixture
def undeclared_metrics():
    """An evaluator whose metrics only a run can tell."""

    def undeclared(batch, config: None):
        """Never run."""

    registry.evaluator(undeclared)
    yield
    del registry.EVALUATORS.specs["undeclared"]


@pytest.mark.usefixtures("undeclared_metrics")
def test_undeclared_metrics_are_checked_after_the_run(plan):
    assert plan('evaluators: [{type: undeclared}]\ngate: {undeclared.any_metric: ">= 0.5"}').gates[0].metric == "any_metric"


def test_a_gate_on_a_metric_that_does_not_exist_suggests_the_closest(problem):
    diagnostic = problem('evaluators: [{type: field_accuracy, name: fields}]\ngate: {fields.scroe: ">= 0.1"}\n')
    assert (diagnostic.code, diagnostic.where.line) == ("unknown-metric", 2)
    assert (diagnostic.what, diagnostic.fix) == ("`fields` has no metric `scroe`", "did you mean `score`?")


def test_a_regression_gate_on_a_metric_that_does_not_exist_is_an_error(problem):
    diagnostic = problem("evaluators: [{type: field_prf}]\ngate: {regression: {metric: field_prf.f11}}\n")
    assert (diagnostic.code, diagnostic.fix) == ("unknown-metric", "did you mean `f1`?")


def test_a_regression_gate_has_a_short_form(plan, problem):
    text = "evaluators: [{type: field_prf}]\ngate: {%s}\n"
    short = plan(text % 'regression.field_prf.macro_f1: "<= 0.02"').regressions
    assert short == plan(text % "regression: {metric: field_prf.macro_f1, max_drop: 0.02}").regressions
    assert problem(text % 'regression.field_prf.f11: "<= 0.02"').fix == "did you mean `f1`?"
    assert "its operator is `<=`" in problem(text % 'regression.field_prf.f1: ">= 0.02"').what


def test_a_rise_above_1_can_be_limited_where_a_metric_may_rise_so_far(plan, problem):
    text = "evaluators: [{type: %s}]\ngate: {regression: {metric: %s, max_drop: 5}}\n"
    for evaluator, metric in (
        ("coordinate_distance, path: p", "coordinate_distance.mean_distance"),
        ("field_prf", "field_prf.wrong_value"),
    ):
        assert plan(text % (evaluator, metric)).regressions[0].max_drop == 5
    costs = "evaluators: [{type: field_prf}]\ncost: {fields: {total: 40}}\ngate: {regression.cost.per_case: '<= 5'}\n"
    assert plan(costs).regressions[0].max_drop == 5
    for metric in ("score", "macro_f1", "pass_rate"):
        diagnostic = problem(text % ("field_prf", f"field_prf.{metric}"))
        assert (diagnostic.code, diagnostic.level) == ("bad-option", "error")
        assert f"at most 1 for `field_prf.{metric}`" in diagnostic.what
    endless = "evaluators: [{type: field_prf}]\ngate: {regression: {metric: field_prf.wrong_value, max_drop: .inf}}\n"
    assert "`max_drop`" in problem(endless).what


def test_metrics_that_depend_on_the_options_follow_them(plan, problem):
    facts = "{type: fact_checks, facts: {has_604: {number: 604}}}"
    assert plan(f'evaluators: [{facts}]\ngate: {{fact_checks.has_604: ">= 0.5"}}').gates[0].metric == "has_604"
    assert problem(f'evaluators: [{facts}]\ngate: {{fact_checks.has_605: ">= 0.5"}}').fix == "did you mean `has_604`?"


@pytest.mark.parametrize("metric", ["score", "pass_rate", "f1", "macro_recall", "micro_f1"])
def test_declared_metrics_and_their_pools_can_be_gated(plan, metric):
    assert plan(f'evaluators: [{{type: field_prf}}]\ngate: {{field_prf.{metric}: "< 1"}}').gates[0].value == 1.0


@pytest.mark.parametrize(
    ("metric", "bounds"),
    [("pass_rate", (0.0, 1.0)), ("score", (0.0, 1.0)), ("errors", (0.0, float("inf"))), ("total_errors", (0.0, float("inf")))],
)
def test_a_share_ends_at_1_and_a_count_nowhere(metric: str, bounds: tuple[float, float]) -> None:
    from fieldwise.plan.gates import EvaluatorMetrics

    assert EvaluatorMetrics(names=("score", "errors"), counts=frozenset(["errors"])).find_range(metric) == bounds


@pytest.mark.parametrize("metric", ["mutants.killed", "confidence.auroc", "policy.holds"])
def test_what_is_measured_of_a_whole_run_can_be_gated(metric):
    evaluator, name = metric.split(".")
    assert parse_gate(f"{metric} >= 0.9", [plan_config({"type": "field_prf"})]) == Gate(
        evaluator=evaluator, metric=name, operator=">=", value=0.9
    )


@pytest.mark.parametrize(
    "evaluator", ["{type: field_accuracy, name: f, fields: [{path: x, match: fuzy}]}", "{type: json_quality, name: f, oops: 1}"]
)
def test_an_unknown_metric_is_an_error_also_where_the_options_cannot_be_read(problems, evaluator):
    _, metric = problems(f'evaluators: [{evaluator}]\ngate: {{f.scroe: ">= 0.5"}}')
    assert (metric.code, metric.level, metric.fix) == ("unknown-metric", "error", "did you mean `score`?")


def test_metrics_that_depend_on_options_are_unknown_where_the_options_cannot_be_read(problems):
    [problem] = problems('evaluators: [{type: fact_checks, facts: 1}]\ngate: {fact_checks.has_604: ">= 0.5"}')
    assert problem.code != "unknown-metric"
