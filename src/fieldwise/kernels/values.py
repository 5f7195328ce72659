"""Whole JSON values: equality, canonical text, and search for NaN and infinities.

No function here recurses, so that any depth works. Values of types that JSON does not have (a date, a Decimal) are equal if their
type and `repr` are.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from json.encoder import encode_basestring  # pyright: ignore[reportUnknownVariableType]
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, Final
from unicodedata import normalize

from fieldwise.kernels.numerals import LongDecimal
from fieldwise.numpy_on_use import np

if TYPE_CHECKING:
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
_HEXADECIMAL_FROM_BITS: Final = 10_000
"""Longer integers are written in hexadecimal: Python refuses to write very long decimals, and no float is that large."""


class _JsonToken(str):
    """JSON text between values; the type tells it from a text that is a value."""

    __slots__ = ()


def to_nfc(text: str) -> str:
    """Return the text in Unicode's composed form, as a plain str.

    >>> to_nfc("e\\u0301") == "\\u00e9"
    True
    """
    if type(text) is not str:
        text = str.__str__(text)
    return text if text.isascii() else normalize("NFC", text)


def values_equal(expected: Any, actual: Any) -> bool:
    """Return whether two values are equal in kind and value, however deep. NaN and infinities equal nothing.

    >>> values_equal(100, 100.0), values_equal(True, 1), values_equal("1", 1), values_equal({"a": [1], "b": 2}, {"b": 2, "a": [1]})
    (True, False, False, True)
    """
    kind = type(expected)
    if isinstance(expected, str) is not isinstance(actual, str):
        return False
    if kind is type(actual):
        if kind is str:
            if expected == actual:
                return True
            both_ascii = expected.isascii() and actual.isascii()
            return not both_ascii and normalize("NFC", expected) == normalize("NFC", actual)
        if kind is int or kind is bool:
            return expected == actual
        if kind is float:
            return expected == actual and isfinite(expected)
    return _nested_values_equal(expected, actual)


def _nested_values_equal(expected: Any, actual: Any) -> bool:
    pending = [(expected, actual)]
    while pending:
        left, right = pending.pop()
        family = _family(left)
        if family != _family(right):
            return False
        if family < LIST:
            if not _scalars_equal(left, right, family):
                return False
        elif family == OTHER:
            if type(left) is not type(right) or _safe_repr(left) != _safe_repr(right):
                return False
        elif not _compare_items(left, right, family, pending):
            return False
    return True


def _compare_items(left: Any, right: Any, family: int, pending: list[tuple[Any, Any]]) -> bool:
    """Return whether two containers have the same shape and equal scalars; pairs of containers are added to `pending`."""
    item_pairs = _pair_items(left, right, family)
    if item_pairs is None:
        return False
    for pair in item_pairs:
        if type(pair[0]) not in _SCALARS:
            pending.append(pair)
        elif not values_equal(*pair):
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


def _scalars_equal(left: Any, right: Any, family: int) -> bool:
    if family == STRING:
        return to_nfc(left) == to_nfc(right)
    if family == NUMBER:
        left, right = _to_python_number(left), _to_python_number(right)
        return left == right and (type(left) is int or isfinite(left))  # an int equals no infinity, and may be too large for isfinite
    return left is right or left == right


def _to_python_number(number: Any) -> Any:
    """Return the number as Python's own int or float; NumPy's floats cannot be compared with every int."""
    if type(number) is int or type(number) is float or type(number) is LongDecimal:
        return number
    return int(number) if isinstance(number, int) else float(number)


def _pair_items(left: Any, right: Any, family: int) -> Iterable[tuple[Any, Any]] | None:
    """Return the pairs of items of two containers; None if their lengths or keys differ."""
    if len(left) != len(right):
        return None
    if family == LIST:
        return zip(left, right, strict=True)
    if left.keys() != right.keys() or not {str}.issuperset(map(type, left)):
        left, right = _index_by_key_text(left), _index_by_key_text(right)
        if left.keys() != right.keys():
            return None
    return [(value, right[key]) for key, value in left.items()]


def _index_by_key_text(mapping: Mapping[Any, Any]) -> dict[str, Any]:
    return {_key_text(key): value for key, value in mapping.items()}


def _key_text(key: Any) -> str:
    return encode_basestring(to_nfc(key)) if isinstance(key, str) else f"<{_safe_repr(key)}>"


def _safe_repr(value: Any) -> str:
    try:
        return repr(value)
    except Exception:  # a broken `__repr__` of a user's type: such a value is compared by identity
        return f"{type(value).__qualname__} at {id(value)}"


def format_json_number(number: float) -> str:
    """Write a finite number with the digits it needs: equal numbers have equal text.

    >>> format_json_number(100.0), format_json_number(0.1), format_json_number(2**53 + 1)
    ('100', '0.1', '9007199254740993')
    """
    if isinstance(number, int):
        return int.__repr__(number) if number.bit_length() < _HEXADECIMAL_FROM_BITS else hex(number)
    return str(int(number)) if number.is_integer() else float.__repr__(number)


def canonical_json(value: Any) -> str | None:
    """Return one JSON text for all values that are equal, and for no other; None if there is a NaN or an infinity in it.

    >>> canonical_json({"b": [1.0, True], "a": "x"})
    '{"a":"x","b":[1,true]}'
    """
    parts: list[str] = []
    pending: list[Any] = [value]
    while pending:
        value = pending.pop()
        if type(value) is _JsonToken:
            parts.append(value)
            continue
        family = _family(value)
        if family == LIST:
            pending.append(_JsonToken("]"))
            _push_items(pending, [(_JsonToken(""), item) for item in value])
            parts.append("[")
        elif family == OBJECT:
            pending.append(_JsonToken("}"))
            _push_items(pending, [(_JsonToken(f"{text}:"), item) for text, _, item in _sort_items(value)])
            parts.append("{")
        else:
            text = _scalar_text(value, family)
            if text is None:
                return None
            parts.append(text)
    return parts[0] if len(parts) == 1 else "".join(parts)


def _push_items(pending: list[Any], items: list[tuple[_JsonToken, Any]]) -> None:
    """Push the items so that they are popped in order, with commas between."""
    comma = _JsonToken(",")
    for position in range(len(items) - 1, -1, -1):
        lead, item = items[position]
        pending.append(item)
        pending.append(lead)
        if position:
            pending.append(comma)


def _sort_items(mapping: Mapping[Any, Any]) -> list[tuple[str, str, Any]]:
    items = [(_key_text(key), _safe_repr(key), value) for key, value in mapping.items()]
    return sorted(items, key=lambda item: item[:2])


def _scalar_text(value: Any, family: int) -> str | None:
    if family == STRING:
        return encode_basestring(to_nfc(value))
    if family == NUMBER:
        if type(value) is LongDecimal:
            return repr(value)
        return format_json_number(value) if isinstance(value, int) or isfinite(value) else None
    if family == BOOL:
        return "true" if value else "false"
    return "null" if family == NULL else f"<{type(value).__qualname__} {_safe_repr(value)}>"


def find_non_finite(value: Any) -> str | None:
    """Return the name of a non-finite number in the value: `NaN`, else `Infinity`, else `-Infinity`; None if all are finite.

    >>> find_non_finite({"a": [1.0, float("nan")]}), find_non_finite(2.0), find_non_finite({"a": float("inf"), "b": float("nan")})
    ('NaN', None, 'NaN')
    """
    if type(value) in _FINITE or (type(value) is float and isfinite(value)):
        return None
    infinity = ""
    pending = [value]
    while pending:
        value = pending.pop()
        family = _family(value)
        if family == LIST:
            pending.extend([item for item in value if type(item) not in _FINITE])
        elif family == OBJECT:
            pending.extend([item for item in value.values() if type(item) not in _FINITE])
        elif family == NUMBER and isinstance(value, float) and not isfinite(value):
            if isnan(value):
                return "NaN"
            infinity = max(infinity, "Infinity" if value > 0 else "-Infinity")  # "-Infinity" sorts first: the order of keys is irrelevant
    return infinity or None


def key_equality_grid(expected: Sequence[Hashable], actual: Sequence[Hashable]) -> NDArray[np.float64]:
    """Return 1 where an expected key equals an actual key, else 0: float64[n, m]. None equals nothing.

    >>> key_equality_grid(["a", None], ["b", "a", None]).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    expected_codes, actual_codes = code_keys(expected, actual)
    return np.equal.outer(expected_codes, actual_codes).astype(np.float64)


def code_keys(expected: Sequence[Hashable], actual: Sequence[Hashable]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return an integer for each key of two columns, the same for equal keys; that of None equals nothing.

    >>> [codes.tolist() for codes in code_keys(["a", None, "c"], ["b", "a", None])]
    [[1, -1, -1], [0, 1, -2]]
    """
    codes: dict[Hashable, int] = {}
    actual_codes = [-2 if key is None else codes.setdefault(key, len(codes)) for key in actual]
    return np.array([codes.get(key, -1) for key in expected], dtype=np.int64), np.array(actual_codes, dtype=np.int64)
