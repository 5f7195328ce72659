"""What `rounding` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    (1234.5, 1234.50001),
    (12.35, 12.3),
    (12.346, 12.35),
    (1234.5, 1234),
    (1234.5, 1235),
    (1234567, 1235000),
    (1234, 1200),
    ("12.346", "12.35"),
    (0.004, 0),
    (0.3333333333333333, 0.3333),
    (12.34, 12.35),
    (1234567.0, 1235000),
]
LEFT: list[tuple[Json, Json]] = [
    (12.3, 12.9),
    (15, 20),
    (125, 130),
    (1, 2),
    (0.9, 0),
    (100, 100),
    (1234, 1235),
    (12.3, 12.4),
    ("a", 1),
    (0.12, 0.13),
    (5, -5),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_rounding(expected: Json, actual: Json) -> None:
    assert CAUSES.find("rounding").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("rounding").function(expected, actual, Context("", ""))
