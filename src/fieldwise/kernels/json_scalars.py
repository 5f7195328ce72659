"""Values that Python has and JSON has not, as JSON would write them: decimals, dates, bytes, sets, what numpy holds.

>>> from decimal import Decimal
>>> as_json_value(Decimal("12.50")), as_json_value(datetime.date(2024, 1, 5)), as_json_value({"b", "a"})
(12.5, '2024-01-05', ['a', 'b'])
"""

import base64
import datetime
import math
from decimal import Decimal
from typing import Any, Final

import numpy as np

_DATES: Final = (datetime.date, datetime.time)
_SETS: Final = (set, frozenset)
OTHERS: Final = (Decimal, *_DATES, datetime.timedelta, bytes, bytearray, *_SETS, np.generic, np.ndarray)
"""The types that are written in another way."""


def as_json_value(value: Any) -> Any:
    """The value in the way that JSON has for it; one of a type that is not among `OTHERS` as it is."""
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, _DATES):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, bytes | bytearray):
        return _text(bytes(value))
    if isinstance(value, _SETS):
        return sorted(value, key=repr)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else value


def _number(value: Decimal) -> int | float:
    if not value.is_finite():
        return math.nan
    return int(value) if value == value.to_integral_value() else float(value)


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return base64.b64encode(value).decode()
