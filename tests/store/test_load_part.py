"""What evaluators said, rebuilt from the parts of a run."""

from pathlib import Path
from typing import Any

import pytest

from fieldwise.model.batch import BatchOutcome
from fieldwise.model.case import Case, Cases
from fieldwise.model.plan import Plan
from fieldwise.score.evaluate import score_batch
from fieldwise.store.load_part import FieldsSeen, load_part, stored_tables
from fieldwise.store.manifest import Part, summary_to_json
from fieldwise.store.writer import WrittenPart, build_batch_tables, write_part
from fieldwise.suite_plan import compile_suite
from fieldwise.summarize.state import SummaryState

EVALUATORS: list[dict[str, Any]] = [
    {"type": "field_accuracy", "fields": ["right", "wrong", "nowhere", "lists[*]"]},
    {"type": "field_prf", "fields": ["right", "wrong", "nowhere", "lists[*]"]},
    {"type": "json_quality", "default_text": "FUZZY"},
]
RECORDS: list[tuple[Any, Any]] = [
    ({"right": 1, "wrong": "a"}, {"right": 1, "wrong": "b"}),
    ({"right": 1, "wrong": "c", "lists": [1, {"x": None}]}, {"right": 2, "lists": [1, [2]], "wrong": None}),
    ({"right": None, "lists": []}, {"extra": {"deep": 1}}),
    ({"right": 1, "wrong": "a"}, None),
    ({}, {}),
]


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "cases.jsonl").write_text('{"expected": 1, "actual": 1}\n')
    return compile_suite({"name": "x", "cases": str(tmp_path / "cases.jsonl"), "evaluators": EVALUATORS})


def scored(plan: Plan, records: list[tuple[Any, Any]], size: int) -> list[BatchOutcome]:
    cases = [
        Case(id=f"c{at}", expected=expected, actual=actual, tags=("odd",) if at % 2 else (), split="a" if at else None)
        for at, (expected, actual) in enumerate(records)
    ]
    return [score_batch(plan, Cases.of(cases[at : at + size]), at, None) for at in range(0, len(cases), size)]


def written(folder: Path, outcomes: list[BatchOutcome]) -> WrittenPart:
    (folder / "parts").mkdir(exist_ok=True)
    return write_part(folder / "parts", 0, [build_batch_tables(outcome) for outcome in outcomes])


def stored(folder: Path, outcomes: list[BatchOutcome]) -> Part:
    return written(folder, outcomes).part


@pytest.mark.parametrize("size", [1, 2, 100])
def test_a_part_comes_to_what_its_batches_come_to(tmp_path: Path, plan: Plan, size: int) -> None:
    outcomes = scored(plan, RECORDS * 3, size)
    batches, read, in_memory = (SummaryState(plan.evaluators) for _ in range(3))
    for outcome in outcomes:
        batches.add(outcome)
    written_part, there, also = written(tmp_path, outcomes), FieldsSeen(), FieldsSeen()
    read.add(load_part(stored_tables(tmp_path), written_part.part, plan.evaluators, there))
    in_memory.add(load_part(written_part.table, written_part.part, plan.evaluators, also))
    assert summary_to_json(read.finish()) == summary_to_json(in_memory.finish()) == summary_to_json(batches.finish())
    assert there == also


def test_evaluators_that_share_comparisons_share_them_when_they_are_rebuilt(tmp_path: Path, plan: Plan) -> None:
    spec = {"type": "field_prf", "fields": ["right"]}
    twice = compile_suite(
        {"name": "x", "cases": str(tmp_path / "cases.jsonl"), "evaluators": [{**spec, "name": "one"}, {**spec, "name": "two"}]}
    )
    rebuilt = load_part(stored_tables(tmp_path), stored(tmp_path, scored(twice, RECORDS, 2)), twice.evaluators)
    first, second = (evaluated.results.comparisons for evaluated in rebuilt.evaluated)
    assert first is not None
    assert first is second


@pytest.mark.parametrize(
    ("records", "there"),
    [
        (RECORDS[:1], {"right", "wrong"}),
        ([({"right": 1}, {"right": 2})], {"right"}),
        ([({"right": None}, {})], {"right"}),
        ([({}, {"wrong": 1})], {"wrong"}),
        ([({"lists": [{"x": 1}]}, {"lists": [[2]]})], {"lists[*]"}),
        ([({}, None)], set[str]()),
        ([({}, {})], set[str]()),
    ],
)
def test_a_field_is_there_if_some_case_has_it_right_or_wrong(tmp_path: Path, plan: Plan, records: Any, there: set[str]) -> None:
    seen = FieldsSeen()
    load_part(stored_tables(tmp_path), stored(tmp_path, scored(plan, records, 1)), plan.evaluators[:1], seen)
    assert seen.either == there
