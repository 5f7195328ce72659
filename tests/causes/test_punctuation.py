"""What `punctuation` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    ("Acme Inc", "Acme Inc."),
    ("Smith-Jones", "Smith–Jones"),
    ('"x y"', "“x y”"),
    ("co-operate", "cooperate"),
    ("O'Neil", "O’Neil"),
    ("Acme, Inc.", "ACME INC"),
    ("12:30", "1230"),
]
LEFT: list[tuple[Json, Json]] = [
    ("1.5", "15"),
    ("5", "-5"),
    ("a<b", "a>b"),
    ("?", "!"),
    ("Acme", "Acne"),
    ("$5", "€5"),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_punctuation(expected: Json, actual: Json) -> None:
    assert CAUSES.find("punctuation").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("punctuation").function(expected, actual, Context("", ""))
