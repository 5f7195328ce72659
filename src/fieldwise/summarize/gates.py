"""Gates: conditions on a run's summary, and on its change from a baseline."""

from collections.abc import Sequence
from math import ulp
from typing import Final

from fieldwise.model.change import Change, Changes
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.plan import Gate, PlannedEvaluator, Regression
from fieldwise.model.summary import EvaluatorSummary, GateResult, Summary
from fieldwise.plan.gates import declares_metric
from fieldwise.registry import EVALUATORS, nearest

NOTHING_MEASURED: Final = "nothing-measured"
_ROUNDING: Final = 1e-12


def condition_holds(value: float, operator: str, bound: float) -> bool:
    """True if a condition holds, with slack for binary rounding as for every threshold: 1e-9 of it plus 4 ulp; none at 0.

    >>> (0.7 + 0.8 + 0.9) / 3, condition_holds((0.7 + 0.8 + 0.9) / 3, ">=", 0.8), condition_holds(0.79999, ">=", 0.8)
    (0.7999999999999999, True, False)
    """
    slack = 1e-9 * abs(bound) + 4 * ulp(bound) if bound else 0.0
    difference = value - bound
    holds = {
        ">=": difference >= -slack,
        ">": difference > slack,
        "<=": difference <= slack,
        "<": difference < -slack,
        "==": abs(difference) <= slack,
        "!=": abs(difference) > slack,
    }
    return holds[operator]


def judge_gates(
    gates: Sequence[Gate], summary: Summary, max_unscored: int = 0, evaluators: Sequence[PlannedEvaluator] = ()
) -> list[GateResult]:
    """The result of each gate. A gate without a number to compare never passes; `evaluators` tell which metrics are declared."""
    return [_judge_gate(gate, summary, max_unscored, evaluators) for gate in gates]


def gate_diagnostics(
    gates: Sequence[Gate], summary: Summary, max_unscored: int = 0, evaluators: Sequence[PlannedEvaluator] = ()
) -> list[Diagnostic]:
    """The problems of gates that name an evaluator or metric that does not exist, or one that was not measured."""
    problems = [_find_problem(gate, summary, max_unscored, evaluators) for gate in gates]
    return [problem for problem in problems if problem is not None]


def _judge_gate(gate: Gate, summary: Summary, max_unscored: int, evaluators: Sequence[PlannedEvaluator]) -> GateResult:
    problem = _find_problem(gate, summary, max_unscored, evaluators)
    if problem is not None:
        return GateResult(gate=str(gate), passed=False, value=None, message=problem.what)
    return judge_value(gate, summary.evaluators[gate.evaluator].metrics[gate.metric].value)


def judge_value(gate: Gate, value: float, reason: str = "") -> GateResult:
    """The result of a gate whose metric has this value; `reason` says why it has, if that helps."""
    passed = condition_holds(value, gate.operator, gate.value)
    shown = f"{value:.4g}"
    if condition_holds(float(shown), gate.operator, gate.value) != passed:  # 0.89996 must not be shown as 0.9
        shown = repr(value)
    verb = "holds" if passed else "does not hold"
    message = f"{gate.evaluator}.{gate.metric} is {shown}: {gate} {verb}"
    return GateResult(gate=str(gate), passed=passed, value=value, message=f"{message} ({reason})" if reason else message)


def _find_problem(gate: Gate, summary: Summary, max_unscored: int, evaluators: Sequence[PlannedEvaluator]) -> Diagnostic | None:
    evaluator = summary.evaluators.get(gate.evaluator)
    if evaluator is None:
        what = f"gate `{gate}`: there is no evaluator `{gate.evaluator}`"
        return Diagnostic(code="unknown-gate", what=what, fix=_suggest_name(gate.evaluator, list(summary.evaluators)))
    measured = _count_measured(evaluator)
    unscored = evaluator.unscored.get(gate.metric, 0)
    if unscored > max_unscored:
        what = f"gate `{gate}`: not measured: {unscored} of {measured} outputs gave nothing to compute `{gate.metric}` from"
        fix = f"see their cases, or tolerate them with --max-unscored {unscored}"
        return Diagnostic(code=NOTHING_MEASURED, what=what, fix=fix)
    is_vacuous_rate = gate.metric == "pass_rate" and bool(measured) and "score" not in evaluator.metrics
    if gate.metric in evaluator.metrics and not is_vacuous_rate:
        return None
    if not measured:
        what = f"gate `{gate}`: not measured: `{gate.evaluator}` measured nothing"
        return Diagnostic(code=NOTHING_MEASURED, what=what, fix="see why its cases were skipped or failed")
    is_declared = any(planned.name == gate.evaluator and declares_metric(planned, gate.metric) for planned in evaluators)
    if is_vacuous_rate or unscored or is_declared or gate.metric in _list_vacuous_metrics(evaluator.type):
        what = f"gate `{gate}`: not measured: `{gate.metric}` had nothing to measure in any of {measured} cases"
        fix = "remove the gate, or give cases or options that the metric can measure"
        return Diagnostic(code=NOTHING_MEASURED, what=what, fix=fix)
    what = f"gate `{gate}`: `{gate.evaluator}` has no metric `{gate.metric}`"
    return Diagnostic(code="unknown-gate", what=what, fix=_suggest_name(gate.metric, list(evaluator.metrics)))


def _list_vacuous_metrics(evaluator_type: str) -> frozenset[str]:
    """The metrics that may have nothing to measure in a case."""
    try:
        spec = EVALUATORS.find(evaluator_type)
    except KeyError:
        return frozenset()
    return frozenset((*spec.vacuous, *spec.unscored))


def _count_measured(evaluator: EvaluatorSummary) -> int:
    return evaluator.counts.scored + evaluator.counts.failures


def _suggest_name(name: str, valid: list[str]) -> str:
    if not valid:
        return "no evaluator ran"
    similar = nearest(name, valid)
    suggestion = f"did you mean `{similar}`? " if similar else ""
    return f"{suggestion}there are: {', '.join(valid)}"


def judge_regressions(regressions: Sequence[Regression], changes: Changes, evaluators: Sequence[PlannedEvaluator] = ()) -> list[GateResult]:
    """The result of each gate on regressions. A metric that was not measured in both runs never passes."""
    return [result for gate in regressions for result in _judge_regression(gate, changes, evaluators)]


def regression_diagnostics(
    regressions: Sequence[Regression], changes: Changes, evaluators: Sequence[PlannedEvaluator] = ()
) -> list[Diagnostic]:
    """The problems of regression gates that were not measured; `evaluators` tell which metrics are counts."""
    diagnostics: list[Diagnostic] = []
    for gate in regressions:
        problem = _find_regression_problem(gate, changes, evaluators)
        diagnostics += _find_field_problems(gate, changes).values() if problem is None else [problem]
    return diagnostics


def _find_regression_problem(gate: Regression, changes: Changes, evaluators: Sequence[PlannedEvaluator]) -> Diagnostic | None:
    if changes.common_share < gate.min_common:
        what = f"gate `{gate}`: not measured: {changes.common_share:.0%} of the cases are in both runs, fewer than {gate.min_common:.0%}"
        fix = "compare with a baseline of these cases, or set `min_common`"
        return Diagnostic(code=NOTHING_MEASURED, what=what, fix=fix)
    try:
        change = changes.change(f"{gate.evaluator}.{gate.metric}")
    except KeyError:
        if _is_count(gate, evaluators):  # a run would have it
            what = f"gate `{gate}`: not measured: a baseline file keeps no counts, and `{gate.evaluator}.{gate.metric}` is one"
            return Diagnostic(code=NOTHING_MEASURED, what=what, fix="compare with the run itself, `--baseline RUN`, or gate another metric")
        what = f"gate `{gate}`: not measured: no case has `{gate.evaluator}.{gate.metric}` in both runs"
        fix = "compare with a run or baseline that measured it, or gate another metric"
        return Diagnostic(code=NOTHING_MEASURED, what=what, fix=fix)
    if change.common_share < gate.min_common:
        share = f"{change.common_share:.0%} of the cases in which one of the runs measured `{change.name}`"
        what = f"gate `{gate}`: not measured: both runs measured {share}, fewer than {gate.min_common:.0%}"
        fix = "see why the others were not measured: missing outputs, or another `when`; or set `min_common`"
        return Diagnostic(code=NOTHING_MEASURED, what=what, fix=fix)
    return None


def _find_field_problems(gate: Regression, changes: Changes) -> dict[str, Diagnostic]:
    """The problem of each field that a gate with `per_field` cannot judge, because the runs hardly measured it in the same cases."""
    if not gate.per_field:
        return {}
    evaluator = changes.evaluators[gate.evaluator]
    shares = {change.name: change.common_share for change in evaluator.fields} | dict.fromkeys(evaluator.lost_fields, 0.0)
    problems: dict[str, Diagnostic] = {}
    for field, share in shares.items():
        if share < gate.min_common:
            measured = f"no case has `{field}` in both runs"
            if share:
                of_cases = f"{share:.0%} of the cases in which one of the runs measured `{field}`"
                measured = f"both runs measured {of_cases}, fewer than {gate.min_common:.0%}"
            what = f"gate `{_label_gate(gate, field)}`: not measured: {measured}"
            fix = "see why the others lack it: an optional field that the output omits, or another rule; or set `min_common`"
            problems[field] = Diagnostic(code=NOTHING_MEASURED, what=what, fix=fix)
    return problems


def _label_gate(gate: Regression, name: str) -> str:
    return f"regression of {name} <= {gate.max_drop:g}"


def _is_count(gate: Regression, evaluators: Sequence[PlannedEvaluator]) -> bool:
    types = [evaluator.type for evaluator in evaluators if evaluator.name == gate.evaluator]
    return any(gate.metric in EVALUATORS.find(name).counts for name in types)


def _judge_regression(gate: Regression, changes: Changes, evaluators: Sequence[PlannedEvaluator]) -> list[GateResult]:
    problem = _find_regression_problem(gate, changes, evaluators)
    if problem is not None:
        return [GateResult(gate=str(gate), passed=False, value=None, message=problem.what)]
    gated_changes = [changes.change(f"{gate.evaluator}.{gate.metric}")]
    field_problems = _find_field_problems(gate, changes)
    if gate.per_field:
        gated_changes += [change for change in changes.evaluators[gate.evaluator].fields if change.name not in field_problems]
    unmeasured = [
        GateResult(gate=_label_gate(gate, field), passed=False, value=None, message=problem.what)
        for field, problem in field_problems.items()
    ]
    return [_judge_change(gate, change) for change in gated_changes] + unmeasured


def _judge_change(gate: Regression, change: Change) -> GateResult:
    """Fail if the loss exceeds the limit and is significant; a larger loss that may be chance passes with a remark."""
    noun = "rise" if change.lower_is_better else "drop"
    label = _label_gate(gate, change.name)
    # a gate on a metric was chosen before the data were seen: no adjustment. The fields of `per_field` are many tests.
    p = change.p if change.name == f"{gate.evaluator}.{gate.metric}" else change.p_adjusted
    units = f"{change.n} cases" if change.groups is None else f"{change.n} cases in {change.groups} groups"
    message = f"{change.name} went from {change.base:.4f} to {change.new:.4f} over {units} (p = {p:.3g})"
    is_too_large = change.loss > gate.max_drop + _ROUNDING
    is_significant = p <= 1 - gate.confidence + _ROUNDING
    passed = not (is_too_large and is_significant)
    if not passed:
        message += f": a {noun} beyond {gate.max_drop:g}"
    elif is_too_large:
        message += "; this may be chance"
        if change.smallest_shown:
            message += f": with {units}, {noun}s of {change.smallest_shown:.3f} or more are detected with 80 % power"
    return GateResult(gate=label, passed=passed, value=change.new - change.base, message=message)
