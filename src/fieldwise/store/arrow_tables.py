"""Batches of results as Arrow tables. `case` is always the position of a case in the run."""

from collections.abc import Callable, Mapping, Sequence, Set
from functools import lru_cache
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fieldwise.model.batch import BatchOutcome, EvaluatorOutcome
from fieldwise.model.case import Cases
from fieldwise.model.result import Labels, Results, Status
from fieldwise.model.values import MISSING
from fieldwise.store.stored_json import dump_json

ArrowColumn: TypeAlias = Any  # pyarrow says nothing about its types
_NUMPY_DTYPES: Final = {
    pa.from_numpy_dtype(kind): np.dtype(kind) for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "?")
}


def arrow_column(values: NDArray[Any], known: NDArray[np.bool_] | None = None) -> ArrowColumn:
    """A column of these numbers; null where `known` is false.

    >>> arrow_column(np.array([1.5, 2.5]), np.array([True, False])).to_pylist()
    [1.5, None]
    """
    data = _pack_bits(values) if values.dtype == np.bool_ else np.ascontiguousarray(values)
    there = None if known is None or known.all() else pa.py_buffer(_pack_bits(known))
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
    known = pa.py_buffer(_pack_bits(where)) if nulls else None
    return pa.StringArray.from_buffers(len(where), pa.py_buffer(ends), pa.py_buffer(b"".join(values)), known, nulls)


def _pack_bits(values: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.packbits(values, bitorder="little")


def numpy_array(column: ArrowColumn, missing: float | None = None) -> NDArray[Any]:
    """The numbers of a column, `missing` where it is null.

    >>> numpy_array(arrow_column(np.array([1, 2]), np.array([True, False])), -1).tolist()
    [1, -1]
    """
    if not isinstance(column, pa.ChunkedArray):
        return _chunk_to_numpy(column, missing)
    chunks = [_chunk_to_numpy(chunk, missing) for chunk in column.chunks]
    return chunks[0] if len(chunks) == 1 else np.concatenate([np.zeros(0, dtype=_NUMPY_DTYPES[column.type]), *chunks])


def _chunk_to_numpy(chunk: ArrowColumn, missing: float | None) -> NDArray[Any]:
    kind, span = _NUMPY_DTYPES[chunk.type], slice(chunk.offset, chunk.offset + len(chunk))
    there, data = chunk.buffers()
    if data is None:
        values = np.zeros(len(chunk), dtype=kind)
    elif kind == np.bool_:
        values = _unpack_bits(data)[span]
    else:
        values = np.frombuffer(data, dtype=kind, count=span.stop)[span]
    if not chunk.null_count:
        return values
    if missing is None:
        raise ValueError(f"a column of {chunk.type} has {chunk.null_count} nulls")
    return np.where(_unpack_bits(there)[span], values, np.array(missing, dtype=kind))


def _unpack_bits(buffer: Any) -> NDArray[np.bool_]:
    return np.unpackbits(np.frombuffer(buffer, dtype=np.uint8), bitorder="little").view(np.bool_)


ArrowTable: TypeAlias = Any
METRIC_PREFIX: Final = "m."
"""What the columns of metrics begin with."""
STATUSES: Final = [status.label for status in Status]
VERDICTS: Final = ["fail", "partial", "pass"]
FAULTS: Final = ["system", "ours"]


def text_column(values: Sequence[str | None]) -> ArrowColumn:
    """A column of text; what is no valid Unicode is written with backslashes."""
    known = np.fromiter((value is not None for value in values), dtype=np.bool_, count=len(values))
    return utf8_column([value.encode("utf-8", "backslashreplace") for value in values if value is not None], known)


def dictionary_column(codes: NDArray[Any], names: Sequence[str]) -> ArrowColumn:
    """A column of dictionary-encoded text; a code below 0 is null."""
    return pa.DictionaryArray.from_arrays(arrow_column(codes, codes >= 0), _cached_text_column(tuple(names)))


@lru_cache(maxsize=64)
def _cached_text_column(names: tuple[str, ...]) -> ArrowColumn:
    """A column of names, of which every batch has nearly the same."""
    return text_column(names)


def json_column(values: Sequence[Any], *, finite: bool = False) -> ArrowColumn:
    """A column of JSON text; null where there is no value at all. `finite` as in `dump_json`."""
    return _encode_json_column(values, MISSING, finite=finite)


def _nullable_json_column(values: Sequence[Any], *, finite: bool = False) -> ArrowColumn:
    """As `json_column`, where None says that there is no value."""
    return _encode_json_column(values, None, finite=finite)


def _nonempty_json_column(values: Sequence[Any]) -> ArrowColumn:
    """As `json_column`, where what is empty says that there is no value."""
    return _encode_json_column([value or None for value in values] if any(values) else [None] * len(values), None, finite=False)


def _encode_json_column(values: Sequence[Any], nothing: Any, *, finite: bool) -> ArrowColumn:
    known = np.fromiter((value is not nothing for value in values), dtype=np.bool_, count=len(values))
    return utf8_column([dump_json(value, finite=finite) for value in values if value is not nothing], known)


def build_table(columns: Mapping[str, ArrowColumn], always: Set[str], metadata: Mapping[str, bytes] | None = None) -> ArrowTable:
    """A table of which some columns always have a value: nobody has to write down where they do."""
    fields = [pa.field(name, column.type, nullable=name not in always) for name, column in columns.items()]
    return pa.Table.from_arrays([*columns.values()], schema=pa.schema(fields, metadata=metadata))


def build_cases_table(outcome: BatchOutcome) -> ArrowTable:
    """The cases themselves, so that they can be shown later."""
    cases: Cases = outcome.cases
    n = len(cases)
    problems = [[problem.to_json() for problem in cases.diagnostics.get(row, ())] for row in range(n)] if cases.diagnostics else [()] * n
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
            "diagnostics": _nonempty_json_column(problems),
        }
    )


def _empty_labels(cases: int) -> Labels:
    return Labels(np.zeros(cases + 1, dtype=np.int64), np.zeros(0, dtype=np.int32), [])


def labels_column(of: Labels) -> ArrowColumn:
    """A list of texts for each case, without looking at any text twice."""
    values = pa.DictionaryArray.from_arrays(arrow_column(of.codes.astype(np.int32)), _cached_text_column(tuple(of.texts)))
    return pa.ListArray.from_arrays(arrow_column(of.offsets.astype(np.int32)), values)


def _labels_column_once(of: Labels, shared: dict[int, ArrowColumn]) -> ArrowColumn:
    if id(of) not in shared:
        shared[id(of)] = labels_column(of)
    return shared[id(of)]


def build_results_table(evaluated: EvaluatorOutcome, first: int, shared: dict[int, ArrowColumn]) -> ArrowTable:
    """One evaluator's results for a batch, with a column for each metric. `shared` holds the columns of labels that others may have too."""
    results = evaluated.results
    n = len(results)
    details, faults = _encode_details(results)
    verdict = results.verdict if len(results.verdict) else np.full(n, -1, dtype=np.int8)
    columns: dict[str, Any] = {
        "case": arrow_column(evaluated.rows + first),
        "score": arrow_column(results.score),
        "verdict": dictionary_column(verdict, VERDICTS),
        "status": dictionary_column(results.status.astype(np.int8), STATUSES),
        "fault": dictionary_column(faults, FAULTS),
        "reasoning": text_column(results.reasoning),
        "hits": _labels_column_once(results.hits, shared),
        "misses": _labels_column_once(results.misses, shared),
        "flags": labels_column(_empty_labels(n) if results.flags is None else results.flags),
        "details": utf8_column(details, np.ones(n, dtype=np.bool_)),
    }
    columns |= {f"{METRIC_PREFIX}{name}": _metric_column(column, results.kinds.get(name)) for name, column in results.metrics.items()}
    return pa.table(columns)


def _encode_details(results: Results) -> tuple[list[bytes], NDArray[np.int8]]:
    """The details of each case as text, made and let go one by one because they are many small objects; and whose fault an error is.

    Some evaluators know a faster way to the text of most.
    """
    codes = np.full(len(results), -1, dtype=np.int8)
    for row in np.flatnonzero(results.status == Status.ERROR).tolist():
        codes[row] = FAULTS.index("system" if results.details(row).get("fault") == "system" else "ours")
    ready: Callable[[], Sequence[bytes | None]] = getattr(results.details, "texts", lambda: [None] * len(results))
    return [dump_json(results.details(row)) if text is None else text for row, text in enumerate(ready())], codes


_METRIC_TYPES: Final[Mapping[type | None, Any]] = {int: pa.int64(), bool: pa.bool_()}


def _metric_column(column: NDArray[Any], kind: type | None) -> ArrowColumn:
    """A metric's column; NaN, which says that a case has no such number, becomes null. Counts are stored as whole numbers."""
    numbers = arrow_column(column) if column.dtype == np.bool_ else arrow_column(column, ~np.isnan(column))
    plain = _METRIC_TYPES.get(kind)
    try:
        return numbers if plain is None else numbers.cast(plain)
    except pa.ArrowInvalid:  # a count of an evaluator of someone else's that is none
        return numbers


def build_pool_table(evaluated: EvaluatorOutcome, first: int) -> ArrowTable:
    """What one evaluator keeps of a batch for metrics of the whole dataset."""
    pool = evaluated.results.pool
    case = evaluated.rows[np.asarray(pool["case"], dtype=np.int64)] + first
    return pa.table({name: pa.array(column) for name, column in pool.items()} | {"case": pa.array(case)})


def encode_parquet(table: ArrowTable) -> bytes:
    """A table as the content of a Parquet file."""
    import pyarrow.parquet as pq

    out = pa.BufferOutputStream()
    pq.write_table(table, out, compression="zstd")
    return out.getvalue().to_pybytes()


def concat_tables(tables: Sequence[ArrowTable]) -> ArrowTable:
    """Tables one below the other. A column that is bool or a count in some and another number in others is a number."""
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
        at = table.column_names.index(name)
        column = table.column(at)
        whole = column.cast(pa.int8()) if pa.types.is_boolean(column.type) else column
        table = table.set_column(at, name, whole.cast(pa.float64()))
    return table
