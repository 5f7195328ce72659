"""What running a plan on one batch of cases gave."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.case import Cases
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.result import Results


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """One evaluator's results for the cases of the batch that it applies to."""

    evaluator: PlannedEvaluator
    rows: NDArray[np.int64]
    """The positions in the batch of the cases it applies to; `results` has one entry for each, in this order.
    `results.comparisons.case` counts in this order too."""
    results: Results


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOutcome:
    """A batch of cases with what every evaluator said of it."""

    first: int
    """The position of its first case in the whole run."""
    cases: Cases
    evaluated: Sequence[Evaluated]
    diagnostics: Sequence[Diagnostic] = ()
