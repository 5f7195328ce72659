"""Pairs that the causes of `causes/dates.py` explain or do not explain, besides the examples in their specs."""

import pytest

import fieldwise as fw
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import CAUSES

EXPLAINED: list[tuple[str, Json, Json]] = [
    ("date_format", "13/04/2025", "04/13/2025"),
    ("date_format", "04.03.2025", "4.3.25"),
    ("date_format", "2025-03", "March 2025"),
    ("date_format", "2025-03-04", "4. März 2025"),
    ("date_format", "20250304", "2025-03-04"),
    ("date_format", "4 March 2025 10:00 EST", "2025-03-04T10:00-05:00"),
    ("date_format", "4 March 2025 10:00", "2025-03-04T10:00Z"),
    ("day_month_swapped", "2025-03-04T10:00", "2025-04-03"),
    ("two_digit_year", "1999-05-06", "2099-05-06"),
    ("date_part", "Dec 20, 1991", "Dec 20, 1091"),
]
UNEXPLAINED: list[tuple[str, Json, Json]] = [
    ("date_format", "2025-02-28", "30 February 2025"),
    ("date_format", "Q1 2025", "2025-01-01"),
    ("date_format", "2025-03-04 10:00 EST", "2025-03-04 10:00 PST"),
    ("date_format", "4 March 2025 10:00 EST", "2025-03-04T10:00:00Z"),
    ("two_digit_year", "1991-12-20", "1891-12-20"),
    ("day_month_swapped", "2025-03-04", "2024-04-03"),
    ("day_month_swapped", "2025-03-03", "2025-03-03"),
    ("day_month_swapped", "2025-03-13", "2025-04-13"),
    ("day_month_swapped", "2025-03-04", "03/04/2025"),
]


@pytest.mark.parametrize(("name", "expected", "actual"), EXPLAINED)
def test_a_cause_explains_pairs_that_differ_by_it(name: str, expected: Json, actual: Json) -> None:
    assert CAUSES.find(name).function(expected, actual, Context("", ""))


@pytest.mark.parametrize(("name", "expected", "actual"), UNEXPLAINED)
def test_a_cause_does_not_explain_pairs_that_differ_otherwise(name: str, expected: Json, actual: Json) -> None:
    assert not CAUSES.find(name).function(expected, actual, Context("", ""))


@pytest.mark.parametrize(
    ("expected", "actual", "match", "cause"),
    [
        ("2004-11-10", "10/11/04", {"match": "date", "day_first": False}, "day_month_swapped"),
        ("10/11/2004", "2004-11-10", {"match": "date", "day_first": False}, "day_month_swapped"),
        ("2004-11-10", "11/10/2004", {"match": "date", "day_first": True}, "day_month_swapped"),
        ("2004-11-10", "10/11/04", {"match": "exact"}, "two_digit_year"),
        ("2004-11-10", "10/11/2004", {"match": "exact"}, "date_format"),
        ("1954-11-10", "2054-11-10", {"match": "date"}, "two_digit_year"),
    ],
)
def test_dates_that_the_date_match_does_not_accept_were_read_in_another_order(
    expected: str, actual: str, match: dict[str, Json], cause: str
) -> None:
    config = {"type": "field_accuracy", "fields": [{"path": "day", **match}]}
    result = fw.evaluate(config, expected={"day": expected}, actual={"day": actual})
    assert [row.cause for row in result.comparisons] == [cause]
