"""A suite document under review: collects every diagnostic with its line, and suggests names for misspelled ones."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from enum import Enum
from typing import Any, Final, TypeAlias

from fieldwise import registry
from fieldwise.dataclass import dataclass
from fieldwise.model.diagnostic import Diagnostic, Level, Where
from fieldwise.model.plan import Document, KeyPath
from fieldwise.model.rule import Match
from fieldwise.model.values import Json

_MIN_PREFIX_LENGTH: Final = 4


class Invalid(Enum):
    """The type of `INVALID`: the result of reading a value that is wrong. Its diagnostic is in the review."""

    INVALID = "invalid"


INVALID: Final = Invalid.INVALID

OptionReader: TypeAlias = "Callable[[Review, Any, KeyPath], Any]"
"""Converts what is written at a place into a value, or reports what is wrong with it and returns INVALID."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A document, the functions needed to read it, and the diagnostics so far."""

    document: Document
    load: Callable[[str], Json]
    """Reads a JSON file relative to the suite."""
    resolve: Callable[[str], str]
    """Makes a path absolute, relative to the suite's folder."""
    readers: Mapping[Any, OptionReader] = field(default_factory=dict)
    """Readers of fieldwise's own types, by annotation."""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    matches: dict[bytes, Match] = field(default_factory=dict)
    """Matches without remarks, by what is written: thousands of rules have a few matches."""
    field: str | None = None
    """The field whose rule is being read, for messages."""

    def add_error(self, place: KeyPath, code: str, what: str, fix: str | None = None) -> None:
        """Report an error at a place."""
        self._add(place, code, what, fix, "error")

    def add_warning(self, place: KeyPath, code: str, what: str, fix: str | None = None) -> None:
        """Report a warning at a place."""
        self._add(place, code, what, fix, "warning")

    def add_info(self, place: KeyPath, code: str, what: str) -> None:
        """Report a remark at a place."""
        self._add(place, code, what, None, "info")

    def _add(self, place: KeyPath, code: str, what: str, fix: str | None, level: Level) -> None:
        where = Where(file=self.document.file, line=self.document.line_of(place), field=self.field)
        self.diagnostics.append(Diagnostic(code=code, what=what, where=where, fix=fix, level=level))

    def has_errors(self, since: int = 0) -> bool:
        """Whether an error was reported after the first `since` diagnostics."""
        return any(diagnostic.level == "error" for diagnostic in self.diagnostics[since:])

    def for_field(self, field: str | None) -> "Review":
        """The same review, with this field named in its messages."""
        return Review(
            document=self.document,
            load=self.load,
            resolve=self.resolve,
            readers=self.readers,
            diagnostics=self.diagnostics,
            matches=self.matches,
            field=field,
        )  # `dataclasses.replace` takes four times as long, and there may be thousands of fields

    def for_document(self, document: Document) -> "Review":
        """The same review, reading a side file."""
        return replace(self, document=document)

    def describe_two_places(self, first: KeyPath, second: KeyPath) -> str:
        """Two places in words: `lines 9 and 12`, or their positions where lines are not available."""
        lines = self.document.line_of(first), self.document.line_of(second)
        if None in lines:
            return f"`{describe_place(first)}` and `{describe_place(second)}`"
        return f"lines {lines[0]} and {lines[1]}"


def describe_place(place: KeyPath) -> str:
    """The last key of a place, with the index if it is an item.

    >>> [describe_place(place) for place in (("evaluators", 0, "tolerance"), ("evaluators", 0, "formats", 1), ())]
    ['tolerance', 'formats[1]', 'it']
    """
    indexes = ""
    for step in reversed(place):
        if isinstance(step, str):
            return step + indexes
        indexes = f"[{step}]{indexes}"
    return indexes or "it"


def find_closest_name(name: str, valid: Iterable[str]) -> str | None:
    """The valid name that was most likely meant, ignoring letter case.

    >>> find_closest_name("Relativ", ["relative", "tolerance"]), find_closest_name("numeric", ["exact", "numeric_tolerance"])
    ('relative', 'numeric_tolerance')
    >>> find_closest_name("fuzy", ["FUZZY"])
    'FUZZY'
    """
    by_folded_name = {candidate.casefold(): candidate for candidate in valid}
    folded = name.casefold()
    closest = registry.nearest(folded, list(by_folded_name))
    if closest is None and len(name) >= _MIN_PREFIX_LENGTH:
        prefixes = (candidate for candidate in by_folded_name if candidate.startswith(folded) or folded.startswith(candidate))
        closest = next(prefixes, None)
    return by_folded_name[closest] if closest else None


def quote_names(names: Iterable[str]) -> str:
    """
    >>> quote_names(["a", "b"])
    '`a`, `b`'
    """
    return ", ".join(f"`{name}`" for name in names)


def suggest_name(name: str, valid: Iterable[str], otherwise: str | None = None) -> str | None:
    """A fix for a name that is not valid: the closest name, else `otherwise`, else all names.

    >>> suggest_name("agregation", ["aggregation", "fields"]), suggest_name("xyz", ["aggregation", "fields"])
    ('did you mean `aggregation`?', 'valid here: `aggregation`, `fields`')
    """
    valid = list(valid)
    closest = find_closest_name(name, valid)
    if closest:
        return f"did you mean `{closest}`?"
    return otherwise or (f"valid here: {quote_names(valid)}" if valid else None)


def report_unknown_keys(review: Review, written: Mapping[Any, Any], valid: Iterable[str], place: KeyPath, owner: str) -> None:
    """Report every key that the owner, such as `a suite`, does not have."""
    valid = list(valid)
    for key in written:
        if key not in valid:
            review.add_error((*place, key), "unknown-key", f"{owner} has no key `{key}`", _suggest_key(str(key), written, valid))


def _suggest_key(key: str, written: Mapping[Any, Any], valid: list[str]) -> str | None:
    closest = find_closest_name(key, valid)
    if closest in written:
        return f"did you mean `{closest}`? It is written already: keep one of the two"
    return suggest_name(key, valid)
