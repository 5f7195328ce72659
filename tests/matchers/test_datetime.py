"""Instants with their time of day."""

from datetime import datetime, time

import pytest

import fieldwise as fw
from fieldwise.matchers.datetime_ import Datetime, datetime_
from fieldwise.model.pairs import Pairs


def agrees(expected: object, actual: object, **options: object) -> bool:
    return bool(datetime_(Pairs([expected], [actual]), Datetime(**options)).passed[0])  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("2024-03-01T10:00:00Z", "2024-03-01T11:00:00+01:00"),
        ("2024-03-01T23:30:00-05:00", "2024-03-02T04:30:00Z"),
        ("2024-03-15T22:45:00", "March 15, 2024 10:45 p.m."),
        ("2024-03-15 14:30", "15.03.2024 14.30 Uhr"),
        ("2024-03-15", "15 March 2024"),
        ("2024-03-15 16:00 Europe/Paris", "2024-03-15T15:00Z"),
        ("2024-07-15 16:00 (Europe/Paris)", "2024-07-15T14:00Z"),
        ("2024-07-15T16:00 america/new_york", "2024-07-15T20:00Z"),
        ("13:00 am 15. März 2024", "2024-03-15 13:00"),
        ("13:00 Uhr am Freitag, den 15. März 2024", "2024-03-15 13:00"),
    ],
)
def test_one_instant_in_two_spellings_agrees(expected: str, actual: str) -> None:
    assert agrees(expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("2024-03-01T10:00:00Z", "2024-03-01T22:45:00Z"),
        ("2024-03-01T10:00:00Z", "2024-03-01T10:00:00+01:00"),
        ("2024-03-15 14:30", "2024-03-15"),
        ("2024-03-15 14:30", "soon"),
        ("03/04/2025 10:00", "2025-04-03 10:00"),
        ("2024-03-15 16:00 Europe/Paris", "2024-03-15T16:00Z"),
        ("2024-03-15 16:00 Europe/Nowhere", "2024-03-15 16:00"),
    ],
)
def test_different_instants_do_not_agree(expected: str, actual: str) -> None:
    assert not agrees(expected, actual)


def test_the_tolerance_takes_seconds_and_lengths_of_time() -> None:
    assert agrees("2024-03-15 14:30:00", "2024-03-15 14:31:00", tolerance=60)
    assert agrees("2024-03-15 14:30:00", "2024-03-15 14:31:00", tolerance="60s")
    assert agrees("2024-03-15 14:30:00", "2024-03-15 14:34:59", tolerance="5min")
    assert not agrees("2024-03-15 14:30:00", "2024-03-15 14:31:01", tolerance="60s")
    with pytest.raises(ValueError, match="no length of time"):
        Datetime(tolerance="soon")


def test_a_zone_can_be_assumed_or_required() -> None:
    assert agrees("2024-07-01T10:00:00Z", "2024-07-01 12:00", zone={"assume": "Europe/Paris"})
    assert not agrees("2024-07-01T10:00:00Z", "2024-07-01 10:00", zone={"assume": "Europe/Paris"})
    assert agrees("2024-07-01T10:00:00Z", "2024-07-01 10:00")
    assert not agrees("2024-07-01T10:00:00Z", "2024-07-01 10:00", zone="require")
    for zone in ({"assume": "Mars/Base"}, {"take": "UTC"}, "maybe"):
        with pytest.raises(ValueError, match="zone"):
            Datetime(zone=zone)


def test_day_first_decides_what_is_ambiguous() -> None:
    assert agrees("03/04/2025 10:00", "2025-04-03 10:00", day_first=True)
    assert not agrees("03/04/2025 10:00", "2025-04-03 10:00", day_first=False)


def test_a_zone_may_be_written_by_its_name_alone_and_options_are_hashable() -> None:
    assert agrees("2024-07-01T10:00:00Z", "2024-07-01 12:00", zone="Europe/Paris")
    assert hash(Datetime(zone={"assume": "Europe/Paris"})) == hash(Datetime(zone="assume: Europe/Paris"))


def test_one_side_without_a_zone_is_compared_as_written_with_a_note() -> None:
    scores = datetime_(Pairs(["2024-07-01T10:00:00+02:00"], ["2024-07-01 10:00"]), Datetime())
    assert scores.passed.all()
    assert scores.notes == {0: "one side has no time zone; the times were compared as written"}


def test_the_end_of_a_day_without_a_zone_has_the_note_too() -> None:
    scores = datetime_(Pairs(["2024-03-15T24:00"], ["2024-03-16T00:00Z"]), Datetime())
    assert scores.notes == {0: "one side has no time zone; the times were compared as written"}


def test_midnight_at_the_end_of_a_day_is_the_next_midnight() -> None:
    assert agrees("2024-03-15T24:00", "2024-03-16T00:00")
    assert not agrees("2024-03-15T24:00", "2024-03-15T00:00")


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("2024-03-15T22:45:30.123456789Z", "2024-03-15T22:45:30.123456788Z"),
        ("2024-03-15T22:45:30.1234567Z", "2024-03-15T22:45:30.123456Z"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
        ("2024-03-15T24:00", "2024-03-15T23:59:59.999999"),
        ("2024-03-15T24:00", "2024-03-16"),
        ("2024-03-15T10:00:60Z", "2024-03-15T10:01:00Z"),
        ("2024-03-15T24:00:00.5", "2024-03-16T00:00:00.5"),
    ],
)
def test_instants_that_differ_by_less_than_a_second_differ(expected: str, actual: str) -> None:
    assert not agrees(expected, actual)
    assert not agrees(actual, expected)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("2024-03-15T22:45:30.123456000Z", "2024-03-15T22:45:30.123456Z"),
        ("2024-03-15T22:45:30.123456789Z", "2024-03-15T23:45:30.123456789+01:00"),
        ("20240315T224530.123456789Z", "2024-03-15T22:45:30.123456789Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
        ("2017-01-01T05:29:60+05:30", "2017-01-01T00:00:00Z"),
        ("2024-03-30T24:00 Europe/Paris", "2024-03-30T23:00Z"),
        ("9999-12-31T24:00Z", "9999-12-31T24:00Z"),
    ],
)
def test_a_leap_second_is_the_next_minute_and_zeros_say_nothing(expected: str, actual: str) -> None:
    assert agrees(expected, actual)


@pytest.mark.parametrize(("last_digits", "is_near"), [("788", True), ("789", True), ("790", False)])
def test_a_tolerance_holds_to_the_nanosecond(last_digits: str, is_near: bool) -> None:
    left, right = "2024-03-15T22:45:30.123456789Z", f"2024-03-15T22:45:30.123457{last_digits}Z"
    assert agrees(left, right, tolerance=0.000001) is is_near
    assert agrees(right, left, tolerance=0.000001) is is_near


TIMES = [
    "14:30",
    "14:30:00",
    "2:30 PM",
    "2.30 p.m.",
    "at 2:30pm",
    "T14:30",
    "14h30",
    "um 14.30 Uhr",
    "kl. 14.30",
    "下午2:30",
    "오후 2시 30분",
    "下午2点半",
]


@pytest.mark.parametrize("text", TIMES)
def test_a_time_of_day_without_a_date_is_read(text: str) -> None:
    assert agrees("14:30", text)
    assert agrees(text, time(14, 30))
    assert not agrees("14:31", text)
    assert not agrees("02:30", text)


@pytest.mark.parametrize("value", ["2024-03-15 14:30", "2024-03-15", datetime(2024, 3, 15, 14, 30)])
def test_a_time_of_day_agrees_only_with_another_one(value: object) -> None:
    for expected, actual, side in (("14:30", value, "expected"), (value, "14:30", "actual")):
        scores = datetime_(Pairs([expected], [actual]), Datetime(tolerance="100000 h"))
        assert not scores.passed[0]
        assert scores.notes == {0: f"no date on the {side} side"}


@pytest.mark.parametrize(
    "text",
    [
        "14.30",
        "14",
        "1430",
        "14 h",
        "14 hours",
        "25:30",
        "14:60",
        "-14:30",
        "~14:30",
        "14:30?",
        "14:30+",
        "< 14:30",
        "gegen 14:30",
        "before 14:30",
        "14:30 to",
        "14:30 +1",
        "14:30-12:00",
        "14:30 - 15:00",
        "14:30 Europe/Paris",
        "14:30 AM",
        "14h30min",
        "1:14:30:00",
    ],
)
def test_what_may_be_another_value_than_a_time_of_day_is_refused(text: str) -> None:
    assert not agrees("14:30", text)
    assert not agrees("14:00", text)
    assert not agrees("02:30", text)


def test_times_of_day_with_offsets_are_compared_as_instants_of_any_day() -> None:
    assert agrees("14:30Z", "15:30+01:00")
    assert agrees("23:30Z", "00:30+01:00")
    assert agrees("14:30 EST", "19:30 UTC")
    assert not agrees("14:30 EST", "14:30 PST")
    assert not agrees("24:00", "00:00")
    assert agrees("14:30", "14:30Z", zone="UTC")
    assert not agrees("14:30", "15:30Z", zone="UTC")
    assert not agrees("14:30", "14:30", zone="require")
    assert datetime_(Pairs(["14:30"], ["14:30Z"]), Datetime(zone="Europe/Paris")).notes


def test_a_tolerance_holds_for_times_of_day() -> None:
    assert agrees("14:30", "14:31", tolerance="60s")
    assert not agrees("14:30", "14:31:01", tolerance="60s")
    assert not agrees("00:00", "23:59:30", tolerance="60s")


def test_a_range_of_times_agrees_with_the_same_range() -> None:
    assert agrees("10:00-12:00", "10:00 to 12:00")
    assert not agrees("10:00-12:00", "10:00 to 12:30")
    assert not agrees("10:00-12:00", "10:00")


@pytest.mark.parametrize("value", ["2024-03-01T10:00", "soon", 5])
def test_a_value_without_the_required_zone_never_passes(value: object) -> None:
    assert not agrees(value, value, zone="require")
    assert agrees("2024-03-01T10:00Z", "2024-03-01T10:00Z", zone="require")


@pytest.mark.parametrize(
    "text", ["2024-03-15 13:00 AM", "March 15, 2024 at 13:00 a.m.", "13:00 AM March 15, 2024", "2024年3月15日 午前13:00"]
)
def test_an_hour_above_12_before_noon_is_a_miss_that_says_so(text: str) -> None:
    scores = datetime_(Pairs(["2024-03-15 13:00"], [text]), Datetime())
    assert not scores.passed[0]
    assert "hour above 12" in scores.notes[0]


def test_a_range_of_times_on_a_day_is_no_time_with_an_offset() -> None:
    assert not agrees("2024-03-05 10:00-11:00", "2024-03-05 10:00")
    assert not agrees("2024-03-05 10:00-11:00", "2024-03-05 21:00Z")
    assert agrees("5 March 2024 10:00-11:00", "5 March 2024 10:00 – 11:00")
    assert not agrees("5 March 2024 10:00-11:00", "5 March 2024 10:00-12:00")


@pytest.mark.parametrize("text", ["2024-03-05T10:00-11:00", "2024-03-05 10:00:00-11:00", "2024-03-05 16:00-05:00", "2024-03-06 05:00 SGT"])
def test_an_offset_is_one_with_a_t_seconds_or_an_earlier_time(text: str) -> None:
    assert agrees(text, "2024-03-05T21:00Z")


def test_no_zone_is_more_than_12_hours_behind_utc() -> None:
    assert not agrees("2024-03-05T10:00-12:30", "2024-03-05T22:30Z")


def test_dates_of_cameras_and_web_servers_are_read() -> None:
    assert agrees("2024-03-05 10:22:33", "2024:03:05 10:22:33")
    assert agrees("2024-03-05T10:22:33Z", "05/Mar/2024:10:22:33 +0000")
    assert not agrees("2024-03-05T10:22:33Z", "05/Mar/2024:10:22:34 +0000")


def test_the_single_letters_of_arabic_tell_morning_from_afternoon() -> None:
    assert agrees("14:30", "2:30 م")
    assert agrees("02:30", "2:30 ص")
    assert not agrees("14:30", "2:30 ص")


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("14:30", "half past two pm", True),
        ("13:45", "quarter to two in the afternoon", True),
        ("12:45", "a quarter to one pm", True),
        ("14:00", "two o'clock pm", True),
        ("14:05", "2:05 pm", True),
        ("2024-03-15 22:45", "quarter to eleven pm on 15 March 2024", True),
        ("14:30", "14u30", True),
        ("14:30", "half past two am", False),
        ("14:30", "half past two", False),
        ("23:45", "quarter to twelve pm", False),
        ("09:55", "five to ten", False),
    ],
)
def test_times_of_day_are_read_in_english_words(expected: str, actual: str, same: bool) -> None:
    scores = datetime_(Pairs([expected], [actual]), Datetime())
    assert bool(scores.value[0]) is same


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("20240301100000", "2024-03-01T10:00:00", True),
        ("20240301100000", "2024-03-01T10:00:01", False),
        ("20241301100000", "2024-01-13T10:00:00", False),
        (1709287200.5, "2024-03-01T10:00:00.5Z", True),
        ("1709287200.25", "2024-03-01T10:00:00.25Z", True),
        (1709287200000.0, "2024-03-01T10:00:00Z", True),
        (1709287200000.5, "2024-03-01T10:00:00Z", False),
        (1709287200.5, "2024-03-01T10:00:00Z", False),
    ],
)
def test_digits_alone_are_moments_in_their_usual_forms(expected: object, actual: str, same: bool) -> None:
    assert fw.match("datetime", expected=[expected], actual=[actual]).passed.tolist() == [same]
