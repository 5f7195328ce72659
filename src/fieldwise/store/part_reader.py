"""Read the tables of stored parts back, as Arrow tables, cases and results."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.model.case import Case
from fieldwise.model.comparison_list import ComparisonList
from fieldwise.model.locations import Location, open_for_arrow
from fieldwise.model.result import Result
from fieldwise.model.values import Value
from fieldwise.store.arrow_tables import (
    METRIC_PREFIX,
    ArrowTable,
    arrow_column,
    concat_tables,
    find_text,
    numpy_array,
    select_rows,
)
from fieldwise.store.checksums import ChecksumMismatch, load_sealed, verify_checksum
from fieldwise.store.comparison_table import RecordLoader, decode_value, read_comparisons, read_match_names
from fieldwise.store.errors import StoreError, corrupt_file_error
from fieldwise.store.manifest import Part, PartFile, part_from_json
from fieldwise.store.stored_json import load_json

ColumnChoice = Sequence[str] | Callable[[str], bool]
"""Columns by name, or a predicate on the names of the file's columns."""
ColumnLists = Mapping[str, Sequence[Any]]
"""A table as plain lists, by column."""
_MAX_CACHED_FILES: Final = 512
_DAMAGE_ERRORS: Final = (OSError, pa.ArrowException, LookupError, ValueError, TypeError, StopIteration, OverflowError)
"""What reading a damaged Parquet file may raise, where no checksum shows the damage first."""
_CASES_PER_BLOCK: Final = 500
"""Python objects take many times the memory of a table, so cases are converted in blocks of this size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResult:
    """The result of one evaluator for one case of a run. The attributes of `result` can be read directly: `stored.score`."""

    case: str
    """The case's id."""
    evaluator: str
    """The evaluator's name."""
    result: Result
    """The result."""
    position: int = 0
    """The case's position in the run."""

    def __getattr__(self, name: str) -> Any:
        """Read an attribute of the result, such as `score`, `verdict`, `hits` or `misses`."""
        if name not in RESULT_FIELDS:
            attributes = ", ".join(["case", "evaluator", "position", "result", *sorted(RESULT_FIELDS)])
            raise AttributeError(f"a stored result has no `{name}`; it has {attributes}")
        return getattr(self.result, name)


RESULT_FIELDS: Final = frozenset(field.name for field in fields(Result))


def read_parts(folder: Location) -> tuple[Part, ...]:
    """The complete parts of a run that is not finished."""
    parts = (read_part(path) for path in sorted((folder / "parts").glob("*.json")))
    return tuple(part for part in parts if part is not None)


def read_part(path: Location) -> Part | None:
    """The part that a file describes; None if the file is corrupt, so that the part does not count as complete."""
    try:
        return part_from_json(load_sealed(path.read_bytes()))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    except FileNotFoundError:
        raise
    except OSError as error:  # the disk fails: the part may be whole
        raise corrupt_file_error(path, error) from error


def list_part_files(part: Part, table: str, evaluator: str | None = None) -> list[PartFile]:
    """The files of a part that hold this table, optionally only those of one evaluator."""
    return [file for file in part.files if file.table == table and (evaluator is None or evaluator in file.evaluators)]


def read_table(
    folder: Location, file: PartFile, *, case: int | Sequence[int] | None = None, columns: ColumnChoice | None = None
) -> ArrowTable:
    """One table of a part, or its rows of the given cases; StoreError if the file differs from what was written."""
    path = folder / "parts" / file.file
    try:
        verify_file(path, file)
        if case is not None:
            return read_case_rows(path, [case] if isinstance(case, int) else case, columns)
        with pq.ParquetFile(open_for_arrow(path), page_checksum_verification=True) as parquet:
            table = read_row_groups(parquet, range(parquet.num_row_groups), select_columns(columns, parquet.schema_arrow.names))
    except _DAMAGE_ERRORS as error:
        raise error if isinstance(error, StoreError) else corrupt_file_error(path, error) from error
    if table.num_rows != file.rows:
        raise corrupt_file_error(path, ValueError(f"it has {table.num_rows} rows, and {file.rows} were written"))
    return table


def verify_file(path: Location, file: PartFile) -> None:
    """Raise StoreError if a file does not have the size and the checksum that were written."""
    size = path.stat().st_size
    if size != file.bytes:
        raise corrupt_file_error(path, ValueError(f"it has {size} bytes, and {file.bytes} were written"))
    if file.checksum:
        try:
            verify_checksum(path, file.checksum)
        except ChecksumMismatch as error:
            raise corrupt_file_error(path, error) from error


def verify_parts(folder: Location, parts: Iterable[Part]) -> None:
    """Raise StoreError that names the first file of a part that is missing or damaged. Reads every file once."""
    for part in parts:
        for file in part.files:
            path = folder / "parts" / file.file
            try:
                verify_file(path, file)
            except OSError as error:
                raise error if isinstance(error, StoreError) else corrupt_file_error(path, error) from error


def select_columns(columns: ColumnChoice | None, available: Sequence[str]) -> list[str] | None:
    """The names of the chosen columns of a file; None for all of them."""
    if columns is None:
        return None
    return [name for name in available if columns(name)] if callable(columns) else list(columns)


def read_row_groups(parquet: Any, groups: Sequence[int], columns: list[str] | None) -> ArrowTable:
    """Read row groups of an open Parquet file.

    One group at a time, because Arrow cannot read lists of dictionary-encoded text otherwise; without threads, because for a few
    megabytes they cost more than they save, and the other cores are busy.
    """
    tables = [parquet.read_row_group(group, columns=columns, use_threads=False) for group in groups]
    return pa.concat_tables(tables) if tables else parquet.read_row_groups([], columns=columns)


def read_case_rows(path: Location, cases: Sequence[int], columns: ColumnChoice | None) -> ArrowTable:
    """The rows of a file whose `case` is one of these. The file must be sorted by case; only row groups that can match are read."""
    positions = np.unique(np.asarray(cases, dtype=np.int64))
    stat = path.stat()
    metadata, first, last = _read_file_metadata(path, stat.st_size, stat.st_mtime_ns)
    has_match = np.searchsorted(positions, first, side="left") < np.searchsorted(positions, last, side="right")
    names = select_columns(columns, metadata.schema.to_arrow_schema().names)
    names_to_read = names if names is None or "case" in names else [*names, "case"]
    with pq.ParquetFile(open_for_arrow(path), metadata=metadata, page_checksum_verification=True) as parquet:
        table = read_row_groups(parquet, np.flatnonzero(has_match).tolist(), names_to_read)
    rows = select_rows(table, np.isin(numpy_array(table.column("case")), positions))
    return rows if names is None else rows.select(names)


# `size` and `changed` are part of the key only: a part that is scored again may have the same name.
@lru_cache(maxsize=_MAX_CACHED_FILES)
def _read_file_metadata(path: Location, size: int, changed: int) -> tuple[Any, NDArray[np.int64], NDArray[np.int64]]:
    """The metadata of a Parquet file, and the first and the last case of each row group."""
    del size, changed
    metadata = pq.read_metadata(open_for_arrow(path))
    case_column = next(column for column in range(metadata.num_columns) if metadata.schema.column(column).path == "case")
    statistics = [metadata.row_group(group).column(case_column).statistics for group in range(metadata.num_row_groups)]
    first = np.array([group.min for group in statistics], dtype=np.int64)
    last = np.array([group.max for group in statistics], dtype=np.int64)
    return metadata, first, last


def find_case(folder: Location, parts: Sequence[Part], case_id: str) -> tuple[Part, int] | None:
    """The part and the position in the run of the case with this id."""
    for part in parts:
        for file in list_part_files(part, "cases"):
            table = read_table(folder, file, columns=["case", "id"])
            row = find_text(table.column("id"), case_id)
            if row >= 0:
                return part, int(numpy_array(table.column("case"))[row])
    return None


def decode_case(row: Mapping[str, Any]) -> Case:
    """The case of one row of a table of cases."""
    return Case(
        id=row["id"],
        input=_load_or_none(row["input"]),
        expected=decode_value(row["expected"]),
        actual=decode_value(row["actual"]),
        contexts=_load_or_none(row["contexts"]),
        metadata=_load_or_none(row["metadata"]) or {},
        tags=tuple(row["tags"] or ()),
        split=row["split"],
        actuals=_load_or_none(row["actuals"]),
    )


def _load_or_none(text: str | None) -> Any:
    return None if text is None else load_json(text)


def read_results(folder: Location, part: Part, evaluators: Sequence[str], position: int | Sequence[int] | None) -> Iterator[StoredResult]:
    """The results of a part, case by case, each for these evaluators in this order; optionally only of cases at given positions."""
    [file] = list_part_files(part, "cases")
    cases = read_table(folder, file, case=position, columns=["case", "id", "expected", "actual"])
    sources = [tables for name in evaluators for tables in _read_evaluator_tables(folder, part, name, position)]
    for start in range(0, cases.num_rows, _CASES_PER_BLOCK):
        rows = cases.slice(start, _CASES_PER_BLOCK).to_pydict()
        blocks = [_ResultBlock(tables, rows["case"][0], rows["case"][-1]) for tables in sources]
        for case, case_id, expected, actual in zip(rows["case"], rows["id"], rows["expected"], rows["actual"], strict=True):
            records = _LazyRecords(expected, actual)
            for block in blocks:
                result = block.result_of(case, records)
                if result is not None:
                    yield StoredResult(case=case_id, evaluator=block.evaluator, result=result, position=case)


class _LazyRecords:
    """The records of a case, decoded on first use and at most once."""

    __slots__ = ("_actual", "_expected", "_records")

    def __init__(self, expected: str | None, actual: str | None) -> None:
        self._expected, self._actual = expected, actual
        self._records: tuple[Value, Value] | None = None

    def __call__(self) -> tuple[Value, Value]:
        if self._records is None:
            self._records = decode_value(self._expected), decode_value(self._actual)
        return self._records


@dataclass(frozen=True, slots=True)
class _EvaluatorTables:
    """One evaluator's tables in one part."""

    evaluator: str
    results: ArrowTable
    comparisons: Sequence[ArrowTable]


def _read_evaluator_tables(
    folder: Location, part: Part, evaluator: str, position: int | Sequence[int] | None
) -> Iterator[_EvaluatorTables]:
    comparisons = [read_table(folder, file, case=position) for file in list_part_files(part, "comparisons", evaluator)]
    for file in list_part_files(part, "results", evaluator):
        yield _EvaluatorTables(evaluator, read_table(folder, file, case=position), comparisons)


class _RowsByCase:
    """The rows of a table for a range of cases, as plain lists."""

    __slots__ = ("_case", "columns")

    def __init__(self, table: ArrowTable, first: int, last: int) -> None:
        start, stop = np.searchsorted(numpy_array(table.column("case")), [first, last + 1]).tolist()
        rows = table.slice(start, stop - start)
        self._case: NDArray[np.int64] = numpy_array(rows.column("case"))
        self.columns: ColumnLists = rows.to_pydict()

    def rows_of(self, case: int) -> range:
        """The rows of one case."""
        start, stop = np.searchsorted(self._case, [case, case + 1]).tolist()
        return range(start, stop)


class _ResultBlock:
    """One evaluator's results for a range of cases."""

    __slots__ = ("_comparisons", "_matches", "_metrics", "_results", "evaluator")

    def __init__(self, tables: _EvaluatorTables, first: int, last: int) -> None:
        self.evaluator = tables.evaluator
        self._matches = [read_match_names(table) for table in tables.comparisons]
        self._results = _RowsByCase(tables.results, first, last)
        self._comparisons = [_RowsByCase(table, first, last) for table in tables.comparisons]
        self._metrics = [name for name in self._results.columns if name.startswith(METRIC_PREFIX)]

    def result_of(self, case: int, load_records: RecordLoader) -> Result | None:
        """The result of a case; None if the evaluator does not apply to it."""
        rows = self._results.rows_of(case)
        if not rows:
            return None
        columns, row = self._results.columns, rows[0]
        metrics = {name.removeprefix(METRIC_PREFIX): columns[name][row] for name in self._metrics}
        comparisons = ComparisonList()
        for table, matches in zip(self._comparisons, self._matches, strict=True):
            comparisons += read_comparisons(table.columns, table.rows_of(case), load_records, matches)
        return Result(
            score=columns["score"][row],
            verdict=columns["verdict"][row],
            hits=columns["hits"][row],
            misses=columns["misses"][row],
            reasoning=columns["reasoning"][row],
            status=columns["status"][row],
            metrics={name: value for name, value in metrics.items() if value is not None},
            details=load_json(columns["details"][row]),
            comparisons=comparisons,
        )


_SCORE_COLUMNS: Final = ("case", "score", "verdict", "status", "fault")


def read_scores_table(folder: Location, parts: Sequence[Part], evaluator: str) -> ArrowTable:
    """One row for each case of an evaluator: position, id, score, verdict, status and fault. No other column is read."""
    tables: list[ArrowTable] = []
    for part in parts:
        [cases_file] = list_part_files(part, "cases")
        cases = read_table(folder, cases_file, columns=["case", "id"])
        for file in list_part_files(part, "results", evaluator):
            results = read_table(folder, file, columns=list(_SCORE_COLUMNS))
            columns = {name: _decode_dictionary(results.column(name)) for name in _SCORE_COLUMNS}
            tables.append(pa.table({"id": _take_ids(cases, results), **columns}))
    if not tables:
        return pa.table({name: [] for name in ("id", *_SCORE_COLUMNS)})
    return concat_tables(tables)


def read_flat_table(folder: Location, parts: Sequence[Part], evaluators: Sequence[str]) -> ArrowTable:
    """One row for each case and evaluator: case id, evaluator, score, verdict, status, hits, misses, and every metric by its name."""
    tables: list[ArrowTable] = []
    for part in parts:
        [cases_file] = list_part_files(part, "cases")
        cases = read_table(folder, cases_file, columns=["case", "id"])
        for evaluator in evaluators:
            files = list_part_files(part, "results", evaluator)
            tables.extend(_flatten_results(read_table(folder, file), cases, evaluator) for file in files)
    if not tables:
        return pa.table({"case": pa.array([], pa.string()), "evaluator": pa.array([], pa.string()), "score": pa.array([], pa.float64())})
    return concat_tables(tables)


def _flatten_results(results: ArrowTable, cases: ArrowTable, evaluator: str) -> ArrowTable:
    evaluators = pa.array([evaluator] * results.num_rows, pa.string())
    columns: dict[str, Any] = {"case": _take_ids(cases, results), "evaluator": evaluators}
    for name in results.column_names:
        if name not in ("case", "details"):
            columns[name.removeprefix(METRIC_PREFIX)] = _decode_dictionary(results.column(name))
    return pa.table(columns)


def _take_ids(cases: ArrowTable, results: ArrowTable) -> Any:
    """The case id of each row of a table of results."""
    rows = np.searchsorted(numpy_array(cases.column("case")), numpy_array(results.column("case")))
    return cases.column("id").take(arrow_column(rows))


def _decode_dictionary(column: Any) -> Any:
    """The column as plain text or lists of text, if it is dictionary-encoded."""
    if pa.types.is_list(column.type) and pa.types.is_dictionary(column.type.value_type):
        return column.cast(pa.list_(pa.string()))
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
