"""is_json: an output that is JSON and nothing else, or has JSON in it."""

from typing import Any

import pytest

import fieldwise as fw

FENCED = '```json\n{"a": 1}\n```'


@pytest.mark.parametrize(
    ("options", "actual", "score"),
    [
        ({}, '{"a": 1}', 1.0),
        ({}, " [1, 2] ", 1.0),
        ({}, "604", 1.0),
        ({}, {"a": 1}, 1.0),
        ({}, "604 euros", 0.0),
        ({}, FENCED, 0.0),
        ({}, '{"a": NaN}', 0.0),
        ({}, '{"a": 1,}', 0.0),
        ({}, "\ud800", 0.0),
        ({}, "[" * 100_000, 0.0),
        ({"anywhere": True}, FENCED, 1.0),
        ({"anywhere": True}, 'Here: {"a": 1,}', 1.0),
        ({"anywhere": True}, "nothing here", 0.0),
        ({"kind": "object"}, '{"a": 1}', 1.0),
        ({"kind": "object"}, "[1]", 0.0),
        ({"kind": "list"}, "[1]", 1.0),
        ({"kind": "list"}, [1], 1.0),
        ({"negate": True}, "prose", 1.0),
        ({"negate": True}, "{}", 0.0),
    ],
)
def test_a_table_of_outputs(options: dict[str, Any], actual: Any, score: float) -> None:
    result = fw.evaluate({"type": "is_json", **options}, actual=actual)
    assert (result.score, result.status) == (score, "scored")


def test_hits_and_misses_say_what_was_found() -> None:
    assert fw.evaluate({"type": "is_json"}, actual="{}").hits == ["is_json (object)"]
    assert fw.evaluate({"type": "is_json", "kind": "list"}, actual="{}").misses == ["is_json (object)"]
    assert fw.evaluate({"type": "is_json", "anywhere": True}, actual="no").misses == ["is_json (there is no JSON)"]
