"""An improvement pack and the changes since one, on the terminal and as JSON."""

from collections.abc import Mapping
from shlex import quote
from typing import Any

from rich.console import RenderableType

from fieldwise.report.terminal_layout import (
    BAD,
    DIM,
    NOTE,
    OK,
    TITLE,
    build_command_line,
    make_grid,
    make_section,
    stack_parts,
    styled_text,
)
from fieldwise.report.text_format import format_count
from fieldwise.study.cause_changes import CauseChanges
from fieldwise.study.pack import Pack
from fieldwise.study.pack_text import label_of


def pack_to_json(pack: Pack, folder: str, files: Mapping[str, str]) -> dict[str, Any]:
    """What was written where, and the counts behind it."""
    return {
        "run": pack.run.id,
        "suite": pack.run.name,
        "evaluator": pack.evaluator,
        "splits": list(pack.options.splits),
        "cases": len(pack.cases),
        "folder": folder,
        "files": {name: len(text) for name, text in files.items()},
        "causes": {cause: sum(counts.values()) for cause, counts in pack.mismatches.items()},
        "feedback": len(pack.feedback),
        "failures": sum(example.kind == "failure" for example in pack.examples),
        "passes": sum(example.kind == "pass" for example in pack.examples),
    }


def build_pack_page(pack: Pack, folder: str, files: Mapping[str, str]) -> RenderableType:
    """The files, the most frequent causes and the next command."""
    splits = f", split {', '.join(pack.options.splits)}" if pack.options.splits else ""
    table = make_grid({"header": "file"}, {"header": "characters", "justify": "right"}, heads=True)
    for name, text in files.items():
        table.add_row(styled_text(f"{folder}/{name}"), styled_text(f"{len(text):,}"))
    causes = make_grid({"header": "cause"}, {"header": "values", "justify": "right"}, {"header": "cases", "justify": "right"}, heads=True)
    for cause, counts in list(pack.mismatches.items())[:8]:
        causes.add_row(styled_text(label_of(cause)), styled_text(f"{sum(counts.values()):,}"), styled_text(f"{len(counts):,}"))
    return stack_parts(
        styled_text((pack.run.name, TITLE), (f"  {pack.run.id}{splits}: {format_count(len(pack.cases), 'case')}", DIM)),
        make_section("Files", table),
        make_section("Most frequent causes", causes) if pack.mismatches else None,
        styled_text(""),
        build_command_line("next: ", f"fieldwise run SUITE --from {quote(folder)}"),
    )


def build_cause_changes(changes: CauseChanges) -> RenderableType:
    """A table of the causes since a pack."""
    title = f"Causes since the pack of run {changes.pack} ({format_count(changes.shared_cases, 'shared case')})"
    if not changes.shared_cases:
        return make_section(title, styled_text("nothing can be said: no case of the pack is in the run"))
    notes = [styled_text(("! ", NOTE), note) for note in changes.notes]
    if not changes.causes:
        return make_section(title, styled_text("no mismatch in the shared cases, before or now"), *notes)
    heads = ({"header": "cause"}, *({"header": head, "justify": "right"} for head in ("before", "now", "p")), {"header": ""})
    table = make_grid(*heads, heads=True)
    for change in changes.causes:
        style = {"shrank": OK, "grew": BAD}.get(change.verdict, DIM)
        cells = [change.label, f"{change.before:,}", f"{change.after:,}", f"{change.p:.3f}"]
        table.add_row(*(styled_text(cell) for cell in cells), styled_text((change.verdict, style)))
    return make_section(title, table, *notes)
