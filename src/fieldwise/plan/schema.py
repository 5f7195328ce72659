"""The JSON Schema of a suite, made from what evaluators and matchers declare, so that an editor can complete and check it.

It says no to what `build_plan` says no to, as far as a schema can: names that must be unique or must exist are left to the plan.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, is_dataclass
from typing import Any, Literal, TypeAlias, get_args, get_origin

from fieldwise import registry
from fieldwise.model.options import FromFile, Of
from fieldwise.model.path import Path
from fieldwise.model.plan import Member
from fieldwise.model.rule import Align, FieldRule, ListRule, Match
from fieldwise.plan.evaluators import COMMON, REQUIRED, WHEN
from fieldwise.plan.fields import Option, descriptions, options_of, pass_through
from fieldwise.plan.gates import OPERATORS
from fieldwise.plan.options import annotated, without_markers
from fieldwise.plan.rules import RULE_OPTIONS, match_names
from fieldwise.plan.suite import CASES_KEYS, COLUMNS
from fieldwise.plan.type_text import is_list, is_mapping, is_union, peel

Schema: TypeAlias = dict[str, Any]

_TEXT: Schema = {"type": "string", "minLength": 1}
_PATH: Schema = {"type": "string", "minLength": 1, "not": {"pattern": r"^\$"}}
_COMMON_TEXTS = {
    "name": "What gates and reports call it; the type if left out.",
    "weight": "What it weighs among the evaluators.",
    "pass_at": "A score at or above this passes.",
    "required": "False: a missing or null value leaves the score untouched.",
    "id": "Ids of cases, or patterns such as `EF_*`.",
    "tag": "Tags of cases.",
    "split": "Splits of the data.",
    "contexts": "True: only cases with contexts. False: only cases without.",
}


@dataclass(frozen=True, slots=True)
class _Definitions:
    """The parts that are referred to by name, made once each."""

    made: dict[str, Schema] = field(default_factory=dict[str, Schema])

    def ref(self, name: str, make: Callable[[], Schema]) -> Schema:
        """A reference to a part, which is made when it is first asked for."""
        if name not in self.made:
            self.made[name] = {}  # a part may speak of itself
            self.made[name] = make()
        return {"$ref": f"#/$defs/{name}"}


def suite_schema() -> Schema:
    """The JSON Schema (2020-12) of a suite, with every evaluator and matcher there is."""
    parts = _Definitions()
    number = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"
    condition: Schema = {"type": "string", "pattern": rf"^\s*({'|'.join(OPERATORS)})\s*{number}\s*$", "examples": [">= 0.9"]}
    properties: Schema = {
        "name": {**_TEXT, "description": "What the run is called; the file's name if left out."},
        "cases": _cases(),
        "columns": {
            **_closed({role: _of_hint(parts, hint) for role, hint in COLUMNS.items()}),
            "description": "Columns with other names than usual: role → column.",
        },
        "evaluators": {"type": "array", "minItems": 1, "items": _evaluator(parts)},
        "gate": {
            "type": "object",
            "description": 'Conditions on the run, such as `fields.score: ">= 0.9"`.',
            "properties": {"regression": {"anyOf": [_regression(), {"type": "array", "items": _regression()}]}},
            "propertyNames": {"pattern": r"^([\w-]+\..+|regression)$"},
            "additionalProperties": condition,
        },
    }
    top = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "fieldwise suite"}
    return {**top, **_closed(properties, ["evaluators"]), "$defs": dict(sorted(parts.made.items()))}


def _closed(properties: Mapping[str, Any], required: Iterable[str] = ()) -> Schema:
    """A mapping with these keys and no others."""
    needed = list(required)
    schema: Schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return {**schema, "required": needed} if needed else schema


def _regression() -> Schema:
    share: Schema = {"type": "number", "minimum": 0, "maximum": 1}
    properties = {"metric": _TEXT, "max_drop": share, "confidence": share, "per_field": {"type": "boolean"}}
    return {**_closed(properties, ["metric"]), "description": "No shown drop of this metric from the baseline beyond `max_drop`."}


def _cases() -> Schema:
    apart = _closed(dict.fromkeys(CASES_KEYS, _TEXT), ["expected", "actual"])
    return {"description": "A file, a pattern, or expected and actual apart; relative to the suite.", "anyOf": [_TEXT, apart]}


def _evaluator(parts: _Definitions, kind: Literal["evaluator", "member"] = "evaluator") -> Schema:
    names = registry.EVALUATORS.names()
    chosen = [
        {
            "if": {"properties": {"type": {"const": name}}, "required": ["type"]},
            "then": parts.ref(f"{kind}.{name}", lambda name=name: _evaluator_of(parts, name, kind)),
        }
        for name in names
    ]
    return {"type": "object", "properties": {"type": {"enum": list(names)}}, "required": ["type"], "allOf": chosen}


def _evaluator_of(parts: _Definitions, name: str, kind: str) -> Schema:
    declared = registry.EVALUATORS.find(name).options
    common: Schema = {"type": {"const": name}, **{key: _common(parts, option) for key, option in COMMON.items()}}
    common["name"]["pattern"] = r"^[\w-]+$"
    common["when"] = parts.ref("when", lambda: {**_closed({key: _common(parts, one) for key, one in WHEN.items()}), "minProperties": 1})
    if kind == "member":
        common["required"] = {**_of_hint(parts, REQUIRED), "description": "True: it must pass. A number: it must score at least that."}
    own = _options(parts, declared)
    if "threshold" not in own and pass_through(declared) is None:
        common["threshold"] = {**_common(parts, COMMON["pass_at"]), "description": "The same as `pass_at`."}
    needed = ["type", *_needed(declared)]
    schema = {**_closed({**common, **own}, needed), **_about(declared)}
    return {**schema, "additionalProperties": True} if pass_through(declared) else schema


def _common(parts: _Definitions, option: Option) -> Schema:
    schema = {**_of_hint(parts, option.hint), "description": _COMMON_TEXTS[option.name]}
    return schema if option.default is None else {**schema, "default": option.default}


def _about(declared: type) -> Schema:
    """The first paragraph of a dataclass's own docstring."""
    text = (declared.__doc__ or "").strip().split("\n\n")[0]
    return {"description": text} if text and not text.startswith(f"{declared.__name__}(") and declared is not type(None) else {}


def _needed(declared: type) -> list[str]:
    return [option.name for option in options_of(declared) if option.required and not option.passes_through]


def _options(parts: _Definitions, declared: type) -> Schema:
    texts = descriptions(declared)
    return {
        option.name: _option(parts, option, texts.get(option.attribute)) for option in options_of(declared) if not option.passes_through
    }


def _option(parts: _Definitions, option: Option, text: str | None) -> Schema:
    schema = dict(_of_hint(parts, option.hint))
    if text:
        schema["description"] = text
    if isinstance(option.default, bool | int | float | str):
        schema["default"] = option.default
    return schema


def _of_hint(parts: _Definitions, hint: Any) -> Schema:
    """What may be written for an annotation."""
    base, marks = peel(hint)
    fixed = next((mark.match for mark in marks if isinstance(mark, Of)), None)
    if fixed:
        return parts.ref(f"match.{fixed}", lambda: _closed(_options(parts, registry.MATCHERS.find(fixed).options)))
    schema = _of_base(parts, base, without_markers(marks))
    if any(isinstance(mark, FromFile) for mark in marks):
        return {"anyOf": [{**_TEXT, "description": "A JSON file, relative to the suite."}, schema]}
    return schema


def _of_base(parts: _Definitions, base: Any, constraints: tuple[Any, ...]) -> Schema:
    own = _own_type(parts, base)
    if own is not None:
        return own
    if is_union(base):
        return {"anyOf": [_of_hint(parts, member) for member in get_args(base)]}
    if isinstance(base, type) and is_dataclass(base):
        whole = lambda: {**_closed(_options(parts, base), _needed(base)), **_about(base)}  # noqa: E731
        return parts.ref(f"part.{base.__module__}.{base.__qualname__}", whole)
    arguments = get_args(base)
    if is_list(base):
        return {**_plain(list[Any], constraints), "items": _of_hint(parts, arguments[0])}
    if is_mapping(base):
        return {**_plain(dict[str, Any], constraints), "additionalProperties": _of_hint(parts, arguments[1])}
    return _plain(base, constraints)


def _own_type(parts: _Definitions, base: Any) -> Schema | None:
    if base == tuple[FieldRule, ...]:
        return {"type": "array", "items": parts.ref("field", lambda: _field_rule(parts))}
    if base == tuple[ListRule, ...]:
        return {"type": "object", "additionalProperties": parts.ref("list", _list_rule)}
    if base == tuple[Member, ...]:
        member = parts.ref("member", lambda: _evaluator(parts, "member"))
        return {"type": "array", "minItems": 1, "items": {"anyOf": [{"type": "string"}, member]}}
    if base is FieldRule:
        return parts.ref("field", lambda: _field_rule(parts))
    if base is Match:
        return parts.ref("match", lambda: {"anyOf": [{"enum": list(match_names())}, _by_match(parts, {}, [])]})
    return _PATH if base is Path else None


def _plain(base: Any, constraints: tuple[Any, ...]) -> Schema:
    """A type without parts of its own; pydantic knows its bounds."""
    if get_origin(base) is Literal:
        return {"enum": list(get_args(base))}
    from pydantic import TypeAdapter

    schema = TypeAdapter[Any](annotated(base, constraints)).json_schema()
    return {key: value for key, value in schema.items() if key not in ("items", "additionalProperties") or value is not True}


def _field_rule(parts: _Definitions) -> Schema:
    common = {option.name: _common(parts, option) for option in RULE_OPTIONS}
    return {"anyOf": [_PATH, _by_match(parts, {"path": {**_PATH, "description": "Where the field is."}, **common}, ["path"])]}


def _by_match(parts: _Definitions, common: Schema, required: list[str]) -> Schema:
    """A mapping whose other keys depend on `match`, which is `exact` if left out."""
    chosen: list[Schema] = []
    for name in match_names():
        declared = registry.MATCHERS.find(name).options
        own = {"match": {"const": name}, **_options(parts, declared)}
        only = _closed({**dict.fromkeys(common, True), **own}, _needed(declared))
        told = {} if name == "exact" else {"required": ["match"]}
        chosen.append({"if": {"properties": {"match": {"const": name}}, **told}, "then": {**only, **_about(declared)}})
    every = {**common, "match": {"enum": list(match_names()), "default": "exact"}}
    return {"type": "object", "properties": every, "allOf": chosen, **({"required": required} if required else {})}


def _list_rule() -> Schema:
    by_key = {"if": {"properties": {"align": {"const": "key"}}, "required": ["align"]}, "then": {"required": ["key"]}}
    only_by_key = {"if": {"required": ["key"]}, "then": {"properties": {"align": {"const": "key"}}}}
    aligned = _closed({"align": {"enum": list(get_args(Align))}, "key": {**_PATH, "description": "The key that items share."}})
    names = [name for name in get_args(Align) if name != "key"]
    return {"anyOf": [{"enum": names}, {**aligned, "allOf": [by_key, only_by_key]}]}
