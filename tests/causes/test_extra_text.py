"""What `extra_text` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    ("Acme Corp", "Acme Corp (the seller)"),
    (12, "12 months"),
    ("12", "12 months"),
    (1200, "about 1,200 EUR"),
]
LEFT: list[tuple[Json, Json]] = [
    ("Acme Corp (the seller)", "Acme Corp"),
    ("field", "Springfield"),
    ("A", "A plan"),
    (12, "120 months"),
    (12, "12"),
    (True, "true story"),
    ("a", ["a"]),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_extra_text(expected: Json, actual: Json) -> None:
    assert CAUSES.find("extra_text").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("extra_text").function(expected, actual, Context("", ""))
