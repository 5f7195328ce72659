"""What `type_as_text` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    (100, "100"),
    ("100", 100),
    (True, "true"),
    (False, "No"),
    (1.5, "1.5"),
    (100.0, "100"),
]
LEFT: list[tuple[Json, Json]] = [
    (100, "1,00"),
    (100, "101"),
    (True, "maybe"),
    ("100", "100.0"),
    (1, 1.5),
    ([1], "1"),
    (True, "1"),
    (True, 1),
    (0, False),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_the_type(expected: Json, actual: Json) -> None:
    assert CAUSES.find("type_as_text").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("type_as_text").function(expected, actual, Context("", ""))
