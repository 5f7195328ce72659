"""Building blocks of terminal output: styled lines, sections, tables, bars, and lists of diagnostics."""

from collections.abc import Sequence
from io import StringIO
from typing import Any, Final

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.table import Table
from rich.text import Text

from fieldwise.dataclass import dataclass
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.report.diagnostic_groups import DiagnosticGroup, group_diagnostics
from fieldwise.report.text_format import make_visible

GOOD_SCORE, FAIR_SCORE = 0.95, 0.80
_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"
TITLE: Final = Style(bold=True)
DIM: Final = Style(dim=True)
OK, BAD, NOTE = Style(color="green"), Style(color="red"), Style(color="yellow")
COMMAND: Final = Style(color="cyan")


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayOptions:
    """How much is shown, and how."""

    width: int = 100
    plain: bool = False
    """Without bars, and without anything that depends on colour."""
    everything: bool = False
    """Every field of every evaluator, every slice, every diagnostic."""
    command: str = "fieldwise"
    """The command that finds the same runs: with `--root` if that option was used."""


def render_text(content: RenderableType, *, width: int = 100, colour: bool = False) -> str:
    """Render to a string; without colour it contains no escape sequence."""
    output = StringIO()
    console = Console(
        file=output,
        width=width,
        force_terminal=colour,
        no_color=not colour,
        color_system="standard" if colour else None,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )
    console.print(content, crop=False)
    return "\n".join(line.rstrip() for line in output.getvalue().split("\n"))


def styled_text(*parts: str | Text | tuple[str, Style], **options: Any) -> Text:
    """Join pieces, each plain or with a style, into one line; nothing is read as markup."""
    line = Text(**options)
    for part in parts:
        if isinstance(part, Text):
            line.append_text(part)
        elif isinstance(part, tuple):
            line.append(make_visible(part[0]), part[1])
        else:
            line.append(make_visible(part))
    return line


def build_command_line(label: str, command: str, remark: str = "") -> Text:
    """A command after a label, and a remark after it. It is never wrapped: only a whole line can be copied."""
    return styled_text((label, DIM), (command, COMMAND), (remark, DIM), no_wrap=True, overflow="ignore")


def stack_parts(*parts: RenderableType | None) -> Group:
    """Put parts below each other, leaving out those that are None."""
    return Group(*(part for part in parts if part is not None))


def indent(part: RenderableType, columns: int = 2) -> Padding:
    """Indent a part."""
    return Padding(part, (0, 0, 0, columns))


def make_section(title: str, *parts: RenderableType | None) -> Group:
    """Put indented parts below a heading, after an empty line."""
    return Group(Text(), styled_text((title, TITLE)), *(indent(part) for part in parts if part is not None))


WRAPPED: Final[dict[str, Any]] = {"no_wrap": False, "overflow": "fold"}
"""Options of a column that takes several lines where the window is too narrow; the other columns then keep their width."""


def make_grid(*columns: dict[str, Any], heads: bool = False) -> Table:
    """Make a table without lines; `heads` shows the column headers."""
    table = Table(box=None, show_header=heads, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0), header_style=DIM, expand=False)
    for column in columns:
        options: dict[str, Any] = {"no_wrap": True, "overflow": "ellipsis", **column}
        table.add_column(**options)
    return table


def score_style(score: float) -> Style:
    """Choose green, yellow or red for a score."""
    if score >= GOOD_SCORE:
        return OK
    return NOTE if score >= FAIR_SCORE else BAD


def draw_bar(share: float, style: Style, width: int = 10) -> Text:
    """Draw a bar for a number from 0 to 1."""
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    whole, rest = divmod(eighths, 8)
    filled = "█" * whole + (_EIGHTHS[rest] if rest else "")
    return Text.assemble((filled, style), ("░" * (width - len(filled)), DIM))


def pass_mark(passed: bool) -> Text:
    """Return ✓ or ✗, which differ in shape as well as in colour."""
    return Text("✓", OK) if passed else Text("✗", BAD)


MAX_DIAGNOSTIC_GROUPS: Final = 8
_LEVEL_SIGNS: Final = {"error": ("✗", BAD), "warning": ("!", NOTE), "info": ("·", DIM)}


def build_diagnostics_section(
    diagnostics: Sequence[Diagnostic], *, everything: bool = False, title: str = "Good to know"
) -> RenderableType | None:
    """List diagnostics, errors first; unless `everything`, only the first groups and the number of the others."""
    if not diagnostics:
        return None
    groups = group_diagnostics(diagnostics)
    shown = groups if everything else groups[:MAX_DIAGNOSTIC_GROUPS]
    rows = [_build_diagnostic_group(group, everything) for group in shown]
    left_out = sum(group.size for group in groups[len(shown) :])
    if left_out:
        rows.append(styled_text((f"and {left_out} more (--all)", DIM)))
    if any(diagnostic.level == "error" for diagnostic in diagnostics):
        title = "Problems"
    return make_section(title, Group(*rows))


def build_diagnostic_lines(diagnostics: Sequence[Diagnostic]) -> RenderableType:
    """List every diagnostic as an error message shows it."""
    return Group(*(_build_diagnostic_group(group, True) for group in group_diagnostics(diagnostics)))


def _build_diagnostic_group(group: DiagnosticGroup, everything: bool) -> RenderableType:
    first = group.first
    sign, style = _LEVEL_SIGNS[first.level]
    where = ", ".join(group.locations if everything else group.shown_locations)
    if group.more_locations and not everything:
        where += f" and {group.more_locations} more"
    where_style = TITLE if first.level == "error" else DIM
    message = styled_text((f"{sign} ", style), (f"{where}: ", where_style) if where else "", make_visible(first.what))
    if not first.fix:
        return message
    return Group(message, indent(styled_text(("fix: ", style), first.fix), 4))
