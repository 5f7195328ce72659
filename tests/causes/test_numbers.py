"""Pairs that the causes of `causes/numbers.py` explain or do not explain, besides the examples in their specs."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

EXPLAINED: list[tuple[str, Json, Json]] = [
    ("type_as_text", 1.5, "1.5"),
    ("type_as_text", 100.0, "100"),
    ("number_format", 12, "12 %"),
    ("number_format", "007", "7"),
    ("number_format", 7, "007"),
    ("number_format", "1.234,50", "1,234.50"),
    ("number_format", "1234", "1 234"),
    ("number_format", 5000000, "USD 5 million"),
    ("number_format", "12,5", "12.5"),
    ("number_format", "1.234", 1234),
    ("number_format", "-5", "−5"),
    ("sign", 5, "-5"),
    ("rounding", 1234.5, 1235),
    ("rounding", 1234567, 1235000),
    ("rounding", 1234, 1200),
    ("rounding", "12.346", "12.35"),
    ("rounding", 0.004, 0),
    ("rounding", 0.3333333333333333, 0.3333),
    ("rounding", 12.34, 12.35),
    ("rounding", 1234567.0, 1235000),
    ("scale", 0.12, 12),
    ("scale", 12, 0.12),
    ("scale", 1234567, 1.235),
    ("scale", 1234567, 1234.567),
    ("scale", "1.5", "15"),
    ("scale", 0.07, 7),
]
UNEXPLAINED: list[tuple[str, Json, Json]] = [
    ("type_as_text", "100", "100.0"),
    ("type_as_text", 1, 1.5),
    ("type_as_text", [1], "1"),
    ("type_as_text", True, "1"),
    ("type_as_text", True, 1),
    ("type_as_text", 0, False),
    ("number_format", "abc", "5"),
    ("number_format", 5, 5.0),
    ("number_format", "1.2.3", "123"),
    ("number_format", "INV-5", "5"),
    ("sign", "a", "-a"),
    ("sign", True, -1),
    ("rounding", 1, 2),
    ("rounding", 0.9, 0),
    ("rounding", 100, 100),
    ("rounding", 1234, 1235),
    ("rounding", 12.3, 12.4),
    ("rounding", "a", 1),
    ("rounding", 0.12, 0.13),
    ("rounding", 5, -5),
    ("scale", 12, 121),
    ("scale", 1, 0),
    ("scale", 1234, 1.0),
    ("scale", 5, 50000),
    ("scale", "x", "xx"),
]


@pytest.mark.parametrize(("name", "expected", "actual"), EXPLAINED)
def test_a_cause_explains_pairs_that_differ_by_it(name: str, expected: Json, actual: Json) -> None:
    assert CAUSES.find(name).function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("name", "expected", "actual"), UNEXPLAINED)
def test_a_cause_does_not_explain_pairs_that_differ_otherwise(name: str, expected: Json, actual: Json) -> None:
    assert not CAUSES.find(name).function(expected, actual, Context("", ""))
