"""Every report of a run with corrections says how many were applied, and the score before and after."""

import hashlib
import json
from io import BytesIO
from pathlib import Path

import pytest

import fieldwise as fw
from fieldwise.report.ci_output import render_github
from fieldwise.report.files import render
from fieldwise.report.run_view import build_run_view

WORDS = "1 correction applied to 1 case (corrections.jsonl): field_accuracy.score 0.5000 before, 1.0000 after"


@pytest.fixture
def corrected_run(tmp_path: Path) -> fw.Run:
    rows = [{"id": name, "expected": {"a": 1}, "actual": {"a": value}} for name, value in (("x", 1), ("y", 2))]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    digest = "sha256:" + hashlib.sha256(b"1").hexdigest()
    correction = {"case": "y", "path": "a", "expected_hash": digest, "action": "replace", "value": 2, "why": "", "by": "", "at": ""}
    (tmp_path / "corrections.jsonl").write_text(json.dumps(correction) + "\n", encoding="utf-8")
    suite = tmp_path / "s.eval.yaml"
    suite.write_text(
        "name: s\ncases: {file: cases.jsonl, corrections: corrections.jsonl}\nevaluators: [{type: field_accuracy, fields: [a]}]\n",
        encoding="utf-8",
    )
    return fw.run(str(suite), root=tmp_path / "runs")


@pytest.mark.parametrize("suffix", [".md", ".junit.xml"])
def test_text_reports_name_the_corrections(suffix: str, corrected_run: fw.Run) -> None:
    text = render(corrected_run, suffix).decode()
    assert "1 correction applied to 1 case" in text
    assert "0.5000 before, 1.0000 after" in text


def test_the_html_report_has_a_table_of_scores_before_and_after(corrected_run: fw.Run) -> None:
    text = render(corrected_run, ".html").decode()
    assert "1 correction of expected values applied to 1 case" in text
    assert "<td>0.5000</td><td>1.0000</td>" in text


def test_json_and_github_name_the_corrections(corrected_run: fw.Run) -> None:
    corrections = json.loads(render(corrected_run, ".json"))["run"]["corrections"]
    assert (corrections["applied"], corrections["scores"]["field_accuracy"]) == (1, {"before": 0.5, "after": 1.0})
    assert WORDS in render_github(build_run_view(corrected_run))


def test_the_summary_sheet_of_a_workbook_names_the_corrections(corrected_run: fw.Run) -> None:
    from openpyxl import load_workbook

    sheet = load_workbook(BytesIO(render(corrected_run, ".xlsx")))["summary"]
    assert WORDS in [row[2].value for row in sheet.iter_rows()]
