"""What evaluators said, rebuilt from the tables of complete parts, so that a run's summary rests on nothing but what is stored."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from fieldwise.model.batch import BatchOutcome, Evaluated
from fieldwise.model.case import Cases
from fieldwise.model.comparison import Comparisons, Outcome
from fieldwise.model.locations import Place
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.result import Labels, Results
from fieldwise.model.rule import FieldRule, Match
from fieldwise.model.values import MISSING, Value
from fieldwise.store.arrow_tables import FAULTS, METRIC, STATUSES, VERDICTS, ArrowColumn, ArrowTable, array_of, column_of, joined
from fieldwise.store.comparison_table import FIELDS, OUTCOMES, all_fields
from fieldwise.store.manifest import Part, PartFile
from fieldwise.store.part_reader import Columns, files_of, read_table
from fieldwise.store.stored_json import from_text

pc: Any = pyarrow.compute  # its functions are made at run time, so no checker knows them

Tables: TypeAlias = Callable[[PartFile, Columns | None], ArrowTable]
"""Gives some columns of a table of a part, or all of them."""
_RESULTS: Final = ("case", "score", "verdict", "status", "fault", "flags")
_COMPARED: Final = ("case", "field", "outcome", "similarity", "passed", "cause", "equal")
_VALUES: Final = ("aside", "expected", "actual")
"""What is seldom needed of comparisons."""


def reasons(folder: Place, parts: Iterable[Part], evaluator: str) -> Counter[str]:
    """Why results of an evaluator are no measurement, in its own words, with how many cases that is so for; skipped cases left out."""
    found: Counter[str] = Counter()
    for part in parts:
        for file in files_of(part, "results", evaluator):
            table = read_table(folder, file, columns=["status", "fault", "reasoning"])
            status, fault = (table.column(name).cast(pa.string()) for name in ("status", "fault"))
            ours = pc.and_(pc.equal(status, "error"), pc.equal(pc.fill_null(fault, ""), "ours"))
            found.update(table.column("reasoning").filter(pc.or_(ours, pc.equal(status, "unavailable"))).to_pylist())
    return found


def on_disk(folder: Place) -> Tables:
    """The tables of the parts of a run, read from where they are stored."""
    return lambda file, columns: read_table(folder, file, columns=columns)


def outcome_of(tables: Tables, part: Part, evaluators: Sequence[PlannedEvaluator], seen: set[str] | None = None) -> BatchOutcome:
    """A part as one batch, with everything that a summary looks at and nothing else; `seen` gets the fields that cases have."""
    [file] = files_of(part, "cases")
    cases = _cases(tables(file, ["id", "tags", "split"]))
    shared: dict[tuple[str, ...], _Compared] = {}
    found: list[Evaluated] = []
    for planned in evaluators:
        files = files_of(part, "comparisons", planned.name)
        key = tuple(file.file for file in files)
        if files and key not in shared:
            shared[key] = _Compared(tables, files)
        found += _evaluated(tables, part, planned, shared.get(key))
    if seen is not None:
        seen.update(*(compared.there() for compared in shared.values()))
    return BatchOutcome(first=part.first, cases=cases, evaluated=found)


def _cases(table: ArrowTable) -> Cases:
    n = table.num_rows
    tags = _labels(table.column("tags"))
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
    )


def _evaluated(tables: Tables, part: Part, planned: PlannedEvaluator, compared: "_Compared | None") -> Iterator[Evaluated]:
    for file in files_of(part, "results", planned.name):
        table = tables(file, lambda name: name in _RESULTS or name.startswith(METRIC))
        case = array_of(table.column("case"))
        results = _results(table)
        results.comparisons = None if compared is None else compared.comparisons(case)
        results.pool = _pool(tables, files_of(part, "pool", planned.name), case)
        yield Evaluated(evaluator=planned, rows=case - part.first, results=results)


def _results(table: ArrowTable) -> Results:
    n = table.num_rows
    nothing = Labels(np.zeros(n + 1, dtype=np.int64), np.zeros(0, dtype=np.int32), [])
    whose = [None if code < 0 else FAULTS[code] for code in _codes(table.column("fault"), FAULTS).tolist()]
    return Results(
        score=_numbers(table.column("score")),
        status=_codes(table.column("status"), STATUSES).astype(np.uint8),
        hits=nothing,
        misses=nothing,
        reasoning=[""] * n,
        metrics={name.removeprefix(METRIC): _numbers(table.column(name)) for name in table.column_names if name.startswith(METRIC)},
        details=lambda row: {"fault": whose[row]},
        verdict=_codes(table.column("verdict"), VERDICTS).astype(np.int8),
        flags=_labels(table.column("flags")),
    )


def _numbers(column: ArrowColumn) -> NDArray[np.float64]:
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    return array_of(column.cast(pa.float64()), np.nan)


def _labels(column: ArrowColumn) -> Labels:
    lengths = array_of(pc.list_value_length(column), 0).astype(np.int64)
    known: dict[str, int] = {}
    codes = [np.zeros(0, dtype=np.int32)]
    for chunk in pc.list_flatten(column).chunks:
        coded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        at = [known.setdefault(text, len(known)) for text in coded.dictionary.to_pylist()]
        codes.append(np.array(at, dtype=np.int32)[array_of(coded.indices)])
    return Labels(np.concatenate([[0], np.cumsum(lengths)]), np.concatenate(codes), list(known))


def _codes(column: ArrowColumn, names: Sequence[str]) -> NDArray[np.int64]:
    """A column of dictionary-encoded text as positions in `names`; -1 where it is null."""
    place = {name: at for at, name in enumerate(names)}
    found = [np.zeros(0, dtype=np.int64)]
    for chunk in column.chunks:
        at = np.array([*(place[name] for name in chunk.dictionary.to_pylist()), -1], dtype=np.int64)
        found.append(at[array_of(chunk.indices, len(at) - 1)])
    return np.concatenate(found)


def _pool(tables: Tables, files: Sequence[PartFile], case: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    if not files:
        return {}
    table = tables(files[0], None)
    columns = {name: table.column(name).to_numpy() for name in table.column_names}
    return columns | {"case": _places(columns["case"], case)}


def _places(positions: NDArray[np.int64], case: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of these positions stands among those of some cases, which rise."""
    if len(case) and int(case[-1]) - int(case[0]) + 1 == len(case):  # nobody is missing in between
        return positions - case[0]
    return np.searchsorted(case, positions)


class _Compared:
    """A stored table of comparisons. Its fields are in the order in which the run came upon them."""

    def __init__(self, tables: Tables, files: Sequence[PartFile]) -> None:
        self._tables, self._files = tables, files
        self._table = table = self._read(_COMPARED)
        named: list[tuple[str, str]] = [(name, rule) for name, rule in from_text(table.schema.metadata[FIELDS.encode()])]
        self._fields = [name for name, _ in named]
        self._rules = [FieldRule(path=None, text=name, match=Match(rule)) for name, rule in named]
        self._field = _codes(table.column("field"), self._fields).astype(np.int32)
        self._outcome = _codes(table.column("outcome"), OUTCOMES).astype(np.uint8)
        self._made: dict[bytes, Comparisons] = {}

    def _read(self, columns: Sequence[str]) -> ArrowTable:
        # Evaluators may share the comparisons of some batches and not of others, so that one has several tables.
        tables = [self._tables(file, columns) for file in self._files]
        return tables[0] if len(tables) == 1 else joined(tables).replace_schema_metadata({FIELDS: all_fields(tables)})

    @cached_property
    def _values(self) -> ArrowTable:
        return self._read(_VALUES)

    def there(self) -> set[str]:
        """The fields that some case has a value or a null for. An output that is null as a whole has no fields, not even null ones."""
        seen = self._seen(array_of(self._table.column("equal")))
        if not seen.all():  # most fields are right in some case, and the others need a closer look
            aside, expected, actual = map(self._values.column, _VALUES)
            given = array_of(pc.is_valid(actual)) & (self._outcome != Outcome.BOTH_ABSENT)
            seen |= self._seen(array_of(aside) | array_of(pc.is_valid(expected)) | given)
        return {self._fields[at] for at in np.flatnonzero(seen).tolist()}

    def _seen(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """For each field, whether it is that of one of these rows."""
        seen = np.zeros(len(self._fields), dtype=np.bool_)
        seen[self._field[rows]] = True
        return seen

    def comparisons(self, case: NDArray[np.int64]) -> Comparisons:
        """The comparisons as those of a batch whose cases are at these positions of the run; the same for every evaluator that asks."""
        key = case.tobytes()
        if key not in self._made:
            self._made[key] = self._comparisons(case)
        return self._made[key]

    def _comparisons(self, case: NDArray[np.int64]) -> Comparisons:
        table = self._table
        faults = np.flatnonzero(self._outcome == Outcome.FAULT)
        return Comparisons(
            cases=len(case),
            case=_places(array_of(table.column("case")), case).astype(np.int32),
            field=self._field,
            path=np.zeros(table.num_rows, dtype=np.int32),
            outcome=self._outcome,
            similarity=_numbers(table.column("similarity")),
            passed=array_of(table.column("passed")),
            expected=self._some("expected", faults),
            actual=self._some("actual", faults),
            fields=self._fields,
            rules=self._rules,
            paths=[""],
            cause=_sparse(table.column("cause")),
        )

    def _some(self, side: str, rows: NDArray[np.int64]) -> list[Value]:
        """The values of these rows; of the others, nothing."""
        values: list[Value] = [MISSING] * self._table.num_rows
        texts: list[str | None] = self._values.column(side).take(column_of(rows)).to_pylist() if len(rows) else []
        for row, text in zip(rows.tolist(), texts, strict=True):
            values[row] = MISSING if text is None else from_text(text)
        return values


def _sparse(column: ArrowColumn) -> dict[int, str]:
    known = np.flatnonzero(array_of(pc.is_valid(column)))
    return dict(zip(known.tolist(), column.take(column_of(known)).cast(pa.string()).to_pylist(), strict=True)) if len(known) else {}
