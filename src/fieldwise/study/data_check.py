"""Problems of a suite's data that a study of the suite must report as `run` does: it must not exit 0 over data that `run` refuses."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from fieldwise.engines.run_totals import RunTotals
from fieldwise.engines.run_warnings import warn_unread_values
from fieldwise.model.comparison import ComparisonTable
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.plan import Plan
from fieldwise.plan.needed_sides import NO_COLUMN
from fieldwise.store.comparison_table import add_unread
from fieldwise.suite_check import survey_cases
from fieldwise.summarize.exit_code import EMPTY_FILE
from fieldwise.summarize.rule_text import rule_texts

_UNREADABLE_CODES: Final = ("unreadable-case", "unreadable-expected")
"""Problems of single cases that leave a run incomplete. An unreadable output is an error of the system under test, and measured."""


def require_usable_data(plan: Plan, command: str, *, needs_actual: bool = True) -> list[Diagnostic]:
    """Raise ConfigError for the problems that `run` and `check` refuse: of corrections, ids, columns and the paths of rules.

    Returns the problems of single cases that cannot be read: they leave the study incomplete. No case at all is no problem here.
    """
    source = plan.source
    assert source is not None  # `compile_suite` refuses a suite without cases
    if not source.is_rereadable:
        name = "standard input" if source.cases == "-" else "an iterator"
        what, fix = f"{command} reads the cases more than once, and {name} can be read once", "put the cases in a file"
        raise ConfigError([Diagnostic(code="no-cases", what=what, where=Where(file=plan.file), fix=fix)])
    corrections_file = None if source.corrections is None else source.corrections.file
    tolerated = {EMPTY_FILE} if needs_actual else {EMPTY_FILE, NO_COLUMN["actual"]}
    problems: list[Diagnostic] = []
    unreadable: list[Diagnostic] = []
    for problem in survey_cases(plan).errors:
        if plan.redact is not None:
            problem = plan.redact.redact_diagnostic(problem)
        is_correction = corrections_file is not None and problem.where.file == corrections_file
        if problem.code in _UNREADABLE_CODES:
            unreadable.append(problem)
        elif (problem.where.case is None or is_correction) and problem.code not in tolerated:
            problems.append(replace(problem, level="error"))
    if problems:
        raise ConfigError(problems)
    return unreadable


def require_readable_values(plan: Plan, comparisons: Iterable[tuple[str, ComparisonTable | None]]) -> None:
    """Raise ConfigError for rules whose match can read none of the expected values, from the comparisons by name of the evaluator."""
    totals = RunTotals(plan.evaluators)
    for evaluator, table in comparisons:
        if table is None or not table.unread:
            continue
        fields = list(zip(table.fields, rule_texts(table.rules), strict=True))
        unread = totals.unread.setdefault(evaluator, {})
        for field, counts in table.unread.items():
            add_unread(unread, {fields[field]: counts})
    problems = [problem for problem in warn_unread_values(plan, totals) if problem.level == "error"]
    if problems:
        raise ConfigError(problems if plan.redact is None else map(plan.redact.redact_diagnostic, problems))
