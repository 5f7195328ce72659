"""What an evaluator is given: a batch of cases, and the comparisons it asks for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fieldwise.model.case import Cases
from fieldwise.model.comparison import Comparisons
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.result import Results
from fieldwise.model.rule import CompareSpec
from fieldwise.model.services import Services
from fieldwise.model.values import Value


@dataclass(frozen=True, slots=True)
class Records:
    """Both sides of a batch as JSON values; where text held JSON, it is read."""

    expected: Sequence[Value]
    actual: Sequence[Value]
    repairs: dict[int, list[str]]
    """What was needed to read a side, by case: `actual: code fence removed`."""
    unreadable: dict[int, dict[str, str]]
    """By case: the sides (`expected`, `actual`) that have no record, and why."""


class Batch(Protocol):
    """A batch of cases. Cases whose expected side is missing or unreadable do not reach an evaluator that needs it. Where the
    actual side is, the record is MISSING and the text empty; `score/` makes the result an error afterwards."""

    @property
    def cases(self) -> Cases:
        """The cases in columns."""
        ...

    @property
    def records(self) -> Records:
        """Expected and actual as records, for evaluators that read JSON."""
        ...

    @property
    def services(self) -> Services:
        """For evaluators that ask a model or embed texts."""
        ...

    @property
    def expected_texts(self) -> Sequence[str]:
        """Expected as text: text as it is, anything else as JSON."""
        ...

    @property
    def actual_texts(self) -> Sequence[str]:
        """Actual as text: text as it is, anything else as JSON."""
        ...

    def compare(self, spec: CompareSpec) -> Comparisons:
        """The comparisons this spec asks for; computed once for all evaluators of the batch that ask the same."""
        ...

    def compare_records(self, spec: CompareSpec, expected: Sequence[Value], actual: Sequence[Value]) -> Comparisons:
        """The same for other records than those of the cases, without looking for causes."""
        ...

    def evaluate(self, planned: PlannedEvaluator) -> Results:
        """What another evaluator says of the whole batch, verdicts included; skipped where its `when` leaves a case out."""
        ...

    def __len__(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorOutcome:
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
    evaluated: Sequence[EvaluatorOutcome]
    diagnostics: Sequence[Diagnostic] = ()
