"""Computes the expressions of `_expressions` for one record.

Numbers are computed as they are written, in decimals: 0.1 + 0.2 is 0.3. A path with `[*]` stands for all items at once: operators work
item by item, and a comparison holds if it holds for every item.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from math import isfinite
from operator import add, ge, gt, le, lt, mul, sub, truediv
from typing import Any, Final

from fieldwise.evaluators.checks._expressions import COMPARISONS, Constant, Field, Node, Operation
from fieldwise.evaluators.checks._shown import shown
from fieldwise.kernels.dates import Ambiguous, parse_date
from fieldwise.kernels.numbers import parse_number
from fieldwise.kernels.values import nfc, same
from fieldwise.model.lookup import find
from fieldwise.model.path import EACH, Step, render
from fieldwise.model.values import MISSING, Value, kind


class Absent(Exception):
    """A field that is needed has no value."""

    def __init__(self, path: str, null: bool) -> None:
        self.path, self.null = path, null
        super().__init__(f"null value: {path}" if null else f"required, missing: {path}")


class Unfit(Exception):
    """A value cannot be computed with or compared."""


class NoItems(Exception):
    """A comparison item by item has no items: it neither holds nor fails."""


@dataclass(frozen=True, slots=True)
class Items:
    """A value for each item of a list."""

    values: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Reading:
    """A record, and how its values are read."""

    record: Value
    tolerance: Fraction = Fraction(0)
    parse: bool = False
    """Whether text such as "1,234.50" is a number."""


def holds(node: Node, reading: Reading) -> bool:
    """Whether an expression is true of a record. A bare path is true if its value is neither absent, null nor false.

    >>> from fieldwise.evaluators.checks._expressions import parse
    >>> holds(parse("total == net + tax and count(items) > 1"), Reading({"total": 0.3, "net": 0.1, "tax": 0.2, "items": [1, 2]}))
    True
    """
    if isinstance(node, Field):
        found = list(_found(reading.record, node.path.steps))
        return bool(found) and all(value is not MISSING and value is not None and value is not False for _, value in found)
    if isinstance(node, Operation) and node.name in ("and", "or"):
        left, right = node.of
        return holds(left, reading) and holds(right, reading) if node.name == "and" else holds(left, reading) or holds(right, reading)
    if isinstance(node, Operation) and node.name == "not":
        return not holds(node.of[0], reading)
    value = compute(node, reading)
    return all(_true(item) for item in value.values) if isinstance(value, Items) else _true(value)


def why_not(node: Node, reading: Reading) -> str:
    """What keeps an expression from holding, with the values: `120 == 119 is false`."""
    if isinstance(node, Operation) and node.name == "and":
        return why_not(next(part for part in node.of if not holds(part, reading)), reading)
    if isinstance(node, Operation) and node.name == "in":
        value = compute(node.of[0], reading)
        return "one of the items is not among them" if isinstance(value, Items) else f"{shown(value)} is not among them"
    if not isinstance(node, Operation) or node.name not in COMPARISONS:
        return "is false"
    left, right = (compute(part, reading) for part in node.of)
    pairs = list(_pairs(left, right))
    at, (one, other) = next((at, pair) for at, pair in enumerate(pairs) if not _compare(node.name, *pair, reading))
    item = f"item {at}: " if isinstance(left, Items) or isinstance(right, Items) else ""
    return f"{item}{shown(one)} {node.name} {shown(other)} is false"


def compute(node: Node, reading: Reading) -> Any:
    """The value of an expression: one, or `Items`."""
    if isinstance(node, Constant):
        return node.value
    if isinstance(node, Field):
        return _field(reading.record, node.path.steps)
    if node.name in ("and", "or", "not"):
        return holds(node, reading)
    if node.name in _FUNCTIONS:
        return _FUNCTIONS[node.name](node.of, reading)
    values = [compute(part, reading) for part in node.of]
    if node.name == "in":
        first, *options = values
        return _each(lambda value: any(_equal(value, option, reading) for option in options), first)
    left, right = values
    if node.name in COMPARISONS:
        return _both(lambda one, other: _compare(node.name, one, other, reading), left, right)
    return _both(lambda one, other: _arithmetic(node.name, one, other, reading), left, right)


def _true(value: Any) -> bool:
    return value is not None and value is not False


def _found(record: Value, steps: Sequence[Step], before: tuple[Step, ...] = ()) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """The values at a path, each with where it stands; MISSING where a list or a value is not there."""
    if EACH not in steps:
        yield (*before, *steps), find(record, steps)
        return
    at = list(steps).index(EACH)
    items: Any = find(record, steps[:at])
    if kind(items) != "list":
        yield (*before, *steps[:at]), None if items is None else MISSING
        return
    for index, item in enumerate(items):
        yield from _found(item, steps[at + 1 :], (*before, *steps[:at], index))


def _field(record: Value, steps: Sequence[Step]) -> Any:
    found = list(_found(record, steps))
    for place, value in found:
        if value is MISSING or value is None:
            raise Absent(render(place), value is None)
    return Items([value for _, value in found]) if EACH in steps else found[0][1]


def _each(function: Callable[[Any], Any], value: Any) -> Any:
    if not isinstance(value, Items):
        return function(value)
    if not value.values:
        raise NoItems
    return Items([function(item) for item in value.values])


def _both(function: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    if not isinstance(left, Items) and not isinstance(right, Items):
        return function(left, right)
    return Items([function(one, other) for one, other in _pairs(left, right)])


def _pairs(left: Any, right: Any) -> Iterator[tuple[Any, Any]]:
    """Two values side by side, item by item where one of them stands for items."""
    sizes = {len(side.values) for side in (left, right) if isinstance(side, Items)}
    if len(sizes) > 1:
        raise Unfit(f"{len(left.values)} and {len(right.values)} items cannot be paired")
    if sizes == {0}:
        raise NoItems
    for index in range(next(iter(sizes), 1)):
        yield (left.values[index] if isinstance(left, Items) else left), (right.values[index] if isinstance(right, Items) else right)


def number(value: Any, parse: bool) -> Fraction:
    """A number without rounding: 0.1 is one tenth."""
    if isinstance(value, Fraction):
        return value
    if parse and isinstance(value, str):
        read = parse_number(value)
        if read is not None:
            return number(read, False)
    if kind(value) != "number":
        raise Unfit(f"{shown(value)} is not a number")
    if isinstance(value, int):
        return Fraction(int(value))
    plain = float(value)
    if not isfinite(plain):
        raise Unfit(f"{'NaN' if plain != plain else 'Infinity'} is not a number")  # noqa: PLR0124
    return Fraction(repr(plain))


_ARITHMETIC: Final[dict[str, Callable[[Fraction, Fraction], Fraction]]] = {"+": add, "-": sub, "*": mul, "/": truediv}
_ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


def _arithmetic(sign: str, left: Any, right: Any, reading: Reading) -> Fraction:
    one, other = number(left, reading.parse), number(right, reading.parse)
    if sign == "/" and other == 0:
        raise Unfit("a number cannot be divided by 0")
    return _ARITHMETIC[sign](one, other)


def _is_number(value: Any, reading: Reading) -> bool:
    return (
        isinstance(value, Fraction)
        or kind(value) == "number"
        or (reading.parse and isinstance(value, str) and parse_number(value) is not None)
    )


def _compare(sign: str, left: Any, right: Any, reading: Reading) -> bool:
    if sign in ("==", "!="):
        return _equal(left, right, reading) == (sign == "==")
    is_number = _is_number(left, reading), _is_number(right, reading)
    if all(is_number):
        slack = {"<=": reading.tolerance, ">=": -reading.tolerance}.get(sign, Fraction(0))
        return _ORDERS[sign](number(left, reading.parse), number(right, reading.parse) + slack)
    if any(is_number):
        one, other = (left, right) if is_number[0] else (right, left)
        _day(other)  # says so, if it is no date either
        raise Unfit(f"{shown(one)} is a number and {shown(other)} a date")
    return _ORDERS[sign](*_moments(left, right))


def _equal(left: Any, right: Any, reading: Reading) -> bool:
    if _is_number(left, reading) and _is_number(right, reading):
        return abs(number(left, reading.parse) - number(right, reading.parse)) <= reading.tolerance
    if isinstance(left, date) or isinstance(right, date):
        return _day(left) == _day(right)
    if isinstance(left, str) and isinstance(right, str):
        return nfc(left) == nfc(right)
    return False if isinstance(left, Fraction) or isinstance(right, Fraction) else same(left, right)


def _moments(left: Any, right: Any) -> tuple[Any, Any]:
    """Two points in time that can be compared: both with their time of day if both have one, else both as days."""
    if isinstance(left, str) and isinstance(right, str):
        times = _time(left), _time(right)
        if None not in times and (times[0].tzinfo is None) == (times[1].tzinfo is None):  # pyright: ignore[reportOptionalMemberAccess]
            return times
    return _day(left), _day(right)


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.strip()) if ":" in text else None
    except ValueError:
        return None


def _day(value: Any) -> date:
    if isinstance(value, date):
        return value
    day = parse_date(value) if isinstance(value, str) else None
    if day is None or isinstance(day, Ambiguous):
        raise Unfit(f"{shown(value)} is {'an ambiguous date' if day else 'no number and no date'}")
    return day


def _numbers(nodes: Sequence[Node], reading: Reading) -> list[Fraction]:
    """The numbers a function is given: one by one, as items of a path, or as a list."""
    values = [compute(node, reading) for node in nodes]
    spread = [value.values if isinstance(value, Items) else value if kind(value) == "list" else [value] for value in values]
    return [number(item, reading.parse) for part in spread for item in part]


def _extreme(choose: Callable[[Sequence[Fraction]], Fraction]) -> "_Function":
    def compute_extreme(nodes: Sequence[Node], reading: Reading) -> Fraction:
        numbers = _numbers(nodes, reading)
        if not numbers:
            raise NoItems
        return choose(numbers)

    return compute_extreme


def _count(nodes: Sequence[Node], reading: Reading) -> Fraction:
    """How many items a list has, or how many of its items have a value at the path."""
    node = nodes[0]
    if not isinstance(node, Field):
        value = compute(node, reading)
        return Fraction(len(value.values) if isinstance(value, Items) else 1)
    values = [value for _, value in _found(reading.record, node.path.steps) if value is not MISSING and value is not None]
    if EACH not in node.path.steps and values:
        return Fraction(len(values[0]) if kind(values[0]) == "list" else 1)
    return Fraction(len(values))


_Function = Callable[[Sequence[Node], Reading], Any]
_FUNCTIONS: Final[dict[str, _Function]] = {
    "sum": lambda nodes, reading: sum(_numbers(nodes, reading), Fraction(0)),
    "avg": _extreme(lambda numbers: sum(numbers, Fraction(0)) / len(numbers)),
    "min": _extreme(min),
    "max": _extreme(max),
    "count": _count,
    "abs": lambda nodes, reading: _each(lambda value: abs(number(value, reading.parse)), compute(nodes[0], reading)),
    "date": lambda nodes, reading: _each(_day, compute(nodes[0], reading)),
    "present": lambda nodes, reading: _present(nodes[0], reading),
}


def _present(node: Node, reading: Reading) -> bool:
    found = list(_found(reading.record, node.path.steps)) if isinstance(node, Field) else []
    return bool(found) and all(value is not MISSING and value is not None for _, value in found)
