"""Every format, opened by its own reader."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest
from lxml import etree

from fieldwise.report.files import SUFFIXES, find_suffix, iterate_rows, render
from fieldwise.report.markdown import format_code_span, render_markdown
from fieldwise.store.run import Run

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def _csv(run: Run) -> list[list[str]]:
    return list(csv.reader(io.StringIO(render(run, ".csv").decode(), newline="")))


def _book(run: Run) -> Any:
    return openpyxl.load_workbook(io.BytesIO(render(run, ".xlsx")))


def _xml(run: Run) -> Any:
    return etree.fromstring(render(run, ".junit.xml"))


def test_the_longest_ending_says_the_format() -> None:
    assert [find_suffix(name) for name in ("a/b.Html", "x.junit.xml", "x.jsonl", "x.xml", "html")] == [
        ".html",
        ".junit.xml",
        ".jsonl",
        None,
        None,
    ]


def test_an_unknown_ending_is_told_with_those_there_are(demo: Run) -> None:
    with pytest.raises(ValueError, match=r"there is no format for `\.pdf`; there are \.html, \.json"):
        render(demo, ".pdf")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_same_run_gives_the_same_file(states: Run, suffix: str) -> None:
    first, second = render(states, suffix), render(states, suffix)
    assert len(first) > 100
    assert suffix == ".xlsx" or first == second  # a workbook says when it was written


def test_json_holds_every_result(demo: Run) -> None:
    read = json.loads(render(demo, ".json"))
    assert list(read) == ["run", "summary", "gates", "diagnostics", "results"]
    assert len(read["results"]) == 26 * 3


def test_jsonl_has_a_line_for_each_result(demo: Run) -> None:
    lines = [json.loads(line) for line in render(demo, ".jsonl").splitlines()]
    assert [(line["case"], line["evaluator"]) for line in lines[:2]] == [("rheintal-0117", "fields"), ("rheintal-0117", "field_prf")]


def test_csv_has_a_row_for_each_case_and_evaluator(demo: Run) -> None:
    heads, *rows = _csv(demo)
    assert heads[:5] == ["case", "evaluator", "score", "verdict", "status"]
    assert len(rows) == 26 * 3
    by_name = [dict(zip(heads, row, strict=True)) for row in rows]
    mean = sum(float(row["score"]) for row in by_name if row["evaluator"] == "fields") / 26
    assert mean == pytest.approx(demo.summary["fields.score"])


def test_no_cell_of_csv_begins_like_a_formula(hostile: Run) -> None:
    _, *rows = _csv(hostile)
    texts = [cell for row in rows for cell in row if not cell.replace(".", "").replace("-", "").isdigit()]
    assert [cell for cell in texts if cell.startswith(_FORMULAS)] == []
    assert len(rows) == 11


def test_no_cell_of_a_workbook_is_a_formula(hostile: Run) -> None:
    cells = [cell for sheet in _book(hostile) for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} <= {"s", "n"}
    assert any(str(cell.value).startswith("=HYPERLINK") or "=HYPERLINK" in str(cell.value) for cell in cells)


def test_a_workbook_has_summary_fields_and_results(demo: Run) -> None:
    book = _book(demo)
    assert book.sheetnames == ["summary", "fields", "results"]
    assert book["results"].max_row == 26 * 3 + 1
    assert book["results"].freeze_panes == "A2"
    summary = {(row[0], row[2]): row[3] for row in book["summary"].iter_rows(min_row=2, values_only=True)}
    assert summary["field_prf", "micro_f1"] == pytest.approx(demo.summary["field_prf.micro_f1"])
    assert book["fields"].max_row == 1 + sum(len(one.fields) for one in demo.full.evaluators.values())


def test_more_rows_than_a_sheet_holds_go_on_to_another(states: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fieldwise.report.files.MAX_SHEET_ROWS", 4)
    book = _book(states)
    assert book.sheetnames[-2:] == ["results", "results 2"]
    assert book["results"].max_row + book["results 2"].max_row == 6 + 2


def test_parquet_answers_a_query(demo: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    path.write_bytes(render(demo, ".parquet"))
    query = f"select count(*), avg(score) from '{path}' where evaluator = 'fields'"
    assert duckdb.sql(query).fetchall() == [(26, pytest.approx(demo.summary["fields.score"]))]


def test_csv_rows_are_plain_values(demo: Run) -> None:
    heads, first = list(iterate_rows(demo))[:2]
    row = dict(zip(heads, first, strict=True))
    assert row["score"] == 1.0
    assert row["hits"].startswith("invoice_number; issue_date")


def test_junit_tells_failures_faults_and_what_was_skipped_apart(states: Run) -> None:
    root = _xml(states)
    whole, gates, fields = root.findall("testsuite")
    assert (whole.get("name"), whole.get("errors")) == ("run", "1")
    assert (gates.get("tests"), gates.get("failures")) == ("1", "1")
    assert {name: fields.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "6",
        "failures": "2",
        "errors": "1",
        "skipped": "1",
    }
    became = {test.get("name"): [child.tag for child in test] for test in fields}
    assert became == {
        "right": [],
        "partly": ["system-out"],
        "wrong": ["failure"],
        "no output": ["failure"],
        "nothing to score": ["skipped"],
        "expected is no record": ["error"],
    }
    assert fields.find("testcase[@name='nothing to score']/skipped").get("message") == "no field to score"


def test_junit_says_what_was_missed_and_why(demo: Run) -> None:
    told = _xml(demo).find("testsuite[@name='fields']/testcase[@name='rheintal-0305']/system-out").text
    assert "invoice_number: expected RB-2024-0305, got RB-2O24-O3O5 (likely cause: look-alike characters)" in told


def test_junit_is_xml_whatever_the_data_holds(hostile: Run) -> None:
    root = _xml(hostile)
    assert root.get("name") == "<b>hostile</b> =1+1"
    assert len(root.findall(".//testcase")) == 11
    assert root.findall(".//x") == []


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
    assert "| ✅ holds | `fields.score >= 0.85` | 0.8891 |" in text
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
