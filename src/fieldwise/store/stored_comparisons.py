"""The comparisons of a stored run as one table: every field of every case, or only those that are wrong."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, fields
from functools import lru_cache, partial
from html import escape
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.model.comparison import UNCOUNTED_OUTCOMES, Comparison
from fieldwise.model.comparison_list import import_package
from fieldwise.model.locations import Location
from fieldwise.model.values import MISSING
from fieldwise.store.arrow_tables import ArrowTable, encode_parquet, numpy_array, select_rows, text_column
from fieldwise.store.comparison_table import EVIDENCE_COLUMNS, decode_value, read_comparisons, read_match_names
from fieldwise.store.manifest import Part
from fieldwise.store.part_reader import find_case, list_part_files, read_table
from fieldwise.store.stored_json import dump_json

_TEXT_COLUMNS: Final = ("case", "evaluator", "field", "path", "expected", "actual", "outcome", "cause")
COLUMNS: Final = (*_TEXT_COLUMNS, "similarity", "note")
_ROWS_PER_BLOCK: Final = 20_000
"""Python objects take many times the memory of a table, so rows are converted in blocks of this size."""
MAX_HTML_ROWS: Final = 50
_MAX_HTML_CHARS: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredComparison:
    """One comparison of a run. The attributes of `comparison` can be read directly: `stored.expected`."""

    case: str
    """The case's id."""
    evaluator: str
    """The evaluator's name."""
    comparison: Comparison
    """What was compared."""

    def __getattr__(self, name: str) -> Any:
        """Read an attribute of the comparison, such as `path`, `expected`, `actual` or `cause`."""
        if name not in _COMPARISON_FIELDS:
            attributes = ", ".join(["case", "evaluator", *sorted(_COMPARISON_FIELDS)])
            raise AttributeError(f"a stored comparison has no `{name}`; it has {attributes}")
        return getattr(self.comparison, name)

    def to_json(self) -> dict[str, Any]:
        """A JSON-serializable dict with the keys of `COLUMNS`, and confidence, page and box if known; a side without a value is None."""
        comparison = self.comparison
        return {
            "case": self.case,
            "evaluator": self.evaluator,
            "field": comparison.field,
            "path": comparison.path,
            "expected": comparison.expected,
            "actual": comparison.actual,
            "outcome": comparison.outcome,
            "cause": comparison.cause,
            "similarity": comparison.similarity,
            "note": comparison.note,
            **comparison.evidence_json(),
        }


_COMPARISON_FIELDS: Final = frozenset(attribute.name for attribute in fields(Comparison))


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonFilter:
    """Which comparisons to list; None selects all of them."""

    mismatches_only: bool = False
    field: str | None = None
    """The path of a rule, a concrete path, or the path of an object or list that contains them."""
    cause: str | None = None
    case: str | None = None

    def selects_path(self, path: str) -> bool:
        """Whether a path of a rule or a concrete path is the selected field, or inside it.

        >>> selected = ComparisonFilter(field="items")
        >>> [selected.selects_path(path) for path in ("items", "items[2].sku", "items.count", "items_total")]
        [True, True, True, False]
        """
        return self.field is None or path == self.field or path.startswith((f"{self.field}.", f"{self.field}["))


@dataclass(frozen=True, slots=True, repr=False)
class StoredComparisons:
    """The comparisons of a run, read when needed: iterate over them, or convert them to a table with the columns of `COLUMNS`."""

    folder: Location
    parts: Sequence[Part]
    evaluators: Sequence[str]
    filter: ComparisonFilter = field(default_factory=ComparisonFilter)

    def __iter__(self) -> Iterator[StoredComparison]:
        for source, block in self._blocks():
            for position, comparison in zip(block.case, block.comparisons(), strict=True):
                yield StoredComparison(case=source.cases.id_of(position), evaluator=source.evaluator, comparison=comparison)

    def __len__(self) -> int:
        return sum(source.rows.num_rows for source in self._sources(_FILTER_COLUMNS))

    def to_arrow(self) -> ArrowTable:
        """A pyarrow table. Values are text: texts as they are, others as JSON, null where a side has no value.

        Where comparisons that passed are among them, the column `passed` tells which.
        """
        tables = [_to_arrow(source, block) for source, block in self._blocks()]
        if not tables:
            texts = dict.fromkeys(_TEXT_COLUMNS, pa.array([], pa.string()))
            numbers = {"similarity": pa.array([], pa.float64()), "note": pa.array([], pa.string()), "passed": pa.array([], pa.bool_())}
            tables = [pa.table({**texts, **numbers})]
        table = pa.concat_tables(tables, promote_options="default")  # a part without evidence lacks its columns
        return table.drop_columns(["passed"]) if self.filter.mismatches_only else table  # no mismatch has passed

    def to_parquet(self) -> bytes:
        """`to_arrow` as the content of a Parquet file."""
        return encode_parquet(self.to_arrow())

    def to_pandas(self) -> Any:
        """A pandas DataFrame. Values keep their types: `expected` and `actual` are columns of Python objects."""
        pandas = import_package("pandas")
        frame = self.to_arrow().to_pandas()
        for side in ("expected", "actual"):
            values = np.empty(len(frame), dtype=object)
            values[:] = [getattr(stored.comparison, side) for stored in self]
            frame[side] = pandas.Series(values, index=frame.index, dtype=object)
        return frame

    def to_polars(self) -> Any:
        """`to_arrow` as a polars DataFrame."""
        return import_package("polars").from_arrow(self.to_arrow())

    def list_paths(self) -> list[str]:
        """Every field and every concrete path, whatever the filter's field is."""
        everything = StoredComparisons(self.folder, self.parts, self.evaluators)
        paths: dict[str, None] = {}
        for source in everything._sources(("case", "field", "path", "passed", "outcome", "cause")):
            for name in ("field", "path"):
                paths.update(dict.fromkeys(source.rows.column(name).unique().to_pylist()))
        return list(paths)

    def __repr__(self) -> str:
        noun, plural = ("mismatch", "mismatches") if self.filter.mismatches_only else ("comparison", "comparisons")
        return f"<{len(self)} {noun if len(self) == 1 else plural}; iterate over them, or call .to_pandas(), .to_polars() or .to_arrow()>"

    def _repr_html_(self) -> str:
        """HTML for notebooks: the first rows. Everything from data is escaped."""
        return _render_html(self)

    def _blocks(self) -> "Iterator[tuple[_Source, _Block]]":
        for source in self._sources(None):
            for start in range(0, source.rows.num_rows, _ROWS_PER_BLOCK):
                yield source, _Block(source, source.rows.slice(start, _ROWS_PER_BLOCK).to_pydict())

    def _sources(self, columns: Sequence[str] | None) -> "Iterator[_Source]":
        """The selected rows of each part and evaluator; `columns` limits what is read."""
        parts, position = self.parts, None
        if self.filter.case is not None:
            part_and_position = find_case(self.folder, self.parts, self.filter.case)
            if part_and_position is None:
                raise KeyError(f"the run has no case `{self.filter.case}`")
            parts, position = [part_and_position[0]], part_and_position[1]
        for part in parts:
            tables: dict[str, ArrowTable] = {}  # evaluators that share comparisons share a file
            cases = PartCases(self.folder, part)
            for evaluator in self.evaluators:
                for file in list_part_files(part, "comparisons", evaluator):
                    if file.file not in tables:
                        tables[file.file] = self._select_rows(read_table(self.folder, file, case=position, columns=columns))
                    yield _Source(evaluator, tables[file.file], cases)

    def _select_rows(self, table: ArrowTable) -> ArrowTable:
        selected = np.ones(table.num_rows, dtype=np.bool_)
        if self.filter.mismatches_only:
            selected &= ~numpy_array(table.column("passed"))
            selected &= ~_mask_of(table, "outcome", UNCOUNTED_OUTCOMES.__contains__)
        if self.filter.field is not None:
            selected &= _mask_of(table, "field", self.filter.selects_path) | _mask_of(table, "path", self.filter.selects_path)
        if self.filter.cause is not None:
            selected &= _mask_of(table, "cause", self.filter.cause.__eq__)
        return select_rows(table, selected)


_FILTER_COLUMNS: Final = ("case", "field", "path", "outcome", "passed", "cause")


def _mask_of(table: ArrowTable, column: str, selects: Callable[[str], bool]) -> NDArray[np.bool_]:
    """For each row, whether a predicate holds for its text; False where there is none. Each distinct text is tested once."""
    masks = [np.zeros(0, dtype=np.bool_)]
    for chunk in table.column(column).chunks:
        encoded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        holds = np.array([*(bool(selects(text)) for text in encoded.dictionary.to_pylist()), False], dtype=np.bool_)
        masks.append(holds[numpy_array(encoded.indices, -1)])  # the last entry stands for null
    return np.concatenate(masks)


class PartCases:
    """The ids and records of the cases of a part, read on first use."""

    def __init__(self, folder: Location, part: Part) -> None:
        self._folder = folder
        [self._file] = list_part_files(part, "cases")
        self._ids: dict[int, str] = {}
        self._records: dict[int, tuple[str | None, str | None]] = {}

    def id_of(self, position: int) -> str:
        """The id of a case by its position in the run."""
        if not self._ids:
            cases = read_table(self._folder, self._file, columns=["case", "id"])
            self._ids = dict(zip(cases.column("case").to_pylist(), cases.column("id").to_pylist(), strict=True))
        return self._ids[position]

    def load_records(self, position: int) -> tuple[Any, Any]:
        """The expected and the actual record of a case."""
        if not self._records:
            columns = read_table(self._folder, self._file, columns=["case", "expected", "actual"]).to_pydict()
            self._records = dict(zip(columns["case"], zip(columns["expected"], columns["actual"], strict=True), strict=True))
        expected, actual = self._records[position]
        return decode_value(expected), decode_value(actual)


@dataclass(frozen=True, slots=True)
class _Source:
    """The selected comparisons of one evaluator in one part, and the cases they belong to."""

    evaluator: str
    rows: ArrowTable
    cases: PartCases


@dataclass(frozen=True, slots=True)
class _Block:
    """Some rows of a source, as plain lists."""

    source: _Source
    columns: Mapping[str, Sequence[Any]]

    @property
    def case(self) -> Sequence[int]:
        return self.columns["case"]

    def comparisons(self) -> Iterator[Comparison]:
        """The rows as comparisons. Rows are sorted by case, so the records of a case are decoded once."""
        load_records = lru_cache(maxsize=1)(self.source.cases.load_records)
        matches = read_match_names(self.source.rows)
        for row, position in enumerate(self.case):
            yield from read_comparisons(self.columns, range(row, row + 1), partial(load_records, position), matches)


def _to_arrow(source: _Source, block: _Block) -> ArrowTable:
    columns = block.columns
    expected: list[str | None] = []
    actual: list[str | None] = []
    for comparison in block.comparisons():
        expected.append(_value_text(comparison.expected if comparison.expected_presence == "present" else MISSING))
        actual.append(_value_text(comparison.actual if comparison.actual_presence == "present" else MISSING))
    return pa.table(
        {
            "case": text_column([source.cases.id_of(position) for position in block.case]),
            "evaluator": text_column([source.evaluator] * len(block.case)),
            "field": text_column(columns["field"]),
            "path": text_column(columns["path"]),
            "expected": text_column(expected),
            "actual": text_column(actual),
            "outcome": text_column(columns["outcome"]),
            "cause": text_column(columns["cause"]),
            "similarity": pa.array(columns["similarity"], pa.float64()),
            "note": text_column(columns["note"]),
            "passed": pa.array(columns["passed"], pa.bool_()),
            **_evidence_columns(columns),
        }
    )


def _evidence_columns(columns: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Confidence, page and box (JSON text), as far as a part of the run has them."""
    types = {"confidence": pa.float64(), "page": pa.int64(), "box": pa.string()}
    return {name: pa.array(columns[name], types[name]) for name in EVIDENCE_COLUMNS if name in columns}


def _value_text(value: Any) -> str | None:
    if value is MISSING or isinstance(value, str):
        return None if value is MISSING else value
    return dump_json(value).decode()


def _render_html(comparisons: StoredComparisons) -> str:
    heads = "".join(f"<th>{name}</th>" for name in COLUMNS)
    rows: list[str] = []
    for stored in comparisons:
        if len(rows) == MAX_HTML_ROWS:
            break
        values = stored.to_json()
        cells = ["" if values[name] is None else escape(_shorten(values[name])) for name in COLUMNS]
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    count = len(comparisons)
    rest = f"<p>and {count - MAX_HTML_ROWS} more</p>" if count > MAX_HTML_ROWS else ""
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>{rest}"


def _shorten(value: Any) -> str:
    text = value if isinstance(value, str) else dump_json(value).decode()
    return text if len(text) <= _MAX_HTML_CHARS else f"{text[:_MAX_HTML_CHARS]}…"
