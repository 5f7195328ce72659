"""JSON in a model's reply, and whether it has the shape that was asked for."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_BEGIN = re.compile(r"\{(?=\s*[\"}])")
_NO_JSON: Final = "there is no JSON in it"
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
    try:
        values = _values(text)
    except (ValueError, RecursionError) as error:
        return None, str(error) if isinstance(error, _Twice) else _NO_JSON
    wrong = [mismatch(value, schema) for value in values]
    fitting = [value for value, found in zip(values, wrong, strict=True) if found is None]
    if not fitting:
        return None, next(filter(None, reversed(wrong)), _NO_JSON)
    if any(value != fitting[0] for value in fitting):
        return None, "it holds several answers that differ"
    return fitting[0], None


class _Twice(ValueError):
    """A key that is there twice: whichever counts, the other one was meant too."""


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for at, (name, _) in enumerate(pairs) if name in dict(pairs[:at]))
        raise _Twice(f"`{twice}` is there twice")
    return found


_DECODER: Final = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_no_key_twice)


def _values(text: str) -> list[Any]:
    """The whole text as JSON, else every object in it: models think aloud first, and put fences and words around what was asked for."""
    found, at = list[Any](), 0
    with suppress(json.JSONDecodeError):
        found.append(_DECODER.decode(text))
        if not isinstance(found[0], list):
            return found
    said = _THOUGHT.split(text)[-1]
    while begin := _BEGIN.search(said, at):
        value, at = _DECODER.raw_decode(said, begin.start())  # what begins like an object and ends like none was cut off: nothing counts
        found.append(value)
    return found


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
        # Without a least number, the largest one is there for servers that let models write on without end: more does no harm.
        if "minItems" in schema and len(value) > schema.get("maxItems", len(value)):
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
