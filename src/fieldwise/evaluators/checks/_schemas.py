"""JSON Schemas: whether one is sound, and a validator for it that never fetches anything. Imports the package `jsonschema`."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

import jsonschema
from jsonschema.validators import extend, validator_for
from jsonschema_specifications import REGISTRY
from referencing import Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012, EMPTY_REGISTRY

from fieldwise.model.path import render

_DRAFT: Final = jsonschema.Draft202012Validator
_REFERENCES: Final = ("$ref", "$dynamicRef")
KNOWN: Final = EMPTY_REGISTRY.combine(REGISTRY)
"""The published meta-schemas, and nothing that would go and fetch others."""


def validator_of(schema: Mapping[str, Any], formats: bool) -> Any:
    """A validator of the draft that the schema names, 2020-12 if it names none."""
    draft: Any = extend(cast("Any", validator_for(schema, default=_DRAFT)), {"properties": _properties})
    return draft(schema, registry=KNOWN, format_checker=draft.FORMAT_CHECKER if formats else None)


def _properties(validator: Any, properties: Mapping[str, Any], instance: Any, _: Any) -> Iterator[Any]:
    """The keyword `properties`. The package's own loses the path of a property whose schema is `false`."""
    if not validator.is_type(instance, "object"):
        return
    for name, inner in properties.items():
        if name in instance:
            yield from validator.descend(instance[name], {"not": {}} if inner is False else inner, path=name, schema_path=name)


def schema_problems(schema: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    """What is wrong with a schema, and how to fix it."""
    named = schema.get("$schema")
    drafts: Any = validator_for  # it takes None as default, whatever its annotations say
    draft = drafts(schema, default=None) if named is not None else _DRAFT
    if draft is None:
        yield f"`$schema` names an unknown draft: {named}", f"write {_DRAFT.META_SCHEMA['$id']}, or leave it out"
        return
    sound = True
    for error in draft(draft.META_SCHEMA, registry=KNOWN, format_checker=draft.FORMAT_CHECKER).iter_errors(schema):
        sound = False
        yield f"the schema is none at `{render(tuple(error.absolute_path))}`: {_short(error.message)}", None
    if sound:
        for reference in _dead_references(schema):
            fix = "nothing is fetched: put the schema it means under `$defs` and refer to `#/$defs/<name>`"
            yield f"the reference `{reference}` leads nowhere", fix


def _short(text: str, longest: int = 120) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _dead_references(schema: Mapping[str, Any]) -> Iterator[str]:
    resource = Resource.from_contents(schema, default_specification=DRAFT202012)
    registry = KNOWN.with_resource(resource.id() or "", resource).crawl()
    waiting: list[tuple[Any, Any]] = [(resource, registry.resolver_with_root(resource))]
    seen: set[str] = set()
    while waiting:
        part, resolver = waiting.pop()
        contents: Any = part.contents
        for reference in [contents[key] for key in _REFERENCES if key in contents] if isinstance(contents, Mapping) else []:
            try:
                resolver.lookup(reference)
            except Unresolvable:
                if reference not in seen:
                    seen.add(reference)
                    yield reference
        waiting += [(inner, resolver.in_subresource(inner)) for inner in part.subresources()]
