"""Values as misses and reasons show them."""

from datetime import date
from fractions import Fraction
from typing import Any

from fieldwise.model.values import kind


def shown(value: Any, longest: int = 40) -> str:
    """A value in a sentence; lists and objects by their kind.

    >>> shown(Fraction(1, 4)), shown("Berlin"), shown(True), shown([1])
    ('0.25', '"Berlin"', 'true', 'a list')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | Fraction):
        return _shown_number(value)
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= longest else f'"{value[: longest - 1]}…"'
    return str(value) if isinstance(value, date) else {"list": "a list", "object": "an object"}.get(kind(value), "null")


def _shown_number(value: float | Fraction) -> str:
    whole = isinstance(value, int) or (isinstance(value, Fraction) and value.denominator == 1)
    try:
        return str(int(value)) if whole and abs(value) < 10**15 else f"{float(value):.12g}"
    except OverflowError:
        return "a huge number"
