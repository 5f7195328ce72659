"""Rules for evaluators that have none, inferred from the first cases of the data."""

from dataclasses import replace
from typing import Final

from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.options import InfersRules
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.model.values import MISSING
from fieldwise.plan.infer import InferredRules, infer_rules_from_pairs
from fieldwise.score.batch import ScoringBatch

SAMPLE_SIZE: Final = 256
"""Number of cases that rules are inferred from."""


def infer_plan_rules(plan: Plan, cases: Cases) -> tuple[Plan, list[Diagnostic]]:
    """The plan with inferred rules for every evaluator that needs them, and diagnostics that explain these rules."""
    if not any(_needs_rules(planned) for planned in plan.evaluators):
        return plan, []
    batch = ScoringBatch(cases.take(range(len(cases))[:SAMPLE_SIZE]))
    inferred = infer_rules(batch)
    evaluators: list[PlannedEvaluator] = []
    explanations: list[Diagnostic] = []
    without_rules: list[Diagnostic] = []
    for planned in plan.evaluators:
        evaluators.append(_apply_rules(planned, inferred))
        if not _needs_rules(planned):
            continue
        explanations += _explain_rules(inferred)
        if _has_no_field(batch):
            what = f"`{planned.name}`: no rules can be inferred: what is expected holds no field"
            fix = "give the records in `expected`, or write `fields`"
            without_rules.append(Diagnostic(code="no-rules", what=what, where=Where(file=plan.file), fix=fix))
    return replace(plan, evaluators=tuple(evaluators)), explanations + without_rules


def with_inferred_rules(planned: PlannedEvaluator, batch: ScoringBatch) -> PlannedEvaluator:
    """An evaluator with rules inferred from a batch, if it needs rules."""
    return _apply_rules(planned, infer_rules(batch)) if _needs_rules(planned) else planned


def infer_rules(batch: ScoringBatch) -> InferredRules:
    """The rules that the records of a batch suggest."""
    return infer_rules_from_pairs(zip(batch.records.expected, batch.records.actual, strict=True))


def _needs_rules(planned: PlannedEvaluator) -> bool:
    return isinstance(planned.config, InfersRules) and planned.config.needs_rules()


def _apply_rules(planned: PlannedEvaluator, inferred: InferredRules) -> PlannedEvaluator:
    if not isinstance(planned.config, InfersRules) or not planned.config.needs_rules():
        return planned
    return replace(planned, config=planned.config.with_rules(inferred.rules, inferred.lists))


def _explain_rules(inferred: InferredRules) -> list[Diagnostic]:
    explanations: list[Diagnostic] = []
    for rule in inferred.rules:
        reason = inferred.reasons.get(rule.text)
        if reason:
            what = f"{rule.match.name}, because {reason}"
            explanations.append(Diagnostic(code="inferred-rule", level="info", what=what, where=Where(field=rule.text)))
    return explanations


def _has_no_field(batch: ScoringBatch) -> bool:
    return all(value is None or value is MISSING or value in ({}, []) for value in batch.records.expected)
