"""Notice ids that come twice, at eight bytes per case."""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

import numpy as np

from fieldwise.kernels.statistics import hash_texts
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.read.rows import RowBatch

MAX_REPORTED: Final = 20


class IdsSeen:
    """Keeps a hash of every id, and of places only where the numbering jumps."""

    def __init__(self) -> None:
        self._hashes = array("Q")
        self._starts: list[int] = []
        self._places: list[tuple[str, int, bool]] = []

    def add(self, ids: Sequence[str], rows: RowBatch) -> None:
        """Take note of the ids of these rows."""
        first = len(self._hashes)
        self._hashes.frombytes(hash_texts(ids).tobytes())
        lined = rows.numbering == "line"
        numbers, files = rows.numbers, rows.files
        if not numbers:
            return
        follows = bool(self._places) and self._expected(first) == (files[0], numbers[0])
        if follows and files[0] is files[-1] and numbers[-1] - numbers[0] == len(numbers) - 1:
            return
        for row, (file, number) in enumerate(zip(files, numbers, strict=True)):
            if not self._places or self._expected(first + row) != (file, number):
                self._starts.append(first + row)
                self._places.append((file, number, lined))

    def merge(self, other: "IdsSeen") -> None:
        """Take in the ids of rows that come after these."""
        before = len(self._hashes)
        self._hashes.extend(other._hashes)
        self._starts += [before + start for start in other._starts]
        self._places += other._places

    def _expected(self, position: int) -> tuple[str, int]:
        file, number, _ = self._places[-1]
        return file, number + position - self._starts[-1]

    def _place(self, position: int) -> tuple[Where, str]:
        at = bisect_right(self._starts, position) - 1
        file, number, lined = self._places[at]
        number += position - self._starts[at]
        return Where(file=file, line=number if lined else None), f"line {number}" if lined else f"case {number}"

    def contains(self, ids: Sequence[str]) -> list[bool]:
        """Whether these ids were noted."""
        if not self._hashes:
            return [False] * len(ids)
        return np.isin(hash_texts(ids), np.frombuffer(self._hashes, np.uint64)).tolist()

    def report_duplicates(self) -> list[Diagnostic]:
        """One error per id that came again, up to a number worth reading, and how many more there are."""
        known = np.frombuffer(self._hashes, np.uint64) if self._hashes else np.zeros(0, np.uint64)
        ordered = np.sort(known)
        repeated = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
        if not len(repeated):
            return []
        found: dict[int, int] = {}
        pairs: list[tuple[int, int]] = []
        for position in np.flatnonzero(np.isin(known, repeated)).tolist():
            first = found.setdefault(int(known[position]), position)
            if first != position:
                pairs.append((first, position))
        told = [self._told(first, again) for first, again in pairs[:MAX_REPORTED]]
        if len(pairs) > MAX_REPORTED:
            more = len(pairs) - MAX_REPORTED
            told.append(
                Diagnostic(code="duplicate-id", what=f"{more} more cases have the id of an earlier one", fix="give each case its own id")
            )
        return told

    def _told(self, first: int, again: int) -> Diagnostic:
        where, name = self._place(again)
        before, earlier = self._place(first)
        place = earlier if before.file == where.file else f"{earlier} of {before.file}"
        return Diagnostic(code="duplicate-id", what=f"{name} has the same id as {place}", where=where, fix="give each case its own id")
