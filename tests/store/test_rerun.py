"""The cases of an earlier run are scored again as they were: the fast mode of answer metrics."""

import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise import ConfigError
from fieldwise.store.run import open_run

CASES: list[dict[str, Any]] = [
    {"id": "1", "input": "What is it?", "expected": "$604", "actual": "It is $604", "contexts": ["It is $604."], "tags": ["x"], "level": 3},
    {"id": "2", "input": "And that?", "expected": {"a": 2**70, "b": None}, "actual": None},
    {"id": "3", "input": "Who?", "expected": "Dahl", "split": "test"},
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with one run, whose file of cases is gone."""
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(json.dumps(case) + "\n" for case in CASES), encoding="utf-8")
    fw.run({"cases": str(file), "evaluators": [{"type": "answer_quality"}]}, root=tmp_path)
    file.unlink()
    return tmp_path


@pytest.mark.parametrize("cases", ["run:latest", "run:2"])
def test_answers_and_contexts_of_a_run_are_used_as_they_are(root: Path, cases: str) -> None:
    """Answer metrics, fast mode: cached results are used; nothing is extracted again."""
    before = open_run(root)
    again = fw.run({"cases": cases, "evaluators": [{"type": "answer_quality"}, {"type": "grounding"}]}, root=root)
    assert again.summary["answer_quality.score"] == before.summary["answer_quality.score"]
    assert again.full.evaluators["grounding"].counts.cases == 3
    case = again.case("1")
    assert (case.input, case.expected, case.actual, case.contexts) == ("What is it?", "$604", "It is $604", ["It is $604."])
    assert (case.tags, case.metadata) == (("x",), {"level": 3})
    assert again.case("2").expected == {"a": 2**70, "b": None}
    assert again.case("3").split == "test"


def test_what_is_missing_is_said(root: Path) -> None:
    run = fw.run({"cases": "run:latest", "evaluators": [{"type": "answer_quality"}]}, root=root)
    [note] = [note for note in run.diagnostics if note.code == "recalled"]
    assert "1 have no output, 2 have no contexts" in note.what


def test_a_run_that_is_not_there_is_an_error_that_names_those_that_are(root: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        fw.run({"cases": "run:nowhere", "evaluators": [{"type": "answer_quality"}]}, root=root)
    [problem] = caught.value.diagnostics
    assert problem.code == "no-run"
    assert "nowhere" in problem.what


def test_an_invalid_run_has_no_cases_to_score_again(root: Path) -> None:
    data = root / "other.jsonl"
    data.write_text('{"id": "1", "expected": {"a": 1}, "actual": {"a": 1}}\n', encoding="utf-8")
    invalid = fw.run({"cases": str(data), "evaluators": [{"type": "field_accuracy", "fields": ["nowhere"]}]}, root=root)
    assert invalid.state == "invalid"
    with pytest.raises(ConfigError) as caught:
        fw.run({"cases": f"run:{invalid.id}", "evaluators": [{"type": "answer_quality"}]}, root=root)
    assert [problem.code for problem in caught.value.diagnostics] == ["invalid-run"]


def test_columns_of_the_suite_are_for_its_file_not_for_the_run(root: Path) -> None:
    suite = {"cases": "gone.csv", "columns": {"expected": "gold_answer"}, "evaluators": [{"type": "answer_quality"}]}
    assert fw.run(suite, cases="run:latest", root=root).full.cases == 3
