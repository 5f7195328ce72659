"""The exit code of a run."""

from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

from fieldwise.dataclass import dataclass
from fieldwise.model.diagnostic import OTHER_ORDER, UNREADABLE_SIDE, Diagnostic
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.summary import GateResult, Summary
from fieldwise.summarize.gates import NOTHING_MEASURED

EMPTY_FILE, NEVER_USED = "empty-file", "never-used"
FOREIGN_BASELINE: Final = "foreign-baseline"
MALFORMED_PATH, UNMEASURED_RULE = "malformed-path", "unmeasured-rule"
_INCOMPLETE_CODES: Final = frozenset((NOTHING_MEASURED, NEVER_USED, MALFORMED_PATH, UNMEASURED_RULE))
"""Problems that leave something unmeasured: exit code 3, not 2."""
NO_COMMON_FIELD: Final = "no-common-field"
_DOUBTS: Final = frozenset((OTHER_ORDER, UNREADABLE_SIDE))
"""Warnings that rows are probably compared with other ones, or none can be read. As an error that no field is in common, they mean that the
scores may say nothing of the system: exit code 3."""
PASSED, FAILED, CONFIG, INCOMPLETE, NOTHING, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 4, 70, 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Maximum number of results that may be no measurement before a run counts as incomplete."""

    max_errors: int = 0
    """Evaluation errors: an evaluator, a judge or the expected data failed."""
    max_unscored: int = 0
    """Unavailable and skipped results. A case that `when` excludes has no result and does not count."""


def exit_code(
    summary: Summary,
    gates: Sequence[GateResult],
    *,
    evaluators: Sequence[PlannedEvaluator] = (),
    diagnostics: Iterable[Diagnostic] = (),
    limits: Limits | None = None,
    interrupted: bool = False,
) -> int:
    """0 passed, 1 failed, 2 configuration, 3 incomplete, 4 nothing evaluated, 130 interrupted; where several hold, 130, 2, 4, 3, 1, 0.

    A diagnostic of level `error` that belongs to no single case is a configuration error. But if all such errors only say that there was
    nothing to evaluate or to measure, 4 and 3 are more precise. A malformed path is no error of the suite, and never measured.
    """
    if interrupted:
        return INTERRUPTED
    diagnostics = [*diagnostics]
    errors = {
        diagnostic.code
        for diagnostic in diagnostics
        if (diagnostic.level == "error" or diagnostic.code == MALFORMED_PATH) and diagnostic.where.case is None
    }
    is_doubtful = NO_COMMON_FIELD in errors or any(diagnostic.code in _DOUBTS for diagnostic in diagnostics)
    errors -= {NO_COMMON_FIELD}
    if errors - _INCOMPLETE_CODES - {EMPTY_FILE}:
        return CONFIG
    counts = [evaluator.counts for evaluator in summary.evaluators.values()]
    if not any(count.scored + count.failures for count in counts):
        return NOTHING
    if errors - _INCOMPLETE_CODES:
        return CONFIG
    limits = limits or Limits()
    faults = sum(count.faults for count in counts)
    unscored = sum(count.unavailable + count.skipped for count in counts)
    if errors or is_doubtful or faults > limits.max_errors or unscored > limits.max_unscored:
        return INCOMPLETE
    return FAILED if _has_failed(summary, gates, evaluators) else PASSED


def is_invalid(code: int, diagnostics: Iterable[Diagnostic]) -> bool:
    """True if the data showed that the suite is wrong, so that its scores mean nothing. A baseline that fits nothing changes no score."""
    if code != CONFIG:
        return False
    other_codes = _INCOMPLETE_CODES | {FOREIGN_BASELINE, NO_COMMON_FIELD}
    return any(
        diagnostic.level == "error" and diagnostic.where.case is None and diagnostic.code not in other_codes for diagnostic in diagnostics
    )


def _has_failed(summary: Summary, gates: Sequence[GateResult], evaluators: Sequence[PlannedEvaluator]) -> bool:
    """True if a gate failed or, without gates, a case failed an evaluator that has a `pass_at`."""
    if gates:
        return not all(gate.passed for gate in gates)
    with_pass_at = [evaluator.name for evaluator in evaluators if evaluator.pass_at is not None]
    return any(summary.evaluators[name].counts.failed for name in with_pass_at if name in summary.evaluators)


CaseTest: TypeAlias = Literal["passed", "failed", "tolerated", "skipped", "error"]
"""A case as a test of JUnit and pytest. `tolerated`: below `pass_at`, but every gate of the run holds."""


def judge_case(
    *, status: str, verdict: str | None, fault: str | None, pass_at: float | None, exit_code: int | None, has_gates: bool
) -> CaseTest:
    """Judge one result so that the tests of a run fail exactly if its exit code is not 0.

    A case fails only below `pass_at`; gates decide the rest. What was not measured is an error, unless the run tolerates it.

    >>> judge_case(status="scored", verdict="fail", fault=None, pass_at=None, exit_code=0, has_gates=True)
    'passed'
    """
    if status == "skipped":
        return "skipped"
    if status == "unavailable" or (status == "error" and fault != "system"):
        return "skipped" if exit_code in (PASSED, FAILED) else "error"
    if verdict != "fail" or pass_at is None:
        return "passed"
    return "tolerated" if has_gates and exit_code == PASSED else "failed"
