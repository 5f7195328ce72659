"""Amounts written out in words, with and without a currency."""

from decimal import Decimal

import pytest

from fieldwise.kernels.amounts_in_words import read_amount_in_words, read_number_alone


@pytest.mark.parametrize(
    ("text", "value", "currency"),
    [
        ("twenty-five dollars", "25", "USD"),
        ("five pounds fifty", "5.5", "GBP"),
        ("Rupees five hundred and fifty paise", "500.5", "INR"),
        ("one million two hundred thousand US dollars", "1200000", "USD"),
        ("ten euros and five cents", "10.05", "EUR"),
        ("fifty cents", "0.5", "USD"),
    ],
)
def test_an_amount_in_words_has_the_value_and_the_currency_it_names(text: str, value: str, currency: str) -> None:
    amount = read_amount_in_words(text)
    assert amount is not None
    assert amount[0] == Decimal(value)
    assert currency in amount[1]


@pytest.mark.parametrize("text", ["twenty-five", "two and a half", "one hundred and five"])
def test_an_english_number_alone_has_no_currency(text: str) -> None:
    amount = read_amount_in_words(text)
    assert amount is not None
    assert not amount[1]


@pytest.mark.parametrize(
    "text",
    ["vingt-cinq", "five apples", "ten euros and five pence", "ten dollars two hundred", "dollars", "five dollars and"],
)
def test_other_words_are_no_amount(text: str) -> None:
    assert read_amount_in_words(text) is None


@pytest.mark.parametrize(("text", "number"), [("zweiundzwanzig", 22), (" Vingt-cinq ", 25), ("двадцать два", 22), ("dua puluh dua", 22)])
def test_a_number_of_another_language_alone_is_read_where_numbers_are_expected(text: str, number: int) -> None:
    assert read_number_alone(text) == number


@pytest.mark.parametrize("text", ["Otto", "due", "Once", "null", "cent", "elf", "on", "Trent", "", "12", "Acme"])
def test_names_words_and_placeholders_are_no_number_alone(text: str) -> None:
    assert read_number_alone(text) is None
