"""Render pages from templates: those of the server, and the fragments shared with the HTML report."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup
from starlette.responses import HTMLResponse

from fieldwise import __version__
from fieldwise.registry import CAUSES
from fieldwise.report.html import get_environment as report_environment
from fieldwise.report.text_format import dump_json

SPARK_WIDTH, SPARK_HEIGHT = 84, 22


@cache  # compiled templates belong to the environment, which depends on the installed package alone
def get_environment() -> Any:
    """The Jinja environment of the report with the templates of the server added.

    It escapes everything that a template prints.
    """
    environment = report_environment().overlay(
        loader=jinja2.ChoiceLoader(
            [
                jinja2.FileSystemLoader(str(files("fieldwise.web") / "templates")),
                jinja2.FileSystemLoader(str(files("fieldwise.report") / "templates")),
            ]
        )
    )
    environment.filters = {**environment.filters, "sparkline": draw_sparkline, "json": dump_json}
    environment.globals = {**environment.globals, "version": __version__}
    return environment


def render(template: str, **values: Any) -> str:
    """Render a page or a fragment to text."""
    return get_environment().get_template(template).render(**values)


def warm_up() -> None:
    """Load every template and import what charts and comparisons need, so that the first page does not wait for it."""
    _load_templates(get_environment())
    for module in ("pygal", "scipy.special"):
        import_module(module)
    CAUSES.names()


def _load_templates(environment: Any) -> None:
    """Load every template, compiled by an earlier server if possible: 30 ms instead of 600.

    Compiled templates are kept in a folder of the temporary directory that only this user can write to.
    """
    try:
        environment.bytecode_cache = jinja2.FileSystemBytecodeCache(pattern=f"fieldwise-{__version__}-%s.cache")
        for template in environment.list_templates(extensions=["html"]):
            environment.get_template(template)
    except (OSError, RuntimeError):  # no such folder, or no space: a template is compiled when it is first shown
        return
    finally:
        environment.bytecode_cache = None


def render_response(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a page or a fragment to a response."""
    return HTMLResponse(render(template, **values), status_code=status)


def draw_sparkline(values: Sequence[float | None], title: str = "") -> Markup:
    """Draw numbers as a line, oldest first, with a dot at the last and a gap for None.

    Shares (0 to 1) use a fixed scale, so that a small change looks small; other numbers span the height.

    >>> str(draw_sparkline([0.5, 1.0]))[:61]
    '<svg class="spark" viewBox="0 0 84 22" width="84" height="22"'
    """
    low, span = _value_range([value for value in values if value is not None])
    step = (SPARK_WIDTH - 8) / max(len(values) - 1, 1)
    points: list[tuple[float, float] | None] = []
    for index, value in enumerate(values):
        y = None if value is None else SPARK_HEIGHT - 4 - (value - low) / span * (SPARK_HEIGHT - 8)
        points.append(None if y is None else (4 + index * step, y))
    if len(values) == 1 and points[0] is not None:
        points = [(SPARK_WIDTH - 4, SPARK_HEIGHT / 2)]
    lines = Markup("").join(Markup('<polyline points="{}"/>').format(line) for line in _polylines(points))
    last = next((point for point in reversed(points) if point is not None), None)
    dot = Markup('<circle cx="{:.1f}" cy="{:.1f}" r="2.4"/>').format(*last) if last else ""
    label = title or f"last {sum(point is not None for point in points)} runs"
    return Markup('<svg class="spark" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">{}{}</svg>').format(
        SPARK_WIDTH, SPARK_HEIGHT, SPARK_WIDTH, SPARK_HEIGHT, label, lines, dot
    )


def _value_range(values: Sequence[float]) -> tuple[float, float]:
    """The value at the bottom of a sparkline, and the range of its height."""
    if not values or (min(values) >= 0 and max(values) <= 1):
        low = min([*values, 0.9])
        return low, max(1.0 - low, 0.05)
    low, high = min(values), max(values)
    return (low, high - low) if high > low else (low - 0.5, 1.0)


def _polylines(points: Sequence[tuple[float, float] | None]) -> list[str]:
    """The `points` attributes of the lines between gaps."""
    lines: list[list[str]] = [[]]
    for point in points:
        if point is None:
            lines.append([])
        else:
            lines[-1].append(f"{point[0]:.1f},{point[1]:.1f}")
    return [" ".join(line) for line in lines if len(line) > 1]
