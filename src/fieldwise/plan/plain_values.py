"""Accept the values that are plainly of their type without pydantic, whose import takes a quarter of the time of `fieldwise check`.

What is not accepted here is undecided: pydantic decides about it. That is every value that is wrong, and types that suites rarely use.
"""

from enum import Enum
from math import isfinite
from types import NoneType
from typing import Any, Final, Literal, get_args, get_origin

from fieldwise.model.bounds import Bound, flatten_bounds
from fieldwise.plan.declared_options import is_union_type, split_annotated, without_markers

_MAX_DEPTH: Final = 100
"""Of nested lists and mappings; pydantic reads about twice as many."""
_TYPES: Final = frozenset({bool, int, float, str, NoneType, list[Any], dict[Any, Any]})


class Undecided(Enum):
    """The sign that a value must be validated by pydantic."""

    UNDECIDED = "undecided"


UNDECIDED: Final = Undecided.UNDECIDED


def accept_plain_value(hint: Any, value: Any) -> Any:
    """The value as an option of this type, as pydantic returns it; UNDECIDED if pydantic must validate it.

    >>> accept_plain_value(float, 1), accept_plain_value(int | None, 1), accept_plain_value(float, "1")
    (1.0, 1, <Undecided.UNDECIDED: 'undecided'>)
    """
    if not _is_known(hint) or not _is_json(value):
        return UNDECIDED
    if _accepts(hint, value):
        return value
    if type(value) is int and _accepts(hint, float(value)):  # last: in a union, `int` takes an integer before `float`
        return float(value)
    return UNDECIDED


def _is_known(hint: Any) -> bool:
    """Whether the types below this one are the few that most options have."""
    if is_union_type(hint):
        return all(map(_is_known, get_args(hint)))
    base, marks = split_annotated(hint)
    if get_origin(base) is Literal:
        return not marks and all(type(choice) is str for choice in get_args(base))  # pydantic takes 0.0 for `Literal[0]`
    return base in _TYPES and all(isinstance(bound, Bound) for bound in flatten_bounds(without_markers(marks)))


def _is_json(value: Any, depth: int = _MAX_DEPTH) -> bool:
    """Whether JSON keeps the value as it is: no subclasses, NaN, Infinity, keys that are not text or characters that UTF-8 has not."""
    kind = type(value)
    if kind is str:
        return value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)
    if kind is int:
        return abs(value) < 2**53  # the integers that floats hold exactly
    if kind is float:
        return isfinite(value)
    if kind is list and depth:
        return all(_is_json(item, depth - 1) for item in value)
    if kind is dict and depth:
        return all(type(key) is str and _is_json(key) and _is_json(item, depth - 1) for key, item in value.items())
    return value is None or kind is bool


def _accepts(hint: Any, value: Any) -> bool:
    """Whether the value is exactly of this type and within its bounds."""
    if is_union_type(hint):
        return any(_accepts(member, value) for member in get_args(hint))
    base, marks = split_annotated(hint)
    if get_origin(base) is Literal:
        return type(value) is str and value in get_args(base)
    if type(value) is not (get_origin(base) or base):
        return False
    return all(bound.accepts(value) for bound in flatten_bounds(without_markers(marks)))
