"""What `day_month_swapped` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    ("2025-03-04", "2025-04-03"),
    ("03/04/2025", "04/03/2025"),
    ("2025-03-04", "3 April 2025"),
    ("2025-03-25", "2025-25-03"),
    ("2025-03-04T10:00", "2025-04-03"),
]
LEFT: list[tuple[Json, Json]] = [
    ("2025-25-03", "2025-03-25"),
    ("2025-03-25", "2025-25-04"),
    ("2025-03-04", "2025-03-05"),
    ("2025-03-04", "2024-04-03"),
    ("2025-03-03", "2025-03-03"),
    ("2025-03-13", "2025-04-13"),
    ("2025-03-04", "03/04/2025"),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_day_and_month(expected: Json, actual: Json) -> None:
    assert CAUSES.find("day_month_swapped").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("day_month_swapped").function(expected, actual, Context("", ""))
