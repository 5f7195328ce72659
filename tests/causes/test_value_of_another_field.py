"""What `value_of_another_field` claims and what it leaves to others."""

from fieldwise.model.context import Context
from fieldwise.registry import CAUSES

RECORD = {
    "bill_to": "Acme",
    "ship_to": "Beta",
    "flag": True,
    "count": 120,
    "total": 1200,
    "code": "X",
    "items": [{"id": "p1"}, {"id": "p2"}],
}


def claims(path: str, actual: object, field: str | None = None) -> bool:
    return CAUSES.find("value_of_another_field").function(None, actual, Context(path, field or path, RECORD))


def test_it_claims_the_value_of_another_field() -> None:
    assert claims("ship_to", "Acme")
    assert claims("ship_to", "p2")
    assert claims("ship_to", 1200.0)


def test_its_own_field_is_not_another_one() -> None:
    assert not claims("bill_to", "Acme")


def test_the_same_field_of_another_item_is_not_another_field() -> None:
    assert not claims("items[0].id", "p2", "items[*].id")


def test_it_leaves_values_alone_that_agree_by_chance() -> None:
    assert not claims("ship_to", True)
    assert not claims("ship_to", 120)
    assert not claims("ship_to", "X")


def test_it_leaves_values_alone_that_stand_nowhere() -> None:
    assert not claims("ship_to", "Gamma")
    assert not claims("ship_to", ["Acme"])
