"""Charts as SVG, drawn by pygal, without its styles and scripts: the page's own style sheet colours them in light and dark."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import ceil, floor
from typing import Any, Final

from fieldwise.model.summary import Metric
from fieldwise.report.safe import cut, safe

NARROW, WIDE = 360, 440
_LONG: Final = 860
_TICKS: Final = 7
_ROW: Final = 26
_FRAME: Final = 58
_DECIMALS: Final = re.compile(r"(\d+\.\d)\d+")
_NUMBERS: Final = ("x", "y", "width", "height", "d", "transform")
_UNUSED: Final = ("defs", "desc", "title")
_HOOKS: Final = ("reactive", "tooltip-trigger", "color-0", "color-1", "color-2", "color-3", "color-4", "color-5")
"""What pygal writes for its own scripts and styles."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: a number with its interval, if it has one."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None


def intervals(bars: Sequence[Bar], *, title: str) -> str:
    """Numbers from 0 to 1 as bars with their 95 % intervals as whiskers."""
    chart = _chart("HorizontalBar", rows=len(bars), range=(0, 1), y_labels=[0, 0.25, 0.5, 0.75, 1])
    chart.x_labels = [_label(bar.label) for bar in reversed(bars)]
    chart.add("", [_value(bar) for bar in reversed(bars)])
    return _svg(chart, title)


def _value(bar: Bar) -> dict[str, Any]:
    value: dict[str, Any] = {"value": min(max(bar.value, 0.0), 1.0)}
    return value if bar.low is None or bar.high is None else value | {"ci": {"low": max(bar.low, 0.0), "high": min(bar.high, 1.0)}}


def counts(bars: Sequence[Bar], *, title: str) -> str:
    """Counts as horizontal bars."""
    chart = _chart(
        "HorizontalBar",
        rows=len(bars),
        width=WIDE,
        show_x_labels=False,
        show_x_guides=False,
        print_values=True,
        print_values_position="top",
    )
    chart.x_labels = [_label(bar.label) for bar in reversed(bars)]
    chart.add("", [bar.value for bar in reversed(bars)])
    return _svg(chart, title)


def stacked(labels: Sequence[str], series: Mapping[str, Sequence[int]], *, title: str) -> str:
    """Counts of several kinds, one bar for each label; the kinds are told by the class `kind-<name>`."""
    chart = _chart("HorizontalStackedBar", rows=len(labels), width=WIDE)
    chart.x_labels = [_label(label) for label in reversed(labels)]
    for name, values in series.items():
        chart.add(name, list(reversed(values)))
    return _svg(chart, title, kinds=list(series))


def histogram(numbers: Sequence[int], *, title: str) -> str:
    """How many cases score from 0 to 0.1, from 0.1 to 0.2 and so on, and how many exactly 1."""
    chart = _chart(
        "Bar", rows=5, show_y_labels=False, show_y_guides=False, show_x_guides=False, print_values=True, print_values_position="top"
    )
    chart.print_zeroes = False
    chart.x_labels = [*(f"{tenth / 10:.1f}" for tenth in range(10)), "1"]
    chart.add("", list(numbers))
    return _svg(chart, title)


def over_time(bars: Sequence[Bar], *, title: str, bound: float | None = None) -> str:
    """Numbers in the order they were measured as a line with their 95 % intervals; `bound` is a line that they are held to."""
    shares = all(0 <= value <= 1 for bar in bars for value in (bar.value, bar.low or 0.0, bar.high or 0.0))
    every = ceil(len(bars) / _TICKS)
    chart = _chart(
        "Line",
        rows=8,
        width=_LONG,
        range=_around(bars, bound) if shares else None,
        show_x_guides=False,
        truncate_label=-1,
        dots_size=3.5,
        max_scale=6,
        margin_right=40,
    )
    chart.x_labels = ["" if (len(bars) - 1 - place) % every else _label(bar.label) for place, bar in enumerate(bars)]
    chart.add("value", [(_value(bar) if shares else {"value": bar.value}) | {"label": _label(bar.label)} for bar in bars])
    if bound is not None:
        chart.add("bound", [bound] * len(bars), show_dots=False)
    return _svg(chart, title, kinds=("value", "bound"))


def _around(bars: Sequence[Bar], bound: float | None) -> tuple[float, float]:
    """From the tenth below the lowest to the tenth above the highest, and never beyond 0 and 1."""
    numbers = [value for bar in bars for value in (bar.value, bar.low, bar.high) if value is not None] + ([] if bound is None else [bound])
    low, high = floor(min(numbers) * 10) / 10, ceil(max(numbers) * 10) / 10
    return (low, high) if low < high else (max(low - 0.1, 0.0), min(high + 0.1, 1.0))


def bar_of(name: str, metric: Metric) -> Bar:
    """A metric as a bar."""
    return Bar(name, metric.value, metric.low, metric.high)


def _label(text: str) -> str:
    return cut(safe(text), 26)


def _chart(kind: str, *, rows: int, **options: Any) -> Any:
    try:
        pygal = import_module("pygal")
    except ImportError as error:
        raise ImportError("charts need pygal, which is not installed: pip install 'fieldwise[report]'") from error
    number: Callable[[float], str] = lambda value: f"{value:,.0f}" if value >= 1000 else f"{value:g}"  # noqa: E731
    shared: dict[str, Any] = {
        "width": NARROW,
        "height": rows * _ROW + _FRAME,
        "title": None,
        "show_legend": False,
        "margin": 6,
        "spacing": 6,
        "value_formatter": number,
        "js": [],
        "css": [],
        "style": pygal.style.Style(label_font_size=11, major_label_font_size=11, value_font_size=11, font_family="sans-serif"),
        "disable_xml_declaration": True,
    }
    return getattr(pygal, kind)(**(shared | options))


def _svg(chart: Any, title: str, kinds: Sequence[str] = ()) -> str:
    """The drawing alone: no scripts, no styles, no comments; every text in it is escaped by the XML writer."""
    root = chart.render_tree()
    elements = list(root.iter())
    names = {f"serie-{place}": f"kind-{name}" for place, name in enumerate(kinds)}
    for parent in elements:
        hint = _hint(parent)
        for child in list(parent):
            if not isinstance(child.tag, str) or _name(child) in _UNUSED or "tooltip-overlay" in child.get("class", ""):
                parent.remove(child)
        if hint:
            _titled(parent, hint)
        _tidy(parent, names)
    root.set("role", "img")
    root.set("aria-label", title)
    return _written(root)


def _name(element: Any) -> str:
    return str(element.tag).rsplit("}", 1)[-1]


def _hint(element: Any) -> str:
    """What pygal's script would show for a bar or a dot: `vendor.name: 0.85`."""
    if not isinstance(element.tag, str) or element.get("class") not in ("bar", "dots"):
        return ""
    told = {child.get("class"): child.text for child in element if _name(child) == "desc"}
    return ": ".join(part for part in (told.get("label") or told.get("x_label"), told.get("value")) if part)


def _titled(element: Any, hint: str) -> None:
    title = element.makeelement("title", {})
    title.text = hint
    element.insert(0, title)


def _tidy(element: Any, names: Mapping[str, str]) -> None:
    """Numbers with one decimal, names for series, and no attribute that only pygal's script reads."""
    if not isinstance(element.tag, str):
        return
    element.attrib.pop("id", None)
    for name in _NUMBERS:
        if name in element.attrib:
            element.set(name, _DECIMALS.sub(r"\1", element.get(name)))
    classes = [names.get(word, word) for word in element.get("class", "").split() if word not in _HOOKS]
    if classes:
        element.set("class", " ".join(classes))
    else:
        element.attrib.pop("class", None)


def _written(root: Any) -> str:
    maker = import_module("lxml.etree" if type(root).__module__.startswith("lxml") else "xml.etree.ElementTree")
    return maker.tostring(root, encoding="unicode")
