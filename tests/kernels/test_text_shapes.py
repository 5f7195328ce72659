"""What a text can be read as by its shape."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.amounts import read_figure_once
from fieldwise.kernels.dates import parse_date_readings
from fieldwise.kernels.numbers import parse_number_readings
from fieldwise.kernels.text_normalize import mask_digits, mask_digits_batch
from fieldwise.kernels.text_shapes import possible_readings

SPELLINGS = [
    "0", "00.00", "0,000.00", "$0,000.00", "EUR 00", "0.000,00 €", "RM0.00", "R0", "P0", "0 kg", "00 m2", "00 months", "-0 °C", "(0.00)",
    "0e0", "0 x 10^0", "00 and 00/100 dollars", "00€00", "£00 00p", "0000-00-00", "00/00/0000", "0 March 0000", "0000-00-00T00:00:00Z",
    "00000000",
    "March 0000", "00:00", "0000年0月0日", "INV-000000", "A0000-00", "E0000-00", "DE000000000", "00 Main Street", "net 00", "00 only",
    "00.00 CR", "USD 00 only", "0th", "00 %", "0k", "0 thousand", "Rs.000", "minus 00", "0-inch", "5½", "٣٫٥ 0", "No. 00", "x00", "00x",
    "0,-",
    "00 € HT",
]  # fmt: skip
"""Texts with 0 for each digit that is drawn."""


def assert_readings_are_possible(text: str) -> None:
    possible = possible_readings(mask_digits(text))
    assert possible.number or parse_number_readings(text) is None, text
    assert possible.figure or read_figure_once(text) is None, text
    assert possible.date or parse_date_readings(text) is None, text


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_what_a_shape_excludes_no_text_of_that_shape_is(spelling: str) -> None:
    rng = random.Random(spelling)
    for _ in range(200):
        digits = rng.choice(("0123456789", "012", "10"))
        assert_readings_are_possible("".join(rng.choice(digits) if character == "0" else character for character in spelling))


@settings(max_examples=300, deadline=None)
@given(st.text("0123456789aeEkmMxX$€.,-+/:^() %CR", max_size=12))
def test_what_a_shape_excludes_no_random_text_is(text: str) -> None:
    assert_readings_are_possible(text)


def test_codes_are_neither_numbers_nor_dates() -> None:
    assert not any(possible_readings("INV-000000"))
    assert not any(possible_readings("A0000-00"))
    assert not any(possible_readings("00 Main Street"))


def test_digits_are_masked_in_a_batch_as_one_by_one() -> None:
    texts = ["INV-0427", "", "é٣9", "\ud8005", "a 1"]
    assert mask_digits_batch(texts) == [mask_digits(text) for text in texts] == ["INV-0000", "", "é٣0", "\ud8000", "a 0"]
    assert mask_digits_batch(["a\x001", "2"]) == ["a\x000", "0"]
    assert mask_digits_batch([]) == []
