"""Rules for evaluators that have none, inferred from all cases of the data."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal

from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.locations import parse_location
from fieldwise.model.options import InfersRules, lacks_rules
from fieldwise.model.plan import Plan, PlannedEvaluator, SideMapping, Source, list_id_columns
from fieldwise.model.services import NO_SERVICES
from fieldwise.model.values import Value
from fieldwise.read.columns import is_usual_id
from fieldwise.read.files import AUTO, FORMATS, get_data_suffix
from fieldwise.score.batch import ScoringBatch

if TYPE_CHECKING:
    from fieldwise.plan.infer import InferredRules


_MAX_EXAMPLES: Final = 3
"""Cases that an error about unreadable data names."""


def needs_inferred_rules(plan: Plan) -> bool:
    """True if an evaluator of the plan has no rules."""
    return any(_needs_rules(planned) for planned in plan.evaluators)


def list_unreadable_cases(batches: Iterable[Cases]) -> list[Diagnostic]:
    """The errors of the first cases that could not be read, at most three."""
    problems = (problem for cases in batches for problems in cases.diagnostics.values() for problem in problems)
    return list(islice((problem for problem in problems if problem.level == "error"), _MAX_EXAMPLES))


def infer_plan_rules(plan: Plan, batches: Iterable[Cases]) -> tuple[Plan, list[Diagnostic]]:
    """The plan with rules inferred from all these cases for every evaluator that has none, and diagnostics that explain these rules."""
    inferred = infer_rules(batches, plan.source)
    evaluators: list[PlannedEvaluator] = []
    explanations: list[Diagnostic] = []
    without_rules: list[Diagnostic] = []
    for planned in plan.evaluators:
        evaluators.append(_apply_rules(planned, inferred))
        if not _needs_rules(planned):
            continue
        explanations += _explain_rules(inferred)
        if not inferred.has_fields and inferred.unreadable:
            without_rules = list(inferred.unreadable)
        elif not inferred.has_fields:
            what = f"`{planned.name}`: no rules can be inferred: what is expected holds no field"
            fix = "give the records in `expected`, or write `fields`"
            without_rules.append(Diagnostic(code="no-rules", what=what, where=Where(file=plan.file), fix=fix))
    return replace(plan, evaluators=tuple(evaluators)), explanations + without_rules


def with_inferred_rules(planned: PlannedEvaluator, batch: ScoringBatch) -> PlannedEvaluator:
    """An evaluator with rules inferred from a batch, if it needs rules."""
    if not _needs_rules(planned):
        return planned
    from fieldwise.plan.infer import RuleInference  # knows all types of values: only where rules are inferred

    inference = RuleInference()
    inference.add(zip(batch.records.expected, batch.records.actual, strict=True))
    return _apply_rules(planned, inference.infer())


def infer_rules(batches: Iterable[Cases], source: Source | None = None) -> "InferredRules":
    """The rules that the records of these cases suggest; the field that pairs the two files of a source gets none."""
    from fieldwise.plan.infer import RuleInference

    inference = RuleInference()
    has_paired_sides = source is not None and source.expected is not None
    id_fields: set[str] | None = None
    unreadable: list[Diagnostic] = []
    for cases in batches:
        unreadable = unreadable or list_unreadable_cases([cases])
        records = ScoringBatch(cases, NO_SERVICES).records
        inference.add(zip(records.expected, records.actual, strict=True))
        if has_paired_sides:
            id_fields = _keep_id_fields(id_fields, cases.id, records.expected)
    if source is None or source.expected is None:
        return replace(inference.infer(), unreadable=tuple(unreadable))
    left_out = {*(id_fields or ()), *list_id_columns(source.get_mapping("expected").id)}
    inferred = inference.infer(left_out, actual_is_untyped=is_untyped(source, "actual") and not is_untyped(source, "expected"))
    inferred = replace(inferred, unreadable=tuple(unreadable))
    named = {rule.text for rule in inferred.rules}
    actual_ids = [path for path in _find_ids_in_record(source.get_mapping("actual")) if path not in named]
    return replace(inferred, left_out=(*inferred.left_out, *actual_ids)) if actual_ids else inferred


def _keep_id_fields(id_fields: set[str] | None, ids: Sequence[str], records: Sequence[Value]) -> set[str] | None:
    """Of the fields that hold the id of all earlier cases, those that hold that of these cases too; None before the first record."""
    for case_id, record in zip(ids, records, strict=True):
        if isinstance(record, dict):
            names = {name for name, value in record.items() if isinstance(value, str | int) and str(value) == case_id and is_usual_id(name)}
            id_fields = names if id_fields is None else id_fields & names
    return id_fields


def is_untyped(source: Source, side: Literal["expected", "actual"]) -> bool:
    """True if a side has files of its own that are CSV, whose values are all text."""
    pattern = source.expected if side == "expected" else source.actual
    if pattern is None or side in source.memory:
        return False
    written = source.get_mapping(side).format
    by_name = FORMATS.get(get_data_suffix(parse_location(pattern)))
    return (by_name if written in (None, AUTO) else FORMATS.get(f".{written}", written)) == "csv"


def _find_ids_in_record(mapping: SideMapping) -> list[str]:
    """The paths of the pairing id inside the record, as far as they lie there."""
    prefix = f"{mapping.record}."
    return [path.removeprefix(prefix) for path in list_id_columns(mapping.id) if mapping.record is not None and path.startswith(prefix)]


def _needs_rules(planned: PlannedEvaluator) -> bool:
    return lacks_rules(planned.config)


def _apply_rules(planned: PlannedEvaluator, inferred: "InferredRules") -> PlannedEvaluator:
    if not isinstance(planned.config, InfersRules) or not planned.config.needs_rules():
        return planned
    return replace(planned, config=planned.config.with_rules(inferred.rules, inferred.lists), has_inferred_rules=True)


def _explain_rules(inferred: "InferredRules") -> list[Diagnostic]:
    explanations: list[Diagnostic] = []
    for rule in inferred.rules:
        reason = inferred.reasons.get(rule.text)
        if reason:
            what = f"{rule.match.name}, because {reason}"
            explanations.append(Diagnostic(code="inferred-rule", level="info", what=what, where=Where(field=rule.text)))
    return explanations
