"""Pages from templates: those of the server, and the parts that they share with the HTML report."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

import jinja2
from starlette.responses import HTMLResponse

from fieldwise import __version__
from fieldwise.report.html import environment as report_environment
from fieldwise.report.safe import json_text
from fieldwise.web.icons import sparkline


@cache
def environment() -> Any:
    """The report's environment with the templates of the server beside its own; everything that a template writes is escaped."""
    made = report_environment().overlay(
        loader=jinja2.ChoiceLoader(
            [
                jinja2.FileSystemLoader(str(files("fieldwise.web") / "templates")),
                jinja2.FileSystemLoader(str(files("fieldwise.report") / "templates")),
            ]
        )
    )
    made.filters = {**made.filters, "query": query, "sparkline": sparkline, "json": json_text}
    made.globals = {**made.globals, "version": __version__}
    return made


def render(template: str, **values: Any) -> str:
    """The text of a page or of a part of one."""
    return environment().get_template(template).render(**values)


def html(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page or a part of one."""
    return HTMLResponse(render(template, **values), status_code=status)


def query(values: Mapping[str, Any], **changes: Any) -> str:
    """The filters of a page as the end of an address, some of them changed; what is empty is left out.

    >>> query({"name": "a b", "offset": 50, "tag": None}, offset=0)
    '?name=a+b&offset=0'
    """
    merged = {**values, **changes}
    told = urlencode({name: value for name, value in merged.items() if value not in (None, "")})
    return f"?{told}" if told else "?"
