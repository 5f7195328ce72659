"""Reads what people wrote against the dataclass that declares the options, and notes everything that is wrong.

The conventions that a dataclass may use are told in `fieldwise.model.options`.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import cache
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from fieldwise.model.diagnostic import ConfigError
from fieldwise.model.document import Document, Place
from fieldwise.model.options import FromFile, Of, PassThrough, RelativePath
from fieldwise.model.rule import Match
from fieldwise.model.values import kind
from fieldwise.plan.fields import Option, option_names, options_of, pass_through
from fieldwise.plan.review import INVALID, Review, closest, named, suggestion
from fieldwise.plan.type_text import described, is_items, is_list, is_mapping, is_object, is_union, peel, shown

_MARKERS = (FromFile, RelativePath, PassThrough, Of)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """What has the options, for messages, and what else stands beside them."""

    title: str
    """`fuzzy`, in backquotes."""
    beside: Sequence[str] = ()
    """Keys in the same mapping that somebody else reads."""
    elsewhere: Callable[[str], str | None] = lambda _: None
    """How to fix a key that belongs to something else."""


def read_options(review: Review, declared: type, written: Mapping[Any, Any], place: Place, owner: Owner) -> Any:
    """The options as their dataclass (None for a function without options), or INVALID."""
    before = len(review.found)
    own = {key: value for key, value in written.items() if key not in owner.beside}
    values = {option.attribute: _read_option(review, option, own, place) for option in options_of(declared) if not option.passes_through}
    others = {key: value for key, value in own.items() if key not in option_names(declared)}
    rest = pass_through(declared)
    if rest:
        values[rest.attribute] = others
    else:
        _refuse(review, declared, others, place, owner)
    _require(review, declared, own, place, owner.title)
    if review.failed(before):
        return INVALID
    return _built(review, declared, {name: value for name, value in values.items() if value is not INVALID}, place)


def _read_option(review: Review, option: Option, written: Mapping[Any, Any], place: Place) -> Any:
    """The value of one option; INVALID also where it is left out and its default holds."""
    if option.name in written:
        return read_value(review, option.hint, written[option.name], (*place, option.name), option)
    if isinstance(option.default, str) and _marked(option.hint, RelativePath):
        return review.resolve(option.default)
    return INVALID


def _refuse(review: Review, declared: type, others: Iterable[Any], place: Place, owner: Owner) -> None:
    valid = (*owner.beside, *option_names(declared))
    for key in others:
        fix = suggestion(str(key), valid, owner.elsewhere(str(key)))
        review.error((*place, key), "unknown-option", f"{owner.title} has no option `{key}`", fix)


def _require(review: Review, declared: type, written: Mapping[Any, Any], place: Place, title: str) -> None:
    for option in options_of(declared):
        if option.required and not option.passes_through and option.name not in written:
            review.error(place, "missing-option", f"{title} needs `{option.name}`", f"add `{option.name}`: {described(option.hint)}")


def _built(review: Review, declared: type, values: Mapping[str, Any], place: Place) -> Any:
    if not is_dataclass(declared):
        return None
    try:
        built: Any = declared(**values)
        problems = list(built.problems()) if hasattr(declared, "problems") else []
    except (ValueError, TypeError) as error:
        review.error(place, "bad-options", str(error))
        return INVALID
    for option, what, fix in problems:
        review.error((*place, option) if option else place, "bad-option", what, fix)
    return INVALID if problems else built


def read_value(review: Review, hint: Any, value: Any, place: Place, option: Option | None = None) -> Any:
    """A value of this type, or INVALID once what is wrong with it has been noted."""
    base, marks = peel(hint)
    if isinstance(value, str) and any(isinstance(mark, FromFile) for mark in marks):
        return _from_file(review, base, value, place)
    fixed = next((mark.match for mark in marks if isinstance(mark, Of)), None)
    if fixed:
        return _read_match_of(review, fixed, value, place)
    if base in review.readers:
        return review.readers[base](review, value, place)
    if is_union(base):
        result = _read_union(review, base, value, place, option)
    elif isinstance(base, type) and is_dataclass(base):
        result = _read_part(review, base, value, place)
    elif is_list(base) or is_mapping(base):
        result = _read_many(review, hint, value, place, option)
    else:
        result = read_plain(review, hint, value, place, option)
    return _resolved(review, result) if any(isinstance(mark, RelativePath) for mark in marks) else result


def _from_file(review: Review, base: Any, path: str, place: Place) -> Any:
    try:
        loaded = review.load(path)
    except ConfigError as error:
        review.found.extend(error.diagnostics)
        return INVALID
    except (OSError, ValueError) as error:
        review.error(place, "unreadable-file", f"`{named(place)}`: cannot read `{path}`: {error}", "paths are relative to the suite")
        return INVALID
    return read_value(review.of(Document(value=loaded, file=path)), base, loaded, (named(place),))


def _read_match_of(review: Review, name: str, value: Any, place: Place) -> Any:
    """A match whose name is fixed, from its options alone."""
    if not is_object(value) or "match" in value:
        what = f"`{named(place)}` must be a mapping with options of `{name}`"
        given = "`match`, which is fixed here" if is_object(value) else shown(value)
        review.error(place, "bad-option", f"{what}, not {given}", "write its options only, such as `{threshold: 0.9}`")
        return INVALID
    return review.readers[Match](review, {**value, "match": name}, place)


def _resolved(review: Review, value: Any) -> Any:
    if isinstance(value, str):
        return review.resolve(value)
    return tuple(_resolved(review, item) for item in value) if is_items(value) else value


def _marked(hint: Any, marker: type) -> bool:
    base, marks = peel(hint)
    return any(isinstance(mark, marker) for mark in marks) or (is_union(base) and any(_marked(member, marker) for member in get_args(base)))


def _read_part(review: Review, declared: type, value: Any, place: Place) -> Any:
    """A dataclass inside the options."""
    if not is_object(value):
        names = ", ".join(f"`{name}`" for name in option_names(declared))
        return _wrong(review, declared, value, place, fix=f"its keys: {names}")
    return read_options(review, declared, value, place, Owner(title=f"`{named(place)}`"))


def _read_many(review: Review, hint: Any, value: Any, place: Place, option: Option | None) -> Any:
    """A list or a mapping, item by item, so that each problem has the line of its item."""
    base, marks = peel(hint)
    constraints = without_markers(marks)
    arguments: tuple[Any, ...] = get_args(base)
    if is_list(base):
        if read_plain(review, annotated(list[Any], constraints), value, place, option) is INVALID:
            return INVALID
        items = [read_value(review, arguments[0], item, (*place, index)) for index, item in enumerate(value)]
        return INVALID if any(item is INVALID for item in items) else _container(get_origin(base))(items)
    if read_plain(review, annotated(dict[Any, Any], constraints), value, place, option) is INVALID:
        return INVALID
    read = {_read_key(review, key, place): read_value(review, arguments[1], item, (*place, key)) for key, item in value.items()}
    return INVALID if any(INVALID in pair for pair in read.items()) else read


def _read_key(review: Review, key: Any, place: Place) -> Any:
    """A key that is text; YAML reads an unquoted `yes` or `2024` as something else."""
    if isinstance(key, str):
        return key
    what = f"`{named(place)}` has the key {shown(key)}, and keys must be text"
    review.error((*place, key), "bad-key", what, "write the key in quotes")
    return INVALID


def _container(origin: Any) -> Any:
    return origin if origin in (list, set, frozenset) else tuple


def _read_union(review: Review, base: Any, value: Any, place: Place, option: Option | None) -> Any:
    """`X | Y`: a part with a structure of its own is told by the kind of what was written; the plain ones are tried together."""
    members = get_args(base)
    shaped = [member for member in members if _has_shape(review, member) and _takes(review, member, value)]
    if shaped:
        return read_value(review, shaped[0], value, place, option)
    plain = tuple(member for member in members if not _has_shape(review, member))
    given = validated(Union[plain], value) if plain else INVALID  # noqa: UP007
    return _wrong(review, base, value, place, option) if given is INVALID else given


def _has_shape(review: Review, hint: Any) -> bool:
    base, marks = peel(hint)
    own = base in review.readers or is_dataclass(base) or is_list(base) or is_mapping(base)
    return own or any(isinstance(mark, _MARKERS) for mark in marks)


def _takes(review: Review, hint: Any, value: Any) -> bool:
    """Whether what was written has the kind that this type is written in."""
    base, marks = peel(hint)
    if isinstance(value, str):
        told = any(isinstance(mark, FromFile | RelativePath) for mark in marks)
        return told or (base in review.readers and not is_list(base)) or base is str
    if is_object(value):
        return is_mapping(base) or is_dataclass(base) or base in review.readers
    return kind(value) == "list" and is_list(base)


def annotated(base: Any, constraints: Sequence[Any]) -> Any:
    """A type with its bounds."""
    return Annotated[base, *constraints] if constraints else base


def without_markers(marks: Iterable[Any]) -> tuple[Any, ...]:
    """What an annotation says besides our own marks: its bounds."""
    return tuple(mark for mark in marks if not isinstance(mark, _MARKERS))


def read_plain(review: Review, hint: Any, value: Any, place: Place, option: Option | None = None) -> Any:
    """A value without parts of its own, such as a number with bounds or one of a few words."""
    given = validated(hint, value)
    if isinstance(given, float) and abs(given) > _LARGEST:
        review.error(place, "bad-option", f"`{named(place)}` is too large to compute with: {given:g}", f"write at most {_LARGEST:g}")
        return INVALID
    return _wrong(review, hint, value, place, option) if given is INVALID else given


_LARGEST: Final = 1e150
"""Sums of larger weights have no end: the score would be 0, or none."""


def validated(hint: Any, value: Any) -> Any:
    """The value if it is of this type and within its bounds, else INVALID. Text is never a number, nor is `true`; 1 is a float too.

    >>> validated(float, 1), validated(float, "1"), validated(float, True)
    (1.0, <Invalid.INVALID: 'invalid'>, <Invalid.INVALID: 'invalid'>)
    """
    if hint in (Any, object):
        return value
    from pydantic import ValidationError

    try:
        # As JSON, because there strict still lets a list be a tuple and a whole number a float, which is how people write them.
        return _adapter(hint).validate_json(json.dumps(value))
    except (ValidationError, TypeError, ValueError):
        return INVALID


@cache
def _adapter(hint: Any) -> Any:
    from pydantic import ConfigDict, TypeAdapter

    return TypeAdapter(hint, config=ConfigDict(strict=True, allow_inf_nan=False))


def _wrong(review: Review, hint: Any, value: Any, place: Place, option: Option | None = None, fix: str | None = None) -> Any:
    what = f"`{named(place)}` must be {described(hint)}, not {shown(value)}"
    review.error(place, "bad-option", what, fix or _nearest_choice(hint, value) or _rewritten(hint, value) or _left_out(option))
    return INVALID


def _nearest_choice(hint: Any, value: Any) -> str | None:
    base, _ = peel(hint)
    members = get_args(base) if is_union(base) else (base,)
    choices = [str(choice) for member in members if get_origin(member) is Literal for choice in get_args(member)]
    found = closest(value, choices) if isinstance(value, str) and choices else None
    return f"did you mean `{found}`?" if found else None


def _rewritten(hint: Any, value: Any) -> str | None:
    """The same thing as it should have been written: without quotes, with quotes, or in a list."""
    if isinstance(value, str):
        try:
            bare = json.loads(value.lower())
        except ValueError:
            bare = None
        if bare is not None and validated(hint, bare) is not INVALID:
            return f"write it without quotes: {value.lower()}"
        return f'write a list: ["{value}"]' if is_list(peel(hint)[0]) else None
    if kind(value) in ("number", "bool") and validated(hint, text := json.dumps(value)) is not INVALID:
        return f'write it in quotes: "{text}"'
    return None


def _left_out(option: Option | None) -> str | None:
    if option is None or option.required:
        return None
    if isinstance(option.default, bool | int | float | str):
        return f"leave it out for the default, {json.dumps(option.default)}"
    return "leave it out if it is not needed"
