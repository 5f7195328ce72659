"""Values taken from another field or a neighbouring item."""

import pytest

import fieldwise as fw
from fieldwise.model.context import Context
from fieldwise.registry import CAUSES

ORDER = {"items": [{"name": name, "amount": amount} for name, amount in zip("ABCDEF", (10.5, 20.5, 30.5, 40.5, 50.5, 60.5), strict=True)]}
DELIVERY = {
    "bill_to": "Acme",
    "ship_to": "Beta",
    "flag": True,
    "count": 120,
    "total": 1200,
    "code": "X",
    "items": [{"id": "p1"}, {"id": "p2"}],
}


def is_shifted(path: str, actual: object) -> bool:
    return CAUSES.find("item_shifted").function(None, actual, Context(path, "items[*].amount", ORDER))


def is_of_another_field(path: str, actual: object, field: str | None = None) -> bool:
    return CAUSES.find("value_of_another_field").function(None, actual, Context(path, field or path, DELIVERY))


@pytest.mark.parametrize("actual", [20.5, 30.5, 40.5])
def test_the_value_of_an_item_nearby_is_shifted(actual: float) -> None:
    assert is_shifted("items[0].amount", actual)


def test_the_value_of_an_item_farther_away_is_not_shifted() -> None:
    assert not is_shifted("items[0].amount", 50.5)


def test_another_field_of_a_neighbour_is_not_shifted() -> None:
    assert not is_shifted("items[0].total", 20.5)


def test_small_counts_agree_by_chance_and_are_not_shifted() -> None:
    record = {"items": [{"quantity": 12}, {"quantity": 13}]}
    assert not CAUSES.find("item_shifted").function(12, 13, Context("items[0].quantity", "items[*].quantity", record))


def test_paths_may_have_quoted_keys_or_no_item_at_all() -> None:
    item_shifted = CAUSES.find("item_shifted").function
    assert item_shifted(None, "Beta", Context('a["odd.key"][1]', "a", {"a": {"odd.key": ["Acme", "Acme", "Beta"]}}))
    assert not item_shifted(None, "Beta", Context("(root)", "(root)", ["Acme", "Beta"]))
    assert not item_shifted(None, "Beta", Context("", ""))


def test_a_value_that_is_nowhere_in_the_record_is_not_shifted() -> None:
    assert not is_shifted("items[0].amount", 99.5)


def test_in_nested_lists_only_one_index_may_differ() -> None:
    record = {"a": [{"b": [10.5, 20.5]}, {"b": [30.5, 40.5]}]}
    item_shifted = CAUSES.find("item_shifted").function
    assert item_shifted(None, 30.5, Context("a[0].b[0]", "a[*].b[*]", record))
    assert not item_shifted(None, 40.5, Context("a[0].b[0]", "a[*].b[*]", record))


def test_the_value_of_another_field_is_recognized() -> None:
    assert is_of_another_field("ship_to", "Acme")
    assert is_of_another_field("ship_to", "p2")
    assert is_of_another_field("ship_to", 1200.0)


def test_its_own_field_is_not_another_field() -> None:
    assert not is_of_another_field("bill_to", "Acme")


def test_the_same_field_of_another_item_is_not_another_field() -> None:
    assert not is_of_another_field("items[0].id", "p2", "items[*].id")


def test_values_that_agree_by_chance_are_not_of_another_field() -> None:
    assert not is_of_another_field("ship_to", True)
    assert not is_of_another_field("ship_to", 120)
    assert not is_of_another_field("ship_to", "X")


def test_a_value_that_is_nowhere_in_the_record_is_not_of_another_field() -> None:
    assert not is_of_another_field("ship_to", "Gamma")
    assert not is_of_another_field("ship_to", ["Acme"])


AMOUNTS = {"net": 100, "gross": 119, "net_text": "100", "count": 119, "lines": [{"net_amount": 100, "grossAmount": "119", "tax": 19}]}


def holds_for_amounts(path: str, actual: object) -> bool:
    return CAUSES.find("value_of_another_field").function(None, actual, Context(path, path, AMOUNTS))


def test_an_amount_of_three_digits_is_the_value_of_another_amount_beside_it() -> None:
    assert holds_for_amounts("net", 119)
    assert holds_for_amounts("lines[0].net_amount", "119")


def test_short_integers_are_of_another_field_only_between_amounts_of_one_object() -> None:
    assert not holds_for_amounts("count", 100)
    assert not holds_for_amounts("net", 120)
    assert not holds_for_amounts("net", "119")
    assert not holds_for_amounts("gross", 119)
    assert not holds_for_amounts("lines[0].net_amount", 119)
    assert not holds_for_amounts("lines[0].net_amount", 19)


def test_the_net_amount_in_place_of_the_gross_one_is_named_in_a_run() -> None:
    rules = [{"path": "net", "match": "money"}, {"path": "gross", "match": "money"}]
    for net, gross in ((100, 119), (100.0, 119.0), ("100", "119")):
        result = fw.evaluate(
            {"type": "field_accuracy", "fields": rules}, expected={"net": net, "gross": gross}, actual={"net": gross, "gross": gross}
        )
        assert result.comparisons[0].cause == "value_of_another_field"
