"""The options that a dataclass declares, and descriptions of types and values for messages: `a number ≥ 0`, `the text "abc"`."""

import ast
import inspect
import math
import textwrap
import typing
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import Field, fields, is_dataclass
from functools import cache
from itertools import pairwise
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeGuard, Union, get_args, get_origin, get_type_hints

from fieldwise.dataclass import dataclass
from fieldwise.model.bounds import Ge, Gt, Le, Lt, MaxLen, MinLen, flatten_bounds
from fieldwise.model.options import FixedMatch, FromFile, PassThrough, RelativePath
from fieldwise.model.path import Path
from fieldwise.model.plan import Member
from fieldwise.model.rule import FieldRule, ListRule, Match
from fieldwise.model.values import json_kind

_JSON_NAMES = {"Json": Any, "Sequence": Sequence, "Mapping": Mapping}
"""The alias `Json` refers to itself by name; these entries let `get_type_hints` resolve it in any module."""
_TYPE_NAMES: Final[dict[Any, str]] = {
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
_MAX_TEXT_LENGTH: Final = 60
MARKERS: Final = (FromFile, RelativePath, PassThrough, FixedMatch)
"""Annotations that say how an option is written; all others are bounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredOption:
    """One option of a matcher, an evaluator or a dataclass nested in one."""

    name: str
    """The key in a suite."""
    attribute: str
    """The attribute of the dataclass."""
    hint: Any
    required: bool
    default: Any = None
    """The default value; None also for a default that a factory makes."""
    passes_through: bool = False
    """Whether it collects the keys that no other option claims."""
    is_relative_path: bool = False
    """Whether its value may be a path relative to the suite."""


@cache  # a type does not change, and reading its hints takes longer than reading a rule
def list_options(options_type: type) -> tuple[DeclaredOption, ...]:
    """The options a dataclass declares; none for a type that is not a dataclass."""
    if not is_dataclass(options_type):
        return ()
    hints = get_type_hints(options_type, localns=_JSON_NAMES, include_extras=True)
    return tuple(_to_option(field, hints[field.name]) for field in fields(options_type) if field.init)


def _to_option(field: "Field[Any]", hint: Any) -> DeclaredOption:
    required = field.default is NO_DEFAULT and field.default_factory is NO_DEFAULT
    _, marks = split_annotated(hint)
    return DeclaredOption(
        name=field.name.rstrip("_"),
        attribute=field.name,
        hint=hint,
        required=required,
        default=None if field.default is NO_DEFAULT else field.default,
        passes_through=any(isinstance(mark, PassThrough) for mark in marks),
        is_relative_path=_takes_relative_path(hint),
    )


def _takes_relative_path(hint: Any) -> bool:
    base, marks = split_annotated(hint)
    if any(isinstance(mark, RelativePath) for mark in marks):
        return True
    return is_union_type(base) and any(_takes_relative_path(member) for member in get_args(base))


@cache  # as above
def list_option_names(options_type: type) -> tuple[str, ...]:
    """The keys a suite may use; the pass-through option is not one of them."""
    return tuple(option.name for option in list_options(options_type) if not option.passes_through)


@cache  # as above
def find_pass_through(options_type: type) -> DeclaredOption | None:
    """The option that collects all other keys, if there is one."""
    return next((option for option in list_options(options_type) if option.passes_through), None)


@cache  # as above: the source file is parsed
def read_descriptions(options_type: type) -> dict[str, str]:
    """The docstring under each field of a dataclass, by attribute; empty if the source code is not available."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(options_type)))
    except (OSError, TypeError, SyntaxError):  # defined interactively, or in a compiled module
        return {}
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    descriptions: dict[str, str] = {}
    for statement, following in pairwise(body):
        text = _read_text_constant(following)
        if text is not None and isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            descriptions[statement.target.id] = inspect.cleandoc(text)
    return descriptions


def _read_text_constant(statement: ast.stmt) -> str | None:
    """The text of a statement that is a string and nothing else."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str):
        return statement.value.value
    return None


def split_annotated(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type without its annotations, and these annotations.

    >>> split_annotated(Annotated[float, Ge(0)])
    (<class 'float'>, (Ge(limit=0),))
    """
    if get_origin(hint) is Annotated:
        base, *marks = get_args(hint)
        return base, tuple(marks)
    return hint, ()


def without_markers(marks: Iterable[Any]) -> tuple[Any, ...]:
    """The annotations other than fieldwise's markers: the bounds."""
    return tuple(mark for mark in marks if not isinstance(mark, MARKERS))


def is_mapping_value(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Whether a value is a mapping, with keys of any type."""
    return isinstance(value, Mapping)


def is_list_value(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether a value is a list or a tuple; text is neither."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def is_union_type(hint: Any) -> bool:
    """Whether a type is `X | Y`."""
    return get_origin(hint) in (Union, UnionType)


def is_list_type(hint: Any) -> bool:
    """Whether a type is written as a list whose items are all of one type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is tuple:
        return len(arguments) == 2 and arguments[1] is Ellipsis
    return origin in (list, set, frozenset, Sequence, Iterable, Collection)


def is_mapping_type(hint: Any) -> bool:
    """Whether a type is written as a mapping of one type to another."""
    return get_origin(hint) in (dict, Mapping)


def describe_type(hint: Any) -> str:
    """A phrase for the values of this type.

    >>> [describe_type(hint) for hint in (Annotated[float, Ge(0)], Literal["a", "b"], float | None, tuple[str, ...])]
    ['a number ≥ 0', 'one of `a`, `b`', 'a number or null', 'a list']
    """
    base, marks = split_annotated(hint)
    bounds = " and ".join(_describe_bounds(marks))
    phrase = _describe_base_type(base)
    return f"{phrase} {bounds}" if bounds else phrase


def _describe_base_type(base: Any) -> str:
    if base in _TYPE_NAMES:
        return _TYPE_NAMES[base]
    if get_origin(base) is Literal:
        choices = [f"`{choice}`" for choice in get_args(base)]
        return choices[0] if len(choices) == 1 else f"one of {', '.join(choices)}"
    if is_union_type(base):
        return " or ".join(describe_type(member) for member in get_args(base))
    if is_list_type(base):
        return "a list"
    if get_origin(base) is tuple:
        return f"a list of {len(get_args(base))}"
    if is_mapping_type(base) or is_dataclass(base) or typing.is_typeddict(base):
        return "a mapping"
    return str(getattr(base, "__name__", base))


def _describe_bounds(marks: Iterable[Any]) -> Iterator[str]:
    for mark in flatten_bounds(marks):
        match mark:
            case Lt(limit=math.inf):  # excludes infinity only, which a suite cannot express anyway
                pass
            case Ge(limit=bound):
                yield f"≥ {bound}"
            case Gt(limit=bound):
                yield f"> {bound}"
            case Le(limit=bound):
                yield f"≤ {bound}"
            case Lt(limit=bound):
                yield f"< {bound}"
            case MinLen(limit=length):
                yield "that is not empty" if length == 1 else f"of at least {length}"
            case MaxLen(limit=length):
                yield f"of at most {length}"
            case _:
                pass


def describe_value(value: object) -> str:
    """A phrase for a value in a message.

    >>> [describe_value(value) for value in ("abc", 5, True, None, [1], {})]
    ['the text "abc"', 'the number 5', '`true`', 'null', 'a list', 'a mapping']
    """
    match json_kind(value):
        case "string":
            text = str(value)
            short = text if len(text) <= _MAX_TEXT_LENGTH else f"{text[: _MAX_TEXT_LENGTH - 1]}…"
            return f'the text "{short}"'
        case "number":
            return f"the number {value}" if not isinstance(value, float) or math.isfinite(value) else f"{value}"
        case "bool":
            return f"`{str(value).lower()}`"
        case "list" if is_list_value(value):
            return "a list" if value else "an empty list"
        case "object" if isinstance(value, Mapping):
            return "a mapping"
        case "null":
            return "null"
        case _:
            return f"a Python {type(value).__name__}"
