"""Dates and times of day in every language, and what is refused or ambiguous."""

from datetime import date, time, timedelta
from random import Random
from string import ascii_letters

import pytest

from fieldwise.kernels.calendar_moment import AmbiguousMoment, Moment
from fieldwise.kernels.locale_tables import clock_words, day_names, day_periods
from fieldwise.kernels.moments import (
    DateReading,
    _fillers,  # pyright: ignore[reportPrivateUsage]
    _read_moment,  # pyright: ignore[reportPrivateUsage]
    is_iso_date,
    month_words,
    read_moment,
    read_time_of_day,
)


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


@pytest.mark.parametrize("place", range(10))
def test_an_iso_date_with_one_letter_is_read_as_the_general_reader_reads_it(place: int) -> None:
    for iso in ("2021-01-21", "2024-12-05", "1999-10-10"):
        for letter in ascii_letters:
            text = iso[:place] + letter + iso[place + 1 :]
            assert read_moment(text) == _read_moment(text, DateReading())


def test_an_iso_date_with_letters_that_look_like_digits_is_read_as_the_general_reader_reads_it() -> None:
    rng = Random(1)
    for _ in range(2000):
        iso = f"{rng.randrange(1990, 2031)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
        text = "".join(rng.choice((digit, digit, *"oOlIi")) if digit.isdigit() else digit for digit in iso)
        assert read_moment(text) == _read_moment(text, DateReading())


@pytest.mark.parametrize(("text", "is_iso"), [("2025-04-03", True), ("2025-4-3", False), ("3 April 2025", False)])
def test_an_iso_date_is_told_from_other_dates(text: str, is_iso: bool) -> None:
    assert is_iso_date(text) is is_iso


@pytest.mark.parametrize(
    ("text", "is_date"),
    [("Montag / Monday, 9 January 2017", True), ("Mo Tu, 9 January 2017", False), ("lundi Monday Montag 9 January 2017", False)],
)
def test_a_day_of_the_week_may_stand_in_two_languages(text: str, is_date: bool) -> None:
    assert (read_moment(text) == read("9 January 2017")) is is_date


@pytest.mark.parametrize(
    "text",
    [
        "الأحد، 29 يناير 2017",
        "segunda-feira, 29 de janeiro de 2017",
        "2017(e)ko urtarrilaren 29(a), igandea",
        "2017 ж. 29 қаңтар, жексенбі",
        "29 հունվարի, 2017 թ.",
        "2017 оны нэгдүгээр сарын 29",
        "2017 оны 1-р сарын 29",
        "29 มกราคม ค.ศ. 2017",
        "2017-ж., 29-январь",
        "29 جنوری، 2017",
        "2017-01-29, sk",
        "нд, 29.01.2017 г.",
        "ngày 29/01/2017",
        "29 M01 2017",
    ],
)
def test_dates_are_read_as_the_patterns_of_their_languages_write_them(text: str) -> None:
    assert read(text).date == date(2017, 1, 29)


@pytest.mark.parametrize(
    "text",
    [
        "Mar 1 2024 10pm",
        "1 March 2024 10:00 in the evening",
        "Fri Mar 1 22:00:00 2024",
        "Fri Mar 1 22:00:00 UTC 2024",
        "1/3/2024 10:00 μ.μ.",
        "1 Μαρτίου 2024 στις 10:00 μ.μ.",
        "1. märts 2024, kell 22:00",
        "1 मार्च 2024 को 10:00 pm बजे",
        "1. März 2024, 10:00 Uhr abends",
        "1 de marzo de 2024, 10:00 de la noche",
        "2024年3月1日晚上10:00",
        "2024年3月1日 UTC 22:00:00",
        "1 มีนาคม 2024 22 นาฬิกา 00 นาที",
        "1 mars 2024, 22 h 00 min 00 s",
    ],
)
def test_times_of_day_are_read_with_their_words_and_markers(text: str) -> None:
    moment = read(text, day_first=True)
    assert moment.date == date(2024, 3, 1)
    assert moment.clock == time(22, 0)


def test_a_month_that_is_a_day_of_the_week_elsewhere_is_a_month() -> None:
    assert read("maj 2021").month == 5
    assert read("Mar 1 2024 10:00").date == date(2024, 3, 1)


@pytest.mark.parametrize("text", ["May 2024 10am", "12 de 2024"])
def test_an_hour_is_no_day_and_a_filler_no_month(text: str) -> None:
    assert read_moment(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "9 to 12 January 2017",
        "January 9 to 12, 2017",
        "9 al 12 de enero de 2017",
        "del 9 al 12 de enero de 2017",
        "9 y 12 de enero de 2017",
        "9 or 12 de enero de 2017",
        "9 a 12 de janeiro de 2017",
        "9 e 12 de janeiro de 2017",
        "9 e 12 gennaio 2017",
        "9 i 12 stycznia 2017",
        "9 to 13/01/2017",
        "9 to 2017-01-12",
        "9 to 12 pm January 2017",
        "9 уто 12 января 2017",
        "9 bis 12 Uhr am 3. Januar 2017",
    ],
)
def test_a_range_of_days_is_no_day_with_an_hour(text: str) -> None:
    assert read_moment(text) is None


@pytest.mark.parametrize(
    "form",
    ["< {}", "> {}", "<= {}", "≥ {}", "≤{}", "~{}", "≈ {}", "± {}", "{}+", "{}?", "{} %", "${}", "{} -", "–{}", "= {}", "c. {}", "est. {}"],
)
@pytest.mark.parametrize("day", ["12 January 2017", "January 12, 2017", "12. Januar 2017", "12 de enero de 2017", "12 January 2017 10:00"])
def test_a_sign_that_makes_a_date_a_bound_or_a_guess_is_refused(form: str, day: str) -> None:
    assert read_moment(day) is not None
    assert read_moment(form.format(day)) is None


@pytest.mark.parametrize(
    "text", ["12€ January 2017", "January 12±1, 2017", "12 January + 2017", "≈10:00 12 January 2017", "12 * January 2017"]
)
def test_a_sign_inside_a_date_is_refused(text: str) -> None:
    assert read_moment(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "12 January 2017*",
        "(12 January 2017)",
        "[12 January 2017]",
        '"12 January 2017"',
        "12-Jan-2017",
        "12.Jan.2017",
        "12/Jan/2017",
        "Jan 12 '17",
        "12 January 2017;",
        "12 January 2017!",
        "**12 January 2017**",
        "(2017/01/12)",
        "[ 2017-01-12 ]",
        "12º enero 2017",
        "12 January 2017 @ 10:00",
        "12 January 2017 - 10:00",
        "10:00 - 12 January 2017",
        "12 January 2017 | 10:00",
        "12 January 2017 · 10:00",
    ],
)
def test_signs_that_say_nothing_may_stand_in_a_date(text: str) -> None:
    assert read(text).date == date(2017, 1, 12)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("1.º de enero de 2024", date(2024, 1, 1)),
        ("1.o de janeiro de 2024", date(2024, 1, 1)),
        ("Il-Ħadd, 15 ta’ Frar 2004", date(2004, 2, 15)),
        ("L-Erbgħa, 18 ta’ Frar 2004", date(2004, 2, 18)),
        ("1.º y 2 de enero de 2024", None),
        ("Il-xejn, 15 ta’ Frar 2004", None),
    ],
)
def test_ordinals_with_a_point_and_days_with_an_article_are_read(text: str, day: date | None) -> None:
    moment = read_moment(text)
    assert (moment.date if isinstance(moment, Moment) else None) == day


RANGE_FORMS = (
    "9 {} 12 January 2017",
    "January 9 {} 12, 2017",
    "9 {} 12 de enero de 2017",
    "9 {} 12 stycznia 2017",
    "9 {} 12 января 2017",
    "9 {} 13.01.2017",
    "9 {} 2017-01-12",
)


@pytest.mark.parametrize("form", RANGE_FORMS)
def test_no_short_word_of_any_language_joins_two_days_to_one(form: str) -> None:
    words = {word for word in {*_fillers(), *day_names(), *day_periods(), *clock_words()} if word.isascii() and len(word) < 4}
    hours = {"am", "a m", "pm", "p m", "vm", "nm", "ap", "ip", "h", "uhr"}
    assert [word for word in sorted(words - hours) if isinstance(read_moment(form.format(word)), Moment)] == []


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("15 March 2024, 3 pm", 15),
        ("3 p.m. March 15, 2024", 15),
        ("15. März 2024, 3 Uhr nachmittags", 15),
        ("15. März 2024 15 Uhr", 15),
        ("15 de marzo de 2024 a las 3 de la tarde", 15),
        ("15 Μαρτίου 2024, 3 μ.μ.", 15),
        ("2024. március 15. 10 óra", None),
        ("Fri Mar 15 10 AM 2024", 10),
    ],
)
def test_an_hour_without_minutes_needs_a_marker_that_is_no_other_word(text: str, hour: int | None) -> None:
    moment = read_moment(text)
    assert (moment.clock and moment.clock.hour if isinstance(moment, Moment) else None) == hour


def test_turkish_capitals_without_a_dot_are_read() -> None:
    assert read("29 KASIM 2024").month == 11


@pytest.mark.parametrize(
    "text", ["2024/3/5（火）", "2024-03-05(火)", "2024/3/5(二)", "2024. 3. 5.(화)", "2024/3/5（火）10:00", "2024-03-05(Tue) 10:00"]
)
def test_a_weekday_in_brackets_may_follow_a_numeric_date(text: str) -> None:
    moment = read_moment(text)
    assert isinstance(moment, Moment)
    assert moment.date == date(2024, 3, 5)
    assert moment.clock == (time(10) if "10:00" in text else None)


@pytest.mark.parametrize("text", ["2024/3/5（x）", "2024-03-05(net)", "2024/3/5(10)"])
def test_other_words_in_brackets_make_no_date(text: str) -> None:
    assert read_moment(text) is None


@pytest.mark.parametrize("languages", [frozenset[str](), frozenset({"pl"}), frozenset({"hr", "de"})])
def test_the_short_way_reads_month_names_as_the_general_reader_does(languages: frozenset[str]) -> None:
    reading = DateReading(languages=languages)
    words = [word for word in (*month_words(), *_fillers(), *day_names()) if word.isalpha()]
    for word in words:
        for text in (f"5 {word} 2024", f"5. {word.title()} 2024", f"31. {word}. 2024"):
            assert read_moment(text, reading) == _read_moment(text, reading), text


@pytest.mark.parametrize(
    "text",
    [
        "to 12 January 2017",
        "12 January 2017 to",
        "do 12 stycznia 2017",
        "po 12 stycznia 2017",
        "do 25.01.2017",
        "dal 12 gennaio 2017",
        "al 25.01.2017",
        "na 12 januari 2017",
        "fra 12 januar 2017",
        "um 12. Januar 2017",
    ],
)
def test_a_bound_is_no_date_although_its_word_is_a_day_of_the_week_elsewhere(text: str) -> None:
    assert read_moment(text) is None


@pytest.mark.parametrize(
    "text", ["do 12 januari 2017", "Do, 12. Januar 2017", "Do 12.01.2017", "to 12.1.2017", "to 12. tammikuuta 2017", "Čt 12. ledna 2017"]
)
def test_a_day_of_the_week_is_read_where_it_is_the_one_of_the_date(text: str) -> None:
    moment = read_moment(text, DateReading(day_first=True))
    assert isinstance(moment, Moment)
    assert moment.date == date(2017, 1, 12)


@pytest.mark.parametrize(
    "text",
    [
        "31·12·2023",
        "31|12|2023",
        "31\\12\\2023",
        "31,12,2023",
        "2023_12_31",
        "31122023",
        "12312023",
        "31.XII.2023 r.",
        "this 31st day of December, 2023",
        "the 31st of December, two thousand and twenty-three",
        "31 December 2023, noon",
    ],
)
def test_rare_spellings_of_a_date_are_read(text: str) -> None:
    moment = read_moment(text)
    assert isinstance(moment, Moment)
    assert moment.date == date(2023, 12, 31)


@pytest.mark.parametrize("text", ["1,12,202", "31,12,23", "99999999", "31121850", "1|2", "31/12|2023"])
def test_digits_with_rare_separators_need_a_day_and_a_full_year(text: str) -> None:
    assert read_moment(text) is None


def test_day_and_month_without_separators_may_be_ambiguous() -> None:
    assert str(read_moment("03042025")) == "3 April or March 4"


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("15 March 2024 noon", time(12)),
        ("noon on 15 March 2024", time(12)),
        ("15 mars 2024 à midi", time(12)),
        ("15. März 2024, Mitternacht", time(0)),
        ("2024-03-15 12 noon", time(12)),
        ("15 March 2024, 2245 hrs", time(22, 45)),
        ("15 March 2024 2:30p", time(14, 30)),
        ("2024-03-15_22:45", time(22, 45)),
        ("2024-03-15 | 22:45", time(22, 45)),
    ],
)
def test_times_of_day_by_name_and_without_a_colon_are_read(text: str, clock: time) -> None:
    moment = read_moment(text)
    assert isinstance(moment, Moment)
    assert (moment.date, moment.clock) == (date(2024, 3, 15), clock)


@pytest.mark.parametrize(
    ("text", "clock"), [("noon", time(12)), ("12 midnight", time(0)), ("midday", time(12)), ("1430 hrs", time(14, 30))]
)
def test_a_time_of_day_alone_may_have_a_name(text: str, clock: time) -> None:
    moment = read_time_of_day(text)
    assert moment is not None
    assert moment.clock == clock
