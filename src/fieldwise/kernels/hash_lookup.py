"""Hash tables that answer for a whole array at once.

>>> firsts(np.array([7, 9, 7, 7, 9])).tolist()
[0, 1, 0, 0, 1]
>>> table = Table(1)
>>> table.add(np.array([[70], [90]], dtype=np.uint64), np.array([1, 2]))
>>> table.find(np.array([[90], [80], [70]], dtype=np.uint64)).tolist()
[2, 0, 1]
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.ragged import Integers

Words = NDArray[np.uint64]
"""In two dimensions a key is a row of one word or two."""
_FACTORS: Final = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0xD6E8FEB86659FD93))
"""Odd, and with their bits well mixed."""
_ROOM: Final = 8
"""So many slots for each key."""
_MOST_BITS: Final = 24
"""A table for one use takes no more than 64 MB, also for a text of many megabytes."""


def firsts(keys: Integers, turn: int = 0) -> Integers:
    """For each position the first one that has the same key."""
    if turn == len(_FACTORS):
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        return first[which]
    bits = min((len(keys) * _ROOM).bit_length(), _MOST_BITS)
    slots = _slots(keys.view(np.uint64), bits, turn)
    table = np.empty(1 << bits, dtype=np.int32)  # only what was written is read
    table[slots[::-1]] = np.arange(len(keys) - 1, -1, -1, dtype=np.int32)  # the last one stays, which is the first position
    found = table.take(slots).astype(np.int64)
    others = np.flatnonzero(keys.take(found) != keys)  # two keys in one slot
    if len(others):
        found[others] = others[firsts(keys[others], turn + 1)]
    return found


def firsts_among(keys: Integers, others: Integers, turn: int = 0) -> tuple[Integers, NDArray[np.bool_]]:
    """For each position the first one that has the same key, and whether the key is among some others.

    >>> [column.tolist() for column in firsts_among(np.array([4, 5, 4]), np.array([4, 6]))]
    [[0, 1, 0], [True, False, True]]
    """
    if not (len(keys) and len(others)) or turn == len(_FACTORS):
        return firsts(keys), np.isin(keys, others)
    bits = min((len(keys) * _ROOM).bit_length(), _MOST_BITS)
    mine, theirs = (_slots(side.view(np.uint64), bits, turn) for side in (keys, others))
    table = np.empty(1 << bits, dtype=np.int32)
    table[mine[::-1]] = np.arange(len(keys) - 1, -1, -1, dtype=np.int32)
    found, there = table.take(mine).astype(np.int64), np.zeros(len(keys), dtype=np.bool_)
    at = table.take(theirs)
    hit = keys.take(at, mode="clip") == others  # where nothing was written, no key belongs, so none is equal
    there[at[hit]] = True
    without = np.flatnonzero(keys.take(found) != keys)  # their slot is another key's
    if len(without):
        table[mine.take(without)] = -2
        rivals = others[(table.take(theirs) == -2) & ~hit]
        first, there[without] = firsts_among(keys.take(without), rivals, turn + 1)
        found[without] = without.take(first)
    return found, there.take(found)


def _slots(words: Words, bits: int, turn: int = 0) -> Integers:
    """Where keys belong in a table of so many bits. Keys that meet in one turn part in another."""
    hashed = words * _FACTORS[turn]
    if turn:
        hashed ^= hashed >> np.uint64(32)
        hashed *= _FACTORS[turn]
    hashed >>= np.uint64(64 - bits)
    return hashed.view(np.int64)


def _mixed(keys: Words) -> Words:
    """One word of each key."""
    return keys[:, 0] if keys.shape[1] == 1 else keys[:, 0] + keys[:, 1] * _FACTORS[1]


class Table:
    """Numbers above 0 for keys. A key with all bits set stands for none."""

    def __init__(self, words: int) -> None:
        self._keys: Words = np.full((128, words), -1).view(np.uint64)
        """By number."""
        self._numbers: NDArray[np.int32] = np.zeros(_ROOM * len(self._keys), dtype=np.int32)
        """By slot; 0 for a free one."""

    @property
    def _bits(self) -> int:
        return len(self._numbers).bit_length() - 1

    def find(self, keys: Words) -> Integers:
        """The numbers of keys, 0 for a key that is not there."""
        slots = _slots(_mixed(keys), self._bits)
        numbers = self._numbers.take(slots).astype(np.int64)
        wrong = self._wrong(numbers, keys)
        while len(wrong):  # the slot is another key's: look in the next
            slots[wrong] = (slots[wrong] + 1) & (len(self._numbers) - 1)
            numbers[wrong] = self._numbers[slots[wrong]]
            wrong = wrong[self._wrong(numbers[wrong], keys[wrong])]
        return numbers

    def _wrong(self, numbers: Integers, keys: Words) -> Integers:
        """Where a number stands that is another key's."""
        different = self._keys.take(numbers, axis=0) != keys
        rows = np.flatnonzero(different[:, 0] if keys.shape[1] == 1 else different[:, 0] | different[:, 1])
        return rows[numbers.take(rows) > 0]

    def add(self, keys: Words, numbers: Integers) -> None:
        """Keys that are not there yet, each once, with their numbers, each once as well."""
        size = int(numbers.max(initial=0)) + 1
        if size > len(self._keys):
            more = np.full((2 * size - len(self._keys), keys.shape[1]), -1).view(np.uint64)
            self._keys = np.concatenate([self._keys, more])
            used = self._numbers[self._numbers > 0].astype(np.int64)
            self._numbers = np.zeros(1 << (_ROOM * 2 * size).bit_length(), dtype=np.int32)
            self._place(used)
        self._keys[numbers] = keys
        self._place(numbers)

    def _place(self, numbers: Integers) -> None:
        slots = _slots(_mixed(self._keys[numbers]), self._bits)
        while len(numbers):
            free = self._numbers[slots] == 0
            self._numbers[slots[free]] = numbers[free]
            left = self._numbers[slots] != numbers
            numbers, slots = numbers[left], (slots[left] + 1) & (len(self._numbers) - 1)


class Numbered(dict[int, int]):
    """Numbers from 1 for integers from 0 as they are met.

    >>> known = Numbered()
    >>> known.of(np.array([50, 60, 50])).tolist(), known.find(np.array([60, 70])).tolist()
    ([1, 2, 1], [2, 0])
    """

    def __init__(self) -> None:
        super().__init__()
        self._table = Table(1)
        self.met: list[int] = []
        """The integers in order."""
        self._held = 0
        """How many of them are in the table."""

    def __missing__(self, key: int) -> int:
        self[key] = number = len(self) + 1
        self.met.append(key)
        return number

    def find(self, keys: Integers) -> Integers:
        """Their numbers, 0 for one that was not met."""
        if self._held < len(self.met):
            new = np.array(self.met[self._held :], dtype=np.uint64)
            self._table.add(new[:, None], np.arange(self._held, len(self.met)) + 1)
            self._held = len(self.met)
        return self._table.find(keys.view(np.uint64)[:, None])

    def of(self, keys: Integers) -> Integers:
        """Their numbers; those that were not met get one."""
        numbers = self.find(keys)
        unknown = np.flatnonzero(numbers == 0)
        if len(unknown):
            numbers[unknown] = [self[key] for key in keys[unknown].tolist()]
        return numbers
