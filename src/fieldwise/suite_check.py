"""Check a suite and its cases without scoring them: counts, inferred rules, rules that no case uses."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.options import InfersRules
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.model.values import MISSING
from fieldwise.plan.needed_sides import require_sides
from fieldwise.read.cases import read_cases
from fieldwise.read.corrections import check_corrections
from fieldwise.read.rule_lines import add_rule_lines
from fieldwise.report.check_view import SuiteCheck
from fieldwise.score.inferred_rules import infer_rules, needs_inferred_rules
from fieldwise.score.path_survey import (
    PathSurvey,
    list_item_paths,
    list_output_fields,
    list_written_keys,
    list_written_rules,
    report_absent_keys,
    report_absent_output_fields,
    report_absent_path,
    report_missing_fields,
)
from fieldwise.score.redaction_survey import RedactionSurvey
from fieldwise.suite_plan import compile_suite
from fieldwise.summarize.exit_code import MALFORMED_PATH

if TYPE_CHECKING:
    from fieldwise.plan.infer import InferredRules
    from fieldwise.read.given_data import IdsOfSides


def check(
    suite: str | Path | Mapping[str, Any],
    *,
    cases: object = None,
    expected: object = None,
    actual: object = None,
    on: "IdsOfSides | None" = None,
    gates: Sequence[str] = (),
    root: str | Path | None = None,
) -> Plan:
    """Compile a suite to a plan, or raise ConfigError with all problems of the suite and its cases, as `fieldwise check` reports them.

    `cases`, `expected`, `actual` and `on` replace the suite's data, as in `run`. The cases of iterators and of standard input are not
    checked: they can be read only once.
    """
    plan = compile_suite(suite, cases=cases, expected=expected, actual=actual, on=on, gates=gates, root=root)
    if plan.source is not None and plan.source.is_rereadable:
        survey = survey_cases(plan)
        if not survey.is_runnable:
            raise ConfigError(survey.errors or [Diagnostic(code="no-cases", what="there are no cases", where=Where(file=plan.file))])
    return plan


def survey_cases(plan: Plan) -> SuiteCheck:
    """Read the cases of a plan once, without scoring them."""
    source = plan.source
    assert source is not None
    reasons: dict[str, str] = {}
    rules = [written.rule for written in list_written_rules(plan)]
    if needs_inferred_rules(plan):
        plan, reasons = _add_inferred_rules(plan, infer_rules(read_cases(source, chunk=256), source))
    correction_problems: list[Diagnostic] = []
    if source.corrections is not None:
        _, correction_problems = check_corrections(read_cases(replace(source, corrections=None)), source.corrections)
    reader = read_cases(source, chunk=256)
    counts, case_diagnostics = Counter[str](), list[Diagnostic]()
    survey = PathSurvey(rules, list_item_paths(plan), list_output_fields(plan), list_written_keys(plan))
    redactions = RedactionSurvey(() if plan.redact is None else plan.redact.paths)
    for cases in reader:
        _count_cases(cases, counts)
        for diagnostics in cases.diagnostics.values():
            case_diagnostics += diagnostics
        survey.add(cases)
        redactions.add(cases)
    rule_diagnostics: list[Diagnostic] = []
    if survey.records:
        rule_diagnostics = [report_absent_path(plan, rule, survey) for rule in survey.absent]
        rule_diagnostics += report_missing_fields(plan, rules, survey.present, survey.records)
    if survey.has_outputs:
        rule_diagnostics += report_absent_output_fields(plan, survey)
    if survey.has_records:
        rule_diagnostics += report_absent_keys(plan, survey)
    if counts["cases"]:
        rule_diagnostics += redactions.list_problems(plan.file)
    missing_sides = require_sides(plan, reader.diagnostics)
    missing_codes = {diagnostic.code for diagnostic in missing_sides}
    reader_diagnostics = [diagnostic for diagnostic in reader.diagnostics if diagnostic.code not in missing_codes]
    rule_diagnostics = add_rule_lines(plan, rule_diagnostics)
    plan_diagnostics = [_require_path(diagnostic) for diagnostic in plan.diagnostics]
    diagnostics = [*plan_diagnostics, *correction_problems, *missing_sides, *reader_diagnostics, *case_diagnostics, *rule_diagnostics]
    return SuiteCheck(plan=plan, counts=counts, reasons=reasons, diagnostics=diagnostics)


def _require_path(diagnostic: Diagnostic) -> Diagnostic:
    """A malformed path as an error: a run would miss it in every case, and is then incomplete."""
    return replace(diagnostic, level="error") if diagnostic.code == MALFORMED_PATH else diagnostic


def _add_inferred_rules(plan: Plan, inferred: "InferredRules") -> tuple[Plan, dict[str, str]]:
    """Give inferred rules to evaluators that have none; also return the reason for each rule."""
    evaluators: list[PlannedEvaluator] = []
    for evaluator in plan.evaluators:
        if isinstance(evaluator.config, InfersRules) and evaluator.config.needs_rules():
            config = evaluator.config.with_rules(inferred.rules, inferred.lists)
            evaluator = replace(evaluator, config=config, has_inferred_rules=True)
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
