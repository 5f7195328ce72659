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
from fieldwise.model.locations import Place, seekable
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING, Value
from fieldwise.store.arrow_tables import METRIC, ArrowTable, array_of, column_of, joined, texts
from fieldwise.store.comparison_table import Sides, comparisons_of
from fieldwise.store.errors import StoreError, torn
from fieldwise.store.manifest import Part, PartFile, part_from_json
from fieldwise.store.stored_json import from_text

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


pc: Any = pyarrow.compute  # its functions are made at run time, so no checker knows them
Rows = Mapping[str, Sequence[Any]]
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
        if name not in RESULT:
            raise AttributeError(f"a stored result has no `{name}`; it has case, evaluator, position, result, {', '.join(sorted(RESULT))}")
        return getattr(self.result, name)


RESULT: Final = frozenset(field.name for field in fields(Result))


def parts_on_disk(folder: Place) -> tuple[Part, ...]:
    """The complete parts of a run that is not finished."""
    found = (read_part(path) for path in sorted((folder / "parts").glob("*.json")))
    return tuple(part for part in found if part is not None)


def read_part(path: Place) -> Part | None:
    """The part that a file names; None where the file is torn, so that the part does not count."""
    try:
        return part_from_json(from_text(path.read_bytes()))
    except (ValueError, KeyError, TypeError):
        return None


def read_table(folder: Place, file: PartFile, *, case: int | Sequence[int] | None = None, columns: Columns | None = None) -> ArrowTable:
    """One table of a part, or its rows about one case or some; StoreError where the file is not as it was written."""
    path = folder / "parts" / file.file
    try:
        check_size(path, file)
        if case is not None:
            return rows_about(path, [case] if isinstance(case, int) else case, columns)
        with pq.ParquetFile(seekable(path), page_checksum_verification=True) as opened:
            found = read_groups(opened, range(opened.num_row_groups), chosen(columns, opened.schema_arrow.names))
    except (OSError, pa.ArrowException) as error:
        raise error if isinstance(error, StoreError) else torn(path, error) from error
    if found.num_rows != file.rows:
        raise torn(path, ValueError(f"it has {found.num_rows} rows, and {file.rows} were written"))
    return found


def check_size(path: Place, file: PartFile) -> None:
    """StoreError for a file that is not as long as what was written."""
    size = path.stat().st_size
    if size != file.bytes:
        raise torn(path, ValueError(f"it has {size} bytes, and {file.bytes} were written"))


def check_parts(folder: Place, parts: Iterable[Part]) -> None:
    """StoreError where a file of a part is gone or is not as long as what was written, without reading any."""
    for file in (file for part in parts for file in part.files):
        path = folder / "parts" / file.file
        try:
            check_size(path, file)
        except OSError as error:
            raise error if isinstance(error, StoreError) else torn(path, error) from error


def files_of(part: Part, table: str, evaluator: str | None = None) -> list[PartFile]:
    """The files of a part that hold this table, or what it says of one evaluator."""
    return [file for file in part.files if file.table == table and (evaluator is None or evaluator in file.evaluators)]


def position_of(folder: Place, parts: Sequence[Part], name: str) -> tuple[Part, int] | None:
    """The part and the position in the run of the case with this id."""
    wanted = texts([name])[0]
    for part in parts:
        for file in files_of(part, "cases"):
            table = read_table(folder, file, columns=["case", "id"])
            row = pc.index(table.column("id"), wanted).as_py()
            if row >= 0:
                return part, int(array_of(table.column("case"))[row])
    return None


def case_of(row: Mapping[str, Any]) -> Case:
    """A stored case."""
    contexts, actuals, metadata = (None if row[name] is None else from_text(row[name]) for name in ("contexts", "actuals", "metadata"))
    return Case(
        id=row["id"],
        input=None if row["input"] is None else from_text(row["input"]),
        expected=_value(row["expected"]),
        actual=_value(row["actual"]),
        contexts=contexts,
        metadata=metadata or {},
        tags=tuple(row["tags"] or ()),
        split=row["split"],
        actuals=actuals,
    )


def _value(text: str | None) -> Value:
    return MISSING if text is None else from_text(text)


def results_of(folder: Place, part: Part, evaluators: Sequence[str], position: int | Sequence[int] | None) -> Iterator[StoredResult]:
    """The results of a part by case, for these evaluators in this order, or those of one case or some."""
    [file] = files_of(part, "cases")
    cases = read_table(folder, file, case=position, columns=["case", "id", "expected", "actual"])
    sources = [source for name in evaluators for source in _sources(folder, part, name, position)]
    for start in range(0, cases.num_rows, _CASES_AT_ONCE):
        known = cases.slice(start, _CASES_AT_ONCE).to_pydict()
        first, last = known["case"][0], known["case"][-1]
        blocks = [_Block(source, first, last) for source in sources]
        for place, name, *written in zip(known["case"], known["id"], known["expected"], known["actual"], strict=True):
            sides = _Once(*written)
            for block in blocks:
                result = block.at(place, sides)
                if result is not None:
                    yield StoredResult(case=name, evaluator=block.evaluator, result=result, position=place)


_CASES_AT_ONCE: Final = 500
"""Python objects take many times the room of a table, so only so many cases are made into them at a time."""


class _Once:
    """The records of a case, read at most once, and only if someone asks."""

    __slots__ = ("_sides", "_texts")

    def __init__(self, *texts: str | None) -> None:
        self._texts = texts
        self._sides: tuple[Value, ...] | None = None

    def __call__(self) -> tuple[Value, Value]:
        if self._sides is None:
            self._sides = tuple(map(_value, self._texts))
        return self._sides[0], self._sides[1]


@dataclass(frozen=True, slots=True)
class _Source:
    """One evaluator's tables in one part."""

    evaluator: str
    results: ArrowTable
    compared: Sequence[ArrowTable]


def _sources(folder: Place, part: Part, evaluator: str, position: int | Sequence[int] | None) -> Iterator[_Source]:
    compared = [read_table(folder, file, case=position) for file in files_of(part, "comparisons", evaluator)]
    for file in files_of(part, "results", evaluator):
        yield _Source(evaluator, read_table(folder, file, case=position), compared)


class _Rows:
    """The rows of a table about some consecutive cases, as plain lists."""

    __slots__ = ("_case", "columns")

    def __init__(self, table: ArrowTable, first: int, last: int) -> None:
        start, stop = np.searchsorted(array_of(table.column("case")), [first, last + 1]).tolist()
        some = table.slice(start, stop - start)
        self._case: NDArray[np.int64] = array_of(some.column("case"))
        self.columns: Rows = some.to_pydict()

    def of(self, case: int) -> range:
        """Which rows are about this case."""
        start, stop = np.searchsorted(self._case, [case, case + 1]).tolist()
        return range(start, stop)


class _Block:
    """One evaluator's results for some consecutive cases."""

    __slots__ = ("_compared", "_metrics", "_results", "evaluator")

    def __init__(self, source: _Source, first: int, last: int) -> None:
        self.evaluator = source.evaluator
        self._results = _Rows(source.results, first, last)
        self._compared = [_Rows(table, first, last) for table in source.compared]
        self._metrics = [name for name in self._results.columns if name.startswith(METRIC)]

    def at(self, case: int, sides: Sides) -> Result | None:
        """The result of a case, whose records are at hand; None where the evaluator is not for it."""
        found = self._results.of(case)
        if not found:
            return None
        rows, row = self._results.columns, found[0]
        metrics = {name.removeprefix(METRIC): rows[name][row] for name in self._metrics}
        spans = [(compared.columns, compared.of(case)) for compared in self._compared]
        return Result(
            score=rows["score"][row],
            verdict=rows["verdict"][row],
            hits=rows["hits"][row],
            misses=rows["misses"][row],
            reasoning=rows["reasoning"][row],
            status=rows["status"][row],
            metrics={name: value for name, value in metrics.items() if value is not None},
            details=from_text(rows["details"][row]),
            comparisons=[one for columns, span in spans if span for one in comparisons_of(columns, span, sides)],
        )


def scores_table(folder: Place, parts: Sequence[Part], evaluator: str) -> ArrowTable:
    """One row for each case that an evaluator is for: its position, id, score, verdict, status and fault. Nothing else is read."""
    tables: list[ArrowTable] = []
    for part in parts:
        [cases] = files_of(part, "cases")
        names = read_table(folder, cases, columns=["case", "id"])
        for file in files_of(part, "results", evaluator):
            found = read_table(folder, file, columns=list(_SCORES))
            at = np.searchsorted(array_of(names.column("case")), array_of(found.column("case")))
            plain = {name: _decoded(found.column(name)) for name in _SCORES}
            tables.append(pa.table({"id": names.column("id").take(column_of(at)), **plain}))
    if not tables:
        return pa.table({name: [] for name in ("id", *_SCORES)})
    return joined(tables)


_SCORES: Final = ("case", "score", "verdict", "status", "fault")


def _decoded(column: Any) -> Any:
    if pa.types.is_list(column.type) and pa.types.is_dictionary(column.type.value_type):
        return column.cast(pa.list_(pa.string()))
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column


_WITHOUT = ("details",)


def flat_table(folder: Place, parts: Sequence[Part], evaluators: Sequence[str]) -> ArrowTable:
    """One row for each case and evaluator: case id, evaluator, score, verdict, status, hits, misses, and every metric by its name."""
    tables: list[ArrowTable] = []
    for part in parts:
        [cases] = files_of(part, "cases")
        names = read_table(folder, cases, columns=["case", "id"])
        for evaluator in evaluators:
            tables.extend(_flat(read_table(folder, file), names, evaluator) for file in files_of(part, "results", evaluator))
    if not tables:
        return pa.table({"case": pa.array([], pa.string()), "evaluator": pa.array([], pa.string()), "score": pa.array([], pa.float64())})
    return joined(tables)


def _flat(results: ArrowTable, names: ArrowTable, evaluator: str) -> ArrowTable:
    rows = np.searchsorted(array_of(names.column("case")), array_of(results.column("case")))
    ids = names.column("id").take(column_of(rows))
    columns: dict[str, Any] = {"case": ids, "evaluator": pa.array([evaluator] * len(rows), pa.string())}
    for name in results.column_names:
        if name not in ("case", *_WITHOUT):
            columns[name.removeprefix(METRIC)] = _decoded(results.column(name))
    return pa.table(columns)
