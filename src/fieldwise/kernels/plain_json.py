"""Plain values as JSON text, all at once, which is several times faster than one by one.

>>> plain_texts(["a\\nb", 1, [2], None])
[b'"a\\\\nb"', b'1', None, b'null']
"""

from collections.abc import Sequence
from math import isfinite
from typing import Any, Final

import orjson

_PLAIN: Final = frozenset[type]({str, int, float, bool, type(None)})


def plain_texts(values: Sequence[Any]) -> list[bytes | None]:
    """The JSON text of each value; None for what is no plain value, and for what strict JSON or orjson cannot write."""
    odd = [] if _are_plain(values) else [row for row, value in enumerate(values) if not _are_plain((value,))]
    if odd:
        values = list(values)
        for row in odd:
            values[row] = None
    try:
        whole = orjson.dumps(values, option=orjson.OPT_INDENT_2)
    except (TypeError, ValueError):  # an integer beyond 64 bits, a lone surrogate
        return [None] * len(values)
    texts: list[bytes | None] = [*whole[4:-2].split(b",\n  ")] if values else []  # no JSON text of a plain value holds a line break
    for row in odd:
        texts[row] = None
    return texts


def _are_plain(values: Sequence[Any]) -> bool:
    return {*map(type, values)} <= _PLAIN and all(map(isfinite, [value for value in values if type(value) is float]))
