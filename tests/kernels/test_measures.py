"""Quantities and durations with units."""

from math import isclose

import pytest

from fieldwise.kernels.measures import read_duration, read_quantity, unit_factor


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("1.5 kg", "1500 g"),
        ("1,5 kg", "1500 Gramm"),
        ("5 ft", "60 in"),
        ("98.6 °F", "37 °C"),
        ("3公里", "3 km"),
        ("2 m²", "2 sqm"),
        ("60 mph", "96.56064 km/h"),
        ("two metres", "200 cm"),
        ("12 lbs", "12 pounds"),
    ],
)
def test_units_of_one_dimension_convert(left: str, right: str) -> None:
    first, second = read_quantity(left), read_quantity(right)
    assert first is not None
    assert second is not None
    pairs = [(one, other) for one in first.to_base() for other in second.to_base() if one.dimension == other.dimension]
    assert any(isclose(one.value, other.value, rel_tol=1e-9) for one, other in pairs)


def test_units_of_other_dimensions_share_none() -> None:
    weight, length = read_quantity("10 kg"), read_quantity("10 km")
    assert weight is not None
    assert length is not None
    assert [base.dimension for base in (*weight.to_base(), *length.to_base())] == ["kilogram", "meter"]


@pytest.mark.parametrize("text", ["", "kg", "5 zorkmids", "EUR 5", "many"])
def test_what_is_no_quantity_is_refused(text: str) -> None:
    assert read_quantity(text) is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("PT1H30M", 5400),
        ("P2D", 172800),
        ("1h 30min", 5400),
        ("1:30:00", 5400),
        ("90 minutes", 5400),
        ("1.5 hours", 5400),
        ("2 hours and 5 minutes", 7500),
        ("1 Stunde 30 Minuten", 5400),
        ("drei Wochen", 1814400),
        ("5 минут", 300),
        ("2時間30分", 9000),
        ("5 m", 300),
    ],
)
def test_durations_are_read(text: str, seconds: float) -> None:
    duration = read_duration(text)
    assert duration is not None
    assert duration.seconds == seconds


def test_a_clock_of_two_parts_has_two_readings() -> None:
    duration = read_duration("1:30")
    assert duration is not None
    assert (duration.seconds, duration.alternatives) == (5400, {90})


@pytest.mark.parametrize("text", ["", "P", "PT", "5 kg", "soon", "1:75"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    assert read_duration(text) is None


def test_a_number_that_starts_with_a_separator_is_no_crash() -> None:
    assert read_duration(".1") is None


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("1 kWh", "3.6 MJ"),
        ("30 psi", "206.842718795 kPa"),
        ("1 GiB", "1024 MiB"),
        ("½ cup", "0.5 cups"),
        ("1 1/2 cups", "1.5 cup"),
        ("2 m^3", "2000 l"),
        ("12 pcs", "12 x"),
    ],
)
def test_units_of_one_dimension_agree_however_they_are_written(text: str, same: str) -> None:
    left, right = read_quantity(text), read_quantity(same)
    assert left is not None
    assert right is not None
    assert [base.dimension for base in left.to_base()] == [base.dimension for base in right.to_base()]
    assert [base.value for base in left.to_base()] == pytest.approx([base.value for base in right.to_base()], rel=1e-9)


def test_a_fraction_without_a_unit_is_no_quantity() -> None:
    assert read_quantity("12/2024") is None
    assert read_quantity("3/4") is None


def test_units_that_only_pint_knows_are_read_on_request() -> None:
    pytest.importorskip("pint", reason="the extra `domain` is not installed")
    wide = read_quantity("3 furlong", wider=True)
    assert wide is not None
    assert wide.to_base()[0].dimension == "meter"
    assert wide.to_base()[0].value == pytest.approx(603.504, rel=1e-4)
    assert read_quantity("3 furlong") is None or read_quantity("3 furlong") == wide


def test_a_ratio_of_two_units_converts_as_they_do() -> None:
    hourly, daily = unit_factor("kilogram-per-hour"), unit_factor("kilogram-per-day")
    assert hourly is not None
    assert daily is not None
    assert hourly.dimension == daily.dimension
    assert isclose(hourly.factor, 24 * daily.factor)


def test_a_number_in_words_with_an_unknown_unit_is_no_quantity() -> None:
    assert read_quantity("twenty foos") is None


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("kg 5,5", "5.5 kg"),
        ("3/4 in", '3/4"'),
        ("12 sq. m.", "12 m²"),
        ("5 մ²", "5 m²"),
        ("512 Mo", "512 MB"),
        ("5 unidades", "5 pcs"),
        ("5 sztuk", "5 шт."),
        ("two dozen", "24 pcs"),
        ("16 amps", "16 A"),
    ],
)
def test_units_are_known_before_numbers_with_points_and_in_many_languages(text: str, other: str) -> None:
    left, right = read_quantity(text), read_quantity(other)
    assert left is not None
    assert right is not None
    assert left.value == right.value
    assert left.units & right.units


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("1 1/2 hours", 90),
        ("30-minute", 30),
        ("1′30″", 1.5),
        ("a quarter of an hour", 15),
        ("1 heure 30", 90),
        ("un'ora e mezza", 90),
        ("półtorej godziny", 90),
        ("bir buçuk saat", 90),
        ("2時間半", 150),
    ],
)
def test_parts_of_hours_are_read(text: str, minutes: float) -> None:
    reading = read_duration(text)
    assert reading is not None
    assert reading.seconds == minutes * 60


@pytest.mark.parametrize("text", ["-一个半小时", "not 一个半小时", "2 x 一个半小时", "-une heure et demie"])
def test_nothing_before_a_length_of_time_is_dropped(text: str) -> None:
    length = read_duration(text)
    assert length is None or length.seconds != 5400


def test_a_sign_before_a_number_in_words_is_not_dropped() -> None:
    assert read_quantity("-fünf Kilogramm") is None
