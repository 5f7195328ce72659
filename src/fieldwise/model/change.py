"""Differences between two runs, over the cases that both have."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from html import escape
from typing import Any, Final, Literal

from fieldwise.dataclass import dataclass
from fieldwise.model.notebook_html import format_interval, render_table
from fieldwise.model.values import to_plain

ChangeVerdict = Literal["better", "worse", "no difference shown", "not enough cases", "not tested"]
"""`not tested`: a metric that is judged only where the primary metric of its evaluator shows a difference."""
LOWER_IS_BETTER: Final = frozenset(
    {
        *("hallucination", "omission", "format_error", "wrong_value", "violations"),
        *("false_positives", "false_negatives", "false_negatives_fp", "false_negatives_fp_fn"),
        *("mean_distance", "latency_ms", "cost_usd"),
        *("per_case", "wrong_values", "false_accepts", "reviewed"),
    }
)
"""Metrics for which a lower value is better; for all others a higher value is."""


def lower_is_better(metric: str) -> bool:
    """True if a lower value of the metric is better. `metric` is its full name, as in a gate.

    >>> lower_is_better("json_quality.hallucination"), lower_is_better("json_quality.completeness")
    (True, False)
    """
    return metric.rsplit(".", 1)[-1] in LOWER_IS_BETTER


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One metric in two runs, compared case by case."""

    name: str
    """`fields.score`, or a field such as `invoice.total`."""
    n: int
    """Number of cases that both runs measured."""
    base: float
    """The mean in the base run."""
    new: float
    """The mean in the new run."""
    low: float | None
    """Lower end of the 95 % interval of the difference."""
    high: float | None
    """Upper end of the 95 % interval of the difference."""
    p: float
    """The p-value of the difference."""
    p_adjusted: float
    """`p`, adjusted for the metrics or fields that are tested together; `p` itself if the verdict is `not tested`."""
    test: str
    """The test that gave `p`: `permutation`, `permutation by group` or `McNemar`."""
    effect: float | None
    """The mean difference in standard deviations of the differences."""
    gain: float | None
    """The share of the shortfall that was removed; below 0, the share of the base value that was lost."""
    smallest_shown: float | None
    """The smallest change that this number of cases detects with 80 % power."""
    verdict: ChangeVerdict
    """What the test shows."""
    lower_is_better: bool = False
    """True if a rise of the metric is a loss. Always False for a field, whatever its name."""
    groups: int | None = None
    """Number of groups of these cases; None if the cases are independent."""
    common_share: float = 1.0
    """`n` as a share of the cases in which one of the runs measured the metric, by the run with more of them. Of a field, cases of one run
    count only if their similarity is above 0: a value that only one run invented is no measurement to miss."""

    @property
    def delta(self) -> float:
        """The difference of the means, new minus base."""
        return self.new - self.base

    @property
    def loss(self) -> float:
        """By how much the metric became worse; below 0 if it became better."""
        return self.delta if self.lower_is_better else -self.delta


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorChange:
    """One evaluator in two runs."""

    evaluator: str
    """Its name."""
    n: int
    """Number of cases that both runs measured."""
    metrics: Sequence[Change]
    """The change of each metric."""
    primary: str = ""
    """Full name of the metric that decides whether the evaluator changed."""
    groups: int | None = None
    """Number of groups of these cases; None if the cases are independent."""
    tested: int = 0
    """Number of further metrics that were tested, because the primary metric shows a difference."""
    fields: Sequence[Change] = ()
    """The change of each field's mean similarity."""
    lost_fields: Sequence[str] = ()
    """Fields that were at least partly right in the base run, and that the new run compared in none of the common cases."""
    fixed: Sequence[str] = ()
    """Ids of cases that pass in the new run only."""
    broken: Sequence[str] = ()
    """Ids of cases that pass in the base run only."""
    still_broken: Sequence[str] = ()
    """Ids of cases that pass in neither run."""
    unmeasured: Sequence[str] = ()
    """Ids of cases that both runs have and only one of them measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The comparison of two runs, as returned by `fieldwise.compare`."""

    base: str
    """The id of the base run."""
    new: str
    """The id of the new run."""
    evaluators: Mapping[str, EvaluatorChange]
    """The changes by evaluator name, for evaluators that both runs have."""
    only_in_base: Sequence[str] = ()
    """Ids of cases that only the base run has."""
    only_in_new: Sequence[str] = ()
    """Ids of cases that only the new run has."""
    common_share: float = 1.0
    """The share of the cases of the larger run that both have; of the sampled cases, if the base is a file that samples a large run."""
    notes: Sequence[str] = field(default_factory=list)
    """Limits of the comparison, such as another version of an evaluator or another suite."""
    adjust: str = "holm"
    """Adjustment of the p-values: `holm` or `bh`."""
    tested_metrics: int = 0
    """Number of primary metrics that were tested together."""
    tested_fields: int = 0
    """Number of fields that were tested together."""

    base_label: str = ""
    """What the user calls the base run: what was typed, the name of the run, or its data; empty if none of these tells the runs apart."""
    new_label: str = ""
    """What the user calls the new run."""

    def change(self, name: str) -> Change:
        """The change of a metric by its full name, such as `fields.score`; KeyError if one of the runs does not have it."""
        for evaluator in self.evaluators.values():
            for change in evaluator.metrics:
                if change.name == name:
                    return change
        raise KeyError(name)

    def to_json(self) -> dict[str, Any]:
        """A JSON-serializable dict."""
        return to_plain(self)

    def _repr_html_(self) -> str:
        """HTML for notebooks: every metric and field in both runs, and what the test shows."""
        return render_changes_html(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Changes":
        """Read what `to_json` wrote."""
        content: dict[str, Any] = dict(value)
        content["evaluators"] = {name: _read_evaluator_change(evaluator) for name, evaluator in value["evaluators"].items()}
        return cls(**content)


def _read_evaluator_change(value: Mapping[str, Any]) -> EvaluatorChange:
    content: dict[str, Any] = dict(value)
    for name in ("metrics", "fields"):
        content[name] = [Change(**change) for change in value[name]]
    return EvaluatorChange(**content)


def render_changes_html(changes: Changes) -> str:
    """Every metric and field in both runs, and what the test shows."""
    rows: list[tuple[str, ...]] = []
    for evaluator in changes.evaluators.values():
        for change in (*evaluator.metrics, *evaluator.fields):
            interval = format_interval(change.low, change.high)
            numbers = (f"{change.base:.4g}", f"{change.new:.4g}", f"{change.delta:+.4g}", interval, str(change.n))
            rows.append((evaluator.evaluator, change.name, *numbers, change.verdict))
    titles = ("evaluator", "metric or field", "base", "new", "change", "95 % interval", "n", "verdict")
    notes = "".join(f"<li>{escape(note)}</li>" for note in changes.notes)
    head = f"<p><b>{escape(changes.new_label or changes.new)}</b> compared with {escape(changes.base_label or changes.base)}</p>"
    return head + render_table(titles, rows, len(rows)) + (f"<ul>{notes}</ul>" if notes else "")
