"""date: the same day of the calendar, however it is written."""

import datetime
import math
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

import fieldwise as fw
from fieldwise.matchers.date import Date, date
from fieldwise.model.pairs import Pairs
from fieldwise.model.rule import Match
from fieldwise.registry import MATCHERS
from fieldwise.score.matching import score_pairs


def score(expected: Any, actual: Any, **options: Any) -> float:
    return float(date(Pairs([expected], [actual]), Date(**options)).value[0])


def note(expected: Any, actual: Any, **options: Any) -> str | None:
    return date(Pairs([expected], [actual]), Date(**options)).notes.get(0)


@pytest.mark.parametrize(
    "actual",
    [
        "2025-04-13",
        "20250413",
        "2025/04/13",
        "2025.4.13",
        "13/04/2025",
        "04/13/2025",
        "13.04.2025",
        "13-04-2025",
        "13 April 2025",
        "13th of april, 2025",
        "Apr 13, 2025",
        "APR. 13 2025",
        "13-Apr-2025",
        "Sunday, 13 April 2025",
        "Sun, 13 Apr 2025 23:59:00 +0000",
        "2025-04-13T23:00:00-05:00",
        "2025-04-13T00:30:00+14:00",
        "2025-04-13 10:00",
        "2025-W15-7",
        "2025-103",
        "  2025-04-13\n",
        datetime.date(2025, 4, 13),
        datetime.datetime(2025, 4, 13, 23, 0, tzinfo=datetime.UTC),
    ],
)
def test_one_day_in_many_forms(actual: Any) -> None:
    """structured-data design: field accuracy, match type date."""
    assert score("2025-04-13", actual) == 1.0
    assert score(actual, "2025-04-13") == 1.0
    assert score("2025-04-14", actual) == 0.0


def test_a_time_zone_never_moves_the_date() -> None:
    assert score("2025-01-01", "2025-01-01T23:00:00-05:00") == 1.0
    assert score("2025-01-02", "2025-01-01T23:00:00-05:00") == 0.0


@pytest.mark.parametrize("actual", ["2025-04-03Z", "2025-04-03+02:00", "2025-04-03 13:00 AM"])
def test_a_zone_or_an_impossible_time_behind_a_date_does_not_count(actual: str) -> None:
    assert date(Pairs(["2025-04-03"], [actual]), Date()).passed[0]
    assert not date(Pairs(["2025-04-04"], [actual]), Date()).passed[0]


@pytest.mark.parametrize("text", ["2025-04-03+25:00", "2025-02-30Z", "2025-04-03+02:60"])
def test_an_impossible_date_or_zone_is_no_date(text: str) -> None:
    scores = date(Pairs(["2025-04-03"], [text]), Date())
    assert not scores.passed[0]
    assert "not a date" in scores.notes[0]


def test_a_date_with_two_readings_is_a_miss_that_says_so() -> None:
    assert score("2025-04-03", "03/04/2025") == 0.0
    assert note("2025-04-03", "03/04/2025") == "ambiguous date: 3 April or March 4; set day_first or formats"
    assert note("03.04.2025", "2025-04-03") == "ambiguous date: 3 April or March 4; set day_first or formats"


def test_the_same_ambiguous_text_on_both_sides_matches() -> None:
    assert score("03/04/2025", " 03/04/2025") == 1.0
    assert score("03/04/2025", "04/03/2025") == 0.0


def test_zeros_in_front_do_not_make_another_date_of_an_ambiguous_one() -> None:
    assert score("2/1/2016", "02/01/2016") == 1.0
    assert score("2/1/2016", "1/2/2016") == 0.0
    assert score("2/10/2016", "2/1/2016") == 0.0
    assert score("02.01.2016", "02/01/2016") == 0.0  # points and slashes go with different orders


def test_day_first_decides_what_has_two_readings_and_nothing_else() -> None:
    assert score("2025-04-03", "03/04/2025", day_first=True) == 1.0
    assert score("2025-03-04", "03/04/2025", day_first=False) == 1.0
    assert score("2025-03-04", "03/04/2025", day_first=True) == 0.0
    assert score("2025-04-13", "04/13/2025", day_first=True) == 1.0
    assert score("2025-04-04", "04/04/2025") == 1.0


@pytest.mark.parametrize(
    "text", ["30 February 2025", "2025-02-30", "29/02/2025", "2025-13-01", "2025-00-10", "31/04/2025", "31/04/25", "2025-04", "soon"]
)
def test_thirty_february_and_the_like_are_not_dates(text: str) -> None:
    assert score("2025-03-02", text) == 0.0
    assert note("2025-03-02", text) == f'not a date: "{text}"'


def test_a_leap_day_is_a_date_in_a_leap_year() -> None:
    assert score("2024-02-29", "29 Feb 2024") == 1.0


def test_formats_are_obeyed() -> None:
    formats = ("%d/%m/%Y", "YYYY-MM-DD")
    assert score("2025-04-03", "03/04/2025", formats=formats) == 1.0
    assert score("2025-04-03", "3 April 2025", formats=formats) == 0.0
    assert note("2025-04-03", "3 April 2025", formats=formats) == '"3 April 2025" fits none of the formats %d/%m/%Y, YYYY-MM-DD'
    assert score("2025-04-03", "2025-04-03T10:00", formats=formats) == 0.0
    assert score("2025-04-03", "30/02/2025", formats=formats) == 0.0


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("%d.%m.%y", "03.04.25"),
        ("DD.MM.YY", "03.04.25"),
        ("%d %b %Y", "3 APR 2025"),
        ("%B %d, %Y", "apr 3, 2025"),
        ("D MMM YYYY", "3 april 2025"),
        ("MMMM Do, YYYY", "April 3rd, 2025"),
        ("dddd, D MMMM YYYY", "Thursday, 3 April 2025"),
        ("YYYYMMDD", "20250403"),
        ("%Y%m%d", "20250403"),
        ("YYYY-MM-DDTHH:mm:ssZ", "2025-04-03T23:10:00-05:00"),
        ("DD/MM/YYYY hh:mm A", "03/04/2025 11:10 pm"),
        ("[le] D/M/YYYY", "le 3/4/2025"),
        ("%Y-%j", "2025-093"),
        ("%-d/%-m/%Y", "3/4/2025"),
    ],
)
def test_formats_in_either_notation(format: str, text: str) -> None:
    assert score(datetime.date(2025, 4, 3), text, formats=(format,)) == 1.0


def test_tokens_count_digits() -> None:
    day = datetime.date(2025, 4, 3)
    assert score(day, "3/4/2025", formats=("DD/MM/YYYY",)) == 0.0
    assert score(day, "3/4/2025", formats=("D/M/YYYY",)) == 1.0
    assert score(day, "3/4/2025", formats=("%d/%m/%Y",)) == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"formats": ["dd/mm/yyyy"]}, "did you mean `DD`"),
        ({"formats": ["%d/%m"]}, "has no year"),
        ({"formats": ["YYYY"]}, "needs a day and a month"),
        ({"formats": ["%Q/%Y"]}, "unknown directive `%Q`"),
        ({"formats": ["DD/DD/YYYY"]}, "twice"),
        ({"formats": []}, "at least 1"),
        ({"formats": ["%d/%m/%Y"], "day_first": True}, "remove `day_first`"),
        ({"day_first": "perhaps"}, "bool"),
    ],
)
def test_options_that_cannot_work_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        TypeAdapter(Date).validate_python(options)


def test_numbers_and_other_values_are_not_dates() -> None:
    assert score("2025-04-03", 20250403) == 0.0
    assert note("2025-04-03", 20250403) == "not a date: 20250403"
    assert note("2025-04-03", True) == "not a date: true"
    assert note(["2025-04-03"], "2025-04-03") == "not a date: a list"


def test_a_nan_is_not_a_date() -> None:
    assert score(math.nan, math.nan) == 0.0
    assert score_pairs(Match("date"), ["2025-04-03"], [math.nan]).notes == {0: "NaN is not a number"}


@pytest.mark.parametrize(
    "text",
    [
        "9. Januar 2017",
        "9 janvier 2017",
        "9 de enero de 2017",
        "9 stycznia 2017",
        "2017年1月9日",
        "二〇一七年一月九日",
        "2017년 1월 9일",
        "09-Jan-17",
        "9 января 2017 г.",
        "9 Ιανουαρίου 2017",
        "9 Ocak 2017",
        "9 tháng 1 năm 2017",
        "٩ يناير ٢٠١٧",
        "9 जनवरी 2017",
        "2017. január 9.",
        "9 OCAK 2017",
    ],
)
def test_month_names_of_every_language_and_cjk_dates_are_read(text: str) -> None:
    assert score("2017-01-09", text) == 1.0
    assert score("2017-01-10", text) == 0.0


def test_english_wins_then_languages_and_what_is_open_is_ambiguous() -> None:
    assert score("2024-05-03", "3 may 2024") == 1.0
    assert note("2024-11-05", "5 listopad 2024") == "ambiguous date: `listopad` is month 10 or 11; set languages"
    assert score("2024-11-05", "5 listopad 2024", languages=("pl",)) == 1.0
    assert score("2024-10-05", "5 listopad 2024", languages=("hr",)) == 1.0
    assert score("2024-03-05", "5 mar 2024", languages=("pl",)) == 1.0
    with pytest.raises(ValueError, match="no language `polish`"):
        Date(languages=("polish",))


def test_two_digit_years_have_a_pivot_that_can_be_moved_or_refused() -> None:
    assert score("2018-03-14", "14/03/18") == 1.0
    assert score("1969-03-14", "14/03/69") == 1.0
    assert score("2068-03-14", "14/03/68") == 1.0
    assert score("1930-03-14", "14/03/30", two_digit_years=30) == 1.0
    assert score("2029-03-14", "14/03/29", two_digit_years=30) == 1.0
    assert score("1930-03-14", "14.03.30", formats=("DD.MM.YY", "YYYY-MM-DD"), two_digit_years=30) == 1.0
    assert note("2018-03-14", "14/03/18", two_digit_years="off") == 'not a date: "14/03/18"'
    assert note("2025-04-03", "03/04/25") == "ambiguous date: 3 April or March 4; set day_first or formats"


def test_formats_read_month_names_of_every_language_in_any_case() -> None:
    assert score("09/01/2017", "9. januar 2017", formats=("D. MMMM YYYY", "%d/%m/%Y")) == 1.0
    assert score("09/01/2017", "9 STYCZNIA 2017", formats=("%d %B %Y", "%d/%m/%Y")) == 1.0
    assert score("02/JAN/2017", "02/Jan/2017", formats=("%d/%b/%Y",)) == 1.0
    assert score("02/JAN/2017", "02/Jan/2017", formats=("%d/%m/%Y",)) == 1.0  # the same text but for its case, in no format
    assert score("02/JAN/2017", "02/Feb/2017", formats=("%d/%m/%Y",)) == 0.0
    assert score("lundi 9 janvier 2017", "9/1/2017", formats=("dddd D MMMM YYYY", "D/M/YYYY")) == 1.0
    assert score("xyz 9 janvier 2017", "9/1/2017", formats=("dddd D MMMM YYYY", "D/M/YYYY")) == 0.0
    assert "set languages" in (note("5 listopad 2024", "5 Nov 2024", formats=("D MMM YYYY",)) or "")


def test_the_precision_can_be_the_month() -> None:
    for actual in ("2025-04", "April 2025", "04/2025", "2025-04-17", "avril 2025", "2025年4月"):
        assert score("2025-04", actual, precision="month") == 1.0
        assert score("2025-05", actual, precision="month") == 0.0
    assert note("2025-04-01", "April 2025") == 'not a date: "April 2025"'


def test_times_of_day_that_differ_pass_with_a_note() -> None:
    assert score("2025-04-13T10:00", "2025-04-13T22:45") == 1.0
    assert note("2025-04-13T10:00", "2025-04-13T22:45") == "the times of day differ: 10:00:00 and 22:45:00"
    assert note("2025-04-13T10:00", "2025-04-13") is None
    assert note("2025-04-13T10:00Z", "2025-04-13T11:00+01:00") is None
    assert note("13.04.2025 10:00", "2025-04-13 10:00:00") is None


def test_a_month_with_a_short_year_is_a_date_only_where_months_are_compared() -> None:
    assert date(Pairs(["2025-04", "2025-04"], ["Apr-25", "Apr. 24"]), Date(precision="month")).value.tolist() == [1.0, 0.0]
    assert date(Pairs(["2025-04-01"], ["Apr-25"]), Date()).value.tolist() == [0.0]


@pytest.mark.parametrize("text", ["3. februara 2024.", "3. фебруара 2024.", "3 ফেব্রুয়ারি 2024", "3. februarja 2024"])
def test_forms_of_month_names_that_cldr_does_not_print_are_read(text: str) -> None:
    assert fw.match("date", expected=["2024-02-03"], actual=[text]).value.tolist() == [1.0]


@pytest.mark.parametrize("language", ["ja", "zh", "ko", "pt-BR", "PL", "zh-Hant-TW", "sr_Latn", "pol"])
def test_languages_are_codes_in_any_case_with_script_and_region(language: str) -> None:
    assert Date(languages=(language,)).languages == (language,)
    is_polish = language in ("PL", "pol")
    assert fw.match("date", expected=["2024-11-05"], actual=["5 listopada 2024"], languages=[language]).value.tolist() == [float(is_polish)]


@pytest.mark.parametrize("language", ["polish", "xx", "", "pl-", "p"])
def test_what_is_no_code_of_a_language_is_refused(language: str) -> None:
    with pytest.raises(ValueError, match="has no language"):
        Date(languages=(language,))


def test_actual_values_may_have_another_order_of_day_and_month() -> None:
    pairs = Pairs(["03/04/2025", "03/04/2025"], ["03/04/2025", "04/03/2025"])
    assert date(pairs, Date(day_first=True, actual_day_first=False)).value.tolist() == [0.0, 1.0]
    assert date(pairs, Date(day_first=True)).value.tolist() == [1.0, 0.0]
    grid = MATCHERS.find("date").grid
    assert grid is not None
    assert grid(["03/04/2025"], ["03/04/2025", "04/03/2025"], Date(day_first=True, actual_day_first=False)).tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("Sep 30", "30 September", True),
        ("Sept. 30th", "30. September", True),
        ("Feb 29", "29 février", True),
        ("9月30日", "30 Sep", True),
        ("Sep 30", "Sep 29", False),
        ("Sep 30", "30 September 2025", False),
        ("Sep 30", "30 September 2000", False),
        ("until 30 September", "30 September", False),
        ("9/30", "30 September", False),
        ("30 rooms", "rooms 30", False),
    ],
)
def test_a_day_without_a_year_agrees_with_the_same_day_alone(expected: str, actual: str, same: bool) -> None:
    scores = date(Pairs([expected], [actual]), Date())
    assert bool(scores.value[0]) is same
