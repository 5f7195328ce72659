"""Read what a suite says against the dataclass that declares the options, and report everything that is wrong.

`fieldwise.model.options` documents the annotations that such a dataclass may use.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from fieldwise.dataclass import dataclass
from fieldwise.model.diagnostic import ConfigError
from fieldwise.model.options import FixedMatch, FromFile, HasProblems, HasRemarks, RelativePath, implements
from fieldwise.model.plan import Document, KeyPath
from fieldwise.model.rule import Match
from fieldwise.model.values import json_kind
from fieldwise.plan.declared_options import (
    MARKERS,
    DeclaredOption,
    describe_type,
    describe_value,
    find_pass_through,
    is_list_type,
    is_list_value,
    is_mapping_type,
    is_mapping_value,
    is_union_type,
    list_option_names,
    list_options,
    split_annotated,
    without_markers,
)
from fieldwise.plan.plain_values import UNDECIDED, accept_plain_value
from fieldwise.plan.review import INVALID, Review, describe_place, find_closest_name, suggest_name

_MAX_NUMBER: Final = 1e150
"""Sums of larger weights overflow to infinity, which makes scores 0 or NaN."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionOwner:
    """The matcher, evaluator or part that has the options, for messages, and the other keys of the same mapping."""

    title: str
    """`fuzzy`, in backquotes."""
    other_keys: Sequence[str] = ()
    """Keys of the same mapping that are read separately."""
    explain_key: Callable[[str], str | None] = lambda _: None
    """The fix for a key that belongs to something else, if it does."""


def read_options(review: Review, options_type: type, written: Mapping[Any, Any], place: KeyPath, owner: OptionOwner) -> Any:
    """The options as an instance of their dataclass (None for a type that is not a dataclass), or INVALID."""
    before = len(review.diagnostics)
    own = {key: value for key, value in written.items() if key not in owner.other_keys}
    values: dict[str, Any] = {}
    for option in list_options(options_type):
        if not option.passes_through:
            values[option.attribute] = _read_option(review, option, own, place)
    names = list_option_names(options_type)
    undeclared = {key: value for key, value in own.items() if key not in names}
    collector = find_pass_through(options_type)
    if collector:
        values[collector.attribute] = undeclared
    else:
        _report_undeclared(review, names, undeclared, place, owner)
    _report_missing(review, options_type, own, place, owner.title)
    if review.has_errors(before):
        return INVALID
    written_values = {attribute: value for attribute, value in values.items() if value is not INVALID}
    return _build_options(review, options_type, written_values, place)


def _read_option(review: Review, option: DeclaredOption, written: Mapping[Any, Any], place: KeyPath) -> Any:
    """The value of one option; INVALID also if it is not written and its default applies."""
    if option.name in written:
        return read_value(review, option.hint, written[option.name], (*place, option.name), option)
    if option.is_relative_path and isinstance(option.default, str):
        return review.resolve(option.default)
    return INVALID


def _report_undeclared(review: Review, names: Sequence[str], undeclared: Iterable[Any], place: KeyPath, owner: OptionOwner) -> None:
    valid = (*owner.other_keys, *names)
    for key in undeclared:
        fix = suggest_name(str(key), valid, owner.explain_key(str(key)))
        review.add_error((*place, key), "unknown-option", f"{owner.title} has no option `{key}`", fix)


def _report_missing(review: Review, options_type: type, written: Mapping[Any, Any], place: KeyPath, title: str) -> None:
    for option in list_options(options_type):
        if option.required and not option.passes_through and option.name not in written:
            fix = f"add `{option.name}`: {describe_type(option.hint)}"
            review.add_error(place, "missing-option", f"{title} needs `{option.name}`", fix)


def _build_options(review: Review, options_type: type, values: Mapping[str, Any], place: KeyPath) -> Any:
    if not is_dataclass(options_type):
        return None
    try:
        options: Any = options_type(**values)
        problems = list(options.problems()) if implements(options_type, HasProblems) else []
    except (ValueError, TypeError) as error:
        review.add_error(place, "bad-options", str(error))
        return INVALID
    for option, what, fix in problems:
        review.add_error((*place, option) if option else place, "bad-option", what, fix)
    if problems:
        return INVALID
    for option, what, fix in options.remarks() if implements(options_type, HasRemarks) else ():
        review.add_warning((*place, option) if option else place, "option-remark", what, fix)
    return options


def read_value(review: Review, hint: Any, value: Any, place: KeyPath, option: DeclaredOption | None = None) -> Any:
    """A value of this type; INVALID, with the reason in the review, if what is written does not fit."""
    base, marks = split_annotated(hint)
    if isinstance(value, str) and any(isinstance(mark, FromFile) for mark in marks):
        return _read_from_file(review, base, value, place)
    fixed_match = next((mark.match for mark in marks if isinstance(mark, FixedMatch)), None)
    if fixed_match:
        return _read_options_of_match(review, fixed_match, value, place)
    if base in review.readers:
        return review.readers[base](review, value, place)
    if is_union_type(base):
        result = _read_union(review, base, value, place, option)
    elif isinstance(base, type) and is_dataclass(base):
        result = _read_dataclass(review, base, value, place)
    elif is_list_type(base) or is_mapping_type(base):
        result = _read_container(review, hint, value, place, option)
    else:
        result = read_plain(review, hint, value, place, option)
    if any(isinstance(mark, RelativePath) for mark in marks):
        return _resolve_paths(review, result)
    return result


def _read_from_file(review: Review, base: Any, path: str, place: KeyPath) -> Any:
    name = describe_place(place)
    try:
        content = review.load(path)
    except ConfigError as error:
        review.diagnostics.extend(error.diagnostics)
        return INVALID
    except (OSError, ValueError) as error:
        review.add_error(place, "unreadable-file", f"`{name}`: cannot read `{path}`: {error}", "paths are relative to the suite")
        return INVALID
    return read_value(review.for_document(Document(value=content, file=path)), base, content, (name,))


def _read_options_of_match(review: Review, name: str, value: Any, place: KeyPath) -> Any:
    """A match whose name is fixed by the annotation, from its options alone."""
    if not is_mapping_value(value) or "match" in value:
        what = f"`{describe_place(place)}` must be a mapping with options of `{name}`"
        problem = "`match`, which is fixed here" if is_mapping_value(value) else describe_value(value)
        review.add_error(place, "bad-option", f"{what}, not {problem}", "write its options only, such as `{threshold: 0.9}`")
        return INVALID
    return review.readers[Match](review, {**value, "match": name}, place)


def _resolve_paths(review: Review, value: Any) -> Any:
    if isinstance(value, str):
        return review.resolve(value)
    if is_list_value(value):
        return tuple(_resolve_paths(review, item) for item in value)
    return value


def _read_dataclass(review: Review, options_type: type, value: Any, place: KeyPath) -> Any:
    """A dataclass nested in the options."""
    if not is_mapping_value(value):
        names = ", ".join(f"`{name}`" for name in list_option_names(options_type))
        return _report_wrong_value(review, options_type, value, place, fix=f"its keys: {names}")
    return read_options(review, options_type, value, place, OptionOwner(title=f"`{describe_place(place)}`"))


def _read_container(review: Review, hint: Any, value: Any, place: KeyPath, option: DeclaredOption | None) -> Any:
    """A list or a mapping, item by item, so that each problem has the line of its item."""
    base, marks = split_annotated(hint)
    constraints = without_markers(marks)
    arguments: tuple[Any, ...] = get_args(base)
    plain_type = list[Any] if is_list_type(base) else dict[Any, Any]
    if read_plain(review, with_constraints(plain_type, constraints), value, place, option) is INVALID:
        return INVALID
    if is_list_type(base):
        items = [read_value(review, arguments[0], item, (*place, index)) for index, item in enumerate(value)]
        return INVALID if any(item is INVALID for item in items) else _container_type(get_origin(base))(items)
    entries: dict[Any, Any] = {}
    for key, item in value.items():
        entries[_read_key(review, key, place)] = read_value(review, arguments[1], item, (*place, key))
    return INVALID if any(INVALID in entry for entry in entries.items()) else entries


def _read_key(review: Review, key: Any, place: KeyPath) -> Any:
    """A key, which must be text; YAML reads an unquoted `true` or `2024` as another type."""
    if isinstance(key, str):
        return key
    what = f"`{describe_place(place)}` has the key {describe_value(key)}, and keys must be text"
    review.add_error((*place, key), "bad-key", what, "write the key in quotes")
    return INVALID


def _container_type(origin: Any) -> Any:
    return origin if origin in (list, set, frozenset) else tuple


def _read_union(review: Review, base: Any, value: Any, place: KeyPath, option: DeclaredOption | None) -> Any:
    """`X | Y`: a structured member is chosen by the kind of the written value; the plain members are validated together."""
    members = get_args(base)
    structured = [member for member in members if _is_structured(review, member)]
    for member in structured:
        if _accepts_kind(review, member, value):
            return read_value(review, member, value, place, option)
    plain = tuple(member for member in members if member not in structured)
    result = validate(Union[plain], value) if plain else INVALID  # noqa: UP007 - `X | Y` cannot be built from a tuple
    return _report_wrong_value(review, base, value, place, option) if result is INVALID else result


def _is_structured(review: Review, hint: Any) -> bool:
    base, marks = split_annotated(hint)
    if base in review.readers or is_dataclass(base) or is_list_type(base) or is_mapping_type(base):
        return True
    return any(isinstance(mark, MARKERS) for mark in marks)


def _accepts_kind(review: Review, hint: Any, value: Any) -> bool:
    """Whether the written value has the kind (text, mapping, list) in which this type is written."""
    base, marks = split_annotated(hint)
    if isinstance(value, str):
        is_path = any(isinstance(mark, FromFile | RelativePath) for mark in marks)
        return is_path or (base in review.readers and not is_list_type(base)) or base is str
    if is_mapping_value(value):
        return is_mapping_type(base) or is_dataclass(base) or base in review.readers
    return json_kind(value) == "list" and is_list_type(base)


def with_constraints(base: Any, constraints: Sequence[Any]) -> Any:
    """A type annotated with its bounds."""
    return Annotated[base, *constraints] if constraints else base


def read_plain(review: Review, hint: Any, value: Any, place: KeyPath, option: DeclaredOption | None = None) -> Any:
    """A value without structure, such as a number with bounds or one of a few words."""
    result = validate(hint, value)
    if isinstance(result, float) and abs(result) > _MAX_NUMBER:
        what = f"`{describe_place(place)}` is too large to compute with: {result:g}"
        review.add_error(place, "bad-option", what, f"write at most {_MAX_NUMBER:g}")
        return INVALID
    return _report_wrong_value(review, hint, value, place, option) if result is INVALID else result


def validate(hint: Any, value: Any) -> Any:
    """The value if it is of this type and within its bounds, else INVALID. Text is never a number, nor is `true`; 1 is a float too.

    >>> validate(float, 1), validate(float, "1"), validate(float, True)
    (1.0, <Invalid.INVALID: 'invalid'>, <Invalid.INVALID: 'invalid'>)
    """
    if hint in (Any, object):
        return value
    accepted = accept_plain_value(hint, value)
    return _validate_with_pydantic(hint, value) if accepted is UNDECIDED else accepted


def _validate_with_pydantic(hint: Any, value: Any) -> Any:
    from pydantic import ValidationError

    try:
        # Validated as JSON: in JSON, strict mode still accepts a list for a tuple and an integer for a float, as suites have them.
        return _type_adapter(hint).validate_json(json.dumps(value))
    except (ValidationError, TypeError, ValueError):
        return INVALID


@cache  # pydantic compiles a validator for each type
def _type_adapter(hint: Any) -> Any:
    from pydantic import ConfigDict, TypeAdapter

    return TypeAdapter(hint, config=ConfigDict(strict=True, allow_inf_nan=False))


def _report_wrong_value(
    review: Review, hint: Any, value: Any, place: KeyPath, option: DeclaredOption | None = None, fix: str | None = None
) -> Any:
    what = f"`{describe_place(place)}` must be {describe_type(hint)}, not {describe_value(value)}"
    fix = fix or _suggest_choice(hint, value) or _suggest_spelling(hint, value) or _suggest_default(option)
    review.add_error(place, "bad-option", what, fix)
    return INVALID


def _union_members(hint: Any) -> tuple[Any, ...]:
    base, _ = split_annotated(hint)
    return get_args(base) if is_union_type(base) else (base,)


def _suggest_choice(hint: Any, value: Any) -> str | None:
    """The closest of the words that the type allows."""
    choices = [str(choice) for member in _union_members(hint) if get_origin(member) is Literal for choice in get_args(member)]
    closest = find_closest_name(value, choices) if isinstance(value, str) and choices else None
    return f"did you mean `{closest}`?" if closest else None


def _suggest_spelling(hint: Any, value: Any) -> str | None:
    """The same value as it should have been written: without quotes, with quotes, or in a list."""
    if isinstance(value, str):
        try:
            unquoted = json.loads(value.lower())
        except ValueError:
            unquoted = None
        if unquoted is not None and validate(hint, unquoted) is not INVALID:
            return f"write it without quotes: {value.lower()}"
        if any(is_list_type(split_annotated(member)[0]) for member in _union_members(hint)):
            return f'write a list: ["{value}"]'
        return None
    if json_kind(value) in ("number", "bool"):
        quoted = json.dumps(value)
        return f'write it in quotes: "{quoted}"' if validate(hint, quoted) is not INVALID else None
    return None


def _suggest_default(option: DeclaredOption | None) -> str | None:
    if option is None or option.required:
        return None
    if isinstance(option.default, bool | int | float | str):
        return f"leave it out for the default, {json.dumps(option.default)}"
    return "leave it out if it is not needed"
