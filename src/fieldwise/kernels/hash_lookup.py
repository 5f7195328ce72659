"""Hash tables that look up a whole array at once.

>>> find_first_positions(np.array([7, 9, 7, 7, 9])).tolist()
[0, 1, 0, 0, 1]
>>> table = HashTable(1)
>>> table.add(np.array([[70], [90]], dtype=np.uint64), np.array([1, 2]))
>>> table.find(np.array([[90], [80], [70]], dtype=np.uint64)).tolist()
[2, 0, 1]
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.ragged import Integers

_Keys = NDArray[np.uint64]
"""In two dimensions a key is a row of one or two 64-bit words."""
_FACTORS: Final = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0xD6E8FEB86659FD93))
"""Multipliers of the hash functions, one for each attempt: odd, with well-mixed bits."""
_SLOTS_PER_KEY: Final = 8
_MAX_TABLE_BITS: Final = 24
"""A temporary table takes no more than 64 MB, also for a text of many megabytes."""
_TAKEN_BY_ANOTHER: Final = -2


def find_first_positions(keys: Integers, attempt: int = 0) -> Integers:
    """Return for each position the first position with the same key.

    Keys that share a slot with another key are looked up again with another hash function, finally by sorting.
    """
    if attempt == len(_FACTORS):
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        return first[which]
    bits = min((len(keys) * _SLOTS_PER_KEY).bit_length(), _MAX_TABLE_BITS)
    slots = _hash_to_slots(keys.view(np.uint64), bits, attempt)
    table = np.empty(1 << bits, dtype=np.int32)  # uninitialized: only slots that were written are read
    table[slots[::-1]] = np.arange(len(keys) - 1, -1, -1, dtype=np.int32)  # the last write wins: the first position
    firsts = table.take(slots).astype(np.int64)
    collisions = np.flatnonzero(keys.take(firsts) != keys)
    if len(collisions):
        firsts[collisions] = collisions[find_first_positions(keys[collisions], attempt + 1)]
    return firsts


def find_first_positions_among(keys: Integers, candidates: Integers, attempt: int = 0) -> tuple[Integers, NDArray[np.bool_]]:
    """Return for each position the first position with the same key, and whether the key is among the candidates.

    >>> [column.tolist() for column in find_first_positions_among(np.array([4, 5, 4]), np.array([4, 6]))]
    [[0, 1, 0], [True, False, True]]
    """
    if not (len(keys) and len(candidates)) or attempt == len(_FACTORS):
        return find_first_positions(keys), np.isin(keys, candidates)
    bits = min((len(keys) * _SLOTS_PER_KEY).bit_length(), _MAX_TABLE_BITS)
    key_slots = _hash_to_slots(keys.view(np.uint64), bits, attempt)
    candidate_slots = _hash_to_slots(candidates.view(np.uint64), bits, attempt)
    table = np.empty(1 << bits, dtype=np.int32)
    table[key_slots[::-1]] = np.arange(len(keys) - 1, -1, -1, dtype=np.int32)
    firsts, present = table.take(key_slots).astype(np.int64), np.zeros(len(keys), dtype=np.bool_)
    # A slot that was never written holds any number; clipped, it points to a key of another slot, which differs from the candidate.
    candidate_firsts = table.take(candidate_slots)
    hits = keys.take(candidate_firsts, mode="clip") == candidates
    present[candidate_firsts[hits]] = True
    collisions = np.flatnonzero(keys.take(firsts) != keys)
    if len(collisions):
        table[key_slots.take(collisions)] = _TAKEN_BY_ANOTHER
        remaining = candidates[(table.take(candidate_slots) == _TAKEN_BY_ANOTHER) & ~hits]
        first_collisions, present[collisions] = find_first_positions_among(keys.take(collisions), remaining, attempt + 1)
        firsts[collisions] = collisions.take(first_collisions)
    return firsts, present.take(firsts)


def _hash_to_slots(words: _Keys, bits: int, attempt: int = 0) -> Integers:
    """Hash words to slots of a table with 2**bits of them. Words that collide in one attempt differ in another."""
    hashed = words * _FACTORS[attempt]
    if attempt:
        hashed ^= hashed >> np.uint64(32)
        hashed *= _FACTORS[attempt]
    hashed >>= np.uint64(64 - bits)
    return hashed.view(np.int64)


def _combine_words(keys: _Keys) -> _Keys:
    """Combine the words of each key into one."""
    return keys[:, 0] if keys.shape[1] == 1 else keys[:, 0] + keys[:, 1] * _FACTORS[1]


class HashTable:
    """Positive numbers by key, with open addressing. A key with all bits set is reserved for unused entries."""

    def __init__(self, words: int) -> None:
        self._keys: _Keys = np.full((128, words), -1).view(np.uint64)
        """By number."""
        self._numbers: NDArray[np.int32] = np.zeros(_SLOTS_PER_KEY * len(self._keys), dtype=np.int32)
        """By slot; 0 for a free one."""

    @property
    def _bits(self) -> int:
        return len(self._numbers).bit_length() - 1

    def find(self, keys: _Keys) -> Integers:
        """Return the number of each key, 0 for a key that is not in the table."""
        slots = _hash_to_slots(_combine_words(keys), self._bits)
        numbers = self._numbers.take(slots).astype(np.int64)
        wrong = self._find_wrong(numbers, keys)
        while len(wrong):  # the slot holds another key: try the next slot
            slots[wrong] = (slots[wrong] + 1) & (len(self._numbers) - 1)
            numbers[wrong] = self._numbers[slots[wrong]]
            wrong = wrong[self._find_wrong(numbers[wrong], keys[wrong])]
        return numbers

    def _find_wrong(self, numbers: Integers, keys: _Keys) -> Integers:
        """Return the rows whose number belongs to another key."""
        different = self._keys.take(numbers, axis=0) != keys
        rows = np.flatnonzero(different[:, 0] if keys.shape[1] == 1 else different[:, 0] | different[:, 1])
        return rows[numbers.take(rows) > 0]

    def add(self, keys: _Keys, numbers: Integers) -> None:
        """Add distinct new keys with distinct new numbers."""
        size = int(numbers.max(initial=0)) + 1
        if size > len(self._keys):
            unused = np.full((2 * size - len(self._keys), keys.shape[1]), -1).view(np.uint64)
            self._keys = np.concatenate([self._keys, unused])
            present = self._numbers[self._numbers > 0].astype(np.int64)
            self._numbers = np.zeros(1 << (_SLOTS_PER_KEY * 2 * size).bit_length(), dtype=np.int32)
            self._insert(present)
        self._keys[numbers] = keys
        self._insert(numbers)

    def _insert(self, numbers: Integers) -> None:
        slots = _hash_to_slots(_combine_words(self._keys[numbers]), self._bits)
        while len(numbers):
            free = self._numbers[slots] == 0
            self._numbers[slots[free]] = numbers[free]
            left = self._numbers[slots] != numbers
            numbers, slots = numbers[left], (slots[left] + 1) & (len(self._numbers) - 1)


class IntegerIds(dict[int, int]):
    """Ids from 1 for non-negative integers, in order of first occurrence.

    >>> ids = IntegerIds()
    >>> ids.assign_ids(np.array([50, 60, 50])).tolist(), ids.find_ids(np.array([60, 70])).tolist()
    ([1, 2, 1], [2, 0])
    """

    def __init__(self) -> None:
        super().__init__()
        self._table = HashTable(1)
        self.keys_in_order: list[int] = []
        """The integer with id i is at position i - 1."""
        self._table_size = 0
        """How many of them are in the table; the table catches up before an array is looked up."""

    def __missing__(self, key: int) -> int:
        self[key] = new_id = len(self) + 1
        self.keys_in_order.append(key)
        return new_id

    def find_ids(self, keys: Integers) -> Integers:
        """Return the id of each key, 0 for a key that has none."""
        if self._table_size < len(self.keys_in_order):
            new_keys = np.array(self.keys_in_order[self._table_size :], dtype=np.uint64)
            self._table.add(new_keys[:, None], np.arange(self._table_size, len(self.keys_in_order)) + 1)
            self._table_size = len(self.keys_in_order)
        return self._table.find(keys.view(np.uint64)[:, None])

    def assign_ids(self, keys: Integers) -> Integers:
        """Return the id of each key; new keys get one."""
        ids = self.find_ids(keys)
        missing = np.flatnonzero(ids == 0)
        if len(missing):
            ids[missing] = [self[key] for key in keys[missing].tolist()]
        return ids
