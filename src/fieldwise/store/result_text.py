"""Stored results as JSON text, without decoding what is stored as JSON already: details, and values that differ.

10,000 cases with three evaluators of records take 2.5 s, scoring them 3.8 s; by way of `Result` objects writing them took 8.7 s.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray

from fieldwise.model.locations import Location
from fieldwise.model.values import MISSING
from fieldwise.store.arrow_tables import METRIC_PREFIX, ArrowTable, numpy_array
from fieldwise.store.comparison_table import EVIDENCE_COLUMNS, look_up_value
from fieldwise.store.manifest import Part
from fieldwise.store.part_reader import list_part_files, read_table
from fieldwise.store.stored_json import dump_json, dump_strict_json, load_json, to_strict_json

_CASES_PER_BLOCK: Final = 2_000


def iterate_result_texts(folder: Location, parts: Sequence[Part], evaluators: Sequence[str]) -> Iterator[bytes]:
    """Each result as the text of a JSON object, case by case, each for these evaluators in this order."""
    for part in parts:
        [file] = list_part_files(part, "cases")
        cases = read_table(folder, file, columns=["case", "id", "expected", "actual"])
        comparison_tables: dict[str, ArrowTable] = {}  # evaluators that share comparisons share a file
        sources: list[tuple[str, ArrowTable, list[str]]] = []
        for evaluator in evaluators:
            files = [comparison_file.file for comparison_file in list_part_files(part, "comparisons", evaluator)]
            for comparison_file in list_part_files(part, "comparisons", evaluator):
                if comparison_file.file not in comparison_tables:
                    comparison_tables[comparison_file.file] = _prepare(read_table(folder, comparison_file))
            tables = [_prepare(read_table(folder, results_file)) for results_file in list_part_files(part, "results", evaluator)]
            sources += [(evaluator, table, files) for table in tables]
        for start in range(0, cases.num_rows, _CASES_PER_BLOCK):
            yield from _write_block(cases.slice(start, _CASES_PER_BLOCK).to_pydict(), sources, comparison_tables)


def _prepare(table: ArrowTable) -> ArrowTable:
    """The table with one chunk and one dictionary for each column."""
    return table.unify_dictionaries().combine_chunks()


def _write_block(
    cases: Mapping[str, Sequence[Any]], sources: Sequence[tuple[str, ArrowTable, list[str]]], tables: Mapping[str, ArrowTable]
) -> Iterator[bytes]:
    first, last = cases["case"][0], cases["case"][-1]
    comparisons = {name: _ComparisonTexts(_rows_between(table, first, last)) for name, table in tables.items()}
    results = [(_ResultTexts(evaluator, _rows_between(table, first, last)), files) for evaluator, table, files in sources]
    for row, case in enumerate(cases["case"]):
        id_text = dump_strict_json(cases["id"][row])
        records = _Records(cases["expected"][row], cases["actual"][row])
        written: dict[str, bytes] = {}
        for result, files in results:
            head = result.head_of(case, id_text)
            if head is None:
                continue
            for name in files:
                if name not in written:
                    written[name] = comparisons[name].text_of(case, records)
            yield head + b",".join(text for name in files if (text := written[name])) + b"]}"


def _rows_between(table: ArrowTable, first: int, last: int) -> ArrowTable:
    start, stop = np.searchsorted(numpy_array(table.column("case")), [first, last + 1]).tolist()
    return table.slice(start, stop - start)


class _Records:
    """The records of a case, decoded on first use."""

    __slots__ = ("_actual", "_expected", "_values")

    def __init__(self, expected: str | None, actual: str | None) -> None:
        self._expected, self._actual = expected, actual
        self._values: tuple[Any, Any] | None = None

    def values(self) -> tuple[Any, Any]:
        if self._values is None:
            sides = (self._expected, self._actual)
            expected, actual = (MISSING if text is None else load_json(text) for text in sides)
            self._values = expected, actual
        return self._values


class _ResultTexts:
    """The results of one evaluator for a range of cases."""

    def __init__(self, evaluator: str, rows: ArrowTable) -> None:
        self._evaluator = dump_json(evaluator)
        metrics = [name for name in rows.column_names if name.startswith(METRIC_PREFIX)]
        self._metrics: dict[str, list[Any]] = {name.removeprefix(METRIC_PREFIX): rows.column(name).to_pylist() for name in metrics}
        self._columns: dict[str, list[Any]] = {name: rows.column(name).to_pylist() for name in ("score", "reasoning", "details")}
        self._names = {name: _encode_names(rows, name) for name in ("verdict", "status")}
        self._lists = {name: _encode_lists(rows, name) for name in ("hits", "misses")}
        self._row_of = {case: row for row, case in enumerate(rows.column("case").to_pylist())}

    def head_of(self, case: int, id_text: bytes) -> bytes | None:
        """The text of a result up to its comparisons; None if the evaluator does not apply to the case."""
        row = self._row_of.get(case)
        if row is None:
            return None
        metrics = {name: column[row] for name, column in self._metrics.items() if column[row] is not None}
        return b"".join(
            (
                *(b'{"case":', id_text, b',"evaluator":', self._evaluator),
                *(b',"score":', dump_strict_json(self._columns["score"][row])),
                *(b',"verdict":', self._names["verdict"][row], b',"status":', self._names["status"][row]),
                *(b',"hits":[', self._lists["hits"][row], b'],"misses":[', self._lists["misses"][row]),
                *(b'],"reasoning":', dump_strict_json(self._columns["reasoning"][row])),
                *(b',"metrics":', dump_strict_json(metrics)),
                *(b',"details":', to_strict_json(self._columns["details"][row].encode()), b',"comparisons":['),
            )
        )


class _ComparisonTexts:
    """The comparisons of a range of cases."""

    def __init__(self, rows: ArrowTable) -> None:
        self._case: NDArray[np.int64] = numpy_array(rows.column("case"))
        codes, names = _split_dictionary(rows.column("path"))
        self._paths = [names[code] for code in codes]
        paths, fields, outcomes = (_encode_names(rows, name) for name in ("path", "field", "outcome"))
        self._heads = [_join_head(*head) for head in zip(paths, fields, outcomes, strict=True)]
        self._causes = _encode_names(rows, "cause")
        self._notes = _encode_names(rows, "note")
        self._similarity = rows.column("similarity").to_pylist()
        self._passed = rows.column("passed").to_pylist()
        self._equal = rows.column("equal").to_pylist()
        self._aside = rows.column("aside").to_pylist()
        self._expected = rows.column("expected").to_pylist()
        self._actual = rows.column("actual").to_pylist()
        self._evidence: dict[str, list[Any]] = {
            name: rows.column(name).to_pylist() for name in EVIDENCE_COLUMNS if name in rows.column_names
        }

    def text_of(self, case: int, records: _Records) -> bytes:
        """The comparisons of a case, separated by commas."""
        start, stop = np.searchsorted(self._case, [case, case + 1]).tolist()
        return b",".join(self._write_row(row, records) for row in range(start, stop))

    def _write_row(self, row: int, records: _Records) -> bytes:
        expected, actual = self._read_sides(row, records)
        similarity = self._similarity[row]
        parts = [self._heads[row]]
        if expected is not None:
            parts += (b',"expected":', expected)
        if actual is not None:
            parts += (b',"actual":', actual)
        parts += (b',"similarity":', b"null" if similarity is None else orjson.dumps(similarity))
        parts += (b',"passed":true' if self._passed[row] else b',"passed":false', b',"cause":', self._causes[row])
        if self._notes[row] != b"null":
            parts += (b',"note":', self._notes[row])
        for name, values in self._evidence.items():
            if values[row] is not None:
                text = _encode_stored(values[row]) if isinstance(values[row], str) else orjson.dumps(values[row])
                parts += (b',"%b":' % name.encode(), text or b"null")
        parts.append(b"}")
        return b"".join(parts)

    def _read_sides(self, row: int, records: _Records) -> tuple[bytes | None, bytes | None]:
        """The texts of both sides; None for a side without a value."""
        if self._equal[row]:
            value = look_up_value(records.values()[0], self._paths[row])
            text = None if value is MISSING else dump_strict_json(value)
            return text, text
        if self._aside[row]:
            sides = [look_up_value(record, self._paths[row]) for record in records.values()]
            expected, actual = (None if value is MISSING else dump_strict_json(value) for value in sides)
            return expected, actual
        expected, actual = self._expected[row], self._actual[row]
        return _encode_stored(expected), _encode_stored(actual)


def _encode_stored(text: str | None) -> bytes | None:
    return None if text is None else to_strict_json(text.encode())


def _encode_names(rows: ArrowTable, column: str) -> list[bytes]:
    """The texts of a dictionary-encoded column as JSON; `null` where there is none."""
    codes, names = _split_dictionary(rows.column(column))
    texts = [*map(dump_strict_json, names), b"null"]  # the code of null is -1
    return [texts[code] for code in codes]


def _split_dictionary(column: Any) -> tuple[list[int], list[str]]:
    """The codes of a column, -1 for null, and the texts they stand for."""
    if not column.num_chunks:
        return [], []
    chunk = column.combine_chunks()
    chunk = chunk.chunk(0) if isinstance(chunk, pa.ChunkedArray) else chunk
    return numpy_array(chunk.indices, -1).tolist(), chunk.dictionary.to_pylist()


def _encode_lists(rows: ArrowTable, column: str) -> list[bytes]:
    """The items of each list of a column as JSON, separated by commas."""
    lists: list[bytes] = []
    for chunk in rows.column(column).chunks:
        offsets = numpy_array(chunk.offsets)
        values = chunk.values
        texts = [*map(dump_strict_json, values.dictionary.to_pylist())]
        codes = numpy_array(values.indices).tolist()
        spans = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
        lists += [b",".join([texts[code] for code in codes[start:stop]]) for start, stop in spans]
    return lists


@lru_cache(maxsize=65_536)  # a run has few distinct paths, and each of them few outcomes
def _join_head(path: bytes, field: bytes, outcome: bytes) -> bytes:
    return b'{"path":%b,"field":%b,"outcome":%b' % (path, field, outcome)
