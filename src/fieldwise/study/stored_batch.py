"""The comparisons of a stored part as evaluators see them, so that an evaluator can be called again without comparing anything."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.batch import Records
from fieldwise.model.case import Cases
from fieldwise.model.comparison import ComparisonTable, Outcome
from fieldwise.model.locations import Location
from fieldwise.model.path import MalformedPath, Path
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.result import Results
from fieldwise.model.rule import CompareSpec, FieldRule, Match
from fieldwise.model.services import NO_SERVICES, Services
from fieldwise.model.values import MISSING, Value
from fieldwise.read.records_in_text import find_record
from fieldwise.score.batch import ScoringBatch
from fieldwise.store.arrow_tables import ArrowTable, arrow_column, concat_tables, numpy_array
from fieldwise.store.comparison_table import (
    DISTANCE_COLUMN,
    FIELDS_KEY,
    OUTCOMES,
    RELATIVE_DISTANCE_COLUMN,
    decode_value,
    look_up_value,
    merge_metadata,
)
from fieldwise.store.load_part import codes_of_names
from fieldwise.store.manifest import Part
from fieldwise.store.part_reader import decode_case, list_part_files, read_table
from fieldwise.store.stored_json import load_json

Side: TypeAlias = Literal["expected", "actual"]
UNPAIRED_COLUMN: Final = "unpaired"
_LATER_COLUMNS: Final = (UNPAIRED_COLUMN, DISTANCE_COLUMN, RELATIVE_DISTANCE_COLUMN)
"""Columns that runs stored by earlier versions do not have."""
_COLUMNS: Final = frozenset(("case", "field", "path", "outcome", "similarity", "passed", "extra", "equal", "aside", *_LATER_COLUMNS))


class StoredPart:
    """The comparisons of one evaluator in one part; values and records are read when they are asked for."""

    def __init__(self, folder: Location, part: Part, evaluator: str) -> None:
        self._folder, self.part = folder, part
        self._files = list_part_files(part, "comparisons", evaluator)
        self.table = self._read(lambda name: name in _COLUMNS)
        fields: list[tuple[str, str]] = load_json(self.table.schema.metadata[FIELDS_KEY.encode()])
        self.fields = [name for name, _ in fields]
        """The fields in order."""
        self.rule_texts = dict(fields)
        """Field → its rule in words."""
        self.field = codes_of_names(self.table.column("field"), self.fields).astype(np.int32)
        self.outcome = codes_of_names(self.table.column("outcome"), OUTCOMES).astype(np.uint8)
        self.similarity = numpy_array(self.table.column("similarity"), np.nan)
        self.passed = numpy_array(self.table.column("passed"))
        self.equal = numpy_array(self.table.column("equal"))

    def _read(self, columns: Callable[[str], bool]) -> ArrowTable:
        tables = [read_table(self._folder, file, columns=columns) for file in self._files]
        if not tables:
            raise LookupError("the evaluator stores no comparisons")
        return tables[0] if len(tables) == 1 else concat_tables(tables).replace_schema_metadata(merge_metadata(tables))

    def lacks(self, column: str) -> bool:
        """True for a column that the version which stored the run did not write."""
        return column not in self.table.column_names

    @cached_property  # columns of a finished part never change, and each is read only if a question needs it
    def distance(self) -> NDArray[np.float64]:
        """The smallest tolerance of each row; NaN where there is none."""
        return self._numbers(DISTANCE_COLUMN)

    @cached_property
    def relative_distance(self) -> NDArray[np.float64]:
        """The smallest relative tolerance of each row; NaN where there is none."""
        return self._numbers(RELATIVE_DISTANCE_COLUMN)

    def _numbers(self, column: str) -> NDArray[np.float64]:
        if self.lacks(column):
            return np.full(self.table.num_rows, np.nan)
        return numpy_array(self.table.column(column), np.nan)

    @cached_property
    def _value_texts(self) -> ArrowTable:
        # one chunk, because looking up a row in many chunks is slow
        return self._read(lambda name: name in ("expected", "actual")).combine_chunks()

    @cached_property
    def _aside(self) -> NDArray[np.bool_]:
        return numpy_array(self.table.column("aside"))

    def load_value(self, side: Side, row: int) -> Value:
        """The value of a side in one row."""
        if self.equal[row] or self._aside[row]:
            return self.load_values(side, np.array([row]))[0]
        return decode_value(self._value_texts.column(side).chunk(0)[row].as_py())

    def load_values(self, side: Side, rows: NDArray[np.int64]) -> list[Value]:
        """The values of a side in these rows."""
        texts: list[str | None] = self._value_texts.column(side).take(arrow_column(rows)).to_pylist()
        equal, aside = self.equal[rows], self._aside[rows]
        values: list[Value] = []
        for position, (row, text) in enumerate(zip(rows.tolist(), texts, strict=True)):
            if equal[position] or aside[position]:
                record_side = "expected" if equal[position] else side
                values.append(look_up_value(self.record(int(self._positions[row]) - self.part.first, record_side), self.path_of(row)))
            else:
                values.append(decode_value(text))
        return values

    @cached_property
    def _positions(self) -> NDArray[np.int64]:
        return numpy_array(self.table.column("case"))

    @property
    def positions(self) -> NDArray[np.int64]:
        """The position in the run of each row's case."""
        return self._positions

    @cached_property
    def _paths(self) -> tuple[NDArray[np.int32], list[str]]:
        code_of: dict[str, int] = {}
        codes = [np.zeros(0, dtype=np.int32)]
        for chunk in self.table.column("path").chunks:
            code_of_index = [code_of.setdefault(text, len(code_of)) for text in chunk.dictionary.to_pylist()]
            codes.append(np.array(code_of_index, dtype=np.int32)[numpy_array(chunk.indices)])
        return np.concatenate(codes), list(code_of)

    def path_of(self, row: int) -> str:
        """The concrete path of a row."""
        codes, paths = self._paths
        return paths[int(codes[row])]

    @cached_property
    def _records(self) -> ArrowTable:
        [file] = list_part_files(self.part, "cases")
        return read_table(self._folder, file, columns=["expected", "actual"])

    def record(self, row: int, side: str) -> Value:
        """The record of a case, by its position in the part; JSON is found in text."""
        value = decode_value(self._records.column(side)[row].as_py())
        return find_record(value).value if isinstance(value, str) else value

    def build_comparisons(self, case: NDArray[np.int64], rules: Mapping[str, FieldRule]) -> ComparisonTable:
        """All comparisons, for a batch whose cases are at these positions of the run."""
        path_codes, paths = self._paths
        rows = np.arange(self.table.num_rows)
        extra = numpy_array(self.table.column("extra"))
        unpaired = np.zeros(len(rows), dtype=np.bool_) if self.lacks(UNPAIRED_COLUMN) else numpy_array(self.table.column(UNPAIRED_COLUMN))
        return ComparisonTable(
            cases=len(case),
            case=np.searchsorted(case, self._positions).astype(np.int32),
            field=self.field,
            path=path_codes,
            outcome=self.outcome,
            similarity=self.similarity,
            passed=self.passed,
            expected=_StoredValues(self, "expected"),
            actual=_StoredValues(self, "actual"),
            fields=self.fields,
            rules=[rules.get(name) or _rule_of_leaf(name, self.rule_texts[name]) for name in self.fields],
            paths=paths,
            unmatched_actual=extra,
            unmatched_expected=unpaired,
        )


def _rule_of_leaf(name: str, text: str) -> FieldRule:
    """A rule that no suite writes: a leaf of an open comparison, or an inferred rule. The text of its match is used as its name."""
    try:
        path = Path.parse(name)
    except MalformedPath:
        path = None
    return FieldRule(path=path, text=name, match=Match(text))


class _StoredValues(Sequence[Any]):
    """The values of one side, each decoded when it is read."""

    def __init__(self, stored: StoredPart, side: Side) -> None:
        self._stored = stored
        self._side: Side = side

    @overload
    def __getitem__(self, row: int) -> Any: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[Any]: ...
    def __getitem__(self, row: int | slice) -> Any:
        if isinstance(row, slice):
            return self._stored.load_values(self._side, np.arange(len(self))[row])
        return self._stored.load_value(self._side, row)

    def __len__(self) -> int:
        return self._stored.table.num_rows


class _StoredRecords(Sequence[Any]):
    """The expected records of some cases, each read when it is asked for."""

    def __init__(self, stored: StoredPart, rows: NDArray[np.int64]) -> None:
        self._stored, self._rows = stored, rows

    @overload
    def __getitem__(self, row: int) -> Any: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[Any]: ...
    def __getitem__(self, row: int | slice) -> Any:
        if isinstance(row, slice):
            return [self._stored.record(int(at), "expected") for at in self._rows[row]]
        return self._stored.record(int(self._rows[row]), "expected")

    def __len__(self) -> int:
        return len(self._rows)


class StoredBatch:
    """A `Batch` whose comparisons are stored ones."""

    def __init__(self, stored: StoredPart, comparisons: ComparisonTable, rows: NDArray[np.int64], has_output: NDArray[np.bool_]) -> None:
        self._comparisons = comparisons
        n = len(rows)
        # evaluators ask only whether there is an output; what it says is in the comparisons
        output: Value = {}
        actual: list[Value] = [output if present else MISSING for present in has_output.tolist()]
        self.records = Records(_StoredRecords(stored, rows), actual, {}, {})
        self.cases = Cases(
            id=[""] * n,
            input=[None] * n,
            expected=[MISSING] * n,
            actual=[MISSING] * n,
            contexts=[None] * n,
            metadata=[{}] * n,
            tags=[()] * n,
            split=[None] * n,
            actuals=[None] * n,
        )
        self.services: Services = NO_SERVICES
        self.expected_texts: Sequence[str] = ()
        self.actual_texts: Sequence[str] = ()

    def __len__(self) -> int:
        return self._comparisons.cases

    def compare(self, spec: CompareSpec) -> ComparisonTable:
        """The stored comparisons, whatever is asked for."""
        del spec
        return self._comparisons

    def compare_records(self, spec: CompareSpec, expected: Sequence[Value], actual: Sequence[Value]) -> ComparisonTable:
        """Not possible: only what was compared is stored."""
        raise NotImplementedError(f"nothing is compared again: {len(expected)} and {len(actual)} records, {len(spec.rules)} rules")

    def evaluate(self, planned: PlannedEvaluator) -> Results:
        """Not possible: only one evaluator's comparisons are stored."""
        raise NotImplementedError(f"`{planned.name}` cannot be recomputed as a member")


_COMPARED: Final = (Outcome.MATCH, Outcome.WRONG_VALUE, Outcome.FORMAT_ERROR)


def find_compared_rows(stored: StoredPart, field: int) -> NDArray[np.int64]:
    """The rows of a field that a matcher decided, by similarity or distance; equal values match under every option."""
    is_compared = (stored.field == field) & np.isin(stored.outcome, _COMPARED) & ~stored.equal
    return np.flatnonzero(is_compared)


def read_stored_cases(folder: Location, part: Part, rows: NDArray[np.int64]) -> ScoringBatch:
    """The stored cases of a part at these rows, for evaluators that compare no fields."""
    [file] = list_part_files(part, "cases")
    cases = [decode_case(row) for row in read_table(folder, file).take(arrow_column(rows)).to_pylist()]
    return ScoringBatch(Cases.of(cases))
