"""Types and values as people call them, for messages: `a number ≥ 0`, `the text "abc"`."""

import math
import typing
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeGuard, Union, get_args, get_origin

from annotated_types import Ge, GroupedMetadata, Gt, Le, Lt, MaxLen, MinLen

from fieldwise.model.path import Path
from fieldwise.model.plan import Member
from fieldwise.model.rule import FieldRule, ListRule, Match
from fieldwise.model.values import kind

_NAMES: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    NoneType: "null",
    Path: "a path such as `invoice.total`",
    Match: "the name of a match, or a mapping with `match`",
    tuple[FieldRule, ...]: "a list of fields",
    tuple[ListRule, ...]: "a mapping of list paths",
    tuple[Member, ...]: "a list of evaluators",
}
_LONGEST = 60


def peel(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type without its annotations, and these annotations.

    >>> peel(Annotated[float, Ge(0)])
    (<class 'float'>, (Ge(ge=0),))
    """
    if get_origin(hint) is Annotated:
        base, *marks = get_args(hint)
        return base, tuple(marks)
    return hint, ()


def is_object(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Whether a value is a mapping, whatever its keys."""
    return isinstance(value, Mapping)


def is_items(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether a value is a list, which text is not."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def is_union(hint: Any) -> bool:
    """Whether a type is `X | Y`."""
    return get_origin(hint) in (Union, UnionType)


def is_list(hint: Any) -> bool:
    """Whether a type is written as a list whose items are all of one type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is tuple:
        return len(arguments) == 2 and arguments[1] is Ellipsis
    return origin in (list, set, frozenset, Sequence, Iterable, Collection)


def is_mapping(hint: Any) -> bool:
    """Whether a type is written as a mapping of one type to another."""
    return get_origin(hint) in (dict, Mapping)


def described(hint: Any) -> str:
    """What a value of this type looks like.

    >>> described(Annotated[float, Ge(0)]), described(Literal["a", "b"]), described(float | None), described(tuple[str, ...])
    ('a number ≥ 0', 'one of `a`, `b`', 'a number or null', 'a list')
    """
    base, marks = peel(hint)
    bounds = " and ".join(_bounds(marks))
    return f"{_base_words(base)} {bounds}" if bounds else _base_words(base)


def _base_words(base: Any) -> str:
    if base in _NAMES:
        return _NAMES[base]
    if get_origin(base) is Literal:
        choices = get_args(base)
        return f"`{choices[0]}`" if len(choices) == 1 else f"one of {', '.join(f'`{choice}`' for choice in choices)}"
    if is_union(base):
        return " or ".join(described(member) for member in get_args(base))
    if get_origin(base) is tuple and not is_list(base):
        return f"a list of {len(get_args(base))}"
    if is_list(base):
        return "a list"
    return "a mapping" if is_mapping(base) or is_dataclass(base) or typing.is_typeddict(base) else str(getattr(base, "__name__", base))


def _bounds(marks: Iterable[Any]) -> Iterator[str]:
    for mark in _flat(marks):
        match mark:
            case Lt(lt=math.inf):  # no number people write is infinite
                pass
            case Ge(ge=bound):
                yield f"≥ {bound}"
            case Gt(gt=bound):
                yield f"> {bound}"
            case Le(le=bound):
                yield f"≤ {bound}"
            case Lt(lt=bound):
                yield f"< {bound}"
            case MinLen(min_length=length):
                yield "that is not empty" if length == 1 else f"of at least {length}"
            case MaxLen(max_length=length):
                yield f"of at most {length}"
            case _:
                pass


def _flat(marks: Iterable[Any]) -> Iterator[Any]:
    """Each single constraint, also those inside `Interval` and pydantic's `Field`."""
    for mark in marks:
        inner: Iterable[Any] | None = mark if isinstance(mark, GroupedMetadata) else getattr(mark, "metadata", None)
        if inner is None:
            yield mark
        else:
            yield from _flat(inner)


def shown(value: object) -> str:
    """A value in a sentence.

    >>> [shown(v) for v in ("abc", 5, True, None, [1], {})]
    ['the text "abc"', 'the number 5', '`true`', 'null', 'a list', 'a mapping']
    """
    match kind(value):
        case "string":
            text = str(value)
            return f'the text "{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"}"'
        case "number":
            return f"the number {value}" if not isinstance(value, float) or math.isfinite(value) else f"{value}"
        case "bool":
            return f"`{str(value).lower()}`"
        case "list" if is_items(value):
            return "a list" if value else "an empty list"
        case "object" if isinstance(value, Mapping):
            return "a mapping"
        case "null":
            return "null"
        case _:
            return f"a Python {type(value).__name__}"
