"""Which sides of a case the evaluators of a plan need."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.plan import Plan
from fieldwise.registry import EVALUATORS
from fieldwise.specs import EvaluatorSpec

NO_COLUMN: Final = {"expected": "no-expected-column", "actual": "no-actual-column"}
"""Codes of diagnostics that say that no column holds a side."""
NO_SIDES: Final = "no-sides"


def require_sides(plan: Plan, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics that say that a side is in no column, as errors where an evaluator of the plan needs that side."""
    specs = [EVALUATORS.find(planned.type) for planned in plan.evaluators]
    missing = {
        NO_COLUMN["expected"]: any(spec.needs_expected for spec in specs),
        NO_COLUMN["actual"]: any(map(_needs_actual, specs)),
        NO_SIDES: any(spec.needs_expected or _needs_actual(spec) for spec in specs),
    }
    return [replace(diagnostic, level="error") for diagnostic in diagnostics if missing.get(diagnostic.code)]


def _needs_actual(spec: EvaluatorSpec) -> bool:
    """False for an evaluator that may measure something else, such as the contexts."""
    return spec.has_output is None
