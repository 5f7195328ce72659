"""Values as JSON text and back, without loss: big integers keep their digits, NaN stays NaN."""

import json
import marshal
import re
from collections.abc import Sequence
from math import isfinite
from typing import Any

import orjson

from fieldwise.kernels.plain_json import encode_plain_values

_ODD_FLOAT = re.compile(rb"[\xf0-\xff][\x7f\xff]")
_LONG_NUMBER = re.compile(rb"[0-9]{19}")


def dump_json(value: Any, *, finite: bool = False) -> bytes:
    """JSON text, in UTF-8. `finite` says that somebody knows already that no number in it is NaN or infinite.

    >>> dump_json({"a": 2**70, "b": [1.5, None]})
    b'{"a":1180591620717411303424,"b":[1.5,null]}'
    """
    try:
        text = orjson.dumps(value)
    except (TypeError, ValueError):  # integers beyond 64 bits, lone surrogates, keys that are no text
        return _dump_with_stdlib(value)
    # orjson writes NaN as null, so where there is a null, look whether it was one.
    return _dump_with_stdlib(value) if not finite and b"null" in text and not _is_finite(value) else text


def _is_finite(value: Any) -> bool:
    """Whether no number in a value is NaN or infinite.

    `marshal` writes floats as they are, ten times faster than they can be looked at one by one, and only those two end in such bytes;
    text may too, so that what is found is looked at.
    """
    try:
        packed = marshal.dumps(value)
        if not ((b"\x7f" in packed or b"\xff" in packed) and _ODD_FLOAT.search(packed)):
            return True
    except ValueError:  # values of types of their own
        pass
    waiting: list[Any] = [[value]]
    while waiting:
        node = waiting.pop()
        for inner in node.values() if isinstance(node, dict) else node:
            kind = type(inner)
            if kind is str or kind is int:
                continue
            if isinstance(inner, dict | list | tuple):
                waiting.append(inner)
            elif isinstance(inner, float) and not isfinite(inner):
                return False
    return True


def dump_json_values(values: Sequence[Any]) -> list[bytes]:
    """The JSON text of each value.

    >>> dump_json_values(["a\\nb", 1, [None]])
    [b'"a\\\\nb"', b'1', b'[null]']
    """
    return [dump_json(value) if text is None else text for value, text in zip(values, encode_plain_values(values), strict=True)]


def _dump_with_stdlib(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), default=str).encode()


def load_json(text: bytes | str) -> Any:
    """The value of a JSON text."""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if _LONG_NUMBER.search(raw):
        return json.loads(raw)
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return json.loads(raw)
