"""Field rules from types: a JSON Schema, or a class that pydantic can describe (a model, a dataclass, a TypedDict).

A rule for every leaf, chosen by type, format, enumeration and pattern, then by the name of the field; `x-fieldwise` (in pydantic
`json_schema_extra={"fieldwise": {...}}`) overrides it. A field that may be null or absent is `sparse`: no record needs to have it, but a
value that is missing is still missed.

>>> number_or_null = {"anyOf": [{"type": "number"}, {"type": "null"}]}
>>> rules_from_schema({"properties": {"total": number_or_null, "day": {"type": "string", "format": "date"}}})
[{'path': 'total', 'match': 'numeric_tolerance', 'sparse': True}, {'path': 'day', 'match': 'date'}]
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from importlib import import_module
from typing import Any, Final, TypeAlias, cast

from fieldwise import registry
from fieldwise.dataclass import dataclass
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.path import EACH, Step, render_path
from fieldwise.plan.review import suggest_name

Rule: TypeAlias = dict[str, Any]
"""A field rule as in `fields` of a suite."""
Schema: TypeAlias = Mapping[str, Any]

OVERRIDE_KEYS: Final = ("x-fieldwise", "fieldwise")
FORMAT_MATCHES: Final[Mapping[str, str]] = {
    "date": "date",
    "date-time": "datetime",
    "time": "datetime",
    "duration": "duration",
    "uuid": "code",
    "phone": "code",
    **dict.fromkeys(("email", "idn-email", "uri", "uri-reference", "iri", "url", "hostname", "ipv4", "ipv6", "binary"), "exact"),
}
"""The match for text of each format; other formats are not considered."""
CODE_NAMES: Final = frozenset(
    {
        *("id", "no", "nr", "num", "number", "code", "key", "ref", "reference", "serial", "uuid", "guid"),
        *("sku", "isbn", "issn", "ean", "gtin", "upc", "vin", "cusip", "isin", "iban", "bic", "swift", "vat"),
        *("zip", "postcode", "phone", "tel", "fax"),
    }
)
"""Last words of the names of fields that hold identifiers, of which every letter and digit counts."""
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def rules_from_schema(schema: Schema, *, check_matches: bool = True) -> list[Rule]:
    """A rule for every leaf of the records that a JSON Schema describes, in its order.

    ConfigError if it describes no fields, or if an override names a match that does not exist; a suite checks its matches itself.
    """
    rules = list(_SchemaWalk(schema).walk(schema, (), ()))
    if not rules or rules[0]["path"] == render_path(()):
        raise _error("the schema describes no fields", "describe an object with `properties`, or a list of such objects")
    problems = _list_unknown_matches(rules) if check_matches else []
    if problems:
        raise ConfigError(problems)
    return rules


def _list_unknown_matches(rules: Sequence[Rule]) -> list[Diagnostic]:
    names = registry.MATCHERS.names()
    problems: list[Diagnostic] = []
    for rule in rules:
        match = rule.get("match")
        if match in names:
            continue
        what, fix = f"Invalid match type: {match} (valid: {', '.join(names)})", suggest_name(str(match), names, "the usual one is `exact`")
        problems.append(Diagnostic(code="invalid-match", what=what, where=Where(field=rule["path"]), fix=fix))
    return problems


def rules_from_type(source: type, *, check_matches: bool = True) -> list[Rule]:
    """The rules of a class: a pydantic model, a dataclass, a TypedDict; ConfigError if pydantic cannot describe it."""
    from pydantic import PydanticUserError, TypeAdapter
    from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError

    try:
        return rules_from_schema(TypeAdapter[Any](source).json_schema(), check_matches=check_matches)
    except (PydanticUserError, PydanticSchemaGenerationError, PydanticInvalidForJsonSchema) as error:
        reason = str(error).split("\n", 1)[0]
        name = getattr(source, "__name__", repr(source))
        raise _error(f"no rules can be made from `{name}`: {reason}", "give a pydantic model, a dataclass, or a JSON Schema") from error


def import_type(reference: str, folders: Sequence[str]) -> type:
    """The class that `package.module:Class` names; modules in `folders` are found too. ConfigError if there is none."""
    module_name, colon, class_name = reference.partition(":")
    if not colon or not module_name or not class_name:
        raise _error(f"`{reference}` does not name a class", "write it as `package.module:Invoice`")
    search_path = list(sys.path)
    sys.path[:0] = [folder for folder in folders if folder not in sys.path]
    try:
        value: Any = import_module(module_name)
        for name in class_name.split("."):
            value = getattr(value, name)
    except (Exception, SystemExit) as error:  # the module is the user's, and may raise anything while it is imported
        what = f"`{reference}` cannot be imported: {type(error).__name__}: {error}"
        raise _error(what, "check the name; the module must be installed, in the suite's folder, or in the current one") from error
    finally:
        sys.path[:] = search_path
    return value


def _error(what: str, fix: str) -> ConfigError:
    return ConfigError([Diagnostic(code="bad-type", what=what, fix=fix)])


@dataclass(frozen=True, slots=True)
class _SchemaWalk:
    """A walk over the leaves of a schema."""

    root: Schema
    inherited: Rule = field(default_factory=dict)
    """Options that an object above sets for all its fields."""

    def walk(self, schema: Any, steps: tuple[Step, ...], refs: tuple[str, ...]) -> Iterator[Rule]:
        """The rules of the leaves at and below these steps; `refs` are the references that led there."""
        node, refs, is_recursive = self._resolve(schema, refs)
        override = _get_override(node, steps)
        if is_recursive or "match" in override:
            yield self._build_rule(steps, {"match": "exact"}, override)
            return
        below = self if not override else _SchemaWalk(self.root, {**self.inherited, **override})
        properties = node.get("properties")
        if isinstance(properties, Mapping) and properties:
            for name, child in cast("Mapping[str, Any]", properties).items():
                if child is False:  # a property that no record may have
                    continue
                is_optional = self._may_be_null(child, refs) or ("required" in node and name not in node["required"])
                member = _SchemaWalk(self.root, {"sparse": True, **below.inherited}) if is_optional else below
                yield from member.walk(child, (*steps, name), refs)
        elif isinstance(node.get("prefixItems"), list):
            for index, child in enumerate(cast("list[Any]", node["prefixItems"])):
                yield from below.walk(child, (*steps, index), refs)
        elif isinstance(node.get("items"), Mapping) and not self._is_set(node, refs):
            yield from below.walk(node["items"], (*steps, EACH), refs)
        else:
            yield self._build_rule(steps, _choose_match(node, steps), override)

    def _build_rule(self, steps: tuple[Step, ...], choice: Rule, override: Rule) -> Rule:
        chosen = {} if "match" in override else choice
        inherited = {name: value for name, value in self.inherited.items() if name not in override}
        return {"path": render_path(steps), **chosen, **override, **inherited}

    def _may_be_null(self, schema: Any, refs: tuple[str, ...]) -> bool:
        """True if null is one of the alternatives or types of a schema."""
        if not isinstance(schema, Mapping):
            return False
        node = cast("Schema", schema)
        if "$ref" in node and str(node["$ref"]) not in refs:
            return self._may_be_null(self._find_definition(str(node["$ref"])), (*refs, str(node["$ref"])))
        alternatives = [*node.get("anyOf", ()), *node.get("oneOf", ())]
        types = node.get("type")
        return (isinstance(types, list) and "null" in types) or any(
            isinstance(member, Mapping) and cast("Schema", member).get("type") == "null" for member in alternatives
        )

    def _is_set(self, node: Schema, refs: tuple[str, ...]) -> bool:
        """True for a list of distinct plain values, whose order does not count."""
        item, _, _ = self._resolve(node["items"], refs)
        return node.get("uniqueItems") is True and not ({"properties", "items", "prefixItems"} & set(item))

    def _resolve(self, schema: Any, refs: tuple[str, ...]) -> tuple[Schema, tuple[str, ...], bool]:
        """The schema with references, `allOf` and alternatives merged; True if a reference leads back to itself."""
        node: dict[str, Any] = dict(cast("Mapping[str, Any]", schema)) if isinstance(schema, Mapping) else {}
        while "$ref" in node:
            reference = str(node.pop("$ref"))
            if reference in refs:
                return node, refs, True
            refs = (*refs, reference)
            node = _merge(dict(self._find_definition(reference)), node)
        for part in cast("list[Any]", node.pop("allOf", [])):
            resolved, refs, is_recursive = self._resolve(part, refs)
            if is_recursive:
                return node, refs, True
            node = _merge(dict(resolved), node)
        for key in ("anyOf", "oneOf"):
            if isinstance(node.get(key), list):
                alternatives: list[Schema] = []
                for part in cast("list[Any]", node.pop(key)):
                    resolved, part_refs, is_recursive = self._resolve(part, refs)
                    if is_recursive:
                        return node, refs, True
                    refs = tuple(dict.fromkeys((*refs, *part_refs))) if "properties" in resolved else refs
                    alternatives.append(resolved)
                node = _merge(_merge_alternatives(alternatives), node)
        return node, refs, False

    def _find_definition(self, reference: str) -> Schema:
        value: Any = self.root
        if not reference.startswith("#"):
            raise _error(f"the schema refers to `{reference}`, which is elsewhere", "put it under `$defs` of the schema itself")
        for part in reference.removeprefix("#").split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            value = value.get(key) if isinstance(value, Mapping) else None
        if not isinstance(value, Mapping):
            raise _error(f"the schema refers to `{reference}`, which it does not define", "define it under `$defs`")
        return cast("Schema", value)


def _merge(base: dict[str, Any], over: Schema) -> dict[str, Any]:
    """The keys of both; `over` wins, except that properties are joined."""
    merged = {**base, **over}
    if isinstance(base.get("properties"), Mapping) and isinstance(over.get("properties"), Mapping):
        merged["properties"] = {**base["properties"], **over["properties"]}
    return merged


def _merge_alternatives(alternatives: Sequence[Schema]) -> dict[str, Any]:
    """One schema for several: null is left out, objects are joined, numbers that may be text are read, others are of any type."""
    members = [member for member in alternatives if member.get("type") != "null" and member.get("const", "") is not None]
    if len(members) <= 1:
        return dict(members[0]) if members else {"type": "null"}
    if all(isinstance(member.get("properties"), Mapping) for member in members):
        merged: dict[str, Any] = {}
        for member in members:
            merged = _merge(merged, member)
        return merged
    if all("enum" in member or "const" in member for member in members):
        return {"enum": [value for member in members for value in member.get("enum", [member.get("const")])]}
    types = {str(member.get("type")) for member in members}
    if types <= {"integer", "number"}:
        return {"type": "number"}
    if types <= {"integer", "number", "string"} and "number" in types:
        return {"type": "number", "format": "decimal"}  # as pydantic describes a Decimal; equal text that is no number still matches
    return {}


def _get_override(node: Schema, steps: tuple[Step, ...]) -> Rule:
    for key in OVERRIDE_KEYS:
        if key in node:
            if not isinstance(node[key], Mapping):
                raise _error(f"`{key}` of `{render_path(steps)}` must be a mapping", "write options of a field, such as {match: exact}")
            return dict(cast("Mapping[str, Any]", node[key]))
    return {}


def _choose_match(node: Schema, steps: tuple[Step, ...]) -> Rule:
    """The match for a leaf, with its options."""
    written_type: Any = node.get("type")
    if isinstance(written_type, list):
        types = [name for name in cast("list[Any]", written_type) if name != "null"]
        written_type = types[0] if len(types) == 1 else None
    if "enum" in node or "const" in node:
        return {"match": "exact"}
    if written_type == "number":
        return _choose_for_number(node)
    if written_type == "array":
        return {"match": "set"} if node.get("uniqueItems") is True else {"match": "exact"}
    if written_type == "string":
        return {"match": _choose_for_text(node, steps)}
    return {"match": "exact"}


def _choose_for_number(node: Schema) -> Rule:
    rule: Rule = {"match": "numeric_tolerance"}
    step = node.get("multipleOf")
    if isinstance(step, int | float) and step > 0:
        rule["tolerance"] = step / 2
    if node.get("format") == "decimal":
        rule["parse"] = True
    return rule


def _choose_for_text(node: Schema, steps: tuple[Step, ...]) -> str:
    by_format = FORMAT_MATCHES.get(str(node.get("format")))
    if by_format:
        return by_format
    if "pattern" in node or "contentEncoding" in node:
        return "exact"
    name = next((step for step in reversed(steps) if isinstance(step, str)), "")
    words = _WORDS.findall(name)
    last_word = words[-1].lower() if words else ""
    return "code" if last_word in CODE_NAMES or last_word.removesuffix("s") in CODE_NAMES else "fuzzy"
