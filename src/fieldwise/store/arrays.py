"""Numbers and texts as Arrow columns and back, by their buffers.

Arrow's own way is as fast, but loads pandas where that is installed, which takes a third of a second in every process.
"""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

ArrowColumn: TypeAlias = Any  # pyarrow says nothing about its types
_KINDS: Final = {pa.from_numpy_dtype(kind): np.dtype(kind) for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "?")}


def column_of(values: NDArray[Any], known: NDArray[np.bool_] | None = None) -> ArrowColumn:
    """A column of these numbers; null where `known` is false.

    >>> column_of(np.array([1.5, 2.5]), np.array([True, False])).to_pylist()
    [1.5, None]
    """
    data = _bits(values) if values.dtype == np.bool_ else np.ascontiguousarray(values)
    there = None if known is None or known.all() else pa.py_buffer(_bits(known))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [there, pa.py_buffer(data)])


def utf8_column(values: Sequence[bytes], where: NDArray[np.bool_]) -> ArrowColumn:
    """A column that has these texts, which are UTF-8 already, in order where `where` is true, and null elsewhere."""
    if not len(values):
        return pa.nulls(len(where), type=pa.string())
    lengths = np.fromiter(map(len, values), dtype=np.int64, count=len(values))
    if int(lengths.sum()) >= 1 << 31:
        raise OverflowError("the texts of one batch take more than 2 GB; read fewer cases at a time")
    ends = np.zeros(len(where) + 1, dtype=np.int32)
    ends[np.flatnonzero(where) + 1] = lengths
    np.cumsum(ends, out=ends)
    nulls = len(where) - len(values)
    known = pa.py_buffer(_bits(where)) if nulls else None
    return pa.StringArray.from_buffers(len(where), pa.py_buffer(ends), pa.py_buffer(b"".join(values)), known, nulls)


def _bits(values: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.packbits(values, bitorder="little")


def array_of(column: ArrowColumn, missing: float | None = None) -> NDArray[Any]:
    """The numbers of a column, `missing` where it is null.

    >>> array_of(column_of(np.array([1, 2]), np.array([True, False])), -1).tolist()
    [1, -1]
    """
    if not isinstance(column, pa.ChunkedArray):
        return _array(column, missing)
    chunks = [_array(chunk, missing) for chunk in column.chunks]
    return chunks[0] if len(chunks) == 1 else np.concatenate([np.zeros(0, dtype=_KINDS[column.type]), *chunks])


def _array(chunk: ArrowColumn, missing: float | None) -> NDArray[Any]:
    kind, span = _KINDS[chunk.type], slice(chunk.offset, chunk.offset + len(chunk))
    there, data = chunk.buffers()
    if data is None:
        values = np.zeros(len(chunk), dtype=kind)
    elif kind == np.bool_:
        values = _from_bits(data)[span]
    else:
        values = np.frombuffer(data, dtype=kind, count=span.stop)[span]
    if not chunk.null_count:
        return values
    if missing is None:
        raise ValueError(f"a column of {chunk.type} has {chunk.null_count} nulls")
    return np.where(_from_bits(there)[span], values, np.array(missing, dtype=kind))


def _from_bits(buffer: Any) -> NDArray[np.bool_]:
    return np.unpackbits(np.frombuffer(buffer, dtype=np.uint8), bitorder="little").view(np.bool_)
