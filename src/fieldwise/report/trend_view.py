"""A metric over runs, as people read it in a terminal."""

from collections.abc import Sequence
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from fieldwise.report.parts import BAD, DIM, NOTE, OK, TITLE, bar, colour_of, grid, interval, joined, number, plural, signed, stack, text
from fieldwise.report.trend import Point, Trend
from fieldwise.report.view import Show

_STEPS: Final = "▁▂▃▄▅▆▇█"


def trend_report(trend: Trend, show: Show) -> RenderableType:
    """The metric's way through the runs: a line of steps, then every run with its value, oldest first."""
    values = trend.values
    lowest, highest = min(values), max(values)
    ends = f"lowest {number(lowest)}, highest {number(highest)}, now {number(values[-1])}"
    return stack(
        text((trend.metric, TITLE), (f"  {trend.suite}, {plural(len(values), 'run')}", DIM)),
        text((sparkline(values[-(show.width - 50) :]), TITLE), "  ", ends),
        Text(),
        _table(trend, show),
        *_notes(trend),
    )


def sparkline(values: Sequence[float]) -> str:
    """Numbers as a line of steps from the lowest to the highest; equal numbers are in the middle.

    >>> sparkline([0.5, 0.75, 1.0]), sparkline([0.3, 0.3])
    ('▁▅█', '▄▄')
    """
    low, span = min(values), max(values) - min(values)
    return "".join(_STEPS[round((value - low) / span * 7) if span else 3] for value in values)


def _table(trend: Trend, show: Show) -> RenderableType:
    right = {"justify": "right"}
    marked = any(point.tags or point.notes for point in trend.points)
    shares = not show.plain and show.width >= (110 if marked else 90) and all(0 <= value <= 1 for value in trend.values)
    heads = [{"header": "started"}, {"header": "run"}, {"header": "cases", **right}, {"header": "value", **right}]
    heads += [{"header": ""}] * shares + [{"header": "95 % interval", "min_width": 13}, {"header": "change", **right}]
    heads += [{"header": "", "max_width": max(show.width - (97 if shares else 85), 12)}] * marked
    table = grid(*heads, heads=True)
    for place, point in enumerate(trend.points):
        cells = [*_cells(point, shares), _change(trend, place), _marks(point)]
        table.add_row(*cells[: len(heads)])
    return table


def _cells(point: Point, shares: bool) -> list[RenderableType]:
    value = point.metric.value
    style = colour_of(value) if 0 <= value <= 1 else TITLE
    return [
        text((f"{point.started:%Y-%m-%d %H:%M}", DIM)),
        text(point.run),
        text(f"{point.cases:,}"),
        text((number(value), style)),
        *([bar(value, style)] if shares else []),
        text((interval(point.metric), DIM)),
    ]


def _change(trend: Trend, place: int) -> Text:
    delta = trend.delta(place)
    return Text() if delta is None else text((signed(delta), {"good": OK, "bad": BAD}.get(trend.news(place), DIM)))


def _marks(point: Point) -> Text:
    notes = joined([*point.notes, "incomplete" if point.exit_code == 3 else ""], ", ")
    return text((" ".join(point.tags), OK), "  " if point.tags and notes else "", (f"! {notes}" if notes else "", NOTE))


def _notes(trend: Trend) -> list[RenderableType]:
    told: list[RenderableType] = []
    if len(trend.points) == 1:
        told.append(text(("one run is no trend yet: it grows with every `fieldwise run`", DIM)))
    if trend.without:
        told.append(text(("! ", NOTE), (f"{plural(trend.without, 'run')} of this suite did not measure it", DIM)))
    if trend.others:
        told.append(text(("! ", NOTE), (f"also measured by {', '.join(trend.others)}: --suite NAME", DIM)))
    return told
