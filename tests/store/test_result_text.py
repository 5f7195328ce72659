"""Results written as JSON text are the results as objects."""

import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.report.result_text import result_to_json
from fieldwise.report.text_format import dump_json

NAN, INFINITY = float("nan"), float("inf")
ROWS: list[dict[str, Any]] = [
    {
        "id": 'a"\n',
        "expected": {"t": 5, "v": {"n": "Ünal"}, "l": [{"s": "1"}, {"s": "2"}]},
        "actual": {"t": "5", "v": {"n": "Ünal"}, "l": []},
    },
    {"id": "b", "expected": {"t": 2**70, "v": {"n": None}, "l": [1]}, "actual": {"t": 2**70, "v": {"n": "NaN"}, "l": [1, 2]}},
    {"id": "c", "expected": {"t": NAN, "v": {"n": "Infinity"}}, "actual": {"t": INFINITY, "v": [1, {"x": NAN}], "extra": {"y": [1]}}},
    {"id": "d", "expected": {"t": 1}},
    {"id": "e", "expected": "no record", "actual": {"t": 1}},
    {"id": "f", "expected": {}, "actual": {}},
    {"id": "g", "expected": {"t": 1.0, "v": {"n": "x"}}, "actual": '```json\n{"t": 1, "v": {"n": "y"}}\n```', "tags": ["text"]},
]
FIELDS = [{"path": "t", "match": "numeric_tolerance"}, {"path": "v.n", "match": "fuzzy"}, {"path": "l[*].s"}]


@pytest.fixture
def run(tmp_path: Path) -> fw.Run:
    cases = tmp_path / "cases.jsonl"
    cases.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    evaluators = [
        {"type": "field_accuracy", "name": "fields", "fields": FIELDS},
        {"type": "field_prf"},
        {"type": "field_prf", "name": "same"},
        {"type": "json_quality", "when": {"id": ["a", "b", "g"]}},
        {"type": "answer_quality"},
    ]
    return fw.run({"name": "s", "evaluators": evaluators}, cases=str(cases), root=tmp_path / "store", chunk=2)


def test_texts_are_the_results(run: fw.Run) -> None:
    expected = [json.loads(dump_json(result_to_json(stored.case, stored.evaluator, stored.result))) for stored in run.results()]
    actual = [json.loads(text) for text in run.result_texts()]
    assert actual == expected
    assert [list(entry) for entry in actual] == [list(entry) for entry in expected]


def test_texts_are_strict_json(run: fw.Run) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    for text in run.result_texts():
        json.loads(text, parse_constant=refuse)
