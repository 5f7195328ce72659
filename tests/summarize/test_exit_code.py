"""The exit code of a run, and which of several reasons for one comes first."""

from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.plan import Gate, PlannedEvaluator
from fieldwise.model.summary import Counts, EvaluatorSummary, Metric, Summary
from fieldwise.summarize.exit_code import Limits, exit_code, is_invalid
from fieldwise.summarize.gates import gate_diagnostics, judge_gates


def summary(metrics=None, **counts):
    metrics = {"score": 0.9, "macro_f1": 0.1 + 0.2} if metrics is None else metrics
    metric_summaries = {name: Metric(value=value, n=10) for name, value in metrics.items()}
    counted = Counts(**({"cases": 10, "scored": 10} | counts))
    return Summary(
        cases=counted.cases, evaluators={"fields": EvaluatorSummary(name="fields", type="x", counts=counted, metrics=metric_summaries)}
    )


def gate(metric="score", operator=">=", value=0.9, evaluator="fields"):
    return Gate(evaluator=evaluator, metric=metric, operator=operator, value=value)


WITH_PASS_AT = PlannedEvaluator(type="x", name="fields", config=None, pass_at=0.8)


def code(run_summary, gates=(), **options):
    return exit_code(run_summary, judge_gates(gates, run_summary), **options)


def test_zero_is_for_gates_that_all_passed():
    assert code(summary(), [gate()]) == 0
    assert code(summary(), [gate(), gate(value=0.95)]) == 1


def test_without_gates_a_failing_case_of_an_evaluator_with_a_cut_is_one():
    assert code(summary(failed=1), evaluators=[WITH_PASS_AT]) == 1
    assert code(summary(failed=1), evaluators=[PlannedEvaluator(type="x", name="fields", config=None)]) == 0
    assert code(summary(failed=1), [gate()], evaluators=[WITH_PASS_AT]) == 0


def test_faults_and_results_without_a_score_above_the_limit_are_incomplete():
    assert code(summary(faults=1), [gate()]) == 3
    assert code(summary(faults=1), [gate()], limits=Limits(max_errors=1)) == 0
    assert code(summary(unavailable=2), [gate()], limits=Limits(max_errors=5, max_unscored=1)) == 3
    assert code(summary(skipped=5), [gate()]) == 3
    assert code(summary(skipped=2, unavailable=3), [gate()], limits=Limits(max_unscored=4)) == 3
    assert code(summary(skipped=2, unavailable=3), [gate()], limits=Limits(max_unscored=5)) == 0


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


def test_a_gate_on_nothing_measured_is_incomplete():
    def two(**counts):
        second = EvaluatorSummary(name="other", type="x", counts=Counts(cases=10, **counts), metrics={})
        return Summary(cases=10, evaluators={**summary().evaluators, "other": second})

    gates = [gate(evaluator="other", value=0.0)]
    assert [
        code(run_summary, gates, diagnostics=gate_diagnostics(gates, run_summary))
        for run_summary in (two(skipped=10), two(not_applicable=10))
    ] == [3, 3]
    assert code(two(unavailable=10), gates, diagnostics=gate_diagnostics(gates, two(unavailable=10))) == 3
    nothing = summary({}, scored=0, skipped=10)
    assert code(nothing, [gate()], diagnostics=gate_diagnostics([gate()], nothing)) == 4


def test_an_evaluator_that_is_for_no_case_leaves_the_run_incomplete():
    never_used = [Diagnostic(code="never-used", what="…")]
    assert code(summary(), [gate()], diagnostics=never_used) == 3
    assert not is_invalid(3, never_used)


def test_only_an_error_of_the_suite_makes_a_run_invalid():
    of_a_case = Diagnostic(code="bad", what="", where=Where(case="a"))
    of_the_suite, warning = Diagnostic(code="bad", what=""), Diagnostic(code="bad", what="", level="warning")
    assert is_invalid(2, [of_the_suite])
    assert not is_invalid(2, [of_a_case, warning])
    assert not is_invalid(1, [of_the_suite])
