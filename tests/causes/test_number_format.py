"""What `number_format` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    (1234.5, "1,234.50"),
    ("1234.50", "$1,234.50"),
    (-5, "(5)"),
    (0.12, "12%"),
    (12, "12 %"),
    ("007", "7"),
    (7, "007"),
    ("1.234,50", "1,234.50"),
    ("1234", "1 234"),
    (5000000, "USD 5 million"),
    ("12,5", "12.5"),
    ("1.234", 1234),
    ("-5", "−5"),
]
LEFT: list[tuple[Json, Json]] = [
    (1234.5, "1,234.60"),
    ("$5", "€5"),
    ("5", "-5"),
    ("abc", "5"),
    (5, 5.0),
    ("1.2.3", "123"),
    ("INV-5", "5"),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_how_a_number_is_written(expected: Json, actual: Json) -> None:
    assert CAUSES.find("number_format").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("number_format").function(expected, actual, Context("", ""))
