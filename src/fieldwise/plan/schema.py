"""The JSON Schema of a suite, generated from the options of evaluators and matchers, for completion and checks in an editor.

It rejects what `build_plan` rejects, as far as a schema can: whether names are unique or exist is left to the plan.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, is_dataclass
from typing import Any, Final, Literal, TypeAlias, get_args, get_origin

from fieldwise import registry
from fieldwise.model.options import FixedMatch, FromFile
from fieldwise.model.path import Path
from fieldwise.model.plan import Member
from fieldwise.model.rule import DEFAULT_AT_LEAST, Align, FieldRule, ListRule, Match
from fieldwise.plan.cost import CostOptions
from fieldwise.plan.declared_options import (
    DeclaredOption,
    find_pass_through,
    is_list_type,
    is_mapping_type,
    is_union_type,
    list_options,
    read_descriptions,
    split_annotated,
    without_markers,
)
from fieldwise.plan.evaluators import COMMON_OPTIONS, MEMBER_REQUIRED_TYPE, WHEN_OPTIONS, list_common_options
from fieldwise.plan.gates import OPERATORS
from fieldwise.plan.options import with_constraints
from fieldwise.plan.profiles import PROFILES
from fieldwise.plan.rules import RULE_OPTIONS, list_match_names
from fieldwise.plan.suite import COLUMN_TYPES, SIDE_KEYS

JsonSchema: TypeAlias = dict[str, Any]
SUITE_SCHEMA_VERSION: Final = 2
"""Incremented when a suite that was valid no longer is."""

_TEXT: JsonSchema = {"type": "string", "minLength": 1}
_PATH: JsonSchema = {"type": "string", "minLength": 1, "not": {"pattern": r"^\$"}}
_COMMON_DESCRIPTIONS = {
    "name": "Name in gates and reports; default: the type.",
    "weight": "Weight in the mean; 0 leaves it out.",
    "pass_at": "A score at or above this passes.",
    "repair": "off: records in text must be strict JSON. on: almost-JSON is repaired, and the case says how.",
    "required": "False: a missing or null value leaves the score untouched.",
    "sparse": "True: the field may be absent from every expected record.",
    "evidence": "Score the place of the value together with it: `iou` is the minimum overlap of the two boxes.",
    "unexpected": "What a value is where expected does not have the field: a miss, or left out of the score.",
    "id": "Ids of cases, or patterns such as `EF_*`.",
    "tag": "Tags of cases.",
    "split": "Splits of the data.",
    "contexts": "True: only cases with contexts. False: only cases without.",
}
_SIDE_DESCRIPTIONS = {
    "file": "A file, a folder or a pattern; relative to the suite.",
    "id": "The column or path that identifies a row of this side, or a list of those that do so together.",
    "record": "The path of the record inside a row; default: the whole row.",
    "format": "The format, such as `azure_di`; default: by the name and content of the file.",
}
_COLUMN_DESCRIPTIONS = {
    "id": "The column with the id of the case, or those that identify it together.",
    "input": "The column with the question or document.",
    "expected": "The column with the expected output, or a pattern such as `*_gold` for one column per field.",
    "actual": "The column with the actual output, or a pattern such as `*_pred`.",
    "contexts": "The column with the retrieved passages.",
    "metadata": "The column with an object of further values.",
    "tags": "The column with the tags of the case.",
    "split": "The column with the split, such as train or test.",
    "actuals": "The column, or columns, with the outputs of several trials.",
}


@dataclass(frozen=True, slots=True)
class _Definitions:
    """The named parts of the schema, each built once."""

    by_name: dict[str, JsonSchema] = field(default_factory=dict)

    def refer_to(self, name: str, build: Callable[[], JsonSchema]) -> JsonSchema:
        """A reference to a part, built on first use."""
        if name not in self.by_name:
            self.by_name[name] = {}  # registered before it is built, because a part may refer to itself
            self.by_name[name] = build()
        return {"$ref": f"#/$defs/{name}"}


def build_suite_schema() -> JsonSchema:
    """The JSON Schema (2020-12) of a suite, with every registered evaluator and matcher."""
    definitions = _Definitions()
    number = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"
    condition: JsonSchema = {"type": "string", "pattern": rf"^\s*({'|'.join(OPERATORS)})\s*{number}\s*$", "examples": [">= 0.9"]}
    columns = {role: _schema_of_hint(definitions, hint) for role, hint in COLUMN_TYPES.items()}
    for role, column in columns.items():
        column["description"] = _COLUMN_DESCRIPTIONS[role]
    regression = _regression_schema()
    properties: JsonSchema = {
        "name": {**_TEXT, "description": "Name of the run; default: the name of the file."},
        "cases": _cases_schema(),
        "columns": {**_closed_mapping(columns), "description": "Columns with unusual names: role → column."},
        "group": {
            **_TEXT,
            "description": "Path to the group of a case, such as `metadata.document`: cases of one group are not independent.",
        },
        "confidence": {**_TEXT, "description": "Path to a case's record of confidences, such as `metadata.confidences`."},
        "policy": {**_TEXT, "description": "A file of `fieldwise policy`, for the gate `policy.holds`."},
        "redact": {"type": "array", "minItems": 1, "items": _PATH, "description": "Paths whose values are stored and shown as hashes."},
        "profile": {"enum": list(PROFILES), "description": "A named way of scoring: its options apply where the suite writes none."},
        "evaluators": {
            "type": "array",
            "minItems": 1,
            "items": _evaluator_schema(definitions),
            "description": "How cases are scored: each has a `type` and its options.",
        },
        "cost": _cost_schema(definitions),
        "gate": {
            "type": "object",
            "description": 'Conditions on the run, such as `fields.score: ">= 0.9"`.',
            "properties": {
                "policy.holds": {"anyOf": [condition, {"const": True}], "description": "The policy of the suite holds on this run."},
                "regression": {
                    "anyOf": [regression, {"type": "array", "items": regression}],
                    "description": "A limit, or several, on the drop of a metric from the baseline.",
                },
            },
            "propertyNames": {"pattern": r"^([\w-]+\..+|regression)$"},
            "additionalProperties": condition,
        },
    }
    top = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:fieldwise:suite:{SUITE_SCHEMA_VERSION}",
        "title": "fieldwise suite",
    }
    needs_evaluators = {"anyOf": [{"required": ["evaluators"]}, {"required": ["profile"]}]}
    return {**top, **_closed_mapping(properties), **needs_evaluators, "$defs": dict(sorted(definitions.by_name.items()))}


def _closed_mapping(properties: Mapping[str, Any], required: Iterable[str] = ()) -> JsonSchema:
    """A mapping with these keys and no others."""
    schema: JsonSchema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    required_keys = list(required)
    return {**schema, "required": required_keys} if required_keys else schema


def _cost_schema(definitions: _Definitions) -> JsonSchema:
    descriptions = read_descriptions(CostOptions)
    properties: JsonSchema = {}
    for option in list_options(CostOptions):
        properties[option.name] = {**_schema_of_hint(definitions, option.hint), "description": descriptions[option.name]}
    return {**_closed_mapping(properties, ["fields"]), "description": "What wrong values cost: the metric `cost.per_case`."}


def _regression_schema() -> JsonSchema:
    share: JsonSchema = {"type": "number", "minimum": 0, "maximum": 1}
    properties: JsonSchema = {
        "metric": {**_TEXT, "description": "The metric, such as `fields.score`."},
        "max_drop": {"type": "number", "minimum": 0, "description": "Largest drop to accept; at most 1 for metrics between 0 and 1."},
        "confidence": {**share, "description": "Fail only if the drop is significant at this confidence, besides being above `max_drop`."},
        "per_field": {"type": "boolean", "description": "Judge every field by itself, adjusted for their number."},
        "min_common": {**share, "description": "Smallest share of the cases that baseline and run must have in common."},
    }
    description = "Fail if this metric drops from the baseline by more than `max_drop`, and not by chance."
    return {**_closed_mapping(properties, ["metric"]), "description": description}


def _cases_schema() -> JsonSchema:
    rename: JsonSchema = {"type": "object", "additionalProperties": _TEXT, "description": "Name in this file → name in the rules."}
    side_keys = {key: {**_TEXT, "description": _SIDE_DESCRIPTIONS[key]} for key in SIDE_KEYS if key != "rename"}
    id_columns: JsonSchema = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1, "uniqueItems": True}]}
    side_keys["id"] = {**id_columns, "description": _SIDE_DESCRIPTIONS["id"]}
    one_side = {"anyOf": [_TEXT, _closed_mapping({**side_keys, "rename": rename}, ["file"])]}
    sides = {side: {**one_side, "description": f"The {side} side: a path, a pattern, or an object."} for side in ("expected", "actual")}
    allow: JsonSchema = {"type": "boolean", "description": "The same file or column may be both expected and actual."}
    corrections: JsonSchema = {**_TEXT, "description": "A JSONL file of corrections of the expected values; relative to the suite."}
    join: JsonSchema = {
        **id_columns,
        "description": "The column or path that identifies a row on both sides; short for the same `id` on each.",
    }
    file_format = side_keys["format"]
    two_sides = _closed_mapping(
        {**sides, "join": join, "format": file_format, "allow_same_sides": allow, "corrections": corrections}, ["expected", "actual"]
    )
    file: JsonSchema = {**_TEXT, "description": "One file or pattern with both sides of each case."}
    one_file = _closed_mapping({"file": file, "format": file_format, "allow_same_sides": allow, "corrections": corrections}, ["file"])
    corrections_only = _closed_mapping({"corrections": corrections}, ["corrections"])
    description = "A file, a pattern, or separate files for expected and actual; relative to the suite."
    return {"description": description, "anyOf": [_TEXT, two_sides, one_file, corrections_only]}


def _evaluator_schema(definitions: _Definitions, role: Literal["evaluator", "member"] = "evaluator") -> JsonSchema:
    """A mapping whose keys depend on `type`."""
    names = registry.EVALUATORS.names()
    conditions: list[JsonSchema] = []
    for name in names:
        reference = definitions.refer_to(f"{role}.{name}", lambda name=name: _schema_of_evaluator(definitions, name, role))
        conditions.append({"if": {"properties": {"type": {"const": name}}, "required": ["type"]}, "then": reference})
    return {"type": "object", "properties": {"type": {"enum": list(names)}}, "required": ["type"], "allOf": conditions}


def _schema_of_evaluator(definitions: _Definitions, name: str, role: str) -> JsonSchema:
    spec = registry.EVALUATORS.find(name)
    options_type = spec.options
    common: JsonSchema = {"type": {"const": name, "description": "Which evaluator this is."}}
    for key, option in list_common_options(spec).items():
        common[key] = _schema_of_common_option(definitions, option)
    common["name"]["pattern"] = r"^[\w-]+$"
    common["when"] = definitions.refer_to("when", lambda: _when_schema(definitions))
    if role == "member":
        description = "True: it must pass. A number: it must score at least that."
        common["required"] = {**_schema_of_hint(definitions, MEMBER_REQUIRED_TYPE), "description": description}
    own = _schemas_of_options(definitions, options_type)
    passes_through = find_pass_through(options_type) is not None
    if "threshold" not in own and not passes_through:
        pass_at = _schema_of_common_option(definitions, COMMON_OPTIONS["pass_at"])
        common["threshold"] = {**pass_at, "description": "The same as `pass_at`."}
    required = ["type", *_list_required_options(options_type)]
    schema = {**_closed_mapping({**common, **own}, required), **_describe_options_type(options_type)}
    return {**schema, "additionalProperties": True} if passes_through else schema


def _when_schema(definitions: _Definitions) -> JsonSchema:
    conditions = {key: _schema_of_common_option(definitions, option) for key, option in WHEN_OPTIONS.items()}
    return {**_closed_mapping(conditions), "minProperties": 1, "description": "The cases that it applies to; default: all."}


def _schema_of_common_option(definitions: _Definitions, option: DeclaredOption) -> JsonSchema:
    schema = {**_schema_of_hint(definitions, option.hint), "description": _COMMON_DESCRIPTIONS[option.name]}
    return schema if option.default is None else {**schema, "default": option.default}


def _describe_options_type(options_type: type) -> JsonSchema:
    """The first paragraph of the dataclass's own docstring; the one that `dataclass` generates does not count."""
    text = (options_type.__doc__ or "").strip().split("\n\n")[0]
    is_generated = text.startswith(f"{options_type.__name__}(")
    return {"description": text} if text and not is_generated and options_type is not type(None) else {}


def _list_required_options(options_type: type) -> list[str]:
    return [option.name for option in list_options(options_type) if option.required and not option.passes_through]


def _schemas_of_options(definitions: _Definitions, options_type: type) -> JsonSchema:
    descriptions = read_descriptions(options_type)
    schemas: JsonSchema = {}
    for option in list_options(options_type):
        if not option.passes_through:
            schemas[option.name] = _schema_of_option(definitions, option, descriptions.get(option.attribute))
    return schemas


def _schema_of_option(definitions: _Definitions, option: DeclaredOption, description: str | None) -> JsonSchema:
    schema = dict(_schema_of_hint(definitions, option.hint))
    if description:
        schema["description"] = description
    if isinstance(option.default, bool | int | float | str):
        schema["default"] = option.default
    return schema


def _schema_of_hint(definitions: _Definitions, hint: Any) -> JsonSchema:
    """The values a suite may have for an annotation."""
    base, marks = split_annotated(hint)
    fixed_match = next((mark.match for mark in marks if isinstance(mark, FixedMatch)), None)
    if fixed_match:
        options_type = registry.MATCHERS.find(fixed_match).options
        return definitions.refer_to(f"match.{fixed_match}", lambda: _closed_mapping(_schemas_of_options(definitions, options_type)))
    schema = _schema_of_base(definitions, base, without_markers(marks))
    if any(isinstance(mark, FromFile) for mark in marks):
        return {"anyOf": [{**_TEXT, "description": "A JSON file, relative to the suite."}, schema]}
    return schema


def _schema_of_base(definitions: _Definitions, base: Any, constraints: tuple[Any, ...]) -> JsonSchema:
    own = _schema_of_own_type(definitions, base)
    if own is not None:
        return own
    if is_union_type(base):
        return {"anyOf": [_schema_of_hint(definitions, member) for member in get_args(base)]}
    if isinstance(base, type) and is_dataclass(base):
        return definitions.refer_to(f"part.{base.__module__}.{base.__qualname__}", lambda: _schema_of_dataclass(definitions, base))
    arguments = get_args(base)
    if is_list_type(base):
        return {**_schema_of_plain_type(list[Any], constraints), "items": _schema_of_hint(definitions, arguments[0])}
    if is_mapping_type(base):
        return {**_schema_of_plain_type(dict[str, Any], constraints), "additionalProperties": _schema_of_hint(definitions, arguments[1])}
    return _schema_of_plain_type(base, constraints)


def _schema_of_dataclass(definitions: _Definitions, options_type: type) -> JsonSchema:
    mapping = _closed_mapping(_schemas_of_options(definitions, options_type), _list_required_options(options_type))
    return {**mapping, **_describe_options_type(options_type)}


def _schema_of_own_type(definitions: _Definitions, base: Any) -> JsonSchema | None:
    """The schema of a type with a reader of its own (`OPTION_READERS`); None for any other type."""
    if base == tuple[FieldRule, ...]:
        rules = {"type": "array", "items": definitions.refer_to("field", lambda: _field_rule_schema(definitions))}
        from_type = {**_closed_mapping({"schema": {"type": ["string", "object"]}, "model": _TEXT}), "minProperties": 1, "maxProperties": 1}
        return {"anyOf": [rules, {**from_type, "description": "Rules from a JSON Schema file, or from a class `package.module:Class`."}]}
    if base == tuple[ListRule, ...]:
        return {"type": "object", "additionalProperties": definitions.refer_to("list", _list_rule_schema)}
    if base == tuple[Member, ...]:
        member = definitions.refer_to("member", lambda: _evaluator_schema(definitions, "member"))
        return {"type": "array", "minItems": 1, "items": {"anyOf": [{"type": "string"}, member]}}
    if base is FieldRule:
        return definitions.refer_to("field", lambda: _field_rule_schema(definitions))
    if base is Match:
        return definitions.refer_to("match", lambda: _match_schema(definitions))
    return _PATH if base is Path else None


def _schema_of_plain_type(base: Any, constraints: tuple[Any, ...]) -> JsonSchema:
    """The schema of a type without structure, with its bounds, by pydantic."""
    if get_origin(base) is Literal:
        return {"enum": list(get_args(base))}
    from pydantic import TypeAdapter

    schema = TypeAdapter[Any](with_constraints(base, constraints)).json_schema()
    return {key: value for key, value in schema.items() if key not in ("items", "additionalProperties") or value is not True}


def _match_schema(definitions: _Definitions) -> JsonSchema:
    return {"anyOf": [{"enum": list(list_match_names())}, _schema_by_match(definitions, {}, [])]}


def _field_rule_schema(definitions: _Definitions) -> JsonSchema:
    common: JsonSchema = {"path": {**_PATH, "description": "Where the field is."}}
    for option in RULE_OPTIONS:
        common[option.name] = _schema_of_common_option(definitions, option)
    return {"anyOf": [_PATH, _schema_by_match(definitions, common, ["path"])]}


def _schema_by_match(definitions: _Definitions, common: JsonSchema, required: list[str]) -> JsonSchema:
    """A mapping whose other keys depend on `match`; default: `exact`."""
    conditions: list[JsonSchema] = []
    for name in list_match_names():
        options_type = registry.MATCHERS.find(name).options
        own = {"match": {"const": name}, **_schemas_of_options(definitions, options_type)}
        mapping = _closed_mapping({**dict.fromkeys(common, True), **own}, _list_required_options(options_type))
        must_be_written = {} if name == "exact" else {"required": ["match"]}
        condition = {"properties": {"match": {"const": name}}, **must_be_written}
        conditions.append({"if": condition, "then": {**mapping, **_describe_options_type(options_type)}})
    match: JsonSchema = {"enum": list(list_match_names()), "default": "exact", "description": "How the two values are compared."}
    properties = {**common, "match": match}
    schema: JsonSchema = {"type": "object", "properties": properties, "allOf": conditions}
    return {**schema, "required": required} if required else schema


def _list_rule_schema() -> JsonSchema:
    key_is_required = {"if": {"properties": {"align": {"const": "key"}}, "required": ["align"]}, "then": {"required": ["key"]}}
    key_implies_align = {"if": {"required": ["key"]}, "then": {"properties": {"align": {"const": "key"}}}}
    key: JsonSchema = {**_PATH, "description": "The key that items share."}
    description = "Minimum similarity of two items that `align: best` pairs; 0 pairs everything."
    at_least: JsonSchema = {"type": "number", "minimum": 0, "maximum": 1, "default": DEFAULT_AT_LEAST, "description": description}
    at_least_needs_best = {"if": {"required": ["at_least"]}, "then": {"properties": {"align": {"const": "best"}}, "required": ["align"]}}
    how = "How items are paired: by position, by the best total similarity, by a key, or in any order if they are equal."
    align: JsonSchema = {"enum": list(get_args(Align)), "description": how}
    mapping = _closed_mapping({"align": align, "key": key, "at_least": at_least})
    names = [name for name in get_args(Align) if name != "key"]
    return {"anyOf": [{"enum": names}, {**mapping, "allOf": [key_is_required, key_implies_align, at_least_needs_best]}]}
