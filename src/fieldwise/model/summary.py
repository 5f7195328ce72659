"""The summary of a run: metrics with confidence intervals, by evaluator, field and slice."""

from collections.abc import Mapping
from dataclasses import field

from fieldwise.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric over the cases of a run."""

    value: float
    """The mean, or the value over the whole dataset."""
    n: int
    """Number of cases it was measured on."""
    low: float | None = None
    """Lower end of the 95 % confidence interval; None if there is no interval."""
    high: float | None = None
    """Upper end of the 95 % confidence interval; None if there is no interval."""
    groups: int | None = None
    """Number of groups of these cases, which are independent of each other; None if the cases themselves are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Number of cases by status and by verdict, for one evaluator."""

    cases: int = 0
    """All cases of the run."""
    not_applicable: int = 0
    """Cases that the evaluator's `when` excludes."""
    scored: int = 0
    """Cases with a score."""
    failures: int = 0
    """Errors of the system under test: its output was missing, null or unreadable. They score 0 in every mean."""
    faults: int = 0
    """Errors of the measurement: an evaluator, a judge or the expected data. They are in no mean."""
    skipped: int = 0
    """Cases that the evaluator skipped."""
    unavailable: int = 0
    """Cases that need a model or package that is not available."""
    passed: int = 0
    """Cases with the verdict `pass`."""
    partial: int = 0
    """Cases with the verdict `partial`."""
    failed: int = 0
    """Cases with the verdict `fail`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSummary:
    """One field over a run."""

    field: str
    """The path of its rule."""
    rule: str
    """Its match in words: `fuzzy ≥ 0.85`."""
    n: int
    """Number of comparisons that count, each list item by itself, with nulls that both sides agree on; `ignored` does not count."""
    expected: int
    """Number of comparisons with an expected value."""
    given: int
    """Number of comparisons with an actual value."""
    outcomes: Mapping[str, int]
    """Outcome label → count, without outcomes that did not occur."""
    matched: int
    """Number of comparisons that passed, of those that `n` counts."""
    score: Metric
    """The mean similarity of the comparisons that count; values that could not be compared have similarity 0."""
    precision: float
    """Matches as a share of the actual values."""
    recall: float
    """Matches as a share of the expected values."""
    f1: float
    """The harmonic mean of precision and recall."""
    causes: tuple[tuple[str, int], ...] = ()
    """Likely causes of its mismatches with their counts, most frequent first."""
    worst: tuple[str, ...] = ()
    """Ids of the cases with the lowest similarity, at most five."""

    @property
    def compared(self) -> int:
        """`n` without nulls that both sides agree on."""
        return sum(count for outcome, count in self.outcomes.items() if outcome not in ("both_absent", "ignored"))

    @property
    def agreed_absent(self) -> int:
        """Number of nulls that both sides agree on; each counts as right in the score."""
        return max(self.n - self.compared, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorSummary:
    """One evaluator over a run."""

    name: str
    """Its name in the suite."""
    type: str
    """Its registered name, such as `field_prf`."""
    counts: Counts
    """Number of cases by status and by verdict."""
    metrics: Mapping[str, Metric]
    """`score`, `pass_rate`, the mean of every metric by its name, and for precision, recall and f1 also `macro_*` and `micro_*`."""
    fields: tuple[FieldSummary, ...] = ()
    """The fields in the order of the rules, if the evaluator compares fields."""
    worst: tuple[tuple[str, float], ...] = ()
    """Ids and scores of the cases with the lowest scores, at most ten."""
    flags: Mapping[str, int] = field(default_factory=dict)
    """Flag of `details["flags"]` → number of cases that have it."""
    unscored: Mapping[str, int] = field(default_factory=dict)
    """Metric → number of cases in which it could not be measured though something was expected."""
    slices: Mapping[str, Mapping[str, Metric]] = field(default_factory=dict)
    """`tag:german` or `split:test` → its metrics."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The metrics of a run, by evaluator."""

    cases: int
    """Number of cases in the run."""
    evaluators: Mapping[str, EvaluatorSummary]
    """The summary of each evaluator, by its name."""
    groups: int | None = None
    """Number of groups of dependent cases; None if the suite names no groups."""

    def flatten(self) -> dict[str, float]:
        """Every metric by its full name, as in gates: `fields.score`, `field_prf.macro_f1`."""
        values: dict[str, float] = {}
        for evaluator in self.evaluators.values():
            for name, metric in evaluator.metrics.items():
                values[f"{evaluator.name}.{name}"] = metric.value
        return values


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """The result of one gate."""

    gate: str
    """The condition, such as `fields.score >= 0.9`."""
    passed: bool
    """True if the condition holds."""
    value: float | None
    """The value of the metric; None if nothing was measured."""
    message: str
    """The condition and the value in words."""

    @property
    def regression_text(self) -> str:
        """For a gate on a regression, how the metric changed; otherwise empty."""
        return self.message if self.gate.startswith("regression of ") else ""
