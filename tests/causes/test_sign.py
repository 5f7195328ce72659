"""What `sign` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    (5, -5),
    (-12.5, 12.5),
    ("5", "-5"),
    ("(5)", "5"),
    (5, "-5"),
]
LEFT: list[tuple[Json, Json]] = [
    (0, 0),
    (0, -0.0),
    (5, -6),
    ("a", "-a"),
    (True, -1),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_the_sign(expected: Json, actual: Json) -> None:
    assert CAUSES.find("sign").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("sign").function(expected, actual, Context("", ""))
