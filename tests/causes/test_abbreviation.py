"""What `abbreviation` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    ("Main Street", "Main St."),
    ("Acme Corporation", "Acme Corp"),
    ("International Paper", "Intl Paper"),
    ("Acme Limited", "Acme Ltd."),
    ("5th Avenue", "5th Ave"),
    ("International Business Machines", "IBM"),
    ("John Smith", "J. Smith"),
    ("Bed and Breakfast Company", "Bed & Breakfast Co."),
    ("Bank of America", "B.O.A."),
]
LEFT: list[tuple[Json, Json]] = [
    ("Main Street", "Main Road"),
    ("John Smith", "John S"),
    ("John Smith", "K. Smith"),
    ("Acme", "Acme"),
    ("apple", "a"),
    ("I B", "I X"),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_an_abbreviation(expected: Json, actual: Json) -> None:
    assert CAUSES.find("abbreviation").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("abbreviation").function(expected, actual, Context("", ""))
