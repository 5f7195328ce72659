"""Factors of compound units."""

import pytest

from fieldwise.kernels.unit_products import split_unit_product


@pytest.mark.parametrize(
    ("text", "factors"),
    [
        ("m·s⁻¹", [("m", 1, "1"), ("s", -1, "1")]),
        ("m s^-2", [("m", 1, "1"), ("s", -2, "1")]),
        ("W/(m2·K)", [("W", 1, "1"), ("m2", -1, "1"), ("K", -1, "1")]),
        ("mg/5 mL", [("mg", 1, "1"), ("mL", -1, "5")]),
        ("kcal/100g", [("kcal", 1, "1"), ("g", -1, "100")]),
        ("mL/min/1,73 m²", [("mL", 1, "1"), ("min", -1, "1"), ("m²", -1, "1.73")]),
    ],
)
def test_a_compound_unit_has_its_factors_in_order(text: str, factors: list[tuple[str, int, str]]) -> None:
    assert [(factor.name, factor.power, factor.number) for factor in split_unit_product(text)] == factors


@pytest.mark.parametrize("text", ["kg", "boxes of 5", "m/", "/s", "5 mg/mL", "m^0", "a/b/c/d/e/f", "m/s" * 20, "kg/(m", "N m"])
def test_what_is_no_compound_unit_has_none(text: str) -> None:
    assert split_unit_product(text) == ()
