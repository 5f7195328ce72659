"""Conversion of Python values and records to what JSON can hold, and of plain values to JSON text in one pass.

JSON has text keys, here in NFC as all text is compared. Python records may have other keys and other values (decimals, dates, bytes,
sets, enums, dataclasses, pydantic models, NumPy values); they are converted, so that no value is overlooked.
"""

import base64
import datetime
import math
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache
from pathlib import PurePath
from typing import Any, Final
from unicodedata import is_normalized, normalize
from uuid import UUID

import orjson

from fieldwise.kernels.numerals import MAX_FLOAT_DIGITS, LongDecimal
from fieldwise.numpy_on_use import np

_PLAIN_TYPES: Final = frozenset[type]({str, int, float, bool, type(None)})
_CONTAINER_TYPES: Final = frozenset[type]({dict, list, tuple})


# Single values


def _number_to_json(value: Any) -> int | float:
    if isinstance(value, Decimal) and not value.is_finite():
        return math.nan
    if value == int(value):
        return int(value)
    number = float(value)
    is_long = isinstance(value, Decimal) and len(value.as_tuple().digits) > MAX_FLOAT_DIGITS
    return LongDecimal(value) if is_long and Decimal(repr(number)) != value else number


def _duration_to_json(value: Any) -> str:
    """ISO 8601 in seconds: the unit is kept, and a number of seconds without a unit still equals it."""
    seconds = _number_to_json(Decimal(str(value.total_seconds())))
    return f"-PT{-seconds}S" if seconds < 0 else f"PT{seconds}S"


def _bytes_to_json(value: Any) -> str:
    try:
        return bytes(value).decode()
    except UnicodeDecodeError:
        return base64.b64encode(value).decode()


def _numpy_to_json(value: Any) -> Any:
    """Plain values. Floats of 16 and 32 bits become the number that is printed for them, as JSON writers do: 0.1, not 0.10000000149."""
    is_short_float = value.dtype.kind == "f" and value.dtype.itemsize < 8
    return (value.astype(str).astype(np.float64) if is_short_float else value).tolist()


@cache  # built at the first value that is not plain: until then, NumPy need not be imported
def _list_converters() -> tuple[tuple[tuple[type, ...], Callable[[Any], Any]], ...]:
    return (
        ((Enum,), lambda value: value.value),
        ((Decimal, Fraction), _number_to_json),
        ((datetime.date, datetime.time), lambda value: value.isoformat()),
        ((datetime.timedelta,), _duration_to_json),
        ((bytes, bytearray), _bytes_to_json),
        ((set, frozenset), lambda value: sorted(value, key=repr)),
        ((np.generic, np.ndarray), _numpy_to_json),
        ((UUID, PurePath), str),
        ((deque, range), lambda value: [*value]),
    )


_ADDRESS_TYPES: Final = frozenset(
    (
        *(("pydantic.networks", name) for name in ("_BaseUrl", "_BaseMultiHostUrl", "NameEmail")),
        *(("pydantic_core._pydantic_core", name) for name in ("Url", "MultiHostUrl")),
        *(("ipaddress", name) for name in ("_IPAddressBase",)),
    )
)
"""Base classes of values whose JSON is their text, by name: none of these modules is imported for that."""


@cache  # as above
def _list_converted_types() -> tuple[type, ...]:
    return tuple(kind for kinds, _ in _list_converters() for kind in kinds)


def needs_json_conversion(value: Any) -> bool:
    """Return whether `to_json_value` converts the value; it leaves unknown types alone."""
    if isinstance(value, _list_converted_types()) or _is_missing_in_pandas(value):
        return True
    if isinstance(value, dict | list | tuple | str | int | float):
        return False
    return isinstance(value, Mapping) or _is_record_object(value) or _is_address(value)


def to_json_value(value: Any) -> Any:
    """Convert one value, not what is inside it; a value that needs no conversion is returned as it is.

    >>> to_json_value(Decimal("12.50")), to_json_value(datetime.date(2024, 1, 5)), to_json_value({"b", "a"})
    (12.5, '2024-01-05', ['a', 'b'])
    >>> to_json_value(range(2)), to_json_value(Fraction(1, 4)), to_json_value(PurePath("a/b"))
    ([0, 1], 0.25, 'a/b')
    >>> to_json_value(np.float32(0.1)), to_json_value(np.array([0.1, 2.0], dtype=np.float32))
    (0.1, [0.1, 2.0])
    """
    if _is_missing_in_pandas(value):
        return None
    for kinds, convert in _list_converters():
        if isinstance(value, kinds):
            return convert(value)
    if not needs_json_conversion(value):
        return value
    if _is_address(value):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return _dump_model(value)


def _dump_model(value: Any) -> Any:
    """The fields of a pydantic model under their aliases, which its JSON and its schema use too."""
    try:
        return value.model_dump(by_alias=True)
    except TypeError:  # a class of another library with a method of this name
        return value.model_dump()


def _is_address(value: Any) -> bool:
    """Return whether the value is a URL or an e-mail address of pydantic, or an IP address, whose JSON is its text."""
    return any((kind.__module__, kind.__name__) in _ADDRESS_TYPES for kind in type(value).__mro__)


def _is_missing_in_pandas(value: Any) -> bool:
    """Return whether the value is `pandas.NA` or `pandas.NaT`, without importing pandas."""
    return value.__class__.__name__ in ("NAType", "NaTType")


def _is_record_object(value: Any) -> bool:
    """Return whether the value is an instance of a dataclass or a pydantic model, not the class itself."""
    return not isinstance(value, type) and (is_dataclass(value) or callable(getattr(type(value), "model_dump", None)))


# Records. All walks keep a list of what is left to visit, since records may be nested deeper than calls can be.


def to_json_record(value: Any) -> Any:
    """Return the value itself if all of it is as JSON has it, which is usual; else a converted copy.

    >>> to_json_record({1: "a", None: [{True: "b"}], "c": 2})
    {'1': 'a', 'null': [{'true': 'b'}], 'c': 2}
    """
    return value if is_json_record(value) else _copy_converted(value)


def is_plain_tree(value: Any) -> bool:
    """Return whether a value is surely JSON as it stands: plain types only, every key text in NFC, and no container in two places.

    >>> is_plain_tree({"a": [1, None]}), is_plain_tree({1: "a"}), is_plain_tree([set()])
    (True, False, False)
    """
    pending = [value]
    visited = set[int]()  # ids are safe as keys: everything visited is held by `value`
    while pending:
        item = pending.pop()
        if item.__class__ in _PLAIN_TYPES:
            continue
        if item.__class__ is dict:
            if not all(key.__class__ is str and (key.isascii() or is_normalized("NFC", key)) for key in item):
                return False
            children = item.values()
        elif item.__class__ is list:
            children = item
        else:
            return False
        if id(item) in visited:
            return False
        visited.add(id(item))
        pending.extend(children)
    return True


def is_json_record(value: Any) -> bool:
    """Return whether every key is text in NFC and no value needs conversion."""
    pending = [value]
    visited = set[int]()  # ids are safe as keys: everything visited is held by `value`
    while pending:
        item = pending.pop()
        if item.__class__ in _PLAIN_TYPES:
            continue
        if item.__class__ not in _CONTAINER_TYPES and needs_json_conversion(item):
            return False
        if not isinstance(item, dict | list | tuple) or id(item) in visited:
            continue
        visited.add(id(item))
        if isinstance(item, dict):
            if not all(isinstance(key, str) and is_normalized("NFC", key) for key in item):
                return False
            pending.extend(item.values())
        else:
            pending.extend(item)
    return True


def contains_cycle(value: Any) -> bool:
    """Return whether a list or an object is inside itself, so that a walk down it would not end.

    >>> record = {"a": [1]}
    >>> record["a"].append(record)
    >>> contains_cycle(record), contains_cycle({"a": [1], "b": [1]})
    (True, False)
    """
    ancestors, finished = set[int](), set[int]()  # ids are safe as keys: everything visited is held by `value`
    pending: list[tuple[Any, bool]] = [(value, False)]
    while pending:
        item, leaving = pending.pop()
        if not isinstance(item, dict | list | tuple) or id(item) in finished:
            continue
        if leaving:
            ancestors.discard(id(item))
            finished.add(id(item))
            continue
        if id(item) in ancestors:
            return True
        ancestors.add(id(item))
        pending.append((item, True))
        children = item.values() if isinstance(item, dict) else item
        pending.extend((child, False) for child in children if child.__class__ not in _PLAIN_TYPES)
    return False


def find_foreign_type(value: Any, json_types: tuple[type, ...]) -> type | None:
    """Return the type of the first value, at any depth, that is of none of these types; None if there is none.

    >>> find_foreign_type({"a": [1, 2j]}, (dict, list, int))
    <class 'complex'>
    """
    visited = set[int]()  # ids are safe as keys: everything visited is held by `value`
    pending = [value]
    while pending:
        item = pending.pop()
        if not isinstance(item, json_types):
            return type(item)
        if not isinstance(item, dict | list | tuple) or id(item) in visited:
            continue
        visited.add(id(item))
        children = item.values() if isinstance(item, dict) else item
        pending.extend(child for child in children if child.__class__ not in _PLAIN_TYPES)
    return None


def _copy_converted(value: Any) -> Any:
    copies: dict[int, tuple[Any, Any]] = {}
    """By id: an original and its copy. The original is held too: a temporary one would be freed and its id used again."""
    pending: list[tuple[Any, Any]] = []

    def copy_item(original: Any) -> Any:
        if id(original) in copies:
            return copies[id(original)][1]
        converted = original
        while needs_json_conversion(converted):
            converted = to_json_value(converted)
        if not isinstance(converted, dict | list | tuple):
            return converted
        target: Any = {} if isinstance(converted, dict) else []
        copies[id(original)] = (original, target)
        pending.append((converted, target))
        return target

    whole = copy_item(value)
    while pending:
        _fill_copy(*pending.pop(), copy_item)
    return whole


def _fill_copy(source: Any, target: Any, copy_item: Callable[[Any], Any]) -> None:
    if not isinstance(source, dict):
        target.extend(map(copy_item, source))
        return
    record: dict[Any, Any] = source
    key_text_counts = Counter(map(_key_to_text, record))
    for key, item in record.items():
        text = _key_to_text(key)
        if text != key and key_text_counts[text] > 1:  # 1 beside "1": neither may hide the other
            text = key if isinstance(key, str) else f"{text} ({type(key).__name__})"
        target[text] = copy_item(item)


def _key_to_text(key: Any) -> str:
    if isinstance(key, str):
        return normalize("NFC", key)
    if key is None:
        return "null"
    if isinstance(key, bool):
        return "true" if key else "false"
    return str(key)


# JSON text


VALUE_BREAK: Final = b",\n  "
"""What separates the texts that `join_plain_values` returns. No JSON text of a plain value holds a line break."""


def join_plain_values(values: Sequence[Any]) -> bytes | None:
    """Return the JSON texts of values in one text; None if one is a container or cannot be written.

    One pass is several times faster than a call for each value.

    >>> (join_plain_values(["a", 1, None]) or b"").split(VALUE_BREAK)
    [b'"a"', b'1', b'null']
    """
    if not _PLAIN_TYPES.issuperset(map(type, values)):
        return None
    try:
        array_text = orjson.dumps(values, option=orjson.OPT_INDENT_2)
    except (TypeError, ValueError):  # an integer beyond 64 bits, a lone surrogate
        return None
    # orjson writes NaN as null, so a null in the text may have been one.
    if b"\n  null" in array_text and not all(map(math.isfinite, [value for value in values if type(value) is float])):
        return None
    return array_text[4:-2]


def encode_plain_values(values: Sequence[Any]) -> list[bytes | None]:
    """Return the JSON text of each value; None for containers and for what strict JSON or orjson cannot write.

    >>> encode_plain_values(["a\\nb", 1, [2], None])
    [b'"a\\\\nb"', b'1', None, b'null']
    """
    if not values:
        return []
    text = join_plain_values(values)
    if text is not None:
        return [*text.split(VALUE_BREAK)]
    is_plain = [type(value) in _PLAIN_TYPES and (type(value) is not float or math.isfinite(value)) for value in values]
    text = join_plain_values([value if plain else None for value, plain in zip(values, is_plain, strict=True)])
    if text is None:
        return [None] * len(values)
    return [part if plain else None for part, plain in zip(text.split(VALUE_BREAK), is_plain, strict=True)]


DIGITS_AS_ZERO: Final = bytes(0x30 if 0x30 <= byte <= 0x39 else 0x78 for byte in range(256))
"""Every digit as `0`, everything else as `x`."""


def may_hold_long_number(text: bytes) -> bool:
    """False if a text has no 19 digits in a row, as integers beyond 64 bits have. It looks at every fourth character, which is faster.

    >>> may_hold_long_number(b'{"id": 12345678901234567890}'), may_hold_long_number(b'{"total": 12.50}')
    (True, False)
    """
    return b"0000" in text[::4].translate(DIGITS_AS_ZERO)
