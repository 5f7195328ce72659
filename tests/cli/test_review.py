"""`fieldwise review`: the queue in a terminal, driven by lines of input."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def stored(folder: Path, fieldwise: Run) -> str:
    """A run in which the number of b and the total of c are wrong."""
    return str(json.loads(fieldwise("run", "small.eval.yaml", "--format", "json").stdout)["run"]["id"])


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def test_decisions_are_written_beside_the_data(folder: Path, stored: str, fieldwise: Run) -> None:
    result = fieldwise("review", stored, "--source", "disagreements", "--by", "ann", "--format", "plain", input="e\nt 9.5\n")
    assert result.exit_code == 0
    assert "number of b" in result.stdout
    assert "2 of 2 decided" in result.stdout
    corrections = [(line["case"], line["path"], line["action"], line["value"], line["by"]) for line in _lines(folder / "corrections.jsonl")]
    assert corrections == [("b", "number", "replace", "B-1O", "ann"), ("c", "total", "replace", 9.5, "ann")]
    assert [line["decision"] for line in _lines(folder / "review.jsonl")] == ["expected_wrong", "expected_wrong"]


def test_the_queue_continues_where_the_input_ended(folder: Path, stored: str, fieldwise: Run) -> None:
    first = fieldwise("review", stored, "--source", "disagreements", "--format", "plain", input="a\n")
    assert "1 of 2 decided" in first.stdout
    again = fieldwise("review", stored, "--source", "disagreements", "--format", "plain", input="what\nt\nnine\nu\nq\n")
    assert "number of b" in again.stdout[again.stdout.index("undone") :]
    assert "is not JSON" in again.stdout
    assert [line["decision"] for line in _lines(folder / "review.jsonl")] == ["actual_wrong", "undo"]


def test_blind_mode_shows_a_and_b(folder: Path, stored: str, fieldwise: Run) -> None:
    result = fieldwise("review", stored, "--source", "disagreements", "--blind", "--format", "plain", input="1\n2\n")
    assert "expected" not in result.stdout
    assert "actual" not in result.stdout
    assert len(_lines(folder / "review.jsonl")) == 2


@pytest.mark.parametrize(
    "options",
    [
        ["--blind", "--format", "json"],
        ["--blind", "--export", "x.json"],
        ["--blind", "--import", "x.json"],
        ["--export", "x", "--import", "x"],
    ],
)
def test_options_that_would_do_nothing_together_are_refused(folder: Path, stored: str, fieldwise: Run, options: list[str]) -> None:
    result = fieldwise("review", stored, *options)
    assert result.exit_code == 2
    assert "--blind does nothing with" in result.output or "exclude each other" in result.output
    assert not list(folder.glob("x*"))


def test_json_lists_the_queue_and_asks_nothing(stored: str, fieldwise: Run) -> None:
    document = json.loads(fieldwise("review", stored, "--sample", "1", "--format", "json").stdout)
    assert (document["run"], document["total"], document["decided"]) == (stored, 6, 0)
    assert [(item["case"], item["path"], item["source"]) for item in document["items"][:2]] == [
        ("b", "number", "disagreements"),
        ("c", "total", "disagreements"),
    ]
    assert document["items"][0]["expected"] == "B-10"


@pytest.mark.parametrize("arguments", [["nothing"], ["latest", "--source", "nonsense"], ["latest", "--sample", "2"]])
def test_an_unknown_run_source_or_share_is_a_usage_error(stored: str, fieldwise: Run, arguments: list[str]) -> None:
    assert fieldwise("review", *arguments, input="").exit_code == 2


def test_tasks_of_label_studio_go_out_and_come_back(folder: Path, stored: str, fieldwise: Run) -> None:
    exported = fieldwise("review", stored, "--source", "disagreements", "--export", "tasks.json")
    assert exported.exit_code == 0
    assert (folder / "tasks.xml").read_text().startswith("<View>")
    tasks = json.loads((folder / "tasks.json").read_text())
    assert [(task["data"]["case"], task["data"]["expected"], task["data"]["actual"]) for task in tasks] == [
        ("b", "B-10", "B-1O"),
        ("c", "9.0", "90.0"),
    ]
    assert tasks[0]["predictions"][0]["result"][0]["value"] == {"text": ["B-1O"]}
    decision = {"from_name": "decision", "to_name": "actual", "type": "choices"}
    value = {"from_name": "value", "to_name": "actual", "type": "textarea", "value": {"text": ["9.25"]}}
    tasks[0]["annotations"] = [{"completed_by": 3, "result": [{**decision, "value": {"choices": ["both are right"]}}]}]
    wrong = {**decision, "value": {"choices": ["expected is wrong"]}}
    tasks[1]["annotations"] = [{"completed_by": {"email": "bob@example.org"}, "result": [wrong, value]}]
    (folder / "annotated.json").write_text(json.dumps(tasks))
    imported = fieldwise("review", stored, "--import", "annotated.json", "--by", "ann")
    assert "2 decisions written" in imported.stdout
    written = [(line["action"], line["value"], line["by"]) for line in _lines(folder / "corrections.jsonl")]
    assert written == [("accept_also", "B-1O", "ann"), ("replace", 9.25, "bob@example.org")]
    assert "0 decisions written" in fieldwise("review", stored, "--import", "annotated.json").stdout


def test_annotations_that_cannot_be_read_change_nothing(folder: Path, stored: str, fieldwise: Run) -> None:
    data = {"case": "b", "path": "number"}
    tasks = [
        {"id": 1, "data": data, "annotations": [{"result": [{"from_name": "decision", "value": {"choices": ["perhaps"]}}]}]},
        {"id": 2, "data": {}, "annotations": [{"result": []}]},
        {"id": 3, "data": data, "annotations": []},
    ]
    (folder / "annotated.json").write_text(json.dumps(tasks))
    result = fieldwise("review", stored, "--import", "annotated.json")
    assert result.exit_code == 2
    assert "perhaps" in result.stderr
    assert "task 2" in result.stderr
    assert not (folder / "review.jsonl").exists()


def _task(number: int, case: str, path: str, word: str, *typed: str) -> dict[str, Any]:
    results: list[dict[str, Any]] = [{"from_name": "decision", "type": "choices", "value": {"choices": [word]}}]
    results += [{"from_name": "value", "type": "textarea", "value": {"text": [text]}} for text in typed]
    return {"id": number, "data": {"case": case, "path": path}, "annotations": [{"completed_by": 1, "result": results}]}


@pytest.mark.parametrize(
    "second",
    [_task(2, "c", "total", "expected is wrong", "nine"), _task(2, "c", "nothing", "actual is wrong")],
    ids=["no number", "no such comparison"],
)
def test_one_answer_that_cannot_be_written_keeps_the_others_out(folder: Path, stored: str, fieldwise: Run, second: dict[str, Any]) -> None:
    (folder / "annotated.json").write_text(json.dumps([_task(1, "b", "number", "expected is wrong, actual is right"), second]))
    result = fieldwise("review", stored, "--import", "annotated.json")
    assert result.exit_code == 2
    assert "0 decisions written" in result.stdout
    assert not (folder / "review.jsonl").exists()
    assert not (folder / "corrections.jsonl").exists()


@pytest.mark.parametrize(
    "annotations",
    [3.5, "x", {}, [1], [{"result": 3}], [{"result": [1]}], [{"result": [{"from_name": "decision", "value": 3}]}], [{"result": [None]}]],
)
def test_annotations_of_a_wrong_type_are_a_configuration_error(folder: Path, stored: str, fieldwise: Run, annotations: Any) -> None:
    task = {"id": 1, "data": {"case": "b", "path": "number"}, "annotations": annotations}
    (folder / "annotated.json").write_text(json.dumps([_task(2, "c", "total", "actual is wrong"), task]))
    result = fieldwise("review", stored, "--import", "annotated.json")
    is_empty = annotations == {}  # no annotation yet
    assert result.exit_code == (0 if is_empty else 2)
    assert is_empty or "task 1" in result.stderr


def _use_corrections(folder: Path) -> None:
    suite = folder / "small.eval.yaml"
    written = suite.read_text()
    assert "cases: cases.jsonl" in written
    suite.write_text(written.replace("cases: cases.jsonl", "cases: {file: cases.jsonl, corrections: corrections.jsonl}"))


def test_answers_that_a_run_applied_already_are_counted_and_not_changed(folder: Path, stored: str, fieldwise: Run) -> None:
    tasks = [_task(1, "b", "number", "expected is wrong, actual is right"), _task(2, "c", "total", "expected is wrong", "99")]
    (folder / "annotated.json").write_text(json.dumps(tasks))
    assert "2 decisions written" in fieldwise("review", stored, "--import", "annotated.json").stdout
    before = (folder / "corrections.jsonl").read_bytes(), (folder / "review.jsonl").read_bytes()
    _use_corrections(folder)
    fieldwise("run", "small.eval.yaml")
    again = fieldwise("review", "latest", "--import", "annotated.json")
    assert again.exit_code == 0
    assert "0 decisions written" in again.stdout
    assert "2 had been decided before" in again.stdout
    assert before == ((folder / "corrections.jsonl").read_bytes(), (folder / "review.jsonl").read_bytes())
    (folder / "review.jsonl").unlink()  # the corrections alone tell it, too
    assert "0 decisions written" in fieldwise("review", "latest", "--import", "annotated.json").stdout
    assert before[0] == (folder / "corrections.jsonl").read_bytes()


def test_a_corrected_value_is_not_asked_about_again_in_the_next_run(folder: Path, stored: str, fieldwise: Run) -> None:
    fieldwise("review", stored, "--source", "disagreements", "--by", "ann", input="b\nt 9.5\n")
    _use_corrections(folder)
    fieldwise("run", "small.eval.yaml")
    document = json.loads(fieldwise("review", "latest", "--sample", "1", "--format", "json").stdout)
    decided = {(item["case"], item["path"]): item["decision"] for item in document["items"] if item["decision"]}
    assert decided == {("b", "number"): "both_right", ("c", "total"): "expected_wrong"}
    summary = fieldwise("review", "latest", "--sample", "1", "--format", "plain", input="q\n").stdout
    assert "had a wrong expected value" not in summary  # it is right in this run
