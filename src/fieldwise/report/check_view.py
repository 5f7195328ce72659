"""What a check of a suite found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from rich.console import RenderableType

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.model.rule import FieldRule
from fieldwise.report.diagnostics import diagnostics_section
from fieldwise.report.parts import BAD, DIM, NOTE, OK, TITLE, grid, joined, plural, section, stack, text
from fieldwise.report.safe import json_text, middle, safe
from fieldwise.report.view import Show
from fieldwise.summarize.rule_text import rule_text

MOST_RULES: Final = 40
MOST_SLICES: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """A plan with what reading its cases showed."""

    plan: Plan
    counts: Mapping[str, int]
    """`cases`, how many of them have each role, and `tag …`, `split …`."""
    reasons: Mapping[str, str] = field(default_factory=dict[str, str])
    """Path → why its rule was inferred."""
    diagnostics: Sequence[Diagnostic] = ()

    @property
    def fine(self) -> bool:
        """Whether a run would be one worth having: no errors, and some cases."""
        return bool(self.counts.get("cases")) and not any(one.level == "error" for one in self.diagnostics)


def check_report(survey: Survey, show: Show) -> RenderableType:
    """What a run would do, and what is wrong."""
    plan, count = survey.plan, survey.counts.get("cases", 0)
    errors = sum(one.level == "error" for one in survey.diagnostics)
    if survey.fine:
        verdict = text(("✓ ", OK), (plan.name, TITLE), f" can run: {plural(count, 'case')}, {plural(len(plan.evaluators), 'evaluator')}")
    else:
        verdict = text(("✗ ", BAD), (plan.name, TITLE), f": {plural(errors, 'problem') if errors else 'there are no cases'}")
    gates = [text(str(gate)) for gate in plan.gates] or [text(("no gate is set", NOTE))]
    return stack(
        verdict,
        section("Cases", *_cases(survey)),
        *(_evaluator(one, survey, show) for one in plan.evaluators),
        section("Gates", *gates),
        diagnostics_section(survey.diagnostics, everything=show.everything),
    )


def _cases(survey: Survey) -> list[RenderableType]:
    source = survey.plan.source
    where = "" if source is None else joined((source.cases or "", source.expected or "", source.actual or ""), "  ")
    lines: list[RenderableType] = [text((where, DIM))]
    roles = ("expected", "actual", "input", "contexts", "several outputs")
    lines.append(text(joined(f"{survey.counts[role]:,} with {role}" for role in roles if survey.counts.get(role))))
    for kind in ("split", "tag"):
        found = [(name.removeprefix(f"{kind} "), count) for name, count in survey.counts.items() if name.startswith(f"{kind} ")]
        if found:
            told = joined((f"{name} {count}" for name, count in found[:MOST_SLICES]), ", ")
            more = f" and {len(found) - MOST_SLICES} more" if len(found) > MOST_SLICES else ""
            lines.append(text((f"{kind}s: ", DIM), told + more))
    return lines


def _evaluator(one: PlannedEvaluator, survey: Survey, show: Show) -> RenderableType:
    title = one.name if one.name == one.type else f"{one.name} ({one.type})"
    notes = [f"passes at {one.pass_at:g}" if one.pass_at is not None else "", "for some cases (when)" if one.when else ""]
    rules: Sequence[FieldRule] = getattr(one.config, "fields", ())
    table = grid({"max_width": 44}, {"max_width": 30}, {}, {"max_width": max(show.width - 84, 12)})
    shown = rules if show.everything else rules[:MOST_RULES]
    for rule in shown:
        why = survey.reasons.get(rule.text, "")
        extras = joined((f"weight {rule.weight:g}" if rule.weight != 1 else "", "optional" if rule.required is False else ""))
        table.add_row(
            text(middle(safe(rule.text), 44)), text((rule_text(rule), DIM)), text(extras), text((f"because {why}" if why else "", DIM))
        )
    more = text((f"and {len(rules) - len(shown)} more (--all)", DIM)) if len(rules) > len(shown) else None
    note = joined(notes)
    return section(title, text((note, DIM)) if note else None, table if rules else None, more)


def check_json(survey: Survey) -> str:
    """The same for programs."""
    evaluators: list[dict[str, Any]] = [
        {
            "name": one.name,
            "type": one.type,
            "fields": [{"path": rule.text, "rule": rule_text(rule), "weight": rule.weight} for rule in getattr(one.config, "fields", ())],
        }
        for one in survey.plan.evaluators
    ]
    return json_text(
        {
            "fine": survey.fine,
            "name": survey.plan.name,
            "counts": dict(survey.counts),
            "evaluators": evaluators,
            "gates": [str(gate) for gate in survey.plan.gates],
            "diagnostics": [one.to_json() for one in survey.diagnostics],
        }
    )
