"""JSON values as a whole: are two the same, one text for each, and numbers that are none.

Everything here walks without recursion, so that depth costs memory and never a crash. Values that JSON does not know (a date,
a Decimal) are the same if their type and `repr` are.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from json.encoder import encode_basestring  # pyright: ignore[reportUnknownVariableType]
from math import isfinite
from typing import Any, Final
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

NULL, BOOL, NUMBER, STRING, LIST, OBJECT, OTHER = range(7)

_FAMILIES: Final[dict[type, int]] = {
    type(None): NULL,
    bool: BOOL,
    int: NUMBER,
    float: NUMBER,
    str: STRING,
    list: LIST,
    tuple: LIST,
    dict: OBJECT,
}
_FINITE: Final = frozenset({str, int, bool, type(None)})
_SCALARS: Final = _FINITE | {float}
_LONG = 10_000
"""Bits from which an integer is written in hexadecimal: Python refuses to write very long decimals, and no float is that large."""


class _Token(str):
    """A piece of JSON text between values, told from text that is a value."""

    __slots__ = ()


def nfc(text: str) -> str:
    """The text in Unicode's composed form, as a plain str.

    >>> nfc("e\\u0301") == "\\u00e9"
    True
    """
    if type(text) is not str:
        text = str.__str__(text)
    return text if text.isascii() else normalize("NFC", text)


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal in kind and value, however deep. NaN and Infinity are the same as nothing.

    >>> same(100, 100.0), same(True, 1), same("1", 1), same({"a": [1], "b": 2}, {"b": 2, "a": [1]})
    (True, False, False, True)
    """
    kind = type(a)
    if kind is type(b):
        if kind is str:
            return a == b or (not (a.isascii() and b.isascii()) and normalize("NFC", a) == normalize("NFC", b))
        if kind is int or kind is bool:
            return a == b
        if kind is float:
            return a == b and isfinite(a)
    return _same_deep(a, b)


def _same_deep(a: Any, b: Any) -> bool:
    stack = [(a, b)]
    while stack:
        a, b = stack.pop()
        family = _family(a)
        if family != _family(b):
            return False
        if family < LIST:
            if not _same_scalar(a, b, family):
                return False
        elif family == OTHER:
            if type(a) is not type(b) or _shown(a) != _shown(b):
                return False
        elif not _same_items(a, b, family, stack):
            return False
    return True


def _same_items(a: Any, b: Any, family: int, stack: list[tuple[Any, Any]]) -> bool:
    """Whether two containers have the same shape and the same plain items; the other items go on the stack."""
    items = _same_shape(a, b, family)
    if items is None:
        return False
    for pair in items:
        if type(pair[0]) not in _SCALARS:
            stack.append(pair)
        elif not same(*pair):
            return False
    return True


def _family(value: Any) -> int:
    family = _FAMILIES.get(type(value))
    return _family_of_subclass(value) if family is None else family


def _family_of_subclass(value: Any) -> int:
    for base, family in ((int, NUMBER), (float, NUMBER), (str, STRING), (Mapping, OBJECT), (Sequence, LIST)):
        if isinstance(value, base):
            return family
    return OTHER


def _same_scalar(a: Any, b: Any, family: int) -> bool:
    if family == STRING:
        return nfc(a) == nfc(b)
    if family == NUMBER:
        a, b = _plain(a), _plain(b)
        return a == b and (type(a) is int or isfinite(a))  # an int equals no infinity, and may be too large for isfinite
    return a is b or a == b


def _plain(number: Any) -> Any:
    """The number as Python's own int or float; NumPy's floats cannot be compared with every int."""
    if type(number) is int or type(number) is float:
        return number
    return int(number) if isinstance(number, int) else float(number)


def _same_shape(a: Any, b: Any, family: int) -> Iterable[tuple[Any, Any]] | None:
    """The pairs of values inside two containers; None if the containers themselves differ."""
    if len(a) != len(b):
        return None
    if family == LIST:
        return zip(a, b, strict=True)
    if a.keys() != b.keys() or not {str}.issuperset(map(type, a)):
        a, b = _by_key_text(a), _by_key_text(b)
        if a.keys() != b.keys():
            return None
    return [(value, b[key]) for key, value in a.items()]


def _by_key_text(mapping: Mapping[Any, Any]) -> dict[str, Any]:
    return {_key_text(key): value for key, value in mapping.items()}


def _key_text(key: Any) -> str:
    return encode_basestring(nfc(key)) if isinstance(key, str) else f"<{_shown(key)}>"


def _shown(value: Any) -> str:
    try:
        return repr(value)
    except Exception:
        return f"{type(value).__qualname__} at {id(value)}"


def number_text(number: float) -> str:
    """A finite number with the digits it needs: equal numbers have equal text.

    >>> number_text(100.0), number_text(0.1), number_text(2**53 + 1)
    ('100', '0.1', '9007199254740993')
    """
    if isinstance(number, int):
        return int.__repr__(number) if number.bit_length() < _LONG else hex(number)
    return str(int(number)) if number.is_integer() else float.__repr__(number)


def canonical(value: Any) -> str | None:
    """One JSON text for all values that are `same`, and for no other; None if there is a NaN or an Infinity in it.

    >>> canonical({"b": [1.0, True], "a": "x"})
    '{"a":"x","b":[1,true]}'
    """
    parts: list[str] = []
    stack: list[Any] = [value]
    while stack:
        value = stack.pop()
        if type(value) is _Token:
            parts.append(value)
            continue
        family = _family(value)
        if family == LIST:
            stack.append(_Token("]"))
            _push(stack, [(_Token(""), item) for item in value])
            parts.append("[")
        elif family == OBJECT:
            stack.append(_Token("}"))
            _push(stack, [(_Token(f"{text}:"), item) for text, _, item in _sorted_items(value)])
            parts.append("{")
        else:
            text = _scalar_text(value, family)
            if text is None:
                return None
            parts.append(text)
    return parts[0] if len(parts) == 1 else "".join(parts)


def _push(stack: list[Any], items: list[tuple[_Token, Any]]) -> None:
    """Put the items on the stack so that they come off in order, with commas between."""
    comma = _Token(",")
    for position in range(len(items) - 1, -1, -1):
        lead, item = items[position]
        stack.append(item)
        stack.append(lead)
        if position:
            stack.append(comma)


def _sorted_items(mapping: Mapping[Any, Any]) -> list[tuple[str, str, Any]]:
    items = [(_key_text(key), _shown(key), value) for key, value in mapping.items()]
    return sorted(items, key=lambda item: item[:2])


def _scalar_text(value: Any, family: int) -> str | None:
    if family == STRING:
        return encode_basestring(nfc(value))
    if family == NUMBER:
        return number_text(value) if isinstance(value, int) or isfinite(value) else None
    if family == BOOL:
        return "true" if value else "false"
    return "null" if family == NULL else f"<{type(value).__qualname__} {_shown(value)}>"


def non_finite(value: Any) -> str | None:
    """The name of a number in the value that is none: `NaN`, else `Infinity`, else `-Infinity`; None if there is none.

    >>> non_finite({"a": [1.0, float("nan")]}), non_finite(2.0), non_finite({"a": float("inf"), "b": float("nan")})
    ('NaN', None, 'NaN')
    """
    if type(value) in _FINITE or (type(value) is float and isfinite(value)):
        return None
    found = ""
    stack = [value]
    while stack:
        value = stack.pop()
        family = _family(value)
        if family == LIST:
            stack.extend([item for item in value if type(item) not in _FINITE])
        elif family == OBJECT:
            stack.extend([item for item in value.values() if type(item) not in _FINITE])
        elif family == NUMBER and isinstance(value, float) and not isfinite(value):
            if value != value:  # noqa: PLR0124  NaN is not itself
                return "NaN"
            found = max(found, "Infinity" if value > 0 else "-Infinity")  # in this order, whatever that of the keys
    return found or None


def equal_grid(expected: Sequence[Hashable], actual: Sequence[Hashable]) -> NDArray[np.float64]:
    """1 where an expected key equals an actual key, else 0; a key that is None equals nothing.

    >>> equal_grid(["a", None], ["b", "a", None]).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    grid = np.zeros((len(expected), len(actual)), dtype=np.float64)
    places = {key: column for column, key in enumerate(actual) if key is not None}
    found = [places.get(key, -1) for key in expected]
    if len(places) == len(actual):
        columns = np.array(found, dtype=np.int64)
        rows = np.flatnonzero(columns >= 0)
        grid[rows, columns[rows]] = 1.0
        return grid
    # keys that stand more than once, and None, go by a code that equal keys share
    codes = [places.get(key, -2) for key in actual]
    return np.equal.outer(np.array(found, dtype=np.int64), np.array(codes, dtype=np.int64)).astype(np.float64)
