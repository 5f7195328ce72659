"""Charts as SVG, drawn by pygal without its styles and scripts: the style sheet of the page colours them in light and dark."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import ceil, floor
from typing import Any, Final

from fieldwise.report.evaluator_tables import EvaluatorCard
from fieldwise.report.text_format import make_visible, truncate

NARROW, WIDE = 360, 440
MAX_SERIES: Final = 6
"""Number of colours and marks of lines."""
_MAX_DESCRIBED: Final = 12
_LONG: Final = 860
_TICKS: Final = 7
_ROW_HEIGHT: Final = 26
_FRAME_HEIGHT: Final = 58
_LABEL_LENGTH: Final = 26
_DECIMALS: Final = re.compile(r"(\d+\.\d)\d+")
_NUMERIC_ATTRIBUTES: Final = ("x", "y", "width", "height", "d", "transform")
_UNUSED_ELEMENTS: Final = ("defs", "desc", "title")
_UNUSED_CLASSES: Final = ("reactive", "tooltip-trigger", "color-0", "color-1", "color-2", "color-3", "color-4", "color-5")
"""Classes that pygal writes for its own scripts and styles."""


@dataclass(frozen=True, slots=True)
class ChartBar:
    """A labelled number, with its interval if it has one."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    series: str = ""
    """The line that it belongs to; empty if there is one."""


def draw_metrics_chart(card: EvaluatorCard) -> str:
    """Draw the main metrics of an evaluator with their 95 % intervals; empty if there are none."""
    if not card.main_metrics:
        return ""
    bars = [ChartBar(name, metric.value, metric.low, metric.high) for name, metric in card.main_metrics.items()]
    return draw_intervals(bars, title=f"{card.name}: metrics with 95 % intervals")


def draw_score_histogram(card: EvaluatorCard) -> str:
    """Draw the number of cases by score; empty if no scores were read."""
    return draw_histogram(card.score_bins, title=f"{card.name}: number of cases by score") if card.score_bins else ""


def draw_intervals(bars: Sequence[ChartBar], *, title: str) -> str:
    """Draw numbers from 0 to 1 as bars with their 95 % intervals as whiskers."""
    chart = _make_chart("HorizontalBar", rows=len(bars), range=(0, 1), y_labels=[0, 0.25, 0.5, 0.75, 1])
    chart.x_labels = [_shorten_label(bar.label) for bar in reversed(bars)]
    chart.add("", [_make_value(bar) for bar in reversed(bars)])
    return _render_svg(chart, title, description=describe_bars(bars))


def _make_value(bar: ChartBar) -> dict[str, Any]:
    value: dict[str, Any] = {"value": min(max(bar.value, 0.0), 1.0)}
    if bar.low is not None and bar.high is not None:
        value["ci"] = {"low": max(bar.low, 0.0), "high": min(bar.high, 1.0)}
    return value


def draw_histogram(counts: Sequence[int], *, title: str) -> str:
    """Draw counts by tenth: from 0 to 0.1, from 0.1 to 0.2 and so on, and exactly 1."""
    chart = _make_chart(
        "Bar", rows=5, show_y_labels=False, show_y_guides=False, show_x_guides=False, print_values=True, print_values_position="top"
    )
    chart.print_zeroes = False
    chart.x_labels = [*(f"{tenth / 10:.1f}" for tenth in range(10)), "1"]
    chart.add("", list(counts))
    tenths = [*(f"from {tenth / 10:.1f}" for tenth in range(10)), "exactly 1"]
    return _render_svg(
        chart, title, description="; ".join(f"{tenth}: {count:,}" for tenth, count in zip(tenths, counts, strict=False) if count)
    )


def draw_line(bars: Sequence[ChartBar], *, title: str, bound: float | None = None) -> str:
    """Draw numbers in this order as lines with their 95 % intervals, one line for each series; `bound` is drawn as a horizontal line."""
    are_shares = all(0 <= value <= 1 for bar in bars for value in (bar.value, bar.low or 0.0, bar.high or 0.0))
    label_step = ceil(len(bars) / _TICKS)
    chart = _make_chart(
        "Line",
        rows=8,
        width=_LONG,
        range=_choose_range(bars, bound) if are_shares else None,
        show_x_guides=False,
        truncate_label=-1,
        dots_size=3.5,
        max_scale=6,
        margin_right=40,
    )
    last = len(bars) - 1
    chart.x_labels = ["" if (last - place) % label_step else _shorten_label(bar.label) for place, bar in enumerate(bars)]
    values = [_make_value(bar) if are_shares else {"value": bar.value} for bar in bars]
    kinds: list[str] = []
    for number, series in enumerate(list_series(bars)):
        labelled: list[dict[str, Any] | None] = []
        for value, bar in zip(values, bars, strict=True):
            hint = _shorten_label(f"{series} {bar.label}" if series else bar.label)
            labelled.append(value | {"label": hint} if bar.series == series else None)
        chart.add(series or "value", labelled, allow_interruptions=False)
        kinds.append(f"value kind-series-{number % MAX_SERIES}")
    if bound is not None:
        chart.add("bound", [bound] * len(bars), show_dots=False)
        kinds.append("bound")
    return _render_svg(chart, title, kinds=kinds, description=describe_bars(bars))


def list_series(bars: Sequence[ChartBar]) -> list[str]:
    """The series in the order of their first bar."""
    return list(dict.fromkeys(bar.series for bar in bars))


def describe_bars(bars: Sequence[ChartBar]) -> str:
    """The numbers of a chart in words, for readers who do not see it; of many, the first, the lowest, the highest and the last."""
    if len(bars) > _MAX_DESCRIBED:
        ends = {"first": bars[0], "lowest": min(bars, key=_value_of), "highest": max(bars, key=_value_of), "last": bars[-1]}
        return "; ".join(f"{word} {_describe_bar(bar)}" for word, bar in ends.items())
    return "; ".join(map(_describe_bar, bars))


def _value_of(bar: ChartBar) -> float:
    return bar.value


def _describe_bar(bar: ChartBar) -> str:
    interval = "" if bar.low is None or bar.high is None else f" ({bar.low:.3g} to {bar.high:.3g})"
    return f"{make_visible(bar.series)} {make_visible(bar.label)} {bar.value:.3g}{interval}".strip()


def draw_points(series: Mapping[str, Sequence[tuple[float, float]]], *, title: str, x_title: str, y_title: str, top: float = 1.0) -> str:
    """Draw series of points in the unit square as lines; `top` is the largest number on the vertical axis."""
    chart = _make_chart(
        "XY", rows=8, width=WIDE, range=(0, top), xrange=(0, 1), x_title=x_title, y_title=y_title, dots_size=3, stroke=True, max_scale=6
    )
    for name, points in series.items():
        chart.add(name, list(points), show_dots=name != "bound")
    description = "; ".join(f"{y_title} {y:.3g} at {x_title} {x:.3g}" for x, y in _thin_out(series.get("value", ())))
    return _render_svg(chart, title, kinds=list(series), description=description)


def _thin_out(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """At most about a dozen of the points, with the first and the last."""
    if len(points) <= _MAX_DESCRIBED:
        return points
    step = (len(points) - 1) / (_MAX_DESCRIBED - 1)
    return [points[round(place * step)] for place in range(_MAX_DESCRIBED)]


def _choose_range(bars: Sequence[ChartBar], bound: float | None) -> tuple[float, float]:
    """Return the tenth below the lowest and the tenth above the highest number, within 0 and 1."""
    candidates = [bound, *(value for bar in bars for value in (bar.value, bar.low, bar.high))]
    numbers = [value for value in candidates if value is not None]
    low, high = floor(min(numbers) * 10) / 10, ceil(max(numbers) * 10) / 10
    return (low, high) if low < high else (max(low - 0.1, 0.0), min(high + 0.1, 1.0))


def _shorten_label(text: str) -> str:
    return truncate(make_visible(text), _LABEL_LENGTH)


def _format_tick(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:g}"


def _make_chart(kind: str, *, rows: int, **options: Any) -> Any:
    try:
        import pygal
        from pygal.style import Style
    except ImportError as error:
        raise ImportError("charts need pygal, which is not installed: pip install 'fieldwise[report]'", name="pygal") from error
    shared: dict[str, Any] = {
        "width": NARROW,
        "height": rows * _ROW_HEIGHT + _FRAME_HEIGHT,
        "title": None,
        "show_legend": False,
        "margin": 6,
        "spacing": 6,
        "value_formatter": _format_tick,
        "js": [],
        "css": [],
        "style": Style(label_font_size=11, major_label_font_size=11, value_font_size=11, font_family="sans-serif"),
        "disable_xml_declaration": True,
    }
    return getattr(pygal, kind)(**(shared | options))


def _render_svg(chart: Any, title: str, kinds: Sequence[str] = (), description: str = "") -> str:
    """Serialize the drawing without scripts, styles and comments; the XML writer escapes every text in it."""
    root = chart.render_tree()
    elements = list(root.iter())
    class_names = {f"serie-{place}": f"kind-{name}" for place, name in enumerate(kinds)}
    for parent in elements:
        hint = _read_hint(parent)
        for child in list(parent):
            if not isinstance(child.tag, str) or _local_name(child) in _UNUSED_ELEMENTS or "tooltip-overlay" in child.get("class", ""):
                parent.remove(child)
        if hint:
            _insert_text(parent, "title", hint)
        _clean_attributes(parent, class_names)
    root.set("role", "img")
    root.set("aria-label", title)
    for tag, text in (("desc", description), ("title", title)):
        if text:
            _insert_text(root, tag, text)
    writer = import_module("lxml.etree" if type(root).__module__.startswith("lxml") else "xml.etree.ElementTree")
    return writer.tostring(root, encoding="unicode")


def _local_name(element: Any) -> str:
    return str(element.tag).rsplit("}", 1)[-1]


def _read_hint(element: Any) -> str:
    """Return what pygal's script would show for a bar or a dot: `vendor.name: 0.85`."""
    if not isinstance(element.tag, str) or element.get("class") not in ("bar", "dots"):
        return ""
    texts = {child.get("class"): child.text for child in element if _local_name(child) == "desc"}
    label = texts.get("label") or texts.get("x_label")
    return ": ".join(part for part in (label, texts.get("value")) if part)


def _insert_text(element: Any, tag: str, text: str) -> None:
    inserted = element.makeelement(tag, {})
    inserted.text = text
    element.insert(0, inserted)


def _clean_attributes(element: Any, class_names: Mapping[str, str]) -> None:
    """Round numbers to one decimal, name the series, and drop attributes that only pygal's script reads."""
    if not isinstance(element.tag, str):
        return
    element.attrib.pop("id", None)
    for name in _NUMERIC_ATTRIBUTES:
        if name in element.attrib:
            element.set(name, _DECIMALS.sub(r"\1", element.get(name)))
    classes = [class_names.get(word, word) for word in element.get("class", "").split() if word not in _UNUSED_CLASSES]
    if classes:
        element.set("class", " ".join(classes))
    else:
        element.attrib.pop("class", None)
