"""A suite, checked and compiled: what `score/` needs and nothing more."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from fieldwise.model.diagnostic import Diagnostic

KeyPath: TypeAlias = tuple[str | int, ...]
"""Keys and indexes from the top down: ("evaluators", 0, "fields", 2, "match")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What was written, as plain values, and where each part of it stands."""

    value: Any
    file: str | None = None
    text: str = ""
    lines: Mapping[KeyPath, int] = field(default_factory=dict[KeyPath, int])
    """The line of every key and item, counted from 1; empty for a document that was not read from a file."""

    def line_of(self, place: KeyPath) -> int | None:
        """The line of this place, or of the nearest thing around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place)


Role = Literal["id", "input", "expected", "actual", "contexts", "metadata", "tags", "split", "actuals"]


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """Which cases an evaluator is for; every condition that is given must hold."""

    id: tuple[str, ...] = ()
    """Ids or glob patterns, any of which may match (whole id, letter case counts)."""
    tag: tuple[str, ...] = ()
    split: tuple[str, ...] = ()
    contexts: bool | None = None
    """True: only cases with contexts. False: only cases without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedEvaluator:
    """An evaluator with its options checked."""

    type: str
    name: str
    config: object
    """The evaluator's own options: its frozen dataclass."""
    weight: float = 1.0
    pass_at: float | None = None
    when: When | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """An evaluator inside another one."""

    evaluator: PlannedEvaluator
    required: bool | float = False
    """True: it must pass. A number: its score must be at least that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where cases come from: one file or pattern, or expected and actual apart. Paths are ready to open."""

    cases: str | None = None
    """A file (JSONL, JSON, CSV, Parquet, each perhaps .gz or .zst), a glob, or `-` for standard input."""
    expected: str | None = None
    actual: str | None = None
    join: str | None = None
    """The column that joins questions and answers in separate files; default: id."""
    columns: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Role → column name, as written under `columns`."""
    format: str | None = None


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
    """A condition on the change from a baseline: no shown drop of this metric beyond `max_drop`."""

    evaluator: str
    metric: str
    """A metric that cases have; `macro_f1` is the mean of their `f1`."""
    max_drop: float = 0.0
    confidence: float = 0.95
    """How sure a drop must be to count: chance alone would do it in at most this share of runs less than 1."""
    per_field: bool = False
    """Hold every field of the evaluator to it too."""

    def __str__(self) -> str:
        return f"regression of {self.evaluator}.{self.metric} <= {self.max_drop:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A suite that can run."""

    name: str
    source: Source | None
    evaluators: tuple[PlannedEvaluator, ...]
    gates: tuple[Gate, ...] = ()
    regressions: tuple[Regression, ...] = ()
    """Gates on the change from a baseline."""
    file: str | None = None
    """The suite's file as given, for messages."""
    text: str = ""
    """The suite as written, kept with the run."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Warnings and information; never errors."""
