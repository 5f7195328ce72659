"""Detection of duplicate ids, at eight bytes per case and the text of the first ones."""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from fieldwise.kernels.text_hash import hash_each
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.numpy_on_use import np
from fieldwise.read.rows import RowBatch

MAX_REPORTED: Final = 20
"""Maximum number of diagnostics of one kind to list one by one."""

DUPLICATE_ID: Final = "duplicate-id"
"""Code of the errors for repeated ids."""
_FEW: Final = 10_000
"""Number of ids up to which a set finds duplicates, without NumPy."""
_MAX_NAMED: Final = 1_000
"""Number of ids whose text is kept, to name them in messages."""
_SEPARATOR: Final = "\0"
_MAX_SHOWN: Final = 80
"""Number of characters that are kept of an id."""

_DUPLICATE_FIX: Final = "give each case its own id, or name the columns that identify it together, such as columns: {id: [doc, line]}"


class IdsSeen:
    """The ids seen so far: a hash of every id, and the location of rows only where the numbering jumps.

    A stored location (file, number) holds for the position in `_starts`; rows after it are numbered consecutively up to the next start.
    """

    def __init__(self) -> None:
        self._hashes = array("Q")
        self._starts: list[int] = []
        self._locations: list[tuple[str, int, bool]] = []
        """File, number, and whether the number is a line."""
        self._texts: list[tuple[int, str]] = []
        """The first ids themselves: the position of the first one of a batch, and the ids of that batch as one text, which takes the least
        memory."""

    def add(self, ids: Sequence[str], rows: RowBatch) -> None:
        """Add the ids of these rows."""
        first = len(self._hashes)
        self._hashes.extend(hash_each(ids))
        if first < _MAX_NAMED:
            text = _SEPARATOR.join([id if len(id) <= _MAX_SHOWN else f"{id[:_MAX_SHOWN]}…" for id in ids])
            if text.count(_SEPARATOR) == len(ids) - 1:  # no id has the separator in it
                self._texts.append((first, text))
        is_line = rows.numbering == "line"
        numbers, files = rows.numbers, rows.files
        if not numbers:
            return
        continues = bool(self._locations) and self._extrapolate(first) == (files[0], numbers[0])
        if continues and files[0] is files[-1] and numbers[-1] - numbers[0] == len(numbers) - 1:
            return
        for row, (file, number) in enumerate(zip(files, numbers, strict=True)):
            if not self._locations or self._extrapolate(first + row) != (file, number):
                self._starts.append(first + row)
                self._locations.append((file, number, is_line))

    def merge(self, later: "IdsSeen") -> None:
        """Add the ids of rows that come after these."""
        before = len(self._hashes)
        self._hashes.extend(later._hashes)
        self._starts += [before + start for start in later._starts]
        self._locations += later._locations
        self._texts += [(before + start, ids) for start, ids in later._texts if before + start < _MAX_NAMED]

    def _extrapolate(self, position: int) -> tuple[str, int]:
        """File and number at a position, if the numbering continues from the last stored location."""
        file, number, _ = self._locations[-1]
        return file, number + position - self._starts[-1]

    def _locate(self, position: int) -> tuple[Where, str]:
        """Location of the row at a position, and a phrase for it."""
        index = bisect_right(self._starts, position) - 1
        file, number, is_line = self._locations[index]
        number += position - self._starts[index]
        return Where(file=file, line=number if is_line else None), f"line {number}" if is_line else f"case {number}"

    def _find_text(self, position: int) -> str | None:
        """The id at a position; None if it was not kept."""
        index = bisect_right(self._texts, position, key=lambda entry: entry[0]) - 1
        if index < 0:
            return None
        start, text = self._texts[index]
        ids = text.split(_SEPARATOR)
        return ids[position - start] if position - start < len(ids) else None

    def contains(self, ids: Sequence[str]) -> list[bool]:
        """Whether each of these ids was seen."""
        if not self._hashes:
            return [False] * len(ids)
        return np.isin(np.array(hash_each(ids), np.uint64), np.frombuffer(self._hashes, np.uint64)).tolist()

    def report_duplicates(self) -> list[Diagnostic]:
        """One error for each repeated id, up to MAX_REPORTED, and the number of further ones."""
        if len(self._hashes) < _FEW and len(set(self._hashes)) == len(self._hashes):
            return []
        hashes = np.frombuffer(self._hashes, np.uint64)
        ordered = np.sort(hashes)
        repeated = ordered[1:][ordered[1:] == ordered[:-1]]
        if not len(repeated):
            return []
        first_position: dict[int, int] = {}
        duplicates: list[tuple[int, int]] = []
        for position in np.flatnonzero(np.isin(hashes, repeated)).tolist():
            first = first_position.setdefault(int(hashes[position]), position)
            if first != position:
                duplicates.append((first, position))
        diagnostics = [self._describe_duplicate(first, again) for first, again in duplicates[:MAX_REPORTED]]
        more = len(duplicates) - MAX_REPORTED
        if more > 0:
            what = f"{more} more cases have the id of an earlier one"
            diagnostics.append(Diagnostic(code=DUPLICATE_ID, what=what, fix=_DUPLICATE_FIX))
        return diagnostics

    def _describe_duplicate(self, first: int, again: int) -> Diagnostic:
        where, name = self._locate(again)
        first_where, first_name = self._locate(first)
        place = first_name if first_where.file == where.file else f"{first_name} of {first_where.file}"
        text = self._find_text(first) or self._find_text(again)
        id_text = "" if text is None else f": `{text}`"
        what = f"{name} has the same id as {place}{id_text}"
        return Diagnostic(code=DUPLICATE_ID, what=what, where=where, fix=_DUPLICATE_FIX)
