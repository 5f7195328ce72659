"""Keywords of JSON Schema that fieldwise checks itself. Those of the package `jsonschema` backtrack (`pattern` and what depends on it),
compare all pairs (`uniqueItems`), overflow (`multipleOf`) or omit a path (`properties`). Imports that optional package.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import isfinite
from typing import Any, Final, cast

from jsonschema.exceptions import ValidationError

from fieldwise.kernels.ecma_regex import compile_ecma
from fieldwise.kernels.values import canonical_json

REFERENCES: Final = ("$ref", "$dynamicRef")
SCHEMA_LISTS: Final = ("allOf", "anyOf", "oneOf")
"""Keywords with a list of schemas for the same value."""
SINGLE_SCHEMAS: Final = ("not", "if", "then", "else")
"""Keywords with one schema for the same value."""


def validate_properties(validator: Any, properties: Mapping[str, Any], instance: Any, _: Any) -> Iterator[Any]:
    """The schema of each property."""
    if not validator.is_type(instance, "object"):
        return
    for name, inner in properties.items():
        if name in instance:  # the package omits the path of a property whose schema is `false`
            yield from validator.descend(instance[name], {"not": {}} if inner is False else inner, path=name, schema_path=name)


def validate_pattern(validator: Any, pattern: str, instance: Any, _: Any) -> Iterator[Any]:
    """Text in which the pattern matches."""
    if validator.is_type(instance, "string") and not compile_ecma(pattern)(instance):
        yield ValidationError("the pattern does not match")


def validate_pattern_properties(validator: Any, patterns: Mapping[str, Any], instance: Any, _: Any) -> Iterator[Any]:
    """The schema of each property whose name matches a pattern."""
    if not validator.is_type(instance, "object"):
        return
    for pattern, inner in patterns.items():
        matches = compile_ecma(pattern)
        for name in instance:
            if matches(str(name)):
                yield from validator.descend(instance[name], inner, path=name, schema_path=pattern)


def validate_additional_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[Any]:
    """The schema of properties that are not declared."""
    if not validator.is_type(instance, "object"):
        return
    names = undeclared_properties(schema, instance)
    if validator.is_type(allowed, "object"):
        for name in names:
            yield from validator.descend(instance[name], allowed, path=name)
    elif allowed is False and names:
        yield ValidationError("unexpected properties")


def validate_unevaluated_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[Any]:
    """The schema of properties that no other keyword evaluates."""
    if not validator.is_type(instance, "object"):
        return
    evaluated = _evaluated_properties(validator, instance, schema, is_root=True)
    names = [name for name in instance if name not in evaluated]
    invalid = [name for name in names if not validator.evolve(schema=allowed).is_valid(instance[name])]
    if invalid:
        joined = ", ".join(f"`{name}`" for name in invalid)
        yield ValidationError(f"unevaluated properties are not allowed: {joined}")


def validate_unique_items(validator: Any, is_unique: Any, instance: Any, _: Any) -> Iterator[Any]:
    """A list without equal items, found by hash."""
    if not (is_unique and validator.is_type(instance, "array")):
        return
    texts = [canonical_json(item) for item in instance]  # None for NaN, which equals nothing
    comparable = [text for text in texts if text is not None]
    if len(set(comparable)) < len(comparable):
        yield ValidationError("has an item twice")


def validate_multiple_of(validator: Any, divisor: Any, instance: Any, _: Any) -> Iterator[Any]:
    """A multiple of a number, in exact arithmetic."""
    if not validator.is_type(instance, "number") or (isinstance(instance, float) and not isfinite(instance)):
        return  # NaN and infinity are violations of their own
    if _exact_fraction(instance) % _exact_fraction(divisor):
        yield ValidationError("not a multiple")


def _exact_fraction(number: Any) -> Fraction:
    """The number as it is written: 0.01 is one hundredth, not the nearest binary fraction."""
    return Fraction(number) if isinstance(number, int) else Fraction(repr(float(number)))


def undeclared_properties(schema: Mapping[str, Any], instance: Mapping[str, Any]) -> list[str]:
    """The properties that neither `properties` nor `patternProperties` names."""
    declared = schema.get("properties", {})
    matchers = [compile_ecma(pattern) for pattern in schema.get("patternProperties", {})]
    return [name for name in instance if name not in declared and not any(matches(str(name)) for matches in matchers)]


def _evaluated_properties(validator: Any, instance: Mapping[str, Any], schema: Any, *, is_root: bool = False) -> set[str]:
    """The properties of an object that a schema evaluates, by its own keywords or by those of a schema for the same object that it fits."""
    if not isinstance(schema, Mapping):
        return set()
    keywords = cast("Mapping[str, Any]", schema)
    if "additionalProperties" in keywords or ("unevaluatedProperties" in keywords and not is_root):
        return set(instance)
    undeclared = set(undeclared_properties(keywords, instance))
    evaluated = {name for name in instance if name not in undeclared}
    for inner_validator, inner in _applied_schemas(validator, instance, keywords):
        evaluated |= _evaluated_properties(inner_validator, instance, inner)
    return evaluated


def _applied_schemas(validator: Any, instance: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """The schemas for the same object that it fits, each with the validator that resolves its references."""
    for keyword in REFERENCES:
        if keyword in schema:
            resolved = validator._resolver.lookup(schema[keyword])
            inner = validator.evolve(schema=resolved.contents, _resolver=resolved.resolver)
            if inner.is_valid(instance):
                yield inner, resolved.contents
    candidates = [inner for keyword in SCHEMA_LISTS for inner in schema.get(keyword, ())]
    candidates += [inner for name, inner in schema.get("dependentSchemas", {}).items() if name in instance]
    if "if" in schema:
        fits = validator.evolve(schema=schema["if"]).is_valid(instance)
        candidates += [schema["if"]] if fits else []
        branch = "then" if fits else "else"
        candidates += [schema[branch]] if branch in schema else []
    for inner in candidates:
        if validator.evolve(schema=inner).is_valid(instance):
            yield validator, inner


OWN_KEYWORDS: Final = {
    "properties": validate_properties,
    "pattern": validate_pattern,
    "patternProperties": validate_pattern_properties,
    "additionalProperties": validate_additional_properties,
    "unevaluatedProperties": validate_unevaluated_properties,
    "uniqueItems": validate_unique_items,
    "multipleOf": validate_multiple_of,
}
"""Each keyword with its function, as `jsonschema.validators.extend` takes them."""
