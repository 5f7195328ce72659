"""Evaluate expressions over one record (`_expression_syntax.py` parses them).

Arithmetic is exact, on decimals as they are written: 0.1 + 0.2 is 0.3. A path with `[*]` stands for the values of all items: operators
work item by item, and a comparison holds if it holds for every item.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from fractions import Fraction
from math import isfinite, isnan
from operator import add, ge, gt, le, lt, mul, sub, truediv
from typing import Any, Final

from fieldwise.dataclass import dataclass
from fieldwise.evaluators.checks._expression_syntax import COMPARISON_SIGNS, ConstantNode, ExpressionNode, FieldNode, OperationNode
from fieldwise.kernels.amounts import read_figure
from fieldwise.kernels.calendar_moment import Moment
from fieldwise.kernels.moments import read_moment
from fieldwise.kernels.values import to_nfc, values_equal
from fieldwise.model.path import EACH, Step, render_path, value_at
from fieldwise.model.values import MISSING, Value, json_kind

_MAX_WHOLE: Final = 10**40
"""Whole numbers below are shown with all their digits."""
_HUGE: Final = "a huge number"


def format_value(value: Any, longest: int = 40) -> str:
    """A value as misses and reasons show it; lists and objects by their type.

    >>> format_value(Fraction(1, 4)), format_value("Berlin"), format_value(True), format_value([1])
    ('0.25', '"Berlin"', 'true', 'a list')
    >>> format_value(2**53 + 1), format_value(0.1 + 0.2)
    ('9007199254740993', '0.3')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | Fraction):
        return _format_number(value)
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= longest else f'"{value[: longest - 1]}…"'
    if isinstance(value, date):
        return str(value)
    return {"list": "a list", "object": "an object"}.get(json_kind(value), "null")


def _format_number(value: float | Fraction) -> str:
    return str(int(value)) if _is_whole(value) and abs(value) < _MAX_WHOLE else _round_digits(value)


def _format_operands(left: Any, right: Any) -> tuple[str, str]:
    """Both sides of a comparison; numbers that differ only after 12 digits are shown with all their digits.

    >>> _format_operands(0.3, 0.1 + 0.2), _format_operands(1.5, 1.25)
    (('0.3', '0.30000000000000004'), ('1.5', '1.25'))
    """
    are_numbers = isinstance(left, int | float | Fraction) and isinstance(right, int | float | Fraction)
    if are_numbers and left != right and _round_digits(left) == _round_digits(right):
        return _format_digits(left), _format_digits(right)
    return format_value(left), format_value(right)


def _round_digits(value: float | Fraction) -> str:
    try:
        return f"{float(value):.12g}"
    except OverflowError:
        return _HUGE


def _format_digits(value: float | Fraction) -> str:
    try:
        return str(int(value)) if _is_whole(value) else repr(float(value))
    except (OverflowError, ValueError):  # beyond all floats, or thousands of digits
        return _HUGE


def _is_whole(value: float | Fraction) -> bool:
    return isinstance(value, int) or (isinstance(value, Fraction) and value.denominator == 1)


class FieldAbsent(Exception):
    """A field of the expression has no value."""

    def __init__(self, path: str, null: bool) -> None:
        self.path, self.null = path, null
        super().__init__(f"null value: {path}" if null else f"required, missing: {path}")


class UnusableValue(Exception):
    """A value of the wrong type for the operation."""


class NoItems(Exception):
    """A comparison over an empty list: it neither holds nor fails."""


@dataclass(frozen=True, slots=True)
class ItemValues:
    """One value per item of a list."""

    values: Sequence[Any]


@dataclass(frozen=True, slots=True)
class RecordReading:
    """A record and how to interpret its values."""

    record: Value
    tolerance: Fraction = Fraction(0)
    parse: bool = False
    """Parse text such as "1,234.50" as a number."""


def expression_holds(node: ExpressionNode, reading: RecordReading) -> bool:
    """True if an expression holds for a record. A bare path holds if its value is neither absent, null nor false.

    >>> from fieldwise.evaluators.checks._expression_syntax import parse_expression
    >>> record = {"total": 0.3, "net": 0.1, "tax": 0.2, "items": [1, 2]}
    >>> expression_holds(parse_expression("total == net + tax and count(items) > 1"), RecordReading(record))
    True
    """
    if isinstance(node, FieldNode):
        values = [value for _, value in _values_at(reading.record, node.path.steps)]
        return bool(values) and all(value is not MISSING and _is_truthy(value) for value in values)
    if isinstance(node, OperationNode) and node.name in ("and", "or"):
        left, right = node.operands
        if node.name == "and":
            return expression_holds(left, reading) and expression_holds(right, reading)
        return expression_holds(left, reading) or expression_holds(right, reading)
    if isinstance(node, OperationNode) and node.name == "not":
        return not expression_holds(node.operands[0], reading)
    value = compute_value(node, reading)
    return all(_is_truthy(item) for item in value.values) if isinstance(value, ItemValues) else _is_truthy(value)


def explain_failure(node: ExpressionNode, reading: RecordReading) -> str:
    """Explain with the values why an expression does not hold: `120 == 119 is false`."""
    if isinstance(node, OperationNode) and node.name == "and":
        return explain_failure(next(part for part in node.operands if not expression_holds(part, reading)), reading)
    if isinstance(node, OperationNode) and node.name == "in":
        value = compute_value(node.operands[0], reading)
        return "one of the items is not among them" if isinstance(value, ItemValues) else f"{format_value(value)} is not among them"
    if not isinstance(node, OperationNode) or node.name not in COMPARISON_SIGNS:
        return "is false"
    left, right = (compute_value(part, reading) for part in node.operands)
    pairs = list(_pairs(left, right))
    item, (left_item, right_item) = next((item, pair) for item, pair in enumerate(pairs) if not _compare_values(node.name, *pair, reading))
    prefix = f"item {item}: " if isinstance(left, ItemValues) or isinstance(right, ItemValues) else ""
    left_text, right_text = _format_operands(left_item, right_item)
    return f"{prefix}{left_text} {node.name} {right_text} is false"


def compute_value(node: ExpressionNode, reading: RecordReading) -> Any:
    """The value of an expression: a single value, or `ItemValues`."""
    if isinstance(node, ConstantNode):
        return node.value
    if isinstance(node, FieldNode):
        return _require_value(reading.record, node.path.steps)
    if node.name in ("and", "or", "not"):
        return expression_holds(node, reading)
    if node.name in _FUNCTIONS:
        return _FUNCTIONS[node.name](node.operands, reading)
    values = [compute_value(part, reading) for part in node.operands]
    if node.name == "in":
        first, *options = values
        return _map_items(lambda value: any(_values_equal(value, option, reading) for option in options), first)
    left, right = values
    if node.name in COMPARISON_SIGNS:
        return _map_pairs(lambda first, second: _compare_values(node.name, first, second, reading), left, right)
    return _map_pairs(lambda first, second: _calculate(node.name, first, second, reading), left, right)


def _is_truthy(value: Any) -> bool:
    return value is not None and value is not False


def _values_at(record: Value, steps: Sequence[Step], before: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """The values at a path with their concrete paths; MISSING where a list or a value is absent."""
    if EACH not in steps:
        yield (*before, *steps), value_at(record, steps)
        return
    at = list(steps).index(EACH)
    items: Any = value_at(record, steps[:at])
    if json_kind(items) != "list":
        yield (*before, *steps[:at]), None if items is None else MISSING
        return
    for index, item in enumerate(items):
        yield from _values_at(item, steps[at + 1 :], (*before, *steps[:at], index))


def _require_value(record: Value, steps: Sequence[Step]) -> Any:
    """The value at a path, or `ItemValues` for a path with `[*]`; FieldAbsent if any is absent or null."""
    located = list(_values_at(record, steps))
    for concrete, value in located:
        if value is MISSING or value is None:
            raise FieldAbsent(render_path(concrete), value is None)
    return ItemValues([value for _, value in located]) if EACH in steps else located[0][1]


def _map_items(function: Callable[[Any], Any], value: Any) -> Any:
    if not isinstance(value, ItemValues):
        return function(value)
    if not value.values:
        raise NoItems
    return ItemValues([function(item) for item in value.values])


def _map_pairs(function: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    if not isinstance(left, ItemValues) and not isinstance(right, ItemValues):
        return function(left, right)
    return ItemValues([function(*pair) for pair in _pairs(left, right)])


def _pairs(left: Any, right: Any) -> Iterator[tuple[Any, Any]]:
    """Pair two values, item by item where a value stands for items."""
    sizes = {len(side.values) for side in (left, right) if isinstance(side, ItemValues)}
    if len(sizes) > 1:
        raise UnusableValue(f"{len(left.values)} and {len(right.values)} items cannot be paired")
    if sizes == {0}:
        raise NoItems
    for index in range(next(iter(sizes), 1)):
        left_item = left.values[index] if isinstance(left, ItemValues) else left
        right_item = right.values[index] if isinstance(right, ItemValues) else right
        yield left_item, right_item


def to_fraction(value: Any, parse: bool) -> Fraction:
    """A number without rounding: 0.1 is one tenth."""
    if isinstance(value, Fraction):
        return value
    if parse and isinstance(value, str):
        figure = read_figure(value)
        if figure is not None:
            return to_fraction(figure.value, False)
    if json_kind(value) != "number":
        raise UnusableValue(f"{format_value(value)} is not a number")
    if isinstance(value, int):
        return Fraction(int(value))
    as_float = float(value)
    if not isfinite(as_float):
        raise UnusableValue(f"{'NaN' if isnan(as_float) else 'Infinity'} is not a number")
    return Fraction(repr(as_float))  # the shortest decimal that reads back as this float, which is how it was written


_ARITHMETIC: Final[dict[str, Callable[[Fraction, Fraction], Fraction]]] = {"+": add, "-": sub, "*": mul, "/": truediv}
_ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


def _calculate(sign: str, left: Any, right: Any, reading: RecordReading) -> Fraction:
    left_number, right_number = to_fraction(left, reading.parse), to_fraction(right, reading.parse)
    if sign == "/" and right_number == 0:
        raise UnusableValue("a number cannot be divided by 0")
    return _ARITHMETIC[sign](left_number, right_number)


def _is_number(value: Any, reading: RecordReading) -> bool:
    return (
        isinstance(value, Fraction)
        or json_kind(value) == "number"
        or (reading.parse and isinstance(value, str) and read_figure(value) is not None)
    )


def _compare_values(sign: str, left: Any, right: Any, reading: RecordReading) -> bool:
    if sign in ("==", "!="):
        return _values_equal(left, right, reading) == (sign == "==")
    left_is_number, right_is_number = _is_number(left, reading), _is_number(right, reading)
    if left_is_number and right_is_number:
        slack = {"<=": reading.tolerance, ">=": -reading.tolerance}.get(sign, Fraction(0))
        return _ORDERS[sign](to_fraction(left, reading.parse), to_fraction(right, reading.parse) + slack)
    if left_is_number or right_is_number:
        number, date_text = (left, right) if left_is_number else (right, left)
        _to_date(date_text)  # raises if it is not a date either
        raise UnusableValue(f"{format_value(number)} is a number and {format_value(date_text)} a date")
    return _ORDERS[sign](*_to_comparable_times(left, right))


def _values_equal(left: Any, right: Any, reading: RecordReading) -> bool:
    if _is_number(left, reading) and _is_number(right, reading):
        return abs(to_fraction(left, reading.parse) - to_fraction(right, reading.parse)) <= reading.tolerance
    if isinstance(left, date) or isinstance(right, date):
        return _to_date(left) == _to_date(right)
    if isinstance(left, str) and isinstance(right, str):
        return to_nfc(left) == to_nfc(right)
    return False if isinstance(left, Fraction) or isinstance(right, Fraction) else values_equal(left, right)


def _to_comparable_times(left: Any, right: Any) -> tuple[Any, Any]:
    """Both as date-times if both have a time of day and both or neither a time zone, else both as dates."""
    if isinstance(left, str) and isinstance(right, str):
        left_time, right_time = _to_datetime(left), _to_datetime(right)
        if left_time and right_time and (left_time.tzinfo is None) == (right_time.tzinfo is None):
            return left_time, right_time
    return _to_date(left), _to_date(right)


def _to_datetime(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.strip()) if ":" in text else None
    except ValueError:
        return None


def _to_date(value: Any) -> date:
    if isinstance(value, date):
        return value
    moment = read_moment(value.strip()) if isinstance(value, str) else None
    day = moment.date if isinstance(moment, Moment) else None
    if day is None:
        is_ambiguous = moment is not None and not isinstance(moment, Moment)
        raise UnusableValue(f"{format_value(value)} is {'an ambiguous date' if is_ambiguous else 'no number and no date'}")
    return day


def _to_numbers(nodes: Sequence[ExpressionNode], reading: RecordReading) -> list[Fraction]:
    """The arguments of a function as numbers; `ItemValues` and lists are flattened."""
    numbers: list[Fraction] = []
    for node in nodes:
        value = compute_value(node, reading)
        items = value.values if isinstance(value, ItemValues) else value
        if json_kind(items) != "list":
            items = [items]
        numbers += [to_fraction(item, reading.parse) for item in items]
    return numbers


def _aggregate(combine: Callable[[Sequence[Fraction]], Fraction]) -> "_Function":
    """A function of one or more numbers; NoItems if there are none."""

    def compute_aggregate(nodes: Sequence[ExpressionNode], reading: RecordReading) -> Fraction:
        numbers = _to_numbers(nodes, reading)
        if not numbers:
            raise NoItems
        return combine(numbers)

    return compute_aggregate


def _count_items(nodes: Sequence[ExpressionNode], reading: RecordReading) -> Fraction:
    """The number of items of a list, or of its items that have a value at the path."""
    node = nodes[0]
    if not isinstance(node, FieldNode):
        value = compute_value(node, reading)
        return Fraction(len(value.values) if isinstance(value, ItemValues) else 1)
    values = [value for _, value in _values_at(reading.record, node.path.steps) if value is not MISSING and value is not None]
    if EACH not in node.path.steps and values:
        return Fraction(len(values[0]) if json_kind(values[0]) == "list" else 1)
    return Fraction(len(values))


_Function = Callable[[Sequence[ExpressionNode], RecordReading], Any]
_FUNCTIONS: Final[dict[str, _Function]] = {
    "sum": lambda nodes, reading: sum(_to_numbers(nodes, reading), Fraction(0)),
    "avg": _aggregate(lambda numbers: sum(numbers, Fraction(0)) / len(numbers)),
    "min": _aggregate(min),
    "max": _aggregate(max),
    "count": _count_items,
    "abs": lambda nodes, reading: _map_items(lambda value: abs(to_fraction(value, reading.parse)), compute_value(nodes[0], reading)),
    "date": lambda nodes, reading: _map_items(_to_date, compute_value(nodes[0], reading)),
    "present": lambda nodes, reading: _is_present(nodes[0], reading),
}


def _is_present(node: ExpressionNode, reading: RecordReading) -> bool:
    values = [value for _, value in _values_at(reading.record, node.path.steps)] if isinstance(node, FieldNode) else []
    return bool(values) and all(value is not MISSING and value is not None for value in values)
