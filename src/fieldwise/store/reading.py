"""Parts of a stored run, read back as cases and results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fieldwise.model.case import Case
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING, Value
from fieldwise.store.compared import comparisons_of
from fieldwise.store.json_text import from_text
from fieldwise.store.manifest import Part, PartFile, part_from_json
from fieldwise.store.tables import METRIC, ArrowTable, joined

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


def parts_on_disk(folder: Path) -> tuple[Part, ...]:
    """The complete parts of a run that is not finished."""
    found = (part_from_json(from_text(path.read_bytes())) for path in sorted((folder / "parts").glob("*.json")))
    return tuple(found)


def read_table(folder: Path, file: PartFile, *, case: int | None = None, columns: list[str] | None = None) -> ArrowTable:
    """One table of a part, or its rows about one case."""
    filters = None if case is None else [("case", "==", case)]
    return pq.read_table(folder / "parts" / file.file, columns=columns, filters=filters)


def files_of(part: Part, table: str, evaluator: str | None = None) -> list[PartFile]:
    """The files of a part that hold this table, or what it says of one evaluator."""
    return [file for file in part.files if file.table == table and (evaluator is None or evaluator in file.evaluators)]


def position_of(folder: Path, parts: Sequence[Part], name: str) -> tuple[Part, int] | None:
    """The part and the position in the run of the case with this id."""
    for part in parts:
        for file in files_of(part, "cases"):
            found = pq.read_table(folder / "parts" / file.file, columns=["case"], filters=[("id", "==", name)])
            if found.num_rows:
                return part, int(found.column("case")[0].as_py())
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


def results_of(folder: Path, part: Part, evaluators: Sequence[str], position: int | None) -> Iterator[StoredResult]:
    """The results of a part by case, for these evaluators in this order, or those of one case."""
    [cases] = files_of(part, "cases")
    known = read_table(folder, cases, case=position, columns=["case", "id", "expected"]).to_pydict()
    readers = [reader for name in evaluators for reader in _readers(folder, part, name, position)]
    for place, name, expected in zip(known["case"], known["id"], known["expected"], strict=True):
        record: list[Value] = []  # read at most once, and only for a case that has comparisons
        for reader in readers:
            result = reader.at(place, expected, record)
            if result is not None:
                yield StoredResult(case=name, evaluator=reader.evaluator, result=result, position=place)


def _readers(folder: Path, part: Part, evaluator: str, position: int | None) -> Iterator["_Reader"]:
    for file in files_of(part, "results", evaluator):
        rows = read_table(folder, file, case=position)
        compared = [read_table(folder, found, case=position) for found in files_of(part, "comparisons", evaluator)]
        yield _Reader(evaluator, rows, [_Grouped(table) for table in compared])


class _Grouped:
    """Comparisons with where each case's begin."""

    __slots__ = ("_case", "rows")

    def __init__(self, table: ArrowTable) -> None:
        self._case = table.column("case").to_numpy()
        self.rows: Rows = table.to_pydict()

    def span(self, case: int) -> range:
        start, stop = np.searchsorted(self._case, [case, case + 1]).tolist()
        return range(start, stop)


class _Reader:
    """One evaluator's results in one part."""

    __slots__ = ("_compared", "_metrics", "_row", "_rows", "evaluator")

    def __init__(self, evaluator: str, table: ArrowTable, compared: list[_Grouped]) -> None:
        self.evaluator = evaluator
        self._rows: Rows = table.to_pydict()
        self._row = {case: row for row, case in enumerate(self._rows["case"])}
        self._metrics = [name for name in self._rows if name.startswith(METRIC)]
        self._compared = compared

    def at(self, case: int, expected: str | None, record: list[Value]) -> Result | None:
        """The result of a case; None where the evaluator is not for it."""
        row = self._row.get(case)
        if row is None:
            return None
        rows = self._rows
        spans = [(grouped, grouped.span(case)) for grouped in self._compared]
        if not record and any(span for _, span in spans):
            record.append(_value(expected))
        comparisons = [one for grouped, span in spans if span for one in comparisons_of(grouped.rows, record[0], span)]
        metrics = {name.removeprefix(METRIC): rows[name][row] for name in self._metrics}
        return Result(
            score=rows["score"][row],
            verdict=rows["verdict"][row],
            hits=rows["hits"][row],
            misses=rows["misses"][row],
            reasoning=rows["reasoning"][row],
            status=rows["status"][row],
            metrics={name: value for name, value in metrics.items() if value is not None},
            details=from_text(rows["details"][row]),
            comparisons=comparisons,
        )


_WITHOUT = ("details",)


def flat_table(folder: Path, parts: Sequence[Part], evaluators: Sequence[str]) -> ArrowTable:
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
    rows = np.searchsorted(names.column("case").to_numpy(), results.column("case").to_numpy())
    ids = names.column("id").take(pa.array(rows))
    columns: dict[str, Any] = {"case": ids, "evaluator": pa.array([evaluator] * len(rows), pa.string())}
    for name in results.column_names:
        if name not in ("case", *_WITHOUT):
            column = results.column(name)
            columns[name.removeprefix(METRIC)] = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
    return pa.table(columns)
