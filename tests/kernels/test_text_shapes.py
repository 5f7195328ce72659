"""A text of a shape that can be no number, figure or date is none, whatever its digits are."""

import random

import pytest

from fieldwise.kernels.amounts import read_figure_once
from fieldwise.kernels.dates import parse_date_readings
from fieldwise.kernels.numbers import parse_number_readings
from fieldwise.kernels.text_shapes import find_possible_readings

SHAPES = (
    "INV-000000", "DE000000000", "A0000-00", "E0000-00", "00 Main Street", "net 00", "EUR 000", "EUR0,000.00", "0000-00-00", "00/00/0000",
    "00 May 0000", "May 00, 0000", "MAY-0000", "0.000,00 kr", "00e00", "five.e000", "CR 00.00", "00 kg", "0 x 00^0", "00/000", "$ 00/000",
    "00:00", "0000-W00-0", "00O00", "(000)", "000-", "0 zl 00 gr", "US$ 00", "Q0", "FY00", "00th", "00%", "0m0", "0 000", "0'000.0",
)  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_no_digits_make_a_value_of_a_shape_that_has_none(shape: str) -> None:
    rng = random.Random(3)
    for _ in range(300):
        text = "".join(rng.choice("0123456789") if character == "0" else character for character in shape)
        may_be = find_possible_readings(text)
        assert may_be.number or parse_number_readings(text) is None
        assert may_be.figure or read_figure_once(text) is None
        assert may_be.date or parse_date_readings(text) is None


def test_codes_are_neither_numbers_nor_figures_nor_dates() -> None:
    assert not any(map(any, map(find_possible_readings, ("INV-000123", "DE123456789", "A1234-56", " PO-12", "12 Main Street"))))


def test_texts_with_other_characters_may_be_anything() -> None:
    assert all(find_possible_readings("É-12"))
