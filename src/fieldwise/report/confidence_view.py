"""How far the confidences of a run can be trusted, for terminals and as a page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from rich.console import RenderableType
from rich.style import Style
from rich.text import Text

from fieldwise import __version__
from fieldwise.report.charts import draw_points
from fieldwise.report.html import get_environment, make_content_policy, read_static
from fieldwise.report.terminal_layout import (
    BAD,
    DIM,
    NOTE,
    OK,
    TITLE,
    DisplayOptions,
    draw_bar,
    make_grid,
    make_section,
    stack_parts,
    styled_text,
)
from fieldwise.report.text_format import choose_shortener, format_count, make_visible

if TYPE_CHECKING:
    from fieldwise.kernels.confidence import ReliabilityBin, RiskPoint
    from fieldwise.study.confidence import ConfidenceReport, ConfidenceSummary

_COVERAGES: Final = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
_NAME_WIDTH, _MIN_NAME_WIDTH = 28, 8
_INDENT: Final = 2
_GOOD_AREA, _FAIR_AREA = 0.8, 0.65
NO_CONFIDENCE: Final = "No value of this run has a confidence: see docs/confidence.md for how to give them."


def build_confidence_report(report: "ConfidenceReport", display: DisplayOptions) -> RenderableType:
    """Show the figures per field and tag, the reliability plot and the risk–coverage curve."""
    overall = report.overall
    title = styled_text(("confidence   run ", DIM), report.run, ("   evaluator ", DIM), report.evaluator)
    if not overall.n:
        return stack_parts(title, styled_text(("! ", NOTE), NO_CONFIDENCE))
    parts: list[RenderableType | None] = [title, styled_text((describe_overall(overall), TITLE))]
    if overall.without_confidence:
        parts.append(styled_text(("! ", NOTE), describe_without(overall)))
    fields = {"all": overall, **report.fields} if len(report.fields) != 1 else dict(report.fields)
    parts.append(make_section("Fields", _build_table(fields, display)))
    if report.tags:
        parts.append(make_section("Tags", _build_table(report.tags, display)))
    if overall.is_enough:
        parts += [_build_reliability(overall, display), _build_risk(overall, display), _build_caught(overall)]
    return stack_parts(*parts)


def describe_overall(overall: "ConfidenceSummary") -> str:
    """One sentence on all values."""
    values = f"{format_count(overall.n, 'value')} in {format_count(overall.documents, 'document')}"
    if not overall.is_enough:
        return f"{values}: {overall.describe_lack()}."
    area = "not measured" if overall.auroc is None else f"{overall.auroc:.3f}"
    return (
        f"{values}: mean confidence {overall.mean_confidence:.3f}, accuracy {overall.accuracy:.3f}: {overall.direction}"
        f" (ECE {overall.ece:.3f}). Ranking right above wrong: AUROC {area}."
    )


def describe_without(overall: "ConfidenceSummary") -> str:
    """One sentence on the values without a confidence."""
    total = overall.n + overall.without_confidence
    share = overall.without_confidence / total
    return (
        f"{format_count(overall.without_confidence, 'value')} ({_percent(share)}) have no confidence"
        f" and are in no figure; their accuracy is {overall.accuracy_without:.3f}."
    )


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %" if 0 < share < 0.1 else f"{share:.0%}".replace("%", " %")


_HEADS: Final[tuple[str, ...]] = ("n", "accuracy", "mean", "ECE", "Brier", "AUROC", "95 %", "caught at 5, 10, 20 %")
_LEAST_NEEDED: Final = ("95 %", "Brier", "mean")
"""Columns that a narrow window leaves out, in this order."""


def _build_table(rows: "Mapping[str, ConfidenceSummary]", display: DisplayOptions) -> RenderableType:
    """A row for each field or tag. Where the window is narrow, columns are left out, so that no number is cut."""
    cells: dict[str, dict[str, Text]] = {name: dict(zip(_HEADS, _build_cells(row), strict=True)) for name, row in rows.items()}
    widths = {head: max([len(head), *(len(row[head]) for row in cells.values())]) for head in _HEADS}
    names = [make_visible(name) for name in rows]
    name_width = min(max(map(len, names), default=0), _NAME_WIDTH)
    for head in _LEAST_NEEDED:
        if _INDENT + name_width + sum(width + 2 for width in widths.values()) > display.width:
            del widths[head]
    name_width = max(min(name_width, display.width - _INDENT - sum(width + 2 for width in widths.values())), _MIN_NAME_WIDTH)
    shorten_name = choose_shortener(names, name_width)
    heads = ({"header": head, "justify": "right", "width": width} for head, width in widths.items())
    table = make_grid({"header": "", "width": name_width}, *heads, heads=True)
    for name, row_cells in zip(names, cells.values(), strict=True):
        table.add_row(styled_text(shorten_name(name, name_width)), *(row_cells[head] for head in widths))
    return table


def _build_cells(row: "ConfidenceSummary") -> list[Text]:
    shares = (row.accuracy, row.mean_confidence)
    cells = [styled_text(f"{row.n:,}"), *(styled_text("–" if share is None else f"{share:.3f}") for share in shares)]
    if not row.is_enough:
        return [*cells, Text(), Text(), Text(), Text(), styled_text((f"not enough ({row.errors} errors)", DIM))]
    sign = "+" if row.direction == "overconfident" else "−"
    area_style = NOTE
    if row.auroc is None or row.auroc < _FAIR_AREA:
        area_style = BAD
    elif row.auroc >= _GOOD_AREA:
        area_style = OK
    interval = "" if row.auroc_interval is None else f"{row.auroc_interval[0]:.2f}–{row.auroc_interval[1]:.2f}"
    return [
        *cells,
        styled_text(f"{sign}{row.ece:.3f}"),
        styled_text(f"{row.brier:.3f}"),
        styled_text(("–" if row.auroc is None else f"{row.auroc:.3f}", area_style)),
        styled_text((interval, DIM)),
        styled_text("  ".join(f"{caught.caught * 100:3.0f}" for caught in row.errors_caught) + " %"),
    ]


def _style_gap(gap: float) -> Style:
    """Confidence above the accuracy is worse than below it."""
    if gap > 0.1:
        return BAD
    return NOTE if abs(gap) > 0.05 else DIM


def _build_reliability(overall: "ConfidenceSummary", display: DisplayOptions) -> RenderableType:
    columns = ("confidence", "mean", "accuracy", "gap")
    table = make_grid(
        *({"header": column, "justify": "right"} for column in columns), {"header": "accuracy, with the mean at │"}, heads=True
    )
    for row in overall.reliability:
        gap = row.confidence - row.accuracy
        plot = styled_text() if display.plain else _draw_reliability(row.accuracy, row.confidence)
        table.add_row(
            styled_text(f"{row.low:.3f}–{row.high:.3f}"),
            styled_text(f"{row.confidence:.3f}"),
            styled_text(f"{row.accuracy:.3f}"),
            styled_text((f"{gap:+.3f}", _style_gap(gap))),
            plot,
        )
    return make_section("Reliability, all fields: ten bins of equal count", table)


_PLOT_WIDTH: Final = 40


def _draw_reliability(accuracy: float, confidence: float) -> Any:
    """A bar of the accuracy, crossed by a mark where it would be if it equalled the confidence."""
    bar = draw_bar(accuracy, OK if accuracy >= confidence - 0.05 else NOTE, _PLOT_WIDTH)
    at = min(max(ceil(confidence * _PLOT_WIDTH) - 1, 0), _PLOT_WIDTH - 1)
    return bar[:at] + styled_text(("│", TITLE)) + bar[at + 1 :]


def _build_risk(overall: "ConfidenceSummary", display: DisplayOptions) -> RenderableType:
    table = make_grid(*({"header": head, "justify": "right"} for head in ("accepted", "from", "errors")), {}, heads=True)
    points = overall.risk_coverage
    highest = max(point.risk for point in points) or 1.0
    for point in _choose_risk_points(points):
        bar = styled_text() if display.plain else draw_bar(point.risk / highest, BAD, 30)
        cells = (_percent(point.coverage), f"{point.threshold:.3f}", f"{point.risk * 100:.2f} %")
        table.add_row(*map(styled_text, cells), bar)
    return make_section("Risk and coverage: accepting all values from a confidence on", table)


def _build_caught(overall: "ConfidenceSummary") -> RenderableType:
    lines: list[RenderableType] = []
    for caught in overall.errors_caught:
        reviewed = f"the least confident {_percent(caught.share)} ({format_count(caught.values, 'value')})"
        finds = f"{_percent(caught.caught)} of the {format_count(overall.errors, 'error')}; at random {_percent(caught.share)}"
        lines.append(styled_text(f"reviewing {reviewed} finds {finds}"))
    return make_section("Review", *lines)


def render_confidence_html(report: "ConfidenceReport") -> str:
    """Render a self-contained page with the same figures and both charts for all fields and each field."""
    script = read_static("report.js")
    content = {
        **build_confidence_content(report),
        "style": read_static("report.css"),
        "script": script,
        "policy": make_content_policy(script),
        "version": __version__,
    }
    return get_environment().get_template("confidence.html").render(**content)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceCharts:
    """Both charts of some values, and the numbers in them."""

    name: str
    reliability: str
    bins: "Sequence[ReliabilityBin]"
    risk: str
    risk_points: "Sequence[RiskPoint]"


def _draw_charts(name: str, row: "ConfidenceSummary") -> ConfidenceCharts:
    return ConfidenceCharts(
        name=name,
        reliability=draw_reliability_chart(row, name),
        bins=row.reliability,
        risk=draw_risk_chart(row, name),
        risk_points=_choose_risk_points(row.risk_coverage),
    )


def _choose_risk_points(points: "Sequence[RiskPoint]") -> "list[RiskPoint]":
    """The points nearest to round shares of accepted values; none where too many values of equal confidence leave no point."""
    chosen: list[RiskPoint] = []
    for coverage in _COVERAGES:
        point = min(points, key=lambda candidate: (abs(candidate.coverage - coverage), candidate.coverage))
        if abs(point.coverage - coverage) <= 0.06:
            chosen.append(point)
    return chosen


def build_confidence_content(report: "ConfidenceReport") -> dict[str, Any]:
    """What `_confidence.html` shows: figures, and both charts for all fields and each field."""
    overall = report.overall
    rows = {"all fields": overall, **report.fields}
    charts = [_draw_charts(name, row) for name, row in rows.items() if row.is_enough]
    return {
        "report": report,
        "rows": rows,
        "sentence": describe_overall(overall) if overall.n else NO_CONFIDENCE,
        "without": describe_without(overall) if overall.without_confidence and overall.n else "",
        "charts": charts if len(charts) != 2 or len(report.fields) != 1 else charts[1:],
    }


def draw_reliability_chart(row: "ConfidenceSummary", name: str) -> str:
    """Draw accuracy over confidence, with the diagonal of a calibrated system."""
    points = [(point.confidence, point.accuracy) for point in row.reliability]
    title = f"{name}: accuracy by confidence; the dashed line is where both are equal"
    return draw_points({"value": points, "bound": [(0.0, 0.0), (1.0, 1.0)]}, title=title, x_title="mean confidence", y_title="accuracy")


def draw_risk_chart(row: "ConfidenceSummary", name: str) -> str:
    """Draw the error among accepted values over the share that is accepted."""
    points = [(point.coverage, point.risk) for point in row.risk_coverage]
    top = min(max(0.01, ceil(max(risk for _, risk in points) * 20) / 20), 1.0)
    title = f"{name}: share of errors among accepted values by share of accepted values"
    return draw_points({"value": points}, title=title, x_title="share accepted", y_title="share wrong", top=top)
