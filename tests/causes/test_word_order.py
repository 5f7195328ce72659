"""What `word_order` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    ("John Smith", "Smith, John"),
    ("Paper International", "International Paper"),
]
LEFT: list[tuple[Json, Json]] = [
    ("John Smith", "John Smyth"),
    ("12 34", "34 12"),
    ("John Smith", "john smith"),
    ("a b", "a b b"),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_the_order_of_words(expected: Json, actual: Json) -> None:
    assert CAUSES.find("word_order").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("word_order").function(expected, actual, Context("", ""))
