"""Values that are equal in kind and value.

Text is strict, after Unicode composition; lists are equal in order; the order of keys does not matter. `true` is never 1, 100 is
100.0, integers keep every digit, NaN and Infinity match nothing, not even themselves.

>>> exact(Pairs(["INV-001", 100, 100], ["INV-001", 100.0, "100"]), Exact()).value.tolist()
[1.0, 1.0, 0.0]
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from fieldwise.dataclass import dataclass
from fieldwise.kernels.values import canonical_json, code_keys, to_nfc, values_equal
from fieldwise.matchers._keys import ABSENT, is_absent
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.numpy_on_use import np
from fieldwise.registry import matcher
from fieldwise.specs import Example, PartialGrid

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    """No options."""


def grid(expected: Sequence[object], actual: Sequence[object], config: Exact) -> NDArray[np.float64]:
    """1 where an expected value equals an actual one, else 0."""
    return prepare_grid(expected, actual, config)(slice(None), slice(None))


def prepare_grid(expected: Sequence[object], actual: Sequence[object], config: Exact) -> PartialGrid:
    """The grid of any part of two columns."""
    expected_codes, actual_codes = code_keys(_equality_keys(expected), _equality_keys(actual))
    return lambda rows, columns: np.equal.outer(expected_codes[rows], actual_codes[columns]).astype(np.float64)


def _equality_keys(values: Sequence[Any]) -> Sequence[Hashable]:
    """Equal for equal values. ASCII text and integers are their own keys: Python compares them as this matcher does."""
    types = set(map(type, values))
    if types <= _OWN_KEYS and "".join([value for value in values if value.__class__ is str]).isascii():
        return [ABSENT if value is None else value for value in values] if type(None) in types else values
    return [ABSENT if is_absent(value) else _equality_key(value) for value in values]


_OWN_KEYS: Final = frozenset((str, int, type(None)))


def _equality_key(value: Any) -> Hashable:
    """Equal for equal values: text and numbers as they are, which Python compares exactly; other values by their JSON text."""
    kind = value.__class__
    if kind is str:
        return value if value.isascii() else to_nfc(value)
    if kind is int:
        return value
    if kind is float:
        return value if isfinite(value) else None
    text = canonical_json(value)
    return None if text is None else (text,)


@matcher(
    grid=grid,
    prepare_grid=prepare_grid,
    examples=[
        Example(expected="a", actual="a", score=1),
        Example(expected="a", actual="A", score=0),
        Example(expected=100, actual=100.0, score=1),
        Example(expected=1, actual=True, score=0),
    ],
)
def exact(pairs: Pairs, config: Exact) -> Scores:
    """1 for equal values, else 0."""
    return Scores.of(list(map(values_equal, pairs.expected, pairs.actual)))
