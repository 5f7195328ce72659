"""Parquet, one row group after the other. What JSON has no word for becomes the nearest thing it has."""

import io
from collections.abc import Iterator
from typing import Any, BinaryIO, Final
from unicodedata import is_normalized

from fieldwise.kernels.json_scalars import as_json_value
from fieldwise.kernels.text_keys import text_keys
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.read.files import Unreadable
from fieldwise.read.rows import HEAVY, Rows


def read_parquet(stream: BinaryIO, file: str, chunk: int, groups: range | None = None, number: int = 0) -> Iterator[Rows]:
    """Rows of at most `chunk` records, of all row groups or of some; `number` rows stand before those."""
    import pyarrow as pa  # heavy: only who reads Parquet pays for it

    try:
        yield from _batches(stream, file, chunk, groups, number)
    except pa.ArrowException as error:
        reason = str(error).split("\n", 1)[0]
        where = Where(file=file)
        raise Unreadable(Diagnostic(code="unreadable-file", what=f"the file is not whole Parquet: {reason}", where=where)) from error


def _batches(stream: BinaryIO, file: str, chunk: int, groups: range | None, number: int) -> Iterator[Rows]:
    import pyarrow.parquet as pq

    plain = isinstance(stream, io.BufferedReader) and stream.seekable()
    source = stream if plain else io.BytesIO(stream.read())  # Parquet is read from its end, which no compressed stream allows
    parquet = pq.ParquetFile(source)
    for batch, heavy in _in_groups(parquet, range(parquet.num_row_groups) if groups is None else groups, chunk):
        batch = _in_microseconds(batch)
        values: list[Any] = batch.to_pylist()
        if any(_needs_change(kind) for kind in batch.schema.types):
            values = [_as_json(value) for value in values]
        if not is_normalized("NFC", str(batch.schema)):
            values = text_keys(values)
        numbers = list(range(number + 1, number + len(values) + 1))
        number += len(values)
        yield Rows(values=values, numbers=numbers, files=[file] * len(values), numbering="item", heavy=heavy)


def _in_groups(parquet: Any, groups: range, chunk: int) -> Iterator[tuple[Any, bool]]:
    """Batches group by group, as all groups at once would all be kept; and whether heavy rows make them smaller than asked for."""
    for number in groups:
        group = parquet.metadata.row_group(number)
        fitting = HEAVY * group.num_rows // max(group.total_byte_size, 1)
        for batch in parquet.iter_batches(max(1, min(chunk, fitting)), row_groups=[number]):
            yield batch, fitting < chunk


_PLAIN: Final = ("bool", "int", "uint", "float", "double", "string", "large_string", "null", "halffloat")


def _needs_change(kind: Any) -> bool:
    """Whether a column of this type holds anything but JSON values."""
    import pyarrow as pa

    if pa.types.is_struct(kind):
        return any(_needs_change(kind.field(at).type) for at in range(kind.num_fields))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return _needs_change(kind.value_type)
    if pa.types.is_dictionary(kind):
        return _needs_change(kind.value_type)
    return not str(kind).rstrip("0123456789").startswith(_PLAIN)


def _in_microseconds(batch: Any) -> Any:
    """Nanoseconds cut to microseconds: Python has no finer clock."""
    import pyarrow as pa

    fields = [field.with_type(_coarse(field.type)) for field in batch.schema]
    schema = pa.schema(fields)
    if schema.equals(batch.schema):
        return batch
    return pa.table([column.cast(field.type, safe=False) for column, field in zip(batch.columns, fields, strict=True)], schema=schema)


def _coarse(kind: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        return pa.timestamp("us", kind.tz)
    if pa.types.is_duration(kind) and kind.unit == "ns":
        return pa.duration("us")
    if pa.types.is_time64(kind) and kind.unit == "ns":
        return pa.time64("us")
    if pa.types.is_struct(kind):
        return pa.struct([kind.field(at).with_type(_coarse(kind.field(at).type)) for at in range(kind.num_fields)])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_coarse(kind.value_type)))
    return kind


def _as_json(value: Any) -> Any:
    """The value as JSON has it.

    >>> _as_json({"text": b"a", "map": [("a", b"b")]})
    {'text': 'a', 'map': {'a': 'b'}}
    """
    if isinstance(value, dict):
        return {str(key): _as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        if value and all(isinstance(item, tuple) and len(item) == 2 for item in value):  # how pyarrow gives a map
            return {str(key): _as_json(item) for key, item in value}
        return [_as_json(item) for item in value]
    return as_json_value(value)
