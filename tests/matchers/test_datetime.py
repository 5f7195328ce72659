"""Instants with their time of day."""

import pytest

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


def test_midnight_at_the_end_of_a_day_is_the_next_midnight() -> None:
    assert agrees("2024-03-15T24:00", "2024-03-16T00:00")
    assert not agrees("2024-03-15T24:00", "2024-03-15T00:00")


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
