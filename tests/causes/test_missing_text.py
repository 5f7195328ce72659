"""What `missing_text` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    ("12 Main St, Springfield", "Springfield"),
    ("Dr. John Smith", "John Smith"),
]
LEFT: list[tuple[Json, Json]] = [
    ("Springfield", "12 Main St, Springfield"),
    ("Springfield", "field"),
    ("a b", "b"),
    ("a b", "a b"),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_a_missing_part(expected: Json, actual: Json) -> None:
    assert CAUSES.find("missing_text").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("missing_text").function(expected, actual, Context("", ""))
