"""Numbers in text."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.numbers import Number, format_number, parse_number, parse_number_readings

law = settings(max_examples=150, deadline=None)


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
    parsed = parse_number(text)
    assert parsed == number
    assert type(parsed) is type(number)


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
    parsed = parse_number(text)
    assert parsed is None or (type(parsed) in {int, float} and math.isfinite(parsed))


@given(number=st.integers() | st.floats(allow_nan=False, allow_infinity=False))
@law
def test_a_number_as_python_writes_it_is_read_back(number: Number) -> None:
    assert parse_number(str(number)) == number


@given(number=st.integers(-(10**12), 10**12))
@law
def test_a_number_with_thousands_separators_is_read_back(number: int) -> None:
    assert parse_number(f"{number:,}") == number
    assert parse_number(f"{number:,}.50".replace("-", "")) == abs(number) + 0.5


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,234.50", (1234.5,)),
        ("-$1,234.50", (-1234.5,)),
        ("$-5", (-5,)),
        ("(3.2)", (-3.2,)),
        ("5-", (-5,)),
        ("1 234 567,89", (1234567.89,)),
        ("1'234.50", (1234.5,)),
        ("12,34,567.00", (1234567.0,)),
        ("1.234", (1.234, 1234)),
        ("1,234", (1234, 1.234)),
        ("0,123", (0.123,)),
        ("007", (7,)),
        ("12345", (12345,)),
        ("0,123.50", (123.5,)),
        (".5", (0.5,)),
        ("1e3", (1000.0,)),
        ("USD 5 million", (5_000_000,)),
        ("1.5bn", (1_500_000_000.0,)),
    ],
)
def test_a_number_is_read_with_every_meaning_it_may_have(text: str, values: tuple[float, ...]) -> None:
    parsed = parse_number_readings(text)
    assert parsed is not None
    assert parsed.values == values


@pytest.mark.parametrize("text", ["", "abc", "INV-5", "1.2.3", "2025-03-04", "12:30", "12 months", "1,234,56", "1e999", "(5", "5" * 80])
def test_other_text_has_no_number_readings(text: str) -> None:
    assert parse_number_readings(text) is None


@pytest.mark.parametrize(
    ("number", "text"), [(1e21, "1" + "0" * 21), (1e-7, "0.0000001"), (1.5e-7, "0.00000015"), (-3.0, "-3"), (2**60, str(2**60))]
)
def test_numbers_are_written_plainly(number: float, text: str) -> None:
    assert format_number(number) == text
