"""What `truncated` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    ("Acme Corporation of Ohio", "Acme Corporation o"),
    ("Apple Inc", "Apple"),
    ("A long description", "A long des…"),
    ("A long description", "A l..."),
    ("Apple Inc", "apple"),
]
LEFT: list[tuple[Json, Json]] = [
    ("Apple", "A"),
    ("Apple", "App"),
    ("Apple", "Apple"),
    ("Apple", "pple"),
    ("12345", "1234"),
    ("App", "Apple"),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_a_cut(expected: Json, actual: Json) -> None:
    assert CAUSES.find("truncated").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("truncated").function(expected, actual, Context("", ""))
