"""What a run says about results that are no measurement, and which limit would tolerate them."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fieldwise.cli.app import app

OPTIONAL_X = {"type": "field_accuracy", "fields": [{"path": "x", "sparse": True}]}
WITH_X = {"id": "1", "expected": {"x": 1}, "actual": {"x": 1}}
WITHOUT_X = {"id": "2", "expected": {"y": 1}, "actual": {"y": 1}}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(folder: Path, rows: list[dict[str, Any]], *evaluators: dict[str, Any]) -> Result:
    (folder / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "s.eval.yaml").write_text(json.dumps({"cases": "c.jsonl", "evaluators": evaluators}))
    return CliRunner().invoke(app, ["run", "s.eval.yaml", "--format", "plain"])


def test_a_limit_is_suggested_for_the_unscored_results_of_all_evaluators(folder: Path) -> None:
    result = run(folder, [WITH_X, WITHOUT_X], OPTIONAL_X, {**OPTIONAL_X, "name": "again"})
    assert result.exit_code == 3
    assert "tolerate them with --max-unscored 2" in result.stdout
    assert CliRunner().invoke(app, ["run", "s.eval.yaml", "--max-unscored", "2"]).exit_code == 0


def test_a_limit_that_cannot_help_is_not_suggested_where_nothing_was_measured(folder: Path) -> None:
    result = run(folder, [WITHOUT_X], OPTIONAL_X)
    assert result.exit_code == 4
    assert "`field_accuracy` measured nothing: 1 case has nothing to score" in result.stdout
    assert "--max-unscored" not in result.stdout


def test_a_limit_that_cannot_help_is_not_suggested_beside_a_configuration_error(folder: Path) -> None:
    result = run(folder, [WITH_X, WITHOUT_X], OPTIONAL_X, {"type": "field_accuracy", "name": "typo", "fields": ["xx"]})
    assert result.exit_code == 2
    assert "skipped 1 of 2 cases" in result.stdout
    assert "--max-unscored" not in result.stdout


def test_only_the_parts_that_count_are_listed(folder: Path) -> None:
    tagged = [{**WITHOUT_X, "tags": ["t"]}, WITH_X, {**WITH_X, "id": "3"}]
    result = run(folder, tagged, {"type": "field_prf"}, {**OPTIONAL_X, "when": {"tag": "t"}})
    assert "measured nothing: 2 cases are not for it, 1 has nothing to score" in result.stdout


def test_faults_name_the_limit_on_errors(folder: Path) -> None:
    result = run(folder, [WITH_X, {"id": "2", "expected": "no record", "actual": {"x": 1}}], OPTIONAL_X)
    assert result.exit_code == 3
    assert "tolerate them with --max-errors 1" in result.stdout


BOX, MALFORMED_BOX = {"bbox": [0, 0, 10, 10], "category": "dog"}, {"bbox": [0, 0, 10, 10]}
DETECTION = {"type": "detection"}
COMPOSITE = {"type": "composite", "evaluators": [DETECTION]}


@pytest.mark.parametrize(("evaluator", "flag"), [(DETECTION, "malformed_expected"), (COMPOSITE, "detection: malformed_expected")])
def test_cases_with_some_malformed_expected_items_are_counted(folder: Path, evaluator: dict[str, Any], flag: str) -> None:
    rows = [
        {"id": "1", "expected": [BOX, MALFORMED_BOX], "actual": [BOX]},
        {"id": "2", "expected": [MALFORMED_BOX, BOX], "actual": [BOX]},
        {"id": "3", "expected": [BOX], "actual": [BOX]},
    ]
    result = run(folder, rows, evaluator)
    assert result.exit_code == 0
    output = " ".join(result.stdout.split())
    assert f"`{evaluator['type']}` cannot read some expected items of 2 of 3 cases: they count as missed" in output
    assert f"(flag `{flag}`)" in output


def test_a_case_with_nothing_but_malformed_expected_items_is_reported_as_a_fault_only(folder: Path) -> None:
    rows = [{"id": "1", "expected": [BOX], "actual": [BOX]}, {"id": "2", "expected": [MALFORMED_BOX], "actual": [BOX]}]
    result = run(folder, rows, DETECTION)
    assert result.exit_code == 3
    output = " ".join(result.stdout.split())
    assert "`detection` could not measure 1 of 2 cases: no expected item can be read" in output
    assert "cannot read some expected items" not in output


def test_a_run_says_that_only_the_first_of_several_outputs_is_scored(folder: Path) -> None:
    trials = [{"id": str(case), "expected": {"x": 1}, "actuals": [{"x": 1}, {"x": 2}]} for case in range(2)]
    result = run(folder, [*trials, {"id": "one", "expected": {"x": 1}, "actuals": [{"x": 1}]}], {"type": "field_prf"})
    assert result.exit_code == 0
    assert "2 of 3 cases have several outputs: scores are those of `actual`, else of the first" in result.stdout
    assert "several outputs" not in run(folder, [WITH_X], {"type": "field_prf"}).stdout


def test_a_field_that_every_record_has_is_not_sparse_because_of_when(folder: Path) -> None:
    rows = [{"id": str(at), "expected": {"x": 1, "y": 1}, "actual": {"x": 1, "y": 1}, "tags": ["odd"] * (at % 2)} for at in range(4)]
    of_y = {"type": "field_accuracy", "name": "of_y", "fields": ["y"]}
    evaluators = ({"type": "field_accuracy", "fields": ["x"]}, {**of_y, "when": {"tag": "odd"}})
    assert "do not have this field" not in run(folder, rows, *evaluators).stdout
    composite = {"type": "composite", "evaluators": [evaluators[0], evaluators[1]]}
    assert "do not have this field" not in run(folder, rows, evaluators[0], composite).stdout


def test_a_field_that_some_records_lack_is_counted_in_all_records_whatever_when_says(folder: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": str(at), "expected": {"x": 1} if at == 1 else {"x": 1, "y": 1}, "actual": {"x": 1}, "tags": ["odd"] * (at % 2)}
        for at in range(4)
    ]
    of_y = {"type": "field_accuracy", "name": "of_y", "fields": ["y"], "when": {"tag": "odd"}}
    result = run(folder, rows, {"type": "field_accuracy", "fields": ["x"]}, of_y)
    assert "field y: 1 of 4 expected records do not have this field" in result.stdout


def test_a_field_that_no_record_has_is_an_error_also_where_the_filter_leaves_no_case(folder: Path) -> None:
    (folder / "none.jsonl").write_text("")
    run(folder, [WITH_X, WITHOUT_X], {"type": "field_accuracy", "fields": ["x", "zz"]})
    result = CliRunner().invoke(app, ["run", "s.eval.yaml", "--filter", "nobody", "--format", "plain"])
    assert result.exit_code == 2
    assert "field zz: no expected record has this field" in result.stdout
    assert CliRunner().invoke(app, ["run", "s.eval.yaml", "--cases", "none.jsonl"]).exit_code == 4
    run(folder, [WITH_X, WITHOUT_X], {"type": "field_accuracy", "fields": ["x"]})
    assert CliRunner().invoke(app, ["run", "s.eval.yaml", "--filter", "nobody"]).exit_code == 4
