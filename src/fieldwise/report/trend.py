"""A metric over the runs of a suite: as data, terminal text and a self-contained HTML page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from rich.console import RenderableType
from rich.text import Text

from fieldwise import __version__
from fieldwise.model.change import lower_is_better
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.provenance import name_data
from fieldwise.model.summary import GateResult, Metric
from fieldwise.registry import nearest
from fieldwise.report.charts import MAX_SERIES, ChartBar, draw_line
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
    score_style,
    stack_parts,
    styled_text,
)
from fieldwise.report.text_format import format_change, format_count, format_interval, format_number, join_nonempty

if TYPE_CHECKING:
    from fieldwise.store.run import Run

MIN_CHANGE: Final = 0.0005
"""Smaller changes are not visible in three decimals."""
MAX_SUGGESTIONS: Final = 12
_NO_SOURCE: Final = "unnamed"
_STEPS: Final = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendPoint:
    """The metric in one run."""

    run: str
    started: datetime
    cases: int
    metric: Metric
    exit_code: int | None
    tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Other differences from the run before, any of which may explain the change."""
    source: str = ""
    """The name of the run, or the file that its outputs came from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """A metric over runs, oldest first."""

    metric: str
    suite: str
    points: tuple[TrendPoint, ...]
    without: int = 0
    """Number of finished runs of the suite that did not measure it."""
    others: tuple[str, ...] = ()
    """Other suites that have a metric of this name."""

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of the runs, in order; empty if all runs have the same, too many to tell apart, or no source has two runs."""
        names = tuple(dict.fromkeys(point.source for point in self.points))
        return names if 1 < len(names) <= MAX_SERIES and len(names) < len(self.points) else ()

    @property
    def values(self) -> list[float]:
        """The values, oldest first."""
        return [point.metric.value for point in self.points]

    def change_at(self, place: int) -> float | None:
        """Return the change from the run before, of the same source where there are several; None for the first run."""
        point = self.points[place]
        before = [earlier for earlier in self.points[:place] if not self.sources or earlier.source == point.source]
        return point.metric.value - before[-1].metric.value if before else None

    def news_at(self, place: int) -> str:
        """Return `good` or `bad` for the change from the run before; empty for none."""
        delta = self.change_at(place)
        if delta is None or abs(delta) < MIN_CHANGE:
            return ""
        return "good" if (delta > 0) != lower_is_better(self.metric) else "bad"

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON-able values."""
        return {"metric": self.metric, "suite": self.suite, "runs": [_point_to_json(point) for point in self.points]}


def _point_to_json(point: TrendPoint) -> dict[str, Any]:
    metric = point.metric
    return {
        "run": point.run,
        "started": point.started.isoformat(),
        "cases": point.cases,
        "value": metric.value,
        "n": metric.n,
        "low": metric.low,
        "high": metric.high,
        "exit_code": point.exit_code,
        "tags": list(point.tags),
        "notes": list(point.notes),
        "source": point.source,
    }


def build_trend(runs: Sequence["Run"], metric: str, *, suite: str | None = None, limit: int | None = None) -> Trend:
    """Collect a metric, named as in gates, over the finished runs of a suite; without `suite`, of the suite that measured it last.

    ConfigError with the nearest name if no run has such a metric.
    """
    finished = sorted((run for run in runs if run.finished is not None), key=lambda run: run.started)
    measured = _find_measured(finished, metric, suite)
    name = measured[-1].name
    chosen = [run for run in measured if run.name == name]
    points = tuple(_make_point(run, chosen[place - 1] if place else None, metric) for place, run in enumerate(chosen))
    return Trend(
        metric=metric,
        suite=name,
        points=points if limit is None else points[-limit:],
        without=sum(run.name == name for run in finished) - len(chosen),
        others=tuple(sorted({run.name for run in measured} - {name})),
    )


def _find_measured(finished: Sequence["Run"], metric: str, suite: str | None) -> list["Run"]:
    """Return the runs of the suite, or of any suite, that have the metric; at least one."""
    if not finished:
        raise _make_error("no-run", "there is no finished run", "fieldwise run SUITE; `fieldwise demo` creates one")
    of_suite = [run for run in finished if suite in (None, run.name)]
    if not of_suite:
        suites = list(dict.fromkeys(run.name for run in reversed(finished)))
        raise _make_error("no-run", f"there is no finished run of a suite `{suite}`", _suggest_names(suite or "", suites))
    measured = [run for run in of_suite if metric in run.summary]
    if not measured:
        metrics = list(dict.fromkeys(name for run in reversed(of_suite) for name in run.summary))
        raise _make_error("unknown-metric", f"no run has a metric `{metric}`", _suggest_names(metric, metrics))
    return measured


def _make_point(run: "Run", previous: "Run | None", metric: str) -> TrendPoint:
    metrics = {f"{evaluator.name}.{name}": value for evaluator in run.full.evaluators.values() for name, value in evaluator.metrics.items()}
    return TrendPoint(
        run=run.id,
        started=run.started,
        cases=run.full.cases,
        metric=metrics[metric],
        exit_code=run.exit_code,
        tags=run.tags,
        notes=() if previous is None else tuple(_list_differences(previous, run, metric)),
        source=run.label or name_data(run.sources),
    )


def _list_differences(previous: "Run", run: "Run", metric: str) -> Iterator[str]:
    """List other differences between two runs. A file with expected and actual values is not compared: it changes with every output."""
    before, now = _find_definition(previous, metric), _find_definition(run, metric)
    if before.get("version") != now.get("version"):
        yield "measures something else"
    elif before.get("rules") != now.get("rules"):
        yield "other rules"
    if previous.manifest.fingerprints.get("expected") != run.manifest.fingerprints.get("expected"):
        yield "other expected data"
    if previous.manifest.fingerprints.get("corrections") != run.manifest.fingerprints.get("corrections"):
        yield "other corrections"
    if previous.manifest.package != run.manifest.package:
        yield f"fieldwise {run.manifest.package}"


def _find_definition(run: "Run", metric: str) -> Mapping[str, Any]:
    """Return the manifest's entry for the evaluator of a metric."""
    return next((entry for entry in run.manifest.evaluators if metric.startswith(f"{entry['name']}.")), {})


def _suggest_names(name: str, names: list[str]) -> str:
    shown = ", ".join(names[:MAX_SUGGESTIONS])
    if len(names) > MAX_SUGGESTIONS:
        shown += f" and {len(names) - MAX_SUGGESTIONS} more"
    similar = nearest(name, names)
    return f"did you mean `{similar}`? there are: {shown}" if similar else f"there are: {shown}"


def _make_error(code: str, what: str, fix: str) -> ConfigError:
    return ConfigError([Diagnostic(code=code, what=what, fix=fix)])


def build_trend_report(trend: Trend, display: DisplayOptions) -> RenderableType:
    """Build the terminal report: a sparkline, then every run with its value, oldest first."""
    values = trend.values
    ends = f"lowest {format_number(min(values))}, highest {format_number(max(values))}, now {format_number(values[-1])}"
    return stack_parts(
        styled_text((trend.metric, TITLE), (f"  {trend.suite}, {format_count(len(values), 'run')}", DIM)),
        styled_text((draw_sparkline(values[-(display.width - 50) :]), TITLE), "  ", ends),
        Text(),
        _build_table(trend, display),
        *_build_notes(trend),
    )


def draw_sparkline(values: Sequence[float]) -> str:
    """Draw numbers as steps from the lowest to the highest; equal numbers are in the middle.

    >>> draw_sparkline([0.5, 0.75, 1.0]), draw_sparkline([0.3, 0.3])
    ('▁▅█', '▄▄')
    """
    low, span = min(values), max(values) - min(values)
    return "".join(_STEPS[round((value - low) / span * 7) if span else 3] for value in values)


def _build_table(trend: Trend, display: DisplayOptions) -> RenderableType:
    right = {"justify": "right"}
    has_notes = any(point.tags or point.notes for point in trend.points)
    are_shares = all(0 <= value <= 1 for value in trend.values)
    has_bars = are_shares and not display.plain and display.width >= (110 if has_notes else 90)
    heads: list[dict[str, Any]] = [{"header": "started"}, {"header": "run"}, {"header": "cases", **right}, {"header": "value", **right}]
    if has_bars:
        heads.append({"header": ""})
    heads += [{"header": "95 % interval", "min_width": 13}, {"header": "change", **right}]
    if has_notes:
        heads.append({"header": "", "max_width": max(display.width - (97 if has_bars else 85), 12)})
    table = make_grid(*heads, heads=True)
    for place, point in enumerate(trend.points):
        cells = [*_build_cells(point, has_bars), _build_change_cell(trend, place), _build_notes_cell(point)]
        table.add_row(*cells[: len(heads)])
    return table


def _build_cells(point: TrendPoint, has_bar: bool) -> list[RenderableType]:
    value = point.metric.value
    style = score_style(value) if 0 <= value <= 1 else TITLE
    return [
        styled_text((f"{point.started:%Y-%m-%d %H:%M}", DIM)),
        styled_text(point.run),
        styled_text(f"{point.cases:,}"),
        styled_text((format_number(value), style)),
        *([draw_bar(value, style)] if has_bar else []),
        styled_text((format_interval(point.metric), DIM)),
    ]


def _build_change_cell(trend: Trend, place: int) -> Text:
    delta = trend.change_at(place)
    if delta is None:
        return Text()
    return styled_text((format_change(delta), {"good": OK, "bad": BAD}.get(trend.news_at(place), DIM)))


def _build_notes_cell(point: TrendPoint) -> Text:
    notes = join_nonempty([*point.notes, "incomplete" if point.exit_code == 3 else ""], ", ")
    return styled_text((" ".join(point.tags), OK), "  " if point.tags and notes else "", (f"! {notes}" if notes else "", NOTE))


def _build_notes(trend: Trend) -> list[RenderableType]:
    notes: list[RenderableType] = []
    if len(trend.points) == 1:
        notes.append(styled_text(("one run is no trend yet; every `fieldwise run` adds a point", DIM)))
    if trend.without:
        notes.append(styled_text(("! ", NOTE), (f"{format_count(trend.without, 'run')} of this suite did not measure it", DIM)))
    if trend.others:
        notes.append(styled_text(("! ", NOTE), (f"also measured by {', '.join(trend.others)}: --suite NAME", DIM)))
    return notes


def render_trend_html(trend: Trend, gates: Sequence[GateResult] = ()) -> str:
    """Render the page; `gates` are those of the latest run, of which one on this metric is drawn."""
    chart, gate = draw_trend_chart(trend, gates)
    script = read_static("report.js")
    template = get_environment().get_template("trend.html")
    return template.render(
        trend=trend,
        chart=chart,
        gate=gate,
        style=read_static("report.css"),
        script=script,
        policy=make_content_policy(script),
        version=__version__,
    )


def draw_trend_chart(trend: Trend, gates: Sequence[GateResult] = ()) -> tuple[str, str]:
    """Draw the chart as SVG; also return the gate drawn in it, or an empty text."""
    gate, bound = _find_gate(trend.metric, gates)
    bars: list[ChartBar] = []
    for point in trend.points:
        metric, series = point.metric, (point.source or _NO_SOURCE) if trend.sources else ""
        bars.append(ChartBar(f"{point.started:%d %b %H:%M}", metric.value, metric.low, metric.high, series))
    title = f"{trend.metric} over {len(bars)} runs, from {bars[0].value:.3f} to {bars[-1].value:.3f}"
    return draw_line(bars, title=title, bound=bound), gate


def _find_gate(metric: str, gates: Sequence[GateResult]) -> tuple[str, float | None]:
    """Find a condition on this metric and the number in it."""
    for gate in gates:
        name, _, condition = gate.gate.partition(" ")
        if name != metric or not condition:
            continue
        try:
            return gate.gate, float(condition.split()[-1])
        except ValueError:  # a condition without a number at its end cannot be drawn
            continue
    return "", None
