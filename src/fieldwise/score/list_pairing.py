"""Pairings of two lists: by index, by key, and of equal items in linear time."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

from fieldwise.dataclass import dataclass

Pairing = list[tuple[int, int]]
"""Positions in the expected and the actual list; -1 where an item has no counterpart."""


@dataclass(slots=True)
class PartialPairing:
    """The pairs of one list so far, and the positions that are still unpaired."""

    pairs: Pairing
    unpaired_expected: list[int]
    unpaired_actual: list[int]

    def add_pairs(self, pairs: Pairing) -> None:
        """Move items to the pairs, by their positions in the two lists."""
        self.pairs += pairs
        paired_expected, paired_actual = {left for left, _ in pairs}, {right for _, right in pairs}
        self.unpaired_expected = [row for row in self.unpaired_expected if row not in paired_expected]
        self.unpaired_actual = [row for row in self.unpaired_actual if row not in paired_actual]

    def complete(self) -> Pairing:
        """Expected items in their order, paired or not, then the unpaired actual ones."""
        if not self.unpaired_expected and not self.unpaired_actual:
            return sorted(self.pairs)
        expected_order = sorted([*self.pairs, *((row, -1) for row in self.unpaired_expected)])
        return expected_order + [(-1, row) for row in self.unpaired_actual]


def pair_by_index(expected: int, actual: int) -> Pairing:
    """Pair the items at equal positions of two lists of these lengths."""
    both = min(expected, actual)
    pairs = [(row, row) for row in range(both)]
    return pairs + [(row, -1) for row in range(both, expected)] + [(-1, row) for row in range(both, actual)]


def pair_by_key(expected: Sequence[Any], actual: Sequence[Any]) -> Pairing:
    """Pair items with equal keys, in order where a key occurs more than once; the others stay unpaired."""
    return pair_equal(expected, actual).complete()


def pair_equal(expected: Sequence[Any], actual: Sequence[Any]) -> PartialPairing:
    """Pair equal keys, those at the same position first.

    >>> pair_equal(["a", "b", "c"], ["b", "a", "x"])
    PartialPairing(pairs=[(0, 1), (1, 0)], unpaired_expected=[2], unpaired_actual=[2])
    """
    row_of_key = {key: row for row, key in enumerate(actual)}
    if len(row_of_key) < len(actual):
        return _pair_repeated(expected, actual)
    pairs: Pairing = []
    unpaired_expected: list[int] = []
    for row, key in enumerate(expected):
        counterpart = row_of_key.pop(key, -1)
        if counterpart >= 0:
            pairs.append((row, counterpart))
        else:
            unpaired_expected.append(row)
    if unpaired_expected and len(set(expected)) < len(expected):
        return _pair_repeated(expected, actual)
    return PartialPairing(pairs, unpaired_expected, list(row_of_key.values()))


def _pair_repeated(expected: Sequence[Any], actual: Sequence[Any]) -> PartialPairing:
    """Pair keys of which some occur more than once: first at equal positions, then the others in order."""
    both = min(len(expected), len(actual))
    pairs = [(row, row) for row in range(both) if expected[row] == actual[row]]
    paired_rows = {row for row, _ in pairs}
    rows_of_key: dict[Any, list[int]] = {}
    for row in range(len(actual) - 1, -1, -1):  # backwards, so that pop() gives the first row
        if row not in paired_rows:
            rows_of_key.setdefault(actual[row], []).append(row)
    unpaired_expected: list[int] = []
    for row, key in enumerate(expected):
        if row in paired_rows:
            continue
        candidates = rows_of_key.get(key)
        if candidates:
            pairs.append((row, candidates.pop()))
        else:
            unpaired_expected.append(row)
    return PartialPairing(pairs, unpaired_expected, sorted(chain.from_iterable(rows_of_key.values())))
