"""How far several outputs for one input agree with each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum
from typing import Any

import numpy as np

from fieldwise.model.batch import Batch
from fieldwise.model.comparison import Outcome
from fieldwise.model.rule import CompareSpec
from fieldwise.model.values import Value


@dataclass(frozen=True, slots=True)
class Agreement:
    """The mean agreement of all pairs of outputs, for each field and over all fields."""

    fields: dict[str, float]
    pairs: int

    @property
    def mean(self) -> float:
        """Over the fields; 1 where no output has any."""
        return fsum(self.fields.values()) / len(self.fields) if self.fields else 1.0  # the same in whatever order the fields come

    def to_json(self) -> dict[str, Any]:
        """The share of pairs that agree, field by field; stable fields agree in every pair."""
        stable = [field for field, share in self.fields.items() if share == 1.0]
        drifting = sorted((field for field, share in self.fields.items() if share < 1.0), key=lambda field: self.fields[field])
        return {"fields": self.fields, "pairs": self.pairs, "stable": stable, "drifting": drifting}


def agreement(batch: Batch, spec: CompareSpec) -> list[Agreement | None]:
    """For each case with two outputs or more, how far they agree; empty if no case has."""
    if not any(actuals and len(actuals) > 1 for actuals in batch.cases.actuals):
        return []
    return [_agreement(batch, spec, actuals) if actuals and len(actuals) > 1 else None for actuals in batch.cases.actuals]


def _agreement(batch: Batch, spec: CompareSpec, actuals: Sequence[Value]) -> Agreement:
    pairs = list(combinations(actuals, 2))
    comparisons = batch.compare_records(spec, [one for one, _ in pairs], [other for _, other in pairs])
    agrees = comparisons.passed | (comparisons.outcome == Outcome.BOTH_ABSENT)
    kept = comparisons.outcome != Outcome.IGNORED
    there = np.bincount(comparisons.path[kept], minlength=len(comparisons.paths))
    alike = np.bincount(comparisons.path[kept & agrees], minlength=len(comparisons.paths))
    # a pair in which neither output has the field agrees that there is none
    shares = {path: (len(pairs) - int(n - good)) / len(pairs) for path, n, good in zip(comparisons.paths, there, alike, strict=True) if n}
    return Agreement(shares, len(pairs))
