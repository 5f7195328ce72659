"""Numbers and dates as people write them."""

import pytest

from fieldwise.kernels.dates import parse_date_readings
from fieldwise.kernels.numbers import format_number, parse_number_readings


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
    found = parse_number_readings(text)
    assert found is not None
    assert found.values == values


@pytest.mark.parametrize("text", ["", "abc", "INV-5", "1.2.3", "2025-03-04", "12:30", "12 months", "1,234,56", "1e999", "(5", "5" * 80])
def test_other_text_is_no_number(text: str) -> None:
    assert parse_number_readings(text) is None


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("2025-03-04", ((2025, 3, 4),)),
        ("20250304", ((2025, 3, 4),)),
        ("4 March 2025", ((2025, 3, 4),)),
        ("Tue, 4 Mar 2025", ((2025, 3, 4),)),
        ("4th of March, 2025", ((2025, 3, 4),)),
        ("4 de marzo de 2025", ((2025, 3, 4),)),
        ("4-Mar-25", ((2025, 3, 4),)),
        ("04.03.2025", ((2025, 3, 4), (2025, 4, 3))),
        ("31/12/99", ((1999, 12, 31),)),
        ("31/12/69", ((1969, 12, 31),)),
        ("31/12/68", ((2068, 12, 31),)),
        ("2025-3", ((2025, 3, 0),)),
        ("29/02/2024", ((2024, 2, 29),)),
        ("May 2025", ((2025, 5, 0),)),
    ],
)
def test_a_date_is_read_with_every_day_it_may_be(text: str, readings: tuple[tuple[int, int, int], ...]) -> None:
    found = parse_date_readings(text)
    assert found is not None
    assert found.readings == readings


@pytest.mark.parametrize(
    "text", ["", "30/02/2025", "29/02/2025", "2025-13-01", "2025-01-2025", "Q1 2025", "Page 4 2025", "12:30", "x" * 50]
)
def test_other_text_is_no_date(text: str) -> None:
    assert parse_date_readings(text) is None


def test_the_time_of_day_is_kept_unless_it_says_nothing() -> None:
    times = [
        found.time for text in ("2025-03-04T00:00:00Z", "2025-03-04 09:30:00", "2025-03-04 9:30") if (found := parse_date_readings(text))
    ]
    assert times == ["", "9:30", "9:30"]


@pytest.mark.parametrize(
    ("number", "text"), [(1e21, "1" + "0" * 21), (1e-7, "0.0000001"), (1.5e-7, "0.00000015"), (-3.0, "-3"), (2**60, str(2**60))]
)
def test_numbers_are_written_plainly(number: float, text: str) -> None:
    assert format_number(number) == text
