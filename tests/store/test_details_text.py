"""Details that an evaluator writes by itself are the details that it gives."""

import json
from typing import Any

import numpy as np
import pytest

from fieldwise.model.case import Case, Cases
from fieldwise.model.outcome import Evaluated
from fieldwise.plan.evaluators import plan_config
from fieldwise.read.load import load_json
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.evaluate import evaluate
from fieldwise.store.json_text import to_text
from fieldwise.store.tables import results_table

RECORDS: list[tuple[Any, Any]] = [
    ({"a": 1, "b": "x", "l": [1, 2]}, {"a": 1, "b": "x", "l": [1, 2]}),
    ({"a": 1, "b": "x", "l": [1, 2]}, {"a": 2, "b": "xy", "l": [1]}),
    ({"b": "straße"}, {"b": "strasse"}),
    ({"a": None, "l": []}, {"a": 3, "l": [7]}),
    ({}, {}),
]


@pytest.mark.parametrize("records", [RECORDS, RECORDS[:1], RECORDS[1:2], [*RECORDS, ({"a": 1}, None)], [*RECORDS, ("no record", {"a": 1})]])
def test_the_text_of_the_details_is_that_of_the_details(records: list[tuple[Any, Any]]) -> None:
    fields = ["a", {"path": "b", "match": "fuzzy", "weight": 2}, "l[*]", {"path": '["odd\\"key"]', "required": False}]
    planned = plan_config({"type": "field_accuracy", "fields": fields}, load=load_json)
    cases = [Case(id=str(at), expected=expected, actual=actual) for at, (expected, actual) in enumerate(records)]
    results = evaluate(planned, ScoringBatch(Cases.of(cases)))
    written = [results.details(row) for row in range(len(results))]
    stored = results_table(Evaluated(evaluator=planned, rows=np.arange(len(records)), results=results), 0).column("details").to_pylist()
    assert stored == [to_text(one).decode() for one in written]


def test_the_faster_way_is_taken_where_nothing_is_special() -> None:
    planned = plan_config({"type": "field_accuracy", "fields": ["a"]}, load=load_json)
    results = evaluate(planned, ScoringBatch(Cases.of([Case(id="1", expected={"a": 1}, actual={"a": 2})])))
    assert hasattr(results.details, "text")
    [stored] = results_table(Evaluated(evaluator=planned, rows=np.arange(1), results=results), 0).column("details").to_pylist()
    assert json.loads(stored) == {"fields": [{"field": "a", "score": 0.0, "weight": 1.0, "passed": False}]}
