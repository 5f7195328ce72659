"""Small pieces that reports are put together from."""

from collections.abc import Iterable
from io import StringIO
from typing import Any, Final

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.table import Table
from rich.text import Text

from fieldwise.model.summary import EvaluatorSummary, Metric
from fieldwise.report.safe import safe

GOOD, FAIR = 0.95, 0.80
_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"
TITLE: Final = Style(bold=True)
DIM: Final = Style(dim=True)
OK, BAD, NOTE = Style(color="green"), Style(color="red"), Style(color="yellow")
COMMAND: Final = Style(color="cyan")


def render(content: RenderableType, *, width: int = 100, colour: bool = False) -> str:
    """What a report looks like as text; without colour there is not a single escape in it."""
    console = Console(
        file=StringIO(),
        width=width,
        force_terminal=colour,
        no_color=not colour,
        color_system="standard" if colour else None,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )
    console.print(content)
    lines = console.file.getvalue().split("\n")  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in lines)


def text(*parts: str | Text | tuple[str, Style], **options: Any) -> Text:
    """A line of pieces, each plain or with a style; everything is shown as it is, nothing is read as markup."""
    line = Text(**options)
    for part in parts:
        if isinstance(part, Text):
            line.append_text(part)
        elif isinstance(part, tuple):
            line.append(safe(part[0]), part[1])
        else:
            line.append(safe(part))
    return line


def stack(*parts: RenderableType | None) -> Group:
    """One part below the other; what is None is left out."""
    return Group(*(part for part in parts if part is not None))


def section(title: str, *parts: RenderableType | None) -> Group:
    """A heading with what belongs to it, set in a little, and a line of space before."""
    return Group(Text(), text((title, TITLE)), *(Padding(part, (0, 0, 0, 2)) for part in parts if part is not None))


def grid(*columns: dict[str, Any], heads: bool = False) -> Table:
    """A table without lines; `heads` for one that says what its columns are."""
    table = Table(box=None, show_header=heads, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0), header_style=DIM, expand=False)
    for column in columns:
        options: dict[str, Any] = {"no_wrap": True, "overflow": "ellipsis", **column}
        table.add_column(**options)
    return table


def colour_of(score: float) -> Style:
    """Green, yellow or red."""
    return OK if score >= GOOD else NOTE if score >= FAIR else BAD


def full_score(one: EvaluatorSummary) -> float:
    """What the score of a faultless case would be: 1, but for json_quality the sum of its positive weights."""
    score, normalized = one.metrics.get("score"), one.metrics.get("rqs_normalized")
    return score.value / normalized.value if score and normalized and normalized.value else 1.0


def number(value: float) -> str:
    """A score with three decimals; a count as it is; two digits of what is almost nothing, such as the cost of an answer.

    >>> number(0.8461), number(1.0), number(553.0), number(14.0769), number(0.0), number(0.00014)
    ('0.846', '1.000', '553', '14.08', '0.000', '0.00014')
    """
    if value > 1 or value < 0:
        return f"{value:.0f}" if value == int(value) else f"{value:.2f}"
    return f"{value:.2g}" if 0 < value < 0.0005 else f"{value:.3f}"


def signed(value: float, digits: int = 3) -> str:
    """A change with its sign; one that is not seen in so many decimals has none.

    >>> signed(0.0312), signed(-0.0312), signed(-0.0001), signed(-0.4, 0)
    ('+0.031', '-0.031', '0.000', '0')
    """
    told = f"{value:+.{digits}f}"
    return told if float(told) else told[1:]


def interval(metric: Metric) -> str:
    """The 95 % interval of a metric; one that is narrow with a decimal more.

    >>> interval(Metric(value=0.5, n=9, low=0.26, high=0.744)), interval(Metric(value=0.5, n=9, low=0.5021, high=0.5083))
    ('0.26–0.74', '0.502–0.508')
    """
    if metric.low is None or metric.high is None:
        return ""
    digits = 2 if -1 <= metric.low <= metric.high <= 1 else 1
    if 0 < metric.high - metric.low < 2 * 10**-digits:
        digits += 1
    return f"{metric.low:.{digits}f}–{metric.high:.{digits}f}"


def bar(share: float, style: Style, width: int = 10) -> Text:
    """A bar for a number from 0 to 1."""
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    whole, rest = divmod(eighths, 8)
    drawn = "█" * whole + (_EIGHTHS[rest] if rest else "")
    return Text.assemble((drawn, style), ("░" * (width - len(drawn)), DIM))


def mark(passed: bool) -> Text:
    """A sign that is told by its shape as well as by its colour."""
    return Text("✓", OK) if passed else Text("✗", BAD)


def plural(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun.

    >>> plural(1, "case"), plural(1200, "case")
    ('1 case', '1,200 cases')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def joined(parts: Iterable[str], mark: str = " · ") -> str:
    """The parts that say something, with a mark between."""
    return mark.join(part for part in parts if part)
