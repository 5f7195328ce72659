"""What `typo` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    ("Springfield", "Springfeld"),
    ("Acme", "Acne"),
    ("Internationale", "Internatinale"),
    ("DE89370400440532013000", "DE89370400440532013001"),
    (1234567, 1234561),
    ("Northwind Traders", "Northwynd Trader"),
]
LEFT: list[tuple[Json, Json]] = [
    ("cat", "car"),
    ("2024", "2025"),
    ("Q1 2025", "Q2 2025"),
    ("2025-03-04", "2025-03-05"),
    (12, 13),
    (10000, 20000),
    ("Acme", "Acme"),
    ("Acme", "Axxe"),
    (1234567, -1234561),
    ("INV-1001", "INV-1002"),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_a_slip(expected: Json, actual: Json) -> None:
    assert CAUSES.find("typo").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("typo").function(expected, actual, Context("", ""))
