"""JSON values, their kinds, the marker for a missing value, and dataclasses as JSON values."""

import marshal
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Final, TypeAlias, cast

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"


class Missing(Enum):
    """The type of `MISSING`: no value at all, as opposed to null."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False

    __hash__ = object.__hash__  # that of Enum is a Python function, and many values are missing


MISSING: Final = Missing.MISSING
"""Marks a missing value in a column. Internal to scoring: a `Comparison` and every report say `missing` instead."""

Value: TypeAlias = "Json | Missing"

SCALAR_TYPES: Final[frozenset[type]] = frozenset((str, bool, int, float, type(None)))

_MARSHAL_VERSION: Final = 2
"""The last version whose bytes depend on values alone; later ones also encode which strings are the same object."""

KINDS: Final[dict[type, str]] = {
    type(None): "null",
    bool: "bool",
    int: "number",
    float: "number",
    str: "string",
    list: "list",
    tuple: "list",
    dict: "object",
    Missing: "missing",
}


def json_kind(value: object) -> str:
    """The JSON kind of a value; `true` is a bool, never a number.

    >>> [json_kind(v) for v in (None, True, 1, 1.0, "a", [], {})]
    ['null', 'bool', 'number', 'number', 'string', 'list', 'object']
    """
    return KINDS.get(type(value)) or _json_kind_of_subclass(value)


def _json_kind_of_subclass(value: object) -> str:
    """The kind of a value of a subclass, such as a str enum or an OrderedDict."""
    for base, name in ((bool, "bool"), (int, "number"), (float, "number"), (str, "string"), (Mapping, "object")):
        if isinstance(value, base):
            return name
    return "list" if isinstance(value, Sequence) else "object"


@cache  # a type does not change, and `dataclasses.fields` builds the names at every call
def dataclass_fields(kind: type) -> tuple[str, ...] | None:
    """The names of the fields of a dataclass; None for any other type."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None


def encode_by_value(value: Any) -> bytes | None:
    """Built-in values as bytes that are a key: 1, 1.0 and True differ, and so do orders of keys. None if there is any other object.

    >>> encode_by_value([1]) == encode_by_value([1.0]), encode_by_value(object())
    (False, None)
    """
    try:
        return marshal.dumps(value, _MARSHAL_VERSION)
    except ValueError:
        return None


def to_plain(value: Any) -> Any:
    """Dataclasses as dicts and tuples as lists, at any depth. Scalars are shared, which `dataclasses.asdict` copies one by one.

    >>> to_plain((1.5, {"a": None}))
    [1.5, {'a': None}]
    """
    kind = type(value)
    if kind in SCALAR_TYPES:
        return value
    names = dataclass_fields(kind)
    if names is not None:
        return {name: inner if type(inner := getattr(value, name)) in SCALAR_TYPES else to_plain(inner) for name in names}
    if isinstance(value, dict):
        entries = cast("dict[Any, Any]", value).items()
        return {key: inner if type(inner) in SCALAR_TYPES else to_plain(inner) for key, inner in entries}
    if isinstance(value, (list, tuple)):
        items = cast("list[Any]", value)
        return [inner if type(inner) in SCALAR_TYPES else to_plain(inner) for inner in items]
    return value
