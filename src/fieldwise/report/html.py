"""A run as a self-contained HTML file: it opens from disk and makes no network requests.

The templates of the parts (`templates/_*.html`) do not depend on the page around them; the web pages include them too.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from fieldwise.model.summary import Metric
from fieldwise.report.charts import draw_metrics_chart, draw_score_histogram
from fieldwise.report.run_view import RunView, build_run_view
from fieldwise.report.terminal_layout import FAIR_SCORE, GOOD_SCORE
from fieldwise.report.text_format import (
    describe_repairs,
    dump_json,
    format_change,
    format_count,
    format_interval,
    format_number,
    make_lines_visible,
    make_visible,
)

if TYPE_CHECKING:
    from fieldwise.store.run import Run
    from fieldwise.study.confidence import ConfidenceReport

MAX_CASES: Final = 25
_UNBROKEN_PATH: Final = 12
_PATH_SEPARATOR: Final = re.compile(r"[._/](?=.)|(?=\[)")


def render_html(run: "Run", *, confidence: "ConfidenceReport | None" = None) -> str:
    """Render the report of a run; with the calibration of its confidences, if they were studied."""
    return render_html_view(build_run_view(run, heatmaps=True, worst=MAX_CASES, confusions=True), confidence=confidence)


def render_html_view(view: RunView, *, confidence: "ConfidenceReport | None" = None) -> str:
    """Render the report of a view, with its style and script inside."""
    from fieldwise.report.confidence_view import build_confidence_content  # imports this module

    calibration = None if confidence is None or not confidence.overall.n else build_confidence_content(confidence)
    script = read_static("report.js") + read_static("navigate.js")
    template = get_environment().get_template("report.html")
    return template.render(
        page=view,
        calibration=calibration,
        run_address="",
        style=read_static("report.css"),
        script=script,
        policy=make_content_policy(script),
    )


def read_static(name: str) -> str:
    """Read a style sheet or script of the report."""
    return files("fieldwise.report").joinpath("static", name).read_text(encoding="utf-8")


def make_content_policy(script: str) -> str:
    """Make a Content-Security-Policy that allows this one script and no requests.

    >>> make_content_policy("")[:40]
    "default-src 'none'; base-uri 'none'; for"
    """
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    )


# Cached because compiled templates live in the environment; it depends on nothing but the installed package.
@cache
def get_environment() -> Any:
    """Return the template environment. It escapes everything that templates write; only charts, style and script are markup."""
    try:
        import jinja2
    except ImportError as error:
        raise ImportError("HTML reports need Jinja2, which is not installed: pip install 'fieldwise[report]'", name="jinja2") from error
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("fieldwise.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = {
        "number": format_number,
        "interval": format_interval,
        "plural": format_count,
        "repairs": describe_repairs,
        "signed": format_change,
        "safe_text": make_visible,
        "breakable": _return_markup(break_after_separators),
        "safe_lines": make_lines_visible,
        "percent": format_percent,
        "grade": grade_score,
        "ticks": _return_markup(render_backticks),
        "script_json": _return_markup(dump_script_json),
        "metrics_chart": _return_markup(draw_metrics_chart),
        "score_histogram": _return_markup(draw_score_histogram),
        "query": build_query,
    }
    environment.filters.update(filters)
    return environment


def _return_markup(function: Callable[..., str]) -> Callable[..., Any]:
    """Wrap a filter whose result is escaped already."""
    from markupsafe import Markup

    return lambda *values: Markup(function(*values))


def break_after_separators(path: str) -> str:
    """Escape a field path, and let a long one break after its separators instead of within a name.

    >>> break_after_separators("total"), break_after_separators("terms.loan_commitment[*].amount")
    ('total', 'terms.<wbr>loan_<wbr>commitment<wbr>[*].<wbr>amount')
    """
    shown = escape(make_visible(path))
    return shown if len(shown) <= _UNBROKEN_PATH else _PATH_SEPARATOR.sub(r"\g<0><wbr>", shown)


def format_percent(share: float) -> str:
    """Format a share as a CSS percentage.

    >>> format_percent(0.12345), format_percent(1.0), format_percent(-1)
    ('12.35%', '100%', '0%')
    """
    return f"{round(min(max(share, 0.0), 1.0) * 100, 2):g}%"


def grade_score(value: float | Metric) -> str:
    """Grade a score as `good`, `fair` or `poor`, with the thresholds of the terminal's colours."""
    score = value.value if isinstance(value, Metric) else value
    if score >= GOOD_SCORE:
        return "good"
    return "fair" if score >= FAIR_SCORE else "poor"


def build_query(values: Mapping[str, Any], **changes: Any) -> str:
    """Build the query string of a page from its filters with some changed; empty values are left out.

    >>> build_query({"name": "a b", "offset": 50, "tag": None}, offset=0)
    '?name=a+b&offset=0'
    """
    merged = {**values, **changes}
    text = urlencode({name: value for name, value in merged.items() if value not in (None, "")})
    return f"?{text}" if text else "?"


def render_backticks(text: str) -> str:
    """Escape text and turn words in backticks into code.

    >>> render_backticks("use `a < b`")
    'use <code>a &lt; b</code>'
    """
    parts = escape(make_visible(text)).split("`")
    if len(parts) % 2 == 0:
        return "`".join(parts)
    return "".join(f"<code>{part}</code>" if place % 2 else part for place, part in enumerate(parts))


def dump_script_json(value: Any) -> str:
    """Serialize to JSON that can be inside a script element: nothing in it can end the element.

    >>> dump_script_json({"a": "</script><!--"})
    '{"a":"\\\\u003c/script\\\\u003e\\\\u003c!--"}'
    """
    text = dump_json(value)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
