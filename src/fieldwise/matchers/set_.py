"""Lists with the same items, in any order and regardless of repetition: `["a", "b", "a"]` matches `["b", "a"]`.

Items are compared as `exact` does. Values that are not lists are compared as `exact` does; a list never matches a single value.

>>> set_(Pairs([["a", "b"], ["a", "b"]], [["b", "a", "a"], ["a"]]), Set()).value.tolist()
[1.0, 0.0]
"""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.values import canonical_json
from fieldwise.matchers._keys import equal_key_grid
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.values import json_kind
from fieldwise.registry import matcher
from fieldwise.specs import Example


@dataclass(frozen=True, slots=True, kw_only=True)
class Set:
    """No options."""


def grid(expected: Sequence[object], actual: Sequence[object], config: Set) -> NDArray[np.float64]:
    """1 where an expected list has the items of an actual one, else 0."""
    return equal_key_grid(expected, actual, _items_key)


@matcher(
    grid=grid,
    examples=[
        Example(expected=["a", "b"], actual=["b", "a"], score=1),
        Example(expected=["a", "b"], actual=["a"], score=0),
    ],
)
def set_(pairs: Pairs, config: Set) -> Scores:
    """1 for lists of the same items, else 0."""
    expected, actual = map(_items_key, pairs.expected), map(_items_key, pairs.actual)
    return Scores.of([left is not None and left == right for left, right in zip(expected, actual, strict=True)])


def _items_key(value: object) -> Hashable:
    """The items of a list, or the JSON text of another value; None if it contains NaN or Infinity."""
    if json_kind(value) != "list":
        return canonical_json(value)
    items = frozenset(map(canonical_json, value))  # pyright: ignore[reportArgumentType]  its kind says that it is a sequence
    return None if None in items else items
