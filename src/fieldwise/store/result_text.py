"""Stored results as JSON text, without decoding what is stored as JSON already: details, and values that differ.

By way of `Result` objects, writing takes three to four times as long.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise, repeat
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
    positions: list[int] = [*cases["case"]]
    first, last = positions[0], positions[-1]
    sides = _Records(cases["expected"]), _Records(cases["actual"])
    comparisons = {name: _write_comparisons(_rows_between(table, first, last), positions, *sides) for name, table in tables.items()}
    results = [(_ResultTexts(evaluator, _rows_between(table, first, last)), files) for evaluator, table, files in sources]
    for row, (case, id_text) in enumerate(zip(positions, _encode_values(cases["id"]), strict=True)):
        for result, files in results:
            head = result.head_of(case, id_text or b"null")
            if head is not None:
                yield head + b",".join(text for name in files if (text := comparisons[name][row])) + b"]}"


def _rows_between(table: ArrowTable, first: int, last: int) -> ArrowTable:
    start, stop = np.searchsorted(numpy_array(table.column("case")), [first, last + 1]).tolist()
    return table.slice(start, stop - start)


class _Records:
    """One side of the records of a block of cases, decoded on first use."""

    __slots__ = ("_records", "_texts")

    def __init__(self, texts: Sequence[str | None]) -> None:
        self._texts, self._records = texts, dict[int, Any]()

    def at(self, position: int) -> Any:
        """The record of a case; MISSING if it has none."""
        if position not in self._records:
            text = self._texts[position]
            self._records[position] = MISSING if text is None else load_json(text)
        return self._records[position]

    def decode_all(self) -> list[Any]:
        """The records of all cases."""
        return [self.at(position) for position in range(len(self._texts))]


class _ResultTexts:
    """The results of one evaluator for a range of cases."""

    def __init__(self, evaluator: str, rows: ArrowTable) -> None:
        self._evaluator = dump_json(evaluator)
        metrics = [name for name in rows.column_names if name.startswith(METRIC_PREFIX)]
        self._metrics: dict[str, list[Any]] = {name.removeprefix(METRIC_PREFIX): rows.column(name).to_pylist() for name in metrics}
        self._details: list[str] = rows.column("details").to_pylist()
        self._values = {name: _encode_values(rows.column(name).to_pylist()) for name in ("score", "reasoning")}
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
                *(b',"score":', self._values["score"][row] or b"null"),
                *(b',"verdict":', self._names["verdict"][row], b',"status":', self._names["status"][row]),
                *(b',"hits":[', self._lists["hits"][row], b'],"misses":[', self._lists["misses"][row]),
                *(b'],"reasoning":', self._values["reasoning"][row] or b"null"),
                *(b',"metrics":', dump_strict_json(metrics)),
                *(b',"details":', to_strict_json(self._details[row].encode()), b',"comparisons":['),
            )
        )


def _write_comparisons(rows: ArrowTable, cases: Sequence[int], expected: _Records, actual: _Records) -> list[bytes]:
    """The comparisons of each of these cases, separated by commas. `expected` and `actual` are the records of the cases."""
    heads = map(_join_head, *(_encode_names(rows, name) for name in ("path", "field", "outcome")))
    similarity, passed = rows.column("similarity").to_pylist(), rows.column("passed").to_pylist()
    tails = map(_join_tail, similarity, passed, _encode_names(rows, "cause"), _encode_names(rows, "note"))
    columns = (heads, _write_sides(rows, cases, expected, actual), tails, _encode_evidence(rows), repeat(_COMPARISON_END))
    pieces = [*chain.from_iterable(zip(*columns, strict=False))]
    offsets = np.searchsorted(numpy_array(rows.column("case")), [*cases, cases[-1] + 1]) * len(columns)
    # without the comma behind the last comparison
    return [b"".join(pieces[start:stop])[:-1] for start, stop in pairwise(offsets.tolist())]


_COMPARISON_END: Final = b"},"


def _write_sides(rows: ArrowTable, cases: Sequence[int], expected_records: _Records, actual_records: _Records) -> list[bytes]:
    """The keys `expected` and `actual` of each comparison, without those that have no value."""
    path_codes, paths = _split_dictionary(rows.column("path"))
    position_of_row = np.searchsorted(cases, numpy_array(rows.column("case")))
    is_equal: NDArray[np.bool_] = numpy_array(rows.column("equal"))
    equal_rows, other_rows = np.flatnonzero(is_equal), np.flatnonzero(~is_equal)
    sides = [b""] * rows.num_rows
    if len(equal_rows):
        # most rows are equal, so they are looked up path by path and written in one pass
        codes = np.array(path_codes, dtype=np.int64)[equal_rows]
        values = _look_up_by_path(expected_records.decode_all(), position_of_row[equal_rows], codes, paths)
        for row, text in zip(equal_rows.tolist(), _encode_values(values), strict=True):
            sides[row] = _join_sides(text, text)
    aside, expected, actual = (rows.column(name).to_pylist() for name in ("aside", "expected", "actual"))
    for row, position in zip(other_rows.tolist(), position_of_row[other_rows].tolist(), strict=True):
        if aside[row]:
            path = paths[path_codes[row]]
            values = (look_up_value(records.at(position), path) for records in (expected_records, actual_records))
            sides[row] = _join_sides(*map(_encode_value, values))
        else:
            sides[row] = _join_sides(_encode_stored(expected[row]), _encode_stored(actual[row]))
    return sides


def _look_up_by_path(records: Sequence[Any], positions: NDArray[np.int64], codes: NDArray[np.int64], paths: Sequence[str]) -> list[Any]:
    """The value of each row: that of the record at its position, at the path of its code. All rows of a path are looked up together."""
    values: list[Any] = [MISSING] * len(codes)
    by_path = np.argsort(codes, kind="stable")
    ends = np.flatnonzero(np.diff(codes[by_path])) + 1
    for rows in np.split(by_path, ends):
        records_of_path = [records[position] for position in positions[rows].tolist()]
        for row, value in zip(rows.tolist(), look_up_values(records_of_path, paths[int(codes[rows[0]])]), strict=True):
            values[row] = value
    return values


def _encode_values(values: Sequence[Any]) -> list[bytes | None]:
    """The JSON text of each value; None for MISSING."""
    return [_encode_value(value) if text is None else text for value, text in zip(values, encode_plain_values(values), strict=True)]


def _encode_value(value: Any) -> bytes | None:
    return None if value is MISSING else dump_strict_json(value)


def _join_sides(expected: bytes | None, actual: bytes | None) -> bytes:
    if expected is None:
        return b"" if actual is None else b',"actual":%b' % actual
    return b',"expected":%b' % expected if actual is None else b',"expected":%b,"actual":%b' % (expected, actual)


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
