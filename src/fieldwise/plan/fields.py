"""The options that a dataclass declares: their names, types, defaults and descriptions."""

import ast
import inspect
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import Field, dataclass, fields, is_dataclass
from functools import cache
from itertools import pairwise
from typing import Any, get_type_hints

from fieldwise.model.options import PassThrough
from fieldwise.plan.type_text import peel

_JSON_NAMES = {"Json": Any, "Sequence": Sequence, "Mapping": Mapping}
"""The alias `Json` speaks of itself in quotes; these names let any module's annotations use it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of a matcher, an evaluator or a part of one."""

    name: str
    """As people write it."""
    attribute: str
    """As the dataclass calls it."""
    hint: Any
    required: bool
    default: Any = None
    """What it is when it is left out; None too where that is made anew each time."""
    passes_through: bool = False
    """Whether it collects the keys that nothing else claims."""


@cache
def options_of(declared: type) -> tuple[Option, ...]:
    """The options a dataclass declares; none for a function that takes no options."""
    if not is_dataclass(declared):
        return ()
    hints = get_type_hints(declared, localns=_JSON_NAMES, include_extras=True)
    return tuple(_option(field, hints[field.name]) for field in fields(declared) if field.init)


def _option(field: "Field[Any]", hint: Any) -> Option:
    required = field.default is NO_DEFAULT and field.default_factory is NO_DEFAULT
    return Option(
        name=field.name.rstrip("_"),
        attribute=field.name,
        hint=hint,
        required=required,
        default=None if field.default is NO_DEFAULT else field.default,
        passes_through=any(isinstance(mark, PassThrough) for mark in peel(hint)[1]),
    )


@cache
def option_names(declared: type) -> tuple[str, ...]:
    """The names people may write; an option that passes keys through is not one of them."""
    return tuple(option.name for option in options_of(declared) if not option.passes_through)


@cache
def pass_through(declared: type) -> Option | None:
    """The option that collects all other keys, if there is one."""
    return next((option for option in options_of(declared) if option.passes_through), None)


@cache
def descriptions(declared: type) -> dict[str, str]:
    """The text under each field of a dataclass, by attribute; empty where the source is not at hand."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(declared)))
    except (OSError, TypeError, SyntaxError):
        return {}
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    return {
        before.target.id: inspect.cleandoc(after.value.value)
        for before, after in pairwise(body)
        if isinstance(before, ast.AnnAssign)
        and isinstance(before.target, ast.Name)
        and isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
        and isinstance(after.value.value, str)
    }
