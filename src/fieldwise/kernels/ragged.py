"""Codes for things as they are met, and arrays that grow with them.

>>> codes = Codes[str]()
>>> [codes[word] for word in "a b a c".split()]
[0, 1, 0, 2]
"""

from collections.abc import Callable, Sequence
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


class Grown:
    """A value for each code, from values that come one at a time.

    >>> column = Grown()
    >>> column.add(7), column.add(8), column.value.tolist()
    (None, None, [7, 8])
    """

    def __init__(self, dtype: type = np.int64) -> None:
        self._column = Column(dtype)
        self._new: list[int] = []
        self.add = self._new.append
        """The value of the next code."""

    @property
    def value(self) -> NDArray[Any]:
        """All of them."""
        if self._new:
            self._column.extend(self._new)
            self._new.clear()
        return self._column.value


class Ragged:
    """A list of integers for each code.

    >>> lists = Ragged()
    >>> lists.extend(np.array([7, 8, 9]), np.array([2, 0, 1]))
    >>> lists.of(np.array([2, 0])).tolist(), lists.lengths(np.array([2, 0])).tolist()
    ([9, 7, 8], [1, 2])
    """

    def __init__(self) -> None:
        self._starts, self._lengths, self._flat = Column(), Column(), Column()

    def __len__(self) -> int:
        return len(self._lengths.value)

    def extend(self, flat: Integers, lengths: Integers) -> None:
        """The lists of the next codes, behind each other."""
        self._starts.extend(np.cumsum(lengths) - lengths + len(self._flat.value))
        self._lengths.extend(lengths)
        self._flat.extend(flat)

    def of(self, codes: Integers) -> Integers:
        """The lists of some codes behind each other."""
        starts, lengths = self._starts.value.take(codes), self.lengths(codes)
        if len(codes) and codes[-1] - codes[0] == len(codes) - 1 and np.all(np.diff(codes) == 1):
            return self._flat.value[starts[0] : starts[-1] + lengths[-1]]
        return self._flat.value.take(spread(starts, lengths))

    def lengths(self, codes: Integers | slice) -> Integers:
        """How long the lists of some codes are."""
        return self._lengths.value[codes]


class Learned:
    """An integer from 0 for each code, which is read when the code is first asked for.

    >>> squares = Learned(lambda codes: [code * code for code in codes])
    >>> squares.of(np.array([3, 2, 3])).tolist()
    [9, 4, 9]
    """

    def __init__(self, read: Callable[[Sequence[int]], Sequence[int] | Integers]) -> None:
        self._read = read
        self._values: Integers = np.full(256, -1)

    def of(self, codes: Integers) -> Integers:
        """Those of some codes."""
        size = int(codes.max(initial=0)) + 1
        if size > len(self._values):
            self._values = np.concatenate([self._values, np.full(size, -1)])
        values = self._values.take(codes)
        if values.min(initial=0) >= 0:
            return values
        new = np.unique(codes[values < 0])
        self._values[new] = self._read(new.tolist())
        return self._values.take(codes)


def spread(starts: Integers, lengths: Integers) -> Integers:
    """start, start + 1, … for each start, as long as it says.

    >>> spread(np.array([5, 2]), np.array([3, 2])).tolist()
    [5, 6, 7, 2, 3]
    """
    ends = np.cumsum(lengths)
    places = np.repeat(starts - ends + lengths, lengths)
    places += np.arange(len(places))
    return places


def offsets(lengths: Integers | NDArray[np.bool_]) -> Integers:
    """Where lists of these lengths (or of one where true, none where false) begin and end, behind each other.

    >>> offsets(np.array([2, 0, 1])).tolist()
    [0, 2, 2, 3]
    """
    ends = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=ends[1:])
    return ends
