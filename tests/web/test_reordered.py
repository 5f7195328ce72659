"""Items of lists that came at another place."""

from typing import Any

import pytest

import fieldwise as fw
from fieldwise.web.reordered import moved_items

LINES = [{"sku": "a", "n": 1}, {"sku": "b", "n": 2}, {"sku": "c", "n": 3}]


def compared(expected: Any, actual: Any, align: Any) -> dict[str, str]:
    path = "lines" if isinstance(expected, dict) else ""
    fields = [f"{path}[*].sku", f"{path}[*].n"]
    result = fw.evaluate({"type": "field_accuracy", "fields": fields, "lists": {path or "$": align}}, expected=expected, actual=actual)
    return moved_items(actual, result.comparisons)


@pytest.mark.parametrize("align", [{"align": "best"}, {"align": "key", "key": "sku"}])
def test_an_item_that_moved_says_where_it_came(align: Any) -> None:
    actual = {"lines": [LINES[2], LINES[0], {**LINES[1], "n": 7}]}
    assert compared({"lines": LINES}, actual, align) == {"lines[0]": "lines[1]", "lines[1]": "lines[2]", "lines[2]": "lines[0]"}


def test_items_at_their_places_say_nothing() -> None:
    assert compared({"lines": LINES}, {"lines": [*LINES[:2], {"sku": "x", "n": 9}]}, {"align": "index"}) == {}


def test_equal_items_are_not_taken_for_moved() -> None:
    same = [{"sku": "a", "n": 1}] * 3
    assert compared({"lines": same}, {"lines": same}, {"align": "best"}) == {}


def test_an_output_without_the_list_has_nothing_to_tell() -> None:
    for actual in ({}, {"lines": None}, {"lines": "a"}, "text", None):
        assert compared({"lines": LINES}, actual, {"align": "best"}) == {}
