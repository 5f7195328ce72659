"""What the words around a number name."""

from decimal import Decimal

import pytest

from fieldwise.kernels.amount_names import NumberNames, read_names, take_joined_scale


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ("", "", NumberNames()),
        ("€", "", NumberNames(currencies=frozenset({"EUR"}))),
        ("", " %", NumberNames(percent=True)),
        ("", " kg", NumberNames(units=frozenset({"kilogram"}))),
        ("EUR", " Mio.", NumberNames(currencies=frozenset({"EUR"}), scale=Decimal(10) ** 6)),
        ("INR ", "L", NumberNames(currencies=frozenset({"INR"}), scale=Decimal(10) ** 5)),
        ("", " dozen", NumberNames(scale=Decimal(12))),
    ],
)
def test_a_currency_a_unit_a_percentage_and_a_scale_are_named(before: str, after: str, names: NumberNames) -> None:
    assert read_names(before, after, ends_in_cr=False) == names


@pytest.mark.parametrize(("before", "after"), [("€", " USD"), ("Total", ""), ("", " whatever")])
def test_words_that_mean_nothing_or_contradict_each_other_are_refused(before: str, after: str) -> None:
    assert read_names(before, after, ends_in_cr=False) is None


@pytest.mark.parametrize(("name", "scale"), [("TEUR", (3, "EUR")), ("mkr", (6, "kr")), ("KG", (0, "KG")), ("EUR", (0, "EUR"))])
def test_a_scale_may_be_joined_to_a_currency_and_never_to_a_unit(name: str, scale: tuple[int, str]) -> None:
    assert take_joined_scale(name) == scale
