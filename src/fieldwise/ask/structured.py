"""JSON in a model's reply, and whether it has the shape that was asked for."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL | re.IGNORECASE)
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


def read_reply(text: str, schema: Mapping[str, Any]) -> tuple[Any, str | None]:
    """The JSON that a reply holds, and what is wrong with it.

    >>> schema = {"type": "object", "properties": {"score": {"type": "number", "maximum": 1}}, "required": ["score"]}
    >>> read_reply('Sure:\\n```json\\n{"score": 0.5}\\n```', schema)
    ({'score': 0.5}, None)
    >>> read_reply('{"score": 7}', schema)[1]
    'score is 7, above 1'
    """
    wrong = "there is no JSON in it"
    for candidate in _candidates(text):
        try:
            value = json.loads(candidate, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            continue
        found = mismatch(value, schema)
        if found is None:
            return value, None
        wrong = found
    return None, wrong


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _candidates(text: str) -> Iterator[str]:
    """The whole text; what stands in code fences; from the first brace to the last."""
    yield text
    for fence in _FENCE.finditer(text):
        yield fence.group(1)
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        yield text[start : end + 1]


def mismatch(value: Any, schema: Mapping[str, Any], where: str = "") -> str | None:
    """The first way in which a value differs from a schema: of JSON Schema, the part that judges use.

    >>> mismatch({"items": ["a"]}, {"type": "object", "properties": {"items": {"type": "array", "minItems": 2}}})
    'items has 1 items, fewer than 2'
    """
    place = where or "the reply"
    kind = schema.get("type")
    if kind and not _is(value, kind):
        return f"{place} is not of type {kind}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{place} is not one of {json.dumps(schema['enum'])}"
    found = _out_of_bounds(value, schema, place)
    if found:
        return found
    if isinstance(value, dict):
        return _in_object(value, schema, where)
    if isinstance(value, list) and "items" in schema:
        wrong = (mismatch(item, schema["items"], f"{where}[{index}]") for index, item in enumerate(value))
        return next(filter(None, wrong), None)
    return None


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES[kind])


def _out_of_bounds(value: Any, schema: Mapping[str, Any], place: str) -> str | None:
    if isinstance(value, int | float):
        if value < schema.get("minimum", value):
            return f"{place} is {value}, below {schema['minimum']}"
        if value > schema.get("maximum", value):
            return f"{place} is {value}, above {schema['maximum']}"
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            return f"{place} has {len(value)} items, fewer than {schema['minItems']}"
        if len(value) > schema.get("maxItems", len(value)):
            return f"{place} has {len(value)} items, more than {schema['maxItems']}"
    return None


def _in_object(value: dict[str, Any], schema: Mapping[str, Any], where: str) -> str | None:
    for name in schema.get("required", ()):
        if name not in value:
            return f"{where or 'the reply'} lacks `{name}`"
    for name, inner in schema.get("properties", {}).items():
        if name in value:
            found = mismatch(value[name], inner, f"{where}.{name}" if where else name)
            if found:
                return found
    return None
