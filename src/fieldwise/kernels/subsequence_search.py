"""Many sequences looked for in one long one, all at once.

>>> runs = Runs()
>>> runs.add([4, 1], 10)
>>> runs.add([4, 1, 5], 11)
>>> [(at.tolist(), which.tolist()) for at, which in runs.found(np.array([4, 1, 3, 4, 1, 5, 4, 0, 1, 0]))]
[([0, 3], [10, 10]), ([3], [11])]
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from fieldwise.kernels.hash_lookup import Numbered
from fieldwise.kernels.ragged import Integers

_PART_BITS: Final = 32


class Runs:
    """Sequences of parts as paths from the root of a tree; parts are integers from 1."""

    def __init__(self) -> None:
        self._steps = Numbered()
        self._names: Integers = np.zeros(256, dtype=np.int64)
        """By state, 0 for one that no sequence ends in."""
        self._first: Integers = np.zeros(256, dtype=np.int64)
        """The state after one part, 0 if no sequence begins with it."""

    def add(self, parts: Sequence[int], name: int) -> None:
        """A sequence of at least one part, and the number above 0 that it is found under."""
        state = 0
        for part in parts:
            state = self._steps[state << _PART_BITS | part]
        self._names = _with_room(self._names, state)
        self._names[state] = name
        self._first = _with_room(self._first, parts[0])
        self._first[parts[0]] = self._steps[parts[0]]

    def found(self, stream: Integers) -> Iterator[tuple[Integers, Integers]]:
        """Where sequences begin in a stream of parts, and which; those of equal length together. The last part must be one
        that is in no sequence."""
        state = self._first.take(stream, mode="clip")  # the last stands for parts that no sequence begins with
        at = np.flatnonzero(state != 0)
        state, depth = state.take(at), 0
        names = _with_room(self._names, len(self._steps))
        while len(at):
            name = names.take(state)
            ended = np.flatnonzero(name != 0)
            if len(ended):
                yield at.take(ended), name.take(ended)
            depth += 1
            state = self._steps.find(state << _PART_BITS | stream.take(at + depth))
            goes_on = np.flatnonzero(state != 0)
            at, state = at.take(goes_on), state.take(goes_on)


def _with_room(values: Integers, last: int) -> Integers:
    """The same with zeros at the end, up to a position and one more."""
    return values if last + 1 < len(values) else np.concatenate([values, np.zeros(last + 2, dtype=np.int64)])
