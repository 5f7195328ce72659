"""Symbols of the SI with their prefixes."""

import pytest

from fieldwise.kernels.unit_symbols import symbol_called, symbol_in_ratio


@pytest.mark.parametrize(
    ("symbol", "unit"),
    [
        ("MJ", "megajoule"),
        ("mJ", "millijoule"),
        ("ng", "nanogram"),
        ("\u03bcg", "microgram"),
        ("nT", "nanotesla"),
        ("mK", "millikelvin"),
        ("mIU", "milliinternational-unit"),
        ("Gbps", "gigabit-per-second"),
    ],
)
def test_a_symbol_with_a_prefix_is_one_unit(symbol: str, unit: str) -> None:
    assert symbol_called(symbol) == unit


@pytest.mark.parametrize("name", ["ks", "Mm", "Ml", "pH", "bps", "PF", "soon", "", "g", "mbit"])
def test_other_letters_are_no_symbol(name: str) -> None:
    assert symbol_called(name) is None


def test_beside_a_slash_a_letter_alone_is_a_symbol_in_either_case() -> None:
    assert [symbol_in_ratio(name) for name in ("g", "G", "dL", "DL", "min", "weeks")] == [
        "gram",
        "gram",
        "deciliter",
        "deciliter",
        "minute",
        None,
    ]
