"""Agreement between systems and suspect expected values, for terminals."""

from typing import TYPE_CHECKING, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fieldwise.report.result_text import describe_cause
from fieldwise.report.terminal_layout import (
    BAD,
    DIM,
    NOTE,
    OK,
    TITLE,
    DisplayOptions,
    build_command_line,
    build_diagnostics_section,
    indent,
    make_grid,
    make_section,
    stack_parts,
    styled_text,
)
from fieldwise.report.text_format import format_count, format_value, make_visible, truncate

if TYPE_CHECKING:
    from fieldwise.study.doubts import DoubtReport, SuspectLabel, SystemAgreement

MAX_SUSPECTS: Final = 20
_VALUE_LENGTH: Final = 60


def build_doubt_report(report: "DoubtReport", display: DisplayOptions, *, proposes_next: bool = True) -> RenderableType:
    """Show the agreement of each system with the others, and the expected values that systems contradict."""
    systems = format_count(len(report.agreement), "system")
    facts = f"{systems} · {format_count(report.cases, 'case')} in common · {report.labels:,} expected values · rules of {report.evaluator}"
    return stack_parts(
        styled_text(("Agreement between systems", TITLE), ("  " + facts, DIM)),
        styled_text(report.describe()),
        make_section("Agreement as confidence", _build_agreement(report)),
        make_section("Expected values that agreeing systems contradict", _build_suspects(report, display)),
        build_diagnostics_section(report.diagnostics, everything=display.everything),
        _build_next(report, display) if proposes_next else None,
    )


def _build_agreement(report: "DoubtReport") -> RenderableType:
    heads = ("system", "values", "right", "others agreeing", "values", "right")
    table = make_grid(*({"header": head, "justify": "left" if head == "system" else "right"} for head in heads), heads=True)
    for system in report.agreement:
        _add_system(table, system)
    return table


def _add_system(table: Table, system: "SystemAgreement") -> None:
    first = (truncate(make_visible(system.name), 32), f"{system.values:,}", _share(system.correct, system.values))
    for level in reversed(system.levels):
        cells = (*first, f"{level.agreeing} of {level.others}", f"{level.values:,}", _share(level.correct, level.values))
        table.add_row(*map(styled_text, cells))
        first = ("", "", "")


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}".replace("%", " %") if whole else "–"


def _build_suspects(report: "DoubtReport", display: DisplayOptions) -> RenderableType:
    if not report.suspects:
        return styled_text((f"none is contradicted by {report.min_agreeing} agreeing systems", DIM))
    shown = report.suspects if display.everything else report.suspects[:MAX_SUSPECTS]
    lines = [part for number, suspect in enumerate(shown, 1) for part in _build_suspect(number, suspect)]
    if len(shown) < len(report.suspects):
        lines.append(styled_text((f"{len(report.suspects) - len(shown)} more: --all shows them", DIM)))
    return Group(*lines)


def _build_suspect(number: int, suspect: "SuspectLabel") -> list[RenderableType]:
    expected = _shorten(suspect.expected) if suspect.expected_hash is not None else "nothing"
    suggested = "nothing" if suspect.suggested is None else _shorten(suspect.suggested)
    place = f"{suspect.case}  {suspect.path}"
    values: Text = styled_text(f"{number:>3}  ", (make_visible(place), TITLE), "  ", (expected, BAD), " → ", (suggested, OK))
    votes = f"{len(suspect.agreeing)} of {suspect.systems} systems agree on it"
    if suspect.backing:
        votes += f", {len(suspect.backing)} {'backs' if len(suspect.backing) == 1 else 'back'} the expected value"
    cause = f" · {describe_cause(suspect.cause)[0]}" if suspect.cause else ""
    lines: list[RenderableType] = [values, indent(styled_text((votes + cause, DIM)), 5)]
    lines += [indent(styled_text(("! " if evidence.weight > 0 else "· ", NOTE), evidence.text), 5) for evidence in suspect.evidence]
    return lines


def _shorten(value: object) -> str:
    return truncate(make_visible(format_value(value)), _VALUE_LENGTH)


def _build_next(report: "DoubtReport", display: DisplayOptions) -> RenderableType:
    run = report.runs[0]
    review = f"{display.command} review {run} --source doubts"
    confidence = f"{display.command} confidence {run} --by agreement"
    if not report.suspects:
        return stack_parts(Text(), build_command_line("next: ", confidence))
    return stack_parts(Text(), build_command_line("next: ", review), build_command_line("  or  ", confidence))
