"""Results of cases that could not be measured: never a silent 0."""

from typing import Any

from fieldwise.model.result import Result


def fault(reason: str, **details: Any) -> Result:
    """An evaluator, a judge or the expected data failed: an error of ours, in no mean.

    >>> fault("the judge crashed").misses
    ['(evaluation error: the judge crashed)']
    """
    found = {**details, "fault": "ours", "reason": reason}
    return Result(status="error", misses=[f"(evaluation error: {reason})"], reasoning=reason, details=found)


def unavailable(reason: str, fix: str | None = None, **details: Any) -> Result:
    """A model or package that is needed is not there; `fix` says how to get it."""
    found = {**details, "reason": reason, **({"fix": fix} if fix else {})}
    return Result(status="unavailable", reasoning=f"{reason}; {fix}" if fix else reason, details=found)
