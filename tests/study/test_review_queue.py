"""Which comparisons are queued, and in which order."""

import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.store.run import Run
from fieldwise.study.review_queue import QueueSelection, build_queue, load_comparison

ALL = QueueSelection(sample=1.0)


def _case(number: int) -> dict[str, Any]:
    actual = {"total": number if number % 2 else -1, "name": f"n{number}", "items": [{"q": 1}, {"q": 2 if number % 4 else 9}]}
    return {"id": f"c{number}", "expected": {"total": number, "name": f"n{number}", "items": [{"q": 1}, {"q": 2}]}, "actual": actual}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("queue")
    (folder / "cases.jsonl").write_text("".join(json.dumps(_case(number)) + "\n" for number in range(1, 41)))
    evaluators = [{"type": "field_prf"}, {"type": "field_accuracy", "fields": ["total", "name", "items[*].q"]}]
    return fw.run({"name": "q", "cases": str(folder / "cases.jsonl"), "evaluators": evaluators}, root=folder / "runs")


def test_a_comparison_is_queued_once_whatever_number_of_evaluators_compared_it(run: Run) -> None:
    queue = build_queue(run, ALL)
    places = [item.place for item in queue.items]
    assert len(places) == len(set(places)) == 40 * 4
    assert queue.count_by_source() == {"disagreements": 30, "sample": 130}


def test_disagreements_are_the_comparisons_that_did_not_pass(run: Run) -> None:
    queue = build_queue(run, QueueSelection(sources=("disagreements",)))
    assert {item.place for item in queue.items} == {(stored.case, stored.path) for stored in run.mismatches(evaluator="field_prf")}
    comparison = load_comparison(run, queue.items[0])
    assert not comparison.passed
    assert comparison.expected != comparison.actual


def test_the_sample_is_a_share_of_the_agreed_values_and_the_same_every_time(run: Run) -> None:
    selection = QueueSelection(sources=("sample",), sample=0.3)
    queue = build_queue(run, selection)
    assert queue.agreed == 130
    assert 20 <= len(queue) <= 60
    assert all(item.passed for item in queue.items)
    assert queue == build_queue(run, selection)


def test_doubts_come_first_in_their_order_and_are_not_repeated(run: Run) -> None:
    doubts = [("c9", "name"), ("c2", "total"), ("nobody", "total")]
    queue = build_queue(run, QueueSelection(sources=("doubts", "disagreements")), doubts)
    assert [item.place for item in queue.items[:2]] == doubts[:2]
    assert queue.count_by_source() == {"doubts": 2, "disagreements": 29}


def test_a_redacted_value_is_known_as_one(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(json.dumps({"id": "a", "expected": {"iban": "DE123456"}, "actual": {"iban": "DE999999"}}) + "\n")
    suite = {"name": "r", "cases": str(tmp_path / "cases.jsonl"), "redact": ["iban"], "evaluators": [{"type": "field_prf"}]}
    [item] = build_queue(fw.run(suite, root=tmp_path / "runs"), ALL).items
    assert item.redacted
