"""Currency: codes and names."""

import pytest

from fieldwise.matchers.currency import Currency, currency
from fieldwise.model.pairs import Pairs


@pytest.mark.parametrize(
    ("expected", "actual", "agrees"),
    [("USD", "US Dollar", True), ("€", "EUR", True), ("$", "CAD", True), ("SEK", "NOK", False), ("EUR", "soon", False)],
)
def test_values_agree_if_they_denote_the_same(expected: object, actual: object, agrees: bool) -> None:
    assert bool(currency(Pairs([expected], [actual]), Currency()).passed[0]) is agrees  # pyright: ignore[reportArgumentType]


def test_sterling_is_the_pound() -> None:
    assert currency(Pairs(["pounds sterling"], ["GBP"]), Currency()).value.tolist() == [1.0]
