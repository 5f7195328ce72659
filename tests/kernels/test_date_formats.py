"""Calendar dates in text: laws of the reader, and formats."""

import datetime
import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.calendar_moment import AmbiguousMoment, Moment
from fieldwise.kernels.date_formats import compile_date_format, read_formatted_date
from fieldwise.kernels.moments import ENGLISH_MONTHS, DateReading, read_moment

law = settings(max_examples=150, deadline=None)
days = st.dates(min_value=datetime.date(1000, 1, 1))


def read_day(text: str, day_first: bool | None = None) -> datetime.date | AmbiguousMoment | None:
    moment = read_moment(text, DateReading(day_first))
    return moment.date if isinstance(moment, Moment) else moment


def read_by_formats(text: str, formats: Sequence[re.Pattern[str]]) -> datetime.date | AmbiguousMoment | None:
    moment = read_formatted_date(text, formats)
    return moment.date if isinstance(moment, Moment) else moment


@given(day=days, time=st.sampled_from(["", "T23:00:00-05:00", " 00:00", "T24:00", "T10:11:12.123456Z", " 2:00 PM", " 11:00 CET"]))
@law
def test_every_day_in_iso_form_is_read_whatever_the_time(day: datetime.date, time: str) -> None:
    assert read_day(day.isoformat() + time) == day


@given(day=days)
@law
def test_every_day_is_read_in_words_and_by_week_and_by_day_of_year(day: datetime.date) -> None:
    name, week = ENGLISH_MONTHS[day.month - 1], day.isocalendar()
    for text in (
        f"{day.day} {name} {day.year}",
        f"{name[:3].upper()} {day.day}, {day.year}",
        f"{day.year}-{name[:3]}-{day.day:02}",
        f"{day.year}{day.month:02}{day.day:02}",
        f"{week.year:04}-W{week.week:02}-{week.weekday}",
        f"{day.year}-{day.timetuple().tm_yday:03}",
    ):
        assert read_day(text) == day


@given(day=days, sign=st.sampled_from("/.- "))
@law
def test_a_numeric_date_is_ambiguous_exactly_if_it_has_two_readings(day: datetime.date, sign: str) -> None:
    text = f"{day.day:02}{sign}{day.month:02}{sign}{day.year}"
    parsed = read_day(text)
    if day.day <= 12 and day.day != day.month:
        assert parsed == AmbiguousMoment(f"{day.day} {ENGLISH_MONTHS[day.month - 1]} or {ENGLISH_MONTHS[day.day - 1]} {day.month}")
    else:
        assert parsed == day
    assert read_day(text, day_first=True) == day


@given(
    day=days, format=st.sampled_from(["%d/%m/%Y", "%Y-%m-%d", "%d %b %Y", "%B %d, %Y", "%A %d %B %Y", "%Y%m%d", "%Y-%j", "%Y-%m-%dT00:00"])
)
@law
def test_a_format_reads_what_python_writes_with_it(day: datetime.date, format: str) -> None:
    assert read_by_formats(day.strftime(format), [compile_date_format(format)]) == day


@given(text=st.text(alphabet="0123456789-/. TWaprmy:,", max_size=14) | st.text(max_size=10))
@settings(max_examples=500, deadline=None)
def test_any_text_gives_a_date_or_none_and_never_an_error(text: str) -> None:
    assert isinstance(read_day(text), datetime.date | AmbiguousMoment | None)
    formats = [compile_date_format("%Y-%j"), compile_date_format("D/M/YY"), compile_date_format("D MMM YYYY")]
    assert isinstance(read_by_formats(text, formats), datetime.date | AmbiguousMoment | None)


@given(format=st.text(alphabet="%YmdyMD/-[]bj T", max_size=10))
@law
def test_any_format_is_compiled_or_refused_with_a_reason(format: str) -> None:
    try:
        reason = str(compile_date_format(format).groupindex)
    except ValueError as error:
        reason = str(error)
    assert "date format" in reason or "year" in reason or "short" in reason


@pytest.mark.parametrize(
    "text",
    [
        "2025-02-30",
        "30 February 2025",
        "29 Feb 2025",
        "2025-13-01",
        "0000-01-01",
        "2025-366",
        "2025-000",
        "9999-366",
        "2025-W54-1",
        "2025-W01-8",
        "2025",
        "2025-04",
        "April 2025",
        "31/04/25",
        "2025-04/03",
        "2025-04-03T25:00",
        "2025-04-03T",
        "2025-04-03-05:00",
        "99999-01-01",
        "",
        "Apr 32025",
        "3 April 2025 or so",
        "about 2025-04-03",
        "2025-04-03" + " " * 200 + "x",
    ],
)
def test_these_are_not_dates(text: str) -> None:
    assert read_day(text) is None


@pytest.mark.parametrize(("short", "year"), [("00", 2000), ("68", 2068), ("69", 1969), ("99", 1999)])
def test_two_digit_years_are_read_as_posix_reads_them(short: str, year: int) -> None:
    assert read_by_formats(f"03/04/{short}", [compile_date_format("DD/MM/YY")]) == datetime.date(year, 4, 3)


def test_the_first_format_that_fits_a_day_of_the_calendar_counts() -> None:
    both = [compile_date_format("%d/%m/%Y"), compile_date_format("%m/%d/%Y")]
    assert read_by_formats("03/04/2025", both) == datetime.date(2025, 4, 3)
    assert read_by_formats("04/13/2025", both) == datetime.date(2025, 4, 13)
