"""How far the confidences of a run can be trusted: per field, per tag and overall."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.confidence import (
    BINS,
    ReliabilityBin,
    RiskPoint,
    area_interval,
    area_under_roc,
    brier_score,
    errors_caught,
    expected_calibration_error,
    reliability_bins,
    risk_coverage,
)
from fieldwise.store.run import Run
from fieldwise.study.confident_values import ConfidentValues, GivenConfidences, find_field, load_confident_values

MIN_VALUES: Final = 30
MIN_ERRORS: Final = 10
"""With fewer values or errors, nothing is measured."""
REVIEW_SHARES: Final = (0.05, 0.10, 0.20)
METRICS: Final = ("auroc", "ece", "brier")
"""The metrics that a gate may name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaughtErrors:
    """The errors found by reviewing the least confident values."""

    share: float
    """Share of the values that are reviewed."""
    values: int
    """Number of values that are reviewed."""
    errors: float
    """Number of errors among them; a fraction where equal confidences are cut."""
    caught: float
    """Share of all errors. Reviewing as many values at random finds `share` of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceSummary:
    """How good the confidences of some values are. What was not measured is None."""

    n: int
    """Number of values with a confidence."""
    errors: int
    accuracy: float | None
    mean_confidence: float | None
    documents: int
    ece: float | None = None
    """Expected calibration error, over ten bins of equal count."""
    direction: str | None = None
    """`overconfident` if the mean confidence is above the accuracy, else `underconfident`."""
    brier: float | None = None
    auroc: float | None = None
    auroc_interval: tuple[float, float] | None = None
    """95 %; documents are the units. None for equal confidences."""
    reliability: tuple[ReliabilityBin, ...] = ()
    risk_coverage: tuple[RiskPoint, ...] = ()
    errors_caught: tuple[CaughtErrors, ...] = ()
    without_confidence: int = 0
    """Number of values without a confidence; they are in no other number."""
    accuracy_without: float | None = None
    """Accuracy of the values without a confidence."""

    @property
    def is_enough(self) -> bool:
        """Whether there are enough values and errors to measure anything."""
        return self.n >= MIN_VALUES and self.errors >= MIN_ERRORS

    @property
    def signed_ece(self) -> float | None:
        """The expected calibration error, negative for an underconfident system."""
        if self.ece is None:
            return None
        return self.ece if self.direction == "overconfident" else -self.ece

    def to_json(self) -> dict[str, Any]:
        """A JSON-serializable dict."""
        content = asdict(self)
        content["auroc_interval"] = None if self.auroc_interval is None else list(self.auroc_interval)
        return {"n": self.n, "enough": self.is_enough, "note": None if self.is_enough else self.describe_lack(), **content} | {
            "ece_signed": self.signed_ece
        }

    def describe_lack(self) -> str:
        """Why nothing was measured."""
        return f"not enough: {self.n} values with {self.errors} errors; {MIN_VALUES} and {MIN_ERRORS} are needed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceReport:
    """The confidences of a run."""

    run: str
    evaluator: str
    overall: ConfidenceSummary
    fields: Mapping[str, ConfidenceSummary]
    """Only fields of which a value has a confidence."""
    tags: Mapping[str, ConfidenceSummary]

    def to_json(self) -> dict[str, Any]:
        """A JSON-serializable dict."""
        return {
            "run": self.run,
            "evaluator": self.evaluator,
            "bins": f"{BINS} of equal count",
            "minimum": {"values": MIN_VALUES, "errors": MIN_ERRORS},
            "overall": self.overall.to_json(),
            "fields": {name: summary.to_json() for name, summary in self.fields.items()},
            "tags": {name: summary.to_json() for name, summary in self.tags.items()},
        }


def study_confidence(
    run: Run, *, evaluator: str | None = None, field: str | None = None, confidences: GivenConfidences | None = None
) -> ConfidenceReport:
    """Measure the confidences of a run; `field` limits everything to one field, `confidences` take the place of the stored ones."""
    values = load_confident_values(run, evaluator, confidences)
    chosen = np.ones(len(values), dtype=np.bool_)
    field_codes: Sequence[int] = values.fields_with_confidence()
    if field is not None:
        field_codes = [find_field(values, field)]
        chosen = values.field == field_codes[0]
    return ConfidenceReport(
        run=run.id,
        evaluator=values.evaluator,
        overall=summarize_values(values, chosen),
        fields={values.fields[code]: summarize_values(values, values.field == code) for code in field_codes},
        tags={tag: summarize_values(values, chosen & has_tag) for tag, has_tag in values.tags.items()},
    )


def summarize_values(values: ConfidentValues, chosen: NDArray[np.bool_]) -> ConfidenceSummary:
    """The summary of the chosen values."""
    with_confidence = chosen & values.has_confidence
    without = chosen & ~values.has_confidence
    confidence, correct = values.confidence[with_confidence], values.correct[with_confidence]
    document = values.document[with_confidence]
    n, errors = len(correct), int((correct == 0).sum())
    summary = ConfidenceSummary(
        n=n,
        errors=errors,
        accuracy=float(correct.mean()) if n else None,
        mean_confidence=float(confidence.mean()) if n else None,
        documents=len(np.unique(document)),
        without_confidence=int(without.sum()),
        accuracy_without=float(values.correct[without].mean()) if without.any() else None,
    )
    if not summary.is_enough:
        return summary
    has_both = errors < n
    return ConfidenceSummary(
        n=n,
        errors=errors,
        accuracy=summary.accuracy,
        mean_confidence=summary.mean_confidence,
        documents=summary.documents,
        ece=expected_calibration_error(confidence, correct),
        direction="overconfident" if confidence.mean() >= correct.mean() else "underconfident",
        brier=brier_score(confidence, correct),
        auroc=area_under_roc(confidence, correct) if has_both else None,
        auroc_interval=area_interval(confidence, correct, document, values.keys) if has_both else None,
        reliability=tuple(reliability_bins(confidence, correct)),
        risk_coverage=tuple(risk_coverage(confidence, correct)),
        errors_caught=tuple(_count_caught(confidence, correct, errors)),
        without_confidence=summary.without_confidence,
        accuracy_without=summary.accuracy_without,
    )


def _count_caught(confidence: NDArray[np.float64], correct: NDArray[np.float64], errors: int) -> list[CaughtErrors]:
    caught = errors_caught(confidence, correct, REVIEW_SHARES)
    return [
        CaughtErrors(share=share, values=round(share * len(correct)), errors=count, caught=count / errors)
        for share, count in zip(REVIEW_SHARES, caught, strict=True)
    ]
