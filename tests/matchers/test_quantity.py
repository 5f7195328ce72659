"""Numbers with units."""

import pytest

from fieldwise.matchers.quantity import Quantity, quantity
from fieldwise.model.pairs import Pairs


def agrees(expected: object, actual: object, **options: object) -> bool:
    return bool(quantity(Pairs([expected], [actual]), Quantity(**options)).passed[0])  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("expected", "actual"), [("1.5 kg", "1500 g"), ("5 ft", "60 in"), ("98.6 °F", "37 °C"), ("12 %", "12%"), (3, "3.0"), ("2 L", "2000 ml")]
)
def test_equal_quantities_agree(expected: object, actual: object) -> None:
    assert agrees(expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual"), [("5 mg", "5 g"), ("10 kg", "10 km"), ("12 %", "12 kg"), ("5 kg", "EUR 5"), ("5", "6 kg"), (True, 1)]
)
def test_different_quantities_do_not_agree(expected: object, actual: object) -> None:
    assert not agrees(expected, actual)


def test_a_number_without_a_unit_agrees_with_any_unit_and_says_so() -> None:
    scores = quantity(Pairs([12], ["12 kg"]), Quantity())
    assert scores.passed[0]
    assert "no unit" in scores.notes[0]


def test_the_tolerance_is_in_the_unit_of_the_expected_value_or_its_own() -> None:
    assert agrees("100 g", "0.102 kg", tolerance=2)
    assert not agrees("100 g", "0.103 kg", tolerance=2)
    assert agrees("100 g", "0.105 kg", tolerance="5 g")
    with pytest.raises(ValueError, match="no quantity"):
        Quantity(tolerance="much")


@pytest.mark.parametrize(
    ("expected", "actual", "score"),
    [
        ("10–20 kg", "10 to 20 kg", 1),
        ("10-20 kg", "10000-20000 g", 1),
        ("10–20 kg", "10–25 kg", 0),
        ("10–20 kg", "10 kg", 0),
        ("20 x 30 cm", "20 cm × 30 cm", 1),
        ("20 x 30 x 5 cm", "20 x 30 cm", 0),
        ("20 x 30 cm", "30 x 20 cm", 0),
        ("20 x 30 cm", "20-30 cm", 0),
    ],
)
def test_ranges_and_sizes_agree_part_by_part(expected: str, actual: str, score: int) -> None:
    assert quantity(Pairs([expected], [actual]), Quantity()).value.tolist() == [score]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("25 ºC", "25 °C"),
        ("25 deg C", "25 °C"),
        ("20 Celsius", "20 °C"),
        ("5 dm3", "5 L"),
        ("1 dm³", "1 liter"),
        ("5 L", "5 l."),
        ("1 US gal", "3.785411784 L"),
        ("6’2”", "6 ft 2 in"),
        ("minus 5 °C", "-5 °C"),
        ("5 箱", "5箱"),
        ("5 zorkmids", "5  Zorkmids"),
        ("5 PS", "5 ch"),
        ("5 CV", "5 л.с."),
        ("5 馬力", "5 hp"),
        ("5 馬力", "5 PS"),
    ],
)
def test_more_spellings_of_units_agree(expected: str, actual: str) -> None:
    assert agrees(expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("5 ps", "5 s"),
        ("5 lm", "5 cd"),
        ("5 箱", "6箱"),
        ("5 zorkmids", "5 quatloos"),
        ("5 UK gal", "5 US gal"),
        ("5 箱", "5 kg"),
        ("5 hp", "5 PS"),
        ("5 M", "5 m"),
    ],
)
def test_units_that_only_look_alike_do_not_agree(expected: str, actual: str) -> None:
    assert not agrees(expected, actual)


def test_the_tolerance_counts_for_units_that_do_not_convert() -> None:
    assert agrees("5 boxes", "6 boxes", tolerance=1)
    assert not agrees("5 boxes", "7 boxes", tolerance=1)


def test_the_decimal_mark_can_be_given_for_each_side() -> None:
    assert agrees("1.234 kg", "1234 kg", decimal="comma")
    assert agrees("1,234 kg", "1.234 kg", decimal="comma", actual_decimal="point")
    assert not agrees("1,234 kg", "1,234 kg", decimal="comma", actual_decimal="point")


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("5 mmol", "0.005 mol"),
        ("5 mmol/l", "5000 µmol/l"),
        ("5 MMOL/L", "5 mmol/l"),
        ("1 kNm", "1000 Nm"),
        ("1 N·m", "1 Nm"),
        ("1 klx", "1000 lx"),
        ("1 cu ft", "1 ft³"),
        ("5 mm3", "0.005 cm³"),
        ("1 %", "10000 ppm"),
        ("1 ppm", "1000 ppb"),
        ("1 mSv/h", "1000 µSv/h"),
        ("1 Sv", "100 rem"),
        ("37 GBq", "1 Ci"),
        ("1 Gy", "1 J/kg"),
        ("760 mmHg", "1 atm"),
        ("5 S", "5000 mS"),
        ("5 Å", "0.5 nm"),
        ("5 kt", "5 knots"),
        ("5 kt", "5 karat"),
        ("5 Mg", "5 t"),
        ("5 MG", "5 mg"),
        ("5 KG", "5 kg"),
        ("5 ML", "5 ml"),
        ("1 kg 500 g", "1.5 kg"),
        ("1 g 500 mg", "1500 mg"),
        ("2 lb 3 oz", "35 oz"),
    ],
)
def test_units_convert_wherever_their_names_come_from(expected: str, actual: str) -> None:
    assert agrees(expected, actual)
    assert agrees(actual, expected)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("5 Å", "5 years"),
        ("1 Sv", "1 Gy"),
        ("5 S", "5 s"),
        ("5 mg", "5 Mg"),
        ("5 MB", "5 Mb"),
        ("5 mW", "5 MW"),
        ("1 mbar", "1 Mbar"),
        ("1 Nm", "1 J"),
    ],
)
def test_symbols_that_differ_in_letter_case_are_other_units(expected: str, actual: str) -> None:
    assert not agrees(expected, actual)


def test_a_note_on_other_dimensions_names_units_as_people_do() -> None:
    scores = quantity(Pairs(["5 mmol", "5 hogsheads"], ["5 kg", "5 kg"]), Quantity())
    assert scores.notes == {0: "other dimension: millimole and kilogram", 1: "other dimension: hogsheads and kilogram"}


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("5 per hour", "5 hours"),
        ("5/min", "5 min"),
        ("5 pro Tag", "5 Tage"),
        ("5 /m2", "5 m2"),
        ("5 ng", "5 mg"),
        ("5 ng/mL", "5 mg/mL"),
        ("5 km/s", "5 km/h"),
        ("90 fL", "90 AU"),
        ("85 mq", "85 mg"),
        ("5 mIU/L", "5000 L"),
        ("5 hm", "5 ms"),
        ("5 mT", "5 mt"),
        ("100 Mbps", "100 MB/s"),
    ],
)
def test_units_that_share_letters_in_some_language_differ(expected: str, actual: str) -> None:
    assert not agrees(expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("5 per day", "5/d"),
        ("72 bpm", "72 /min"),
        ("1500 min-1", "1500 rpm"),
        ("1500 1/min", "1500 min⁻¹"),
        ("5 ng/mL", "5 µg/L"),
        ("5 mIU/L", "5 µIU/mL"),
        ("14.5 g/dL", "145 G/L"),
        ("28 pg", "28 PG"),
        ("5 mT", "5000 µT"),
        ("12 Ah", "12000 mAh"),
        ("5 Torr", "5 mmHg"),
        ("3 tabs", "3 tablets"),
    ],
)
def test_rates_and_prefixed_symbols_convert(expected: str, actual: str) -> None:
    assert agrees(expected, actual)
    assert agrees(actual, expected)


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("10 x 20 cm", "100 x 200 mm", True),
        ("10 x 20 x 30 cm", "100 × 200 × 300 mm", True),
        ("2 x 2 m", "200 cm x 200 cm", True),
        ("10 x 20 cm", "10 x 20 in", False),
        ("2 x 2 m", "2 x 2 cm", False),
        ("每小时21公里", "21 km/h", True),
    ],
)
def test_sizes_take_the_unit_behind_the_last_one(expected: str, actual: str, same: bool) -> None:
    assert agrees(expected, actual) is same
    assert agrees(actual, expected) is same


def test_thousands_before_a_unit_are_counted() -> None:
    assert agrees("0.5k miles", "500 miles")
    assert agrees("12K tonnes", "12000 t")
    assert not agrees("5 K", "5000")


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("5 m·s⁻¹", "5 m/s"),
        ("5 m s^-1", "18 km/h"),
        ("5 m.s-1", "5 m/s"),
        ("5 kg·m⁻³", "5 g/L"),
        ("5 J/(kg·K)", "5 J/kg/K"),
        ("90 mL/min/1.73 m²", "90 ml/min/1.73m2"),
        ("100 mg/5 mL", "20 mg/ml"),
        ("5 кВт·ч", "5 kWh"),
        ("5 mOsm/kg", "5 mOsmol/kg"),
        ("5 mg/kg/d", "5 mg/kg/day"),
    ],
)
def test_compound_units_agree_however_they_are_written(expected: str, actual: str) -> None:
    assert agrees(expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("5 m·s⁻¹", "5 m·s⁻²"),
        ("100 mg/5 mL", "100 mg/mL"),
        ("100 mg/5 mL", "100 mg"),
        ("90 mL/min/1.73 m²", "90 mL/min"),
        ("5 mg/kg/day", "5 mg/kg"),
        ("5 J/(kg·K)", "5 J/kg"),
    ],
)
def test_compound_units_differ_in_every_factor(expected: str, actual: str) -> None:
    assert not agrees(expected, actual)


def test_quantities_in_one_unit_keep_every_digit() -> None:
    assert not agrees("9007199254740993 g", "9007199254740992 g")
    assert not agrees("12345678901234567.89 kg", "12345678901234567.88 kg")
    assert agrees("12345678901234567.89 kg", "12345678901234567.890 kilograms")
    assert not agrees("10000000001 g", "10000000 kg")


def test_decimals_of_a_conversion_may_be_rounded_behind_the_eleventh_digit() -> None:
    assert agrees("100 km/h", "27.7777777778 m/s")
    assert not agrees("1 kg", "2.20462262 lbs")


def test_a_unit_of_two_meanings_agrees_with_each() -> None:
    assert agrees("5 kb", "5 kbit")
    assert agrees("5 kb", "5 kB")
    assert not agrees("5 kbit", "5 kB")


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("<5 mg", "< 5 mg"),
        ("<5 mg", "less than 0.005 g"),
        ("max. 5 kg", "up to 5 kg"),
        ("approx. 5 kg", "ca. 5 kg"),
        ("10 ± 1 kg", "10±1 kg"),
        ("5 kg (11 lb)", "5 kg"),
        ("5.2 K/µL", "5.2 ×10⁹/L"),
        ("4.7 M/uL", "4.7 x10^12/L"),
        ("5 mg daily", "5 mg/day"),
    ],
)
def test_bounds_and_laboratory_values_agree_however_they_are_written(expected: str, actual: str) -> None:
    assert agrees(expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("<5 mg", "5 mg"),
        ("<5 mg", "≤5 mg"),
        ("~5 kg", "5 kg"),
        ("10 ± 1 kg", "10 kg"),
        ("10 ± 1 kg", "10 ± 2 kg"),
        ("5 kg (20 lb)", "5 kg"),
    ],
)
def test_a_bound_is_part_of_a_quantity(expected: str, actual: str) -> None:
    assert not agrees(expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("pH 7.4", "7.4", True),
        ("pH 7.4", "pH: 7,40", True),
        ("pH 7.4", "7.4 pH", True),
        ("5 pH", "0.005 nH", True),
        ("pH 7.4", "pH 7.5", False),
        ("pH 7.4", "7.4 %", False),
        ("pH 7.4", "7.4 H", False),
        ("between 10 and 20 kg", "10–20 kg", True),
        ("von 10 bis 20 kg", "10 kg to 20 kg", True),
        ("between 10 and 20 kg", "10 kg", False),
        ("10 and 20 kg", "10–20 kg", False),
    ],
)
def test_acidity_and_ranges_in_words_are_read(expected: str, actual: str, same: bool) -> None:
    scores = quantity(Pairs([expected], [actual]), Quantity())
    assert bool(scores.value[0]) is same
