"""Which results are measurements: those that were scored, and failures of the system under test."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.result import Results, Status


@dataclass(frozen=True, slots=True)
class Measured:
    """What became of the results of one evaluator for one batch."""

    rows: NDArray[np.bool_]
    """True for the results that count in every mean."""
    scored: int
    failures: int
    faults: int
    skipped: int
    unavailable: int

    @property
    def everything(self) -> bool:
        """Whether there is nothing to leave out."""
        return self.scored + self.failures == len(self.rows)


def measured(results: Results) -> Measured:
    """Tell measurements from what could not be measured; an error's details say whose fault it is."""
    rows = results.status == Status.SCORED
    by_status = np.bincount(results.status, minlength=len(Status)).tolist()
    failures = 0
    for row in np.flatnonzero(results.status == Status.ERROR).tolist():
        if results.details(row).get("fault") == "system":
            rows[row] = True
            failures += 1
    return Measured(
        rows=rows,
        scored=by_status[Status.SCORED],
        failures=failures,
        faults=by_status[Status.ERROR] - failures,
        skipped=by_status[Status.SKIPPED],
        unavailable=by_status[Status.UNAVAILABLE],
    )
