"""`fieldwise check`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]


def test_a_good_suite_says_what_it_would_do(folder: Path, fieldwise: Run) -> None:
    result = fieldwise("check", "small.eval.yaml", "--format", "plain")
    assert result.exit_code == 0
    assert "✓ small can run: 3 cases, 2 evaluators" in result.stdout
    assert "numeric ± 0.01" in result.stdout
    assert "splits: train 1, test 2" in result.stdout
    assert "no gate is set" in result.stdout
    assert not (folder / ".fieldwise").exists()


def test_a_path_that_no_case_has_is_a_problem(folder: Path, fieldwise: Run) -> None:
    path = folder / "small.eval.yaml"
    path.write_text(path.read_text().replace("path: total", "path: totl"))
    result = fieldwise("check", "small.eval.yaml", "--format", "plain")
    assert result.exit_code == 2
    assert "field totl" in result.stdout
    assert "total" in result.stdout


def test_inferred_rules_are_shown_with_their_reasons(folder: Path, fieldwise: Run) -> None:
    (folder / "open.eval.yaml").write_text("cases: cases.jsonl\nevaluators: [{type: field_accuracy}]\n")
    result = fieldwise("check", "open.eval.yaml", "--format", "plain")
    assert result.exit_code == 0
    assert "values read as codes" in result.stdout


def test_long_paths_stay_distinct_and_take_the_room_of_the_reasons(folder: Path, fieldwise: Run) -> None:
    names = [f"applicant_declared_household_income_as_of_statement_date_{number}" for number in range(3)]
    record = dict.fromkeys(names, "Acme Supplies and Sons of London")
    (folder / "cases.jsonl").write_text(json.dumps({"id": "a", "expected": record, "actual": record}) + "\n")
    (folder / "small.eval.yaml").write_text("cases: cases.jsonl\nevaluators:\n  - {type: field_accuracy}\n")
    lines = fieldwise("check", "small.eval.yaml").stdout.splitlines()
    assert [line.split()[0][-2:] for line in lines if line.startswith("  applicant")] == ["_0", "_1", "_2"]


def test_json_tells_the_same(folder: Path, fieldwise: Run) -> None:
    actual = json.loads(fieldwise("check", "small.eval.yaml", "--format", "json").stdout)
    assert actual["fine"] is True
    assert actual["counts"]["cases"] == 3
    assert [entry["path"] for entry in actual["evaluators"][0]["fields"]] == ["number", "total"]


def test_the_json_of_a_suite_that_cannot_be_compiled_holds_its_problems(folder: Path, fieldwise: Run) -> None:
    path = folder / "small.eval.yaml"
    path.write_text(path.read_text().replace("match: exact", "match: exakt"))
    result = fieldwise("check", "small.eval.yaml", "--format", "json")
    assert result.exit_code == 2
    document = json.loads(result.stdout)
    assert document["fine"] is False
    assert "Invalid match type: exakt" in document["diagnostics"][0]["what"]


def test_gates_on_regressions_are_listed(folder: Path, fieldwise: Run) -> None:
    gate = ("--gate", "regression.fields.score <= 0.02")
    assert "regression of fields.score <= 0.02" in fieldwise("check", "small.eval.yaml", *gate).stdout
    actual = json.loads(fieldwise("check", "small.eval.yaml", *gate, "--format", "json").stdout)
    assert actual["gates"] == ["regression of fields.score <= 0.02"]


def test_columns_that_were_recognised_are_told(folder: Path, fieldwise: Run) -> None:
    lines = (folder / "cases.jsonl").read_text().replace('"expected"', '"ground_truth"').replace('"actual"', '"output"')
    (folder / "cases.jsonl").write_text(lines)
    result = fieldwise("check", "small.eval.yaml", "--format", "plain")
    assert result.exit_code == 0
    assert "the column `ground_truth` is read as expected" in result.stdout


def test_a_suite_without_cases_exits_2(folder: Path, fieldwise: Run) -> None:
    (folder / "cases.jsonl").write_text("")
    assert fieldwise("check", "small.eval.yaml").exit_code == 2


def test_a_malformed_path_is_counted_as_a_problem(folder: Path, fieldwise: Run) -> None:
    path = folder / "small.eval.yaml"
    path.write_text(path.read_text().replace("path: total", "path: a..total"))
    result = fieldwise("check", "small.eval.yaml", "--format", "plain")
    assert result.exit_code == 2
    assert "✗ small: 1 problem" in result.stdout
    assert "there are no cases" not in result.stdout
    checked = json.loads(fieldwise("check", "small.eval.yaml", "--format", "json").stdout)
    assert [(problem["level"], problem["code"]) for problem in checked["diagnostics"]] == [("error", "malformed-path")]


def test_an_unknown_metric_is_reported_together_with_an_unknown_match(folder: Path, fieldwise: Run) -> None:
    path = folder / "small.eval.yaml"
    path.write_text(path.read_text().replace("match: exact", "match: exct") + 'gate: {fields.scroe: ">= 0.9"}\n')
    result = fieldwise("check", "small.eval.yaml", "--format", "plain")
    assert result.exit_code == 2
    assert "Invalid match type: exct" in result.stderr
    assert "`fields` has no metric `scroe`" in result.stderr
    assert "did you mean `score`?" in result.stderr
