"""The value at a path of one record, for those who look at few of them."""

from collections.abc import Sequence
from typing import Any

from fieldwise.model.path import EACH, Step
from fieldwise.model.values import MISSING, Value, kind


def find(record: Value, steps: Sequence[Step]) -> Any:
    """The value at these steps, MISSING if there is none; after `[*]`, the list of what each item has there.

    >>> find({"pages": [{"box": 1}, {}]}, ("pages", EACH, "box"))
    [1, MISSING]
    """
    at: Any = record
    for depth, step in enumerate(steps):
        if step is EACH:
            return [find(item, steps[depth + 1 :]) for item in at] if kind(at) == "list" else MISSING
        at = _child(at, step)
        if at is MISSING:
            return MISSING
    return at


def _child(value: Any, step: Step) -> Any:
    if kind(value) == "object":
        return value.get(str(step), MISSING)
    if isinstance(step, int) and kind(value) == "list" and -len(value) <= step < len(value):
        return value[step]
    return MISSING
