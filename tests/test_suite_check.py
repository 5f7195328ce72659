"""`fw.check`: the problems that `fieldwise check` reports, as an exception."""

import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw

RECORD = {"number": "A-1", "total": 5}
CASES = [{"id": "1", "expected": RECORD, "actual": RECORD}]


def suite(*fields: str, cases: Any = None) -> dict[str, Any]:
    evaluator = {"type": "field_accuracy", "name": "fields", "fields": [{"path": path, "match": "exact"} for path in fields]}
    return {"evaluators": [evaluator]} | ({} if cases is None else {"cases": cases})


def test_a_suite_that_can_run_is_returned_as_a_plan() -> None:
    plan = fw.check(suite("number", "total"), cases=CASES)
    assert [planned.name for planned in plan.evaluators] == ["fields"]


@pytest.mark.parametrize(
    ("written", "cases", "problem"),
    [
        (suite("a..b"), CASES, "malformed-path"),
        (suite("numbr"), CASES, "unused-rule"),
        (suite("number"), "nothing.jsonl", "no-file"),
        (suite("number"), [{"id": "1", "expected": RECORD}], "no-actual-column"),
        (suite("number"), CASES * 2, "duplicate-id"),
        (suite("number"), [], "empty-file"),
    ],
)
def test_what_only_the_cases_show_is_an_error_too(written: dict[str, Any], cases: Any, problem: str) -> None:
    with pytest.raises(fw.ConfigError) as error:
        fw.check(written, cases=cases)
    assert problem in {diagnostic.code for diagnostic in error.value.diagnostics}, error.value


@pytest.mark.parametrize("given", [None, 5, [suite("number")], b"suite.eval.yaml"])
def test_what_is_neither_a_path_nor_a_mapping_is_a_configuration_error(given: Any) -> None:
    for read in (fw.check, fw.run):
        with pytest.raises(fw.ConfigError, match="a suite cannot be given as") as error:
            read(given, cases=CASES)
        assert [problem.code for problem in error.value.diagnostics] == ["not-a-suite"]


def test_every_problem_of_the_cases_is_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(json.dumps(CASES[0]) + "\n{broken\n")
    with pytest.raises(fw.ConfigError) as error:
        fw.check(suite("numbr", "totl"), cases=str(tmp_path / "cases.jsonl"))
    assert len(error.value.diagnostics) == 3
