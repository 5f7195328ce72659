"""JSON text of values and back, without loss: big integers keep their digits, NaN stays NaN."""

import json
import marshal
import re
from math import isfinite
from typing import Any

import orjson

from fieldwise.kernels.json_conversion import may_hold_long_number

_NON_FINITE_BYTES = re.compile(rb"[\xf0-\xff][\x7f\xff]")
_LONG_NUMBER = re.compile(rb"[0-9]{19}")


def dump_json(value: Any, *, finite: bool = False) -> bytes:
    """JSON text in UTF-8. `finite` promises that no number in the value is NaN or infinite.

    >>> dump_json({"a": 2**70, "b": [1.5, None]})
    b'{"a":1180591620717411303424,"b":[1.5,null]}'
    """
    try:
        text = orjson.dumps(value)
    except (TypeError, ValueError):  # integers beyond 64 bits, lone surrogates, keys that are not text
        return _dump_with_stdlib(value)
    # orjson writes NaN as null, so a null in the text may have been one.
    if not finite and b"null" in text and not _is_finite(value):
        return _dump_with_stdlib(value)
    return text


def _is_finite(value: Any) -> bool:
    """True if no number in a value is NaN or infinite.

    `marshal` writes the eight bytes of a float, ten times faster than visiting the floats one by one, and only NaN and infinity
    end in these bytes. Text may contain them as well, so a hit is checked value by value.
    """
    try:
        packed = marshal.dumps(value)
        if not ((b"\x7f" in packed or b"\xff" in packed) and _NON_FINITE_BYTES.search(packed)):
            return True
    except ValueError:  # marshal does not know the type of a value
        pass
    pending: list[Any] = [[value]]
    while pending:
        node = pending.pop()
        for child in node.values() if isinstance(node, dict) else node:
            kind = type(child)
            if kind is str or kind is int:
                continue
            if isinstance(child, dict | list | tuple):
                pending.append(child)
            elif isinstance(child, float) and not isfinite(child):
                return False
    return True


def _dump_with_stdlib(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), default=str).encode()


def load_json(text: bytes | str) -> Any:
    """The value of a JSON text."""
    encoded = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if may_hold_long_number(encoded) and _LONG_NUMBER.search(encoded):  # orjson reads integers beyond 64 bits as floats
        return json.loads(encoded)
    try:
        return orjson.loads(encoded)
    except orjson.JSONDecodeError:  # NaN, Infinity and lone surrogates
        return json.loads(encoded)


def dump_strict_json(value: Any) -> bytes:
    """JSON text that every parser accepts: NaN and infinities, which JSON does not have, become strings.

    >>> dump_strict_json({"a": [1.0, float("nan")]})
    b'{"a":[1.0,"NaN"]}'
    """
    return to_strict_json(dump_json(value))


def to_strict_json(text: bytes) -> bytes:
    """Stored JSON text with NaN and infinities as strings; other text as it is."""
    if b"NaN" not in text and b"Infinity" not in text:
        return text
    return dump_json(_name_non_finite(load_json(text)))


def _name_non_finite(value: Any) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return str(value).replace("nan", "NaN").replace("inf", "Infinity")
    if isinstance(value, dict):
        return {key: _name_non_finite(inner) for key, inner in value.items()}
    return [_name_non_finite(inner) for inner in value] if isinstance(value, list) else value
