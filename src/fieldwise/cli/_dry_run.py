"""Read the cases of a suite without scoring them: counts, inferred rules, rules that no case uses."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.options import InfersRules
from fieldwise.model.path import value_at
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.model.rule import FieldRule
from fieldwise.model.values import MISSING
from fieldwise.plan.infer import InferredRules
from fieldwise.read.cases import read_cases
from fieldwise.report.check_view import SuiteCheck
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.inferred_rules import infer_rules, needs_inferred_rules


def survey_cases(plan: Plan) -> SuiteCheck:
    """Read the cases of a plan once, without scoring them."""
    source = plan.source
    assert source is not None
    reasons: dict[str, str] = {}
    if needs_inferred_rules(plan):
        plan, reasons = _add_inferred_rules(plan, infer_rules(read_cases(source, chunk=256), source))
    reader = read_cases(source, chunk=256)
    counts, case_diagnostics = Counter[str](), list[Diagnostic]()
    unused = {rule.text: rule for evaluator in plan.evaluators for rule in _written_rules(evaluator)}
    for cases in reader:
        _count_cases(cases, counts)
        for diagnostics in cases.diagnostics.values():
            case_diagnostics += diagnostics
        _remove_used_rules(unused, cases)
    unused_diagnostics = [_unused_rule(plan, text) for text in unused] if counts["cases"] else []
    diagnostics = [*plan.diagnostics, *reader.diagnostics, *case_diagnostics, *unused_diagnostics]
    return SuiteCheck(plan=plan, counts=counts, reasons=reasons, diagnostics=diagnostics)


def _written_rules(evaluator: PlannedEvaluator) -> Sequence[FieldRule]:
    """The field rules of an evaluator whose path is valid."""
    return [rule for rule in getattr(evaluator.config, "fields", ()) if rule.path is not None]


def _add_inferred_rules(plan: Plan, inferred: InferredRules) -> tuple[Plan, dict[str, str]]:
    """Give inferred rules to evaluators that have none; also return the reason for each rule."""
    evaluators: list[PlannedEvaluator] = []
    for evaluator in plan.evaluators:
        if isinstance(evaluator.config, InfersRules) and evaluator.config.needs_rules():
            evaluator = replace(evaluator, config=evaluator.config.with_rules(inferred.rules, inferred.lists))
        evaluators.append(evaluator)
    return replace(plan, evaluators=tuple(evaluators)), dict(inferred.reasons)


def _count_cases(cases: Cases, counts: Counter[str]) -> None:
    counts["cases"] += len(cases)
    for name in ("expected", "actual"):
        counts[name] += sum(value is not MISSING for value in getattr(cases, name))
    counts["input"] += sum(value is not None for value in cases.input)
    counts["contexts"] += sum(value is not None for value in cases.contexts)
    counts["several outputs"] += sum(value is not None for value in cases.actuals)
    counts.update(f"tag {tag}" for tags in cases.tags for tag in tags)
    counts.update(f"split {split}" for split in cases.split if split is not None)


def _remove_used_rules(unused: dict[str, FieldRule], cases: Cases) -> None:
    """Remove the rules whose field is in one of these cases, on either side."""
    if not unused:
        return
    records = ScoringBatch(cases).records
    for record in (*records.expected, *records.actual):
        used = [text for text, rule in unused.items() if rule.path is not None and _is_present(value_at(record, rule.path.steps))]
        for text in used:
            del unused[text]
        if not unused:
            return


def _is_present(value: object) -> bool:
    """True for a value, an empty list, and a list with at least one present item."""
    if isinstance(value, list):
        return not value or any(_is_present(item) for item in value)
    return value is not MISSING


def _unused_rule(plan: Plan, text: str) -> Diagnostic:
    what, fix = "no case has this field, on either side", "check the path, or remove the rule"
    return Diagnostic(code="unused-rule", what=what, where=Where(file=plan.file, field=text), fix=fix)
