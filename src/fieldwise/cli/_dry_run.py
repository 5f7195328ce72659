"""What a suite would find if it ran: its cases counted, its rules inferred where it has none, rules that nothing matches."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.lookup import find
from fieldwise.model.options import Inferring
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.model.rule import FieldRule
from fieldwise.model.values import MISSING
from fieldwise.plan.infer import Inferred, infer
from fieldwise.read.cases import read_cases
from fieldwise.report.check_view import Survey
from fieldwise.score.batch import ScoringBatch


def survey(plan: Plan) -> Survey:
    """Read the cases of a plan once, without scoring them."""
    assert plan.source is not None
    reader = read_cases(plan.source, chunk=256)
    counts, about_cases, reasons = Counter[str](), list[Diagnostic](), dict[str, str]()
    unseen = {rule.text: rule for evaluator in plan.evaluators for rule in rules_of(evaluator)}
    for number, cases in enumerate(reader):
        if number == 0:
            plan, reasons = _with_rules(plan, cases)
        _count(cases, counts)
        about_cases += [problem for problems in cases.diagnostics.values() for problem in problems]
        _strike_out(unseen, cases)
    absent = [_absent(plan, text) for text in unseen] if counts["cases"] else []
    found = [*plan.diagnostics, *reader.diagnostics, *about_cases, *absent]
    return Survey(plan=plan, counts=counts, reasons=reasons, diagnostics=found)


def rules_of(evaluator: PlannedEvaluator) -> Iterable[FieldRule]:
    """The rules that were written for an evaluator, of those that can be followed."""
    return [rule for rule in getattr(evaluator.config, "fields", ()) if rule.path is not None]


def inferred(cases: Cases) -> Inferred:
    """Rules for the records of these cases."""
    records = ScoringBatch(cases).records
    return infer(zip(records.expected, records.actual, strict=True))


def _with_rules(plan: Plan, cases: Cases) -> tuple[Plan, dict[str, str]]:
    reasons: dict[str, str] = {}
    evaluators: list[PlannedEvaluator] = []
    for evaluator in plan.evaluators:
        if isinstance(evaluator.config, Inferring) and evaluator.config.needs_rules():
            found = inferred(cases)
            reasons |= found.reasons
            evaluator = replace(evaluator, config=evaluator.config.with_rules(found.rules, found.lists))
        evaluators.append(evaluator)
    return replace(plan, evaluators=tuple(evaluators)), reasons


def _count(cases: Cases, counts: Counter[str]) -> None:
    counts["cases"] += len(cases)
    for name in ("expected", "actual"):
        counts[name] += sum(value is not MISSING for value in getattr(cases, name))
    counts["input"] += sum(value is not None for value in cases.input)
    counts["contexts"] += sum(value is not None for value in cases.contexts)
    counts["several outputs"] += sum(value is not None for value in cases.actuals)
    counts.update(f"tag {tag}" for tags in cases.tags for tag in tags)
    counts.update(f"split {split}" for split in cases.split if split is not None)


def _strike_out(unseen: dict[str, FieldRule], cases: Cases) -> None:
    """Remove the rules whose field is in one of these cases, on either side."""
    if not unseen:
        return
    records = ScoringBatch(cases).records
    for record in (*records.expected, *records.actual):
        for text in [text for text, rule in unseen.items() if rule.path is not None and _is_there(find(record, rule.path.steps))]:
            del unseen[text]
        if not unseen:
            return


def _is_there(found: object) -> bool:
    """Whether a value was found; of a list of items, whether one of them has it."""
    if isinstance(found, list):
        return not found or any(_is_there(item) for item in found)
    return found is not MISSING


def _absent(plan: Plan, text: str) -> Diagnostic:
    what, fix = "no case has this field, on either side", "check the path, or remove the rule"
    return Diagnostic(code="unused-rule", what=what, where=Where(file=plan.file, field=text), fix=fix)
