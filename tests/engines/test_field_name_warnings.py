"""Runs whose expected and actual records have no field in common."""

import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw

EXPECTED = [{"id": f"r{number}", "company": f"Company {number}", "total": number * 1.5} for number in range(8)]
ACTUAL = [{"id": f"r{number}", "vendor": f"Company {number}", "amount": number * 1.5 if number else 99.0} for number in range(8)]
RULES: list[dict[str, Any]] = [{"type": "field_accuracy", "fields": ["company", "total"]}]


def run_sides(tmp_path: Path, actual: list[dict[str, Any]], suite: dict[str, Any] | None = None, **options: Any) -> fw.Run:
    return fw.run({"evaluators": RULES} | (suite or {}), expected=EXPECTED, actual=actual, on="id", root=tmp_path, **options)


def find_note(run: fw.Run) -> fw.Diagnostic | None:
    return next((note for note in run.diagnostics if note.code == "no-common-field"), None)


@pytest.mark.parametrize(
    "evaluator", [*RULES, {"type": "field_accuracy"}, {"type": "field_prf"}, {"type": "json_quality", "default_text": "EXACT"}]
)
def test_a_run_without_a_common_field_is_incomplete_and_names_the_likeliest_rename(tmp_path: Path, evaluator: dict[str, Any]) -> None:
    run = run_sides(tmp_path, ACTUAL, {"evaluators": [evaluator]})
    note = find_note(run)
    assert note is not None
    assert (run.exit_code, note.level) == (3, "error")
    assert "expected has `company`, `total`, actual has `vendor`, `amount`" in note.what
    assert "rename: {vendor: company, amount: total}" in (note.fix or "")
    sides = {"expected": {"file": "e"}, "actual": {"file": "a", "rename": {"vendor": "company", "amount": "total"}}}
    assert run_sides(tmp_path, ACTUAL, {"evaluators": [evaluator], "cases": sides}).exit_code == 0


def test_one_file_with_different_names_on_each_side_is_incomplete_too(tmp_path: Path) -> None:
    cases = [{"id": row["id"], "expected": {"a": {"x": 1}}, "actual": {"a": {"y": 1}}} for row in EXPECTED]
    run = fw.run({"evaluators": [{"type": "field_accuracy"}]}, cases=cases, root=tmp_path)
    note = find_note(run)
    assert run.exit_code == 3
    assert note is not None
    assert "expected has `a.x`, actual has `a.y`" in note.what


def test_names_inside_text_count(tmp_path: Path) -> None:
    cases = [{"id": case, "expected": {"x": 1}, "actual": 'Here it is: {"y": 1}'} for case in "abc"]
    assert fw.run({"evaluators": [{"type": "field_accuracy"}]}, cases=cases, root=tmp_path).exit_code == 3


@pytest.mark.parametrize(("count", "exit_code"), [(1, 0), (2, 0), (3, 3)])
def test_one_or_two_outputs_with_other_names_are_answers_that_are_wrong(tmp_path: Path, count: int, exit_code: int) -> None:
    cases = [{"id": str(case), "expected": {"x": 1}, "actual": {"y": 1}} for case in range(count)]
    run = fw.run({"evaluators": [{"type": "field_prf"}]}, cases=cases, root=tmp_path)
    assert (run.exit_code, len(run.mismatches())) == (exit_code, 2 * count)


@pytest.mark.parametrize("output", [{}, {"company": None, "total": None}, {"company": "", "total": None}, {"vendor": None, "items": []}])
def test_outputs_that_are_empty_or_null_are_omissions(tmp_path: Path, output: dict[str, Any]) -> None:
    run = run_sides(tmp_path, [{"id": row["id"], **output} for row in EXPECTED])
    assert (run.exit_code, run.summary["field_accuracy.score"]) == (0, 0.0)
    assert not [note for note in run.diagnostics if note.level == "error"]


def test_outputs_that_are_missing_are_omissions(tmp_path: Path) -> None:
    run = run_sides(tmp_path, [{"id": row["id"], "actual": None} for row in EXPECTED])
    assert find_note(run) is None


def test_one_common_field_in_one_case_is_enough(tmp_path: Path) -> None:
    run = run_sides(tmp_path, [*ACTUAL[:-1], {"id": "r7", "company": "Company 7"}])
    assert (run.exit_code, find_note(run)) == (0, None)


@pytest.mark.parametrize("gate", ["field_accuracy.score >= 0.5", "field_accuracy.score >= 0"])
def test_the_run_is_incomplete_whether_its_gate_fails_or_holds(tmp_path: Path, gate: str) -> None:
    assert run_sides(tmp_path, ACTUAL, gates=[gate]).exit_code == 3


def test_evaluators_that_compare_no_fields_may_have_other_names(tmp_path: Path) -> None:
    suite = {"evaluators": [{"type": "json_schema", "schema": {"type": "object", "required": ["vendor"]}}]}
    assert run_sides(tmp_path, ACTUAL, suite).exit_code == 0


def test_cases_from_a_file_in_parts_are_looked_at_where_they_are_stored(tmp_path: Path) -> None:
    for name, rows in (("e", EXPECTED), ("a", ACTUAL)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    cases = {"expected": str(tmp_path / "e.jsonl"), "actual": str(tmp_path / "a.jsonl")}
    run = fw.run({"cases": cases, "evaluators": RULES}, root=tmp_path, chunk=3)
    note = find_note(run)
    assert run.exit_code == 3
    assert note is not None
    assert note.where.file == str(tmp_path / "a.jsonl")
