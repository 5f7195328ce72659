"""A run as one HTML file that asks nobody for anything: it opens from disk, and everything it needs is in it.

The parts (`templates/_*.html`) know nothing of the file they stand in, so pages of a server can be made from them too.
"""

from base64 import b64encode
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from html import escape
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from fieldwise.model.summary import Metric
from fieldwise.report.page import Page, page_of
from fieldwise.report.page_parts import error_states
from fieldwise.report.parts import interval, number, plural, signed
from fieldwise.report.safe import json_text, safe, safe_lines

if TYPE_CHECKING:
    from fieldwise.store.run import Run


def html_report(run: "Run") -> str:
    """The whole report."""
    return html_page(page_of(run))


def html_page(page: Page) -> str:
    """The report of a page, with its style and script inside."""
    script = static("report.js")
    return environment().get_template("report.html").render(page=page, style=static("report.css"), script=script, policy=policy(script))


def static(name: str) -> str:
    """The text of a file that pages need."""
    return files("fieldwise.report").joinpath("static", name).read_text(encoding="utf-8")


def policy(script: str) -> str:
    """A Content-Security-Policy that lets this one script run and nothing be loaded.

    >>> policy("")[:40]
    "default-src 'none'; base-uri 'none'; for"
    """
    known = b64encode(sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{known}'"


@cache
def environment() -> Any:
    """The templates. Everything that a template writes is escaped; only charts and the own style and script are markup."""
    try:
        jinja2 = import_module("jinja2")
    except ImportError as error:
        raise ImportError("HTML reports need Jinja2, which is not installed: pip install 'fieldwise[report]'") from error
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("fieldwise.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "number": number,
        "interval": interval,
        "plural": plural,
        "signed": signed,
        "safe_text": safe,
        "safe_lines": safe_lines,
        "percent": percent,
        "grade": grade,
        "ticks": _as_markup(ticks),
        "script_json": _as_markup(script_json),
    }
    made.globals |= {"error_states": error_states()}
    return made


def _as_markup(function: Callable[[Any], str]) -> Callable[[Any], Any]:
    """A filter whose result is escaped already."""
    markup = import_module("markupsafe").Markup
    return lambda value: markup(function(value))


def percent(share: float) -> str:
    """A share as CSS writes it.

    >>> percent(0.12345), percent(1.0), percent(-1)
    ('12.35%', '100%', '0%')
    """
    return f"{round(min(max(share, 0.0), 1.0) * 100, 2):g}%"


def grade(value: float | Metric) -> str:
    """`good`, `fair` or `poor`, as the terminal has it."""
    score = value.value if isinstance(value, Metric) else value
    return "good" if score >= 0.95 else "fair" if score >= 0.8 else "poor"


def ticks(text: str) -> str:
    """Words in backticks as code, everything escaped.

    >>> ticks("use `a < b`")
    'use <code>a &lt; b</code>'
    """
    parts = escape(safe(text)).split("`")
    if len(parts) % 2 == 0:
        return "`".join(parts)
    return "".join(f"<code>{part}</code>" if place % 2 else part for place, part in enumerate(parts))


def script_json(value: Any) -> str:
    """JSON that may stand inside a script element: nothing in it can end the element.

    >>> script_json({"a": "</script><!--"})
    '{"a":"\\\\u003c/script\\\\u003e\\\\u003c!--"}'
    """
    text = json_text(value)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
