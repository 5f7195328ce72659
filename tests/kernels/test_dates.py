"""Calendar dates in text."""

import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.dates import (
    ENGLISH_MONTHS,
    AmbiguousDate,
    compile_date_format,
    parse_date,
    parse_date_readings,
    parse_date_with_formats,
    spell_iso_date,
)

law = settings(max_examples=150, deadline=None)
days = st.dates(min_value=datetime.date(1000, 1, 1))


@given(day=days, time=st.sampled_from(["", "T23:00:00-05:00", " 00:00", "T24:00", "T10:11:12.123456Z", " 2:00 PM", " 11:00 CET"]))
@law
def test_every_day_in_iso_form_is_read_whatever_the_time(day: datetime.date, time: str) -> None:
    assert parse_date(day.isoformat() + time) == day


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
        assert parse_date(text) == day


@given(day=days, sign=st.sampled_from("/.- "))
@law
def test_a_numeric_date_is_ambiguous_exactly_if_it_has_two_readings(day: datetime.date, sign: str) -> None:
    text = f"{day.day:02}{sign}{day.month:02}{sign}{day.year}"
    parsed = parse_date(text)
    if day.day <= 12 and day.day != day.month:
        assert parsed == AmbiguousDate(day.day, day.month, day.year)
    else:
        assert parsed == day
    assert parse_date(text, day_first=True) == day


@given(
    day=days, format=st.sampled_from(["%d/%m/%Y", "%Y-%m-%d", "%d %b %Y", "%B %d, %Y", "%A %d %B %Y", "%Y%m%d", "%Y-%j", "%Y-%m-%dT00:00"])
)
@law
def test_a_format_reads_what_python_writes_with_it(day: datetime.date, format: str) -> None:
    assert parse_date_with_formats(day.strftime(format), [compile_date_format(format)]) == day


@given(text=st.text(alphabet="0123456789-/. TWaprmy:,", max_size=14) | st.text(max_size=10))
@settings(max_examples=500, deadline=None)
def test_any_text_gives_a_date_or_none_and_never_an_error(text: str) -> None:
    assert isinstance(parse_date(text), datetime.date | AmbiguousDate | None)
    assert isinstance(parse_date_with_formats(text, [compile_date_format("%Y-%j"), compile_date_format("D/M/YY")]), datetime.date | None)


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
        "03/04/25",
        "2025-04/03",
        "2025-04-03T25:00",
        "2025-04-03T",
        "2025-04-03-05:00",
        "99999-01-01",
        "",
        "Apr 32025",
        "3 April 2025 or so",
        "on 2025-04-03",
        "2025-04-03" + " " * 200 + "x",
    ],
)
def test_these_are_not_dates(text: str) -> None:
    assert parse_date(text) is None


@pytest.mark.parametrize(("short", "year"), [("00", 2000), ("68", 2068), ("69", 1969), ("99", 1999)])
def test_two_digit_years_are_read_as_posix_reads_them(short: str, year: int) -> None:
    assert parse_date_with_formats(f"03/04/{short}", [compile_date_format("DD/MM/YY")]) == datetime.date(year, 4, 3)


def test_the_first_format_that_fits_a_day_of_the_calendar_counts() -> None:
    both = [compile_date_format("%d/%m/%Y"), compile_date_format("%m/%d/%Y")]
    assert parse_date_with_formats("03/04/2025", both) == datetime.date(2025, 4, 3)
    assert parse_date_with_formats("04/13/2025", both) == datetime.date(2025, 4, 13)


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("2025-03-04", ((2025, 3, 4),)),
        ("20250304", ((2025, 3, 4),)),
        ("4 March 2025", ((2025, 3, 4),)),
        ("Tue, 4 Mar 2025", ((2025, 3, 4),)),
        ("4th of March, 2025", ((2025, 3, 4),)),
        ("4 de marzo de 2025", ((2025, 3, 4),)),
        ("4-Mar-25", ((2025, 3, 4),)),
        ("04.03.2025", ((2025, 3, 4), (2025, 4, 3))),
        ("31/12/99", ((1999, 12, 31),)),
        ("31/12/69", ((1969, 12, 31),)),
        ("31/12/68", ((2068, 12, 31),)),
        ("2025-3", ((2025, 3, 0),)),
        ("29/02/2024", ((2024, 2, 29),)),
        ("May 2025", ((2025, 5, 0),)),
    ],
)
def test_a_date_is_read_with_every_day_it_may_be(text: str, readings: tuple[tuple[int, int, int], ...]) -> None:
    parsed = parse_date_readings(text)
    assert parsed is not None
    assert parsed.readings == readings


@pytest.mark.parametrize(
    "text", ["", "30/02/2025", "29/02/2025", "2025-13-01", "2025-01-2025", "Q1 2025", "Page 4 2025", "12:30", "x" * 50]
)
def test_other_text_has_no_date_readings(text: str) -> None:
    assert parse_date_readings(text) is None


def test_the_time_of_day_is_kept_unless_it_says_nothing() -> None:
    times = [
        parsed.time for text in ("2025-03-04T00:00:00Z", "2025-03-04 09:30:00", "2025-03-04 9:30") if (parsed := parse_date_readings(text))
    ]
    assert times == ["", "9:30", "9:30"]


def test_a_date_is_written_in_many_ways() -> None:
    spellings = spell_iso_date("2025-01-31")
    assert {"2025-01-31", "31 January 2025", "Jan 31 2025", "31.01.2025", "01/31/2025", "31/1/2025", "2025年1月31日"} <= set(spellings)
    assert spell_iso_date("2025-02-30") == spell_iso_date("soon") == []
