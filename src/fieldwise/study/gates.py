"""Gates of a run on its confidences and on a policy: `confidence.auroc >= 0.8`, `policy.holds`."""

from collections.abc import Sequence

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.plan import Gate
from fieldwise.model.summary import GateResult
from fieldwise.read.policy_file import load_policy
from fieldwise.store.run import Run
from fieldwise.study.confidence import ConfidenceSummary, study_confidence
from fieldwise.study.policy import check_policy
from fieldwise.summarize.gates import NOTHING_MEASURED, judge_value


def judge_study_gates(gates: Sequence[Gate], run: Run, policy: str | None) -> tuple[list[GateResult], list[Diagnostic]]:
    """The results of these gates, and a diagnostic for each that was not measured. `policy` is the file of the policy."""
    results: list[GateResult] = []
    problems: list[Diagnostic] = []
    summary: ConfidenceSummary | None = None
    for gate in gates:
        if gate.evaluator == "confidence":
            summary = summary or study_confidence(run).overall
            value, reason = getattr(summary, gate.metric), summary.describe_lack()
        else:
            assert policy is not None  # checked before the run
            value, reason = measure_policy(run, policy)
        if value is None:
            what = f"gate `{gate}`: not measured: {reason}"
            problems.append(Diagnostic(code=NOTHING_MEASURED, what=what, fix=f"see why: fieldwise {gate.evaluator} {run.id}"))
            results.append(GateResult(gate=str(gate), passed=False, value=None, message=what))
        else:
            results.append(judge_value(gate, float(value), reason if gate.evaluator == "policy" else ""))
    return results, problems


def measure_policy(run: Run, policy: str) -> tuple[float | None, str]:
    """1 if a policy holds on a run, 0 if it does not, None if the run has no value that it accepts; and why."""
    check = check_policy(load_policy(policy), run)
    failing = [f"{path}: {field.reason}" for path, field in check.fields.items() if not field.holds]
    reason = "; ".join([*check.problems, *failing, *check.notes])
    if not check.is_measured:
        return None, reason or "the run has no value that the policy accepts"
    return float(check.holds), reason
