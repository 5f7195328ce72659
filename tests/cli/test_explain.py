"""`fieldwise explain`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def stored(folder: Path, fieldwise: Run) -> str:
    """The id of a run of the small suite."""
    return str(json.loads(fieldwise("run", "small.eval.yaml", "--format", "json").stdout)["run"]["id"])


def test_the_arithmetic_of_each_evaluator_is_there(stored: str, fieldwise: Run) -> None:
    result = fieldwise("explain", "latest", "b", "--format", "plain")
    assert result.exit_code == 0
    assert "score = 1.0000 / 2 = 0.5000" in result.stdout
    assert "precision = match / (match + wrong + hallucination) = 1 / 2 = 0.5000" in result.stdout
    assert "B-10 → B-1O  look-alike characters" in result.stdout


def test_a_run_is_found_by_the_beginning_of_its_id(stored: str, fieldwise: Run) -> None:
    assert fieldwise("explain", stored[:-3], "a").exit_code == 0


def test_one_field_of_one_evaluator(stored: str, fieldwise: Run) -> None:
    result = fieldwise("explain", "latest", "b", "number", "--evaluator", "fields", "--format", "plain")
    assert result.exit_code == 0
    assert "cause: look-alike characters" in result.stdout
    assert "field_prf" not in result.stdout


def test_json_of_one_field_has_its_comparisons_alone(stored: str, fieldwise: Run) -> None:
    actual = json.loads(fieldwise("explain", "latest", "b", "number", "--format", "json").stdout)
    assert [[comparison["path"] for comparison in entry["comparisons"]] for entry in actual] == [["number"], ["number"]]


def test_json_is_the_stored_results(stored: str, fieldwise: Run) -> None:
    actual = json.loads(fieldwise("explain", "latest", "c", "--format", "json").stdout)
    assert [entry["evaluator"] for entry in actual] == ["fields", "field_prf"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["latest", "bb"], "did you mean"),
        (["latest", "b", "numbr"], "did you mean `number`?"),
        (["2020", "b"], "there is no run `2020`"),
        (["latest", "b", "--evaluator", "nobody"], "it has fields, field_prf"),
        (["latest", "b", "--picture", "x.svg"], "has no boxes to draw"),
        (["latest", "b", "numbr", "--format", "json"], "did you mean `number`?"),
        (["latest", "b", "number", "--field", "total"], "the field is named twice"),
        (["latest", "--field", "number", "--picture", "x.svg"], "--picture draws one case"),
    ],
)
def test_what_is_not_there_exits_2_and_says_what_is(stored: str, fieldwise: Run, arguments: list[str], message: str) -> None:
    result = fieldwise("explain", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_a_folder_without_runs_says_how_to_make_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fieldwise: Run) -> None:
    monkeypatch.chdir(tmp_path)
    result = fieldwise("explain", "latest", "a")
    assert result.exit_code == 2
    assert "fieldwise demo" in result.stderr


def test_boxes_are_drawn(folder: Path, fieldwise: Run) -> None:
    (folder / "boxes.eval.yaml").write_text("cases: boxes.jsonl\nevaluators: [{type: iou_score, path: box, format: xyxy}]\n")
    (folder / "boxes.jsonl").write_text('{"id": "1", "expected": {"box": [0, 0, 10, 10]}, "actual": {"box": [0, 0, 10, 8]}}\n')
    assert fieldwise("run", "boxes.eval.yaml").exit_code == 0
    result = fieldwise("explain", "latest", "1", "--picture", "out/1.svg")
    assert result.exit_code == 0, result.output
    assert "<svg" in (folder / "out/1.svg").read_text()
