"""A metric over runs as one HTML file that asks nobody for anything."""

from collections.abc import Sequence

from fieldwise import __version__
from fieldwise.model.summary import GateResult
from fieldwise.report.charts import Bar, over_time
from fieldwise.report.html import environment, policy, static
from fieldwise.report.trend import Trend


def trend_html(trend: Trend, gates: Sequence[GateResult] = ()) -> str:
    """The page; `gates` are those of the latest run, of which one that holds this metric is drawn."""
    chart, gate = trend_chart(trend, gates)
    script = static("report.js")
    return (
        environment()
        .get_template("trend.html")
        .render(
            trend=trend,
            chart=chart,
            gate=gate,
            style=static("report.css"),
            script=script,
            policy=policy(script),
            version=__version__,
        )
    )


def trend_chart(trend: Trend, gates: Sequence[GateResult] = ()) -> tuple[str, str]:
    """The chart as SVG, and the gate that is drawn in it, if there is one."""
    gate, bound = _gate(trend.metric, gates)
    bars = [Bar(f"{one.started:%d %b %H:%M}", one.metric.value, one.metric.low, one.metric.high) for one in trend.points]
    title = f"{trend.metric} over {len(bars)} runs, from {bars[0].value:.3f} to {bars[-1].value:.3f}"
    return over_time(bars, title=title, bound=bound), gate


def _gate(metric: str, gates: Sequence[GateResult]) -> tuple[str, float | None]:
    """The condition on this metric, and the number it names."""
    for gate in gates:
        name, _, condition = gate.gate.partition(" ")
        if name == metric and condition:
            try:
                return gate.gate, float(condition.split()[-1])
            except ValueError:
                continue
    return "", None
