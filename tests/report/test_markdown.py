"""Markdown for a pull request."""

import sys
from pathlib import Path

from report_factory import stored

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


def test_an_incomplete_run_says_what_could_not_be_measured(tmp_path: Path) -> None:
    (tmp_path / "judge.py").write_text("raise SystemExit('no lexicon')\n")
    evaluator = f"{{type: code_judge, name: tone, script: [{sys.executable}, judge.py]}}"
    suite = f"name: judged\ncases: cases.jsonl\nevaluators:\n  - {{type: field_prf}}\n  - {evaluator}\n"
    cases = [{"id": key, "expected": {key: 1}, "actual": {key: 1}} for key in ("a", "b")]
    text = render_markdown(stored(tmp_path, cases, suite))
    assert text.startswith("## ⚠️ `judged` incomplete\n")
    assert "* `tone` could not measure 2 of 2 cases: " in text
    assert "no lexicon" in text


def test_an_invalid_run_lists_each_problem_once_with_its_place_and_fix(tmp_path: Path) -> None:
    suite = "name: dates\ncases: cases.jsonl\nevaluators:\n  - {type: field_accuracy, fields: [{path: a, match: date}]}\n"
    text = render_markdown(stored(tmp_path, [{"id": "a", "expected": {"a": "soon"}, "actual": {"a": "soon"}}], suite))
    assert text.startswith("## ❌ `dates` not valid\n\n1 case: something is wrong with the configuration.\n")
    [problem] = [line for line in text.splitlines() if line.startswith("* ")]
    assert "suite.eval.yaml:4: field a`: `date` can read none of the 1 expected values" in problem
    assert " Fix: " in problem
    assert "⏎" not in text


def test_large_counts_have_separators(large: Run) -> None:
    text = render_markdown(large)
    assert "1,000 cases" in text
    assert "| 1,000 |" in text


def test_the_weakest_fields_count_omissions_beside_causes(tmp_path: Path) -> None:
    totals = [(1250.5, 12.505), (730.25, None), (918.75, None)]
    cases = [
        {"id": str(row), "expected": {"total": expected}, "actual": {"total": actual}} for row, (expected, actual) in enumerate(totals)
    ]
    suite = "name: totals\ncases: cases.jsonl\nevaluators:\n  - {type: field_accuracy, fields: [{path: total, match: numeric_tolerance}]}\n"
    assert "| `total` | omission 2, scale 1 | 3 | 0 |" in render_markdown(stored(tmp_path, cases, suite))
