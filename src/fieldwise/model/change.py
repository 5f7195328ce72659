"""What changed from one run to another, over the cases that both have."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

ChangeVerdict = Literal["better", "worse", "no difference shown", "not enough cases"]
LOWER_IS_BETTER: Final = frozenset(
    {
        *("hallucination", "omission", "format_error", "wrong_value", "violations"),
        *("false_positives", "false_negatives", "false_negatives_fp", "false_negatives_fp_fn"),
        *("mean_distance", "latency_ms", "cost_usd"),
    }
)
"""The metrics of which less is better; of all others it is more."""


def lower_is_better(metric: str) -> bool:
    """Whether less of a metric is better, by the name that gates know it by.

    >>> lower_is_better("json_quality.hallucination"), lower_is_better("json_quality.completeness")
    (True, False)
    """
    return metric.rsplit(".", 1)[-1] in LOWER_IS_BETTER


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One number in two runs, case by case."""

    name: str
    """`fields.score`, or a field such as `invoice.total`."""
    n: int
    base: float
    new: float
    low: float | None
    high: float | None
    """The 95 % interval of the difference."""
    p: float
    p_adjusted: float
    """Adjusted for all the numbers that were compared with it."""
    test: str
    """How `p` was found: `permutation` or `McNemar`."""
    effect: float | None
    """The mean difference in standard deviations of the differences."""
    gain: float | None
    """The share of what was missing that has been won, or of what there was that has been lost."""
    smallest_shown: float | None
    """The smallest change this many cases show four times out of five."""
    verdict: ChangeVerdict
    lower_is_better: bool = False
    """Whether a rise is a loss. Never so for a field, whatever its name."""

    @property
    def delta(self) -> float:
        """The difference of the means."""
        return self.new - self.base

    @property
    def loss(self) -> float:
        """How much worse it has become; below 0 where it is better."""
        return self.delta if self.lower_is_better else -self.delta


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorChange:
    """One evaluator in two runs."""

    evaluator: str
    n: int
    """How many cases both runs measured."""
    metrics: Sequence[Change]
    fields: Sequence[Change] = ()
    fixed: Sequence[str] = ()
    """Cases that did not pass before and do now."""
    broken: Sequence[str] = ()
    still_broken: Sequence[str] = ()
    unmeasured: Sequence[str] = ()
    """Cases that both runs have, but that one of them could not measure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Two runs, compared."""

    base: str
    new: str
    """The ids of the runs."""
    evaluators: Mapping[str, EvaluatorChange]
    only_in_base: Sequence[str] = ()
    only_in_new: Sequence[str] = ()
    """Cases that only one of the runs has."""
    notes: Sequence[str] = field(default_factory=list[str])
    """What makes the comparison less than it seems: another evaluator version, another suite."""

    def change(self, name: str) -> Change:
        """The change of a metric as gates name it, such as `fields.score`; KeyError if both runs do not have it."""
        for evaluator in self.evaluators.values():
            for change in evaluator.metrics:
                if change.name == name:
                    return change
        raise KeyError(name)

    def to_json(self) -> dict[str, Any]:
        """A JSON-able form."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Changes":
        """What `to_json` gave."""
        content: dict[str, Any] = dict(value)
        content["evaluators"] = {name: _evaluator_change(one) for name, one in value["evaluators"].items()}
        return cls(**content)


def _evaluator_change(value: Mapping[str, Any]) -> EvaluatorChange:
    content: dict[str, Any] = dict(value)
    for name in ("metrics", "fields"):
        content[name] = [Change(**change) for change in value[name]]
    return EvaluatorChange(**content)
