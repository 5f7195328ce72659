"""Lengths of time."""

import pytest

from fieldwise.matchers.duration import Duration, duration
from fieldwise.model.pairs import Pairs


def agrees(expected: object, actual: object, **options: object) -> bool:
    return bool(duration(Pairs([expected], [actual]), Duration(**options)).passed[0])  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("PT1H30M", "1h 30min"),
        ("90 min", "1:30"),
        ("1:30", "90 s"),
        ("1:30.5", "90.5 s"),
        ("3:25,40", "205.4 s"),
        ("two hours", "120 minutes"),
        ("P3W", "drei Wochen"),
        (90, "90 min"),
        ("5", 5),
    ],
)
def test_equal_lengths_agree(expected: object, actual: object) -> None:
    assert agrees(expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [("2 h", "2 min"), ("PT1H", "61 min"), ("30 days", "4 weeks"), ("1 h", "soon"), (True, 1), (90, "91 min"), ("1:30.0", "90 min")],
)
def test_different_lengths_do_not_agree(expected: object, actual: object) -> None:
    assert not agrees(expected, actual)


def test_the_tolerance_is_in_the_unit_of_the_expected_value_or_its_own() -> None:
    assert agrees("60 min", "65 min", tolerance=5)
    assert agrees("60 min", "65 min", tolerance="5min")
    assert not agrees("60 min", "66 min", tolerance="5min")
    with pytest.raises(ValueError, match="no length of time"):
        Duration(tolerance="soon")


def test_a_number_without_a_unit_agrees_with_any_unit_and_says_so_only_then() -> None:
    scores = duration(Pairs([90, "1h 30min", 5400, "90 min", 91], ["90 min", 90, "PT1H30M", 1.5, "1:30"]), Duration())
    assert scores.value.tolist() == [1.0, 1.0, 1.0, 0.0, 0.0]
    assert scores.notes == dict.fromkeys(range(3), "one side has no unit; the numbers were compared")


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("1 год", "12 месяцев"),
        ("1 год", "60 хв"),
        ("2 години", "120 хв"),
        ("PT6H41M", "6год 41хв"),
        ("6 год", 6),
        ("2:30 h", "150 min"),
        ("2:30 min", "150 s"),
        ("90'", "90 min"),
        ("5 us", "0.005 ms"),
        ("5 ps", "0.005 ns"),
        ("1 hod.", "60 min"),
        ("eine Viertelstunde", "15 min"),
        ("quarter of an hour", "15 min"),
        ("30 calendar days", "30 days"),
    ],
)
def test_more_spellings_of_lengths_agree(expected: object, actual: object) -> None:
    assert agrees(expected, actual)


@pytest.mark.parametrize(("expected", "actual"), [("5 ps", "5 s"), ("1 год", "60 с"), ("2:30 h", "150 s"), ("30 business days", "30 days")])
def test_lengths_that_only_look_alike_do_not_agree(expected: str, actual: str) -> None:
    assert not agrees(expected, actual)


@pytest.mark.parametrize(("expected", "actual"), [("5 S", "5 s"), ("1H 30M 20S", "1h 30min 20s"), ("5 MS", "5 ms")])
def test_capital_letters_are_units_of_time_where_a_time_is_read(expected: str, actual: str) -> None:
    assert duration(Pairs([expected], [actual]), Duration()).passed[0]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [("3 nights", "3 days"), ("30 business days", "30 days"), ("30 Werktage", "30 Arbeitstage"), ("10 jours ouvrés", "10 jours")],
)
def test_nights_and_business_days_are_no_days(expected: str, actual: str) -> None:
    assert not agrees(expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [("3 nights", "3 Nächte"), ("30 working days", "30 business days"), ("ten (10) business days", "10 Arbeitstage")],
)
def test_nights_and_business_days_agree_in_every_language(expected: str, actual: str) -> None:
    assert agrees(expected, actual)


def test_long_lengths_keep_every_second() -> None:
    assert not agrees("1000000000 s", "1000000001 s")
    assert agrees("20 min", "0.333333333333 h")


def test_a_bound_agrees_with_the_same_bound_only() -> None:
    assert agrees("< 2 h", "less than 120 min")
    assert not agrees("< 2 h", "2 h")
    assert not agrees("< 2 h", "> 2 h")
