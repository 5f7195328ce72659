"""`fieldwise diff`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_cases import write_coco_files

Run = Callable[..., Any]


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value))
    return path


def test_files_that_say_the_same_exit_0(tmp_path: Path, fieldwise: Run) -> None:
    entry = write(tmp_path / "gold.json", {"a": 1, "b": [1, 2]})
    second = write(tmp_path / "anything.json", {"b": [1, 2], "a": 1})
    result = fieldwise("diff", entry, second)
    assert result.exit_code == 0
    assert "✓ nothing differs" in result.stdout


def test_files_that_differ_exit_1_with_every_difference_explained(tmp_path: Path, fieldwise: Run) -> None:
    entry = write(tmp_path / "a.json", {"vendor": "Acme Corp", "total": 100.5})
    second = write(tmp_path / "b.json", {"vendor": "Acme Corp", "total": 10050.0})
    result = fieldwise("diff", entry, second, "--format", "plain")
    assert result.exit_code == 1
    assert "100.5 → 10050.0  decimal point lost" in result.stdout
    assert "Rules, inferred from the values of both sides" in result.stdout


@pytest.mark.parametrize("value", [[{"x": 1}, {"x": 2}], [1, 2], 3])
def test_a_single_json_file_is_one_record_whatever_it_holds(tmp_path: Path, fieldwise: Run, value: object) -> None:
    entry, second = write(tmp_path / "a.json", value), write(tmp_path / "b.json", value)
    result = fieldwise("diff", entry, second)
    assert result.exit_code == 0, result.output
    assert "1 record" in result.stdout


def test_files_without_a_record_exit_2(tmp_path: Path, fieldwise: Run) -> None:
    entry = write(tmp_path / "a.json", "only text")
    assert fieldwise("diff", entry, entry).exit_code == 2
    second = write(tmp_path / "b.json", "other text")
    result = fieldwise("diff", entry, second)
    assert result.exit_code == 2
    assert f"for plain text, write a suite: fieldwise init --expected {entry} --actual {second}" in result.stderr


def test_null_where_a_record_is_expected_differs(tmp_path: Path, fieldwise: Run) -> None:
    entry, second = write(tmp_path / "a.json", {"a": 1}), write(tmp_path / "b.json", None)
    assert fieldwise("diff", entry, second).exit_code == 1


def test_folders_are_paired_by_name(tmp_path: Path, fieldwise: Run) -> None:
    for name, value in {"x": 1, "y": 2}.items():
        write(tmp_path / f"gold/{name}.json", {"v": value})
        write(tmp_path / f"pred/{name}.json", {"v": 1})
    result = fieldwise("diff", tmp_path / "gold", tmp_path / "pred", "--format", "plain")
    assert result.exit_code == 1
    assert "2 records" in result.stdout
    assert "y  2 → 1" in result.stdout


def test_jsonl_files_are_paired_by_id(tmp_path: Path, fieldwise: Run) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "p", "v": 1}\n{"id": "q", "v": 2}\n')
    (tmp_path / "b.jsonl").write_text('{"id": "q", "v": 2}\n{"id": "p", "v": 7}\n')
    actual = json.loads(fieldwise("diff", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--format", "json").stdout)
    assert [(entry["case"], entry["path"]) for entry in actual["differences"]] == [("p", "v")]


def test_a_file_that_is_not_there_exits_2_and_names_the_nearest(tmp_path: Path, fieldwise: Run) -> None:
    entry = write(tmp_path / "gold.json", {})
    result = fieldwise("diff", entry, tmp_path / "glod.json")
    assert result.exit_code == 2
    assert "did you mean" in result.stderr


def test_a_file_that_is_no_json_exits_2(tmp_path: Path, fieldwise: Run) -> None:
    entry = write(tmp_path / "gold.json", {})
    (tmp_path / "bad.json").write_text('{"a": ')
    result = fieldwise("diff", entry, tmp_path / "bad.json")
    assert result.exit_code == 2
    assert "bad.json" in result.stderr


@pytest.mark.parametrize("is_link", [False, True])
def test_a_record_compared_with_its_own_file_gets_a_remark(tmp_path: Path, fieldwise: Run, is_link: bool) -> None:
    entry = write(tmp_path / "a.json", {"a": 1})
    second = entry
    if is_link:
        second = tmp_path / "b.json"
        second.symlink_to(entry)
    result = fieldwise("diff", entry, second, "--format", "plain")
    assert result.exit_code == 0
    assert "this file is both expected and actual" in " ".join(result.stdout.split())


def test_equal_tables_without_an_id_differ_in_nothing(tmp_path: Path, fieldwise: Run) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("vendor,total\nAcme,5\nLang,6\n")
    result = fieldwise("diff", tmp_path / "a.csv", tmp_path / "b.csv", "--format", "plain")
    assert result.exit_code == 0
    assert "paired by their number" in result.stdout
    assert "nothing differs" in result.stdout
    assert "columns:" not in result.stdout  # an option of suites


def test_what_was_done_to_read_a_damaged_output_is_said(tmp_path: Path, fieldwise: Run) -> None:
    entry = write(tmp_path / "a.json", {"a": 1, "b": [1, 2, 3]})
    (tmp_path / "b.json").write_text('{"a": 1, "b": [1, 2')
    result = fieldwise("diff", entry, tmp_path / "b.json", "--format", "plain")
    assert result.exit_code == 1
    assert "the text breaks off" in result.stdout


def test_the_record_is_found_deep_inside_the_answer_of_a_service(tmp_path: Path, fieldwise: Run) -> None:
    prediction = {"total": {"value": 5, "confidence": 0.9}, "vendor": {"value": "Lang", "confidence": 0.8}}
    answer = {"api_request": {"status": "ok"}, "document": {"pages": 1, "inference": {"prediction": prediction, "version": "2"}}}
    entry, second = write(tmp_path / "gold.json", {"total": 5, "vendor": "Acme"}), write(tmp_path / "answer.json", answer)
    result = fieldwise("diff", entry, second, "--format", "plain")
    assert result.exit_code == 1
    assert "the actual record is `document.inference.prediction` of each row" in result.stdout
    assert "✗ 1 difference " in result.stdout
    other = write(tmp_path / "other.json", {"a": {"b": {"c": {"total": 5, "x": 1, "y": 2, "z": 3}}}})
    wide = write(tmp_path / "wide.json", {"total": 5, "vendor": "Acme", "date": "", "number": "A-1"})
    assert "of each row" not in fieldwise("diff", wide, other, "--format", "plain").stdout


def test_coco_files_are_refused_with_the_commands_that_score_boxes(tmp_path: Path, fieldwise: Run) -> None:
    annotations, detections = write_coco_files(tmp_path)
    refused = fieldwise("diff", annotations, detections)
    assert refused.exit_code == 2
    assert "fieldwise init --expected" in " ".join(refused.stderr.split())
    assert "fieldwise run" in refused.stderr
