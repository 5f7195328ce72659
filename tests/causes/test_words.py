"""Pairs that the causes of `causes/words.py` explain or do not explain, besides the examples in their specs."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

EXPLAINED: list[tuple[str, Json, Json]] = [
    ("abbreviation", "5th Avenue", "5th Ave"),
    ("abbreviation", "International Business Machines", "IBM"),
    ("abbreviation", "John Smith", "J. Smith"),
    ("abbreviation", "Bed and Breakfast Company", "Bed & Breakfast Co."),
    ("abbreviation", "Bank of America", "B.O.A."),
    ("abbreviation", "Information Technology", "IT"),
    ("abbreviation", "international business machines", "ibm"),
    ("truncated", "Apple Inc", "apple"),
]
UNEXPLAINED: list[tuple[str, Json, Json]] = [
    ("abbreviation", "Acme", "Acme"),
    ("abbreviation", "apple", "a"),
    ("abbreviation", "I B", "I X"),
    ("abbreviation", "NO", "None observed"),
    ("abbreviation", "none observed", "no"),
    ("abbreviation", "is tested", "It"),
    ("word_order", "a b", "a b b"),
    ("truncated", "Apple", "pple"),
    ("truncated", "12345", "1234"),
    ("truncated", "App", "Apple"),
    ("missing_text", "a b", "a b"),
    ("extra_text", 12, "120 months"),
    ("extra_text", 12, "12"),
    ("extra_text", True, "true story"),
    ("extra_text", "a", ["a"]),
]


@pytest.mark.parametrize(("name", "expected", "actual"), EXPLAINED)
def test_a_cause_explains_pairs_that_differ_by_it(name: str, expected: Json, actual: Json) -> None:
    assert CAUSES.find(name).function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("name", "expected", "actual"), UNEXPLAINED)
def test_a_cause_does_not_explain_pairs_that_differ_otherwise(name: str, expected: Json, actual: Json) -> None:
    assert not CAUSES.find(name).function(expected, actual, Context("", ""))
