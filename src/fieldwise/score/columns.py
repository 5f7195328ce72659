"""One step down a column of values: the fast way where every value has the key, the careful way where one has not."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fieldwise.model.path import Step
from fieldwise.model.values import MISSING, Value


@dataclass(frozen=True, slots=True)
class Misfit:
    """Stands below a value of another kind than expected has there: the field cannot be there, and that is a format error."""

    value: Any


LISTS: Final = (list, tuple)
"""What counts as a list: Python's own callers may bring tuples."""

Column = list[Any]
"""Values of one path, case by case: a `Value`, or a `Misfit` on the actual side."""


def take(column: Column, step: Step) -> Column:
    """The values one step down. What is below null is null, what is below anything without that step is missing.

    >>> take([{"a": 1}, {"a": None}, {}, None, [5]], "a")
    [1, None, MISSING, None, MISSING]
    """
    if isinstance(step, int):
        return [_item(value, step) for value in column]
    found = take_all(column, step)
    if found is not None:
        return found
    return [value[step] if value.__class__ is dict and step in value else _member(value, step) for value in column]


def take_all(column: Column, key: Step) -> Column | None:
    """The values at a key, as fast as it goes, where every value has it; None where one has not."""
    try:
        return [value[key] for value in column]
    except (KeyError, TypeError, IndexError):
        return None


def _member(value: Any, key: Step) -> Any:
    if value.__class__ is dict:
        return value.get(key, MISSING)
    if value is None or value.__class__ is Misfit:
        return value
    return value.get(key, MISSING) if isinstance(value, Mapping) else MISSING


def _item(value: Any, index: int) -> Any:
    if isinstance(value, LISTS):
        items: Sequence[Value] = value
        return items[index] if -len(items) <= index < len(items) else MISSING
    return _member(value, str(index))


def take_path(column: Column, steps: Iterable[Step]) -> Column:
    """The values at the end of several steps."""
    for step in steps:
        column = take(column, step)
    return column
