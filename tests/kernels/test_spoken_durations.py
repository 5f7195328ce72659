"""Lengths of time without a number before a unit."""

import pytest

from fieldwise.kernels.measures import read_duration
from fieldwise.kernels.spoken_durations import rewrite_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("半小时", 1800),
        ("半個小時", 1800),
        ("ساعتان", 7200),
        ("ساعتين", 7200),
        ("ساعة", 3600),
        ("نصف ساعة", 1800),
        ("ساعة ونصف", 5400),
        ("שעתיים", 7200),
        ("יומיים", 172800),
        ("полчаса", 1800),
        ("mezz'ora", 1800),
        ("hora y media", 5400),
        ("une heure et demie", 5400),
        ("fortnight", 1209600),
        ("1 min 30", 90),
        ("1m30", 90),
        ("10 msec", 0.01),
        ("5 ΩΡΕΣ", 18000),
    ],
)
def test_a_length_of_time_needs_no_number(text: str, seconds: float) -> None:
    length = read_duration(text)
    assert length is not None
    assert length.seconds == pytest.approx(seconds)


def test_an_age_is_a_length_of_time() -> None:
    assert rewrite_duration("6 y/o") == "6 years"
    assert rewrite_duration("18-month-old") == "18 month"
    assert rewrite_duration("18 months old") == "18 months"


@pytest.mark.parametrize("text", ["two hours", "1 h 30", "hello", "y media", "x" * 50])
def test_other_texts_are_left_alone(text: str) -> None:
    assert rewrite_duration(text) == text


@pytest.mark.parametrize("text", ["3 days 2 nights", "2 weeks 3 business days"])
def test_nights_and_business_days_are_not_added_to_days(text: str) -> None:
    assert read_duration(text) is None
