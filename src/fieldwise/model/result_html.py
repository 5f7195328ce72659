"""A result as a notebook shows it. Everything from data is escaped."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from fieldwise.model.comparison import Comparison
    from fieldwise.model.result import Result

MOST: Final = 50
LONGEST: Final = 120
_CELL: Final = "text-align:left;padding:2px 12px 2px 0;vertical-align:top"


def result_html(result: "Result") -> str:
    """The score, the verdict, and a table of the fields that are not right."""
    wrong = [one for one in result.comparisons if not one.passed and one.outcome not in ("both_absent", "ignored")]
    verdict = f" · {result.verdict}" if result.verdict else ""
    head = f"<p><strong>{result.score:.4f}</strong>{escape(verdict)} · {escape(result.status)} · {escape(result.reasoning)}</p>"
    if wrong:
        return head + _table(wrong)
    misses = "".join(f"<li>{escape(miss)}</li>" for miss in result.misses[:MOST])
    return head + (f"<ul>{misses}</ul>" if misses else "")


def _table(comparisons: "Sequence[Comparison]") -> str:
    names = "".join(f'<th style="{_CELL}">{name}</th>' for name in ("path", "outcome", "expected", "actual", "similarity", "cause"))
    rows = "".join(_row(one) for one in comparisons[:MOST])
    rest = f"<p>and {len(comparisons) - MOST} more</p>" if len(comparisons) > MOST else ""
    return f"<table><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>{rest}"


def _row(one: "Comparison") -> str:
    expected = "–" if one.expected_presence == "missing" else _shown(one.expected)
    actual = "–" if one.actual_presence == "missing" else _shown(one.actual)
    similarity = "" if one.similarity is None else f"{one.similarity:.2f}"
    cells = (one.path, one.outcome.replace("_", " "), expected, actual, similarity, (one.cause or "").replace("_", " "))
    return "<tr>" + "".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in cells) + "</tr>"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
