"""What `letter_case` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    ("Acme Corp", "ACME CORP"),
    ("straße", "STRASSE"),
    ("Élan", "éLAN"),
]
LEFT: list[tuple[Json, Json]] = [
    ("Acme", "Acne"),
    ("Acme Corp", "AcmeCorp"),
    ("café", "CAFE"),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_upper_and_lower_case(expected: Json, actual: Json) -> None:
    assert CAUSES.find("letter_case").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("letter_case").function(expected, actual, Context("", ""))
