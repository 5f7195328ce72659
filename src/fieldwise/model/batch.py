"""A batch of cases as evaluators see it, and the outcome of scoring it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from fieldwise.dataclass import dataclass
from fieldwise.model.case import Cases
from fieldwise.model.comparison import ComparisonTable
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.evidence import EvidenceNode
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.result import Results
from fieldwise.model.rule import CompareSpec
from fieldwise.model.services import Services
from fieldwise.model.values import Value
from fieldwise.numpy_on_use import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Records:
    """Both sides of a batch as JSON values; JSON found in text is parsed."""

    expected: Sequence[Value]
    """The expected record of each case."""
    actual: Sequence[Value]
    """The actual record of each case."""
    repairs: dict[int, list[str]]
    """Repairs that were needed to parse a side, by case: `actual: code fence removed`."""
    unreadable: dict[int, dict[str, str]]
    """By case: the sides (`expected`, `actual`) without a record → the reason."""
    wrapped: Mapping[int, Value] = field(default_factory=dict)
    """By case: the actual record as it was, where values with a confidence beside them were unwrapped."""
    evidence: Mapping[int, EvidenceNode] = field(default_factory=dict)
    """By case: confidences, pages and boxes of the values of the actual record."""


class Batch(Protocol):
    """A batch of cases.

    Cases whose expected side is missing or unreadable do not reach an evaluator that needs it. If the actual side is missing or
    unreadable, its record is MISSING and its text empty; `score/` turns the result into an error afterwards.
    """

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
        """Expected as text: text as it is, the answer of messages and of objects with one text, anything else as JSON."""
        ...

    @property
    def actual_texts(self) -> Sequence[str]:
        """Actual as text: text as it is, the answer of messages and of objects with one text, anything else as JSON."""
        ...

    def compare(self, spec: CompareSpec) -> ComparisonTable:
        """The comparisons that this spec describes; computed once for all evaluators of the batch with an equal spec."""
        ...

    def compare_records(self, spec: CompareSpec, expected: Sequence[Value], actual: Sequence[Value]) -> ComparisonTable:
        """The same for records other than those of the cases, without causes."""
        ...

    def evaluate(self, planned: PlannedEvaluator) -> Results:
        """The results of another evaluator for the whole batch, with verdicts; `skipped` for cases that its `when` excludes."""
        ...

    def __len__(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorOutcome:
    """One evaluator's results for the cases of the batch that it applies to."""

    evaluator: PlannedEvaluator
    rows: NDArray[np.int64]
    """Positions in the batch of the cases that the evaluator applies to; `results` has one entry for each, in this order.
    `results.comparisons.case` is an index into `rows`."""
    results: Results


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOutcome:
    """A batch of cases with the results of every evaluator."""

    first: int
    """Position of the first case of the batch in the run."""
    cases: Cases
    evaluated: Sequence[EvaluatorOutcome]
    diagnostics: Sequence[Diagnostic] = ()
