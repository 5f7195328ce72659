"""A number that a case brings along, against a limit."""

from dataclasses import replace
from math import isfinite
from typing import Any

from fieldwise.evaluators.checks._checks import single
from fieldwise.evaluators.checks._places import value_at
from fieldwise.kernels.numbers import close
from fieldwise.model.case import Case
from fieldwise.model.faults import fault
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING, kind


def at_most(name: str, case: Case, place: str, limit: float, *, unit: str, metric: str, negate: bool) -> Result:
    """Whether the number at a place is within the limit, which is inclusive."""
    value: Any = value_at(case, place)
    if value is MISSING or value is None:
        return Result(status="skipped", reasoning=f"the case has no `{place}`")
    if kind(value) != "number" or not _is_amount(value):
        return fault(f"`{place}` is {_shown(value)}, which is no {name}")
    within = value <= limit or close(limit, value)
    result = single(
        f"not {name}" if negate else name, within != negate, f"{_shown(value)} {unit}, at most {limit:g}", **{metric: float(value)}
    )
    without_output = case.actual is MISSING or case.actual is None
    return replace(result, metrics={}) if without_output else result  # there, metrics become 0: a mean that no case had


def _is_amount(value: float) -> bool:
    try:
        return isfinite(float(value)) and value >= 0
    except OverflowError:
        return False


def _shown(value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
