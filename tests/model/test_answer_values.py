"""The answer inside messages and objects, as evaluators of texts read it."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.model.answer_values import find_message_answer, read_answers
from fieldwise.model.values import MISSING

MESSAGES = [
    {"role": "user", "content": "Capital of France?"},
    {"role": "assistant", "content": None, "tool_calls": [{"name": "look_up"}]},
    {"role": "assistant", "content": "Paris"},
]


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (MESSAGES, "Paris"),
        ({"messages": MESSAGES}, "Paris"),
        (MESSAGES[2], "Paris"),
        ([{"role": "assistant", "content": [{"type": "text", "value": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]}], "a\nb"),
        ([{"role": "assistant", "content": {"risk": "low"}}], {"risk": "low"}),
        (MESSAGES[:2], MISSING),
        ([{"role": "Buyer", "name": "Acme"}], MISSING),
        ([{"role": "assistant", "content": "a"}, "b"], MISSING),
        ({"role": "assistant", "content": "a", "name": "b"}, MISSING),
        ([], MISSING),
        ("Paris", MISSING),
    ],
)
def test_the_last_answer_with_content_stands_for_the_messages(value: Any, answer: Any) -> None:
    assert find_message_answer(value) == answer


@pytest.mark.parametrize(
    ("expected", "actual", "answers"),
    [
        ({"answer": "a"}, {"answer": "b"}, ("a", "b")),
        ({"answer": "a"}, {"output": "b"}, ("a", "b")),
        ("a", {"anything": "b"}, ("a", "b")),
        ({"$any": ["a", "c"]}, {"answer": "b"}, ({"$any": ["a", "c"]}, "b")),
        ({"answer": "a"}, '{"answer": "b"}', ("a", "b")),
        (MESSAGES, {"answer": "b"}, ("Paris", "b")),
    ],
)
def test_an_object_with_one_text_stands_for_that_text(expected: Any, actual: Any, answers: tuple[Any, Any]) -> None:
    assert read_answers(expected, actual) == answers


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ({"city": "Paris"}, {"country": "Paris"}),
        ({"answer": "a"}, {"answer": "b", "sources": []}),
        ({"answer": 1}, {"answer": 1}),
        (MISSING, {"answer": "b"}),
        ('{"answer": "a"}', '{"answer": "b"}'),
        ("a", '{"answer": "b"}'),
    ],
)
def test_records_and_texts_stay_as_they_are(expected: Any, actual: Any) -> None:
    assert read_answers(expected, actual) == (expected, actual)


EVALUATORS: list[dict[str, Any]] = [{"type": "equals"}, {"type": "answer_quality"}, {"type": "similarity", "match": "fuzzy"}]


def score_rows(rows: list[dict[str, Any]]) -> tuple[list[float | None], list[str]]:
    run = fw.run({"name": "s", "evaluators": EVALUATORS}, cases=rows)
    scores = [stored.result.metrics.get("exact_match", stored.result.score) for stored in run.results()]
    return scores, [diagnostic.code for diagnostic in run.diagnostics]


def test_a_run_reads_the_answer_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scores, codes = score_rows(
        [{"id": "a", "reference_outputs": {"answer": "It is Rome"}, "outputs": [*MESSAGES[:2], {"role": "ai", "content": "It is Rome"}]}]
    )
    assert scores == [1.0, 1.0, 1.0]
    assert "answers-unwrapped" in codes
    scores, codes = score_rows([{"id": "a", "expected": "It is Rome", "actual": "It is Rome"}])
    assert "answers-unwrapped" not in codes


def test_evaluators_of_records_read_the_record_in_a_message() -> None:
    expected = [{"role": "assistant", "content": {"risk": "low", "amount": 5}}]
    actual = [{"role": "assistant", "content": '```json\n{"risk": "low", "amount": 6}\n```'}]
    result = fw.evaluate({"type": "field_accuracy"}, expected=expected, actual=actual)
    assert (result.hits, result.score) == (["risk"], 0.5)
    transcript = [{"role": "assistant", "content": "Hello"}]
    result = fw.evaluate({"type": "field_accuracy"}, expected=transcript, actual=transcript)
    assert result.hits == ["[0].role", "[0].content"]


def test_evaluators_of_records_keep_the_key_of_an_object_with_one_text() -> None:
    result = fw.evaluate({"type": "field_accuracy"}, expected={"answer": "Paris"}, actual={"answer": "Paris"})
    assert result.hits == ["answer"]
    assert fw.evaluate({"type": "field_accuracy"}, expected={"answer": "Paris"}, actual={"output": "Paris"}).score == 0


def test_cells_of_csv_hold_messages_and_objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        ("id", "expected", "actual"),
        ("json", json.dumps(MESSAGES), "Paris"),
        ("python", str([{"role": "assistant", "content": "Paris"}]), json.dumps(MESSAGES)),
        ("objects", '{"answer": "Paris"}', '{"answer":"Paris"}'),
        ("other keys", '{"city": "Paris"}', '{"country": "Paris"}'),
        ("text", "Paris", '{"city": "Paris"}'),
    ]
    with (tmp_path / "cases.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    run = fw.run({"name": "s", "cases": "cases.csv", "evaluators": [{"type": "equals"}]})
    assert {stored.case: stored.result.score for stored in run.results()} == {
        "json": 1.0,
        "python": 1.0,
        "objects": 1.0,
        "other keys": 0.0,
        "text": 0.0,
    }
