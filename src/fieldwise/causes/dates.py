"""Causes in how dates are written."""

import re

from fieldwise.kernels.dates import DateReadings, YearMonthDay, parse_date_readings
from fieldwise.model.context import Context
from fieldwise.registry import cause
from fieldwise.specs import CauseExample

_DATE_MATCH = "date"
_YEARS_OF_TWO_DIGITS = range(1900, 2100)
"""Years that a year of two digits may mean."""
_YEAR_FIRST = re.compile(r"(\d{4})([-/.]?)(\d\d)\2(\d\d)", re.ASCII)


@cause(
    rank=50,
    label="date format",
    advice="Compare calendar days, e.g. `match: date`, or ask for ISO dates.",
    advised=("date",),
    advice_if_followed="Say how the source writes dates with `formats`, `day_first` or `languages`, or ask for ISO dates.",
    kinds="text",
    reads="date",
    examples=[
        CauseExample(expected="2025-03-04", actual="4 March 2025"),
        CauseExample(expected="2025-03-04", actual="03/04/2025"),
        CauseExample(expected="2025-03-04", actual="March 4th, 2025"),
        CauseExample(expected="2025-03-04", actual="2025-03-04T00:00:00Z"),
        CauseExample(expected="2025-03-04", actual="5 March 2025", holds=False),
        CauseExample(expected="03/04/2025", actual="04/03/2025", holds=False),
        CauseExample(expected="2025-03-04T10:00", actual="2025-03-04T11:00", holds=False),
        CauseExample(expected="2025-03-04T10:00", actual="2025-03-04", holds=False),
        CauseExample(expected="2025-03-04T10:00Z", actual="2025-03-04T10:00+01:00", holds=False),
    ],
)
def date_format(expected: str, actual: str, context: Context) -> bool:
    """The same day written differently: `2025-03-04` and `4 March 2025`."""
    expected_date, actual_date = parse_date_readings(expected), parse_date_readings(actual)
    if expected_date is None or actual_date is None:
        return False
    if _was_read_in_another_order(expected_date, actual_date, context):
        return False
    if not expected_date.has_time_of(actual_date):  # another time of day or offset, or a time that is missing
        return False
    if expected_date.ambiguous and actual_date.ambiguous:
        # 03/04 and 03.04 leave day and month open; one writer reads both in the same order
        return expected_date.readings == actual_date.readings
    return not set(expected_date.readings).isdisjoint(actual_date.readings)


@cause(
    rank=140,
    label="day and month swapped",
    advice="Say how the source writes dates, e.g. `match: date` with `day_first: true`, and ask for ISO dates.",
    advised=("date",),
    advice_if_followed="Set `day_first` as the source writes dates, and ask for ISO dates.",
    kinds="text",
    reads="date",
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
def day_month_swapped(expected: str, actual: str, context: Context) -> bool:
    """A date whose day and month changed places, or that the rule reads in the other order."""
    expected_date, actual_date = parse_date_readings(expected), parse_date_readings(actual)
    if expected_date is None or actual_date is None:
        return expected_date is not None and _swap_last_groups(actual) == expected
    if _was_read_in_another_order(expected_date, actual_date, context):
        return True
    expected_days, actual_days = expected_date.readings, actual_date.readings
    if expected_date.ambiguous and actual_date.ambiguous:
        expected_days, actual_days = expected_days[:1], actual_days[:1]
    if not set(expected_days).isdisjoint(actual_days):
        return False
    return any(_swap_day_and_month(day) in actual_days for day in expected_days)


def _was_read_in_another_order(expected: DateReadings, actual: DateReadings, context: Context) -> bool:
    """True for `2004-11-10` and `10/11/04` that `match: date` found to differ.

    That match reads both formats and two-digit years, so it took the date that leaves day and month open for another day.
    """
    if context.match != _DATE_MATCH or expected.ambiguous == actual.ambiguous or not expected.has_time_of(actual):
        return False
    return not set(expected.readings).isdisjoint(actual.readings)


def _swap_last_groups(text: str) -> str:
    """`2025-25-03`, which is not a date, as `2025-03-25`."""
    return _YEAR_FIRST.sub(r"\1\2\4\2\3", text)


def _swap_day_and_month(day: YearMonthDay) -> YearMonthDay:
    return day[0], day[2], day[1]


@cause(
    rank=45,
    label="two-digit year",
    advice="Ask for years with four digits; `match: date` reads two-digit years, and `two_digit_years` moves the pivot.",
    advised=("date",),
    advice_if_followed="Ask for years with four digits, or move the pivot with `two_digit_years`.",
    kinds="text",
    reads="date",
    examples=[
        CauseExample(expected="14/03/2018", actual="14/03/18"),
        CauseExample(expected="2018-03-14", actual="14 Mar 18"),
        CauseExample(expected="2018-03-14", actual="1918-03-14"),
        CauseExample(expected="14/03/2018", actual="14/03/19", holds=False),
        CauseExample(expected="2018-03-14", actual="14 March 2018", holds=False),
        CauseExample(expected="2018-03-14", actual="2019-03-14", holds=False),
        CauseExample(expected="Dec 20, 1991", actual="Dec 20, 1091", holds=False),
    ],
)
def two_digit_year(expected: str, actual: str, context: Context) -> bool:
    """The same day with a year of two digits on one side, or in the other of the centuries from 1900 to 2099."""
    expected_date, actual_date = parse_date_readings(expected), parse_date_readings(actual)
    if expected_date is None or actual_date is None or _was_read_in_another_order(expected_date, actual_date, context):
        return False
    for left in expected_date.readings:
        for right in actual_date.readings:
            if left[1:] == right[1:] and left[0] % 100 == right[0] % 100:
                if left[0] != right[0]:
                    return left[0] in _YEARS_OF_TWO_DIGITS and right[0] in _YEARS_OF_TWO_DIGITS
                return (_FOUR_DIGITS.search(expected) is None) != (_FOUR_DIGITS.search(actual) is None)
    return False


@cause(
    rank=215,
    label="one part of the date differs",
    advice="A digit of the date was misread: improve the scan, or check the date against others of the document.",
    kinds="text",
    reads="date",
    examples=[
        CauseExample(expected="03/06/2018", actual="03/06/2016"),
        CauseExample(expected="26/04/2017", actual="20/04/2017"),
        CauseExample(expected="2017-04-26", actual="28 April 2017"),
        CauseExample(expected="20 MAR 2018", actual="30 MAR 2018"),
        CauseExample(expected="2024-03-05", actual="2024-03-06", holds=False),
        CauseExample(expected="2024-03-05", actual="2024-03-17", holds=False),
        CauseExample(expected="2023-12-31", actual="2024-12-31", holds=False),
        CauseExample(expected="2024-03-15", actual="15/03/2567", holds=False),
    ],
)
def date_part(expected: str, actual: str, _context: Context) -> bool:
    """Another year, or another day or month by one digit that looks alike or by two digits swapped.

    Two dates of one year often share a part by chance, so no other difference counts; nor does the year of a first or last day of a month.
    Digits that look alike are 0 6 8, 3 8, 1 7, 2 7, 4 9, and 2 and 3 as tens.
    """
    return any(_is_one_part_off(left, right) for left in _read_days(expected)[:1] for right in _read_days(actual)[:1])


def _is_one_part_off(left: YearMonthDay, right: YearMonthDay) -> bool:
    differing = [part for part in range(3) if left[part] != right[part]]
    if len(differing) != 1 or 0 in left or 0 in right:
        return False
    part = differing[0]
    if part == 0:
        return 1 < left[2] < _DAYS_BEFORE_MONTH_END and abs(left[0] - right[0]) != _BUDDHIST_YEARS
    left_digits, right_digits = f"{left[part]:02}", f"{right[part]:02}"
    if left_digits == right_digits[::-1] and "0" not in left_digits:
        return True
    if left_digits[1] == right_digits[1]:
        return {left_digits[0], right_digits[0]} == {"2", "3"}
    return left_digits[0] == right_digits[0] and frozenset((left_digits[1], right_digits[1])) in _LOOKALIKE_DIGITS


def _read_days(text: str) -> tuple[YearMonthDay, ...]:
    dates = parse_date_readings(text)
    return () if dates is None else dates.readings


_BUDDHIST_YEARS = 543
"""Years by which the Buddhist calendar of Thailand is ahead."""
_FOUR_DIGITS = re.compile(r"\d{4}", re.ASCII)
_DAYS_BEFORE_MONTH_END = 28
_LOOKALIKE_DIGITS = frozenset(map(frozenset, ("06", "08", "68", "38", "17", "27", "49")))
