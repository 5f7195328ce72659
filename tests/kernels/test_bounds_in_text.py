"""Signs and words that make a value a bound or an estimate."""

import pytest

from fieldwise.kernels.bounds_in_text import split_bound


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("<5 mg", ("<", "5 mg")),
        ("< 0,01", ("<", "0,01")),
        (">=5", ("≥", "5")),
        ("at most 5 kg", ("≤", "5 kg")),
        ("max. 5 kg", ("≤", "5 kg")),
        ("ca. 5 €", ("≈", "5 €")),
        ("environ 5 €", ("≈", "5 €")),
        ("mehr als 5 Tage", (">", "5 Tage")),
        ("5+", ("≥", "5")),
        ("5 years or more", ("≥", "5 years")),
        ("5 kg (approx.)", ("≈", "5 kg")),
        ("約5 kg", ("≈", "5 kg")),
        ("18歳以上", ("≥", "18歳")),
    ],
)
def test_a_bound_has_one_sign_however_it_is_written(text: str, bound: tuple[str, str]) -> None:
    assert split_bound(text) == bound


@pytest.mark.parametrize("text", ["", "5 mg", "about", "<>5", "a lot of 5", "x" * 100, "+5", "5 -"])
def test_a_value_without_a_bound_has_none(text: str) -> None:
    assert split_bound(text) is None
