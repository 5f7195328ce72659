"""Many sequences looked for in one long one, all at once.

>>> runs = Runs()
>>> runs.add([4, 1], 10)
>>> runs.add([4, 1, 5], 11)
>>> stream, segments = np.array([4, 1, 3, 4, 1, 5, 4, 1]), np.array([0, 0, 0, 0, 0, 0, 0, 1])
>>> [(at.tolist(), which.tolist()) for at, which in runs.found(stream, segments)]
[([0, 3], [10, 10]), ([3], [11])]
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.ragged import Integers

_PART_BITS = 32


class Runs:
    """Sequences of parts as paths from the root of a tree; parts are integers from 0."""

    def __init__(self) -> None:
        self._steps: dict[int, int] = {}
        self._names: dict[int, int] = {}
        self._known: NDArray[np.bool_] = np.zeros(1, dtype=np.bool_)
        self._tables: tuple[Integers, Integers, Integers, Integers] | None = None

    def __len__(self) -> int:
        return len(self._steps)

    def add(self, parts: Sequence[int], name: int) -> None:
        """A sequence of at least one part, and the number above 0 that it is found under."""
        state = 0
        for part in parts:
            state = self._steps.setdefault(state << _PART_BITS | part, len(self._steps) + 1)
        self._names[state] = name
        if max(parts) >= len(self._known) - 1:
            self._known = np.concatenate([self._known, np.zeros(max(parts) + 2, dtype=np.bool_)])
        self._known[list(parts)] = True
        self._tables = None

    def has(self, parts: Integers) -> NDArray[np.bool_]:
        """Which of these parts are in some sequence."""
        return self._known[np.minimum(parts, len(self._known) - 1)]

    def found(self, stream: Integers, segments: NDArray[np.integer]) -> Iterator[tuple[Integers, Integers]]:
        """Where sequences begin in a stream of parts, and which; those of equal length together. None reaches over two segments."""
        if not self._steps:
            return
        self._tables = self._tables or self._made()
        first, keys, states, names = self._tables
        state = first[np.minimum(stream, len(first) - 1)]  # the last stands for parts that no sequence begins with
        at = np.flatnonzero(state)
        state, depth = state[at], 0
        while len(at):
            name = names[state]
            ended = np.flatnonzero(name)
            if len(ended):
                yield at[ended], name[ended]
            depth += 1
            inside = np.searchsorted(at, len(stream) - depth)
            at, state = at[:inside], state[:inside]
            ahead = at + depth
            key = state << _PART_BITS | stream[ahead]
            place = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
            goes_on = np.flatnonzero((keys[place] == key) & (segments[ahead] == segments[at]))
            at, state = at[goes_on], states[place[goes_on]]

    def _made(self) -> tuple[Integers, Integers, Integers, Integers]:
        """States by the first part; steps further down by key; names by state."""
        keys = np.fromiter(self._steps.keys(), dtype=np.int64, count=len(self._steps))
        states = np.fromiter(self._steps.values(), dtype=np.int64, count=len(self._steps))
        from_root = keys < 1 << _PART_BITS
        first = np.zeros(int(keys[from_root].max()) + 2, dtype=np.int64)
        first[keys[from_root]] = states[from_root]
        names = np.zeros(len(keys) + 1, dtype=np.int64)
        names[list(self._names)] = list(self._names.values())
        order = np.argsort(keys)
        return first, keys[order], states[order], names
