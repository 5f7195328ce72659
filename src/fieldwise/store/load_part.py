"""Load a complete part as a `BatchOutcome`, so that the summary of a run is computed from what is stored and nothing else."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field as dataclass_field
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.model.batch import BatchOutcome, EvaluatorOutcome
from fieldwise.model.case import Cases
from fieldwise.model.comparison import ComparisonTable, Outcome
from fieldwise.model.locations import Location
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.result import Labels, Results, Status
from fieldwise.model.rule import FieldRule, Match
from fieldwise.model.values import MISSING, Value
from fieldwise.store.arrow_tables import (
    FAULTS,
    GROUP_COLUMN,
    METRIC_PREFIX,
    STATUSES,
    VERDICTS,
    ArrowColumn,
    ArrowTable,
    arrow_column,
    concat_tables,
    list_items,
    numpy_array,
    valid_rows,
    value_lengths,
)
from fieldwise.store.comparison_table import FIELDS_KEY, MEMBER_COMPARISONS, OUTCOMES, UnreadByRule, add_unread, load_unread, merge_metadata
from fieldwise.store.manifest import Part, PartFile
from fieldwise.store.part_reader import ColumnChoice, list_part_files, read_table
from fieldwise.store.stored_json import load_json
from fieldwise.summarize.vacuous import has_flag

TableLoader: TypeAlias = Callable[[PartFile, ColumnChoice | None], ArrowTable]
"""Returns a table of a part, or some of its columns."""
_CASE_COLUMNS: Final = ("id", "tags", "split", GROUP_COLUMN)
_RESULT_COLUMNS: Final = ("case", "score", "verdict", "status", "fault", "flags")
_COMPARISON_COLUMNS: Final = ("case", "field", "outcome", "similarity", "passed", "cause", "equal")
_HAS_EXPECTED: Final = np.isin(np.arange(len(Outcome)), [Outcome.MATCH, Outcome.WRONG_VALUE, Outcome.FORMAT_ERROR])
"""By outcome, whether comparisons with it always have an expected value."""
_VALUE_COLUMNS: Final = ("aside", "expected", "actual")
"""Columns of comparisons that are read only if they are needed."""


def count_fault_reasons(folder: Location, parts: Iterable[Part], evaluator: str) -> Counter[str]:
    """The reasons why cases of an evaluator are faults or unavailable, each with the number of cases. Skipped cases do not count."""
    counts: Counter[str] = Counter()
    for part in parts:
        for file in list_part_files(part, "results", evaluator):
            table = read_table(folder, file, columns=["status", "fault", "reasoning"])
            status, fault = codes_of_names(table.column("status"), STATUSES), codes_of_names(table.column("fault"), FAULTS)
            is_unmeasured = (status == Status.ERROR) & (fault == FAULTS.index("ours")) | (status == Status.UNAVAILABLE)
            counts.update(table.column("reasoning").filter(arrow_column(is_unmeasured)).to_pylist())
    return counts


def count_flagged_cases(folder: Location, parts: Iterable[Part], evaluator: str, flag: str) -> int:
    """Number of cases with this flag that an evaluator measured; a fault with the flag does not count."""
    count = 0
    for part in parts:
        for file in list_part_files(part, "results", evaluator):
            table = read_table(folder, file, columns=["status", "fault", "flags"])
            status, fault = codes_of_names(table.column("status"), STATUSES), codes_of_names(table.column("fault"), FAULTS)
            is_measured = (status == Status.SCORED) | (status == Status.ERROR) & (fault == FAULTS.index("system"))
            count += int((is_measured & has_flag(labels_from_column(table.column("flags")), flag)).sum())
    return count


def count_skip_reasons(folder: Location, parts: Iterable[Part], evaluator: str) -> Counter[str]:
    """The reasons why an evaluator skipped cases, each with the number of cases."""
    counts: Counter[str] = Counter()
    for part in parts:
        for file in list_part_files(part, "results", evaluator):
            table = read_table(folder, file, columns=["status", "reasoning"])
            is_skipped = codes_of_names(table.column("status"), STATUSES) == Status.SKIPPED
            counts.update(table.column("reasoning").filter(arrow_column(is_skipped)).to_pylist())
    return counts


def load_details(folder: Location, parts: Iterable[Part], evaluator: str) -> Iterator[Any]:
    """The details of each case of an evaluator. A caller that stops early reads no further part."""
    for part in parts:
        for file in list_part_files(part, "results", evaluator):
            for chunk in read_table(folder, file, columns=["details"]).column("details").chunks:
                yield from (load_json(text.as_py()) for text in chunk)


def stored_tables(folder: Location) -> TableLoader:
    """A loader for the tables of a stored run."""
    return lambda file, columns: read_table(folder, file, columns=columns)


@dataclass(slots=True)
class FieldsSeen:
    """Which fields the cases of a run have."""

    either: set[str] = dataclass_field(default_factory=set)
    """Fields for which some case has a value or a null, on either side."""
    cases: int = 0
    """Number of cases whose fields were compared."""
    expected: Counter[str] = dataclass_field(default_factory=Counter[str])
    """Field → number of cases whose expected record has it, null included."""

    def merge(self, other: "FieldsSeen") -> None:
        """Add what other cases have."""
        self.either |= other.either
        self.cases += other.cases
        self.expected.update(other.expected)


def load_part(
    tables: TableLoader,
    part: Part,
    evaluators: Sequence[PlannedEvaluator],
    seen_fields: FieldsSeen | None = None,
    unread: dict[str, UnreadByRule] | None = None,
) -> BatchOutcome:
    """A part as one batch, with the columns that a summary needs.

    The fields that its cases have are added to `seen_fields`; what matches could not read, to `unread`, by evaluator.
    """
    [file] = list_part_files(part, "cases")
    cases = _build_cases(tables(file, lambda name: name in _CASE_COLUMNS))
    comparison_files: dict[tuple[str, ...], _ComparisonFile] = {}
    outcomes: list[EvaluatorOutcome] = []
    for planned in evaluators:
        files = list_part_files(part, "comparisons", planned.name)
        key = tuple(file.file for file in files)
        if files and key not in comparison_files:
            comparison_files[key] = _ComparisonFile(tables, files)
        outcomes += _load_evaluator(tables, part, planned, comparison_files.get(key))
        if files and unread is not None:
            add_unread(unread.setdefault(planned.name, {}), comparison_files[key].unread)
        member_files = list_part_files(part, MEMBER_COMPARISONS, planned.name)
        if member_files:
            of_member = comparison_files[tuple(file.file for file in member_files)] = _ComparisonFile(tables, member_files)
            if unread is not None:
                add_unread(unread.setdefault(planned.name, {}), of_member.unread)
    if seen_fields is not None:
        _add_fields_seen(seen_fields, list(comparison_files.values()))
    return BatchOutcome(first=part.first, cases=cases, evaluated=outcomes)


def _add_fields_seen(seen_fields: FieldsSeen, files: "Sequence[_ComparisonFile]") -> None:
    """Add the fields of a part. Several evaluators may compare the same cases, so that the largest count of a field holds."""
    seen_fields.either.update(*(file.fields_present() for file in files))
    seen_fields.cases += max((file.count_cases() for file in files), default=0)
    expected: dict[str, int] = {}
    for file in files:
        for name, count in file.count_expected().items():
            expected[name] = max(expected.get(name, 0), count)
    seen_fields.expected.update(expected)


def _build_cases(table: ArrowTable) -> Cases:
    n = table.num_rows
    tags = labels_from_column(table.column("tags"))
    return Cases(
        id=table.column("id").to_pylist(),
        input=[None] * n,
        expected=[MISSING] * n,
        actual=[MISSING] * n,
        contexts=[None] * n,
        metadata=[{}] * n,
        tags=[tuple(tags.at(row)) for row in range(n)] if len(tags.codes) else [()] * n,
        split=table.column("split").to_pylist(),
        actuals=[None] * n,
        group=table.column(GROUP_COLUMN).to_pylist() if GROUP_COLUMN in table.column_names else [],
    )


def _load_evaluator(
    tables: TableLoader, part: Part, planned: PlannedEvaluator, comparison_file: "_ComparisonFile | None"
) -> Iterator[EvaluatorOutcome]:
    for file in list_part_files(part, "results", planned.name):
        table = tables(file, lambda name: name in _RESULT_COLUMNS or name.startswith(METRIC_PREFIX))
        case = numpy_array(table.column("case"))
        results = _build_results(table)
        results.comparisons = None if comparison_file is None else comparison_file.comparisons(case)
        results.pool = _load_pool(tables, list_part_files(part, "pool", planned.name), case)
        yield EvaluatorOutcome(evaluator=planned, rows=case - part.first, results=results)


def _build_results(table: ArrowTable) -> Results:
    n = table.num_rows
    no_labels = Labels(np.zeros(n + 1, dtype=np.int64), np.zeros(0, dtype=np.int32), [])
    faults = [None if code < 0 else FAULTS[code] for code in codes_of_names(table.column("fault"), FAULTS).tolist()]
    return Results(
        score=_to_floats(table.column("score")),
        status=codes_of_names(table.column("status"), STATUSES).astype(np.uint8),
        hits=no_labels,
        misses=no_labels,
        reasoning=[""] * n,
        metrics={
            name.removeprefix(METRIC_PREFIX): _to_floats(table.column(name))
            for name in table.column_names
            if name.startswith(METRIC_PREFIX)
        },
        details=lambda row: {"fault": faults[row]},
        verdict=codes_of_names(table.column("verdict"), VERDICTS).astype(np.int8),
        flags=labels_from_column(table.column("flags")),
    )


def _to_floats(column: ArrowColumn) -> NDArray[np.float64]:
    """The numbers of a column, NaN where it is null."""
    return np.where(valid_rows(column), numpy_array(column, 0), np.float64(np.nan))


def labels_from_column(column: ArrowColumn) -> Labels:
    """A column of lists of texts as labels."""
    lengths = value_lengths(column, 0).astype(np.int64)
    code_of: dict[str, int] = {}
    codes = [np.zeros(0, dtype=np.int32)]
    for items in list_items(column):
        dictionary = items if pa.types.is_dictionary(items.type) else items.dictionary_encode()
        code_of_index = [code_of.setdefault(text, len(code_of)) for text in dictionary.dictionary.to_pylist()]
        codes.append(np.array(code_of_index, dtype=np.int32)[numpy_array(dictionary.indices)])
    return Labels(np.concatenate([[0], np.cumsum(lengths)]), np.concatenate(codes), list(code_of))


def codes_of_names(column: ArrowColumn, names: Sequence[str]) -> NDArray[np.int64]:
    """A column of dictionary-encoded text as indexes into `names`; -1 where it is null."""
    code_of = {name: code for code, name in enumerate(names)}
    codes = [np.zeros(0, dtype=np.int64)]
    for chunk in column.chunks:
        code_of_index = np.array([*(code_of[name] for name in chunk.dictionary.to_pylist()), -1], dtype=np.int64)
        codes.append(code_of_index[numpy_array(chunk.indices, len(code_of_index) - 1)])
    return np.concatenate(codes)


def _load_pool(tables: TableLoader, files: Sequence[PartFile], case_positions: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    if not files:
        return {}
    table = tables(files[0], None)
    columns = {name: table.column(name).to_numpy() for name in table.column_names}
    return columns | {"case": _rows_of_positions(columns["case"], case_positions)}


def _rows_of_positions(positions: NDArray[np.int64], case_positions: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row of each of these positions among the cases, which are sorted by position."""
    if len(case_positions) and int(case_positions[-1]) - int(case_positions[0]) + 1 == len(case_positions):  # consecutive cases
        return positions - case_positions[0]
    return np.searchsorted(case_positions, positions)


class _ComparisonFile:
    """A stored table of comparisons. Its fields are in the order of their first occurrence in the run."""

    def __init__(self, tables: TableLoader, files: Sequence[PartFile]) -> None:
        self._tables, self._files = tables, files
        self._table = table = self._read(_COMPARISON_COLUMNS)
        fields: list[tuple[str, str]] = load_json(table.schema.metadata[FIELDS_KEY.encode()])
        self._fields = [name for name, _ in fields]
        # Only the text of the rule is stored; a summary needs no more, so it is used as the name of the match, and as that of the rule.
        rules = {rule: FieldRule(path=None, text=rule, match=Match(rule)) for rule in {rule for _, rule in fields}}
        self._rules = [rules[rule] for _, rule in fields]
        self.unread = load_unread(table)
        self._field = codes_of_names(table.column("field"), self._fields).astype(np.int32)
        self._outcome = codes_of_names(table.column("outcome"), OUTCOMES).astype(np.uint8)
        self._cache: dict[bytes, ComparisonTable] = {}

    def _read(self, columns: Sequence[str]) -> ArrowTable:
        # Evaluators may share the comparisons of some batches and not of others; an evaluator then has several tables.
        tables = [self._tables(file, columns) for file in self._files]
        return tables[0] if len(tables) == 1 else concat_tables(tables).replace_schema_metadata(merge_metadata(tables))

    @cached_property  # read only if a caller needs values
    def _values(self) -> ArrowTable:
        return self._read(_VALUE_COLUMNS)

    def fields_present(self) -> set[str]:
        """The fields with a value or a null in at least one case. An output that is null as a whole has no fields, not even null ones."""
        is_present = self._fields_of_rows(numpy_array(self._table.column("equal")))
        if not is_present.all():  # most fields are right in some case; only for the others the values are read
            aside, expected, actual = map(self._values.column, _VALUE_COLUMNS)
            has_actual = valid_rows(actual) & (self._outcome != Outcome.BOTH_ABSENT)
            is_present |= self._fields_of_rows(numpy_array(aside) | valid_rows(expected) | has_actual)
        return {self._fields[index] for index in np.flatnonzero(is_present).tolist()}

    def count_cases(self) -> int:
        """The number of cases that were compared."""
        case = numpy_array(self._table.column("case"))  # the rows of a case are one after the other
        return int(np.count_nonzero(case[1:] != case[:-1])) + 1 if len(case) else 0

    def count_expected(self) -> dict[str, int]:
        """By field, the number of cases whose expected record has it, null included."""
        has_expected = _HAS_EXPECTED[self._outcome]
        if not has_expected.all():  # the outcome of the others does not tell
            aside, expected, _ = map(self._values.column, _VALUE_COLUMNS)
            has_expected |= numpy_array(aside) | valid_rows(expected)
        field, case = self._field[has_expected], numpy_array(self._table.column("case"))[has_expected]
        is_first = np.ones(len(case), dtype=np.bool_)  # of the items of a list, which are one after the other
        is_first[1:] = (case[1:] != case[:-1]) | (field[1:] != field[:-1])
        counts = np.bincount(field[is_first], minlength=len(self._fields)).tolist()
        return dict(zip(self._fields, counts, strict=True))

    def _fields_of_rows(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """For each field, whether one of these rows belongs to it."""
        has_row = np.zeros(len(self._fields), dtype=np.bool_)
        has_row[self._field[rows]] = True
        return has_row

    def comparisons(self, case_positions: NDArray[np.int64]) -> ComparisonTable:
        """The comparisons of a batch whose cases are at these positions. Evaluators with the same cases get the same object."""
        key = case_positions.tobytes()  # the positions themselves: the arrays of two evaluators are different objects
        if key not in self._cache:
            self._cache[key] = self._build_comparisons(case_positions)
        return self._cache[key]

    def _build_comparisons(self, case_positions: NDArray[np.int64]) -> ComparisonTable:
        table = self._table
        faults = np.flatnonzero(self._outcome == Outcome.FAULT)
        return ComparisonTable(
            cases=len(case_positions),
            case=_rows_of_positions(numpy_array(table.column("case")), case_positions).astype(np.int32),
            field=self._field,
            path=np.zeros(table.num_rows, dtype=np.int32),
            outcome=self._outcome,
            similarity=_to_floats(table.column("similarity")),
            passed=numpy_array(table.column("passed")),
            expected=self._load_values("expected", faults),
            actual=self._load_values("actual", faults),
            fields=self._fields,
            rules=self._rules,
            paths=[""],
            cause=_sparse_values(table.column("cause")),
        )

    def _load_values(self, side: str, rows: NDArray[np.int64]) -> list[Value]:
        """The values of these rows, MISSING for all others."""
        values: list[Value] = [MISSING] * self._table.num_rows
        texts: list[str | None] = self._values.column(side).take(arrow_column(rows)).to_pylist() if len(rows) else []
        for row, text in zip(rows.tolist(), texts, strict=True):
            values[row] = MISSING if text is None else load_json(text)
        return values


def _sparse_values(column: ArrowColumn) -> dict[int, str]:
    """The texts of a dictionary-encoded column by row, without nulls."""
    texts: dict[int, str] = {}
    first = 0
    for chunk in column.chunks:
        text_of_code: list[str] = chunk.dictionary.to_pylist()
        codes = numpy_array(chunk.indices, -1)
        rows = np.flatnonzero(codes >= 0)
        texts.update(zip((rows + first).tolist(), map(text_of_code.__getitem__, codes[rows].tolist()), strict=True))
        first += len(chunk)
    return texts
