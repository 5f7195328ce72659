"""Cases: what was asked, what should have come out, what came out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.values import MISSING, Json, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One case, as people and judges read it."""

    id: str
    input: Json = None
    expected: Value = MISSING
    actual: Value = MISSING
    contexts: Sequence[Json] | None = None
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    tags: tuple[str, ...] = ()
    split: str | None = None
    actuals: Sequence[Json] | None = None
    """Several outputs for one input, where consistency is measured."""


@dataclass(slots=True, kw_only=True)
class Cases:
    """A batch of cases in columns: position i of every list is case i."""

    id: list[str]
    input: list[Json]
    expected: list[Value]
    """MISSING where the file has nothing for that case."""
    actual: list[Value]
    contexts: list[Sequence[Json] | None]
    metadata: list[dict[str, Any]]
    tags: list[tuple[str, ...]]
    split: list[str | None]
    actuals: list[Sequence[Json] | None]
    diagnostics: dict[int, list[Diagnostic]] = field(default_factory=dict[int, list[Diagnostic]])
    """What was wrong with a case as it was read, by position. `unreadable-expected`, `unreadable-actual` and
    `unreadable-case` make the case an error; the others are for information."""
    finite: bool = False
    """Whether it is known that no value holds a NaN or an infinite number, as in whatever strict JSON says."""

    def __len__(self) -> int:
        return len(self.id)

    @classmethod
    def of(cls, cases: Sequence[Case]) -> "Cases":
        """Columns from single cases."""
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
        """One case."""
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
            finite=self.finite,
        )
