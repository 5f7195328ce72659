"""equals: the text an output must be."""

from typing import Any

import pytest

import fieldwise as fw


@pytest.mark.parametrize(
    ("options", "expected", "actual", "score"),
    [
        ({"value": "approved"}, None, " approved\n", 1.0),
        ({"value": "approved"}, None, "Approved", 0.0),
        ({"value": "approved", "ignore_case": True}, None, "APPROVED", 1.0),
        ({"value": ["yes", "no"]}, None, "no", 1.0),
        ({"value": ["yes", "no"]}, None, "maybe", 0.0),
        ({"value": ["yes", "no"], "negate": True}, None, "no", 0.0),
        ({"value": ["yes", "no"], "negate": True}, None, "maybe", 1.0),
        ({"value": "caf\u00e9"}, None, "cafe\u0301", 1.0),
        ({}, "604", 604, 1.0),
        ({}, {"b": 1, "a": 2}, {"a": 2, "b": 1}, 1.0),
        ({"negate": True}, "a", "b", 1.0),
    ],
)
def test_a_table_of_outputs(options: dict[str, Any], expected: Any, actual: Any, score: float) -> None:
    assert fw.evaluate({"type": "equals", **options}, expected=expected, actual=actual).score == score


def test_hits_and_misses_name_the_text() -> None:
    assert fw.evaluate({"type": "equals", "value": "yes"}, actual="no").misses == ['equals: "yes"']
    assert fw.evaluate({"type": "equals", "value": "yes", "negate": True}, actual="no").hits == ['not equals: "yes"']


def test_nothing_to_compare_with_is_skipped() -> None:
    assert fw.evaluate({"type": "equals"}, actual="x").status == "skipped"


def test_a_blank_text_is_refused() -> None:
    with pytest.raises(fw.ConfigError, match="blank text"):
        fw.evaluate({"type": "equals", "value": " "}, actual="x")
