"""What the author of an evaluator or a matcher says about its options, besides their types.

Options are a frozen dataclass. `plan/` checks what people wrote against its annotations before anything runs: an unknown option, a
wrong type, a value out of bounds are errors with a line and a fix. Nothing is coerced: the text "0.9" is not a number.

    @dataclass(frozen=True, slots=True, kw_only=True)
    class CodeJudge:
        script: Annotated[str, RelativePath()] | tuple[str, ...]
        timeout: Annotated[float, Gt(0)] = 30.0
        config: Annotated[Mapping[str, Any], PassThrough()] = field(default_factory=dict)

Types that people write in another form than Python holds:

| annotation | what people write |
| --- | --- |
| `tuple[FieldRule, ...]` | a list of `{path, match, weight, required, <options of the match>}`, or of bare paths |
| `tuple[ListRule, ...]` | a mapping `{line_items: {align: key, key: sku}}`, or `{line_items: best}` |
| `Match` | the name of a match, or `{match: fuzzy, threshold: 0.9}` |
| `Annotated[Match, Of("fuzzy")]` | the options of that one match: `{algorithm: jaro_winkler}` |
| `tuple[Member, ...]` | a list of evaluators, each with `type`, its options and perhaps `required` |
| `Path` | a path such as `invoice.total` |
| another dataclass | a mapping, checked the same way |
| `tuple[X, ...]`, `frozenset[X]` | a list; each item is checked as X |
| `Mapping[str, X]` | a mapping; each value is checked as X |
| `Literal[...]`, `bool`, `int`, `float`, `str` | themselves; bounds come from `annotated_types` (`Ge`, `Gt`, `Le`, `Lt`, `MinLen`) |

An option that must be called like a Python word ends in an underscore in the dataclass (`not_`) and is written without it (`not`).
The text under a field is its description in the JSON Schema of a suite.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

from fieldwise.model.plan import When
from fieldwise.model.rule import FieldRule, ListRule, Match

Problem: TypeAlias = tuple[str, str, str | None]
"""The option it concerns (empty: all of them together), what is wrong, how to fix it if that is known."""


@dataclass(frozen=True, slots=True)
class FromFile:
    """Marks an option whose value may stand in a JSON file of its own: `Annotated[Mapping[str, str], FromFile()]`.

    Text is then the path of that file, relative to the suite, and the option gets the file's content, checked like a value that was
    written in place. It follows that the value itself can never be text.
    """


@dataclass(frozen=True, slots=True)
class RelativePath:
    """Marks text that is a path relative to the suite: `Annotated[str, RelativePath()]`. The option gets a path ready to open.

    On a list, each item is resolved. A default is resolved too: `"."` is the suite's folder.
    """


@dataclass(frozen=True, slots=True)
class PassThrough:
    """Marks the one option that collects every key that is neither another option nor `type`, `name`, `weight`, `pass_at` or `when`.

    Values are kept as they were written, unchecked. The option cannot be written itself: its own name is passed through like any other.
    `threshold` is passed through as well; it does not mean `pass_at` here.
    """


@dataclass(frozen=True, slots=True)
class Of:
    """Marks a `Match` whose matcher is fixed, so that only its options are written: `Annotated[Match, Of("fuzzy")]`."""

    match: str


@runtime_checkable
class Checked(Protocol):
    """Options that check more than one of them together. `plan/` calls `problems` once each option is right by itself."""

    def problems(self) -> Iterable[Problem]:
        """Everything that is wrong, not only the first."""
        ...


@runtime_checkable
class CheaperInLists(Protocol):
    """Options of a matcher that is too dear to be asked about every pair of items of two lists."""

    def for_lists(self) -> Match:
        """The match by which items find their counterparts."""
        ...


@runtime_checkable
class Restricted(Protocol):
    """Options that say which cases of a suite they are for, where `when` is not written (a preset named after one question)."""

    def default_when(self) -> When | None:
        """The cases, or None for all of them."""
        ...


@runtime_checkable
class Gated(Protocol):
    """Options that may mean nothing without `pass_at`."""

    def why_pass_at(self) -> str | None:
        """Why `pass_at` must be written, or None if it need not be."""
        ...


@runtime_checkable
class Inferring(Protocol):
    """Options that leave the rules to be inferred from the values where people wrote none."""

    def needs_rules(self) -> bool:
        """Whether no rules were written."""
        ...

    def with_rules(self, fields: tuple[FieldRule, ...], lists: tuple[ListRule, ...]) -> "Inferring":
        """The same options with these rules."""
        ...


@runtime_checkable
class Naming(Protocol):
    """Options that name fields besides `fields` and `lists`, by names that the cases of a run may turn out not to have."""

    def unknown(self, fields: Collection[str]) -> Iterable[Problem]:
        """What is named and is not among these fields of the run."""
        ...
