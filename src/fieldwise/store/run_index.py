"""The little of a large run that a page needs: scores without texts, and only those row groups that hold the cases it shows."""

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
from fieldwise.store.arrow_tables import FAULTS, STATUSES, VERDICTS, ArrowTable
from fieldwise.store.comparison_table import OUTCOMES, read_comparisons
from fieldwise.store.part_reader import decode_case as stored_case
from fieldwise.store.part_reader import list_part_files, read_table
from fieldwise.store.run import Run

pc: Any = pyarrow.compute  # its functions are made at run time, so no checker knows them

_MATCH: Final = OUTCOMES.index("match")
_SCORES: Final = ("case", "score", "verdict", "status", "fault")


@dataclass(frozen=True)
class EvaluatorScores:
    """What an evaluator says of every case it is for, without a word."""

    case: NDArray[np.int32]
    """The position of the case in the run, rising."""
    score: NDArray[np.float64]
    verdict: NDArray[np.int8]
    """An index into VERDICTS, or -1."""
    status: NDArray[np.int8]
    """An index into STATUSES."""
    fault: NDArray[np.int8]
    """An index into FAULTS, or -1."""

    @cached_property
    def measured(self) -> NDArray[np.bool_]:
        """Scored cases and failures of the system; not faults of ours, nor what was skipped or unavailable."""
        failed = (self.status == STATUSES.index("error")) & (self.fault == FAULTS.index("system"))
        return (self.status == STATUSES.index("scored")) | failed

    @cached_property
    def ascending(self) -> NDArray[np.int32]:
        """Rows from the lowest score up; among equals those that came first."""
        return np.argsort(self.score, kind="stable").astype(np.int32)

    @cached_property
    def descending(self) -> NDArray[np.int32]:
        """Rows from the highest score down; among equals those that came first."""
        return np.argsort(-self.score, kind="stable").astype(np.int32)


def load_scores(run: Run, evaluator: str) -> EvaluatorScores:
    """The scores of an evaluator, about 24 bytes for each case."""
    tables = [
        read_table(run.path, file, columns=list(_SCORES)) for part in run.parts for file in list_part_files(part, "results", evaluator)
    ]
    names: tuple[tuple[str, Sequence[str]], ...] = (("verdict", VERDICTS), ("status", STATUSES), ("fault", FAULTS))
    coded = [_concat_arrays([_encode_names(table.column(name), known) for table in tables], np.int8) for name, known in names]
    case = _concat_arrays([table.column("case").to_numpy() for table in tables], np.int32)
    return EvaluatorScores(case, _concat_arrays([table.column("score").to_numpy() for table in tables], np.float64), *coded)


def _concat_arrays(arrays: Sequence[NDArray[Any]], kind: Any) -> NDArray[Any]:
    return np.concatenate(arrays).astype(kind, copy=False) if arrays else np.zeros(0, dtype=kind)


def _encode_names(column: Any, names: Sequence[str]) -> NDArray[np.int8]:
    """A column of few texts as indices into these names; -1 for null and for what is none of them."""
    found: list[NDArray[np.int8]] = []
    for chunk in column.chunks:
        coded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        place = np.array([names.index(text) if text in names else -1 for text in coded.dictionary.to_pylist()] + [-1], dtype=np.int8)
        found.append(place[np.asarray(pc.fill_null(coded.indices, len(place) - 1))])
    return _concat_arrays(found, np.int8)


class CaseIds:
    """The ids of the cases of a run, by position."""

    def __init__(self, firsts: Sequence[int], columns: Sequence[Any]) -> None:
        self._firsts = np.array([*firsts], dtype=np.int64)
        self._columns = columns

    def at(self, positions: Sequence[int]) -> list[str]:
        """The ids of the cases at these positions."""
        parts = (np.searchsorted(self._firsts, positions, side="right") - 1).tolist()
        return [self._columns[part][position - int(self._firsts[part])].as_py() for part, position in zip(parts, positions, strict=True)]

    def position(self, name: str) -> int | None:
        """Where the case with this id stands."""
        for first, column in zip(self._firsts.tolist(), self._columns, strict=True):
            found = pc.index(column, name).as_py()
            if found >= 0:
                return first + found
        return None

    def containing(self, text: str) -> NDArray[np.int64]:
        """The positions of the cases whose id has this text in it, whatever its case."""
        found = [
            np.flatnonzero(np.asarray(pc.match_substring(column, text, ignore_case=True))) + first
            for first, column in zip(self._firsts.tolist(), self._columns, strict=True)
        ]
        return _concat_arrays(found, np.int64)


def load_case_ids(run: Run) -> CaseIds:
    """The ids of a run's cases."""
    columns = [
        read_table(run.path, file, columns=["id"]).column("id").combine_chunks()
        for part in run.parts
        for file in list_part_files(part, "cases")
    ]
    return CaseIds([part.first for part in run.parts], columns)


@dataclass(frozen=True)
class MismatchIndex:
    """Every comparison of an evaluator that is no match, without its values: few, where a system is any good."""

    case: NDArray[np.int32]
    field: NDArray[np.int32]
    outcome: NDArray[np.int8]
    """An index into OUTCOMES."""
    cause: NDArray[np.int32]
    """An index into `causes`, or -1."""
    fields: Sequence[str]
    causes: Sequence[str]


def load_mismatches(run: Run, evaluator: str) -> MismatchIndex:
    """What does not match, gathered part by part."""
    fields, causes = dict[str, int](), dict[str, int]()
    found: list[tuple[NDArray[Any], ...]] = []
    for part in run.parts:
        for file in list_part_files(part, "comparisons", evaluator):
            table = read_table(run.path, file, columns=["case", "outcome", "field", "cause"])
            outcome = _encode_names(table.column("outcome"), OUTCOMES)
            rows = np.flatnonzero(outcome != _MATCH)
            kept = table.take(pa.array(rows))
            known = (_encode_texts(kept.column("field"), fields), _encode_texts(kept.column("cause"), causes))
            found.append((kept.column("case").to_numpy().astype(np.int32), known[0], outcome[rows], known[1]))
    kinds = (np.int32, np.int32, np.int8, np.int32)
    case, field, became, cause = (_concat_arrays([one[at] for one in found], kind) for at, kind in enumerate(kinds))
    return MismatchIndex(case, field, became, cause, list(fields), list(causes))


def _encode_texts(column: Any, known: dict[str, int]) -> NDArray[np.int32]:
    """A column of repeated texts as numbers; new texts get the next number, null is -1."""
    found: list[NDArray[np.int32]] = []
    for chunk in column.chunks:
        coded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        place = np.array([known.setdefault(text, len(known)) for text in coded.dictionary.to_pylist()] + [-1], dtype=np.int32)
        found.append(place[np.asarray(pc.fill_null(coded.indices, len(place) - 1))])
    return _concat_arrays(found, np.int32)


@dataclass(frozen=True)
class CaseLabels:
    """The tags and splits of the cases of a run."""

    case: NDArray[np.int32]
    """The position of the case that has the tag at the same place."""
    tag: NDArray[np.int32]
    split: NDArray[np.int32]
    """For each case in order an index into `splits`, or -1."""
    position: NDArray[np.int32]
    tags: Mapping[str, int]
    splits: Mapping[str, int]

    def with_tag(self, name: str) -> NDArray[np.int32]:
        """The positions of the cases with this tag."""
        return self.case[self.tag == self.tags.get(name, -2)]

    def in_split(self, name: str) -> NDArray[np.int32]:
        """The positions of the cases in this split."""
        return self.position[self.split == self.splits.get(name, -2)]


def load_case_labels(run: Run) -> CaseLabels:
    """The tags and splits of a run's cases."""
    tags, splits = dict[str, int](), dict[str, int]()
    found: list[tuple[NDArray[Any], ...]] = []
    for part in run.parts:
        for file in list_part_files(part, "cases"):
            table = read_table(run.path, file, columns=["case", "tags", "split"])
            position = table.column("case").to_numpy()
            listed = table.column("tags").combine_chunks()
            owner = position[np.asarray(pc.list_parent_indices(listed))]
            tag = _encode_texts(pa.chunked_array([pc.list_flatten(listed)]), tags)
            split = _encode_texts(table.column("split").cast(pa.string()), splits)
            found.append((owner, tag, split, position))
    owner, tag, split, position = (_concat_arrays([one[at] for one in found], np.int32) for at in range(4))
    return CaseLabels(case=owner, tag=tag, split=split, position=position, tags=tags, splits=splits)


def find_cases(run: Run, evaluator: str, field: str | None, outcome: str | None) -> NDArray[np.int64]:
    """The positions of the cases where a field (or any) was compared, or became this: for outcomes that `Wrongs` does not remember."""
    columns = ["case", *(["outcome"] if outcome else []), *(["field"] if field else [])]
    found: list[NDArray[np.int64]] = []
    for part in run.parts:
        for file in list_part_files(part, "comparisons", evaluator):
            table = read_table(run.path, file, columns=columns)
            kept = np.ones(table.num_rows, dtype=np.bool_)
            if outcome:
                kept &= _encode_names(table.column("outcome"), [outcome]) == 0
            if field:
                kept &= _encode_names(table.column("field"), [field]) == 0
            found.append(np.unique(table.column("case").to_numpy()[kept]))
    return _concat_arrays(found, np.int64)


def comparisons_at(run: Run, evaluator: str, positions: Sequence[int]) -> dict[int, list[Comparison]]:
    """The comparisons of these cases by position. Values that stand in the records are not looked up."""
    found: dict[int, list[Comparison]] = {}
    for table in _read_rows_at(run, "comparisons", evaluator, positions, None):
        rows: Mapping[str, Sequence[Any]] = table.to_pydict()
        for case, one in zip(rows["case"], read_comparisons(rows, range(table.num_rows)), strict=True):
            found.setdefault(case, []).append(one)
    return found


def verdicts_at(run: Run, evaluator: str, positions: Sequence[int]) -> dict[int, tuple[str, Sequence[str]]]:
    """The verdict (or what there is instead of one: `fault`, or the status) and the misses of these cases, by position."""
    found: dict[int, tuple[str, Sequence[str]]] = {}
    for table in _read_rows_at(run, "results", evaluator, positions, ("case", "verdict", "status", "fault", "misses")):
        for row in table.to_pylist():
            scored = row["status"] == "scored" or row["fault"] == "system"
            found[row["case"]] = ((row["verdict"] if scored else "fault" if row["fault"] else None) or row["status"], row["misses"])
    return found


def case_at(run: Run, position: int) -> Case:
    """The case at a position of a run."""
    [table] = _read_rows_at(run, "cases", None, [position], None)
    return stored_case(table.to_pylist()[0])


def _read_rows_at(
    run: Run, table: str, evaluator: str | None, positions: Sequence[int], columns: Sequence[str] | None
) -> Iterator[ArrowTable]:
    """The rows of a table about these cases, part by part; only row groups that may hold one are read."""
    wanted = np.unique(np.array(positions, dtype=np.int64))
    for part in run.parts:
        here = wanted[(wanted >= part.first) & (wanted < part.first + part.cases)]
        for file in list_part_files(part, table, evaluator) if len(here) else ():
            yield read_table(run.path, file, case=here.tolist(), columns=columns)
