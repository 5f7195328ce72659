"""The result of mutation testing, for terminals and as a self-contained HTML page."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import isnan
from typing import Any, Final

from rich.console import RenderableType
from rich.text import Text

from fieldwise import __version__
from fieldwise.model.mutation import MutantCount, MutationReport, RuleSuggestion, Survivor
from fieldwise.model.values import MISSING, Value
from fieldwise.report.html import get_environment, make_content_policy, read_static
from fieldwise.report.terminal_layout import (
    COMMAND,
    DIM,
    NOTE,
    DisplayOptions,
    build_diagnostics_section,
    draw_bar,
    make_grid,
    make_section,
    pass_mark,
    score_style,
    stack_parts,
    styled_text,
)
from fieldwise.report.text_format import choose_shortener, format_count, format_value, make_visible, truncate, truncate_start

MAX_FIELDS, MAX_SURVIVORS, MAX_SUGGESTIONS = 20, 15, 12
_MAX_CORRUPTIONS: Final = 4
_VALUE_LENGTH: Final = 30
_LENGTH_BEFORE_DIFFERENCE: Final = 12
_MAX_SURVIVORS_OF_PAGE: Final = 200
_PLAIN_SCALAR: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_YAML_KEYWORDS: Final = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))


def format_share(share: float) -> str:
    """A share in percent, rounded down, so that a survivor is never hidden by 100 %.

    >>> format_share(0.9996), format_share(1.0), format_share(0.5)
    ('99.9 %', '100 %', '50 %')
    """
    return f"{int(share * 1000 + 1e-9) / 10:g} %" if not isnan(share) else "–"


def format_rule(rule: Mapping[str, Any]) -> str:
    """A rule as one line of YAML.

    >>> format_rule({"path": "items[*].sku", "match": "fuzzy", "threshold": 0.9, "required": True})
    '{path: "items[*].sku", match: fuzzy, threshold: 0.9, required: true}'
    """
    return "{" + ", ".join(f"{key}: {_format_scalar(value)}" for key, value in rule.items()) + "}"


def _format_scalar(value: Any) -> str:
    if isinstance(value, str) and _PLAIN_SCALAR.fullmatch(value) and value.lower() not in _YAML_KEYWORDS:
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def build_mutation_report(report: MutationReport, display: DisplayOptions) -> RenderableType:
    """Show the share of mutants that are killed, what survives in which field, and the changes of rules that would kill it."""
    total = report.total
    if not total.mutants:
        return stack_parts(styled_text("No value to corrupt: no case has an expected record."), *_build_notes(report, display))
    style = score_style(total.share)
    head = styled_text((f"{format_share(total.share)} killed", style), f"   {total.killed:,} of {total.mutants:,} mutants")
    facts = f"{report.suite or 'unnamed suite'}, {format_count(report.cases, 'case')}, {report.equivalent:,} equivalent left out"
    return stack_parts(
        head,
        styled_text((facts, DIM)),
        _build_evaluators(report) if len(report.by_evaluator) > 1 else None,
        _build_fields(report, display),
        _build_survivors(report, display),
        _build_suggestions(report, display),
        _build_gates(report),
        *_build_notes(report, display),
    )


def _build_evaluators(report: MutationReport) -> RenderableType:
    table = make_grid({}, {"justify": "right"}, {})
    for name, count in report.by_evaluator.items():
        table.add_row(styled_text(name), styled_text(f"{count.killed:,}"), styled_text((f"of {count.mutants:,}", DIM)))
    return make_section("Killed by each evaluator, of what those before it left", table)


def _build_fields(report: MutationReport, display: DisplayOptions) -> RenderableType:
    with_survivors = [(name, count) for name, count in report.by_field.items() if count.survived]
    with_survivors.sort(key=lambda entry: -entry[1].survived)
    shown = with_survivors if display.everything else with_survivors[:MAX_FIELDS]
    if not shown:
        return make_section("Fields", styled_text("Every mutant of every field is killed."))
    table = make_grid(
        {"header": "field"}, {"header": "killed", "justify": "right"}, {}, {"header": "survives", "no_wrap": False}, heads=True
    )
    name_width = 40 if display.width >= 100 else 28
    shorten_name = choose_shortener([make_visible(name) for name, _ in shown], name_width)
    for name, count in shown:
        short_name = styled_text(shorten_name(make_visible(name), name_width))
        style = score_style(count.share)
        share = styled_text((format_share(count.share), style))
        table.add_row(short_name, share, draw_bar(count.share, style), _name_corruptions(report, name))
    rest: list[str] = []
    if len(shown) < len(with_survivors):
        rest.append(f"{format_count(len(with_survivors) - len(shown), 'field')} more with survivors: --all")
    if len(with_survivors) < len(report.by_field):
        rest.append(f"{format_count(len(report.by_field) - len(with_survivors), 'field')} without a survivor")
    return make_section("Fields with survivors", table, *(styled_text((line, DIM)) for line in rest))


def _name_corruptions(report: MutationReport, field: str) -> Text:
    counts = [(report.labels[name], count) for (own_field, name), count in report.cells.items() if own_field == field and count.survived]
    counts.sort(key=lambda entry: -entry[1].survived)
    parts = [f"{label} {count.survived}/{count.mutants}" for label, count in counts[:_MAX_CORRUPTIONS]]
    if len(counts) > _MAX_CORRUPTIONS:
        parts.append(f"{len(counts) - _MAX_CORRUPTIONS} more")
    return styled_text((", ".join(parts), DIM))


def _build_survivors(report: MutationReport, display: DisplayOptions) -> RenderableType | None:
    chosen = list(report.survivors) if display.everything else choose_survivors(report, MAX_SURVIVORS)
    if not chosen:
        return None
    # Values keep enough room to show where they differ: a narrow window leaves out the case.
    is_narrow = display.width < 110
    path_width, corruption_width = (20, 18) if is_narrow else (26, 24)
    value_length = min((display.width - path_width - corruption_width - 11 - (0 if is_narrow else 16)) // 2, _VALUE_LENGTH)
    table = make_grid(
        *([] if is_narrow else [{"header": "case", "max_width": 14}]),
        {"header": "path", "max_width": path_width},
        {"header": "corruption", "max_width": corruption_width},
        {"header": "expected", "max_width": value_length},
        {},
        {"header": "mutant", "max_width": value_length},
        heads=True,
    )
    for survivor in chosen:
        expected, mutant = show_pair(survivor, value_length)
        table.add_row(
            *([] if is_narrow else [styled_text((truncate(survivor.case, 14), DIM))]),
            styled_text(truncate_start(survivor.path, path_width)),
            styled_text((report.labels[survivor.corruption], DIM)),
            styled_text(expected),
            styled_text(("→", DIM)),
            styled_text(mutant),
        )
    return make_section("Survivors, for example", table)


def choose_survivors(report: MutationReport, limit: int) -> list[Survivor]:
    """One survivor of each field and corruption: those with most survivors first, and the fields in turn."""
    firsts: dict[tuple[str, str], Survivor] = {}
    for survivor in report.survivors:
        firsts.setdefault((survivor.field, survivor.corruption), survivor)
    by_count = sorted(firsts.values(), key=lambda survivor: -report.cells[survivor.field, survivor.corruption].survived)
    turns: dict[str, int] = {}
    ranked: list[tuple[int, int, Survivor]] = []
    for place, survivor in enumerate(by_count):
        turns[survivor.field] = turns.get(survivor.field, 0) + 1
        ranked.append((turns[survivor.field], place, survivor))
    ranked.sort(key=lambda entry: entry[:2])
    return [survivor for _, _, survivor in ranked[:limit]]


def show_pair(survivor: Survivor, limit: int = _VALUE_LENGTH) -> tuple[str, str]:
    """The expected value and the mutant in at most `limit` characters each; long texts from where they begin to differ."""
    expected, mutant = survivor.expected, survivor.mutant
    if isinstance(expected, str) and isinstance(mutant, str) and len(expected) > limit:
        equal = takewhile(lambda pair: pair[0] == pair[1], zip(expected, mutant, strict=False))
        common = sum(1 for _ in equal) - _LENGTH_BEFORE_DIFFERENCE
        if common > 0:
            expected, mutant = f"…{expected[common:]}", f"…{mutant[common:]}"
    return _show_value(expected, limit), _show_value(mutant, limit)


def _show_value(value: Value, limit: int) -> str:
    return "(absent)" if value is MISSING else truncate(make_visible(format_value(value)), limit)


def _build_suggestions(report: MutationReport, display: DisplayOptions) -> RenderableType | None:
    shown = report.suggestions if display.everything else report.suggestions[:MAX_SUGGESTIONS]
    if not shown:
        return None
    lines: list[RenderableType] = []
    for suggestion in shown:
        lines.append(styled_text((format_rule(suggestion.rule), COMMAND)))
        lines.append(styled_text((f"  {describe_suggestion(suggestion)}", DIM)))
    if len(shown) < len(report.suggestions):
        lines.append(styled_text((f"{len(report.suggestions) - len(shown)} more: --all", DIM)))
    return make_section("Rules that would kill them", *lines)


def describe_suggestion(suggestion: RuleSuggestion) -> str:
    """What a suggestion kills, what it costs, and what it replaces."""
    is_in_list = "align" in suggestion.rule or "[*]" in str(suggestion.rule["path"])
    survivors = format_count(suggestion.survivors, "survivor") + (" of its list" if is_in_list else "")
    parts = [f"kills {suggestion.kills:,} of {survivors}"]
    if suggestion.newly_failing is not None:
        cases = format_count(suggestion.newly_failing, "case") if suggestion.newly_failing else "no case"
        parts.append(f"{cases} of the real data would newly fail")
    if "align" in suggestion.rule:
        parts.append("an entry of `lists`")
    else:
        parts.append(f"in place of `{suggestion.replaces}`" if suggestion.replaces else "the field has no rule")
    return "; ".join(parts)


def _build_gates(report: MutationReport) -> RenderableType:
    if not report.gates:
        return make_section(
            "Gate", styled_text(("No gate on mutants is set: --gate 'mutants.killed >= 0.95', or `gate` in the suite.", DIM))
        )
    return make_section("Gate", *(styled_text(pass_mark(gate.passed), " ", gate.message) for gate in report.gates))


def _build_notes(report: MutationReport, display: DisplayOptions) -> Sequence[RenderableType]:
    infos = [note for note in report.diagnostics if note.level == "info"]
    problems = [note for note in report.diagnostics if note.level != "info"]
    parts: list[RenderableType] = [styled_text(("! ", NOTE), note.what) for note in infos]
    if problems:
        section = build_diagnostics_section(problems, everything=display.everything)
        parts += [] if section is None else [section]
    return parts


@dataclass(frozen=True, slots=True)
class _HeatCell:
    """A field and a corruption, for the heatmap."""

    count: MutantCount | None
    state: str
    title: str


def render_mutation_html(report: MutationReport) -> str:
    """Render the report as a self-contained page with a heatmap of fields by corruptions."""
    script = read_static("report.js")
    corruptions = sorted(report.by_corruption, key=lambda name: (report.by_corruption[name].share, name))
    rows = [(field, [_make_cell(report, field, name) for name in corruptions], count) for field, count in report.by_field.items()]
    survivors = [
        (survivor, report.labels[survivor.corruption], *show_pair(survivor))
        for survivor in choose_survivors(report, _MAX_SURVIVORS_OF_PAGE)
    ]
    environment = get_environment()
    return environment.get_template("mutation.html").render(
        report=report,
        corruptions=[(name, report.labels[name], report.by_corruption[name]) for name in corruptions],
        rows=rows,
        survivors=survivors,
        suggestions=[(format_rule(suggestion.rule), describe_suggestion(suggestion)) for suggestion in report.suggestions],
        share=format_share,
        notes=[note.what for note in report.diagnostics],
        style=read_static("report.css"),
        script=script,
        policy=make_content_policy(script),
        version=__version__,
    )


def _make_cell(report: MutationReport, field: str, corruption: str) -> _HeatCell:
    count = report.cells.get((field, corruption))
    label = report.labels[corruption]
    if count is None:
        return _HeatCell(None, "both_absent", f"{field}, {label}: no mutant")
    state = "match"
    if count.survived:
        state = "partly" if count.killed else "wrong_value"
    return _HeatCell(count, state, f"{field}, {label}: {count.killed} of {count.mutants} killed")
