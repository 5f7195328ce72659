"""A suite file as it was read, and the plan that is compiled from it."""

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Any, Final, Literal, Protocol, TypeAlias

from fieldwise.dataclass import dataclass
from fieldwise.model.correction import CorrectionSet
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.redaction import Redaction

KeyPath: TypeAlias = tuple[str | int, ...]
"""Keys and indexes from the top down: ("evaluators", 0, "fields", 2, "match")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The content of a suite file as plain values, with line numbers."""

    value: Any
    """The content."""
    file: str | None = None
    """The file's name, for messages."""
    text: str = ""
    """The text as written."""
    lines: Mapping[KeyPath, int] = field(default_factory=dict)
    """The line of every key and item, counted from 1; empty if the document was not read from a file."""

    def line_of(self, key_path: KeyPath) -> int | None:
        """The line of a key or item, or of the nearest one that contains it."""
        while key_path and key_path not in self.lines:
            key_path = key_path[:-1]
        return self.lines.get(key_path)


Role = Literal["id", "input", "expected", "actual", "contexts", "metadata", "tags", "split", "actuals"]


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """The cases that an evaluator applies to; all conditions must hold."""

    id: tuple[str, ...] = ()
    """Ids or glob patterns, one of which must equal or match the whole id, case-sensitive."""
    tag: tuple[str, ...] = ()
    """Tags, one of which the case must have."""
    split: tuple[str, ...] = ()
    """Splits, one of which the case must be in."""
    contexts: bool | None = None
    """True: only cases with contexts. False: only cases without."""


PRESET_EVALUATORS: Final = {"ef_1": "list_coverage", "ef_2": "fact_checks", "ef_3": "fact_checks"}
"""Preset → the evaluator that has it. A preset applies to the question id it is named after."""
Repair: TypeAlias = Literal["on", "off"]
"""Whether almost-JSON in text is repaired, or only strict JSON is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedEvaluator:
    """An evaluator with its options checked."""

    type: str
    """The evaluator's registered name, such as `field_accuracy`."""
    name: str
    """Its name in the suite, unique there."""
    config: object
    """The evaluator's own options: a frozen dataclass."""
    weight: float = 1.0
    """Its weight inside another evaluator."""
    pass_at: float | None = None
    """The score from which a case passes; None if the evaluator decides by its misses."""
    when: When | None = None
    """The cases it applies to; None for all."""
    has_inferred_rules: bool = False
    """True if its rules were inferred from the data instead of written in the suite."""
    repair: Repair = "on"
    """How records are read out of text, for evaluators that read records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """An evaluator inside another evaluator."""

    evaluator: PlannedEvaluator
    required: bool | float = False
    """True: it must pass. A number: the lowest score it may have."""


IdColumns: TypeAlias = str | tuple[str, ...]
"""The column or path that identifies a row, or several that do so together, such as a document and a line."""


def list_id_columns(id: IdColumns | None) -> tuple[str, ...]:
    """The columns or paths of an id; none if there is none.

    >>> list_id_columns("key"), list_id_columns(("doc", "line")), list_id_columns(None)
    (('key',), ('doc', 'line'), ())
    """
    return id if isinstance(id, tuple) else () if id is None else (id,)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideMapping:
    """How the rows of one side become records, where the two sides are separate."""

    id: IdColumns | None = None
    """What identifies a row; the other side has the same value in its own."""
    record: str | None = None
    """The column or path of the record inside a row; by default recognized, else the row itself."""
    rename: Mapping[str, str] = field(default_factory=dict)
    """Path of a field in this file → its path in the rules."""
    format: str | None = None
    """The format of the files, if their names do not tell it."""


class RowsInMemory(Protocol):
    """Rows that a Python program has: a list of records, a data frame, an Arrow table."""

    @property
    def name(self) -> str:
        """What the rows are called in messages, in place of a file name: `<cases>`."""
        ...

    @property
    def is_one_shot(self) -> bool:
        """True for an iterator, which another process cannot read again."""
        ...

    def read_batches(self, size: int) -> Iterator[Any]:
        """All rows from the start, in batches (`read.rows.RowBatch`) of at most `size`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where cases are read from: one file or pattern, or separate ones for expected and actual. Paths are ready to open."""

    cases: str | None = None
    """A file (JSONL, JSON, CSV, Parquet, each perhaps .gz or .zst), a glob, or `-` for standard input."""
    expected: str | None = None
    """A file, folder or glob with the expected side."""
    actual: str | None = None
    """A file, folder or glob with the actual side."""
    join: str | None = None
    """The column that joins the two sides; default: id."""
    columns: Mapping[str, Any] = field(default_factory=dict)
    """Role → column name, as written under `columns`."""
    format: str | None = None
    """The format of the files, if their names do not tell it."""
    mappings: Mapping[str, SideMapping] = field(default_factory=dict)
    """`expected` or `actual` → how its rows become records."""
    allow_same_sides: bool = False
    """The same file or column may be both expected and actual."""
    memory: Mapping[str, RowsInMemory] = field(default_factory=dict)
    """`cases`, `expected` or `actual` → its rows, where they are not in a file; the name of the rows then stands for the file."""

    is_request: bool = False
    """The file holds the cases of a request and is deleted after the run, which records no path: it stores the cases themselves."""

    corrections_file: str | None = None
    """A JSONL file of corrections of the expected side."""
    corrections: CorrectionSet | None = None
    """The content of that file, read once, so that all workers apply the same corrections."""
    places: Mapping[str, Where] = field(default_factory=dict, compare=False)
    """A path of data → the line of the suite that names it."""
    named_fields: frozenset[str] = frozenset()
    """Fields that the rules name: the field that pairs two files is left out of the records unless it is one of them."""

    @property
    def is_rereadable(self) -> bool:
        """False for standard input and iterators."""
        return self.cases != "-" and not any(rows.is_one_shot for rows in self.memory.values())

    def get_mapping(self, side: str) -> SideMapping:
        """How the rows of a side become records; `join` and `format` hold for both sides."""
        mapping = self.mappings.get(side, SideMapping())
        return replace(mapping, id=mapping.id or self.join, format=mapping.format or self.format)


MUTANTS: Final = "mutants"
"""The reserved name of gates on mutants, which `fieldwise mutate` judges."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A condition on a run: `fields.score >= 0.9`."""

    evaluator: str
    metric: str
    operator: Literal[">=", ">", "<=", "<", "==", "!="]
    value: float

    def __str__(self) -> str:
        number = f"{self.value:g}"
        return f"{self.evaluator}.{self.metric} {self.operator} {number if float(number) == self.value else repr(self.value)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """A condition on the change from a baseline: no significant drop of this metric beyond `max_drop`."""

    evaluator: str
    metric: str
    """A metric of single cases; `macro_f1` is the mean of their `f1`."""
    max_drop: float = 0.0
    """The largest drop that is tolerated."""
    confidence: float = 0.95
    """A drop counts if its p-value is at most 1 minus this."""
    per_field: bool = False
    """Apply the condition to every field of the evaluator, too."""
    min_common: float = 0.9
    """The share of the cases of either run that both must have."""

    def __str__(self) -> str:
        return f"regression of {self.evaluator}.{self.metric} <= {self.max_drop:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A checked suite, ready to run, as returned by `fieldwise.check`."""

    name: str
    """The suite's name."""
    source: Source | None
    """Where the cases are read from; None if they are passed in Python."""
    evaluators: tuple[PlannedEvaluator, ...]
    """The evaluators, in the order of the suite."""
    group: str | None = None
    """Path to the group of a case, such as `metadata.document`; None if the cases are independent."""
    redact: Redaction | None = None
    """Values that are stored and shown as hashes."""
    confidence: str | None = None
    """Path to a case's record of confidences, such as `metadata.confidences`, which is the default."""
    policy: str | None = None
    """The file of the policy that the gate `policy.holds` checks."""
    gates: tuple[Gate, ...] = ()
    """Conditions on the metrics of the run."""
    regressions: tuple[Regression, ...] = ()
    """Conditions on the change from a baseline."""
    file: str | None = None
    """The suite's file name, for messages."""
    text: str = ""
    """The suite's text, stored with the run."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Warnings and remarks; never errors."""
    label: str = ""
    """The name that the user gives to a run of it."""
