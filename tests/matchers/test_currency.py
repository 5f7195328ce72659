"""Currency: codes and names."""

import pytest

from fieldwise.matchers.currency import Currency, currency
from fieldwise.model.pairs import Pairs


@pytest.mark.parametrize(
    ("expected", "actual", "agrees"),
    [
        ("USD", "US Dollar", True),
        ("€", "EUR", True),
        ("$", "CAD", True),
        ("SEK", "NOK", False),
        ("EUR", "soon", False),
        ("EUR", "Euro (€)", True),
        ("EUR", "EUR ($)", False),
    ],
)
def test_values_agree_if_they_denote_the_same(expected: object, actual: object, agrees: bool) -> None:
    assert bool(currency(Pairs([expected], [actual]), Currency()).passed[0]) is agrees  # pyright: ignore[reportArgumentType]


def test_sterling_is_the_pound() -> None:
    assert currency(Pairs(["pounds sterling"], ["GBP"]), Currency()).value.tolist() == [1.0]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [("MXN", "dollars"), ("pesos", "dollars"), ("₱", "$"), ("RUB", "сом"), ("R", "руб."), ("SEK", "korun"), ("CZK", "krona")],
)
def test_currencies_of_other_countries_do_not_agree_by_their_names(expected: str, actual: str) -> None:
    assert not currency(Pairs([expected], [actual]), Currency()).passed[0]


def test_a_name_of_two_currencies_agrees_with_each() -> None:
    assert currency(Pairs(["XOF", "XAF"], ["CFA franc", "CFA franc"]), Currency()).passed.all()


@pytest.mark.parametrize(("name", "code"), [("soles", "PEN"), ("colones", "CRC"), ("bolivianos", "BOB"), ("Guaraníes", "PYG")])
def test_spanish_plurals_name_a_currency(name: str, code: str) -> None:
    assert currency(Pairs([name], [code]), Currency()).value.tolist() == [1.0]
