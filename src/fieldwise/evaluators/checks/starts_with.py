"""Whether an output starts with a text, or with one of several; whitespace around the output does not count.

>>> import fieldwise as fw
>>> fw.evaluate({"type": "starts_with", "value": ["Dear", "regards"]}, actual=" Dear Ms Lee, … With regards ").score
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
class StartsWith:
    """What the output must start with."""

    value: Wanted | None = None
    """A text, or a list of texts of which one is enough. Left out: what the case expects."""
    ignore_case: bool = False
    negate: bool = False
    """The output must start with none of them."""

    def problems(self) -> Iterable[Problem]:
        """Blank texts."""
        return blank_texts(self.value)


@evaluator(reads="case", needs_expected=False, version=1)
def starts_with(batch: Batch, config: StartsWith) -> Results:
    """1 if the output starts with one of the texts, else 0."""

    def holds(output: str, text: str) -> bool:
        return composed(output, config.ignore_case).strip().startswith(composed(text, config.ignore_case).strip())

    mode = "all" if config.negate else "any"
    return check_texts(batch, "starts_with", config.value, holds, mode=mode, negate=config.negate)
