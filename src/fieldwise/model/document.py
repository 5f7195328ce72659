"""A file that a person wrote, with the line of every part of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Place: TypeAlias = tuple[str | int, ...]
"""Keys and indexes from the top down: ("evaluators", 0, "fields", 2, "match")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What was written, as plain values, and where each part of it stands."""

    value: Any
    file: str | None = None
    text: str = ""
    lines: Mapping[Place, int] = field(default_factory=dict[Place, int])
    """The line of every key and item, counted from 1; empty for a document that was not read from a file."""

    def line(self, place: Place) -> int | None:
        """The line of this place, or of the nearest thing around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place)
