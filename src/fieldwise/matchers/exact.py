"""Values that are equal in kind and value.

Text is strict, after Unicode composition; lists are equal in order; the order of keys does not matter. `true` is never 1, 100 is
100.0, integers keep every digit, NaN and Infinity match nothing, not even themselves.

>>> exact(Pairs(["INV-001", 100, 100], ["INV-001", 100.0, "100"]), Exact()).value.tolist()
[1.0, 1.0, 0.0]
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.values import canonical, equal_grid, nfc, same
from fieldwise.matchers._keys import grid_of_keys, non_finite_notes
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.registry import matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    """There is nothing to set."""


def grid(expected: Sequence[object], actual: Sequence[object], config: Exact) -> NDArray[np.float64]:  # noqa: ARG001
    """1 where an expected value is the same as an actual one, else 0."""
    if _are_plain(expected) and _are_plain(actual):
        return equal_grid(cast("Sequence[Hashable]", expected), cast("Sequence[Hashable]", actual))
    return grid_of_keys(expected, actual, _key)


def _are_plain(values: Sequence[object]) -> bool:
    """Whether all are ASCII text, or all whole numbers: their own keys."""
    types = set(map(type, values))
    return types == {int} or (types == {str} and all(map(str.isascii, cast("Sequence[str]", values))))


def _key(value: Any) -> Hashable:
    """Equal for values that are the same: text and numbers as they are, which Python compares exactly; the rest by its JSON text."""
    kind = value.__class__
    if kind is str:
        return value if value.isascii() else nfc(value)
    if kind is int:
        return value
    if kind is float:
        return value if isfinite(value) else None
    text = canonical(value)
    return None if text is None else (text,)


@matcher(grid=grid)
def exact(pairs: Pairs, config: Exact) -> Scores:  # noqa: ARG001
    """1 for values that are the same, else 0."""
    matched = list(map(same, pairs.expected, pairs.actual))
    failed = (row for row, good in enumerate(matched) if not good)
    return Scores.of(matched, notes=non_finite_notes(pairs.expected, pairs.actual, failed))
