"""Agreement between a judge and human labels, case by case."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from fieldwise.model.result import Verdict

VERDICTS: Sequence[Verdict] = ("pass", "partial", "fail")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCase:
    """A judge's result for one case."""

    verdict: Verdict | None
    """None if the judge gave none."""
    score: float
    reasoning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A case for which the judge and the label differ."""

    case: str
    people: Verdict
    """The label."""
    judge: Verdict
    score: float
    reasoning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PassAtAgreement:
    """The agreement that the judge's scores reach at another `pass_at`."""

    pass_at: float
    kappa: float
    agreement: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Agreement of a judge with human labels."""

    run: str
    """The id of the run."""
    evaluator: str
    """The name of the judge in the run."""
    n: int
    """Number of cases that have both a label and a verdict of the judge."""
    agreement: float
    """Share of cases with equal verdicts."""
    agreement_interval: tuple[float, float]
    """95 % Wilson interval of `agreement`."""
    kappa: float | None
    """Cohen's kappa: 1 is full agreement, 0 is agreement by chance. None if all verdicts and labels are equal."""
    kappa_interval: tuple[float, float] | None
    """95 % interval of `kappa`."""
    table: Mapping[Verdict, Mapping[Verdict, int]]
    """Number of cases by label, then by the judge's verdict."""
    disagreements: Sequence[Disagreement]
    """The cases with different verdicts."""
    best: PassAtAgreement | None = None
    """The `pass_at` with the highest agreement, if higher than that of the verdicts as they are. Fitted on these same cases."""
    partial_is_fail: bool = False
    """True if the judge says `partial` and the labels never do: those cases count as `fail`."""
    unjudged: Sequence[str] = ()
    """Ids of labelled cases that the judge did not measure."""
    unknown: Sequence[str] = ()
    """Ids of labelled cases that the run does not have."""
    unlabelled: int = 0
    """Number of cases that the judge measured and that have no label."""

    def share(self, people: Verdict, judge: Verdict) -> float | None:
        """Of the cases labelled `people`, the share with the judge's verdict `judge`; None if no case has that label."""
        row = self.table.get(people, {})
        total = sum(row.values())
        return row.get(judge, 0) / total if total else None

    def to_json(self) -> dict[str, Any]:
        """A JSON-serializable dict."""
        return asdict(self)
