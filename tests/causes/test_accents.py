"""What `accents` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    ("José", "Jose"),
    ("Müller", "Mueller"),
    ("Müller", "Muller"),
    ("ﬁn", "fin"),
    ("Søren", "Soren"),
    ("Łódź", "Lodz"),
]
LEFT: list[tuple[Json, Json]] = [
    ("Jose", "Josa"),
    ("José", "Josáx"),
    ("Jose", "jose"),
    ("हिन्दी", "हिन्दू"),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_accents(expected: Json, actual: Json) -> None:
    assert CAUSES.find("accents").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("accents").function(expected, actual, Context("", ""))
