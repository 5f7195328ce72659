"""What an importer reads from the file of another tool."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from fieldwise.dataclass import dataclass
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.values import MISSING, Json, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRecord:
    """One document or row of another tool's file.

    `confidence`, `page` and `box` are records of the same shape as `record`, with a number or a box where a leaf has one. A box is
    `[left, top, right, bottom]` as shares of the page's width and height, from the top left corner.
    """

    id: str | None = None
    """The id in the file; None if it has none, so that the file's name or the position counts."""
    record: Value = MISSING
    """What the system produced: an extracted record, or an answer."""
    confidence: Mapping[str, Any] = field(default_factory=dict)
    page: Mapping[str, Any] = field(default_factory=dict)
    """Page numbers, from 1."""
    box: Mapping[str, Any] = field(default_factory=dict)
    expected: Value = MISSING
    """What it should have produced, if the file says so."""
    input: Json = None
    contexts: Sequence[Json] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    repeatable: bool = False
    """True if any name may occur several times in the file: one that occurs once has its value alone, one that occurs several times a
    list. Such a value becomes a list of one where the opposite side has a list."""
    diagnostics: Sequence[Diagnostic] = ()
    """Problems of this record. One of level `error` makes its case unreadable; the others are shown with the case."""

    def to_row(self) -> dict[str, Any]:
        """The row of a case: `id`, `input`, `expected`, `actual`, `contexts`, `metadata`, as far as known.

        Confidences, pages and boxes are in the metadata, as `confidences`, `pages` and `boxes`.

        >>> ImportedRecord(id="a", record={"total": 5}, confidence={"total": 0.9}).to_row()
        {'id': 'a', 'actual': {'total': 5}, 'metadata': {'confidences': {'total': 0.9}}}
        """
        evidence = {"confidences": self.confidence, "pages": self.page, "boxes": self.box}
        metadata = {**self.metadata, **{name: dict(values) for name, values in evidence.items() if values}}
        sides = {"expected": self.expected, "actual": self.record}
        row: dict[str, Any] = {} if self.id is None else {"id": self.id}
        if self.input is not None:
            row["input"] = self.input
        row |= {name: value for name, value in sides.items() if value is not MISSING}
        if self.contexts is not None:
            row["contexts"] = list(self.contexts)
        if metadata:
            row["metadata"] = metadata
        return row
