"""Whether an output is a text, whitespace around it aside; an output that is no text is compared as its JSON.

>>> import fieldwise as fw
>>> fw.evaluate({"type": "equals", "ignore_case": True}, expected="Approved", actual=" APPROVED").score
1.0
"""

from collections.abc import Iterable
from dataclasses import dataclass

from fieldwise.evaluators.checks._checks import Wanted, blank_texts, check_texts, composed
from fieldwise.model.batch import Batch
from fieldwise.model.options import Problem
from fieldwise.model.result import Results
from fieldwise.registry import evaluator


@dataclass(frozen=True, slots=True, kw_only=True)
class Equals:
    """What the output must be."""

    value: Wanted | None = None
    """A text, or a list of texts of which the output must be one. Left out: what the case expects."""
    ignore_case: bool = False
    negate: bool = False
    """The output must be none of them."""

    def problems(self) -> Iterable[Problem]:
        """Blank texts."""
        return blank_texts(self.value)


@evaluator(reads="case", needs_expected=False, version=1)
def equals(batch: Batch, config: Equals) -> Results:
    """1 if the output is one of the texts, else 0."""

    def holds(output: str, text: str) -> bool:
        return composed(output, config.ignore_case).strip() == composed(text, config.ignore_case).strip()

    mode = "all" if config.negate else "any"
    return check_texts(batch, "equals", config.value, holds, mode=mode, negate=config.negate)
