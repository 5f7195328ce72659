"""A document under review: where problems are noted, all of them, with their lines."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final, TypeAlias

from fieldwise import registry
from fieldwise.model.diagnostic import Diagnostic, Level, Where
from fieldwise.model.document import Document, Place
from fieldwise.model.values import Json


class Invalid(Enum):
    """The type of `INVALID`: what reading a value gives when something was wrong with it. The reason has been noted."""

    INVALID = "invalid"


INVALID: Final = Invalid.INVALID

Reader: TypeAlias = "Callable[[Review, Any, Place], Any]"
"""Turns what was written at a place into a value, or notes what is wrong with it and gives INVALID."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A document, what is needed to read it, and what was found wrong so far."""

    document: Document
    load: Callable[[str], Json]
    """Reads a JSON file relative to the suite."""
    resolve: Callable[[str], str]
    """Makes a path absolute, relative to the suite's folder."""
    readers: Mapping[Any, Reader] = field(default_factory=dict[Any, Reader])
    """How values of fieldwise's own types are read, by annotation."""
    found: list[Diagnostic] = field(default_factory=list[Diagnostic])
    field: str | None = None
    """The field that is being read, for messages."""

    def error(self, place: Place, code: str, what: str, fix: str | None = None) -> None:
        """Note what is wrong at a place."""
        self._note(place, code, what, fix, "error")

    def warn(self, place: Place, code: str, what: str, fix: str | None = None) -> None:
        """Note what is doubtful at a place."""
        self._note(place, code, what, fix, "warning")

    def _note(self, place: Place, code: str, what: str, fix: str | None, level: Level) -> None:
        where = Where(file=self.document.file, line=self.document.line(place), field=self.field)
        self.found.append(Diagnostic(code=code, what=what, where=where, fix=fix, level=level))

    def failed(self, since: int) -> bool:
        """Whether an error was noted after the first `since` notes."""
        return any(diagnostic.level == "error" for diagnostic in self.found[since:])

    def about(self, field: str | None) -> "Review":
        """The same review, its messages naming this field."""
        return replace(self, field=field)

    def of(self, document: Document) -> "Review":
        """The same review, reading a side file."""
        return replace(self, document=document)

    def both(self, first: Place, second: Place) -> str:
        """Two places in words: `lines 9 and 12`, or their positions where lines are not known."""
        lines = self.document.line(first), self.document.line(second)
        return f"lines {lines[0]} and {lines[1]}" if None not in lines else f"`{named(first)}` and `{named(second)}`"


def named(place: Place) -> str:
    """What people call a place: its last key, and the index if it is an item.

    >>> named(("evaluators", 0, "tolerance")), named(("evaluators", 0, "formats", 1)), named(())
    ('tolerance', 'formats[1]', 'it')
    """
    tail = ""
    for step in reversed(place):
        if isinstance(step, str):
            return step + tail
        tail = f"[{step}]{tail}"
    return tail or "it"


def closest(name: str, valid: Iterable[str]) -> str | None:
    """The valid name a person most likely meant, whatever the letter case.

    >>> closest("Relativ", ["relative", "tolerance"]), closest("numeric", ["exact", "numeric_tolerance"]), closest("fuzy", ["FUZZY"])
    ('relative', 'numeric_tolerance', 'FUZZY')
    """
    folded = {one.casefold(): one for one in valid}
    found = registry.nearest(name, list(folded))
    if found is None and len(name) >= 4:
        found = next((one for one in folded if one.startswith(name.casefold()) or name.casefold().startswith(one)), None)
    return folded[found] if found else None


def listed(names: Iterable[str]) -> str:
    """
    >>> listed(["a", "b"])
    '`a`, `b`'
    """
    return ", ".join(f"`{name}`" for name in names)


def suggestion(name: str, valid: Iterable[str], otherwise: str | None = None) -> str | None:
    """How to fix a name that is not valid: the nearest one, or all of them.

    >>> suggestion("agregation", ["aggregation", "fields"]), suggestion("xyz", ["aggregation", "fields"])
    ('did you mean `aggregation`?', 'valid here: `aggregation`, `fields`')
    """
    valid = list(valid)
    found = closest(name, valid)
    if found:
        return f"did you mean `{found}`?"
    return otherwise or (f"valid here: {listed(valid)}" if valid else None)


def unknown_keys(review: Review, written: Mapping[Any, Any], valid: Iterable[str], place: Place, owner: str) -> None:
    """Note every key that the owner, such as `a suite`, does not have."""
    valid = list(valid)
    for key in written:
        if key not in valid:
            fix = suggestion(str(key), [name for name in valid if name not in written] or valid)
            review.error((*place, key), "unknown-key", f"{owner} has no key `{key}`", fix)
