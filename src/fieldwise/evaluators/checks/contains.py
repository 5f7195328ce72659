"""Whether an output contains a text, or each of several; letter case counts (`icontains` ignores it).

>>> import fieldwise as fw
>>> result = fw.evaluate({"type": "contains", "value": ["refund", "30 days"]}, actual="A refund takes 14 days.")
>>> result.score, result.hits, result.misses
(0.0, ['contains: "refund"'], ['contains: "30 days"'])
"""

from collections.abc import Iterable
from dataclasses import dataclass

from fieldwise.evaluators.checks._checks import Mode, Wanted, blank_texts, check_texts, composed
from fieldwise.model.batch import Batch
from fieldwise.model.options import Problem
from fieldwise.model.result import Results
from fieldwise.registry import evaluator


@dataclass(frozen=True, slots=True, kw_only=True)
class Contains:
    """What the output must contain."""

    value: Wanted | None = None
    """A text, or a list of texts. Left out: what the case expects."""
    mode: Mode = "all"
    """Of several texts: all must be there, or any one is enough."""
    negate: bool = False
    """No text may be there; with `mode: any`, at least one must not be."""

    def problems(self) -> Iterable[Problem]:
        """Blank texts."""
        return blank_texts(self.value)


@evaluator(reads="case", needs_expected=False, version=1)
def contains(batch: Batch, config: Contains) -> Results:
    """1 if the output contains the texts, else 0."""

    def holds(output: str, text: str) -> bool:
        return composed(text, False) in composed(output, False)

    return check_texts(batch, "contains", config.value, holds, mode=config.mode, negate=config.negate)
