"""Causes in how dates are written."""

import re

from fieldwise.kernels.dates import YearMonthDay, parse_date_readings
from fieldwise.model.context import Context
from fieldwise.registry import CauseExample, cause

_YEAR_FIRST = re.compile(r"(\d{4})([-/.]?)(\d\d)\2(\d\d)", re.ASCII)


@cause(
    rank=50,
    label="date format",
    advice="Compare calendar days, e.g. `match: date`, or ask for ISO dates.",
    kinds="text",
    examples=[
        CauseExample(expected="2025-03-04", actual="4 March 2025"),
        CauseExample(expected="2025-03-04", actual="03/04/2025"),
        CauseExample(expected="2025-03-04", actual="March 4th, 2025"),
        CauseExample(expected="2025-03-04", actual="2025-03-04T00:00:00Z"),
        CauseExample(expected="2025-03-04", actual="5 March 2025", holds=False),
        CauseExample(expected="03/04/2025", actual="04/03/2025", holds=False),
        CauseExample(expected="2025-03-04T10:00", actual="2025-03-04T11:00", holds=False),
    ],
)
def date_format(expected: str, actual: str, _context: Context) -> bool:
    """The same day written differently: `2025-03-04` and `4 March 2025`."""
    expected_date, actual_date = parse_date_readings(expected), parse_date_readings(actual)
    if expected_date is None or actual_date is None:
        return False
    if expected_date.time and actual_date.time and expected_date.time != actual_date.time:
        return False
    if expected_date.ambiguous and actual_date.ambiguous:
        # 03/04 and 03.04 leave day and month open; one writer reads both in the same order
        return expected_date.readings == actual_date.readings
    return not set(expected_date.readings).isdisjoint(actual_date.readings)


@cause(
    rank=140,
    label="day and month swapped",
    advice="Say how the source writes dates, e.g. `match: date` with `day_first: true`, and ask for ISO dates.",
    kinds="text",
    examples=[
        CauseExample(expected="2025-03-04", actual="2025-04-03"),
        CauseExample(expected="03/04/2025", actual="04/03/2025"),
        CauseExample(expected="2025-03-04", actual="3 April 2025"),
        CauseExample(expected="2025-03-25", actual="2025-25-03"),
        CauseExample(expected="2025-25-03", actual="2025-03-25", holds=False),
        CauseExample(expected="2025-03-25", actual="2025-25-04", holds=False),
        CauseExample(expected="2025-03-04", actual="2025-03-05", holds=False),
    ],
)
def day_month_swapped(expected: str, actual: str, _context: Context) -> bool:
    """A date whose day and month changed places."""
    expected_date, actual_date = parse_date_readings(expected), parse_date_readings(actual)
    if expected_date is None or actual_date is None:
        return expected_date is not None and _swap_last_groups(actual) == expected
    expected_days, actual_days = expected_date.readings, actual_date.readings
    if expected_date.ambiguous and actual_date.ambiguous:
        expected_days, actual_days = expected_days[:1], actual_days[:1]
    if not set(expected_days).isdisjoint(actual_days):
        return False
    return any(_swap_day_and_month(day) in actual_days for day in expected_days)


def _swap_last_groups(text: str) -> str:
    """`2025-25-03`, which is not a date, as `2025-03-25`."""
    return _YEAR_FIRST.sub(r"\1\2\4\2\3", text)


def _swap_day_and_month(day: YearMonthDay) -> YearMonthDay:
    return day[0], day[2], day[1]
