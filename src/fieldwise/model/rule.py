"""What to compare and how: the rules an evaluator hands to the engine."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from fieldwise.model.path import Path
from fieldwise.model.values import Json

Align = Literal["index", "best", "key", "set"]


@dataclass(frozen=True, slots=True)
class Match:
    """A way for two values to match: the matcher's name and its options (a frozen dataclass of its own)."""

    name: str = "exact"
    options: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRule:
    """One field: where it is, how its values match, what it weighs."""

    path: Path | None
    """None where the text could not be read as a path; `text` still says what was written."""
    text: str
    match: Match = field(default_factory=Match)
    weight: float = 1.0
    required: bool | None = None
    """None where nothing was written: then a field counts as required, but only where expected has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRule:
    """How the items of the list at `path` find their counterparts."""

    path: Path
    align: Align = "index"
    key: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Nulls:
    """Which values count as no value, besides null itself."""

    blank: bool = False
    """Empty and blank text is null."""
    values: frozenset[str] = frozenset()
    """Text that stands for null, such as `N/A`, compared trimmed and case-folded."""

    def make_test(self) -> Callable[[object], bool] | None:
        """Whether a value counts as null besides null itself; None where only null does.

        >>> is_null = Nulls(blank=True, values=frozenset({"N/A"})).make_test()
        >>> [is_null(value) for value in ("", "  ", " n/a", "no", 0)]
        [True, True, True, False, False]
        """
        if not self.blank and not self.values:
            return None
        folded = frozenset(text.strip().casefold() for text in self.values)

        def is_null(value: object) -> bool:
            if not isinstance(value, str):
                return False
            text = value.strip()
            return (self.blank and not text) or text.casefold() in folded

        return is_null


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareSpec:
    """Everything that decides a list of comparisons. Evaluators with equal specs share one list."""

    rules: tuple[FieldRule, ...] = ()
    lists: tuple[ListRule, ...] = ()
    open: Literal["no", "keys", "leaves"] = "no"
    """What is compared besides the rules: nothing, every top-level key, or every leaf."""
    default: Match | Callable[[Json], Match] = field(default_factory=Match)
    """For open comparisons: one match for all, or chosen by the expected value."""
    nulls: Nulls = field(default_factory=Nulls)
