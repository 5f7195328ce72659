"""The number of cases that detect a drop, for terminals."""

from rich.console import RenderableType

from fieldwise.report.terminal_layout import DIM, OK, TITLE, draw_bar, make_grid, make_section, stack_parts, styled_text
from fieldwise.report.text_format import format_count
from fieldwise.summarize.sample_size import PowerPlan


def build_power_report(plan: PowerPlan, subject: str) -> RenderableType:
    """Show the cases needed, a table of other drops, and the power of other numbers of cases. `subject` is the metric and its run."""
    confidence = f"{plan.power:.0%} power at {plan.confidence:.0%} confidence".replace("%", " %")
    if plan.cases is None:
        answer = f"No affordable number of cases detects a drop of {plan.drop:g} with {confidence}."
    else:
        answer = f"{_count_cases(plan.cases, plan.groups)} detect a drop of {plan.drop:g} with {confidence}."
    lines = [styled_text((subject, DIM)), styled_text((answer, TITLE))]
    if plan.detectable is not None and plan.measured_cases is not None:
        measured = _count_cases(plan.measured_cases, plan.measured_groups)
        lines.append(styled_text(f"The {measured} of this run detect a drop of {plan.detectable:.3f} or more."))
    if plan.assumptions:
        lines.append(styled_text((f"Assumed: {'; '.join(plan.assumptions)}.", DIM)))
    return stack_parts(*lines, _build_table(plan), _build_curve(plan) if plan.curve else None)


def _count_cases(cases: int, groups: int | None) -> str:
    text = format_count(cases, "case")
    return text if groups is None else f"{text} in {format_count(groups, 'group')}"


def _build_table(plan: PowerPlan) -> RenderableType:
    has_groups = any(row.groups is not None for row in plan.table)
    heads = ["drop", "cases", *(["groups"] if has_groups else [])]
    table = make_grid(*({"header": head, "justify": "right"} for head in heads), heads=True)
    for row in plan.table:
        style = TITLE if row.drop == plan.drop else DIM
        cells = [f"{row.drop:.3g}", "–" if row.cases is None else f"{row.cases:,}"]
        if has_groups:
            cells.append("–" if row.groups is None else f"{row.groups:,}")
        table.add_row(*(styled_text((cell, style)) for cell in cells))
    return make_section("Cases needed for other drops", table)


def _build_curve(plan: PowerPlan) -> RenderableType:
    table = make_grid({"header": "cases", "justify": "right"}, {"header": "power", "justify": "right"}, {}, heads=True)
    for point in plan.curve:
        table.add_row(styled_text(f"{point.cases:,}"), styled_text(f"{point.power:.0%}".replace("%", " %")), draw_bar(point.power, OK, 40))
    return make_section(f"Power to detect a drop of {plan.drop:g}", table)
