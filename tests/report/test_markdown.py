"""Markdown for a pull request."""

from fieldwise.report.markdown import format_code_span, render_markdown
from fieldwise.store.run import Run


def test_markdown_keeps_data_in_code_spans(hostile: Run) -> None:
    text = render_markdown(hostile)
    assert "\u202e" not in text
    outside = _without_code(text)
    assert [sign for sign in ("<b>", "<img", "<script", "@someone", "](http") if sign in outside] == []


def _without_code(text: str) -> str:
    """The text without its code spans, as CommonMark finds them."""
    out, at = "", 0
    while at < len(text):
        if text[at] != "`":
            out, at = out + text[at], at + 1
            continue
        fence = len(text[at:]) - len(text[at:].lstrip("`"))
        end = at + fence
        while (end := text.find("`" * fence, end)) >= 0 and (text[end + fence : end + fence + 1] == "`" or text[end - 1] == "`"):
            end += 1
        if end < 0:
            return out + text[at:]
        at = end + fence
    return out


def test_markdown_says_the_verdict_the_gates_and_the_scores(demo: Run) -> None:
    text = render_markdown(demo)
    assert text.startswith("## ✅ `invoices` passed\n")
    assert "| ✅ holds | `fields.score >= 0.85` | 0.8892 |" in text
    assert "| `field_prf` | micro |" in text
    assert len(text) < 10_000


def test_a_table_row_of_markdown_has_the_cells_of_its_head(hostile: Run, demo: Run) -> None:
    for run in (hostile, demo):
        width = 0
        for line in render_markdown(run).splitlines():
            cells = line.replace("\\|", "").count("|") if line.startswith("|") else 0
            assert cells in (0, width) or width == 0
            width = cells


def test_a_code_span_holds_backticks() -> None:
    assert format_code_span("``") == "``` `` ```"
