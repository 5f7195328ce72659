"""Stored results as JSON text, without decoding what is stored as JSON already: details, and values that differ.

By way of `Result` objects, writing takes three to four times as long.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any, Final

import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray

from fieldwise.kernels.json_conversion import encode_plain_values
from fieldwise.model.locations import Location
from fieldwise.model.values import MISSING
from fieldwise.store.arrow_tables import METRIC_PREFIX, ArrowTable, numpy_array
from fieldwise.store.comparison_table import EVIDENCE_COLUMNS, look_up_value, look_up_values
from fieldwise.store.manifest import Part
from fieldwise.store.part_reader import list_part_files, read_table
from fieldwise.store.stored_json import dump_json, dump_strict_json, load_json, to_strict_json

_CASES_PER_BLOCK: Final = 500


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
    sides = zip(cases["expected"], cases["actual"], strict=True)
    records = {case: _Records(*side) for case, side in zip(cases["case"], sides, strict=True)}
    comparisons = {name: _ComparisonTexts(_rows_between(table, first, last), records) for name, table in tables.items()}
    results = [(_ResultTexts(evaluator, _rows_between(table, first, last)), files) for evaluator, table, files in sources]
    for row, case in enumerate(cases["case"]):
        id_text = dump_strict_json(cases["id"][row])
        written: dict[str, bytes] = {}
        for result, files in results:
            head = result.head_of(case, id_text)
            if head is None:
                continue
            for name in files:
                if name not in written:
                    written[name] = comparisons[name].text_of(case)
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
    """The comparisons of a range of cases; `records` are those of the cases, by position."""

    def __init__(self, rows: ArrowTable, records: Mapping[int, _Records]) -> None:
        self._case: NDArray[np.int64] = numpy_array(rows.column("case"))
        self._records = [records[case] for case in self._case.tolist()]
        self._path_codes, self._paths = _split_dictionary(rows.column("path"))
        sides = [*self._read_sides(rows)]
        heads = map(_join_head, *(_encode_names(rows, name) for name in ("path", "field", "outcome")))
        similarity, passed = rows.column("similarity").to_pylist(), rows.column("passed").to_pylist()
        tails = map(_join_tail, similarity, passed, _encode_names(rows, "cause"), _encode_names(rows, "note"))
        evidence = _encode_evidence(rows)
        self._texts = [b"".join(parts) for parts in zip(heads, sides, tails, evidence, repeat(b"}"), strict=False)]

    def text_of(self, case: int) -> bytes:
        """The comparisons of a case, separated by commas."""
        start, stop = np.searchsorted(self._case, [case, case + 1]).tolist()
        return b",".join(self._texts[start:stop])

    def _read_sides(self, rows: ArrowTable) -> Iterator[bytes]:
        """The keys `expected` and `actual` of each row, without those that have no value."""
        is_equal: NDArray[np.bool_] = numpy_array(rows.column("equal"))
        equal_texts = iter(_encode_values(self._read_equal_values(np.flatnonzero(is_equal))))  # one pass for all of them is faster
        aside, expected, actual = (rows.column(name).to_pylist() for name in ("aside", "expected", "actual"))
        for row, is_row_equal in enumerate(is_equal.tolist()):
            if is_row_equal:
                text = next(equal_texts)
                yield _join_sides(text, text)
            elif aside[row]:
                path = self._paths[self._path_codes[row]]
                yield _join_sides(*(_encode_value(look_up_value(record, path)) for record in self._records[row].values()))
            else:
                yield _join_sides(_encode_stored(expected[row]), _encode_stored(actual[row]))

    def _read_equal_values(self, equal_rows: NDArray[np.int64]) -> list[Any]:
        """The values of rows with equal sides, looked up path by path in the expected records: most rows are such, of few paths."""
        values: list[Any] = [MISSING] * len(equal_rows)
        codes = np.array(self._path_codes, dtype=np.int64)[equal_rows]
        by_path = np.argsort(codes, kind="stable")
        ends = np.flatnonzero(np.diff(codes[by_path])) + 1
        for positions in np.split(by_path, ends) if len(by_path) else ():
            records = [self._records[row].values()[0] for row in equal_rows[positions].tolist()]
            found_values = look_up_values(records, self._paths[codes[positions[0]]])
            for position, value in zip(positions.tolist(), found_values, strict=True):
                values[position] = value
        return values


def _encode_values(values: Sequence[Any]) -> list[bytes | None]:
    """The JSON text of each value; None for MISSING."""
    return [_encode_value(value) if text is None else text for value, text in zip(values, encode_plain_values(values), strict=True)]


def _encode_value(value: Any) -> bytes | None:
    return None if value is MISSING else dump_strict_json(value)


def _join_sides(expected: bytes | None, actual: bytes | None) -> bytes:
    if expected is not None and actual is not None:
        return b',"expected":%b,"actual":%b' % (expected, actual)
    if expected is not None:
        return b',"expected":%b' % expected
    return b"" if actual is None else b',"actual":%b' % actual


def _encode_evidence(rows: ArrowTable) -> Iterable[bytes]:
    """The keys of the evidence of each row."""
    columns = {name: rows.column(name).to_pylist() for name in EVIDENCE_COLUMNS if name in rows.column_names}
    if not columns:
        return repeat(b"")
    return [_join_evidence(dict(zip(columns, values, strict=True))) for values in zip(*columns.values(), strict=True)]


def _join_evidence(evidence: Mapping[str, Any]) -> bytes:
    parts: list[bytes] = []
    for name, value in evidence.items():
        if value is not None:
            text = _encode_stored(value) if isinstance(value, str) else orjson.dumps(value)
            parts.append(b',"%b":%b' % (name.encode(), text or b"null"))
    return b"".join(parts)


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


@lru_cache(maxsize=65_536)  # most comparisons match, and similarities repeat
def _join_tail(similarity: float | None, passed: bool, cause: bytes, note: bytes) -> bytes:
    similarity_text = b"null" if similarity is None else orjson.dumps(similarity)
    verdict = b"true" if passed else b"false"
    tail = b',"similarity":%b,"passed":%b,"cause":%b' % (similarity_text, verdict, cause)
    return tail if note == b"null" else b'%b,"note":%b' % (tail, note)
