"""What `whitespace` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    ("Net 30 days", "Net  30 days"),
    ("Net 30", "Net\xa030"),
    ("Invoice", "Inv\u200boice"),
    ("a b", "a\nb"),
    (" x y", "x y "),
    ("Acme Corp", "ACMECORP"),
]
LEFT: list[tuple[Json, Json]] = [
    ("a b", "a c"),
    ("a-b", "a b"),
    (" ", "\u200b"),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_white_space(expected: Json, actual: Json) -> None:
    assert CAUSES.find("whitespace").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("whitespace").function(expected, actual, Context("", ""))
