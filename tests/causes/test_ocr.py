"""What `ocr` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    ("INV-100", "INV-1OO"),
    ("Bill", "Bi11"),
    ("S5", "55"),
    ("B8", "88"),
    ("Z2", "22"),
    ("modern", "modem"),
    ("clear", "dear"),
    ("vvest", "west"),
    (100, "1OO"),
    ("Illinois", "lllinois"),
]
LEFT: list[tuple[Json, Json]] = [
    ("50", "60"),
    ("Acme", "Acme"),
    ("Acme", "acme"),
    ("6", "9"),
    ("", ""),
    (50, 60),
    ("modern", "moden"),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_look_alikes(expected: Json, actual: Json) -> None:
    assert CAUSES.find("ocr").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("ocr").function(expected, actual, Context("", ""))
