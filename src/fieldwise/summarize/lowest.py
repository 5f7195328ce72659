"""The few lowest values seen, with the cases they belong to."""

from collections.abc import Iterable, Sequence
from heapq import merge

import numpy as np
from numpy.typing import NDArray


class Lowest:
    """At most `keep` cases with the lowest values; among equals the first in the run. One entry for each case."""

    __slots__ = ("entries", "keep")

    def __init__(self, keep: int) -> None:
        self.keep = keep
        self.entries: list[tuple[float, int, str]] = []
        """Value, position in the run, id; in order."""

    @property
    def bar(self) -> tuple[float, int]:
        """What a case must be below to get in."""
        return self.entries[-1][:2] if len(self.entries) == self.keep else (float("inf"), 0)

    def add(self, values: NDArray[np.float64], positions: NDArray[np.int64], ids: Sequence[str], first: int) -> None:
        """Add values with their positions in the run; `ids[position - first]` names the case."""
        value, position = self.bar
        rows = np.flatnonzero((values < value) | ((values == value) & (positions < position)))
        if len(rows):
            rows = rows[np.lexsort((positions[rows], values[rows]))]
            self._keep((float(values[row]), int(positions[row]), ids[int(positions[row]) - first]) for row in rows)

    def merge(self, other: "Lowest") -> None:
        """Take in another's entries."""
        self._keep(other.entries)

    def _keep(self, new: Iterable[tuple[float, int, str]]) -> None:
        """Keep the lowest of these and new ones, which come in order and are looked at no further than there is room."""
        kept: dict[int, tuple[float, int, str]] = {}
        for entry in merge(self.entries, new):
            kept.setdefault(entry[1], entry)
            if len(kept) == self.keep:
                break
        self.entries = list(kept.values())
