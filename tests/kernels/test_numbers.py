"""Numbers within a tolerance, and numbers in text."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.numbers import Number, parse_number
from fieldwise.kernels.tolerance import is_close, within_tolerance, within_tolerance_grid

law = settings(max_examples=150, deadline=None)
numbers = st.sampled_from(
    [
        0,
        1,
        2,
        3,
        -1,
        100,
        129,
        0.0,
        -0.0,
        0.1,
        0.2,
        0.3,
        0.1 + 0.2,
        1.0,
        1.1,
        1.01,
        -1.1,
        2**52,
        2**53,
        2**53 + 1,
        float(2**53),
        10**400,
        1e16,
        1e308,
        -1e308,
        1.7e308,
        -1.7e308,
        5e-324,
        math.nan,
        math.inf,
        -math.inf,
    ]
)
finite = numbers.filter(lambda number: isinstance(number, int) or math.isfinite(number))
tolerances = st.sampled_from([0.0, 5e-324, 0.01, 0.1, 0.29, 0.5, 1.0, 1.5, 2.0, 1e300])
pairs = st.lists(st.tuples(numbers, numbers), min_size=30, max_size=40)


@given(pairs=pairs, tolerance=tolerances, relative=st.booleans())
@law
def test_arrays_decide_as_single_numbers_do(pairs: list[tuple[Number, Number]], tolerance: float, relative: bool) -> None:
    found = within_tolerance([one for one, _ in pairs], [other for _, other in pairs], tolerance, relative)
    assert found.tolist() == [is_close(one, other, tolerance, relative) for one, other in pairs]


@given(
    pairs=st.lists(st.tuples(st.sampled_from([0.0, 0.1, 1.1, 1.0]), st.sampled_from([0.0, 1.0, 0.9])), min_size=30), tolerance=tolerances
)
@law
def test_arrays_of_nothing_but_floats_decide_as_single_numbers_do(pairs: list[tuple[float, float]], tolerance: float) -> None:
    found = within_tolerance([one for one, _ in pairs], [other for _, other in pairs], tolerance)
    assert found.tolist() == [is_close(one, other, tolerance) for one, other in pairs]


@given(expected=st.lists(numbers, max_size=6), actual=st.lists(numbers, max_size=6), tolerance=tolerances, relative=st.booleans())
@law
def test_a_grid_decides_as_single_numbers_do(expected: list[Number], actual: list[Number], tolerance: float, relative: bool) -> None:
    found = within_tolerance_grid(expected, actual, tolerance, relative)
    assert found.tolist() == [[is_close(one, other, tolerance, relative) for other in actual] for one in expected]


@given(one=finite, other=finite, tolerance=tolerances)
@law
def test_what_is_within_the_tolerance_matches_and_what_is_beyond_the_slack_does_not(one: Number, other: Number, tolerance: float) -> None:
    difference = abs(Fraction(one) - Fraction(other))
    bound = Fraction(repr(tolerance))
    larger = min(max(abs(one), abs(other)), 1.7e308)
    if difference <= bound:
        assert is_close(one, other, tolerance)
    if tolerance == 0 or (isinstance(one, int) and isinstance(other, int)):
        assert is_close(one, other, tolerance) == (difference <= bound)
    elif difference > bound * Fraction(1 + 2e-9) + 10 * Fraction(math.ulp(larger)):
        assert not is_close(one, other, tolerance)


@given(one=finite, other=finite, tolerance=tolerances)
@law
def test_an_absolute_tolerance_has_no_direction(one: Number, other: Number, tolerance: float) -> None:
    assert is_close(one, other, tolerance) == is_close(other, one, tolerance)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("5", 5),
        (" 5 ", 5),
        ("+5", 5),
        ("-5", -5),
        ("- 5", -5),
        ("−5", -5),
        ("5.", 5.0),
        (".5", 0.5),
        ("1e5", 100000.0),
        ("1.5E-3", 0.0015),
        ("1,234.50", 1234.5),
        ("1,234", 1234),
        ("12,345,678", 12345678),
        ("12,34,567.50", 1234567.5),
        ("1.234", 1.234),
        ("1.234.567", 1234567),
        ("1.234,56", 1234.56),
        ("12,5", 12.5),
        ("0,123", 0.123),
        ("1234,567", 1234.567),
        ("1 234.50", 1234.5),
        ("1 234 567,89", 1234567.89),
        ("1\u202f234,50", 1234.5),
        ("1\u00a0234", 1234),
        ("1'234.50", 1234.5),
        ("1’234.50", 1234.5),
        ("$5", 5),
        ("-$5", -5),
        ("$-5", -5),
        ("US$ 5.20", 5.2),
        ("€ 1.234,56", 1234.56),
        ("5 €", 5),
        ("USD 5", 5),
        ("5 EUR", 5),
        ("100 zł", 100),
        ("(3.2)", -3.2),
        ("($5)", -5),
        ("$(5)", -5),
        ("(3.2 %)", -3.2),
        ("100.00-", -100.0),
        ("12 %", 12),
        ("12.5%", 12.5),
        ("１２３．５", 123.5),
        ("٣٫٥", 3.5),
        ("9007199254740993", 2**53 + 1),
        ("9" * 400, 10**400 - 1),
    ],
)
def test_numbers_as_people_write_them(text: str, number: Number) -> None:
    found = parse_number(text)
    assert found == number
    assert type(found) is type(number)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "abc",
        "NaN",
        "inf",
        "-",
        "$",
        "%",
        "()",
        "5(3)",
        "--5",
        "-(5)",
        "+-5",
        "1,234,56",
        "1 2",
        "1  234",
        "1,2.3,4",
        "1.5.",
        "1,",
        "2025-01-01",
        "1.1.2025",
        "12:30",
        "5 kg",
        "10²",
        "½",
        "1_000",
        "0x10",
        "1e999",
        "5-3",
        "true",
        "1 234 56",
        "9" * 5000,
        "$5 each",
    ],
)
def test_what_is_not_a_number_is_none(text: str) -> None:
    assert parse_number(text) is None


@given(text=st.text(alphabet="0123456789.,-+$€%() 'eE−１x", max_size=8) | st.text(max_size=5))
@settings(max_examples=500, deadline=None)
def test_any_text_gives_a_finite_number_or_none(text: str) -> None:
    found = parse_number(text)
    assert found is None or (type(found) in {int, float} and math.isfinite(found))


@given(number=st.integers() | st.floats(allow_nan=False, allow_infinity=False))
@law
def test_a_number_as_python_writes_it_is_read_back(number: Number) -> None:
    assert parse_number(str(number)) == number


@given(number=st.integers(-(10**12), 10**12))
@law
def test_a_number_with_thousands_separators_is_read_back(number: int) -> None:
    assert parse_number(f"{number:,}") == number
    assert parse_number(f"{number:,}.50".replace("-", "")) == abs(number) + 0.5
