"""What `date_format` claims and what it leaves to others."""

import pytest

from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

CLAIMED: list[tuple[Json, Json]] = [
    ("2025-03-04", "4 March 2025"),
    ("2025-03-04", "03/04/2025"),
    ("2025-03-04", "March 4th, 2025"),
    ("2025-03-04", "2025-03-04T00:00:00Z"),
    ("13/04/2025", "04/13/2025"),
    ("04.03.2025", "4.3.25"),
    ("2025-03", "March 2025"),
    ("2025-03-04", "4. März 2025"),
    ("20250304", "2025-03-04"),
]
LEFT: list[tuple[Json, Json]] = [
    ("2025-03-04", "5 March 2025"),
    ("03/04/2025", "04/03/2025"),
    ("2025-03-04T10:00", "2025-03-04T11:00"),
    ("2025-02-28", "30 February 2025"),
    ("Q1 2025", "2025-01-01"),
]


@pytest.mark.parametrize(("expected", "actual"), CLAIMED)
def test_it_claims_pairs_that_differ_by_how_a_date_is_written(expected: Json, actual: Json) -> None:
    assert CAUSES.find("date_format").function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("expected", "actual"), LEFT)
def test_it_leaves_other_pairs_alone(expected: Json, actual: Json) -> None:
    assert not CAUSES.find("date_format").function(expected, actual, Context("", ""))
