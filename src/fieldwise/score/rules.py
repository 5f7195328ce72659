"""Rules for evaluators of a plan that have none: inferred from the first cases of the data."""

from dataclasses import replace
from typing import Final

from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.options import Inferring
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.model.values import MISSING
from fieldwise.plan.infer import Inferred, infer
from fieldwise.score.batch import ScoringBatch

SAMPLE: Final = 256
"""From how many cases rules are inferred where a suite has none."""


def with_rules(plan: Plan, cases: Cases) -> tuple[Plan, list[Diagnostic]]:
    """The plan with rules for evaluators that have none, inferred from the first cases; and which they are, in words."""
    batch = ScoringBatch(cases.take(range(len(cases))[:SAMPLE]))
    planned = [with_inferred_rules(evaluator, batch) for evaluator in plan.evaluators]
    notes = [
        Diagnostic(code="inferred-rule", level="info", what=f"{rule.match.name}, because {why}", where=Where(field=rule.text))
        for _, found in planned
        if found
        for rule in found.rules
        if (why := found.reasons.get(rule.text))
    ]
    empty = [evaluator.name for evaluator, found in planned if found and _has_no_leaf(batch)]
    what, fix = "no rules can be inferred: what is expected holds no field", "give the records in `expected`, or write `fields`"
    notes += [Diagnostic(code="no-rules", what=f"`{name}`: {what}", where=Where(file=plan.file), fix=fix) for name in empty]
    return replace(plan, evaluators=tuple(evaluator for evaluator, _ in planned)), notes


def _has_no_leaf(batch: ScoringBatch) -> bool:
    return all(value is None or value is MISSING or value in ({}, []) for value in batch.records.expected)


def with_inferred_rules(planned: PlannedEvaluator, batch: ScoringBatch) -> tuple[PlannedEvaluator, Inferred | None]:
    """An evaluator that needs rules with those of a batch, and what they are; any other as it is."""
    if not isinstance(planned.config, Inferring) or not planned.config.needs_rules():
        return planned, None
    found = inferred(batch)
    return replace(planned, config=planned.config.with_rules(found.rules, found.lists)), found


def inferred(batch: ScoringBatch) -> Inferred:
    """The rules that the records of a batch suggest."""
    records = batch.records
    return infer([(expected, actual) for expected, actual in zip(records.expected, records.actual, strict=True)])
