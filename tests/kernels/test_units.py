"""What names and symbols of units stand for."""

import pytest

from fieldwise.kernels.units import unit_factor, units_called


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("ps", "picosecond"),
        ("PS", "metric-horsepower"),
        ("ch", "metric-horsepower"),
        ("л.с.", "metric-horsepower"),
        ("hp", "horsepower"),
        ("cP", "centipoise"),
        ("mPa.s", "centipoise"),
        ("cSt", "centistokes"),
        ("fs", "femtosecond"),
        ("us", "microsecond"),
        ("ºC", "celsius"),
        ("deg C", "celsius"),
        ("Celsius", "celsius"),
        ("dm3", "liter"),
        ("dm³", "liter"),
        ("US gal", "gallon"),
        ("UK gal", "gallon-imperial"),
        ("pct", "percent"),
        ("decibels", "decibel"),
        ("calendar days", "day"),
        ("Viertelstunde", "quarter-hour"),
        ("Å", "angstrom"),
        ("\u212b", "angstrom"),
        ("A\u030a", "angstrom"),
        ("å", "year"),
        ("Sv", "sievert"),
        ("S", "siemens"),
        ("s", "second"),
        ("mS", "millisiemens"),
        ("MS", "millisecond"),
        ("Mg", "megagram"),
        ("mg", "milligram"),
        ("MG", "milligram"),
        ("KG", "kilogram"),
        ("ML", "milliliter"),
        ("MB", "megabyte"),
        ("µmol", "micromole"),
        ("\u03bcmol", "micromole"),
        ("MMOL", "millimole"),
        ("cu. ft.", "cubic-foot"),
        ("sq in", "square-inch"),
        ("mm³", "cubic-millimeter"),
        ("ng", "nanogram"),
        ("pg", "picogram"),
        ("PG", "picogram"),
        ("fL", "femtoliter"),
        ("FL", "femtoliter"),
        ("µL", "microliter"),
        ("hm", "hectometer"),
        ("mT", "millitesla"),
        ("µF", "microfarad"),
        ("mAh", "milliampere-hour"),
        ("kOhm", "kiloohm"),
        ("Mbps", "megabit-per-second"),
        ("km/s", "kilometer-per-second"),
        ("ng/mL", "nanogram-per-milliliter"),
        ("NG/ML", "nanogram-per-milliliter"),
        ("g/dL", "gram-per-deciliter"),
        ("µIU/mL", "microinternational-unit-per-milliliter"),
        ("mq", "square-meter"),
        ("SF", "square-foot"),
        ("ks", "piece"),
    ],
)
def test_a_name_means_one_unit(name: str, unit: str) -> None:
    assert units_called(name) == {unit}


def test_an_abbreviation_with_a_point_keeps_what_it_means_without() -> None:
    assert units_called("l.") == {"liter", "year"}
    assert units_called("л.") >= units_called("л")


def test_an_abbreviation_may_mean_several_units() -> None:
    assert units_called("kt") == {"karat", "knot"}
    assert units_called("mb") == {"megabit", "megabyte", "millibar"}


def test_bits_and_bytes_have_no_parts() -> None:
    assert units_called("mbit") == {"megabit"}
    assert units_called("pA") == {"picoampere"}


@pytest.mark.parametrize(
    ("unit", "other"),
    [
        ("lumen", "candela"),
        ("lux", "candela"),
        ("liter-per-kilometer", "square-meter"),
        ("karat", "percent"),
        ("newton-meter", "joule"),
        ("sievert", "gray"),
    ],
)
def test_units_of_other_kinds_do_not_convert_though_their_base_units_agree(unit: str, other: str) -> None:
    first, second = unit_factor(unit), unit_factor(other)
    assert first is not None
    assert second is not None
    assert first.dimension != second.dimension


def test_a_picosecond_is_a_thousandth_of_a_nanosecond() -> None:
    first, second = unit_factor("picosecond"), unit_factor("nanosecond")
    assert first is not None
    assert second is not None
    assert first.dimension == second.dimension
    assert first.factor == pytest.approx(second.factor / 1000)


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("per hour", "hour"),
        ("/h", "hour"),
        ("/day", "day"),
        ("pro Stunde", "hour"),
        ("par jour", "day"),
        ("por mes", "month"),
        ("na godzinę", "hour"),
        ("в час", "hour"),
        ("每小时", "hour"),
        ("לשעה", "hour"),
        ("stundā", "hour"),
        ("setiap hari", "day"),
        ("시간당", "hour"),
        ("/m²", "square-meter"),
        ("/µL", "microliter"),
    ],
)
def test_how_often_in_a_unit_is_not_the_unit(name: str, unit: str) -> None:
    assert units_called(name) == {f"item-per-{unit}"}


def test_times_a_minute_are_beats_or_revolutions() -> None:
    assert units_called("/min") >= units_called("bpm") | units_called("rpm")


def test_filipino_joins_a_number_to_its_unit() -> None:
    assert units_called("na oras") == {"hour"}


@pytest.mark.parametrize("name", ["men", "cat", "for", "vol", "any"])
def test_an_english_word_is_no_unit_of_another_language(name: str) -> None:
    assert units_called(name) == set()


def test_an_are_is_no_acre() -> None:
    assert units_called("are") == {"are"}


def test_units_of_viscosity_convert_into_their_si_units() -> None:
    for name, other in (("cP", "mPa·s"), ("poise", "dPa·s"), ("cSt", "mm²/s")):
        factors = [unit_factor(unit) for text in (name, other) for unit in units_called(text)]
        first, second = factors
        assert first is not None
        assert second is not None
        assert (first.dimension, first.factor) == (second.dimension, pytest.approx(second.factor))
    assert units_called("cp") == {"centipoise", "metric-horsepower"}
