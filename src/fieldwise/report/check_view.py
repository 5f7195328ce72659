"""The report of `fieldwise check`: what a run of the suite would do, and what is wrong."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from rich.console import RenderableType
from rich.table import Table

from fieldwise.dataclass import dataclass
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.model.rule import FieldRule
from fieldwise.report.terminal_layout import (
    BAD,
    DIM,
    NOTE,
    OK,
    TITLE,
    DisplayOptions,
    build_diagnostics_section,
    make_grid,
    make_section,
    stack_parts,
    styled_text,
)
from fieldwise.report.text_format import choose_shortener, dump_json, format_count, join_nonempty, make_visible
from fieldwise.summarize.rule_text import rule_text

MAX_RULES: Final = 40
MAX_SLICES: Final = 8
_ROLES: Final = ("expected", "actual", "input", "contexts", "several outputs")
_PATH_WIDTH: Final = 44
_MATCH_WIDTH: Final = 30
_MIN_REASON_WIDTH: Final = 24
_MARGINS: Final = 8
"""Indentation, and the spaces between the columns of rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteCheck:
    """A plan and what reading its cases showed."""

    plan: Plan
    counts: Mapping[str, int]
    """Number of `cases`, of cases with each role, and of cases with each `tag …` and `split …`."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Path → why its rule was inferred."""
    diagnostics: Sequence[Diagnostic] = ()

    @property
    def is_runnable(self) -> bool:
        """True if there are cases and no errors."""
        return bool(self.counts.get("cases")) and not self.errors

    @property
    def errors(self) -> list[Diagnostic]:
        """The problems that keep the suite from running."""
        return [problem for problem in self.diagnostics if problem.level == "error"]


def build_check_report(check: SuiteCheck, display: DisplayOptions) -> RenderableType:
    """Build the whole report."""
    plan = check.plan
    if check.is_runnable:
        cases, evaluators = format_count(check.counts.get("cases", 0), "case"), format_count(len(plan.evaluators), "evaluator")
        verdict = styled_text(("✓ ", OK), (plan.name, TITLE), f" can run: {cases}, {evaluators}")
    else:
        problem = format_count(len(check.errors), "problem") if check.errors else "there are no cases"
        verdict = styled_text(("✗ ", BAD), (plan.name, TITLE), f": {problem}")
    gates = [styled_text(str(gate)) for gate in (*plan.gates, *plan.regressions)] or [styled_text(("no gate is set", NOTE))]
    return stack_parts(
        verdict,
        make_section("Cases", *_build_cases(check)),
        *(_build_evaluator(evaluator, check, display) for evaluator in plan.evaluators),
        make_section("Gates", *gates),
        build_diagnostics_section(check.diagnostics, everything=display.everything),
    )


def _build_cases(check: SuiteCheck) -> list[RenderableType]:
    source = check.plan.source
    files = "" if source is None else join_nonempty((source.cases or "", source.expected or "", source.actual or ""), "  ")
    roles = join_nonempty(f"{check.counts[role]:,} with {role}" for role in _ROLES if check.counts.get(role))
    lines: list[RenderableType] = [styled_text((files, DIM)), styled_text(roles)]
    for kind in ("split", "tag"):
        prefix = f"{kind} "
        slices = [f"{name.removeprefix(prefix)} {count}" for name, count in check.counts.items() if name.startswith(prefix)]
        if slices:
            more = f" and {len(slices) - MAX_SLICES} more" if len(slices) > MAX_SLICES else ""
            lines.append(styled_text((f"{kind}s: ", DIM), ", ".join(slices[:MAX_SLICES]) + more))
    return lines


def _build_evaluator(evaluator: PlannedEvaluator, check: SuiteCheck, display: DisplayOptions) -> RenderableType:
    title = evaluator.name if evaluator.name == evaluator.type else f"{evaluator.name} ({evaluator.type})"
    pass_at = "" if evaluator.pass_at is None else f"passes at {evaluator.pass_at:g}"
    note = join_nonempty([pass_at, "for some cases (when)" if evaluator.when else ""])
    rules: Sequence[FieldRule] = getattr(evaluator.config, "fields", ())
    shown = rules if display.everything else rules[:MAX_RULES]
    more = styled_text((f"and {len(rules) - len(shown)} more (--all)", DIM)) if len(rules) > len(shown) else None
    table = _build_rules(shown, check.reasons, display) if rules else None
    return make_section(title, styled_text((note, DIM)) if note else None, table, more)


def _build_rules(rules: Sequence[FieldRule], reasons: Mapping[str, str], display: DisplayOptions) -> Table:
    """A row for each rule; the reason of an inferred rule is left out where there is too little room for it."""
    paths = [make_visible(rule.text) for rule in rules]
    matches = [rule_text(rule) for rule in rules]
    notes = [_describe_weight(rule) for rule in rules]
    match_width = min(max(map(len, matches)), _MATCH_WIDTH)
    room = display.width - match_width - max(map(len, notes)) - _MARGINS
    path_width = min(max(map(len, paths)), _PATH_WIDTH, room)
    reason_width = room - path_width
    has_reasons = reason_width >= _MIN_REASON_WIDTH and any(rule.text in reasons for rule in rules)
    shorten_path = choose_shortener(paths, path_width)
    table = make_grid({"width": path_width}, {"width": match_width}, {}, *([{"max_width": reason_width}] if has_reasons else []))
    for rule, path, match, note in zip(rules, paths, matches, notes, strict=True):
        cells = [styled_text(shorten_path(path, path_width)), styled_text((match, DIM)), styled_text(note)]
        if has_reasons:
            cells.append(styled_text((f"because {reasons[rule.text]}" if rule.text in reasons else "", DIM)))
        table.add_row(*cells)
    return table


def _describe_weight(rule: FieldRule) -> str:
    weight = f"weight {rule.weight:g}" if rule.weight != 1 else ""
    return join_nonempty((weight, "optional" if rule.required is False else ""))


def render_check_json(check: SuiteCheck) -> str:
    """Render the check as a JSON object."""
    return dump_json(
        {
            "fine": check.is_runnable,
            "name": check.plan.name,
            "counts": dict(check.counts),
            "evaluators": [_evaluator_to_json(evaluator) for evaluator in check.plan.evaluators],
            "gates": [str(gate) for gate in (*check.plan.gates, *check.plan.regressions)],
            "diagnostics": [diagnostic.to_json() for diagnostic in check.diagnostics],
        }
    )


def render_check_errors_json(diagnostics: Iterable[Diagnostic]) -> str:
    """Render the problems of a suite that cannot be compiled, in the form of a check."""
    problems = [diagnostic.to_json() for diagnostic in diagnostics]
    return dump_json({"fine": False, "name": None, "counts": {}, "evaluators": [], "gates": [], "diagnostics": problems})


def _evaluator_to_json(evaluator: PlannedEvaluator) -> dict[str, Any]:
    rules: Sequence[FieldRule] = getattr(evaluator.config, "fields", ())
    fields = [{"path": rule.text, "rule": rule_text(rule), "weight": rule.weight} for rule in rules]
    return {"name": evaluator.name, "type": evaluator.type, "fields": fields}
