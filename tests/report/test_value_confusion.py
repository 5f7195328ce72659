"""Confusion of values: which fields are enumerated, and what is counted where."""

from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.report.html import render_html
from fieldwise.report.value_confusion import ABSENT, OTHER, ValueConfusions, read_value_confusions
from fieldwise.store.run import Run

STATUSES = ("open", "paid", "late")


def _make_case(number: int) -> dict[str, Any]:
    status = STATUSES[number % 3]
    expected = {
        "status": status,
        "vat": number % 2 == 0,
        "id": f"INV-{number}",
        "total": number + 0.25,
        "note": None if number % 4 else "seen",
    }
    actual: dict[str, Any] = dict(expected)
    if number % 6 == 1:
        actual["status"] = "open"  # a third of these is expected as paid
    if number == 5:
        actual["status"] = None
    if number == 8:
        actual["status"] = "PAID"
    if number < 4:
        actual["vat"] = not actual["vat"]
        actual["id"] = f"INV-{number + 900}"
        actual["total"] = number + 9000.5
    return {"id": f"c{number}", "expected": expected, "actual": actual}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    fields = [{"path": "status"}, {"path": "vat"}, {"path": "id"}, {"path": "total"}, {"path": "note"}]
    suite = {"name": "enumerated", "evaluators": [{"type": "field_accuracy", "fields": fields}]}
    return fw.run(suite, cases=[_make_case(number) for number in range(60)], root=tmp_path_factory.mktemp("confusion"))


@pytest.fixture(scope="module")
def confusions(run: Run) -> ValueConfusions:
    return read_value_confusions(run, run.full.evaluators["field_accuracy"])


def test_only_fields_with_few_values_and_a_wrong_one_are_shown(confusions: ValueConfusions) -> None:
    assert [matrix.field for matrix in confusions.matrices] == ["status", "vat"]


def test_every_comparison_is_counted_once(confusions: ValueConfusions) -> None:
    status = confusions.matrices[0]
    assert status.n == 60
    assert status.wrong == 12
    assert status.most_frequent == ("paid", "open", 10)
    cell = {(row, column): status.counts[i][j] for i, row in enumerate(status.rows) for j, column in enumerate(status.columns)}
    assert cell["open", "open"] == 20
    assert cell["late", ABSENT] == 1
    assert cell["late", "PAID"] == 1
    assert status.columns[-1] == ABSENT


def test_values_that_are_never_expected_are_other_columns(tmp_path: Path) -> None:
    cases = [{"id": str(n), "expected": {"k": "ab"[n % 2]}, "actual": {"k": "ab"[n % 2] if n > 12 else f"x{n}"}} for n in range(40)]
    run = fw.run({"name": "o", "evaluators": [{"type": "field_prf"}]}, cases=cases, root=tmp_path)
    [matrix] = read_value_confusions(run, run.full.evaluators["field_prf"]).matrices
    assert matrix.columns[:2] == ("a", "b")
    assert matrix.columns[-1] == OTHER
    assert len(matrix.columns) == 2 + 6 + 1
    assert matrix.wrong == 13


def test_the_report_shows_the_matrix(run: Run) -> None:
    page = render_html(run)
    assert 'id="confusion"' in page
    assert "most often <bdi>paid</bdi> as <bdi>open</bdi> (10)" in page


def test_a_run_without_wrong_values_has_no_matrix(tmp_path: Path) -> None:
    cases = [{"id": str(n), "expected": {"k": "ab"[n % 2]}, "actual": {"k": "ab"[n % 2]}} for n in range(10)]
    run = fw.run({"name": "o", "evaluators": [{"type": "field_prf"}]}, cases=cases, root=tmp_path)
    assert read_value_confusions(run, run.full.evaluators["field_prf"]).matrices == ()
    assert 'id="confusion"' not in render_html(run)
