"""Shared by matchers that compare keys: two values match if their keys are equal."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Final

from fieldwise.kernels.values import canonical_json, key_equality_grid
from fieldwise.model.values import MISSING, json_kind
from fieldwise.numpy_on_use import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

ABSENT: Final = ("absent",)
"""Key of null and of missing values: absent matches only absent."""


def is_absent(value: object) -> bool:
    """True for null and missing values, which only grids contain."""
    return value is None or value is MISSING


def equal_key_grid(expected: Sequence[object], actual: Sequence[object], key: Callable[[object], Hashable]) -> NDArray[np.float64]:
    """1 where the keys of two values are equal, else 0; the key None equals nothing."""
    return key_equality_grid(
        [ABSENT if is_absent(value) else key(value) for value in expected],
        [ABSENT if is_absent(value) else key(value) for value in actual],
    )


def quote_value(value: object, max_length: int = 40) -> str:
    """A value as notes quote it: text and numbers shortened, containers by kind.

    >>> quote_value("30 February"), quote_value("a" * 100, max_length=5), quote_value(20250403), quote_value(["a"])
    ('"30 February"', '"aaaaa…"', '20250403', 'a list')
    """
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= max_length else f'"{value[:max_length]}…"'
    family = json_kind(value)
    if family in {"list", "object"}:
        return "a list" if family == "list" else "an object"
    text = canonical_json(value) or str(value)
    return text if len(text) <= max_length else f"{text[:max_length]}…"
