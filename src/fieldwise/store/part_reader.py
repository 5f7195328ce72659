"""Parts of a stored run, read back as cases and results."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq
from numpy.typing import NDArray

from fieldwise.model.case import Case
from fieldwise.model.locations import Location, open_for_arrow
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING, Value
from fieldwise.store.arrow_tables import METRIC_PREFIX, ArrowTable, arrow_column, concat_tables, numpy_array, text_column
from fieldwise.store.comparison_table import RecordLoader, read_comparisons
from fieldwise.store.errors import StoreError, corrupt_file_error
from fieldwise.store.manifest import Part, PartFile, part_from_json
from fieldwise.store.stored_json import load_json

_MAX_CACHED_FILES: Final = 512
"""Of so many files the description is remembered."""


ColumnChoice = Sequence[str] | Callable[[str], bool]
"""Columns by name, or which of those that there are."""


def select_columns(columns: ColumnChoice | None, there: Sequence[str]) -> list[str] | None:
    """The names of these columns in a file that has those; None for all of them."""
    return [name for name in there if columns(name)] if callable(columns) else None if columns is None else list(columns)


def read_row_groups(opened: Any, groups: Sequence[int], columns: list[str] | None) -> Any:
    """These row groups of an open file, one at a time, which is all that Arrow does for lists of coded text.

    In this thread: several for a few megabytes cost more than they save, and the other cores are at work.
    """
    found = [opened.read_row_group(group, columns=columns, use_threads=False) for group in groups]
    return pa.concat_tables(found) if found else opened.read_row_groups([], columns=columns)


def read_case_rows(path: Location, cases: Sequence[int], columns: ColumnChoice | None) -> Any:
    """The rows of a file whose `case` is one of these, which must be in the file by rising case."""
    wanted = np.unique(np.asarray(cases, dtype=np.int64))
    found = path.stat()
    metadata, first, last = _read_file_metadata(path, found.st_size, found.st_mtime_ns)
    hit = np.searchsorted(wanted, first, side="left") < np.searchsorted(wanted, last, side="right")
    named = select_columns(columns, metadata.schema.to_arrow_schema().names)
    read = None if named is None else [*named, *(() if "case" in named else ("case",))]
    with pq.ParquetFile(open_for_arrow(path), metadata=metadata, page_checksum_verification=True) as opened:
        some = read_row_groups(opened, np.flatnonzero(hit).tolist(), read)
    kept = some.filter(arrow_column(np.isin(numpy_array(some.column("case")), wanted)))
    return kept if named is None else kept.select(named)


@lru_cache(maxsize=_MAX_CACHED_FILES)
def _read_file_metadata(path: Location, size: int, changed: int) -> tuple[Any, NDArray[np.int64], NDArray[np.int64]]:
    """What a file says of itself, and the first and the last case of each of its row groups."""
    del size, changed
    metadata = pq.read_metadata(open_for_arrow(path))
    at = next(place for place in range(metadata.num_columns) if metadata.schema.column(place).path == "case")
    bounds = [metadata.row_group(group).column(at).statistics for group in range(metadata.num_row_groups)]
    return metadata, np.array([one.min for one in bounds], dtype=np.int64), np.array([one.max for one in bounds], dtype=np.int64)


pc: Any = pyarrow.compute  # its functions are made at run time, so no checker knows them
ColumnLists = Mapping[str, Sequence[Any]]
"""A table as plain lists, by column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResult:
    """What one evaluator said of one case of a run."""

    case: str
    """The case's id."""
    evaluator: str
    result: Result
    position: int = 0
    """The case's position in the run."""

    def __getattr__(self, name: str) -> Any:
        """`score`, `verdict`, `hits`, `misses` and whatever else a result has, without `.result` in between."""
        if name not in RESULT_FIELDS:
            raise AttributeError(
                f"a stored result has no `{name}`; it has case, evaluator, position, result, {', '.join(sorted(RESULT_FIELDS))}"
            )
        return getattr(self.result, name)


RESULT_FIELDS: Final = frozenset(field.name for field in fields(Result))


def read_parts(folder: Location) -> tuple[Part, ...]:
    """The complete parts of a run that is not finished."""
    found = (read_part(path) for path in sorted((folder / "parts").glob("*.json")))
    return tuple(part for part in found if part is not None)


def read_part(path: Location) -> Part | None:
    """The part that a file names; None where the file is torn, so that the part does not count."""
    try:
        return part_from_json(load_json(path.read_bytes()))
    except (ValueError, KeyError, TypeError):
        return None


def read_table(
    folder: Location, file: PartFile, *, case: int | Sequence[int] | None = None, columns: ColumnChoice | None = None
) -> ArrowTable:
    """One table of a part, or its rows about one case or some; StoreError where the file is not as it was written."""
    path = folder / "parts" / file.file
    try:
        check_file_size(path, file)
        if case is not None:
            return read_case_rows(path, [case] if isinstance(case, int) else case, columns)
        with pq.ParquetFile(open_for_arrow(path), page_checksum_verification=True) as opened:
            found = read_row_groups(opened, range(opened.num_row_groups), select_columns(columns, opened.schema_arrow.names))
    except (OSError, pa.ArrowException) as error:
        raise error if isinstance(error, StoreError) else corrupt_file_error(path, error) from error
    if found.num_rows != file.rows:
        raise corrupt_file_error(path, ValueError(f"it has {found.num_rows} rows, and {file.rows} were written"))
    return found


def check_file_size(path: Location, file: PartFile) -> None:
    """StoreError for a file that is not as long as what was written."""
    size = path.stat().st_size
    if size != file.bytes:
        raise corrupt_file_error(path, ValueError(f"it has {size} bytes, and {file.bytes} were written"))


def check_part_files(folder: Location, parts: Iterable[Part]) -> None:
    """StoreError where a file of a part is gone or is not as long as what was written, without reading any."""
    for file in (file for part in parts for file in part.files):
        path = folder / "parts" / file.file
        try:
            check_file_size(path, file)
        except OSError as error:
            raise error if isinstance(error, StoreError) else corrupt_file_error(path, error) from error


def list_part_files(part: Part, table: str, evaluator: str | None = None) -> list[PartFile]:
    """The files of a part that hold this table, or what it says of one evaluator."""
    return [file for file in part.files if file.table == table and (evaluator is None or evaluator in file.evaluators)]


def find_case(folder: Location, parts: Sequence[Part], name: str) -> tuple[Part, int] | None:
    """The part and the position in the run of the case with this id."""
    wanted = text_column([name])[0]
    for part in parts:
        for file in list_part_files(part, "cases"):
            table = read_table(folder, file, columns=["case", "id"])
            row = pc.index(table.column("id"), wanted).as_py()
            if row >= 0:
                return part, int(numpy_array(table.column("case"))[row])
    return None


def decode_case(row: Mapping[str, Any]) -> Case:
    """A stored case."""
    contexts, actuals, metadata = (None if row[name] is None else load_json(row[name]) for name in ("contexts", "actuals", "metadata"))
    return Case(
        id=row["id"],
        input=None if row["input"] is None else load_json(row["input"]),
        expected=_decode_value(row["expected"]),
        actual=_decode_value(row["actual"]),
        contexts=contexts,
        metadata=metadata or {},
        tags=tuple(row["tags"] or ()),
        split=row["split"],
        actuals=actuals,
    )


def _decode_value(text: str | None) -> Value:
    return MISSING if text is None else load_json(text)


def read_results(folder: Location, part: Part, evaluators: Sequence[str], position: int | Sequence[int] | None) -> Iterator[StoredResult]:
    """The results of a part by case, for these evaluators in this order, or those of one case or some."""
    [file] = list_part_files(part, "cases")
    cases = read_table(folder, file, case=position, columns=["case", "id", "expected", "actual"])
    sources = [source for name in evaluators for source in _read_evaluator_tables(folder, part, name, position)]
    for start in range(0, cases.num_rows, _CASES_PER_BLOCK):
        known = cases.slice(start, _CASES_PER_BLOCK).to_pydict()
        first, last = known["case"][0], known["case"][-1]
        blocks = [_ResultBlock(source, first, last) for source in sources]
        for place, name, *written in zip(known["case"], known["id"], known["expected"], known["actual"], strict=True):
            sides = _LazyRecords(*written)
            for block in blocks:
                result = block.result_of(place, sides)
                if result is not None:
                    yield StoredResult(case=name, evaluator=block.evaluator, result=result, position=place)


_CASES_PER_BLOCK: Final = 500
"""Python objects take many times the room of a table, so only so many cases are made into them at a time."""


class _LazyRecords:
    """The records of a case, read at most once, and only if someone asks."""

    __slots__ = ("_sides", "_texts")

    def __init__(self, *texts: str | None) -> None:
        self._texts = texts
        self._sides: tuple[Value, ...] | None = None

    def __call__(self) -> tuple[Value, Value]:
        if self._sides is None:
            self._sides = tuple(map(_decode_value, self._texts))
        return self._sides[0], self._sides[1]


@dataclass(frozen=True, slots=True)
class _EvaluatorTables:
    """One evaluator's tables in one part."""

    evaluator: str
    results: ArrowTable
    compared: Sequence[ArrowTable]


def _read_evaluator_tables(
    folder: Location, part: Part, evaluator: str, position: int | Sequence[int] | None
) -> Iterator[_EvaluatorTables]:
    compared = [read_table(folder, file, case=position) for file in list_part_files(part, "comparisons", evaluator)]
    for file in list_part_files(part, "results", evaluator):
        yield _EvaluatorTables(evaluator, read_table(folder, file, case=position), compared)


class _RowsByCase:
    """The rows of a table about some consecutive cases, as plain lists."""

    __slots__ = ("_case", "columns")

    def __init__(self, table: ArrowTable, first: int, last: int) -> None:
        start, stop = np.searchsorted(numpy_array(table.column("case")), [first, last + 1]).tolist()
        some = table.slice(start, stop - start)
        self._case: NDArray[np.int64] = numpy_array(some.column("case"))
        self.columns: ColumnLists = some.to_pydict()

    def rows_of(self, case: int) -> range:
        """Which rows are about this case."""
        start, stop = np.searchsorted(self._case, [case, case + 1]).tolist()
        return range(start, stop)


class _ResultBlock:
    """One evaluator's results for some consecutive cases."""

    __slots__ = ("_compared", "_metrics", "_results", "evaluator")

    def __init__(self, source: _EvaluatorTables, first: int, last: int) -> None:
        self.evaluator = source.evaluator
        self._results = _RowsByCase(source.results, first, last)
        self._compared = [_RowsByCase(table, first, last) for table in source.compared]
        self._metrics = [name for name in self._results.columns if name.startswith(METRIC_PREFIX)]

    def result_of(self, case: int, sides: RecordLoader) -> Result | None:
        """The result of a case, whose records are at hand; None where the evaluator is not for it."""
        found = self._results.rows_of(case)
        if not found:
            return None
        rows, row = self._results.columns, found[0]
        metrics = {name.removeprefix(METRIC_PREFIX): rows[name][row] for name in self._metrics}
        spans = [(compared.columns, compared.rows_of(case)) for compared in self._compared]
        return Result(
            score=rows["score"][row],
            verdict=rows["verdict"][row],
            hits=rows["hits"][row],
            misses=rows["misses"][row],
            reasoning=rows["reasoning"][row],
            status=rows["status"][row],
            metrics={name: value for name, value in metrics.items() if value is not None},
            details=load_json(rows["details"][row]),
            comparisons=[one for columns, span in spans if span for one in read_comparisons(columns, span, sides)],
        )


def read_scores_table(folder: Location, parts: Sequence[Part], evaluator: str) -> ArrowTable:
    """One row for each case that an evaluator is for: its position, id, score, verdict, status and fault. Nothing else is read."""
    tables: list[ArrowTable] = []
    for part in parts:
        [cases] = list_part_files(part, "cases")
        names = read_table(folder, cases, columns=["case", "id"])
        for file in list_part_files(part, "results", evaluator):
            found = read_table(folder, file, columns=list(_SCORE_COLUMNS))
            at = np.searchsorted(numpy_array(names.column("case")), numpy_array(found.column("case")))
            plain = {name: _decode_dictionary(found.column(name)) for name in _SCORE_COLUMNS}
            tables.append(pa.table({"id": names.column("id").take(arrow_column(at)), **plain}))
    if not tables:
        return pa.table({name: [] for name in ("id", *_SCORE_COLUMNS)})
    return concat_tables(tables)


_SCORE_COLUMNS: Final = ("case", "score", "verdict", "status", "fault")


def _decode_dictionary(column: Any) -> Any:
    if pa.types.is_list(column.type) and pa.types.is_dictionary(column.type.value_type):
        return column.cast(pa.list_(pa.string()))
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column


_OMITTED_COLUMNS = ("details",)


def read_flat_table(folder: Location, parts: Sequence[Part], evaluators: Sequence[str]) -> ArrowTable:
    """One row for each case and evaluator: case id, evaluator, score, verdict, status, hits, misses, and every metric by its name."""
    tables: list[ArrowTable] = []
    for part in parts:
        [cases] = list_part_files(part, "cases")
        names = read_table(folder, cases, columns=["case", "id"])
        for evaluator in evaluators:
            tables.extend(
                _flatten_results(read_table(folder, file), names, evaluator) for file in list_part_files(part, "results", evaluator)
            )
    if not tables:
        return pa.table({"case": pa.array([], pa.string()), "evaluator": pa.array([], pa.string()), "score": pa.array([], pa.float64())})
    return concat_tables(tables)


def _flatten_results(results: ArrowTable, names: ArrowTable, evaluator: str) -> ArrowTable:
    rows = np.searchsorted(numpy_array(names.column("case")), numpy_array(results.column("case")))
    ids = names.column("id").take(arrow_column(rows))
    columns: dict[str, Any] = {"case": ids, "evaluator": pa.array([evaluator] * len(rows), pa.string())}
    for name in results.column_names:
        if name not in ("case", *_OMITTED_COLUMNS):
            columns[name.removeprefix(METRIC_PREFIX)] = _decode_dictionary(results.column(name))
    return pa.table(columns)
