"""Compact columns of a large run for the pages: scores without texts, mismatches without values, ids and labels.

Details of single cases are read from those row groups only that hold them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from fieldwise.model.case import Case
from fieldwise.model.comparison import Comparison
from fieldwise.store.arrow_tables import FAULTS, STATUSES, VERDICTS, ArrowTable, arrow_column, encode_names, numpy_array, text_column
from fieldwise.store.comparison_table import OUTCOMES, read_comparisons
from fieldwise.store.manifest import PartFile
from fieldwise.store.part_reader import decode_case, list_part_files, read_table
from fieldwise.store.run import Run

pc: Any = pyarrow.compute  # its functions are generated at run time, so type checkers do not know them

_MATCH: Final = OUTCOMES.index("match")
_SCORE_COLUMNS: Final = ("case", "score", "verdict", "status", "fault")


@dataclass(frozen=True)
class EvaluatorScores:
    """The scores of an evaluator, one entry for each case that it applies to; about 24 bytes a case."""

    case: NDArray[np.int32]
    """The position of the case in the run, ascending."""
    score: NDArray[np.float64]
    """The score."""
    verdict: NDArray[np.int8]
    """An index into VERDICTS, or -1."""
    status: NDArray[np.int8]
    """An index into STATUSES."""
    fault: NDArray[np.int8]
    """An index into FAULTS, or -1."""

    @cached_property  # an index is immutable and serves many pages
    def measured(self) -> NDArray[np.bool_]:
        """True for scored cases and failures of the system; false for faults of the measurement, skipped and unavailable cases."""
        is_failure = (self.status == STATUSES.index("error")) & (self.fault == FAULTS.index("system"))
        return (self.status == STATUSES.index("scored")) | is_failure

    @cached_property
    def ascending(self) -> NDArray[np.int32]:
        """Rows by ascending score; ties in the order of the cases."""
        return np.argsort(self.score, kind="stable").astype(np.int32)

    @cached_property
    def descending(self) -> NDArray[np.int32]:
        """Rows by descending score; ties in the order of the cases."""
        return np.argsort(-self.score, kind="stable").astype(np.int32)


def load_scores(run: Run, evaluator: str) -> EvaluatorScores:
    """The scores of an evaluator."""
    tables = [read_table(run.path, file, columns=list(_SCORE_COLUMNS)) for file in _list_files(run, "results", evaluator)]

    def encode(column: str, names: Sequence[str]) -> NDArray[np.int8]:
        return _concat_arrays([encode_names(table.column(column), names) for table in tables], np.int8)

    return EvaluatorScores(
        case=_concat_arrays([numpy_array(table.column("case")) for table in tables], np.int32),
        score=_concat_arrays([numpy_array(table.column("score")) for table in tables], np.float64),
        verdict=encode("verdict", VERDICTS),
        status=encode("status", STATUSES),
        fault=encode("fault", FAULTS),
    )


def _list_files(run: Run, table: str, evaluator: str | None = None) -> list[PartFile]:
    """The files of a table in all parts of a run, in order."""
    return [file for part in run.parts for file in list_part_files(part, table, evaluator)]


def _concat_arrays(arrays: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate(arrays).astype(dtype, copy=False) if arrays else np.zeros(0, dtype=dtype)


class CaseIds:
    """The ids of the cases of a run, by position."""

    def __init__(self, firsts: Sequence[int], columns: Sequence[Any]) -> None:
        """`firsts` are the positions of the first cases of the parts, `columns` their ids."""
        self._firsts = np.array([*firsts], dtype=np.int64)
        self._columns = columns

    def at(self, positions: Sequence[int]) -> list[str]:
        """The ids of the cases at these positions."""
        parts = (np.searchsorted(self._firsts, positions, side="right") - 1).tolist()
        return [self._columns[part][position - int(self._firsts[part])].as_py() for part, position in zip(parts, positions, strict=True)]

    def position(self, case_id: str) -> int | None:
        """The position of the case with this id."""
        scalar = text_column([case_id])[0]  # of a Python text, Arrow makes one by importing pandas, which takes half a second
        for first, column in zip(self._firsts.tolist(), self._columns, strict=True):
            row = pc.index(column, scalar).as_py()
            if row >= 0:
                return first + row
        return None

    def containing(self, text: str) -> NDArray[np.int64]:
        """The positions of the cases whose id contains this text, ignoring case."""
        positions: list[NDArray[np.int64]] = []
        for first, column in zip(self._firsts.tolist(), self._columns, strict=True):
            is_match = numpy_array(pc.match_substring(column, text, ignore_case=True))
            positions.append(np.flatnonzero(is_match) + first)
        return _concat_arrays(positions, np.int64)


def load_case_ids(run: Run) -> CaseIds:
    """The ids of a run's cases."""
    columns = [read_table(run.path, file, columns=["id"]).column("id").combine_chunks() for file in _list_files(run, "cases")]
    return CaseIds([part.first for part in run.parts], columns)


@dataclass(frozen=True)
class MismatchIndex:
    """All comparisons of an evaluator whose outcome is not `match`, without their values."""

    case: NDArray[np.int32]
    """The position of the case in the run."""
    field: NDArray[np.int32]
    """An index into `fields`."""
    outcome: NDArray[np.int8]
    """An index into OUTCOMES."""
    cause: NDArray[np.int32]
    """An index into `causes`, or -1."""
    fields: Sequence[str]
    causes: Sequence[str]


def load_mismatches(run: Run, evaluator: str) -> MismatchIndex:
    """The mismatches of an evaluator, collected part by part."""
    fields, causes = dict[str, int](), dict[str, int]()
    case_arrays: list[NDArray[Any]] = []
    field_arrays: list[NDArray[Any]] = []
    outcome_arrays: list[NDArray[Any]] = []
    cause_arrays: list[NDArray[Any]] = []
    for file in _list_files(run, "comparisons", evaluator):
        table = read_table(run.path, file, columns=["case", "outcome", "field", "cause"])
        outcome = encode_names(table.column("outcome"), OUTCOMES)
        rows = np.flatnonzero(outcome != _MATCH)
        mismatches = table.take(arrow_column(rows))
        case_arrays.append(numpy_array(mismatches.column("case")))
        field_arrays.append(_encode_texts(mismatches.column("field"), fields))
        outcome_arrays.append(outcome[rows])
        cause_arrays.append(_encode_texts(mismatches.column("cause"), causes))
    return MismatchIndex(
        case=_concat_arrays(case_arrays, np.int32),
        field=_concat_arrays(field_arrays, np.int32),
        outcome=_concat_arrays(outcome_arrays, np.int8),
        cause=_concat_arrays(cause_arrays, np.int32),
        fields=list(fields),
        causes=list(causes),
    )


def _encode_texts(column: Any, codes: dict[str, int]) -> NDArray[np.int32]:
    """A column of text as integers, null as -1. `codes` maps texts to integers; new texts are added to it."""
    encoded: list[NDArray[np.int32]] = []
    for chunk in column.chunks:
        dictionary = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        texts = dictionary.dictionary.to_pylist()
        code_of_index = np.array([*(codes.setdefault(text, len(codes)) for text in texts), -1], dtype=np.int32)
        encoded.append(code_of_index[numpy_array(dictionary.indices, len(texts))])
    return _concat_arrays(encoded, np.int32)


@dataclass(frozen=True)
class CaseLabels:
    """The tags and splits of the cases of a run."""

    case: NDArray[np.int32]
    """For each tag of a case, the position of the case."""
    tag: NDArray[np.int32]
    """For each tag of a case, its number in `tags`."""
    split: NDArray[np.int32]
    """For each case, the number of its split in `splits`, or -1."""
    position: NDArray[np.int32]
    """For each case, its position."""
    tags: Mapping[str, int]
    splits: Mapping[str, int]

    def with_tag(self, name: str) -> NDArray[np.int32]:
        """The positions of the cases with this tag."""
        return self.case[self.tag == self.tags.get(name, -2)]  # -2 occurs nowhere

    def in_split(self, name: str) -> NDArray[np.int32]:
        """The positions of the cases in this split."""
        return self.position[self.split == self.splits.get(name, -2)]


def load_case_labels(run: Run) -> CaseLabels:
    """The tags and splits of a run's cases."""
    tags, splits = dict[str, int](), dict[str, int]()
    case_arrays: list[NDArray[Any]] = []
    tag_arrays: list[NDArray[Any]] = []
    split_arrays: list[NDArray[Any]] = []
    position_arrays: list[NDArray[Any]] = []
    for file in _list_files(run, "cases"):
        table = read_table(run.path, file, columns=["case", "tags", "split"])
        position = numpy_array(table.column("case"))
        tag_lists = table.column("tags").combine_chunks()
        case_arrays.append(position[numpy_array(pc.list_parent_indices(tag_lists))])
        tag_arrays.append(_encode_texts(pa.chunked_array([pc.list_flatten(tag_lists)]), tags))
        split_arrays.append(_encode_texts(table.column("split").cast(pa.string()), splits))
        position_arrays.append(position)
    return CaseLabels(
        case=_concat_arrays(case_arrays, np.int32),
        tag=_concat_arrays(tag_arrays, np.int32),
        split=_concat_arrays(split_arrays, np.int32),
        position=_concat_arrays(position_arrays, np.int32),
        tags=tags,
        splits=splits,
    )


def find_cases(run: Run, evaluator: str, field: str | None, outcome: str | None) -> NDArray[np.int64]:
    """The positions of the cases with a comparison of this field and this outcome (None: any), for outcomes not in MismatchIndex."""
    columns = ["case", *(["outcome"] if outcome else []), *(["field"] if field else [])]
    positions: list[NDArray[np.int64]] = []
    for file in _list_files(run, "comparisons", evaluator):
        table = read_table(run.path, file, columns=columns)
        is_match = np.ones(table.num_rows, dtype=np.bool_)
        if outcome:
            is_match &= encode_names(table.column("outcome"), [outcome]) == 0
        if field:
            is_match &= encode_names(table.column("field"), [field]) == 0
        positions.append(np.unique(numpy_array(table.column("case"))[is_match]))
    return _concat_arrays(positions, np.int64)


def comparisons_at(run: Run, evaluator: str, positions: Sequence[int]) -> dict[int, list[Comparison]]:
    """The comparisons of these cases by position. Values that are stored in the records only are left out."""
    comparisons: dict[int, list[Comparison]] = {}
    for table in _read_rows_at(run, "comparisons", evaluator, positions, None):
        columns: Mapping[str, Sequence[Any]] = table.to_pydict()
        for case, comparison in zip(columns["case"], read_comparisons(columns, range(table.num_rows)), strict=True):
            comparisons.setdefault(case, []).append(comparison)
    return comparisons


def verdicts_at(run: Run, evaluator: str, positions: Sequence[int]) -> dict[int, tuple[str, Sequence[str]]]:
    """The verdict and the misses of these cases, by position. Without a verdict, it is `fault` or the status."""
    verdicts: dict[int, tuple[str, Sequence[str]]] = {}
    for table in _read_rows_at(run, "results", evaluator, positions, ("case", "verdict", "status", "fault", "misses")):
        for row in table.to_pylist():
            verdicts[row["case"]] = (_verdict_or_status(row), row["misses"])
    return verdicts


def _verdict_or_status(row: Mapping[str, Any]) -> str:
    if row["status"] == "scored" or row["fault"] == "system":
        return row["verdict"] or row["status"]
    return "fault" if row["fault"] else row["status"]


def case_at(run: Run, position: int) -> Case:
    """The case at a position of a run."""
    [table] = _read_rows_at(run, "cases", None, [position], None)
    return decode_case(table.to_pylist()[0])


def _read_rows_at(
    run: Run, table: str, evaluator: str | None, positions: Sequence[int], columns: Sequence[str] | None
) -> Iterator[ArrowTable]:
    """The rows of a table for these cases, part by part; only row groups that can hold one are read."""
    all_positions = np.unique(np.array(positions, dtype=np.int64))
    for part in run.parts:
        in_part = all_positions[(all_positions >= part.first) & (all_positions < part.first + part.cases)]
        if len(in_part):
            for file in list_part_files(part, table, evaluator):
                yield read_table(run.path, file, case=in_part.tolist(), columns=columns)
