"""Pairs that the causes of `causes/text.py` explain or do not explain, besides the examples in their specs."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

EXPLAINED: list[tuple[str, Json, Json]] = [
    ("whitespace", " x y", "x y "),
    ("whitespace", "Acme Corp", "ACMECORP"),
    ("punctuation", "O'Neil", "O’Neil"),
    ("punctuation", "Acme, Inc.", "ACME INC"),
    ("punctuation", "12:30", "1230"),
    ("punctuation", "S-5601", "S5601"),
    ("accents", "Søren", "Soren"),
    ("accents", "Łódź", "Lodz"),
    ("null_text", "Acme", "Not found"),
    ("null_text", "Acme", ""),
    ("null_text", True, "unknown"),
]
UNEXPLAINED: list[tuple[str, Json, Json]] = [
    ("punctuation", "?", "!"),
    ("punctuation", "Acme", "Acne"),
    ("punctuation", "$5", "€5"),
    ("accents", "हिन्दी", "हिन्दू"),
    ("null_text", "Acme", 5),
    ("null_text", "Acme", "5"),
]


@pytest.mark.parametrize(("name", "expected", "actual"), EXPLAINED)
def test_a_cause_explains_pairs_that_differ_by_it(name: str, expected: Json, actual: Json) -> None:
    assert CAUSES.find(name).function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("name", "expected", "actual"), UNEXPLAINED)
def test_a_cause_does_not_explain_pairs_that_differ_otherwise(name: str, expected: Json, actual: Json) -> None:
    assert not CAUSES.find(name).function(expected, actual, Context("", ""))
