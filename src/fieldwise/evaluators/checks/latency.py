"""Whether a case took no more than it may, in milliseconds, as its metadata say.

>>> import fieldwise as fw
>>> fw.evaluate({"type": "latency", "max": 800}, actual="done", metadata={"latency_ms": 1200}).misses
['latency (1200 ms, at most 800)']
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge

from fieldwise.evaluators.checks._measured import at_most
from fieldwise.evaluators.checks._places import place_problems
from fieldwise.model.batch import Batch
from fieldwise.model.options import Problem
from fieldwise.model.result import Results
from fieldwise.registry import evaluator


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """What a case may take."""

    max: Annotated[float, Ge(0)]
    """Milliseconds, at most."""
    path: str = "metadata.latency_ms"
    """Where the number stands in a case."""
    negate: bool = False
    """It must be more than that."""

    def problems(self) -> Iterable[Problem]:
        """A place that no case has."""
        return place_problems("path", self.path)


@evaluator(reads="case", needs_expected=False, version=1)
def latency(batch: Batch, config: Latency) -> Results:
    """1 if the case stayed within the limit, else 0. A case without the number is skipped."""
    cases = map(batch.cases.at, range(len(batch)))
    return Results.from_results(
        [at_most("latency", case, config.path, config.max, unit="ms", metric="latency_ms", negate=config.negate) for case in cases]
    )
