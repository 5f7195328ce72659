"""Codes for keys in order of first occurrence, and arrays that grow with them.

>>> codes = FirstSeenCodes[str]()
>>> [codes[word] for word in "a b a c".split()]
[0, 1, 0, 2]
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int64]
Key = TypeVar("Key")


class FirstSeenCodes(dict[Key, int], Generic[Key]):
    """Codes from 0 in order of first lookup. A dict that fills itself, so that the common case is one lookup at C speed."""

    def __missing__(self, key: Key) -> int:
        self[key] = code = len(self)
        return code


class GrowingArray:
    """A value for each code, extended by whole blocks."""

    def __init__(self, dtype: type = np.int64) -> None:
        self._buffer: NDArray[Any] = np.zeros(256, dtype=dtype)
        self._size = 0

    def extend(self, values: Sequence[int] | Integers) -> None:
        """Append the values of the next codes."""
        size = self._size + len(values)
        if size > len(self._buffer):
            self._buffer = np.concatenate([self._buffer, np.zeros(size, dtype=self._buffer.dtype)])
        self._buffer[self._size : size] = values
        self._size = size

    @property
    def value(self) -> NDArray[Any]:
        """The values of all codes."""
        return self._buffer[: self._size]


class AppendArray:
    """A value for each code, appended one at a time.

    >>> column = AppendArray()
    >>> column.add(7), column.add(8), column.value.tolist()
    (None, None, [7, 8])
    """

    def __init__(self, dtype: type = np.int64) -> None:
        self._array = GrowingArray(dtype)
        self._pending: list[int] = []
        self.add = self._pending.append
        """Append the value of the next code."""

    @property
    def value(self) -> NDArray[Any]:
        """The values of all codes."""
        if self._pending:
            self._array.extend(self._pending)
            self._pending.clear()
        return self._array.value


class RaggedLists:
    """A list of integers for each code.

    >>> lists = RaggedLists()
    >>> lists.extend(np.array([7, 8, 9]), np.array([2, 0, 1]))
    >>> lists.concatenate(np.array([2, 0])).tolist(), lists.lengths(np.array([2, 0])).tolist()
    ([9, 7, 8], [1, 2])
    """

    def __init__(self) -> None:
        self._starts, self._lengths, self._flat = GrowingArray(), GrowingArray(), GrowingArray()

    def __len__(self) -> int:
        return len(self._lengths.value)

    def extend(self, flat: Integers, lengths: Integers) -> None:
        """Append the lists of the next codes, concatenated in `flat`."""
        self._starts.extend(np.cumsum(lengths) - lengths + len(self._flat.value))
        self._lengths.extend(lengths)
        self._flat.extend(flat)

    def concatenate(self, codes: Integers) -> Integers:
        """Concatenate the lists of the codes."""
        starts, lengths = self._starts.value.take(codes), self.lengths(codes)
        consecutive = len(codes) > 0 and codes[-1] - codes[0] == len(codes) - 1 and np.all(np.diff(codes) == 1)
        if consecutive:
            return self._flat.value[starts[0] : starts[-1] + lengths[-1]]
        return self._flat.value.take(expand_ranges(starts, lengths))

    def lengths(self, codes: Integers | slice) -> Integers:
        """The lengths of the lists of the codes."""
        return self._lengths.value[codes]


class LazyLookup:
    """A non-negative integer for each code, computed when the code is first looked up.

    >>> squares = LazyLookup(lambda codes: [code * code for code in codes])
    >>> squares.look_up(np.array([3, 2, 3])).tolist()
    [9, 4, 9]
    """

    def __init__(self, compute: Callable[[Sequence[int]], Sequence[int] | Integers]) -> None:
        self._compute = compute
        self._values: Integers = np.full(256, -1)

    def look_up(self, codes: Integers) -> Integers:
        """Return the value of each code."""
        size = int(codes.max(initial=0)) + 1
        if size > len(self._values):
            self._values = np.concatenate([self._values, np.full(size, -1)])
        values = self._values.take(codes)
        if values.min(initial=0) >= 0:
            return values
        new_codes = np.unique(codes[values < 0])
        self._values[new_codes] = self._compute(new_codes.tolist())
        return self._values.take(codes)


def expand_ranges(starts: Integers, lengths: Integers) -> Integers:
    """Concatenate the ranges start, start + 1, … of the given lengths.

    >>> expand_ranges(np.array([5, 2]), np.array([3, 2])).tolist()
    [5, 6, 7, 2, 3]
    """
    ends = np.cumsum(lengths)
    positions = np.repeat(starts - ends + lengths, lengths)
    positions += np.arange(len(positions))
    return positions


def list_offsets(lengths: Integers | NDArray[np.bool_]) -> Integers:
    """Offsets of concatenated lists of these lengths: list i is at offsets[i] to offsets[i + 1]. A bool counts as a length of 0 or 1.

    >>> list_offsets(np.array([2, 0, 1])).tolist()
    [0, 2, 2, 3]
    """
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
