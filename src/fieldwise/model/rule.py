"""Rules: which fields to compare, and how."""

from collections.abc import Callable
from dataclasses import field
from typing import Annotated, Final, Literal

from fieldwise.dataclass import dataclass
from fieldwise.model.bounds import Gt, Le
from fieldwise.model.path import Path
from fieldwise.model.values import Json

Align = Literal["index", "best", "key", "set"]
DEFAULT_AT_LEAST: Final = 0.4
"""Minimum similarity of two items that `align: best` pairs; chosen by benchmarks/list_alignment.py."""


@dataclass(frozen=True, slots=True)
class Match:
    """A matcher with its options."""

    name: str = "exact"
    """The matcher's registered name."""
    options: object = None
    """The matcher's frozen dataclass of options; None for the defaults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRule:
    """How the place of a value is scored together with the value: both must hold."""

    iou: Annotated[float, Gt(0), Le(1)]
    """Minimum overlap of the expected and the actual box, as intersection over union."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRule:
    """The rule for one field: its path, match and weight."""

    path: Path | None
    """None if `text` is not a valid path."""
    text: str
    """The path as written."""
    match: Match = field(default_factory=Match)
    """How expected and actual values are compared."""
    weight: float = 1.0
    """The field's weight in the score."""
    required: bool | None = None
    """None if not written: the field is then required where expected has it."""
    sparse: bool = False
    """The field may be absent from every expected record."""
    unexpected: Literal["miss", "ignore"] | None = None
    """What a value is where expected does not have the field; None: what the evaluator says."""
    evidence: EvidenceRule | None = None
    """How the place of the value is scored; None: not at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRule:
    """How the items of the list at `path` are paired."""

    path: Path
    align: Align = "index"
    key: Path | None = None
    at_least: float = DEFAULT_AT_LEAST
    """Minimum similarity of two items that `align: best` pairs; 0 pairs everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nulls:
    """Values that count as null, besides null itself."""

    blank: bool = False
    """Empty and blank text is null."""
    values: frozenset[str] = frozenset()
    """Texts that mean null, such as `N/A`; compared trimmed and case-folded."""

    def make_test(self) -> Callable[[object], bool] | None:
        """Build a predicate for values that count as null; None if only null itself does.

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
    """Everything that determines a set of comparisons. Evaluators with equal specs share them."""

    rules: tuple[FieldRule, ...] = ()
    """The rules, in order."""
    lists: tuple[ListRule, ...] = ()
    """How lists are paired; by index where no rule is given."""
    open: Literal["no", "keys", "leaves"] = "no"
    """What is compared in addition to the rules: nothing, every top-level key, or every leaf."""
    default: Match | Callable[[Json], Match] = field(default_factory=Match)
    """For open comparisons: one match for all values, or a function of the expected value."""
    nulls: Nulls = field(default_factory=Nulls)
    """Values that count as null."""
