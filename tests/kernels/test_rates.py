"""Amounts per unit."""

import pytest

from fieldwise.kernels.rates import agree_on_per, read_rate


@pytest.mark.parametrize(
    ("text", "value", "per"),
    [
        ("$5 per hour", 5, ["hour"]),
        ("$5/hr", 5, ["hour"]),
        ("$5 an hour", 5, ["hour"]),
        ("€5/kg", 5, ["kilogram"]),
        ("12,50 € pro Monat", 12.5, ["month"]),
        ("$50,000 p.a.", 50_000, ["year"]),
        ("£500 pcm", 500, ["month"]),
        ("$9/user/month", 9, ["month", "user"]),
        ("5 €/100 g", 5, ["100 g-force", "100 gram"]),
        ("45.00/hr", 45, ["hour"]),
        ("($5)/month", -5, ["month"]),
    ],
)
def test_a_rate_is_an_amount_per_unit(text: str, value: float, per: list[str]) -> None:
    rate = read_rate(text)
    assert rate is not None
    assert rate.value == value
    assert sorted(unit for meanings in rate.per for unit in meanings) == per


@pytest.mark.parametrize("text", ["$5", "5 kg", "5 %/month", "5/seat", "5 a month", "$/month", "12/34", "15 à 20 €", "x" * 100, ""])
def test_other_texts_are_no_rates(text: str) -> None:
    assert read_rate(text) is None


def test_rates_are_per_the_same_units_in_any_order() -> None:
    first, second, third = (read_rate(text) for text in ("$9/user/month", "$9 per month per user", "$9/month"))
    assert first is not None
    assert second is not None
    assert third is not None
    assert agree_on_per(first.per, second.per)
    assert not agree_on_per(first.per, third.per)
