"""The error about a missing side names the column that most likely holds it."""

import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw

TEXTS = ["the red fox", "a blue whale", "seven green birds"]


def _explain(tmp_path: Path, rows: list[dict[str, Any]]) -> str:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(fw.ConfigError) as error:
        fw.run({"name": "s", "cases": str(path), "evaluators": [{"type": "answer_quality"}]}, root=tmp_path / "runs")
    return str(error.value)


def test_a_name_that_says_the_side_wins_over_values_that_resemble_it(tmp_path: Path) -> None:
    rows = [{"candidate": text, "notes": text, "expected_turns": [text]} for text in TEXTS]
    assert "columns: {expected: expected_turns}" in _explain(tmp_path, rows)


def test_values_decide_where_names_say_nothing(tmp_path: Path) -> None:
    rows = [{"expected": text, "foo": f"{text}!", "bar": "x", "timestamp": text} for text in TEXTS]
    assert "columns: {actual: foo}" in _explain(tmp_path, rows)


def test_a_value_inside_an_object_that_equals_most_outputs_is_suggested(tmp_path: Path) -> None:
    causes = ["cpu", "memory", "disk", "disk"]
    rows = [{"input": {"log": text, "is_correct": "1", "root_cause": text}, "output": text} for text in causes]
    rows[0]["output"] = "network"
    message = _explain(tmp_path, rows)
    assert "columns: {expected: input.root_cause}" in message
    assert "`output` is read as actual" in message


def test_a_sheet_of_questions_and_answers_may_be_the_expected_side(tmp_path: Path) -> None:
    message = _explain(tmp_path, [{"Question": f"{text}?", "Source Docs": "a.pdf", "Answer": text} for text in TEXTS])
    assert "fieldwise init --expected rows.jsonl --actual FILE" in message


def test_a_suggested_name_with_a_space_is_quoted_for_the_shell(tmp_path: Path) -> None:
    assert "init --column 'actual=Read Text'" in _explain(tmp_path, [{"expected": text, "Read Text": text} for text in TEXTS])


def test_items_of_a_dataset_without_outputs_are_paired_with_a_file_of_them(tmp_path: Path) -> None:
    rows = [{"id": n, "status": "ACTIVE", "expectedOutput": text, "sourceTraceId": "t", "createdAt": "d"} for n, text in enumerate(TEXTS)]
    assert "cases: {expected: rows.jsonl, actual: …}" in _explain(tmp_path, rows)


def test_a_column_without_a_name_is_not_suggested(tmp_path: Path) -> None:
    rows = [{"expected": text, "bar": "x", "": text} for text in TEXTS]
    assert "columns: {actual: bar}" in _explain(tmp_path, rows)


def test_both_sides_are_suggested_by_name_or_by_the_words_they_share(tmp_path: Path) -> None:
    assert "columns: {expected: want, actual: got}" in _explain(tmp_path, [{"n": 1, "want": text, "got": text} for text in TEXTS])
    named = [{"expected_discount": 5, "profile": text} for text in TEXTS]
    assert "columns: {expected: expected_discount, actual: …}" in _explain(tmp_path, named)
    assert "columns: {expected: …, actual: …}" in _explain(tmp_path, [{"a": text, "b": 1} for text in TEXTS])


def test_true_values_that_statistics_call_actual_are_suggested_as_expected(tmp_path: Path) -> None:
    rows = [{"Actual": text, "Predicted": text} for text in TEXTS]
    assert "columns: {expected: Actual, actual: Predicted}" in _explain(tmp_path, rows)
