"""Whether an output is neither too short nor too long.

>>> import fieldwise as fw
>>> fw.evaluate({"type": "length", "max": 3, "unit": "words"}, actual="The total is 12").misses
['length (4 words, at most 3)']
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge

from fieldwise.evaluators.checks._checks import single
from fieldwise.kernels.values import nfc
from fieldwise.model.batch import Batch
from fieldwise.model.options import Problem
from fieldwise.model.result import Result, Results
from fieldwise.registry import evaluator


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """How long the output may be."""

    min: Annotated[int, Ge(0)] | None = None
    """At least so long."""
    max: Annotated[int, Ge(0)] | None = None
    """At most so long."""
    unit: Literal["characters", "words", "lines"] = "characters"
    """Words are what whitespace divides."""
    negate: bool = False
    """The output must be outside of these bounds."""

    def problems(self) -> Iterable[Problem]:
        """No bound, or bounds that nothing fits."""
        if self.min is None and self.max is None:
            yield "", "`length` has no bound", "add `min`, `max` or both"
        if self.min is not None and self.max is not None and self.min > self.max:
            yield "min", f"nothing is at least {self.min} and at most {self.max} long", "swap `min` and `max`"


@evaluator(reads="text", needs_expected=False, counts=("length",), version=1)
def length(batch: Batch, config: Length) -> Results:
    """1 if the output's length is within the bounds, else 0."""
    return Results.from_results([_result(text, config) for text in batch.actual_texts])


def _result(text: str, config: Length) -> Result:
    size = _size(text, config.unit)
    short = config.min is not None and size < config.min
    long = config.max is not None and size > config.max
    bounds = [f"at least {config.min}"] if config.min is not None else []
    bounds += [f"at most {config.max}"] if config.max is not None else []
    unit = config.unit.removesuffix("s") if size == 1 else config.unit
    label = "not length" if config.negate else "length"
    return single(label, (short or long) == config.negate, f"{size} {unit}, {' and '.join(bounds)}", length=size)


def _size(text: str, unit: str) -> int:
    if unit == "characters":
        return len(nfc(text))
    return len(text.split()) if unit == "words" else len(text.splitlines())
