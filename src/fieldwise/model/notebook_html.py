"""HTML tables for notebooks, shared by everything that has `_repr_html_`. Everything from data is escaped."""

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from typing import Any, Final

from fieldwise.model.comparison import Comparison

MAX_ROWS: Final = 50
MAX_CHARS: Final = 120
COMPARISON_TITLES: Final = ("path", "outcome", "expected", "actual", "similarity", "cause")
_CELL: Final = "text-align:left;padding:2px 12px 2px 0;vertical-align:top"


def render_table(titles: Sequence[str], rows: Iterable[Sequence[str]], count: int) -> str:
    """A table of texts, with the first MAX_ROWS of `count` rows.

    >>> render_table(["a"], [["<1>"]], 1).count("&lt;1&gt;")
    1
    """
    head = "".join(f'<th style="{_CELL}">{escape(title)}</th>' for title in titles)
    body = ""
    for row in islice(rows, MAX_ROWS):
        cells = "".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in row)
        body += f"<tr>{cells}</tr>"
    rest = f"<p>and {count - MAX_ROWS} more</p>" if count > MAX_ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def comparison_cells(comparison: Comparison) -> tuple[str, ...]:
    """The cells of a comparison, in the order of COMPARISON_TITLES."""
    return (
        comparison.path,
        comparison.outcome.replace("_", " "),
        "–" if comparison.expected_presence == "missing" else _shorten_value(comparison.expected),
        "–" if comparison.actual_presence == "missing" else _shorten_value(comparison.actual),
        "" if comparison.similarity is None else f"{comparison.similarity:.2f}",
        (comparison.cause or "").replace("_", " "),
    )


def _shorten_value(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MAX_CHARS else f"{text[:MAX_CHARS]}…"


def format_interval(low: float | None, high: float | None) -> str:
    """An interval as text; empty if there is none.

    >>> format_interval(0.25, 0.5), format_interval(None, None)
    ('0.25 – 0.5', '')
    """
    return "" if low is None or high is None else f"{low:.4g} – {high:.4g}"
