"""Rows as they stand in a file, before anyone knows what their columns mean."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from fieldwise.read.json_text import JsonProblem

Numbering = Literal["line", "item", "file"]
MAX_BATCH_BYTES: Final = 8 << 20
"""About how many bytes of data are read and held as one stretch of rows; their values take several times that."""


@dataclass(slots=True, kw_only=True)
class RowBatch:
    """A stretch of rows in columns: position i of every list is row i."""

    values: list[dict[str, Any]]
    """An empty object where the row could not be read."""
    numbers: list[int]
    """The line of the row, or its position in a list."""
    files: list[str]
    numbering: Numbering = "line"
    """What the numbers count; `file` where a whole file is one row."""
    problems: dict[int, list[JsonProblem]] = field(default_factory=dict[int, list[JsonProblem]])
    """By row. A problem without steps, and with level error, concerns the row as a whole."""
    is_text_only: bool = False
    """Every value is a text, as in CSV."""
    several_files: bool = False
    """Numbers alone do not tell rows apart."""
    finite: bool = False
    """Whether all of it is strict JSON, which knows no NaN and no infinite number."""
    heavy: bool = False
    """Whether they are as much as should be held at a time, however few they are."""

    def __len__(self) -> int:
        return len(self.values)

    def slice(self, start: int, stop: int) -> "RowBatch":
        """The rows between two positions."""
        return RowBatch(
            values=self.values[start:stop],
            numbers=self.numbers[start:stop],
            files=self.files[start:stop],
            numbering=self.numbering,
            problems={row - start: found for row, found in self.problems.items() if start <= row < stop},
            is_text_only=self.is_text_only,
            several_files=self.several_files,
            finite=self.finite,
        )

    def extend(self, more: "RowBatch") -> None:
        """Add rows at the end."""
        self.problems.update({row + len(self): found for row, found in more.problems.items()})
        self.values += more.values
        self.numbers += more.numbers
        self.files += more.files
        self.finite &= more.finite


def rechunk_rows(stream: Iterable[RowBatch], size: int) -> Iterator[RowBatch]:
    """The same rows, `size` at a time, or fewer where they are heavy; rows that are numbered in different ways stay apart."""
    held: RowBatch | None = None
    for rows in stream:
        if held is not None and (held.numbering, held.is_text_only) == (rows.numbering, rows.is_text_only):
            held.extend(rows)
        else:
            if held is not None:
                yield held
            held = rows
        start = 0
        while len(held) - start >= size:
            yield held if len(held) == size else held.slice(start, start + size)
            start += size
        held = held.slice(start, len(held)) if start < len(held) else None
        if held is not None and rows.heavy:
            yield held
            held = None
    if held is not None:
        yield held


def limit_rows(stream: Iterable[RowBatch], limit: int | None) -> Iterator[RowBatch]:
    """The first `limit` rows."""
    left = limit
    for rows in stream:
        if left is None:
            yield rows
        elif left > 0:
            yield rows if len(rows) <= left else rows.slice(0, left)
            left -= len(rows)
        if left is not None and left <= 0:
            return
