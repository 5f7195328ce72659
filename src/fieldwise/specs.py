"""Typed specs of matchers, evaluators, causes and importers: what a decorator of `fieldwise.registry` declares about a function.

Used by everything that looks one up; imports nothing but the types of `model`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from fieldwise.dataclass import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fieldwise.model.context import Context
    from fieldwise.model.pairs import Measurements, Pairs, Scores

Reads: TypeAlias = Literal["records", "text", "case"]
ValueKinds: TypeAlias = Literal["text", "number", "mixed", "written", "any"]
"""Pairs of two texts, of two numbers, of a text and something else (`mixed`); `written`: at least one text; `any`: every pair."""
TextReading: TypeAlias = Literal["digits", "numbers", "figures", "date"]
"""What two texts must be: both with digits, and without them as many letters or both numbers; both numbers; both numbers that may name a
currency or a unit, perhaps of the same digits; expected a date."""
NumberSign: TypeAlias = Literal["opposite", "close", "apart", "long", "moves"]
"""What two numbers must be: one the negative of the other; within 5 % or 1; one over 9 times the other; not both integers below 1,000;
perhaps the same digits in another order."""
LetterRelation: TypeAlias = Literal["same", "as_many", "fewer", "more"]
"""How the letters and digits of an actual text compare with those of the expected one."""
LetterEdits: TypeAlias = Literal["few", "moves"]
"""What makes one text's letters and digits those of the other: at most two edits or a fifth of the shorter text; perhaps another order."""
MatcherFunction: TypeAlias = "Callable[[Pairs, Any], Scores]"
GridFunction: TypeAlias = "Callable[[Any, Any, Any], NDArray[np.float64]]"
PartialGrid: TypeAlias = "Callable[[slice, slice], NDArray[np.float64]]"
GridPreparation: TypeAlias = "Callable[[Any, Any, Any], PartialGrid]"
CauseFunction: TypeAlias = "Callable[[Any, Any, Context], bool]"
Metrics: TypeAlias = "tuple[str, ...] | Callable[[Any], Iterable[str]] | None"
"""Names of the metrics an evaluator reports; a function of its options where they depend on them; None where only a run can tell.
A name that ends in `[*]` stands for a metric for each name in the data: `ap[*]` for `ap[dog]`. A judge reports `USAGE_METRICS` besides."""
Unbounded: TypeAlias = "tuple[str, ...] | Callable[[Any], tuple[str, ...]]"
"""Names of metrics; a function of the options where they depend on them. It gets None for options that cannot be read."""
USAGE_METRICS = ("tokens_in", "tokens_out", "latency_seconds", "cost_usd")
"""Metrics of every judge: what its questions used."""


class NamedSpec(Protocol):
    """What every spec has."""

    @property
    def name(self) -> str: ...
    @property
    def function(self) -> Callable[..., Any]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One pair of values and the score a matcher must give it. Shown in the reference and checked by the laws."""

    expected: Any
    actual: Any
    score: float
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseExample:
    """One pair of values that a cause must or must not explain. Shown in the reference and checked by the laws."""

    expected: Any
    actual: Any
    holds: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorExample:
    """A configuration of an evaluator. The laws run it; the first one with `expected` and `actual` is shown in the reference."""

    options: Mapping[str, Any] = field(default_factory=dict)
    expected: Any = None
    actual: Any = None
    perfect: Any = None
    """A value that scores `best` against itself; None if this configuration has no such value."""
    best: float = 1.0
    key_order_matters: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSurvey:
    """How the values of a column decide an option that is not written, such as whether day or month comes first.

    A matcher itself scores row by row under its options; what calls it surveys the column first. Evidence is counted by name, so that the
    counts of batches can be added.
    """

    is_open: Callable[[Any], bool]
    """`is_open(config)`: whether the options leave something to the column."""
    collect: Callable[[Sequence[Any], Any], Counter[str]]
    """`collect(values, config)`: the evidence in some values of either side."""
    resolve: Callable[[Any, Counter[str]], tuple[Any, str | None]]
    """`resolve(config, evidence)`: the options with what the evidence decides and a sentence that states it, or None for the sentence.
    The evidence holds the counts of both sides together, and those of each side as `expected: …` and `actual: …`. Not called without."""
    no_evidence: str
    """A regular expression of JSON values in which `collect` never finds anything: lines with such values only need not be decoded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDecision:
    """How stored measurements decide pairs again under other options, without the values."""

    options: tuple[str, ...]
    """The options that may change."""
    decide: Callable[[Measurements, Any], NDArray[np.bool_]]
    """`decide(measurements, config)`: whether each pair matches; equal to what the matcher itself finds, to the bit."""
    by: Literal["distance", "similarity"] = "distance"
    """`distance`: decides pairs with a distance, and their similarity is then 1 or 0. `similarity`: decides every pair that has one, and
    leaves it as it is."""
    obstacle: Callable[[Any, Any], str | None] | None = None
    """`obstacle(old, new)`: why stored measurements do not suffice for this change of the options; None if they do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatcherSpec:
    """A registered matcher."""

    name: str
    function: MatcherFunction
    options: type
    """Frozen dataclass of its options."""
    grid: GridFunction | None = None
    """Similarity of every expected with every actual value; used by list alignment."""
    prepare_grid: GridPreparation | None = None
    """`prepare_grid(expected, actual, config)`: reads the values of many lists once, and returns the grid of any part of them. It agrees
    with `grid`."""
    reflexive: bool = True
    """Whether equal values always match. If so, the matcher sees only pairs that differ."""
    unread_note: Callable[[Any, Any], str | None] | None = None
    """`unread_note(value, config)`: why the matcher cannot read a value; None if it can. None for a matcher that reads every value."""
    reads_column: Callable[[Sequence[Any], Any], bool] | None = None
    """`reads_column(values, config)`: True only if `unread_note` would be None for each value of a column; a shortcut for many values."""
    reads_text: Callable[[Any], bool] | None = None
    """`reads_text(config)`: whether text is read into what the matcher compares. A difference is then a wrong value, not a wrong type.
    Default: every matcher with `unread_note` does."""
    column_survey: ColumnSurvey | None = None
    """How a whole column decides what its options and single values leave open."""
    stored_decision: StoredDecision | None = None
    """How another threshold or tolerance can be tried on a stored run; None if that needs the matcher itself."""
    examples: tuple[Example, ...] = ()

    def compares_readings(self, config: Any) -> bool:
        """Whether the matcher compares what it reads, so that values of different types may be equal."""
        if self.reads_text is None:
            return self.unread_note is not None
        return self.reads_text(config)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorSpec:
    """A registered evaluator or judge."""

    name: str
    function: Callable[..., Any]
    """A function of a `Batch` and options that returns `Results`; where `is_judge`, of a `Case` and options, a `Judgement`."""
    options: type
    """Frozen dataclass of its options."""
    reads: Reads = "records"
    """`records`: JSON is found in text. `text`: never parsed. `case`: the case as it is."""
    reads_scalars: bool = False
    """Whether text without a JSON object or list is a record all the same: a JSON scalar, or the text itself."""
    needs_object: bool = False
    """Whether an output that is no object, where one is expected, is a failure of the system."""
    needs_expected: bool = True
    """Whether a case without an expected value is skipped."""
    counts: tuple[str, ...] = ()
    """Metrics that are counts: whole numbers that keep their value where the system gave no output."""
    kept: tuple[str, ...] = ()
    """Further metrics that keep their value where the system gave no output, because 0 would be a good value."""
    has_output: Callable[..., bool] | None = None
    """`has_output(case, config)`: True if the system gave what this evaluator measures, such as contexts, even without `actual`."""
    summarize: Callable[..., Any] | None = None
    """`summarize(pool)`: metrics of the whole dataset from what all batches put into `Results.pool`."""
    version: int = 1
    """Incremented with every change of what it measures."""
    vacuous: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Metric → the flags that together say that it had nothing to measure in a case. The case keeps the value; means leave it out."""
    unscored: Mapping[str, str] = field(default_factory=dict)
    """Metric → the flag that says that it could not be measured though something was expected. Means leave it out, `--max-unscored`
    limits it."""
    unbounded: Unbounded = ()
    """Metrics, other than counts, that may be below 0 or above 1: their intervals are not those of shares."""
    is_judge: bool = False
    metrics: Metrics = None
    recomputes: tuple[str, ...] = ()
    """Options whose change can be tried on a stored run: the evaluator is called again with the stored comparisons, or with the stored
    records if it compares no fields."""
    primary: str = "score"
    """The metric that decides in a comparison of runs whether the evaluator changed; the others are judged only if it did."""
    examples: tuple[EvaluatorExample, ...] = ()

    def metric_names(self, config: Any) -> frozenset[str] | None:
        """Metrics that this evaluator reports under these options; None if only a run can tell."""
        if self.metrics is None:
            return None
        declared = self.metrics(config) if callable(self.metrics) else self.metrics
        return frozenset((*declared, *USAGE_METRICS) if self.is_judge else declared)

    def unbounded_names(self, config: Any) -> frozenset[str]:
        """Metrics, other than counts, that may be below 0 or above 1 under these options; None if those cannot be read."""
        return frozenset(self.unbounded(config) if callable(self.unbounded) else self.unbounded)


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseSpec:
    """A registered cause: why two values differ."""

    name: str
    function: CauseFunction
    rank: int
    """Lower ranks are tried first."""
    label: str
    advice: str
    advised: tuple[str, ...] = ()
    """Matches that the advice recommends."""
    advice_if_followed: str = ""
    """The advice for a field whose match is one of `advised` already."""
    advice_if_typed: str = ""
    """The advice for a field whose match reads a type (money, date, quantity …), where `advised` are matches of text."""
    kinds: ValueKinds = "any"
    """Pairs it applies to."""
    letters: tuple[LetterRelation, ...] = ("same", "as_many", "fewer", "more")
    """Of two ASCII texts, how their letters and digits must compare; a pair that compares otherwise is not tried."""
    edits: LetterEdits | None = None
    """Of two ASCII texts, what must make the letters and digits of one those of the other; a pair that takes more is not tried."""
    reads: TextReading | None = None
    """What two texts must be; other texts are not tried, and no pair without a text that is not two numbers."""
    numbers: NumberSign | None = None
    """What two numbers must be; other numbers are not tried, and no pair without a text that is not two numbers."""
    copied: bool = False
    """True if the actual value must be a distinctive one that the expected record holds; another is not tried."""
    examples: tuple[CauseExample, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImporterSpec:
    """A registered importer: reads the files of another tool or vendor."""

    name: str
    function: Callable[..., Any]
    """`function(document) -> Iterable[ImportedRecord]`."""
    recognizes: Callable[[Any], bool]
    """Whether a parsed document looks like this format."""
    label: str
