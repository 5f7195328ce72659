"""Lists that hold the same items, in any order and however often: `["a", "b", "a"]` is `["b", "a"]`.

Items are the same as `exact` has it. What is not a list is compared as `exact` does; a list never matches a single value.

>>> set_(Pairs([["a", "b"], ["a", "b"]], [["b", "a", "a"], ["a"]]), Set()).value.tolist()
[1.0, 0.0]
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.values import canonical
from fieldwise.matchers._keys import grid_of_keys, non_finite_notes
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.values import kind
from fieldwise.registry import matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Set:
    """There is nothing to set."""


def grid(expected: Sequence[object], actual: Sequence[object], config: Set) -> NDArray[np.float64]:  # noqa: ARG001
    """1 where an expected list holds the items of an actual one, else 0."""
    return grid_of_keys(expected, actual, _key)


@matcher(grid=grid)
def set_(pairs: Pairs, config: Set) -> Scores:  # noqa: ARG001
    """1 for lists of the same items, else 0."""
    expected, actual = map(_key, pairs.expected), map(_key, pairs.actual)
    matched = [one is not None and one == other for one, other in zip(expected, actual, strict=True)]
    failed = (row for row, good in enumerate(matched) if not good)
    return Scores.of(matched, notes=non_finite_notes(pairs.expected, pairs.actual, failed))


def _key(value: object) -> Hashable:
    """The items of a list, or the text of anything else; None where a NaN or an Infinity is in it."""
    if kind(value) != "list":
        return canonical(value)
    items = frozenset(map(canonical, value))  # pyright: ignore[reportArgumentType]  kind says that it is a sequence
    return None if None in items else items
