"""What a whole run comes to: numbers with their uncertainty, per evaluator, per field, per slice."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A number over a run."""

    value: float
    n: int
    """How many cases it was measured on."""
    low: float | None = None
    high: float | None = None
    """The 95 % confidence interval; None where there is none to give."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What became of the cases, for one evaluator."""

    cases: int = 0
    not_applicable: int = 0
    scored: int = 0
    failures: int = 0
    """Errors of the system under test: its output was missing, null or unreadable. They score 0 in every mean."""
    faults: int = 0
    """Errors of ours: an evaluator, a judge or the expected data. They are in no mean."""
    skipped: int = 0
    unavailable: int = 0
    passed: int = 0
    partial: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSummary:
    """One field over a run."""

    field: str
    rule: str
    """How it was matched, in words: `fuzzy ≥ 0.85`."""
    n: int
    """How many comparisons count, items of lists one by one; what neither side has and what is ignored do not."""
    expected: int
    given: int
    outcomes: Mapping[str, int]
    """Outcome label → count, outcomes that did not occur left out."""
    matched: int
    score: Metric
    """The mean similarity over the scored comparisons of the field (a comparison that could not be made counts 0)."""
    precision: float
    recall: float
    f1: float
    causes: tuple[tuple[str, int], ...] = ()
    """Likely causes of its mismatches, most frequent first."""
    worst: tuple[str, ...] = ()
    """Ids of the cases where it is most wrong, at most five."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorSummary:
    """One evaluator over a run."""

    name: str
    type: str
    counts: Counts
    metrics: Mapping[str, Metric]
    """`score`, `pass_rate`, the mean of every metric by its name, and for precision, recall and f1 also `macro_*` and `micro_*`."""
    fields: tuple[FieldSummary, ...] = ()
    worst: tuple[tuple[str, float], ...] = ()
    """The lowest-scoring cases with their scores, at most ten."""
    flags: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many cases carry each of `details["flags"]`."""
    slices: Mapping[str, Mapping[str, Metric]] = field(default_factory=dict[str, Mapping[str, Metric]])
    """`tag:german` or `split:test` → its metrics."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A whole run."""

    cases: int
    evaluators: Mapping[str, EvaluatorSummary]

    def flatten(self) -> dict[str, float]:
        """Every metric as gates name it: `fields.score`, `field_prf.macro_f1`."""
        return {
            f"{evaluator.name}.{name}": metric.value for evaluator in self.evaluators.values() for name, metric in evaluator.metrics.items()
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """A gate and how it went."""

    gate: str
    passed: bool
    value: float | None
    """None where nothing was measured."""
    message: str

    @property
    def regression_text(self) -> str:
        """What is to be said beside the condition and the value: how a metric changed, for a gate on that; else nothing."""
        return self.message if self.gate.startswith("regression of ") else ""
