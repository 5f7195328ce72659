"""Conditions on a run, held against its summary."""

import operator
from collections.abc import Callable, Sequence

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.plan import Gate
from fieldwise.model.summary import EvaluatorSummary, GateResult, Summary
from fieldwise.registry import nearest

_HOLDS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}


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
    passed = _HOLDS[gate.operator](value, gate.value)
    shown = f"{value:.4g}"
    if _HOLDS[gate.operator](float(shown), gate.value) != passed:  # 0.89996 is not 0.9
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
        return Diagnostic(code="nothing-measured", what=what, fix="see why its cases were skipped or failed", level="warning")
    what = f"gate `{gate}`: `{gate.evaluator}` has no metric `{gate.metric}`"
    return Diagnostic(code="unknown-gate", what=what, fix=_fix(gate.metric, list(evaluator.metrics)))


def _measured(evaluator: EvaluatorSummary) -> int:
    return evaluator.counts.scored + evaluator.counts.failures


def _fix(name: str, valid: list[str]) -> str:
    near = nearest(name, valid)
    first = f"did you mean `{near}`? " if near else ""
    return f"{first}there are: {', '.join(valid)}" if valid else "no evaluator ran"
