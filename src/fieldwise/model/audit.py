"""A judge beside people: where they agree on a case, and where not."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from fieldwise.model.result import Verdict

VERDICTS: Sequence[Verdict] = ("pass", "partial", "fail")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCase:
    """What a judge said of a case."""

    verdict: Verdict | None
    """None where there is nothing that the judge said."""
    score: float
    reasoning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A case that a judge and people see differently."""

    case: str
    people: Verdict
    judge: Verdict
    score: float
    reasoning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PassAtAgreement:
    """What `pass_at` would make of the judge's scores."""

    pass_at: float
    kappa: float
    agreement: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """How far a judge agrees with people."""

    run: str
    evaluator: str
    n: int
    """Cases that both have judged."""
    agreement: float
    agreement_interval: tuple[float, float]
    """Wilson's, 95 %."""
    kappa: float | None
    """Cohen's: 1 is full agreement, 0 what chance gives. None where everybody says the same of every case."""
    kappa_interval: tuple[float, float] | None
    table: Mapping[Verdict, Mapping[Verdict, int]]
    """How often, by what people say and then by what the judge says."""
    disagreements: Sequence[Disagreement]
    best: PassAtAgreement | None = None
    """The `pass_at` that would agree with people best, if that is better than the verdicts as they are. Found on these very cases."""
    partial_is_fail: bool = False
    """The judge says `partial` of some cases, people never: those count as `fail`."""
    unjudged: Sequence[str] = ()
    """Labelled cases that the judge did not measure."""
    unknown: Sequence[str] = ()
    """Labelled cases that the run does not have."""
    unlabelled: int = 0
    """Cases that the judge measured and nobody labelled."""

    def share(self, people: Verdict, judge: Verdict) -> float | None:
        """Of the cases of which people say the one, the share of which the judge says the other; None where there are none."""
        row = self.table.get(people, {})
        return row.get(judge, 0) / total if (total := sum(row.values())) else None

    def to_json(self) -> dict[str, Any]:
        """A JSON-able form."""
        return asdict(self)
