"""Places in a case, such as `metadata.latency_ms`: for evaluators that read a value that stands beside the output."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from fieldwise.model.case import Case
from fieldwise.model.lookup import find
from fieldwise.model.options import Problem
from fieldwise.model.path import MalformedPath, Path, Step
from fieldwise.model.values import MISSING
from fieldwise.registry import nearest

PARTS: Final = ("metadata", "actual", "expected", "input", "contexts")


def place_problems(option: str, place: str) -> Iterable[Problem]:
    """What is wrong with an option that names a place."""
    try:
        first = Path.parse(place).steps[0]
    except MalformedPath as error:
        yield option, str(error), error.fix
        return
    if first not in PARTS:
        near = nearest(str(first), PARTS)
        yield option, f"a case has no `{first}`", f"did you mean `{near}`?" if near else f"begin with {', '.join(PARTS)}"


def value_at(case: Case, place: str) -> Any:
    """What a case has at a place; MISSING if nothing.

    >>> value_at(Case(id="1", metadata={"latency_ms": 120}), "metadata.latency_ms")
    120
    """
    first, *steps = _steps(place)
    value: Any = getattr(case, str(first))
    return find(value, steps) if value is not None else MISSING


@lru_cache(maxsize=256)
def _steps(place: str) -> tuple[Step, ...]:
    return Path.parse(place).steps
