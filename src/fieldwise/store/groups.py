"""The rows of a stored table about a few cases: only the row groups that hold one of them are read."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from fieldwise.read.places import Place, seekable

_FILES: Final = 512
"""Of so many files the description is remembered."""


def rows_about(path: Place, cases: Sequence[int], columns: Sequence[str] | None) -> Any:
    """The rows of a file whose `case` is one of these, which must be in the file by rising case."""
    wanted = np.unique(np.asarray(cases, dtype=np.int64))
    found = path.stat()
    metadata, first, last = _described(path, found.st_size, found.st_mtime_ns)
    hit = np.searchsorted(wanted, first, side="left") < np.searchsorted(wanted, last, side="right")
    read = None if columns is None else [*columns, *(() if "case" in columns else ("case",))]
    with pq.ParquetFile(seekable(path), metadata=metadata, page_checksum_verification=True) as opened:
        some = opened.read_row_groups(np.flatnonzero(hit).tolist(), columns=read, use_threads=False)
    kept = some.filter(pa.array(np.isin(some.column("case").to_numpy(), wanted)))
    return kept if columns is None else kept.select(list(columns))


@lru_cache(maxsize=_FILES)
def _described(path: Place, size: int, changed: int) -> tuple[Any, NDArray[np.int64], NDArray[np.int64]]:
    """What a file says of itself, and the first and the last case of each of its row groups."""
    del size, changed
    metadata = pq.read_metadata(seekable(path))
    at = next(place for place in range(metadata.num_columns) if metadata.schema.column(place).path == "case")
    bounds = [metadata.row_group(group).column(at).statistics for group in range(metadata.num_row_groups)]
    return metadata, np.array([one.min for one in bounds], dtype=np.int64), np.array([one.max for one in bounds], dtype=np.int64)
