"""numeric_tolerance: numbers that agree within a tolerance."""

import math
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from fieldwise.matchers.numeric_tolerance import NumericTolerance, grid, numeric_tolerance
from fieldwise.model.pairs import Pairs
from fieldwise.model.rule import Match
from fieldwise.score.matching import score_pairs


def score(expected: Any, actual: Any, **options: Any) -> float:
    return float(numeric_tolerance(Pairs([expected], [actual]), NumericTolerance(**options)).value[0])


def note(expected: Any, actual: Any, **options: Any) -> str | None:
    return numeric_tolerance(Pairs([expected], [actual]), NumericTolerance(**options)).notes.get(0)


def test_a_difference_below_the_absolute_tolerance_matches() -> None:
    """structured-data spec: Absolute tolerance succeeds within threshold."""
    assert score(100.00, 100.02, tolerance=0.05, relative=False) == 1.0


def test_a_difference_below_the_share_matches() -> None:
    """structured-data spec: Relative tolerance succeeds within percentage."""
    assert score(100.00, 101.00, tolerance=0.02, relative=True) == 1.0


def test_a_difference_above_the_tolerance_does_not_match() -> None:
    """structured-data spec: Numeric tolerance fails outside threshold."""
    assert score(100.00, 105.00, tolerance=1.0) == 0.0


def test_a_share_of_zero_is_read_as_absolute() -> None:
    """structured-data design: Division by zero when `expected === 0` in relative mode → treat as absolute."""
    assert score(0, 0.02, tolerance=0.02, relative=True) == 1.0
    assert score(0.0, 0.03, tolerance=0.02, relative=True) == 0.0
    assert score(-0.0, -0.02, tolerance=0.02, relative=True) == 1.0


@pytest.mark.parametrize(
    ("value", "name"), [(math.nan, "NaN is not a number"), (math.inf, "Infinity is not a number"), (-math.inf, "-Infinity is not a number")]
)
@pytest.mark.parametrize("options", [{}, {"tolerance": 1}, {"tolerance": 1, "relative": True}, {"tolerance": 1, "parse": True}])
def test_nan_and_infinity_always_fail_with_a_clear_note(value: float, name: str, options: dict[str, Any]) -> None:
    """structured-data design: `Infinity` or `NaN` values → always fail with clear error message."""
    for expected, actual in ((value, value), (value, 1.0), (1, value)):
        assert score(expected, actual, **options) == 0.0
    match = Match("numeric_tolerance", NumericTolerance(**options))
    scores = score_pairs(match, [value, value, 1] * 40, [value, 1.0, value] * 40)
    assert scores.value.tolist() == [0.0] * 120
    assert scores.notes == dict.fromkeys(range(120), name)


@pytest.mark.parametrize(
    ("expected", "actual", "tolerance"),
    [
        (1.0, 1.1, 0.1),
        (1.1, 1.0, 0.1),
        (1.00, 1.01, 0.01),
        (0.3, 0.1 + 0.2, 1e-300),
        (100, 99, 1),
        (100, 100, 0),
        (100, 100.0, 0),
        (0.0, -0.0, 0),
        (10**400, 10**400 + 1, 1),
        (10**400, 10**400, 0),
        (2**53, 2**53 + 1, 1),
        (2**53, float(2**53), 0),
        (-5, 5, 10),
        (1e308, 1e308, 0.5),
    ],
)
def test_these_are_within_the_tolerance(expected: Any, actual: Any, tolerance: float) -> None:
    assert score(expected, actual, tolerance=tolerance) == 1.0
    assert score(actual, expected, tolerance=tolerance) == 1.0


@pytest.mark.parametrize(
    ("expected", "actual", "tolerance"),
    [
        (1_000_000_000.00, 1_000_000_000.99, 0.01),
        (1.0, 1.1001, 0.1),
        (0.3, 0.1 + 0.2, 0),
        (2**53, 2**53 + 1, 0),
        (float(2**53), 2**53 + 1, 0),
        (10**400, 10**400 + 2, 1),
        (10**400, 1e308, 1e300),
        (1e308, -1e308, 1e308),
        (100, 102, 1.999999999999),
        (2**60, 2**60 + 3, 2.5),
        (True, 1, 1),
        (1, False, 5),
        ("100", 100, 1),
        (100, "100", 1),
        ([1], 1, 1),
        (1, None, 1),
    ],
)
def test_these_are_not(expected: Any, actual: Any, tolerance: float) -> None:
    assert score(expected, actual, tolerance=tolerance) == 0.0
    assert score(actual, expected, tolerance=tolerance) == 0.0


@pytest.mark.parametrize(
    ("expected", "actual", "tolerance", "expected_score"),
    [
        (100, 129, 0.29, 1.0),
        (100, 130, 0.29, 0.0),
        (-100, -101, 0.01, 1.0),
        (10**400, 10**400 + 10**398, 0.01, 1.0),
        (10**400, 10**400 + 10**398 + 1, 0.01, 0.0),
        (1.7e308, -1.7e308, 1.5, 0.0),
        (1.7e308, -1.7e308, 2.0, 1.0),
        (3.0, 3.3, 0.1, 1.0),
        (100, 99, 0.01, 1.0),
    ],
)
def test_a_relative_tolerance_is_a_share_of_the_expected_number(
    expected: Any, actual: Any, tolerance: float, expected_score: float
) -> None:
    assert score(expected, actual, tolerance=tolerance, relative=True) == expected_score
    many = numeric_tolerance(Pairs([expected] * 40, [actual] * 40), NumericTolerance(tolerance=tolerance, relative=True))
    assert many.value.tolist() == [expected_score] * 40


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (1234.5, "1,234.50"),
        (5, "$5"),
        (-3.2, "(3.2)"),
        (12, "12 %"),
        ("€ 1.234,56", 1234.56),
        ("1 234.50", "1234.5"),
        (2**53 + 1, "9007199254740993"),
    ],
)
def test_text_is_read_as_a_number_only_with_parse(expected: Any, actual: Any) -> None:
    assert score(expected, actual, parse=True) == 1.0
    assert score(expected, actual) == 0.0


def test_text_that_is_no_number_says_so() -> None:
    assert note(100, "100") == 'not a number: "100"'
    assert note(100, "about a hundred", parse=True) == 'not a number: "about a hundred"'
    assert note(100, True) == "not a number: true"
    assert note(["x"], 5) == "not a number: a list"
    assert note(100, 105) is None


def test_values_that_are_no_numbers_match_themselves() -> None:
    assert score("n/a", "n/a") == 1.0
    assert score("n/a", "N/A", parse=True) == 0.0
    assert score(True, True) == 1.0


@pytest.mark.parametrize("tolerance", ["not a number", -0.1, math.nan, math.inf, None, [1]])
def test_a_tolerance_that_is_none_is_refused(tolerance: Any) -> None:
    """structured-data spec: Reject non-numeric tolerance values."""
    with pytest.raises(ValidationError):
        TypeAdapter(NumericTolerance).validate_python({"tolerance": tolerance})


@pytest.mark.parametrize(
    ("expected", "actual", "expected_score"),
    [(1000, 1009, 1.0), (1000, 1011, 0.0), (10, 10.5, 1.0), (10, 10.6, 0.0), (0, 0.5, 1.0), (0, 0.6, 0.0), (-1000, -1010, 1.0)],
)
def test_a_pair_matches_if_either_tolerance_holds(expected: Any, actual: Any, expected_score: float) -> None:
    options = {"tolerance": 0.5, "relative_tolerance": 0.01}
    assert score(expected, actual, **options) == expected_score
    many = numeric_tolerance(Pairs([expected] * 40, [actual] * 40), NumericTolerance(**options))
    assert many.value.tolist() == [expected_score] * 40
    assert grid([expected, "x"], [actual, 7_000_000], NumericTolerance(**options))[0].tolist() == [expected_score, 0.0]


def test_a_share_of_zero_is_zero() -> None:
    assert score(0, 0.001, relative_tolerance=0.5) == 0.0
    assert score(0, 0, relative_tolerance=0.5) == 1.0


@pytest.mark.parametrize(
    ("expected", "actual", "remark"),
    [
        ("$5", "€5", "other currency: USD or 28 others and EUR"),
        ("5 USD", "5 EUR", "other currency: USD and EUR"),
        ("5 kg", "5 g", "other unit: kilogram and g-force or gram"),
        ("12 %", "12 kg", "other unit: % and kilogram"),
        ("12 %", "EUR 12", "other unit: % and EUR"),
    ],
)
def test_with_parse_both_sides_must_name_the_same_currency_percent_sign_or_unit(expected: str, actual: str, remark: str) -> None:
    assert score(expected, actual, parse=True) == 0.0
    assert note(expected, actual, parse=True) == remark
    assert grid([expected], [actual], NumericTolerance(parse=True)).tolist() == [[0.0]]


@pytest.mark.parametrize(("expected", "actual"), [("$5", 5), ("$5", "5"), ("5 kg", "5"), ("12 %", 12), ("CAD 5", "$5"), ("RM7.42", 7.42)])
def test_with_parse_a_number_that_names_nothing_agrees_with_any(expected: Any, actual: Any) -> None:
    assert score(expected, actual, parse=True) == score(actual, expected, parse=True) == 1.0


def test_a_percentage_can_be_a_share() -> None:
    options = {"parse": True, "percent": "share"}
    assert score("12 %", 0.12, **options) == 1.0
    assert score("12.3%", "0.123", **options) == 1.0
    assert score("12 %", "12,0 %", **options) == 1.0
    assert score("12 %", 12, **options) == 0.0
    with pytest.raises(ValueError, match="goes with `parse: true`"):
        NumericTolerance(percent="share")


def test_options_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="remove `relative`"):
        NumericTolerance(relative=True, relative_tolerance=0.1)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [(5, "5 KG"), (5, "5 MM"), (5, "5 m²"), (5, "5 m2"), ("5 kg", "5 kgs"), ("5 °C", "5 C"), ("5 pct", "5 %"), (12, "12 boxes")],
)
def test_with_parse_units_are_read_as_quantity_reads_them(expected: Any, actual: Any) -> None:
    assert score(expected, actual, parse=True) == 1


@pytest.mark.parametrize(
    ("expected", "actual"), [(5000, "5 KG"), ("5 ps", "5 s"), ("5 m", "5 m²"), ("5 boxes", "5 bottles"), ("5 %", "5 ‰")]
)
def test_with_parse_other_units_do_not_agree(expected: Any, actual: Any) -> None:
    assert score(expected, actual, parse=True) == 0


def test_a_value_per_mille_can_be_a_share() -> None:
    assert score(0.005, "5 ‰", parse=True, percent="share") == 1
    assert score("0.5 %", "5 ‰", parse=True, percent="share") == 1
    assert score(5, "5 ‰", parse=True) == 1


def test_the_decimal_mark_can_be_given_for_each_side() -> None:
    assert score("1.234", 1234, parse=True, decimal="comma") == 1
    assert score("1.234", "1,234", parse=True, decimal="comma", actual_decimal="point") == 1
    assert grid(["1.234"], ["1,234", "1.234"], NumericTolerance(parse=True, decimal="comma", actual_decimal="point")).tolist() == [[1, 0]]
    with pytest.raises(ValueError, match="parse: true"):
        NumericTolerance(decimal="comma")


def test_numbers_in_words_of_other_languages_are_read_with_parse() -> None:
    assert score(22, "zweiundzwanzig", parse=True) == 1
    assert score("vingt-cinq", 25, parse=True) == 1
    assert score(32, "zweiundzwanzig", parse=True) == 0
    assert score(0, "null", parse=True) == 0
    assert score(8, "Otto", parse=True) == 0


@pytest.mark.parametrize(
    ("expected", "actual", "passes"),
    [
        ("≥5", ">= 5.0", True),
        ("~5", "≈5", True),
        ("5-6", "5 to 6", True),
        ("<5 %", "< 5%", True),
        ("<5", "5", False),
        ("<5", ">5", False),
        ("5-6", "5-7", False),
        ("<5", "<6", False),
    ],
)
def test_bounds_and_ranges_agree_with_the_same_ones_only(expected: str, actual: str, passes: bool) -> None:
    config = NumericTolerance(parse=True, tolerance=2)
    assert numeric_tolerance(Pairs([expected], [actual]), config).passed.tolist() == [passes]
    assert grid([expected], [actual], config).tolist() == [[float(passes)]]


def test_a_range_in_words_is_the_same_range_with_a_dash() -> None:
    pairs = Pairs(["between 5 and 10", "from 5 to 10", "from 5 to 10"], ["5-10", "5 to 10", "5"])
    assert numeric_tolerance(pairs, NumericTolerance(parse=True)).value.tolist() == [1, 1, 0]
