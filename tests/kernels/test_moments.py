"""Dates and times of day in every language, and what is refused or ambiguous."""

from datetime import date, time, timedelta

import pytest

from fieldwise.kernels.moments import AmbiguousMoment, DateReading, Moment, is_iso_date, read_moment


def read(text: str, **options: object) -> Moment:
    moment = read_moment(text, DateReading(**options))  # pyright: ignore[reportArgumentType]
    assert isinstance(moment, Moment), moment
    return moment


@pytest.mark.parametrize(
    "text",
    [
        "2017-01-09",
        "20170109",
        "2017/1/9",
        "9 January 2017",
        "January 9th, 2017",
        "Monday, 9 Jan. 2017",
        "the 9th of January 2017",
        "09-Jan-17",
        "9. Januar 2017",
        "9. Jänner 2017",
        "9 janvier 2017",
        "le 9 janv. 2017",
        "9 de enero de 2017",
        "9 stycznia 2017 r.",
        "2017. január 9.",
        "9 января 2017 г.",
        "٩ يناير ٢٠١٧",
        "9 tháng 1, 2017",
        "2017年1月9日",
        "二〇一七年一月九日",
        "2017년 1월 9일",
        "2017-W02-1",
        "2017-009",
    ],
)
def test_one_day_is_read_in_many_languages(text: str) -> None:
    assert read(text).date == date(2017, 1, 9)


@pytest.mark.parametrize(
    "text", ["", "12", "2024", "soon", "30 February 2025", "Feb 30 2024", "13/13/2024", "1/2/3", "hello 5 May 2024", "5 May"]
)
def test_what_is_no_date_is_refused(text: str) -> None:
    assert read_moment(text) is None


def test_numeric_dates_are_ambiguous_until_the_order_is_known() -> None:
    assert isinstance(read_moment("03/04/2025"), AmbiguousMoment)
    assert read("03/04/2025", day_first=True).date == date(2025, 4, 3)
    assert read("03/04/2025", day_first=False).date == date(2025, 3, 4)
    assert read("13/04/2025").numeric_order == "day first"
    assert read("04/13/2025").numeric_order == "month first"
    assert read("04/04/2025").numeric_order == ""


def test_two_digit_years_turn_at_the_pivot_and_can_be_refused() -> None:
    assert [read(f"5 May {year}").year for year in ("69", "99", "00", "68")] == [1969, 1999, 2000, 2068]
    assert read("5 May 31", year_pivot=30).year == 1931
    assert read_moment("5 May 31", DateReading(year_pivot=None)) is None


def test_a_month_name_of_two_months_is_ambiguous_unless_a_language_decides() -> None:
    assert isinstance(read_moment("5 listopad 2024"), AmbiguousMoment)
    assert read("5 listopad 2024", languages=frozenset({"pl"})).month == 11
    assert read("5 listopad 2024", languages=frozenset({"hr"})).month == 10
    assert read("5 may 2024").month == 5
    assert read("17. mai 2024").month == 5


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("2024-03-15T14:30:00", time(14, 30)),
        ("March 15, 2024 2:30 PM", time(14, 30)),
        ("15 Mar 2024 12:05 am", time(0, 5)),
        ("15.03.2024 14.30 Uhr", time(14, 30)),
        ("15/03/2024 14h30", time(14, 30)),
        ("15.3.2024 klo 14.30", time(14, 30)),
        ("2024年3月15日下午2:30", time(14, 30)),
        ("2024년 3월 15일 오후 2:30", time(14, 30)),
        ("14:30 15/03/2024", time(14, 30)),
        ("2024-03-15 14:30:15.5", time(14, 30, 15, 500000)),
    ],
)
def test_times_of_day_are_read(text: str, clock: time) -> None:
    assert (read(text).date, read(text).clock) == (date(2024, 3, 15), clock)


def test_offsets_make_instants() -> None:
    assert read("2024-03-01T11:00:00+01:00").at_offset() == read("2024-03-01T10:00:00Z").at_offset()
    assert read("1 March 2024 10:30 EST").offset == timedelta(hours=-5)
    assert read("2024-03-01T10:00").at_offset() is None


def test_a_month_without_a_day_is_partial() -> None:
    assert [(read(text).year, read(text).month, read(text).day) for text in ("March 2024", "2024-03", "3/2024")] == [(2024, 3, None)] * 3


@pytest.mark.parametrize(("text", "month"), [("2024年1月", 1), ("2024年12月", 12), ("2024年13月", None), ("2024年0月", None)])
def test_a_month_without_a_day_is_one_of_twelve(text: str, month: int | None) -> None:
    assert read_moment(text) == (None if month is None else Moment(2024, month, None))


@pytest.mark.parametrize(("text", "is_iso"), [("2025-04-03", True), ("2025-4-3", False), ("3 April 2025", False)])
def test_an_iso_date_is_told_from_other_dates(text: str, is_iso: bool) -> None:
    assert is_iso_date(text) is is_iso


@pytest.mark.parametrize(
    ("text", "is_date"),
    [("Montag / Monday, 9 January 2017", True), ("Mo Tu, 9 January 2017", False), ("lundi Monday Montag 9 January 2017", False)],
)
def test_a_day_of_the_week_may_stand_in_two_languages(text: str, is_date: bool) -> None:
    assert (read_moment(text) == read("9 January 2017")) is is_date
