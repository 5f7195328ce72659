"""What `null_text` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    ("Acme", "N/A"),
    (12, "null"),
    ("Acme", "none"),
    ("Acme", "-"),
    ("Acme", "Not found"),
    ("Acme", ""),
    (True, "unknown"),
]
LEFT: list[tuple[Json, Json]] = [
    ("N/A", "null"),
    ("Acme", "Nonesuch"),
    ("Acme", "Acme"),
    ("Acme", 5),
    ("Acme", "5"),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_a_placeholder(expected: Json, actual: Json) -> None:
    assert CAUSES.find("null_text").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("null_text").function(expected, actual, Context("", ""))
