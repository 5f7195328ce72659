"""Numbers that agree within a tolerance.

>>> config = NumericTolerance(tolerance=1)
>>> numeric_tolerance(Pairs([100, 100, 0], [100.5, 103, 0.5]), config).value.tolist()
[1.0, 0.0, 1.0]
>>> numeric_tolerance(Pairs([1234.5, "$5"], ["$1,234.50", "€5"]), NumericTolerance(parse=True)).value.tolist()
[1.0, 0.0]
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from math import nan
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias, cast

from fieldwise.dataclass import dataclass
from fieldwise.kernels.amounts import Figure, find_decimal_sign, read_figure
from fieldwise.kernels.amounts_in_words import read_number_alone
from fieldwise.kernels.bounds_in_text import spell_range, split_bound
from fieldwise.kernels.currencies import describe_currencies
from fieldwise.kernels.numerals import DecimalMark, LongDecimal
from fieldwise.kernels.tolerance import Number, prepare_tolerance_grid, smallest_tolerances, within_tolerance
from fieldwise.kernels.values import canonical_json, code_keys, values_equal
from fieldwise.matchers._decimal_survey import NO_DECIMAL_EVIDENCE, collect_decimal_evidence, marks_of, reads_sides_apart, resolve_decimal
from fieldwise.matchers._keys import ABSENT, is_absent, quote_value
from fieldwise.model.bounds import Ge, Lt
from fieldwise.model.pairs import Measurements, Pairs, Scores
from fieldwise.model.values import json_kind
from fieldwise.numpy_on_use import np
from fieldwise.pattern import compile_on_use
from fieldwise.registry import matcher
from fieldwise.specs import ColumnSurvey, Example, PartialGrid, StoredDecision

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericTolerance:
    """How far apart two numbers may be."""

    tolerance: Annotated[float, Ge(0), Lt(float("inf"))] = 0.0
    """Inclusive, as written: 1.1 is within 0.1 of 1.0."""
    relative: bool = False
    """Read `tolerance` as a share of the expected number, except where that number is 0."""
    relative_tolerance: Annotated[float, Ge(0), Lt(float("inf"))] | None = None
    """A second tolerance, as a share of the expected number; a pair matches if either of the two holds, as in `math.isclose`."""
    parse: bool = False
    """Read numbers from text: "1,234.50", "$5", "(3.2)" as −3.2, "12 %" as 12. Otherwise text is not a number. Two values that both name
    a currency, a percent sign or a unit must name the same one."""
    percent: Literal["number", "share"] = "number"
    """With `parse`, what "12 %" is: 12 (`number`) or 0.12 (`share`)."""
    decimal: Literal["point", "comma"] | None = None
    """With `parse`, the decimal mark of "1,234" and "1.234"; default: the rest of the column, else a comma groups and a point is
    decimal."""
    actual_decimal: Literal["point", "comma"] | None = None
    """The same for actual values; default: as `decimal`, or the rest of their own column where that contradicts the expected one."""

    def __post_init__(self) -> None:
        if self.relative and self.relative_tolerance is not None:
            raise ValueError("`relative` makes `tolerance` a share already; remove `relative` or `relative_tolerance`")
        if self.percent == "share" and not self.parse:
            raise ValueError("`percent: share` goes with `parse: true`")
        if (self.decimal or self.actual_decimal) and not self.parse:
            raise ValueError("`decimal` and `actual_decimal` go with `parse: true`")

    @property
    def reads_sides_apart(self) -> bool:
        """True if the same text may be another number on the other side."""
        return reads_sides_apart(self)


_NUMBER_TYPES: Final = frozenset({int, float})
_MIXED_NUMBER: Final = compile_on_use(r"(-?)(\d{1,9})[ -](\d{1,2})/(2|3|4|5|6|8|10|12|16|32|64)", re.ASCII)
_RANGE: Final = compile_on_use(r"(?<=[\d%])\s*[-–—]\s*(?=\d)|\s+(?:to|bis)\s+")
_Numeric = Number | Figure
"""A number, or one that was read from text with the currency, percent sign or unit beside it."""


def grid(expected: Sequence[object], actual: Sequence[object], config: NumericTolerance) -> NDArray[np.float64]:
    """1 where an expected number is within `tolerance` of an actual one, else 0."""
    return prepare_grid(expected, actual, config)(slice(None), slice(None))


def prepare_grid(expected: Sequence[object], actual: Sequence[object], config: NumericTolerance) -> PartialGrid:
    """The grid of any part of two columns."""
    if _are_all_numbers(expected) and _are_all_numbers(actual):
        numbers_within = _prepare_within(cast("Sequence[Number]", expected), cast("Sequence[Number]", actual), config)
        return lambda rows, columns: numbers_within(rows, columns).astype(np.float64)
    marks = marks_of(config)
    expected_numbers, actual_numbers = _read_numbers(expected, config, marks[0]), _read_numbers(actual, config, marks[1])
    within = _prepare_within(_values_or_nan(expected_numbers), _values_or_nan(actual_numbers), config)
    expected_keys = _keys_of_others(expected, expected_numbers, config, marks[0])
    expected_codes, actual_codes = code_keys(expected_keys, _keys_of_others(actual, actual_numbers, config, marks[1]))

    def compute_grid(rows: slice, columns: slice) -> NDArray[np.float64]:
        matched = within(rows, columns)
        if config.parse:
            figures = expected_numbers[rows], actual_numbers[columns]
            for row, column in _pairs_of_figures(*figures):
                matched[row, column] &= _note_other_name(figures[0][row], figures[1][column]) is None
        matched |= np.equal.outer(expected_codes[rows], actual_codes[columns])
        return matched.astype(np.float64)

    return compute_grid


def _keys_of_others(
    values: Sequence[Any], numbers: Sequence[_Numeric | None], config: NumericTolerance, mark: DecimalMark | None
) -> list[Hashable]:
    """A key for each value that is no number, equal for equal values; None for numbers."""
    pairs = zip(values, numbers, strict=True)
    return [_key_of_other(value, config, mark) if number is None else None for value, number in pairs]


def _key_of_other(value: Any, config: NumericTolerance, mark: DecimalMark | None) -> Hashable:
    if is_absent(value):
        return ABSENT
    bound = _bound_key(value, config, mark) if config.parse and isinstance(value, str) else None
    return canonical_json(value) if bound is None else bound


def _bound_key(text: str, config: NumericTolerance, mark: DecimalMark | None) -> Hashable | None:
    """A key of a bound, an estimate or a range of numbers, equal for other spellings of it: `<5` and `less than 5.0`."""
    bound = split_bound(text)
    if bound is not None:
        number = _read_number(bound[1], config, mark)
        return None if number is None else (bound[0], _name_and_value(number))
    ends = [_read_number(end, config, mark) for end in _RANGE.split(spell_range(text).strip())]
    return None if len(ends) != 2 or None in ends else ("-", *map(_name_and_value, ends))


def _name_and_value(number: _Numeric | None) -> Hashable:
    value = number.value if isinstance(number, Figure) else number
    exact = value.exact if isinstance(value, LongDecimal) else value
    return (exact, _names_of(number)) if isinstance(number, Figure) else exact


def _value_or_nan(number: _Numeric | None) -> Number:
    if number is None:
        return nan
    return number.value if isinstance(number, Figure) else number


def _pairs_of_figures(expected: Sequence[_Numeric | None], actual: Sequence[_Numeric | None]) -> list[tuple[int, int]]:
    """Positions of the pairs in which both numbers name something."""
    columns = [column for column, number in enumerate(actual) if isinstance(number, Figure)]
    return [(row, column) for row, number in enumerate(expected) if isinstance(number, Figure) for column in columns]


def unread_note(value: Any, config: NumericTolerance) -> str | None:
    """Why a value is not a number; None if it is one."""
    return None if _read_numbers([value], config, None)[0] is not None else f"not a number: {quote_value(value)}"


def collect_evidence(values: Sequence[Any], config: NumericTolerance) -> Counter[str]:
    """Count the numbers in text whose decimal mark is certain, by that mark, and those that could be read both ways."""
    return collect_decimal_evidence(values, find_decimal_sign)


def resolve_options(config: NumericTolerance, evidence: Counter[str]) -> tuple[NumericTolerance, str | None]:
    """The options with the decimal marks that the column decides, and what decided them."""
    return resolve_decimal(config, evidence, "numbers")


def _is_open(config: NumericTolerance) -> bool:
    return config.parse and config.decimal is None


def _decide_stored(stored: Measurements, config: NumericTolerance) -> NDArray[np.bool_]:
    """Whether the options accept stored distances."""
    distance = None if config.relative else stored.distance
    return _is_within(distance, stored.relative_distance, config)


def _find_obstacle(old: NumericTolerance, new: NumericTolerance) -> str | None:
    """A share cannot be decided where only absolute distances were stored."""
    if old.relative_tolerance is None and new.relative_tolerance is not None:
        return "the run stores no relative distances for this field; set `relative_tolerance` in the suite and run it again"
    return None


@matcher(
    grid=grid,
    prepare_grid=prepare_grid,
    unread_note=unread_note,
    reads_text=lambda config: config.parse,
    column_survey=ColumnSurvey(is_open=_is_open, collect=collect_evidence, resolve=resolve_options, no_evidence=NO_DECIMAL_EVIDENCE),
    stored_decision=StoredDecision(options=("tolerance", "relative_tolerance"), decide=_decide_stored, obstacle=_find_obstacle),
    examples=[
        Example(expected=119.0, actual=119.01, options={"tolerance": 0.01}, score=1),
        Example(expected=119.0, actual=119.02, options={"tolerance": 0.01}, score=0),
        Example(expected=1000, actual=1009, options={"tolerance": 1, "relative_tolerance": 0.01}, score=1),
        Example(expected=119.0, actual="119.00", options={"tolerance": 0.01}, score=0),
        Example(expected=1234.5, actual="$1,234.50", options={"parse": True}, score=1),
        Example(expected="5 USD", actual="5 EUR", options={"parse": True}, score=0),
        Example(expected=0.12, actual="12 %", options={"parse": True, "percent": "share"}, score=1),
    ],
)
def numeric_tolerance(pairs: Pairs, config: NumericTolerance) -> Scores:
    """1 for numbers within `tolerance` of each other, else 0. Other values match if they are equal."""
    if _are_all_numbers(pairs.expected) and _are_all_numbers(pairs.actual):
        matched, distance, relative_distance = _measure(pairs.expected, pairs.actual, config, pairs.needs_distance)  # pyright: ignore[reportArgumentType]
        return Scores.of(matched, distance=distance, relative_distance=relative_distance)
    marks = marks_of(config)
    expected, actual = _read_numbers(pairs.expected, config, marks[0]), _read_numbers(pairs.actual, config, marks[1])
    matched, *distances = _measure(_values_or_nan(expected), _values_or_nan(actual), config, pairs.needs_distance)
    measured = [column for column in distances if column is not None]
    notes: dict[int, str] = {}
    for row, (left, right) in enumerate(zip(expected, actual, strict=True)):
        if left is None or right is None:
            matched[row] = values_equal(pairs.expected[row], pairs.actual[row]) or (
                config.parse and left is right and _are_same_bound(pairs.expected[row], pairs.actual[row], config)
            )
            for column in measured:
                column[row] = np.nan
            if not matched[row] and pairs.needs_distance:
                notes[row] = f"not a number: {quote_value(pairs.actual[row] if right is None else pairs.expected[row])}"
        elif config.parse and (note := _note_other_name(left, right)) is not None:
            matched[row], notes[row] = False, note
            for column in measured:
                column[row] = np.inf  # no tolerance makes another currency or unit match
    distance, relative_distance = distances
    return Scores.of(matched, notes=notes, distance=distance, relative_distance=relative_distance)


def _are_same_bound(expected: Any, actual: Any, config: NumericTolerance) -> bool:
    """True for two spellings of one bound, estimate or range: they must be equal, whatever the tolerance is."""
    if not isinstance(expected, str) or not isinstance(actual, str):
        return False
    marks = marks_of(config)
    key = _bound_key(expected, config, marks[0])
    return key is not None and key == _bound_key(actual, config, marks[1])


def _values_or_nan(numbers: Sequence[_Numeric | None]) -> list[Number]:
    """Numbers with NaN, which is close to nothing, in place of other values."""
    return [number if type(number) in _NUMBER_TYPES else _value_or_nan(number) for number in numbers]  # pyright: ignore[reportReturnType]


def _are_all_numbers(values: Sequence[object]) -> bool:
    return set(map(type, values)) <= _NUMBER_TYPES


_Distance: TypeAlias = "NDArray[np.float64] | None"


def _measure(
    expected: Sequence[Number], actual: Sequence[Number], config: NumericTolerance, needs_distance: bool
) -> tuple[NDArray[np.bool_], _Distance, _Distance]:
    """Whether each pair matches, and its distances if they are needed: finding them takes many times as long."""
    if needs_distance:
        distances = _distances(expected, actual, config)
        return _is_within(*distances, config), *distances
    matched = within_tolerance(expected, actual, config.tolerance, config.relative)
    if config.relative_tolerance is not None:
        matched |= _has_share(expected) & within_tolerance(expected, actual, config.relative_tolerance, relative=True)
    return matched, None, None


def _has_share(expected: Sequence[Number]) -> NDArray[np.bool_]:
    """A share of 0 is 0, as in math.isclose."""
    return np.array([number != 0 for number in expected], dtype=np.bool_)


def _distances(expected: Sequence[Number], actual: Sequence[Number], config: NumericTolerance) -> tuple[_Distance, _Distance]:
    """The smallest tolerance at which each pair matches: absolute, and as a share of the expected number; None if it is not asked for."""
    if config.relative:
        return None, smallest_tolerances(expected, actual, relative=True)
    distance = smallest_tolerances(expected, actual)
    if config.relative_tolerance is None:
        return distance, None
    return distance, np.where(_has_share(expected), smallest_tolerances(expected, actual, relative=True), np.inf)


def _is_within(distance: _Distance, relative_distance: _Distance, config: NumericTolerance) -> NDArray[np.bool_]:
    """Whether the options accept these distances."""
    if distance is None:
        assert relative_distance is not None
        return relative_distance <= config.tolerance
    matched: NDArray[np.bool_] = distance <= config.tolerance
    if relative_distance is not None and config.relative_tolerance is not None:
        matched |= relative_distance <= config.relative_tolerance
    return matched


def _prepare_within(
    expected: Sequence[Number], actual: Sequence[Number], config: NumericTolerance
) -> Callable[[slice, slice], NDArray[np.bool_]]:
    within = prepare_tolerance_grid(expected, actual, config.tolerance, config.relative)
    if config.relative_tolerance is None:
        return within
    has_share = _has_share(expected)[:, None]
    within_share = prepare_tolerance_grid(expected, actual, config.relative_tolerance, relative=True)
    return lambda rows, columns: within(rows, columns) | (has_share[rows] & within_share(rows, columns))


def _read_numbers(values: Sequence[Any], config: NumericTolerance, mark: DecimalMark | None) -> list[_Numeric | None]:
    """The values as numbers; None where a value is not a number."""
    return [value if type(value) in _NUMBER_TYPES else _read_number(value, config, mark) for value in values]


def _read_number(value: Any, config: NumericTolerance, mark: DecimalMark | None) -> _Numeric | None:
    kind = json_kind(value)
    if kind == "number":
        return value if isinstance(value, LongDecimal) else int(value) if isinstance(value, int) else float(value)
    if kind != "string" or not config.parse:
        return None
    figure = read_figure(value, mark)
    if figure is None:
        return _read_mixed_number(value) or read_number_alone(value)
    if not (figure.currencies or figure.percent or figure.units):
        return figure.value
    return figure.as_share() if config.percent == "share" else figure


def _read_mixed_number(text: str) -> float | None:
    """A whole number with a fraction behind it: `1 1/2`. A fraction alone may be a date or a page."""
    mixed = _MIXED_NUMBER.fullmatch(text.strip())
    if mixed is None:
        return None
    number = int(mixed[2]) + int(mixed[3]) / int(mixed[4])
    return -number if mixed[1] else number


def _note_other_name(expected: _Numeric | None, actual: _Numeric | None) -> str | None:
    """What is wrong where two texts name different currencies, units or only one of them a percent sign; None if nothing is."""
    if not isinstance(expected, Figure) or not isinstance(actual, Figure):
        return None
    if expected.tax and actual.tax and expected.tax != actual.tax:
        return f"{expected.tax} and {actual.tax}"
    names, other_names = _names_of(expected), _names_of(actual)
    if names & other_names:
        return None
    if expected.currencies and actual.currencies:
        return f"other currency: {describe_currencies(expected.currencies)} and {describe_currencies(actual.currencies)}"
    return f"other unit: {_describe_name(expected)} and {_describe_name(actual)}"


def _names_of(figure: Figure) -> frozenset[str]:
    return frozenset({"%"}) if figure.percent else figure.currencies or figure.units | figure.unit_currencies


def _describe_name(figure: Figure) -> str:
    return "%" if figure.percent else describe_currencies(figure.currencies or figure.units)
