"""Codes for things as they are met, and arrays that grow with them.

>>> codes = Codes[str]()
>>> [codes[word] for word in "a b a c".split()]
[0, 1, 0, 2]
"""

from collections.abc import Sequence
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int64]
Key = TypeVar("Key")


class Codes(dict[Key, int], Generic[Key]):
    """Numbers its keys as they come. A dict that fills itself, so that the common case is one lookup at C speed."""

    def __missing__(self, key: Key) -> int:
        self[key] = code = len(self)
        return code


class Column:
    """A value for each code."""

    def __init__(self, dtype: type = np.int64) -> None:
        self._held: NDArray[Any] = np.zeros(256, dtype=dtype)
        self._size = 0

    def extend(self, values: Sequence[int] | Integers) -> None:
        """The values of the next codes."""
        size = self._size + len(values)
        if size > len(self._held):
            self._held = np.concatenate([self._held, np.zeros(size, dtype=self._held.dtype)])
        self._held[self._size : size] = values
        self._size = size

    @property
    def value(self) -> NDArray[Any]:
        """All of them."""
        return self._held[: self._size]


class Ragged:
    """A list of integers for each code.

    >>> lists = Ragged()
    >>> lists.extend([[7, 8], [], [9]])
    >>> lists.of(np.array([2, 0])).tolist(), lists.lengths(np.array([2, 0])).tolist()
    ([9, 7, 8], [1, 2])
    """

    def __init__(self) -> None:
        self._starts, self._lengths, self._flat = Column(), Column(), Column()

    def extend(self, lists: Sequence[Sequence[int]]) -> None:
        """The lists of the next codes."""
        lengths = np.array([len(one) for one in lists], dtype=np.int64)
        self._starts.extend(np.cumsum(lengths) - lengths + len(self._flat.value))
        self._lengths.extend(lengths)
        self._flat.extend([value for one in lists for value in one])

    def of(self, codes: Integers | slice) -> Integers:
        """The lists of some codes behind each other."""
        return self._flat.value[spread(self._starts.value[codes], self.lengths(codes))]

    def lengths(self, codes: Integers | slice) -> Integers:
        """How long the lists of some codes are."""
        return self._lengths.value[codes]


def spread(starts: Integers, lengths: Integers) -> Integers:
    """start, start + 1, … for each start, as long as it says.

    >>> spread(np.array([5, 2]), np.array([3, 2])).tolist()
    [5, 6, 7, 2, 3]
    """
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - ends + lengths, lengths)


def offsets(lengths: Integers | NDArray[np.bool_]) -> Integers:
    """Where lists of these lengths (or of one where true, none where false) begin and end, behind each other.

    >>> offsets(np.array([2, 0, 1])).tolist()
    [0, 2, 2, 3]
    """
    ends = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=ends[1:])
    return ends
