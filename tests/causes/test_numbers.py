"""Pairs that the causes of `causes/numbers.py` explain or do not explain, besides the examples in their specs."""

import pytest

import fieldwise as fw
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
    ("rounding", 0.3, 0.30000000000000004),
    ("rounding", 0.1, 0.10000000149011612),
    ("rounding", 20500, 20500.01),
    ("rounding", "20,500.50", "20,500.51"),
    ("rounding", 99999999.58, 99999999.59),
    ("rounding", 419136.58, 419136.6),
    ("rounding", "0.004", "0.00"),
    ("number_format", "7 %", 0.07),
    ("sign", "-R500.00", "R500.00"),
    ("sign", "-R500", "R500"),
    ("other_currency", "$5", "S/5"),
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
    ("rounding", 419136.58, 419136.88),
    ("rounding", "102,495.00", "102,495.09"),
    ("rounding", 1234.5, 1234.501),
    ("rounding", 20500, 20500.02),
    ("rounding", -0.4835, 0),
    ("rounding", "0.004", "0.000"),
    ("number_format", 0.30000000000000004, "0.3"),
    ("sign", "R-500", "500"),
    ("other_currency", "€5.00", "E5.00"),
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


@pytest.mark.parametrize(
    ("expected", "actual", "cause"),
    [
        ("1 MW", "1 mW", "other_unit"),
        ("1 MW", "1mW", "other_unit"),
        ("125 kg", "12.5 kg", "scale"),
        ("1500 ml", "1.5 ml", "scale"),
        ("12.57 kg", "12.6 kg", "rounding"),
        ("0.5 mg", "5 mg", None),
        ("12.5 kg", "12 kg", None),
        ("12.5 kg", "1250 g", None),
    ],
)
def test_numbers_with_units_are_explained_as_numbers_not_as_text(expected: str, actual: str, cause: str | None) -> None:
    config = {"type": "field_accuracy", "fields": [{"path": "weight", "match": "quantity"}]}
    result = fw.evaluate(config, expected={"weight": expected}, actual={"weight": actual})
    assert [row.cause for row in result.comparisons] == [cause]
