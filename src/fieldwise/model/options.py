"""Annotations and protocols for the options of evaluators and matchers.

Options are a frozen dataclass. `plan/` validates a suite against its annotations before anything runs: an unknown option, a wrong
type, a value out of bounds are errors with a line and a fix. Nothing is coerced: the text "0.9" is not a number.

    @dataclass(frozen=True, slots=True, kw_only=True)
    class CodeJudge:
        script: Annotated[str, RelativePath()] | tuple[str, ...]
        timeout: Annotated[float, Gt(0)] = 30.0
        config: Annotated[Mapping[str, Any], PassThrough()] = field(default_factory=dict)

Types whose form in a suite differs from their Python form:

| annotation | form in a suite |
| --- | --- |
| `tuple[FieldRule, ...]` | a list of `{path, match, weight, required, <options of the match>}`, or of bare paths |
| `tuple[ListRule, ...]` | a mapping `{line_items: {align: key, key: sku}}`, or `{line_items: best}` |
| `Match` | the name of a match, or `{match: fuzzy, threshold: 0.9}` |
| `Annotated[Match, FixedMatch("fuzzy")]` | the options of that one match: `{algorithm: jaro_winkler}` |
| `tuple[Member, ...]` | a list of evaluators, each with `type`, its options and optionally `required` |
| `Path` | a path such as `invoice.total` |
| another dataclass | a mapping, checked the same way |
| `tuple[X, ...]`, `frozenset[X]` | a list; each item is checked as X |
| `Mapping[str, X]` | a mapping; each value is checked as X |
| `Literal[...]`, `bool`, `int`, `float`, `str` | themselves; bounds come from `annotated_types` (`Ge`, `Gt`, `Le`, `Lt`, `MinLen`) |

An option whose name is a Python keyword ends in an underscore in the dataclass (`not_`) and is written without it (`not`).
The docstring under a field is its description in the JSON Schema of a suite.
"""

from collections.abc import Collection, Iterable
from functools import cache
from typing import Protocol, TypeAlias, cast, runtime_checkable

from fieldwise.dataclass import dataclass
from fieldwise.model.path import Path
from fieldwise.model.plan import When
from fieldwise.model.rule import FieldRule, ListRule, Match

OptionProblem: TypeAlias = tuple[str, str, str | None]
"""Name of the option (empty: several together), what is wrong, how to fix it or None."""


@dataclass(frozen=True, slots=True)
class FromFile:
    """Marks an option whose value may be in a JSON file of its own: `Annotated[Mapping[str, str], FromFile()]`.

    Text is the path of that file, relative to the suite; the content is validated like a value written in place. The value itself can
    therefore never be text.
    """


@dataclass(frozen=True, slots=True)
class RelativePath:
    """Marks text that is a path relative to the suite: `Annotated[str, RelativePath()]`. The option receives the resolved path.

    In a list, each item is resolved. A default is resolved, too: `"."` is the suite's folder.
    """


@dataclass(frozen=True, slots=True)
class PassThrough:
    """Marks the one option that collects every key that is neither another option nor `type`, `name`, `weight`, `pass_at` or `when`.

    Values are not validated. The option itself cannot be written: its name is passed through like any other key. `threshold` is passed
    through as well; it does not mean `pass_at` here.
    """


@dataclass(frozen=True, slots=True)
class FixedMatch:
    """Marks a `Match` whose matcher is fixed, so that only its options are written: `Annotated[Match, FixedMatch("fuzzy")]`."""

    match: str


@runtime_checkable
class HasProblems(Protocol):
    """Options with constraints that involve more than one option. `plan/` calls `problems` when each option is valid by itself."""

    def problems(self) -> Iterable[OptionProblem]:
        """Every problem, not only the first."""
        ...


@runtime_checkable
class HasRemarks(Protocol):
    """Options that are valid but may be misunderstood."""

    def remarks(self) -> Iterable[OptionProblem]:
        """The remarks on these options, shown as warnings."""
        ...


@runtime_checkable
class HasListMatch(Protocol):
    """Options of a matcher that is too expensive to score every pair of items of two lists."""

    def for_lists(self) -> Match:
        """The match that aligns the items of lists."""
        ...


@runtime_checkable
class HasDefaultWhen(Protocol):
    """Options that restrict an evaluator to some cases of a suite if `when` is not written, such as a preset for one question."""

    def default_when(self) -> When | None:
        """The condition on cases, or None for all cases."""
        ...


@runtime_checkable
class NeedsPassAt(Protocol):
    """Options that may require `pass_at`."""

    def why_pass_at(self) -> str | None:
        """The reason why `pass_at` is required, or None if it is not."""
        ...


@runtime_checkable
class GradedOnly(Protocol):
    """Options that may set no cut between hit and miss, so that without `pass_at` only a perfect score passes."""

    def is_graded(self) -> bool:
        """True if these options set no such cut."""
        ...


@runtime_checkable
class ReadsItems(Protocol):
    """Options with the path of what the evaluator reads inside a record, such as the boxes."""

    @property
    def path(self) -> str:
        """The path as written; empty for the record itself."""
        ...

    def item_path(self) -> Path | None:
        """The path inside a record; None for the record itself, and if it is malformed."""
        ...


@runtime_checkable
class ReadsOutputFields(Protocol):
    """Options that name fields of the output, such as those of conditions."""

    def output_fields(self) -> Iterable[FieldRule]:
        """The fields, as rules for a survey; `sparse` if a run is valid where no output has them."""
        ...


@runtime_checkable
class InfersRules(Protocol):
    """Options whose rules are inferred from the values if none are written."""

    def needs_rules(self) -> bool:
        """Whether no rules are written."""
        ...

    def with_rules(self, fields: tuple[FieldRule, ...], lists: tuple[ListRule, ...]) -> "InfersRules":
        """The same options with these rules."""
        ...


@runtime_checkable
class NamesKeys(Protocol):
    """Options that give keys of records a rule of their own, such as `strategies`."""

    def named_keys(self) -> Iterable[FieldRule]:
        """The keys whose rule has an effect on the score, as rules for a survey."""
        ...


@runtime_checkable
class NamesFields(Protocol):
    """Options that name fields elsewhere than in `fields` and `lists`; a run may turn out not to have them."""

    def unknown(self, fields: Collection[str]) -> Iterable[OptionProblem]:
        """The names that are not among these fields of the run."""
        ...


@cache  # a type does not change, and the check takes longer than reading a rule or comparing a short list
def implements(options_type: type, protocol: type) -> bool:
    """Whether options of this type implement a protocol."""
    return issubclass(options_type, protocol)


def is_graded_only(options: object) -> bool:
    """Whether options set no cut between hit and miss."""
    return implements(type(options), GradedOnly) and cast("GradedOnly", options).is_graded()


def lacks_rules(options: object) -> bool:
    """Whether the rules of these options must be inferred."""
    return implements(type(options), InfersRules) and cast("InfersRules", options).needs_rules()
