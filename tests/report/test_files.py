"""Every format, opened by its own reader."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest

import fieldwise as fw
from fieldwise.report.files import SUFFIXES, find_suffix, iterate_rows, render
from fieldwise.store.run import Run

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def _csv(run: Run) -> list[list[str]]:
    return list(csv.reader(io.StringIO(render(run, ".csv").decode(), newline="")))


def _book(run: Run) -> Any:
    return openpyxl.load_workbook(io.BytesIO(render(run, ".xlsx")))


def test_the_longest_ending_says_the_format() -> None:
    assert [find_suffix(name) for name in ("a/b.Html", "x.junit.xml", "x.jsonl", "x.xml", "html")] == [
        ".html",
        ".junit.xml",
        ".jsonl",
        None,
        None,
    ]


def test_an_unknown_suffix_is_an_error_that_lists_the_formats(demo: Run) -> None:
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


def test_a_workbook_has_summary_fields_results_and_mismatches(demo: Run) -> None:
    book = _book(demo)
    assert book.sheetnames == ["summary", "fields", "results", "mismatches"]
    assert book["results"].max_row == 26 * 3 + 1
    assert book["results"].freeze_panes == "A2"
    summary = {(row[0], row[2]): row[3] for row in book["summary"].iter_rows(min_row=2, values_only=True)}
    assert summary["field_prf", "micro_f1"] == pytest.approx(demo.summary["field_prf.micro_f1"])
    assert book["mismatches"].max_row == 1 + len(demo.mismatches())
    assert book["fields"].max_row == 1 + sum(len(evaluator.fields) for evaluator in demo.full.evaluators.values())


def test_more_rows_than_a_sheet_holds_go_on_to_another(states: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fieldwise.report.workbook.MAX_SHEET_ROWS", 4)
    book = _book(states)
    assert book.sheetnames[2:4] == ["results", "results 2"]
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


def test_an_integer_beyond_all_floats_is_text_in_a_workbook(tmp_path: Path) -> None:
    cases = [{"id": "a", "expected": {"x": 10**400}, "actual": {"x": 10**400 + 1}}]
    run = fw.run({"evaluators": [{"type": "field_accuracy", "fields": ["x"]}]}, cases=cases, root=tmp_path)
    workbook = openpyxl.load_workbook(io.BytesIO(render(run, ".xlsx")))
    texts = {str(cell) for sheet in workbook for row in sheet.iter_rows(values_only=True) for cell in row}
    assert str(10**400) in texts
