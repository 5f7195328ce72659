"""Details that an evaluator writes by itself are the details that it gives."""

import json
import math
from typing import Any

import numpy as np
import pytest

from fieldwise.model.batch import EvaluatorOutcome
from fieldwise.model.case import Case, Cases
from fieldwise.model.result import Results
from fieldwise.plan.evaluators import plan_config
from fieldwise.read.table_files import load_json
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.evaluate import evaluate
from fieldwise.store.arrow_tables import build_results_table
from fieldwise.store.stored_json import dump_json

RECORDS: list[tuple[Any, Any]] = [
    ({"a": 1, "b": "x", "l": [1, 2]}, {"a": 1, "b": "x", "l": [1, 2]}),
    ({"a": 1, "b": "x", "l": [1, 2]}, {"a": 2, "b": "xy", "l": [1]}),
    ({"b": "straße"}, {"b": "strasse"}),
    ({"a": None, "l": []}, {"a": 3, "l": [7]}),
    ({}, {}),
]
ODD: list[tuple[Any, Any]] = [
    ({"a": 1.5, "b": "ß"}, {"a": math.nan, "b": "ü"}),
    ({"a": 2**80, "b": "x"}, {"a": 7, "b": "lone \ud800"}),
    ({"a": {"c": [None]}, "b": 'quote " and\nline'}, {"a": [1, {"d": math.inf}], "b": True}),
    ({"a": "2024-02-29", "b": " "}, {"b": None, "more": {"deep": [[]]}}),
    ({"a": 1, "key \udcff": 1}, {"a": 2, "key \udcff": 2}),
]
FIELDS = ["a", {"path": "b", "match": "fuzzy", "weight": 2}, "l[*]", {"path": '["odd\\"key"]', "required": False}]
EVALUATORS: list[dict[str, Any]] = [
    {"type": "field_accuracy", "fields": FIELDS},
    {"type": "field_prf"},
    {"type": "field_prf", "fields": FIELDS[:2], "ignore": ["l"]},
    {"type": "json_quality", "default_text": "FUZZY"},
    {"type": "json_quality", "default_text": "EXACT", "flatten": True, "strategies": {"b": "IGNORE"}},
]


def stored(config: dict[str, Any], records: list[tuple[Any, Any]]) -> tuple[Results, list[str]]:
    """What an evaluator says of these records, and its details as they are stored."""
    planned = plan_config(config, load=load_json)
    cases = [Case(id=str(at), expected=expected, actual=actual) for at, (expected, actual) in enumerate(records)]
    results = evaluate(planned, ScoringBatch(Cases.of(cases)))
    table = build_results_table(EvaluatorOutcome(evaluator=planned, rows=np.arange(len(records)), results=results), 0, {})
    return results, table.column("details").to_pylist()


@pytest.mark.parametrize("config", [*EVALUATORS, {"type": "field_accuracy", "fields": ["a", "key \udcff"]}])
@pytest.mark.parametrize(
    "records",
    [
        RECORDS,
        RECORDS[:1],
        RECORDS[1:2],
        RECORDS[-1:],
        ODD,
        *([value] for value in ODD),
        [*RECORDS, *ODD, *RECORDS],
        [*RECORDS, ({"a": 1}, None)],
        [*RECORDS, ("no record", {"a": 1})],
    ],
)
def test_the_text_of_the_details_is_that_of_the_details(config: dict[str, Any], records: list[tuple[Any, Any]]) -> None:
    results, texts = stored(config, records)
    assert texts == [dump_json(results.details(row)).decode() for row in range(len(results))]


@pytest.mark.parametrize("config", EVALUATORS)
def test_the_faster_way_is_taken_where_nothing_is_special(config: dict[str, Any]) -> None:
    results, texts = stored(config, RECORDS[:3])
    ready: Any = results.details
    assert [text.decode() for text in ready.texts()] == texts


def test_one_odd_value_costs_one_case_the_faster_way() -> None:
    results, _ = stored({"type": "field_prf"}, [*RECORDS[:3], ODD[0]])
    ready: Any = results.details
    assert [text is None for text in ready.texts()] == [False, False, False, True]


def test_the_details_are_those_of_the_score() -> None:
    _, [text] = stored({"type": "field_accuracy", "fields": ["a"]}, [({"a": 1}, {"a": 2})])
    assert json.loads(text) == {"fields": [{"field": "a", "score": 0.0, "weight": 1.0, "passed": False}]}
