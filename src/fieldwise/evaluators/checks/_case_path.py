"""Paths into a case, such as `metadata.latency_ms`, for evaluators that read values beside the output."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from fieldwise.model.case import Case
from fieldwise.model.options import OptionProblem
from fieldwise.model.path import MalformedPath, Path, Step, value_at
from fieldwise.model.values import MISSING
from fieldwise.registry import nearest

CASE_PARTS: Final = ("metadata", "actual", "expected", "input", "contexts")


def case_path_problems(option: str, case_path: str) -> Iterable[OptionProblem]:
    """Problems of an option that holds a path into a case."""
    try:
        part = Path.parse(case_path).steps[0]
    except MalformedPath as error:
        yield option, str(error), error.fix
        return
    if part not in CASE_PARTS:
        near = nearest(str(part), CASE_PARTS)
        yield option, f"a case has no `{part}`", f"did you mean `{near}`?" if near else f"begin with {', '.join(CASE_PARTS)}"


def case_value(case: Case, case_path: str) -> Any:
    """The value at a path of a case; MISSING if there is none.

    >>> case_value(Case(id="1", metadata={"latency_ms": 120}), "metadata.latency_ms")
    120
    """
    part, *steps = _parse_steps(case_path)
    value: Any = getattr(case, str(part))
    return value_at(value, steps) if value is not None else MISSING


@lru_cache(maxsize=256)  # an option holds one path for all cases of a run
def _parse_steps(case_path: str) -> tuple[Step, ...]:
    return Path.parse(case_path).steps
