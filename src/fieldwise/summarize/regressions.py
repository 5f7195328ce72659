"""Gates on the change from a baseline."""

from collections.abc import Sequence

from fieldwise.model.change import Change, Changes
from fieldwise.model.plan import Regression
from fieldwise.model.summary import GateResult


def judge_regressions(regressions: Sequence[Regression], changes: Changes) -> list[GateResult]:
    """How each gate went. A gate on something that was not measured in both runs never passes."""
    return [result for gate in regressions for result in _judge(gate, changes)]


def _judge(gate: Regression, changes: Changes) -> list[GateResult]:
    name = f"{gate.evaluator}.{gate.metric}"
    try:
        found = [changes.change(name)]
    except KeyError:
        told = f"{name} was not measured on the same cases in both runs; a baseline file keeps no counts, `--baseline RUN` knows them"
        return [GateResult(gate=str(gate), passed=False, value=None, message=told)]
    if gate.per_field:
        found += changes.evaluators[gate.evaluator].fields
    return [_judge_change(gate, change) for change in found]


def _judge_change(gate: Regression, change: Change) -> GateResult:
    """It fails if the loss is too large and chance is ruled out; a large loss that may be chance passes, and that is said."""
    word = "rise" if change.lower_is_better else "drop"
    label = f"regression of {change.name} <= {gate.max_drop:g}"
    told = f"{change.name} went from {change.base:.4f} to {change.new:.4f} over {change.n} cases (p = {change.p_adjusted:.3g})"
    too_far = change.loss > gate.max_drop + 1e-12
    sure = change.p_adjusted <= 1 - gate.confidence + 1e-12
    if too_far and sure:
        return GateResult(gate=label, passed=False, value=change.new - change.base, message=f"{told}: a {word} beyond {gate.max_drop:g}")
    if too_far:
        told += "; this may be chance"
        told += f", {change.n} cases show {word}s from {change.smallest_shown:.3f} on" if change.smallest_shown else ""
    return GateResult(gate=label, passed=True, value=change.new - change.base, message=told)
