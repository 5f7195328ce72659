"""Values that Python has and JSON has not, as JSON would write them: decimals, dates, bytes, sets, enums, models, what numpy holds.

>>> from decimal import Decimal
>>> as_json_value(Decimal("12.50")), as_json_value(datetime.date(2024, 1, 5)), as_json_value({"b", "a"})
(12.5, '2024-01-05', ['a', 'b'])
"""

import base64
import datetime
import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from typing import Any, Final
from uuid import UUID

import numpy as np


def _number(value: Any) -> int | float:
    if isinstance(value, Decimal) and not value.is_finite():
        return math.nan
    return int(value) if value == int(value) else float(value)


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return base64.b64encode(value).decode()


_FORMS: Final[tuple[tuple[tuple[type, ...], Callable[[Any], Any]], ...]] = (
    ((Enum,), lambda value: value.value),
    ((Decimal, Fraction), _number),
    ((datetime.date, datetime.time), lambda value: value.isoformat()),
    ((datetime.timedelta,), lambda value: value.total_seconds()),
    ((bytes, bytearray), lambda value: _text(bytes(value))),
    ((set, frozenset), lambda value: sorted(value, key=repr)),
    ((np.generic, np.ndarray), lambda value: value.tolist()),
    ((UUID, PurePath), str),
    ((deque, range), lambda value: [*value]),
)
OTHERS: Final = tuple(kind for kinds, _ in _FORMS for kind in kinds)
"""The types that are always written in another way."""


def has_another_form(value: Any) -> bool:
    """Whether JSON writes the value in another way; what it cannot write at all, it does not."""
    if isinstance(value, OTHERS):
        return True
    if isinstance(value, dict | list | tuple | str | int | float):
        return False
    return isinstance(value, Mapping) or _is_record(value)


def as_json_value(value: Any) -> Any:
    """The value in the way that JSON has for it; one that has no other form as it is. What is inside may need one too.

    >>> as_json_value(range(2)), as_json_value(Fraction(1, 4)), as_json_value(PurePath("a/b"))
    ([0, 1], 0.25, 'a/b')
    """
    for kinds, form in _FORMS:
        if isinstance(value, kinds):
            return form(value)
    if not has_another_form(value):
        return value
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return {field.name: getattr(value, field.name) for field in fields(value)} if is_dataclass(value) else value.model_dump()


def _is_record(value: Any) -> bool:
    """A dataclass or a pydantic model: an instance, not the class."""
    return not isinstance(value, type) and (is_dataclass(value) or callable(getattr(type(value), "model_dump", None)))
