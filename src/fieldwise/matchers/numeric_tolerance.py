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

from fieldwise.kernels.numbers import Number, parse_number, within, within_grid
from fieldwise.kernels.values import canonical, same
from fieldwise.matchers._keys import grid_of_keys, non_finite_notes, shown
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.values import kind
from fieldwise.registry import matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericTolerance:
    """How far apart two numbers may be."""

    tolerance: Annotated[float, Ge(0), Lt(float("inf"))] = 0.0
    """Inclusive, as written: 1.1 is within 0.1 of 1.0."""
    relative: bool = False
    """Read `tolerance` as a share of the expected number, except where that number is 0."""
    parse: bool = False
    """Read numbers from text: "1,234.50", "$5", "(3.2)" as −3.2, "12 %" as 12. Otherwise text is not a number."""


_NUMBERS: Final = frozenset({int, float})


def grid(expected: Sequence[object], actual: Sequence[object], config: NumericTolerance) -> NDArray[np.float64]:
    """1 where an expected number is within `tolerance` of an actual one, else 0."""
    left, right = _numbers(expected, config), _numbers(actual, config)
    rows = [row for row, number in enumerate(left) if number is not None]
    columns = [column for column, number in enumerate(right) if number is not None]
    good = within_grid([left[row] for row in rows], [right[column] for column in columns], config.tolerance, config.relative)  # pyright: ignore[reportArgumentType]
    if len(rows) == len(left) and len(columns) == len(right):
        return good.astype(np.float64)
    value = np.zeros((len(left), len(right)), dtype=np.float64)
    value[np.ix_(rows, columns)] = good
    others = [row for row, number in enumerate(left) if number is None]
    rest = [column for column, number in enumerate(right) if number is None]
    value[np.ix_(others, rest)] = grid_of_keys([expected[row] for row in others], [actual[column] for column in rest], canonical)
    return value


@matcher(grid=grid)
def numeric_tolerance(pairs: Pairs, config: NumericTolerance) -> Scores:
    """1 for numbers within `tolerance` of each other, else 0. Values that are no numbers match if they are the same."""
    if _all_numbers(pairs.expected) and _all_numbers(pairs.actual):
        matched = within(pairs.expected, pairs.actual, config.tolerance, config.relative)  # pyright: ignore[reportArgumentType]
        return Scores.of(matched, notes=non_finite_notes(pairs.expected, pairs.actual, np.flatnonzero(~matched).tolist()))
    left, right = _numbers(pairs.expected, config), _numbers(pairs.actual, config)
    rows = [row for row, (one, other) in enumerate(zip(left, right, strict=True)) if one is not None and other is not None]
    matched = np.zeros(len(pairs), dtype=np.bool_)
    matched[rows] = within([left[row] for row in rows], [right[row] for row in rows], config.tolerance, config.relative)  # pyright: ignore[reportArgumentType]
    notes = non_finite_notes(pairs.expected, pairs.actual, np.flatnonzero(~matched).tolist())
    for row in set(range(len(pairs))).difference(rows):
        matched[row] = same(pairs.expected[row], pairs.actual[row])
        if not matched[row]:
            notes.setdefault(row, f"not a number: {shown(pairs.actual[row] if right[row] is None else pairs.expected[row])}")
    return Scores.of(matched, notes=notes)


def _all_numbers(values: Sequence[object]) -> bool:
    return set(map(type, values)) <= _NUMBERS


def _numbers(values: Sequence[Any], config: NumericTolerance) -> list[Number | None]:
    """The values as numbers, None where a value is none."""
    read = parse_number if config.parse else None
    return [value if type(value) in _NUMBERS else _number(value, read) for value in values]


def _number(value: Any, read: Any) -> Number | None:
    family = kind(value)
    if family == "number":
        return int(value) if isinstance(value, int) else float(value)
    return read(value) if read and family == "string" else None
