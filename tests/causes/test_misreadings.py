"""Pairs that the causes of `causes/misreadings.py` explain or do not explain, besides the examples in their specs."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

EXPLAINED: list[tuple[str, Json, Json]] = [
    ("ocr", "Z2", "22"),
    ("ocr", "modern", "modem"),
    ("ocr", "clear", "dear"),
    ("ocr", "vvest", "west"),
    ("ocr", 100, "1OO"),
    ("ocr", "Illinois", "lllinois"),
    ("ocr", "S12.50", "$12.50"),
    ("ocr", "€5.00", "E5.00"),
    ("transposed", 543, 453),
    ("transposed", 1234, "1324"),
    ("transposed", "6.40", 6.04),
    ("transposed", "INV-12", "INV-21"),
    ("typo", 1234567, 1234561),
    ("typo", "Northwind Traders", "Northwynd Trader"),
]
UNEXPLAINED: list[tuple[str, Json, Json]] = [
    ("ocr", "6", "9"),
    ("ocr", "", ""),
    ("ocr", 50, 60),
    ("ocr", "$12.50", "R12.50"),
    ("ocr", "$12.50", "S13.50"),
    ("ocr", "modern", "moden"),
    ("transposed", 12, -21),
    ("transposed", "2025-12-01", "2025-12-10"),
    ("transposed", "ab", "ac"),
    ("transposed", 12, 12),
    ("typo", "2025-03-04", "2025-03-05"),
    ("typo", 12, 13),
    ("typo", 10000, 20000),
    ("typo", "Acme", "Acme"),
    ("typo", "Acme", "Axxe"),
    ("typo", 1234567, -1234561),
    ("typo", "INV-1001", "INV-1002"),
]


@pytest.mark.parametrize(("name", "expected", "actual"), EXPLAINED)
def test_a_cause_explains_pairs_that_differ_by_it(name: str, expected: Json, actual: Json) -> None:
    assert CAUSES.find(name).function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("name", "expected", "actual"), UNEXPLAINED)
def test_a_cause_does_not_explain_pairs_that_differ_otherwise(name: str, expected: Json, actual: Json) -> None:
    assert not CAUSES.find(name).function(expected, actual, Context("", ""))
