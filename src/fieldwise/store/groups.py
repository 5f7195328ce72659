"""The rows of a stored table about a few cases: only the row groups that hold one of them are read."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from fieldwise.model.locations import Place, seekable
from fieldwise.store.arrays import array_of, column_of

_FILES: Final = 512
"""Of so many files the description is remembered."""


Columns = Sequence[str] | Callable[[str], bool]
"""Columns by name, or which of those that there are."""


def chosen(columns: Columns | None, there: Sequence[str]) -> list[str] | None:
    """The names of these columns in a file that has those; None for all of them."""
    return [name for name in there if columns(name)] if callable(columns) else None if columns is None else list(columns)


def read_groups(opened: Any, groups: Sequence[int], columns: list[str] | None) -> Any:
    """These row groups of an open file, one at a time, which is all that Arrow does for lists of coded text.

    In this thread: several for a few megabytes cost more than they save, and the other cores are at work.
    """
    found = [opened.read_row_group(group, columns=columns, use_threads=False) for group in groups]
    return pa.concat_tables(found) if found else opened.read_row_groups([], columns=columns)


def rows_about(path: Place, cases: Sequence[int], columns: Columns | None) -> Any:
    """The rows of a file whose `case` is one of these, which must be in the file by rising case."""
    wanted = np.unique(np.asarray(cases, dtype=np.int64))
    found = path.stat()
    metadata, first, last = _described(path, found.st_size, found.st_mtime_ns)
    hit = np.searchsorted(wanted, first, side="left") < np.searchsorted(wanted, last, side="right")
    named = chosen(columns, metadata.schema.to_arrow_schema().names)
    read = None if named is None else [*named, *(() if "case" in named else ("case",))]
    with pq.ParquetFile(seekable(path), metadata=metadata, page_checksum_verification=True) as opened:
        some = read_groups(opened, np.flatnonzero(hit).tolist(), read)
    kept = some.filter(column_of(np.isin(array_of(some.column("case")), wanted)))
    return kept if named is None else kept.select(named)


@lru_cache(maxsize=_FILES)
def _described(path: Place, size: int, changed: int) -> tuple[Any, NDArray[np.int64], NDArray[np.int64]]:
    """What a file says of itself, and the first and the last case of each of its row groups."""
    del size, changed
    metadata = pq.read_metadata(seekable(path))
    at = next(place for place in range(metadata.num_columns) if metadata.schema.column(place).path == "case")
    bounds = [metadata.row_group(group).column(at).statistics for group in range(metadata.num_row_groups)]
    return metadata, np.array([one.min for one in bounds], dtype=np.int64), np.array([one.max for one in bounds], dtype=np.int64)
