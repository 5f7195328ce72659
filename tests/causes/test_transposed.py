"""What `transposed` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    ("receive", "recieve"),
    ("1234", "1324"),
    (1234, 1324),
    (12.5, 12.05),
    (54, 45),
    ("INV-12", "INV-21"),
]
LEFT: list[tuple[Json, Json]] = [
    (1234, 4231),
    ("receive", "receive"),
    ("abc", "acbd"),
    (12, -21),
    ("2025-12-01", "2025-12-10"),
    ("ab", "ac"),
    (1234, "1324"),
    (12, 12),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_neighbours(expected: Json, actual: Json) -> None:
    assert CAUSES.find("transposed").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("transposed").function(expected, actual, Context("", ""))
