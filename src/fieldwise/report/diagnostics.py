"""What was wrong and what is good to know, grouped so that one mistake made a thousand times takes one place."""

from collections.abc import Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.report.parts import BAD, DIM, NOTE, TITLE, section, text
from fieldwise.report.safe import safe

MOST_GROUPS: Final = 8
MOST_PLACES: Final = 3
_LEVELS: Final = {"error": 0, "warning": 1, "info": 2}
_SIGNS: Final = {"error": ("✗", BAD), "warning": ("!", NOTE), "info": ("·", DIM)}


def diagnostics_section(
    diagnostics: Sequence[Diagnostic], *, everything: bool = False, title: str = "Good to know"
) -> RenderableType | None:
    """The diagnostics, errors first; at most some of them, then how many more."""
    if not diagnostics:
        return None
    groups = grouped(diagnostics)
    shown = groups if everything else groups[:MOST_GROUPS]
    rows = [_group(group, everything) for group in shown]
    left = sum(len(group) for group in groups[len(shown) :])
    if left:
        rows.append(text((f"and {left} more (--all)", DIM)))
    if any(diagnostic.level == "error" for diagnostic in diagnostics):
        title = "Problems"
    return section(title, Group(*rows))


def grouped(diagnostics: Sequence[Diagnostic]) -> list[list[Diagnostic]]:
    """Those that say the same of different places together, errors before warnings before information."""
    groups: dict[tuple[str, str, str, str | None], list[Diagnostic]] = {}
    for one in diagnostics:
        groups.setdefault((one.level, one.code, one.what, one.fix), []).append(one)
    return sorted(groups.values(), key=lambda group: _LEVELS[group[0].level])


def diagnostic_lines(diagnostics: Sequence[Diagnostic]) -> RenderableType:
    """Every diagnostic, one below the other, as an error message shows them."""
    return Group(*(_group(group, True) for group in grouped(diagnostics)))


def _group(group: Sequence[Diagnostic], everything: bool) -> RenderableType:
    one = group[0]
    sign, style = _SIGNS[one.level]
    places = [str(each.where) for each in group if str(each.where)]
    shown = places if everything else places[:MOST_PLACES]
    where = ", ".join(shown) + (f" and {len(places) - len(shown)} more" if len(places) > len(shown) else "")
    parts = [text((f"{sign} ", style), (f"{where}: ", TITLE if one.level == "error" else DIM) if where else "", safe(one.what))]
    if one.fix:
        parts.append(text(("fix: ", style), one.fix))
    return Group(parts[0], *(Padding(part, (0, 0, 0, 4)) for part in parts[1:]))
