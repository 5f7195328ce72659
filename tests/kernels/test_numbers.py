"""Numbers in text."""

import pytest

from fieldwise.kernels.numbers import align_digits, format_number, parse_number_readings


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


@pytest.mark.parametrize(
    ("expected", "actual", "digits"), [(12, 7.25, ("1200", "725")), (7.25, 12, ("725", "1200")), (-12, 345, ("12", "345"))]
)
def test_digits_are_aligned_at_the_decimal_point(expected: float, actual: float, digits: tuple[str, str]) -> None:
    assert align_digits(expected, actual) == digits
