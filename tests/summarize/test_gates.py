"""Gates and exit codes."""

import pytest

from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.plan import Gate, PlannedEvaluator
from fieldwise.model.summary import Counts, EvaluatorSummary, Metric, Summary
from fieldwise.summarize.exit_code import Limits, exit_code
from fieldwise.summarize.gates import gate_diagnostics, judge_gates


def summary(metrics=None, **counts):
    metrics = {"score": 0.9, "macro_f1": 0.1 + 0.2} if metrics is None else metrics
    known = {name: Metric(value=value, n=10) for name, value in metrics.items()}
    counted = Counts(**({"cases": 10, "scored": 10} | counts))
    return Summary(cases=counted.cases, evaluators={"fields": EvaluatorSummary(name="fields", type="x", counts=counted, metrics=known)})


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


def test_a_gate_is_told_with_every_digit_it_was_given():
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
    assert (result.passed, result.message) == (False, "gate `fields.score <= 0.9`: `fields` measured nothing")
    assert [(problem.code, problem.level) for problem in gate_diagnostics([gate()], nothing)] == [("nothing-measured", "error")]


def test_good_gates_have_no_diagnostics():
    assert gate_diagnostics([gate()], summary()) == []


CUT = PlannedEvaluator(type="x", name="fields", config=None, pass_at=0.8)


def code(what, gates=(), **options):
    return exit_code(what, judge_gates(gates, what), **options)


def test_zero_is_for_gates_that_all_passed():
    assert code(summary(), [gate()]) == 0
    assert code(summary(), [gate(), gate(value=0.95)]) == 1


def test_without_gates_a_failing_case_of_an_evaluator_with_a_cut_is_one():
    assert code(summary(failed=1), evaluators=[CUT]) == 1
    assert code(summary(failed=1), evaluators=[PlannedEvaluator(type="x", name="fields", config=None)]) == 0
    assert code(summary(failed=1), [gate()], evaluators=[CUT]) == 0


def test_faults_and_unavailable_results_above_the_limit_are_incomplete():
    assert code(summary(faults=1), [gate()]) == 3
    assert code(summary(faults=1), [gate()], limits=Limits(max_errors=1)) == 0
    assert code(summary(unavailable=2), [gate()], limits=Limits(max_errors=5, max_unscored=1)) == 3
    assert code(summary(skipped=5), [gate()]) == 0


def test_nothing_evaluated_is_four_whatever_the_limits():
    assert code(summary({}, scored=0, skipped=10)) == 4
    assert code(summary({}, scored=0, unavailable=10), limits=Limits(max_unscored=99)) == 4
    assert code(Summary(cases=0, evaluators={})) == 4
    assert code(summary(scored=0, failures=10)) == 0


def test_configuration_comes_before_everything_but_an_interruption():
    bad = [Diagnostic(code="unknown-gate", what="…")]
    nothing = summary({}, scored=0, faults=10)
    assert code(nothing, [gate()], diagnostics=bad) == 2
    assert code(nothing, [gate()], diagnostics=bad, interrupted=True) == 130
    assert code(nothing, [gate()]) == 4


def test_what_is_wrong_with_one_case_is_no_matter_of_configuration():
    assert code(summary(), [gate()], diagnostics=[Diagnostic(code="unreadable-actual", what="…", where=Where(case="a"))]) == 0
    assert code(summary(), [gate()], diagnostics=[Diagnostic(code="x", what="…", level="warning")]) == 0


def test_a_file_without_cases_is_nothing_evaluated_unless_others_have_some():
    empty = [Diagnostic(code="empty-file", what="…")]
    assert code(Summary(cases=0, evaluators={}), diagnostics=empty) == 4
    assert code(summary(), [gate()], diagnostics=empty) == 2
    assert code(Summary(cases=0, evaluators={}), diagnostics=[*empty, Diagnostic(code="no-file", what="…")]) == 2


def test_a_gate_on_nothing_measured_is_an_error_after_what_explains_it():
    def two(**counts):
        other = EvaluatorSummary(name="other", type="x", counts=Counts(cases=10, **counts), metrics={})
        return Summary(cases=10, evaluators={**summary().evaluators, "other": other})

    gates = [gate(evaluator="other", value=0.0)]
    assert [code(what, gates, diagnostics=gate_diagnostics(gates, what)) for what in (two(skipped=10), two(not_applicable=10))] == [2, 2]
    assert code(two(unavailable=10), gates, diagnostics=gate_diagnostics(gates, two(unavailable=10))) == 3
    nothing = summary({}, scored=0, skipped=10)
    assert code(nothing, [gate()], diagnostics=gate_diagnostics([gate()], nothing)) == 4
