"""Conditions on a run, held against its summary."""

from collections.abc import Sequence
from math import ulp

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.plan import Gate
from fieldwise.model.summary import EvaluatorSummary, GateResult, Summary
from fieldwise.registry import nearest

NOTHING_MEASURED = "nothing-measured"


def holds(value: float, operator: str, bound: float) -> bool:
    """Whether a condition holds, with slack for binary rounding as for every threshold: 1e-9 of it plus 4 ulp; none at 0.

    >>> (0.7 + 0.8 + 0.9) / 3, holds((0.7 + 0.8 + 0.9) / 3, ">=", 0.8), holds(0.79999, ">=", 0.8)
    (0.7999999999999999, True, False)
    """
    slack = 1e-9 * abs(bound) + 4 * ulp(bound) if bound else 0.0
    difference = value - bound
    if operator in (">=", "=="):
        return difference >= -slack if operator == ">=" else abs(difference) <= slack
    if operator in (">", "!="):
        return difference > slack if operator == ">" else abs(difference) > slack
    return difference <= slack if operator == "<=" else difference < -slack


def judge_gates(gates: Sequence[Gate], summary: Summary) -> list[GateResult]:
    """How each gate went. A gate without a number to compare never passes."""
    return [_judge(gate, summary) for gate in gates]


def gate_diagnostics(gates: Sequence[Gate], summary: Summary) -> list[Diagnostic]:
    """What is wrong with gates that name an evaluator or a metric that is not there, or one that measured nothing."""
    found = (_problem(gate, summary) for gate in gates)
    return [problem for problem in found if problem is not None]


def _judge(gate: Gate, summary: Summary) -> GateResult:
    problem = _problem(gate, summary)
    if problem is not None:
        return GateResult(gate=str(gate), passed=False, value=None, message=problem.what)
    value = summary.evaluators[gate.evaluator].metrics[gate.metric].value
    passed = holds(value, gate.operator, gate.value)
    shown = f"{value:.4g}"
    if holds(float(shown), gate.operator, gate.value) != passed:  # 0.89996 is not 0.9
        shown = repr(value)
    word = "holds" if passed else "does not hold"
    return GateResult(gate=str(gate), passed=passed, value=value, message=f"{gate.evaluator}.{gate.metric} is {shown}: {gate} {word}")


def _problem(gate: Gate, summary: Summary) -> Diagnostic | None:
    evaluator = summary.evaluators.get(gate.evaluator)
    if evaluator is None:
        what = f"gate `{gate}`: there is no evaluator `{gate.evaluator}`"
        return Diagnostic(code="unknown-gate", what=what, fix=_fix(gate.evaluator, list(summary.evaluators)))
    if gate.metric in evaluator.metrics:
        return None
    if not _measured(evaluator):
        what = f"gate `{gate}`: `{gate.evaluator}` measured nothing"
        return Diagnostic(code=NOTHING_MEASURED, what=what, fix="see why its cases were skipped or failed")
    what = f"gate `{gate}`: `{gate.evaluator}` has no metric `{gate.metric}`"
    return Diagnostic(code="unknown-gate", what=what, fix=_fix(gate.metric, list(evaluator.metrics)))


def _measured(evaluator: EvaluatorSummary) -> int:
    return evaluator.counts.scored + evaluator.counts.failures


def _fix(name: str, valid: list[str]) -> str:
    near = nearest(name, valid)
    first = f"did you mean `{near}`? " if near else ""
    return f"{first}there are: {', '.join(valid)}" if valid else "no evaluator ran"
