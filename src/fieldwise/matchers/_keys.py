"""What matchers share that compare by keys: two values match if their keys are equal, one by one or all with all."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from math import isfinite
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.values import canonical, equal_grid, non_finite
from fieldwise.model.values import MISSING, kind

ABSENT: Final = ("absent",)
"""The key of null and of nothing at all: absent matches absent and nothing else."""


def is_absent(value: object) -> bool:
    """Whether there is no value; only grids meet such."""
    return value is None or value is MISSING


def grid_of_keys(expected: Sequence[object], actual: Sequence[object], key: Callable[[object], Hashable]) -> NDArray[np.float64]:
    """1 where the keys of two values are equal, else 0; a key that is None equals nothing."""
    return equal_grid(
        [ABSENT if is_absent(value) else key(value) for value in expected],
        [ABSENT if is_absent(value) else key(value) for value in actual],
    )


_FINITE: Final = frozenset({str, int, bool})


def non_finite_notes(expected: Sequence[object], actual: Sequence[object], rows: Iterable[int]) -> dict[int, str]:
    """For those of the rows that hold a NaN or an Infinity, however deep: a note that says so."""
    notes: dict[int, str] = {}
    if _plainly_finite(expected) and _plainly_finite(actual):
        return notes
    for row in rows:
        one, other = expected[row], actual[row]
        if type(one) in _FINITE and type(other) in _FINITE:
            continue
        name = non_finite(one) or non_finite(other)
        if name:
            notes[row] = f"{name} is not a number"
    return notes


def _plainly_finite(values: Sequence[object]) -> bool:
    """Whether no value can hold a NaN or an Infinity; a sum of floats tells at once, if it does not overflow."""
    types = set(map(type, values))
    if types <= _FINITE:
        return True
    return types <= {*_FINITE, float} and isfinite(sum([value for value in values if type(value) is float]))


def shown(value: object, longest: int = 40) -> str:
    """A value as a note quotes it: text and numbers shortened, the rest by kind.

    >>> shown("30 February"), shown("a" * 100, longest=5), shown(20250403), shown(["a"])
    ('"30 February"', '"aaaaa…"', '20250403', 'a list')
    """
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= longest else f'"{value[:longest]}…"'
    family = kind(value)
    if family in {"list", "object"}:
        return "a list" if family == "list" else "an object"
    text = canonical(value) or str(value)
    return text if len(text) <= longest else f"{text[:longest]}…"
