"""Batches of rows as they are in a file, before columns have roles."""

from collections.abc import Iterable, Iterator
from dataclasses import field
from itertools import chain
from typing import Any, Final, Literal

from fieldwise.dataclass import dataclass
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.read.json_text import JsonProblem

Numbering = Literal["line", "item", "file"]
MAX_BATCH_BYTES: Final = 8 << 20
"""Approximate number of bytes of data to hold as one batch of rows; the decoded values take several times that."""


@dataclass(slots=True, kw_only=True)
class RowBatch:
    """A batch of rows in columns: position i of every list is row i."""

    values: list[dict[str, Any]]
    """An empty object for a row that could not be read."""
    numbers: list[int]
    """Line of the row, or its position in a list."""
    files: list[str]
    ordinals: list[int] = field(default_factory=list)
    """Position of the row in its file, counted from 1, where that is not its number; empty where it is."""
    numbering: Numbering = "line"
    """What the numbers count; `file` if a whole file is one row."""
    problems: dict[int, list[JsonProblem]] = field(default_factory=dict)
    """By row. A problem of level error without steps concerns the row as a whole."""
    repeatable: set[int] = field(default_factory=set)
    """The rows in which an importer could not tell a single value from a list of one: `ImportedRecord.repeatable`."""
    is_text_only: bool = False
    """Whether every value is text, as in CSV."""
    several_files: bool = False
    """Whether the input has several files, so that numbers alone do not identify rows."""
    finite: bool = False
    """Whether all of it is strict JSON, which has no NaN and no infinite number."""
    mentions_value: bool = True
    """False if no key and no text of these rows contains `value`."""
    heavy: bool = False
    """Whether it reached MAX_BATCH_BYTES, however few rows it has."""
    notes: tuple[Diagnostic, ...] = ()
    """What was recognized in the file of the rows."""

    def __len__(self) -> int:
        return len(self.values)

    def slice(self, start: int, stop: int) -> "RowBatch":
        """The rows between two positions."""
        return RowBatch(
            values=self.values[start:stop],
            numbers=self.numbers[start:stop],
            files=self.files[start:stop],
            ordinals=self.ordinals[start:stop],
            numbering=self.numbering,
            problems={row - start: problems for row, problems in self.problems.items() if start <= row < stop},
            repeatable={row - start for row in self.repeatable if start <= row < stop},
            is_text_only=self.is_text_only,
            several_files=self.several_files,
            finite=self.finite,
            mentions_value=self.mentions_value,
        )

    def extend(self, more: "RowBatch") -> None:
        """Append rows."""
        self.problems.update({row + len(self): problems for row, problems in more.problems.items()})
        self.repeatable.update(row + len(self) for row in more.repeatable)
        self.values += more.values
        self.numbers += more.numbers
        self.files += more.files
        self.ordinals += more.ordinals
        self.finite &= more.finite
        self.mentions_value |= more.mentions_value


def rechunk_rows(stream: Iterable[RowBatch], size: int) -> Iterator[RowBatch]:
    """The same rows in batches of `size`, or fewer where rows are heavy; rows with different numbering are never mixed."""
    pending: RowBatch | None = None
    for rows in stream:
        if pending is not None and (pending.numbering, pending.is_text_only) == (rows.numbering, rows.is_text_only):
            pending.extend(rows)
        else:
            if pending is not None:
                yield pending
            pending = rows
        start = 0
        while len(pending) - start >= size:
            yield pending if len(pending) == size else pending.slice(start, start + size)
            start += size
        pending = pending.slice(start, len(pending)) if start < len(pending) else None
        if pending is not None and rows.heavy:
            yield pending
            pending = None
    if pending is not None:
        yield pending


def peek_rows(stream: Iterator[RowBatch], count: int) -> tuple[list[dict[str, Any]], Iterator[RowBatch]]:
    """The first `count` rows, or all if there are fewer, whatever the size of a batch; and the stream from its start."""
    batches: list[RowBatch] = []
    values: list[dict[str, Any]] = []
    while len(values) < count:
        batch = next(stream, None)
        if batch is None:
            break
        batches.append(batch)
        values += batch.values
    return values[:count], chain(batches, stream)


def limit_rows(stream: Iterable[RowBatch], limit: int | None) -> Iterator[RowBatch]:
    """The first `limit` rows; all rows if it is None."""
    if limit is None:
        yield from stream
        return
    left = limit
    for rows in stream:
        if left > 0:
            yield rows if len(rows) <= left else rows.slice(0, left)
            left -= len(rows)
        if left <= 0:
            return
