"""Numbers that agree within a tolerance.

>>> config = NumericTolerance(tolerance=1)
>>> numeric_tolerance(Pairs([100, 100, 0], [100.5, 103, 0.5]), config).value.tolist()
[1.0, 0.0, 1.0]
>>> numeric_tolerance(Pairs([1234.5], ["$1,234.50"]), NumericTolerance(parse=True)).value.tolist()
[1.0]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
from annotated_types import Ge, Lt
from numpy.typing import NDArray

from fieldwise.kernels.numbers import Number, parse_number
from fieldwise.kernels.tolerance import within_tolerance, within_tolerance_grid
from fieldwise.kernels.values import canonical_json, values_equal
from fieldwise.matchers._keys import equal_key_grid, quote_value
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.values import json_kind
from fieldwise.registry import Example, matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericTolerance:
    """How far apart two numbers may be."""

    tolerance: Annotated[float, Ge(0), Lt(float("inf"))] = 0.0
    """Inclusive, as written: 1.1 is within 0.1 of 1.0."""
    relative: bool = False
    """Read `tolerance` as a share of the expected number, except where that number is 0."""
    parse: bool = False
    """Read numbers from text: "1,234.50", "$5", "(3.2)" as −3.2, "12 %" as 12. Otherwise text is not a number."""


_NUMBER_TYPES: Final = frozenset({int, float})


def grid(expected: Sequence[object], actual: Sequence[object], config: NumericTolerance) -> NDArray[np.float64]:
    """1 where an expected number is within `tolerance` of an actual one, else 0."""
    expected_numbers, actual_numbers = _read_numbers(expected, config), _read_numbers(actual, config)
    rows, other_rows = _split_numbers(expected_numbers)
    columns, other_columns = _split_numbers(actual_numbers)
    matched = within_tolerance_grid(
        [expected_numbers[row] for row in rows],  # pyright: ignore[reportArgumentType]  rows of numbers only
        [actual_numbers[column] for column in columns],  # pyright: ignore[reportArgumentType]
        config.tolerance,
        config.relative,
    )
    if not other_rows and not other_columns:
        return matched.astype(np.float64)
    value = np.zeros((len(expected), len(actual)), dtype=np.float64)
    value[np.ix_(rows, columns)] = matched
    other_expected, other_actual = [expected[row] for row in other_rows], [actual[column] for column in other_columns]
    value[np.ix_(other_rows, other_columns)] = equal_key_grid(other_expected, other_actual, canonical_json)
    return value


def _split_numbers(numbers: Sequence[Number | None]) -> tuple[list[int], list[int]]:
    """The positions of numbers, and those of other values."""
    present = [at for at, number in enumerate(numbers) if number is not None]
    absent = [at for at, number in enumerate(numbers) if number is None]
    return present, absent


@matcher(
    grid=grid,
    examples=[
        Example(expected=119.0, actual=119.01, options={"tolerance": 0.01}, score=1),
        Example(expected=119.0, actual=119.02, options={"tolerance": 0.01}, score=0),
        Example(expected=119.0, actual="119.00", options={"tolerance": 0.01}, score=0),
        Example(expected=1234.5, actual="$1,234.50", options={"parse": True}, score=1),
    ],
)
def numeric_tolerance(pairs: Pairs, config: NumericTolerance) -> Scores:
    """1 for numbers within `tolerance` of each other, else 0. Other values match if they are equal."""
    if _are_all_numbers(pairs.expected) and _are_all_numbers(pairs.actual):
        return Scores.of(within_tolerance(pairs.expected, pairs.actual, config.tolerance, config.relative))  # pyright: ignore[reportArgumentType]
    expected, actual = _read_numbers(pairs.expected, config), _read_numbers(pairs.actual, config)
    rows = [row for row in range(len(pairs)) if expected[row] is not None and actual[row] is not None]
    matched = np.zeros(len(pairs), dtype=np.bool_)
    matched[rows] = within_tolerance(
        [expected[row] for row in rows],  # pyright: ignore[reportArgumentType]  rows of numbers only
        [actual[row] for row in rows],  # pyright: ignore[reportArgumentType]
        config.tolerance,
        config.relative,
    )
    notes: dict[int, str] = {}
    for row in set(range(len(pairs))).difference(rows):
        matched[row] = values_equal(pairs.expected[row], pairs.actual[row])
        if not matched[row]:
            notes[row] = f"not a number: {quote_value(pairs.actual[row] if actual[row] is None else pairs.expected[row])}"
    return Scores.of(matched, notes=notes)


def _are_all_numbers(values: Sequence[object]) -> bool:
    return set(map(type, values)) <= _NUMBER_TYPES


def _read_numbers(values: Sequence[Any], config: NumericTolerance) -> list[Number | None]:
    """The values as numbers; None where a value is not a number."""
    return [value if type(value) in _NUMBER_TYPES else _read_number(value, config.parse) for value in values]


def _read_number(value: Any, parse: bool) -> Number | None:
    family = json_kind(value)
    if family == "number":
        return int(value) if isinstance(value, int) else float(value)
    return parse_number(value) if parse and family == "string" else None
