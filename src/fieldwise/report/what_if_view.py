"""A stored run under other options, for terminals."""

from typing import TYPE_CHECKING, Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from fieldwise.report.terminal_layout import (
    BAD,
    DIM,
    NOTE,
    OK,
    TITLE,
    WRAPPED,
    DisplayOptions,
    indent,
    make_grid,
    make_section,
    pass_mark,
    stack_parts,
    styled_text,
)
from fieldwise.report.text_format import format_change, format_count, format_value, truncate, truncate_middle

if TYPE_CHECKING:
    from fieldwise.model.summary import GateResult
    from fieldwise.study.agreed_threshold import AgreedLimit
    from fieldwise.study.what_if import Flip, WhatIf

_MAX_FLIPS: Final = 12
_VALUE_LENGTH: Final = 36


def build_what_if_page(answer: "WhatIf", display: DisplayOptions) -> RenderableType:
    """Show the settings, the metrics and gates before and after, and the comparisons that flip."""
    lines: list[RenderableType | None] = [styled_text((f"run {answer.run}", DIM))]
    for setting in answer.settings:
        before = "not written" if setting.before is None else format_value(setting.before)
        owner = ".".join(filter(None, (setting.evaluator or "gate", setting.field, setting.option)))
        lines.append(styled_text((owner, TITLE), f"  {before} → {format_value(setting.after)}"))
    lines.append(make_section("Metrics", _build_metrics(answer)) if answer.metrics else None)
    lines.append(make_section("Gates", _build_gates(answer)) if answer.gates else None)
    lines.append(_build_flips(answer, display))
    lines.append(make_section("People", *map(_build_limit, answer.agreed)) if answer.agreed else None)
    lines += [styled_text((f"not recomputed: {text}", NOTE)) for text in answer.not_recomputed]
    return stack_parts(*lines)


def _build_metrics(answer: "WhatIf") -> Table:
    table = make_grid(
        {"header": "metric", **WRAPPED}, *({"header": head, "justify": "right"} for head in ("before", "after", "change")), heads=True
    )
    for name, before, after in answer.metrics:
        is_changed = before != after
        change = format_change(after - before) if before is not None and after is not None and is_changed else ""
        cells = [name, _format_metric(before), _format_metric(after), change]
        table.add_row(*(styled_text((cell, TITLE if is_changed else DIM)) for cell in cells))
    return table


def _format_metric(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _build_gates(answer: "WhatIf") -> Table:
    table = make_grid({"header": "gate", **WRAPPED}, {"header": "before"}, {"header": "after"}, heads=True)
    for change in answer.gates:
        table.add_row(styled_text(change.gate), _describe_gate(change.before, change.gate), _describe_gate(change.after, change.gate))
    return table


def _describe_gate(result: "GateResult | None", gate: str) -> Text:
    if result is None:
        return styled_text(("–", DIM))
    value = "not measured" if result.value is None else f"{result.value:.4f}"
    if result.gate != gate:
        value += f"; {result.gate}"
    return styled_text((f"{'holds' if result.passed else 'fails'} ({value})", OK if result.passed else BAD))


def _build_limit(limit: "AgreedLimit") -> Text:
    """What the decisions of a review say about a threshold or tolerance."""
    name = f"{limit.evaluator}.{limit.field}.{limit.option}"
    if limit.value is None:
        return styled_text(f"{name}: {limit.note}")
    interval = f"95 % interval [{limit.low:.4g}, {limit.high:.4g}]"
    shares = [f"{share:.0%}".replace("%", " %") for share in (limit.agreement or 0.0, limit.current_agreement or 0.0)]
    agreement = f"agrees with {shares[0]} of {format_count(limit.decisions, 'decision')}, the run with {shares[1]}"
    return styled_text((f"{name} = {limit.value:.4g}", TITLE), f"  {interval}; {agreement}")


def _build_flips(answer: "WhatIf", display: DisplayOptions) -> RenderableType:
    passing = sum(flip.comparison.passed for flip in answer.flips)
    cases = format_count(len(answer.cases), "case changes", "cases change")
    counts = f"{format_count(passing, 'comparison')} now pass, {len(answer.flips) - passing} now fail; {cases} in score or verdict"
    shown = answer.flips if display.everything else answer.flips[:_MAX_FLIPS]
    rows: list[RenderableType] = [indent(_build_flip(flip)) for flip in shown]
    rest = len(answer.flips) - len(shown)
    more = indent(styled_text((f"and {rest} more (--all shows them)", DIM))) if rest else None
    return make_section("Comparisons that flip", styled_text(counts), *rows, more)


def _build_flip(flip: "Flip") -> Text:
    comparison = flip.comparison
    values = [truncate(format_value(value), _VALUE_LENGTH) for value in (comparison.expected, comparison.actual)]
    measured = f"  similarity {comparison.similarity:.3f}" if comparison.similarity not in (None, 0.0, 1.0) else ""
    if flip.distance is not None and flip.distance != float("inf"):
        measured = f"  distance {flip.distance:.6g}"
    where = f" {truncate_middle(flip.case, 30)}  {truncate_middle(comparison.path, 40)}"
    return styled_text(pass_mark(comparison.passed), where, (f"  {values[0]} → {values[1]}", DIM), (measured, DIM))
