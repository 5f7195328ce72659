"""What `item_shifted` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.registry import CAUSES

RECORD = {"items": [{"name": name, "amount": amount} for name, amount in zip("ABCDEF", (10.5, 20.5, 30.5, 40.5, 50.5, 60.5), strict=True)]}


def claims(path: str, actual: object) -> bool:
    return CAUSES.find("item_shifted").function(None, actual, Context(path, "items[*].amount", RECORD))


@pytest.mark.parametrize("actual", [20.5, 30.5, 40.5])
def test_it_claims_the_value_of_an_item_nearby(actual: float) -> None:
    assert claims("items[0].amount", actual)


def test_it_leaves_items_farther_away_alone() -> None:
    assert not claims("items[0].amount", 50.5)


def test_it_leaves_another_field_of_a_neighbour_alone() -> None:
    assert not claims("items[0].total", 20.5)


def test_it_leaves_counts_alone_that_agree_by_chance() -> None:
    record = {"items": [{"quantity": 12}, {"quantity": 13}]}
    assert not CAUSES.find("item_shifted").function(12, 13, Context("items[0].quantity", "items[*].quantity", record))


def test_it_reads_paths_with_odd_keys_and_leaves_those_without_an_item_alone() -> None:
    function = CAUSES.find("item_shifted").function
    assert function(None, "Beta", Context('a["odd.key"][1]', "a", {"a": {"odd.key": ["Acme", "Acme", "Beta"]}}))
    assert not function(None, "Beta", Context("(root)", "(root)", ["Acme", "Beta"]))
    assert not function(None, "Beta", Context("", ""))


def test_it_leaves_values_alone_that_stand_nowhere() -> None:
    assert not claims("items[0].amount", 99.5)


def test_in_nested_lists_one_index_may_differ_and_no_more() -> None:
    record = {"a": [{"b": [10.5, 20.5]}, {"b": [30.5, 40.5]}]}
    function = CAUSES.find("item_shifted").function
    assert function(None, 30.5, Context("a[0].b[0]", "a[*].b[*]", record))
    assert not function(None, 40.5, Context("a[0].b[0]", "a[*].b[*]", record))
