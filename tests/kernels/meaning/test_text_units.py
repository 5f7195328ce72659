"""Units behind numbers in running text."""

import pytest

from fieldwise.kernels.meaning.text_units import read_denominator, read_unit, spell_powers, unit_names


def test_every_name_is_a_unit_that_is_read() -> None:
    assert [name for name in unit_names() if read_unit([name], 0) is None] == []


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("km / h", "kph"),
        ("miles per hour", "mph"),
        ("m / s", "metres per secs"),
        ("square metres", "sqm"),
        ("mètres carrés", "quadratmeter"),
        ("mg / kg", "milligrams per kilogram"),
        ("cubic meter", "cbm"),
        ("per cent", "%"),
    ],
)
def test_names_of_one_unit(left: str, right: str) -> None:
    first, second = read_unit(left.split(), 0), read_unit(right.split(), 0)
    assert first is not None
    assert second is not None
    assert (first.family, first.length) == (second.family, len(left.split()))
    assert first.factor == pytest.approx(second.factor)


@pytest.mark.parametrize(("text", "length"), [("mg per day", 1), ("hours / minute", 1), ("square people", 0), ("apples", 0), ("", 0)])
def test_frequencies_and_other_words_make_no_rate(text: str, length: int) -> None:
    unit = read_unit(text.split(), 0)
    assert (unit.length if unit else 0) == length


def test_second_is_an_ordinal_rather_than_a_unit() -> None:
    assert read_unit(["second", "avenue"], 0) is None


def test_the_mark_of_feet_may_be_minutes() -> None:
    unit = read_unit(["'"], 0)
    assert unit is not None
    assert [family for family, _ in unit.other_measures] == ["hours"]


def test_denominators_of_prices() -> None:
    assert read_denominator(["/", "square", "meter"], 0) == ("square-meter", 3)
    assert read_denominator(["eur"], 0) == read_denominator([], 0) == read_denominator(["per", "person"], 0) == ("", 0)


def test_powers_are_spelled_behind_a_number_only() -> None:
    assert spell_powers("20 m² of m2 screws") == "20 square meter of m2 screws"
