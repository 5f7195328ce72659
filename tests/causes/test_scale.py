"""What `scale` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    (12, 120),
    (1.5, 150),
    (5, 5000),
    (5, 5000000),
    (0.12, 12),
    (12, 0.12),
    (1234567, 1.235),
    (1234567, 1234.567),
    ("1.5", "15"),
    (0.07, 7),
]
LEFT: list[tuple[Json, Json]] = [
    (0, 0),
    (5, -50),
    (5, 20),
    (12, 121),
    (1, 0),
    (1234, 1.0),
    (5, 50000),
    ("x", "xx"),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_scale(expected: Json, actual: Json) -> None:
    assert CAUSES.find("scale").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("scale").function(expected, actual, Context("", ""))
