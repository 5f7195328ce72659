"""Cases: the input, the expected output and the actual output."""

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from fieldwise.dataclass import dataclass
from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.values import MISSING, Json, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One case of a dataset."""

    id: str
    """Unique in a run."""
    input: Json = None
    """The input of the system under test, such as a question; None if the data has none."""
    expected: Value = MISSING
    """The correct output: a record, or text."""
    actual: Value = MISSING
    """The output of the system under test."""
    contexts: Sequence[Json] | None = None
    """The passages that a RAG system retrieved."""
    metadata: dict[str, Any] = field(default_factory=dict)
    """Further columns of the data, by name."""
    tags: tuple[str, ...] = ()
    """Labels for slices of the summary and for `when`."""
    split: str | None = None
    """The part of the dataset, such as `test`."""
    actuals: Sequence[Json] | None = None
    """Several outputs for one input, where consistency is measured."""


@dataclass(slots=True, kw_only=True)
class Cases:
    """A batch of cases in columns: position i of every list is case i. The columns are those of `Case`."""

    id: list[str]
    input: list[Json]
    expected: list[Value]
    """MISSING where the data has no value for a case."""
    actual: list[Value]
    contexts: list[Sequence[Json] | None]
    metadata: list[dict[str, Any]]
    tags: list[tuple[str, ...]]
    split: list[str | None]
    actuals: list[Sequence[Json] | None]
    diagnostics: dict[int, list[Diagnostic]] = field(default_factory=dict)
    """Problems found while reading a case, by position. `unreadable-expected`, `unreadable-actual` and
    `unreadable-case` make the case an error; the others are for information."""
    group: list[str] = field(default_factory=list)
    """The group of each case, such as its document; empty if the cases are independent."""
    finite: bool = False
    """True if no value holds a NaN or an infinite number, as in data read from strict JSON."""
    mentions_value: bool = True
    """False if no key and no text of these cases contains `value`, so that none is an object with a value and its confidence."""
    files: list[str] = field(default_factory=list)
    """The file of each case (of its expected side, if the sides are separate); empty if the cases come from no file."""
    lines: list[int | None] = field(default_factory=list)
    """The line of each case in its file, None where lines do not count; empty if the cases come from no file."""

    def __len__(self) -> int:
        return len(self.id)

    @classmethod
    def of(cls, cases: Sequence[Case]) -> "Cases":
        """Build columns from single cases."""
        return cls(
            id=[case.id for case in cases],
            input=[case.input for case in cases],
            expected=[case.expected for case in cases],
            actual=[case.actual for case in cases],
            contexts=[case.contexts for case in cases],
            metadata=[case.metadata for case in cases],
            tags=[case.tags for case in cases],
            split=[case.split for case in cases],
            actuals=[case.actuals for case in cases],
        )

    def at(self, row: int) -> Case:
        """The case at a position."""
        return Case(
            id=self.id[row],
            input=self.input[row],
            expected=self.expected[row],
            actual=self.actual[row],
            contexts=self.contexts[row],
            metadata=self.metadata[row],
            tags=self.tags[row],
            split=self.split[row],
            actuals=self.actuals[row],
        )

    def take(self, rows: Sequence[int]) -> "Cases":
        """The cases at these positions, in this order."""
        return Cases(
            id=[self.id[row] for row in rows],
            input=[self.input[row] for row in rows],
            expected=[self.expected[row] for row in rows],
            actual=[self.actual[row] for row in rows],
            contexts=[self.contexts[row] for row in rows],
            metadata=[self.metadata[row] for row in rows],
            tags=[self.tags[row] for row in rows],
            split=[self.split[row] for row in rows],
            actuals=[self.actuals[row] for row in rows],
            diagnostics={new: self.diagnostics[old] for new, old in enumerate(rows) if old in self.diagnostics},
            group=[self.group[row] for row in rows] if self.group else [],
            finite=self.finite,
            mentions_value=self.mentions_value,
            files=[self.files[row] for row in rows] if self.files else [],
            lines=[self.lines[row] for row in rows] if self.lines else [],
        )

    def locate(self, row: int) -> Where:
        """The location of a case, for diagnostics."""
        return Where(file=self.files[row] if self.files else None, line=self.lines[row] if self.lines else None, case=self.id[row])
