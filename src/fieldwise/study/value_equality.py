"""Whether two values are the same by the reader of their own kind, whatever a rule says.

| kind | the same if |
| --- | --- |
| number, amount, quantity | the numbers are equal, and both name the same currency, unit and percent sign, or only one names any |
| date | the day and the time of day are equal |
| code | the letters and digits are equal, without letter case |
| true and false | they mean the same |
| other text | the characters are equal in composed form; white space does not count |

>>> are_same_value("RM 7.00", 7), are_same_value("2025-03-04", "4 March 2025"), are_same_value("EUR", "eur"), are_same_value("AB-1", "ab1")
(True, True, False, True)
"""

from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

from fieldwise.kernels.amounts import Figure, read_figure
from fieldwise.kernels.dates import parse_date_readings
from fieldwise.kernels.measures import QuantityReading, read_quantity
from fieldwise.kernels.terms import boolean_called
from fieldwise.kernels.text_normalize import alphanumeric_key
from fieldwise.kernels.values import to_nfc, values_equal
from fieldwise.model.values import MISSING
from fieldwise.plan.value_signs import signs_of

ValueKind: TypeAlias = Literal["text", "code", "date", "figure", "number", "bool", "null", "container"]

_MAX_READ_LENGTH: Final = 80
_INVISIBLE: Final = str.maketrans("", "", "\u00ad\u200b\u200c\u200d\u2060\ufeff")


def kind_of(value: Any) -> ValueKind:
    """What a value is, by its type and, for text, by what reads it."""
    if value is None or value is MISSING:
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    return _kind_of_text(value) if isinstance(value, str) else "container"


# Texts repeat within a column; the text alone decides the result.
@lru_cache(maxsize=1 << 14)
def _kind_of_text(text: str) -> ValueKind:
    text = text.strip()
    signs = signs_of(text)
    is_date = "date" in signs and not signs & {"compact", "scheme"}
    if is_date and parse_date_readings(text) is not None:  # before `code`: 2025-03-04T10:00Z has letters and digits
        return "date"
    if signs & {"scheme", "code"}:
        return "code"
    if signs & {"number", "quantity", "duration"}:
        return "figure"
    return "text"


def are_same_value(expected: Any, actual: Any) -> bool:
    """True if two values are the same by the reader of the expected one's kind."""
    kind = kind_of(expected)
    if kind == "null" or actual is None or actual is MISSING:
        return _is_nothing(expected) and _is_nothing(actual)
    if kind == "container" or isinstance(actual, dict | list) or not (isinstance(expected, str) or isinstance(actual, str)):
        return values_equal(expected, actual)
    if kind == "bool" or isinstance(actual, bool):
        return _read_truth(expected) is not None and _read_truth(expected) == _read_truth(actual)
    if kind in ("number", "figure"):
        return _are_same_figure(expected, actual)
    if not isinstance(actual, str):
        return False
    if kind == "date":
        return _are_same_date(expected, actual)
    if kind == "code":
        return alphanumeric_key(expected) == alphanumeric_key(actual)
    return _fold_space(expected) == _fold_space(actual)


def _is_nothing(value: Any) -> bool:
    return value is None or value is MISSING or value in ([], {})


def _read_truth(value: Any) -> bool | None:
    return value if isinstance(value, bool) else boolean_called(str(value))


def _are_same_date(expected: str, actual: str) -> bool:
    left, right = parse_date_readings(expected), parse_date_readings(actual)
    if left is None or right is None or not left.has_time_of(right):
        return False
    if left.ambiguous and right.ambiguous:  # one writer puts day and month in the same order
        return left.readings == right.readings
    return not set(left.readings).isdisjoint(right.readings)


def _are_same_figure(expected: Any, actual: Any) -> bool:
    left, right = _read_figure(expected), _read_figure(actual)
    if left is None or right is None or left.value != right.value:
        return False
    return _are_compatible(left.units, right.units) and _name_the_same(left, right)


def _name_the_same(left: Figure | QuantityReading, right: Figure | QuantityReading) -> bool:
    """False for two amounts with different currencies, and where only one has a percent sign."""
    if not (isinstance(left, Figure) and isinstance(right, Figure)):
        return True
    return left.percent == right.percent and _are_compatible(left.currencies, right.currencies)


def _are_compatible(left: frozenset[str], right: frozenset[str]) -> bool:
    return not left or not right or not left.isdisjoint(right)


def _read_figure(value: Any) -> Figure | QuantityReading | None:
    if not isinstance(value, str):
        return Figure(value)
    return (read_figure(value) or read_quantity(value)) if len(value) <= _MAX_READ_LENGTH else None


def _fold_space(text: str) -> str:
    return " ".join(to_nfc(text).translate(_INVISIBLE).split())
