"""Whether an output contains a text, or each of several, whatever the letter case.

>>> import fieldwise as fw
>>> fw.evaluate({"type": "icontains", "value": "Refund"}, actual="NO REFUND").hits
['icontains: "Refund"']
"""

from collections.abc import Iterable
from dataclasses import dataclass

from fieldwise.evaluators.checks._checks import Mode, Wanted, blank_texts, check_texts, composed
from fieldwise.model.batch import Batch
from fieldwise.model.options import Problem
from fieldwise.model.result import Results
from fieldwise.registry import evaluator


@dataclass(frozen=True, slots=True, kw_only=True)
class Icontains:
    """What the output must contain, in capitals or not."""

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
def icontains(batch: Batch, config: Icontains) -> Results:
    """1 if the output contains the texts in any letter case, else 0."""

    def holds(output: str, text: str) -> bool:
        return composed(text, True) in composed(output, True)

    return check_texts(batch, "icontains", config.value, holds, mode=config.mode, negate=config.negate)
