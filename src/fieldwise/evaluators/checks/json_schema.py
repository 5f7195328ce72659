"""Validation of a record against a JSON Schema, with the path of every violation.

The schema is 2020-12 unless its `$schema` names another draft. No network requests are made: a `$ref` must point into the schema itself
or to a published meta-schema. `pattern` and `patternProperties` are searched by RE2, in time proportional to the text; look-around and
back-references are refused. Needs the package `jsonschema`: `pip install 'fieldwise[schema]'`.

>>> import fieldwise as fw
>>> schema = {"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total", "currency"]}
>>> fw.evaluate({"type": "json_schema", "schema": schema}, actual={"total": "12"}).misses
['currency (required, missing)', 'total (not of type number)']
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from math import isfinite, isnan
from typing import Annotated, Any, Final, Literal, NamedTuple, cast

from fieldwise.dataclass import dataclass
from fieldwise.kernels.ecma_regex import compile_ecma
from fieldwise.model.batch import Batch
from fieldwise.model.options import FromFile, OptionProblem
from fieldwise.model.path import ROOT, Step, render_path
from fieldwise.model.result import Result, Results, fault_result, unavailable_result
from fieldwise.model.values import MISSING, Value, json_kind
from fieldwise.registry import evaluator
from fieldwise.specs import EvaluatorExample


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonSchema:
    """The schema and how to score against it."""

    schema: Annotated[Mapping[str, Any] | bool, FromFile()]
    """The JSON Schema itself, or the path of a JSON file that holds it. `true` accepts every value, `false` none."""
    formats: bool = False
    """Also check `format`, such as `date` and `email`, which the standard treats as an annotation."""
    score: Literal["binary", "graded"] = "binary"
    """`binary`: 1 if the record is valid, else 0. `graded`: 1 − violations / values in the record, at least 0."""

    def problems(self) -> Iterable[OptionProblem]:
        """An invalid schema, or references that do not resolve."""
        if not _is_jsonschema_installed():
            return
        if isinstance(self.schema, Mapping):
            for what, fix in _schema_problems(self.schema):
                yield "schema", what, fix

    def remarks(self) -> Iterable[OptionProblem]:
        """A schema that accepts everything; formats that are not checked."""
        if self.schema is True or self.schema == {}:
            yield "schema", "the schema accepts every value, so that no output can fail", "write what a valid output must have"
        if not isinstance(self.schema, Mapping) or not _is_jsonschema_installed():
            return
        formats = sorted({str(contents["format"]) for contents, _ in _iterate_subschemas(self.schema) if _has_format(contents)})
        if self.formats:
            yield from _unchecked_formats(formats)
        elif formats:
            names = ", ".join(f"`{name}`" for name in formats)
            yield "schema", f"`format` is not checked ({names}): the standard treats it as an annotation", "add `formats: true` to check it"


@evaluator(
    reads="records",
    reads_scalars=True,
    needs_expected=False,
    counts=("violations",),
    version=4,
    metrics=("valid", "violations"),
    examples=[
        EvaluatorExample(
            options={
                "schema": {
                    "type": "object",
                    "properties": {
                        "total": {"type": "number", "minimum": 0},
                        "items": {"type": "array", "items": {"type": "object", "required": ["amount"]}},
                    },
                    "required": ["total", "currency"],
                }
            },
            actual={"total": "12", "items": [{"amount": 1}, {}]},
        ),
        EvaluatorExample(
            options={"schema": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}},
            perfect={"a": "x", "b": [1, {"c": 2.5}], "é": {"a": True, "b": None}},
        ),
        EvaluatorExample(
            options={
                "schema": {"additionalProperties": {"type": ["string", "array"], "minLength": 2}},
                "score": "graded",
                "formats": True,
            },
            perfect=[],
        ),
    ],
)
def json_schema(batch: Batch, config: JsonSchema) -> Results:
    """1 if the record is valid by the schema, else 0, or graded by the number of violations."""
    if not _is_jsonschema_installed():
        missing = unavailable_result("the package `jsonschema` is not installed", "pip install 'fieldwise[schema]'")
        return Results.from_results([missing] * len(batch))
    validator = _build_validator(config.schema, config.formats)
    results: list[Result] = []
    for row, unwrapped in enumerate(batch.records.actual):
        record = batch.records.wrapped.get(row, unwrapped)  # a schema describes the output as it is
        root = _read_root(record, batch.cases.actual[row], config.schema)
        reason = batch.records.unreadable.get(row, {}).get("actual")
        results.append(_unreadable_result(reason) if root is MISSING and reason else _validate_record(validator, root, config))
    return Results.from_results(results)


def _read_root(record: Value, actual: Value, schema: Mapping[str, Any] | bool) -> Value:
    """The record of a case. Text without an object or a list is a JSON scalar; where the schema allows text, other text is itself."""
    if record is not MISSING or not isinstance(actual, str):
        return record
    try:
        return json.loads(actual)
    except ValueError:
        types = schema.get("type", ()) if isinstance(schema, Mapping) else ()
        return actual if types == "string" or "string" in types else MISSING


def _unreadable_result(reason: str) -> Result:
    """The result of an output that is neither JSON nor text that the schema allows: a failure of the system under test."""
    what = f"the output cannot be read: {reason}"
    details = {"fault": "system", "reason": what}
    return Result(status="error", misses=[f"({what})"], reasoning=what, metrics={"valid": False}, details=details)


def _unchecked_formats(formats: Iterable[str]) -> Iterator[OptionProblem]:
    """The formats that cannot be checked: every text passes them."""
    from fieldwise.evaluators.checks._schema_formats import build_format_checker

    valid = list(build_format_checker().checkers)
    for name in formats:
        if name not in valid:
            similar = get_close_matches(name, valid, n=1)
            fix = f"did you mean `{similar[0]}`?" if similar else "check the value by `pattern`"
            yield "schema", f"the format `{name}` is unknown and is not checked", fix


def _has_format(contents: Any) -> bool:
    return isinstance(contents, Mapping) and "format" in contents


def _is_jsonschema_installed() -> bool:
    try:
        import jsonschema  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError:
        return False
    return True


def _validate_record(validator: Any, record: Value, config: JsonSchema) -> Result:
    if record is MISSING:
        return Result(metrics={"valid": False})
    try:
        violations = find_violations(validator, record)
    except RecursionError:
        return fault_result("the schema cannot be applied: the record is nested too deeply for it")
    except Exception as error:  # a fault of the package in one record must not cost the others
        return fault_result(f"the schema cannot be applied: {error or type(error).__name__}")
    count = len(violations)
    metrics: dict[str, float | bool] = {"valid": not violations, "violations": count}
    hits = _valid_properties(record, violations)
    if not violations:
        return Result(score=1.0, hits=hits, reasoning="the record fits the schema", metrics=metrics)
    score = 0.0 if config.score == "binary" else max(0.0, 1.0 - count / max(_count_leaves(record), 1))
    return Result(
        score=score,
        hits=hits,
        misses=[f"{render_path(violation.steps)} ({violation.what})" for violation in violations],
        reasoning=f"{count} violation{'s' if count > 1 else ''} of the schema",
        metrics=metrics,
        details={"violations": [_describe_violation(violation) for violation in violations]},
    )


def _describe_violation(violation: "Violation") -> dict[str, str]:
    return {"path": render_path(violation.steps), "keyword": violation.keyword, "what": violation.what}


def _valid_properties(record: Any, violations: "Iterable[Violation]") -> list[str]:
    """The top-level properties without a violation; for a valid record without properties, the root."""
    invalid = {violation.steps[0] if violation.steps else ROOT for violation in violations}
    keys = [key for key in record if key not in invalid] if json_kind(record) == "object" else []
    if not keys and not invalid:
        return [ROOT]
    return [render_path((str(key),)) for key in keys]


@cache  # immutable, and costly to combine
def _published_schemas() -> Any:
    """The published meta-schemas; a registry without a retriever, so that nothing is downloaded."""
    from jsonschema_specifications import REGISTRY
    from referencing.jsonschema import EMPTY_REGISTRY

    return EMPTY_REGISTRY.combine(REGISTRY)


def _build_validator(schema: Mapping[str, Any] | bool, formats: bool) -> Any:
    """A validator of the draft that the schema names, 2020-12 if it names none."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend, validator_for

    from fieldwise.evaluators.checks._schema_formats import build_format_checker
    from fieldwise.evaluators.checks._schema_keywords import OWN_KEYWORDS

    draft: Any = extend(cast("Any", validator_for(schema, default=Draft202012Validator)), OWN_KEYWORDS)
    return draft(schema, registry=_published_schemas(), format_checker=build_format_checker() if formats else None)


def _schema_problems(schema: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    """Problems of a schema, each with a fix."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for

    draft_name = schema.get("$schema")
    find_draft: Any = validator_for  # accepts None as default, unlike its annotations
    draft = find_draft(schema, default=None) if draft_name is not None else Draft202012Validator
    if draft is None:
        fix = f"write {Draft202012Validator.META_SCHEMA['$id']}, or leave it out"
        yield f"`$schema` names an unknown draft: {draft_name}", fix
        return
    formats = type(draft.FORMAT_CHECKER)(set(draft.FORMAT_CHECKER.checkers) - {"regex"})  # the syntax of patterns is RE2's, not Python's
    meta_validator = draft(draft.META_SCHEMA, registry=_published_schemas(), format_checker=formats)
    errors = list(meta_validator.iter_errors(schema))
    for error in errors:
        what = f"the schema is invalid at `{render_path(tuple(error.absolute_path))}`: {_shorten(error.message, 120)}"
        yield what, _suggest_type(error.absolute_path, error.instance)
    if errors:
        return
    yield from _misspelt_keywords(schema)
    for reference in _unresolved_references(schema):
        fix = "remote schemas are not loaded: put the schema under `$defs` and refer to `#/$defs/<name>`"
        yield f"the reference `{reference}` does not resolve", fix
        return
    for keyword, pattern, reason in _invalid_patterns(schema):
        fix = "patterns have the syntax of RE2, without look-around and back-references"
        yield f"the schema is invalid at `{keyword}`: the pattern `{_shorten(pattern, 120)}` cannot be used: {_shorten(reason, 120)}", fix
    reference = _find_endless_reference(schema)
    if reference is not None:
        what = f"the reference `{reference}` leads back to itself without going into the value, so validation would never end"
        yield what, "refer to the schema from inside `properties` or `items`"


def _suggest_type(path: Iterable[Any], value: Any) -> str | None:
    """The nearest name of a type where the schema has an unknown one at `type`."""
    names = value if isinstance(value, list) else [value]
    unknown = [name for name in cast("list[Any]", names) if isinstance(name, str) and name not in _TYPES]
    if list(path)[-1:] != ["type"] or not unknown:
        return None
    similar = get_close_matches(unknown[0], _TYPES, n=1)
    return f"did you mean `{similar[0]}`?" if similar else f"there are: {', '.join(_TYPES)}"


def _shorten(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _iterate_subschemas(schema: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """The contents of a schema and of every schema inside it, each with the resolver of its references."""
    from referencing import Resource
    from referencing.jsonschema import DRAFT202012

    resource = Resource.from_contents(schema, default_specification=DRAFT202012)
    registry = _published_schemas().with_resource(resource.id() or "", resource).crawl()
    waiting: list[tuple[Any, Any]] = [(resource, registry.resolver_with_root(resource))]
    while waiting:
        part, resolver = waiting.pop()
        yield part.contents, resolver
        waiting += [(inner, resolver.in_subresource(inner)) for inner in part.subresources()]


_TYPES: Final = ("object", "array", "string", "number", "integer", "boolean", "null")
_ANNOTATIONS: Final = frozenset(
    (
        *("$id", "$schema", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "$comment", "$defs", "id", "definitions"),
        *("title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly"),
        *("format", "const", "then", "else"),
        *("contentEncoding", "contentMediaType", "contentSchema", "minContains", "maxContains", "additionalItems", "dependencies"),
        *("nullable", "discriminator", "xml", "externalDocs"),
    )
)
"""Keywords that validate nothing by themselves, those of older drafts, and those of OpenAPI."""


def _misspelt_keywords(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Keywords that no draft has and that resemble one: they would validate nothing, and nothing would say so."""
    from jsonschema import validators

    drafts = [getattr(validators, name) for name in dir(validators) if name.startswith("Draft") and name.endswith("Validator")]
    valid_keywords = _ANNOTATIONS.union(*(draft.VALIDATORS for draft in drafts))
    folded = {name.casefold(): name for name in valid_keywords}
    seen: set[str] = set()
    for contents, _ in _iterate_subschemas(schema):
        keywords = cast("Mapping[str, Any]", contents) if isinstance(contents, Mapping) else {}
        for keyword in keywords:
            if keyword in valid_keywords or keyword in seen or keyword.startswith("x-"):
                continue
            seen.add(keyword)
            close = get_close_matches(keyword.casefold(), list(folded), n=1, cutoff=0.8)
            if close:
                yield f"JSON Schema has no keyword `{keyword}`, so that it validates nothing", f"did you mean `{folded[close[0]]}`?"


def _unresolved_references(schema: Mapping[str, Any]) -> Iterator[str]:
    from referencing.exceptions import Unresolvable

    from fieldwise.evaluators.checks._schema_keywords import REFERENCES

    seen: set[str] = set()
    for contents, resolver in _iterate_subschemas(schema):
        references = [contents[key] for key in REFERENCES if key in contents] if isinstance(contents, Mapping) else []
        for reference in references:
            try:
                resolver.lookup(reference)
            except Unresolvable:
                if reference not in seen:
                    seen.add(reference)
                    yield reference


def _invalid_patterns(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Keyword and text of each pattern that RE2 cannot express, with the reason."""
    for contents, _ in _iterate_subschemas(schema):
        if not isinstance(contents, Mapping):
            continue
        keywords = cast("Mapping[str, Any]", contents)
        patterns = [("patternProperties", pattern) for pattern in keywords.get("patternProperties", ())]
        if isinstance(keywords.get("pattern"), str):
            patterns.append(("pattern", keywords["pattern"]))
        for keyword, pattern in patterns:
            try:
                compile_ecma(pattern)
            except ValueError as error:
                yield keyword, pattern, str(error)


def _find_endless_reference(schema: Mapping[str, Any]) -> str | None:
    """A reference that leads back to its own schema through keywords for the same value only; None if there is none."""
    finished: set[int] = set()  # ids of schemas, which `schema` and the registry keep alive
    for contents, resolver in _iterate_subschemas(schema):
        reference = _follow_references(contents, resolver, set(), finished)
        if reference is not None:
            return reference
    return None


def _follow_references(contents: Any, resolver: Any, path: set[int], finished: set[int]) -> str | None:
    """`path` and `finished` hold ids of schemas: a cycle is the same object again, and equal schemas elsewhere are no cycle."""
    from fieldwise.evaluators.checks._schema_keywords import REFERENCES, SCHEMA_LISTS, SINGLE_SCHEMAS

    if not isinstance(contents, Mapping) or id(contents) in finished:
        return None
    keywords = cast("Mapping[str, Any]", contents)
    path = path | {id(contents)}
    for key in REFERENCES:
        if isinstance(keywords.get(key), str):
            resolved = resolver.lookup(keywords[key])
            if id(resolved.contents) in path:
                return str(keywords[key])
            reference = _follow_references(resolved.contents, resolved.resolver, path, finished)
            if reference is not None:
                return reference
    inner_schemas = [inner for key in SCHEMA_LISTS for inner in keywords.get(key, ())]
    inner_schemas += [keywords[key] for key in SINGLE_SCHEMAS if key in keywords]
    inner_schemas += [*keywords.get("dependentSchemas", {}).values()]
    for inner in inner_schemas:
        reference = _follow_references(inner, resolver, path, finished)
        if reference is not None:
            return reference
    finished.add(id(contents))
    return None


class Violation(NamedTuple):
    """A path of a record and the keyword of the schema that it violates."""

    steps: tuple[Step, ...]
    keyword: str
    what: str


def find_violations(validator: Any, record: Any) -> list[Violation]:
    """Every violation, ordered by path. NaN and Infinity, which JSON does not have, are violations too."""
    violations = [violation for error in validator.iter_errors(record) for violation in _split_error(error)]
    violations += [Violation(steps, "type", f"{name} is not a number") for steps, name in _non_finite_values(record)]
    return sorted(dict.fromkeys(violations), key=_sort_key)


def _sort_key(violation: Violation) -> tuple[list[str], Violation]:
    """Steps as text, list indices padded so that they sort as numbers."""
    return [str(step).zfill(9) if isinstance(step, int) else str(step) for step in violation.steps], violation


def _split_error(error: Any) -> Iterator[Violation]:
    """An error as violations: one for each missing or unexpected property."""
    from fieldwise.evaluators.checks._schema_keywords import undeclared_properties

    steps, keyword = tuple(error.absolute_path), error.validator or "false"
    if keyword == "required" and json_kind(error.instance) == "object":
        for name in error.validator_value:
            if name not in error.instance:
                yield Violation((*steps, name), keyword, "required, missing")
    elif keyword == "additionalProperties" and error.validator_value is False:
        for name in undeclared_properties(error.schema, error.instance):
            yield Violation((*steps, name), keyword, "unexpected property")
    else:
        yield Violation(steps, keyword, _describe_error(error, keyword))


def _describe_error(error: Any, keyword: str) -> str:
    """The error in words, without the value itself, which may be long."""
    if keyword in _DESCRIPTIONS:
        return _DESCRIPTIONS[keyword](error)
    allowed = error.validator_value
    return keyword if json_kind(allowed) in ("object", "list", "bool") else f"{keyword} {_format_json(allowed)}"


def _format_json(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return _shorten(text, 60)


def _describe_type_error(error: Any) -> str:
    types = error.validator_value
    return f"not of type {types if isinstance(types, str) else ' or '.join(map(str, types))}"


def _describe_alternatives(error: Any) -> str:
    return "fits none of the alternatives" if error.context else "fits more than one alternative"


_DESCRIPTIONS: Final[dict[str, Callable[[Any], str]]] = {
    "false": lambda _: "not allowed",
    "type": _describe_type_error,
    "enum": lambda error: f"not one of {_format_json(error.validator_value)}",
    "const": lambda error: f"not {_format_json(error.validator_value)}",
    "anyOf": _describe_alternatives,
    "oneOf": _describe_alternatives,
    "not": lambda error: "fits what the schema forbids" if error.validator_value else "not allowed",
    "uniqueItems": lambda _: "has an item twice",
    "dependentRequired": lambda error: _format_json(error.message),
    "unevaluatedProperties": lambda error: _format_json(error.message),
}


def _count_leaves(record: Any) -> int:
    """The number of values of a record; an empty list or object counts as one."""
    return sum(1 for _ in _iterate_leaves(record))


def _non_finite_values(record: Any) -> Iterator[tuple[tuple[Step, ...], str]]:
    for steps, value in _iterate_leaves(record):
        if isinstance(value, float) and not isfinite(value):
            yield steps, "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _iterate_leaves(record: Any) -> Iterator[tuple[tuple[Step, ...], Any]]:
    waiting: list[tuple[tuple[Step, ...], Any]] = [((), record)]
    while waiting:
        steps, value = waiting.pop()
        family = json_kind(value)
        if family == "object" and value:
            waiting += [((*steps, str(key)), inner) for key, inner in value.items()]
        elif family == "list" and value:
            waiting += [((*steps, index), inner) for index, inner in enumerate(value)]
        else:
            yield steps, value
