"""Batches as Arrow tables, and the Arrow columns they consist of. `case` is always the position of a case in the run.

Numbers and texts become Arrow columns by their buffers: Arrow's own conversions are as fast, but load pandas where it is installed,
which takes a third of a second in every process. For the same reason, what every run does to a column uses its buffers rather than
`pyarrow.compute`, which takes 70 ms to import; so do methods of columns such as `cast`, `take` and `is_valid`.
"""

from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from itertools import repeat
from operator import is_not
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fieldwise.kernels.json_conversion import VALUE_BREAK, encode_plain_values, join_plain_values
from fieldwise.model.batch import BatchOutcome, EvaluatorOutcome
from fieldwise.model.case import Cases
from fieldwise.model.result import EncodedDetails, Labels, Results, Status
from fieldwise.model.values import MISSING
from fieldwise.store.stored_json import dump_json

ArrowColumn: TypeAlias = Any  # pyarrow has no type annotations
ArrowTable: TypeAlias = Any
GROUP_COLUMN: Final = "group"
"""Column of the cases table with the group of each case; absent if the suite names none."""
METRIC_PREFIX: Final = "m."
"""Prefix of the columns that hold metrics."""
STATUSES: Final = [status.label for status in Status]
VERDICTS: Final = ["fail", "partial", "pass"]
FAULTS: Final = ["system", "ours"]
_DTYPE_CODES: Final = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "?")
_NUMPY_DTYPES: Final = {pa.from_numpy_dtype(code): np.dtype(code) for code in _DTYPE_CODES}
_MAX_SLICES: Final = 32
_MAX_TEXT_BYTES: Final = 1 << 31
_MAX_COUNT: Final = 2.0**63


def arrow_column(values: NDArray[Any], valid: NDArray[np.bool_] | None = None) -> ArrowColumn:
    """A column of these numbers; null where `valid` is false.

    >>> arrow_column(np.array([1.5, 2.5]), np.array([True, False])).to_pylist()
    [1.5, None]
    """
    data = _pack_bits(values) if values.dtype == np.bool_ else np.ascontiguousarray(values)
    validity = None if valid is None or valid.all() else pa.py_buffer(_pack_bits(valid))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [validity, pa.py_buffer(data)])


def utf8_column(texts: Sequence[bytes], valid: NDArray[np.bool_]) -> ArrowColumn:
    """A column with these UTF-8 texts, in order, where `valid` is true, and null elsewhere."""
    return _joined_utf8_column(b"".join(texts), np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)), valid)


def _joined_utf8_column(joined_texts: bytes, lengths: NDArray[np.int64], valid: NDArray[np.bool_]) -> ArrowColumn:
    if not len(lengths):
        return pa.nulls(len(valid), type=pa.string())
    if len(joined_texts) >= _MAX_TEXT_BYTES:
        raise OverflowError("the texts of one batch take more than 2 GB; read fewer cases at a time")
    offsets = np.zeros(len(valid) + 1, dtype=np.int32)
    offsets[np.flatnonzero(valid) + 1] = lengths
    np.cumsum(offsets, out=offsets)
    null_count = len(valid) - len(lengths)
    validity = pa.py_buffer(_pack_bits(valid)) if null_count else None
    return pa.StringArray.from_buffers(len(valid), pa.py_buffer(offsets), pa.py_buffer(joined_texts), validity, null_count)


def _pack_bits(values: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.packbits(values, bitorder="little")


def numpy_array(column: ArrowColumn, missing: float | None = None) -> NDArray[Any]:
    """The numbers of a column, `missing` where it is null. PyArrow's own conversion imports pandas wherever that is installed.

    >>> numpy_array(arrow_column(np.array([1, 2]), np.array([True, False])), -1).tolist()
    [1, -1]
    """
    if not isinstance(column, pa.ChunkedArray):
        return _chunk_to_numpy(column, missing)
    chunks = [_chunk_to_numpy(chunk, missing) for chunk in column.chunks]
    return chunks[0] if len(chunks) == 1 else np.concatenate([np.zeros(0, dtype=_NUMPY_DTYPES[column.type]), *chunks])


def _chunk_to_numpy(chunk: ArrowColumn, missing: float | None) -> NDArray[Any]:
    dtype, span = _NUMPY_DTYPES[chunk.type], slice(chunk.offset, chunk.offset + len(chunk))
    validity, data = chunk.buffers()
    if data is None:
        values = np.zeros(len(chunk), dtype=dtype)
    elif dtype == np.bool_:
        values = _unpack_bits(data)[span]
    else:
        values = np.frombuffer(data, dtype=dtype, count=span.stop)[span]
    if not chunk.null_count:
        return values
    if missing is None:
        raise ValueError(f"a column of {chunk.type} has {chunk.null_count} nulls")
    return np.where(_unpack_bits(validity)[span], values, np.array(missing, dtype=dtype))


def valid_rows(column: ArrowColumn) -> NDArray[np.bool_]:
    """Whether each row of a chunked column has a value.

    >>> valid_rows(pa.chunked_array([["a", None], ["b"]])).tolist()
    [True, False, True]
    """
    return np.concatenate([np.zeros(0, dtype=np.bool_), *map(_valid_rows_of_chunk, column.chunks)])


def _valid_rows_of_chunk(chunk: ArrowColumn) -> NDArray[np.bool_]:
    validity = chunk.buffers()[0]
    if validity is None:
        return np.full(len(chunk), not chunk.null_count)
    return _unpack_bits(validity)[chunk.offset : chunk.offset + len(chunk)]


def value_lengths(column: ArrowColumn, missing: int) -> NDArray[np.int32]:
    """The bytes of each text, or the items of each list, in a chunked column; `missing` where it is null.

    >>> value_lengths(pa.chunked_array([["abc", None, ""]]), -1).tolist()
    [3, -1, 0]
    """
    lengths = [np.zeros(0, dtype=np.int32)]
    for chunk in column.chunks:
        if len(chunk):
            ends = np.frombuffer(chunk.buffers()[1], dtype=np.int32, count=len(chunk) + 1, offset=4 * chunk.offset)
            lengths.append(np.where(_valid_rows_of_chunk(chunk), np.diff(ends), np.int32(missing)))
    return np.concatenate(lengths)


def list_items(column: ArrowColumn) -> list[ArrowColumn]:
    """The items of all lists of a chunked column, by chunk. A list that is null has no items.

    >>> [items.to_pylist() for items in list_items(pa.chunked_array([[["a", "b"], None, ["c"]]]))]
    [['a', 'b', 'c']]
    """
    items: list[ArrowColumn] = []
    for chunk in column.chunks:
        if len(chunk):
            ends = np.frombuffer(chunk.buffers()[1], dtype=np.int32, count=len(chunk) + 1, offset=4 * chunk.offset)
            items.append(chunk.values[int(ends[0]) : int(ends[-1])])
    return items


def encode_names(column: ArrowColumn, names: Sequence[str]) -> NDArray[np.int8]:
    """A chunked column of text as indexes into `names`; -1 for null and for other texts.

    >>> encode_names(pa.chunked_array([["pass", "fail", None]]), ["fail"]).tolist()
    [-1, 0, -1]
    """
    encoded = [np.zeros(0, dtype=np.int8)]
    for chunk in column.chunks:
        dictionary = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        texts = dictionary.dictionary.to_pylist()
        index_of_code = np.array([*(names.index(text) if text in names else -1 for text in texts), -1], dtype=np.int8)
        encoded.append(index_of_code[numpy_array(dictionary.indices, len(texts))])
    return np.concatenate(encoded)


def select_rows(table: ArrowTable, selected: NDArray[np.bool_]) -> ArrowTable:
    """The rows of a table where `selected` is true. A few runs of rows become slices, because Arrow's filter loads `pyarrow.compute`.

    >>> select_rows(pa.table({"a": [1, 2, 3, 4]}), np.array([True, True, False, True])).column("a").to_pylist()
    [1, 2, 4]
    """
    edges = np.flatnonzero(np.diff(selected, prepend=False, append=False))
    if len(edges) > 2 * _MAX_SLICES:
        return table.filter(arrow_column(selected))
    slices = [table.slice(start, stop - start) for start, stop in edges.reshape(-1, 2).tolist()]
    return pa.concat_tables(slices) if slices else table.slice(0, 0)


def find_text(column: ArrowColumn, text: str) -> int:
    """The first row of a chunked column from `text_column` that holds a text; -1 if none does.

    >>> find_text(pa.chunked_array([["a", None], ["b", "ab"]]), "ab")
    3
    """
    characters = text.encode("utf-8", "backslashreplace")
    row_of_chunk = 0
    for chunk in column.chunks:
        rows = np.flatnonzero(value_lengths(pa.chunked_array([chunk]), -1) == len(characters))
        if len(rows) and characters:
            _, ends, data = chunk.buffers()
            starts = np.frombuffer(ends, dtype=np.int32)[chunk.offset + rows]
            stored = np.frombuffer(data, dtype=np.uint8)
            for place in reversed(range(len(characters))):  # ids differ most at their ends
                same = stored[starts + place] == characters[place]
                rows, starts = rows[same], starts[same]
        if len(rows):
            return row_of_chunk + int(rows[0])
        row_of_chunk += len(chunk)
    return -1


def _unpack_bits(buffer: Any) -> NDArray[np.bool_]:
    return np.unpackbits(np.frombuffer(buffer, dtype=np.uint8), bitorder="little").view(np.bool_)


def text_column(values: Sequence[str | None]) -> ArrowColumn:
    """A column of text; lone surrogates are written as backslash escapes."""
    valid = find_present(values, None)
    return utf8_column([value.encode("utf-8", "backslashreplace") for value in values if value is not None], valid)


def dictionary_column(codes: NDArray[Any], names: Sequence[str]) -> ArrowColumn:
    """A column of dictionary-encoded text; a code below 0 is null."""
    return pa.DictionaryArray.from_arrays(arrow_column(codes, codes >= 0), _cached_text_column(tuple(names)))


@lru_cache(maxsize=64)  # every batch of a run has nearly the same names
def _cached_text_column(names: tuple[str, ...]) -> ArrowColumn:
    return text_column(names)


def json_column(values: Sequence[Any], *, finite: bool = False) -> ArrowColumn:
    """A column of JSON text; null where a value is MISSING. `finite` as in `dump_json`."""
    return _encode_json_column(values, MISSING, finite=finite)


def json_values_column(values: Sequence[Any], valid: NDArray[np.bool_]) -> ArrowColumn:
    """A column with these values as JSON text, in order, where `valid` is true, and null elsewhere; for many short values.

    >>> json_values_column(["a", [1]], np.array([True, False, True])).to_pylist()
    ['"a"', None, '[1]']
    """
    joined = join_plain_values(values) if values else None
    if joined is None:
        texts = zip(values, encode_plain_values(values), strict=True)
        return utf8_column([dump_json(value) if text is None else text for value, text in texts], valid)
    # The lengths of the texts follow from the line breaks between them, without an object for each text.
    line_breaks = np.flatnonzero(np.frombuffer(joined, dtype=np.uint8) == ord("\n"))
    ends = np.concatenate([[1 - len(VALUE_BREAK)], line_breaks, [len(joined) + 1]])
    return _joined_utf8_column(joined.replace(VALUE_BREAK, b""), np.diff(ends) - len(VALUE_BREAK), valid)


def _nullable_json_column(values: Sequence[Any], *, finite: bool = False) -> ArrowColumn:
    """A column of JSON text; null where a value is None."""
    return _encode_json_column(values, None, finite=finite)


def _nonempty_json_column(values: Sequence[Any]) -> ArrowColumn:
    """A column of JSON text; null where a value is empty."""
    return _encode_json_column([value or None for value in values] if any(values) else [None] * len(values), None, finite=False)


def _encode_json_column(values: Sequence[Any], absent: Any, *, finite: bool) -> ArrowColumn:
    valid = find_present(values, absent)
    return utf8_column([dump_json(value, finite=finite) for value in values if value is not absent], valid)


def find_present(values: Sequence[Any], absent: Any) -> NDArray[np.bool_]:
    """Whether each value is another object than `absent`."""
    return np.fromiter(map(is_not, values, repeat(absent)), dtype=np.bool_, count=len(values))


def build_table(columns: Mapping[str, ArrowColumn], required: Set[str], metadata: Mapping[str, bytes] | None = None) -> ArrowTable:
    """A table whose `required` columns have no nulls, so that Parquet stores no validity for them."""
    fields = [pa.field(name, column.type, nullable=name not in required) for name, column in columns.items()]
    return pa.Table.from_arrays([*columns.values()], schema=pa.schema(fields, metadata=metadata))


def build_cases_table(outcome: BatchOutcome) -> ArrowTable:
    """The cases of a batch."""
    cases: Cases = outcome.cases
    n = len(cases)
    diagnostics: list[Any] = [()] * n
    for row, problems in cases.diagnostics.items():
        diagnostics[row] = [problem.to_json() for problem in problems]
    groups = {GROUP_COLUMN: text_column(cases.group)} if cases.group else {}
    return pa.table(
        {
            "case": arrow_column(np.arange(outcome.first, outcome.first + n, dtype=np.int64)),
            "id": text_column(cases.id),
            "tags": labels_column(Labels.of(cases.tags) if any(cases.tags) else _empty_labels(n)),
            "split": text_column(cases.split),
            "input": _nullable_json_column(cases.input, finite=cases.finite),
            "expected": json_column(cases.expected, finite=cases.finite),
            "actual": json_column(cases.actual, finite=cases.finite),
            "contexts": _nullable_json_column(cases.contexts, finite=cases.finite),
            "metadata": _nonempty_json_column(cases.metadata),
            "actuals": _nullable_json_column(cases.actuals, finite=cases.finite),
            "diagnostics": _nonempty_json_column(diagnostics),
            **groups,
        }
    )


def _empty_labels(cases: int) -> Labels:
    return Labels(np.zeros(cases + 1, dtype=np.int64), np.zeros(0, dtype=np.int32), [])


def labels_column(labels: Labels) -> ArrowColumn:
    """A column with a list of texts for each case, dictionary-encoded."""
    values = pa.DictionaryArray.from_arrays(arrow_column(labels.codes.astype(np.int32)), _cached_text_column(tuple(labels.texts)))
    return pa.ListArray.from_arrays(arrow_column(labels.offsets.astype(np.int32)), values)


def _labels_column_once(labels: Labels, built_columns: dict[int, ArrowColumn]) -> ArrowColumn:
    # Keyed by id: evaluators may share one Labels object, and the outcome keeps all of them alive while its tables are built.
    if id(labels) not in built_columns:
        built_columns[id(labels)] = labels_column(labels)
    return built_columns[id(labels)]


def build_results_table(outcome: EvaluatorOutcome, first: int, built_columns: dict[int, ArrowColumn]) -> ArrowTable:
    """One evaluator's results for a batch that begins at position `first`, with a column for each metric.

    `built_columns` collects the label columns of a batch, which evaluators may share.
    """
    results = outcome.results
    n = len(results)
    verdict = results.verdict if len(results.verdict) else np.full(n, -1, dtype=np.int8)
    columns: dict[str, Any] = {
        "case": arrow_column(outcome.rows + first),
        "score": arrow_column(results.score),
        "verdict": dictionary_column(verdict, VERDICTS),
        "status": dictionary_column(results.status.astype(np.int8), STATUSES),
        "fault": dictionary_column(_fault_codes(results), FAULTS),
        "reasoning": text_column(results.reasoning),
        "hits": _labels_column_once(results.hits, built_columns),
        "misses": _labels_column_once(results.misses, built_columns),
        "flags": labels_column(_empty_labels(n) if results.flags is None else results.flags),
        "details": utf8_column(_encode_details(results), np.ones(n, dtype=np.bool_)),
    }
    for name, column in results.metrics.items():
        columns[f"{METRIC_PREFIX}{name}"] = _metric_column(column, results.kinds.get(name))
    return pa.table(columns)


def _fault_codes(results: Results) -> NDArray[np.int8]:
    """The origin of each error as an index into FAULTS; -1 for results that are not errors."""
    codes = np.full(len(results), -1, dtype=np.int8)
    for row in np.flatnonzero(results.status == Status.ERROR).tolist():
        codes[row] = FAULTS.index("system" if results.details(row).get("fault") == "system" else "ours")
    return codes


def _encode_details(results: Results) -> list[bytes]:
    """The details of each case as JSON text. They are built and freed one by one, because they are many small objects."""
    texts: Sequence[bytes | None] = results.details.texts() if isinstance(results.details, EncodedDetails) else [None] * len(results)
    return [dump_json(results.details(row)) if text is None else text for row, text in enumerate(texts)]


def _metric_column(column: NDArray[Any], kind: type | None) -> ArrowColumn:
    """A metric's column; NaN, which means that a case has no such number, becomes null. Counts are stored as integers."""
    valid = ~np.isnan(column)
    if kind is bool:
        return arrow_column(column != 0, valid)
    numbers = column[valid]
    is_count = (np.trunc(numbers) == numbers) & (numbers >= -_MAX_COUNT) & (numbers < _MAX_COUNT)
    if kind is int and is_count.all():  # a plug-in may declare a count that is not an integer
        return arrow_column(np.where(valid, column, 0).astype(np.int64), valid)
    return arrow_column(column, valid)


def build_pool_table(outcome: EvaluatorOutcome, first: int) -> ArrowTable:
    """One evaluator's data for metrics of the whole dataset."""
    pool = outcome.results.pool
    case = outcome.rows[np.asarray(pool["case"], dtype=np.int64)] + first
    return pa.table({name: pa.array(column) for name, column in pool.items()} | {"case": pa.array(case)})


def encode_parquet(table: ArrowTable) -> bytes:
    """The content of a Parquet file with this table."""
    import pyarrow.parquet as pq

    out = pa.BufferOutputStream()
    pq.write_table(table, out, compression="zstd")
    return out.getvalue().to_pybytes()


def concat_tables(tables: Sequence[ArrowTable]) -> ArrowTable:
    """Tables one below the other. A column that is bool or integer in some and another number type in others becomes float64."""
    if all(table.schema.equals(tables[0].schema) for table in tables[1:]):
        return pa.concat_tables(tables)
    names = {name for table in tables for name in table.column_names}
    mixed = {name for name in names if len({_column_type(table, name) for table in tables} & _NUMBER_TYPES) > 1}
    return pa.concat_tables([_cast_to_float(table, mixed) for table in tables], promote_options="permissive")


def _column_type(table: ArrowTable, name: str) -> Any:
    return table.schema.field(name).type if name in table.column_names else None


_NUMBER_TYPES: Final = {pa.bool_(), pa.int64(), pa.float64()}


def _cast_to_float(table: ArrowTable, names: set[str]) -> ArrowTable:
    for name in names & {*table.column_names}:
        index = table.column_names.index(name)
        column = table.column(index)
        numbers = column.cast(pa.int8()) if pa.types.is_boolean(column.type) else column  # Arrow cannot cast bool to float64
        table = table.set_column(index, name, numbers.cast(pa.float64()))
    return table
