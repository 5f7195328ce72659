"""Quantities: numbers with units, converted within one dimension.

A number without a unit agrees with any unit, with a note. `1,234 kg` is decided by `decimal` or the rest of the column, as in `money`.
Quantities in an unknown unit agree if number and word are the same. A bound or an estimate (`<5 mg`, `up to 5 mg`, `approx. 5 mg`) agrees
only with the same one. Quantities in one unit are compared by all their digits.

>>> quantity(Pairs(["1.5 kg", "5 mg", 12], ["1500 g", "5 g", "12 kg"]), Quantity()).value.tolist()
[1.0, 0.0, 1.0]
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels import measures
from fieldwise.kernels.numerals import DecimalMark
from fieldwise.kernels.tolerance import is_close
from fieldwise.kernels.units import describe_units
from fieldwise.matchers._decimal_survey import (
    MARKS,
    NO_DECIMAL_EVIDENCE,
    collect_decimal_evidence,
    options_of_actual,
    reads_sides_apart,
    resolve_decimal,
)
from fieldwise.matchers._readings import Agreement, ReadingMatcher, plain_key, plain_number
from fieldwise.model.bounds import Ge, Lt
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.registry import matcher
from fieldwise.specs import ColumnSurvey, Example

NO_UNIT = "one side has no unit; the numbers were compared"
_BINARY_ROUNDING: Final = 1e-13
"""Relative slack for the binary rounding of conversions: 98.6 °F is 37.000000000000 °C only to about 1e-15."""
_DECIMAL_ROUNDING: Final = 1e-11
"""The same where one side has decimals, which may be cut off: 100 km/h are 27.7777777778 m/s."""
_SLACK: Final = 1 + 1e-9
"""Slack of a tolerance for binary rounding, as in `numeric_tolerance`."""


_UNKNOWN_UNIT: Final = re.compile(r"([-+]?\d[\d.,' ]*?)\s*([^\W\d_][^\d]*)")
_MAX_UNKNOWN_LENGTH: Final = 60
_CONVERTED: Final = re.compile(r"\s*([^()]+?)\s*\(\s*([^()]+?)\s*\)\s*")
_CONVERSION_ERROR: Final = 0.05
"""Relative error of a conversion that people round: 5 kg are 11 lb."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """How far apart two quantities may be."""

    tolerance: Annotated[float, Ge(0), Lt(float("inf"))] | str = 0
    """Largest difference, as a number in the expected value's unit or as a quantity such as `5 g`; inclusive."""
    decimal: Literal["point", "comma"] | None = None
    """Decimal mark of values such as `1,234 kg` and `1.234 kg`; default: the rest of the column, else a comma groups and a point is
    decimal."""
    actual_decimal: Literal["point", "comma"] | None = None
    """The same for actual values; default: as `decimal`, or the rest of their own column where that contradicts the expected one."""

    def __post_init__(self) -> None:
        if isinstance(self.tolerance, str) and measures.read_quantity(self.tolerance) is None:
            raise ValueError(f"`tolerance` is no quantity: `{self.tolerance}`; write a number or a quantity such as 5 g")

    @property
    def reads_sides_apart(self) -> bool:
        """True if the same text may be another quantity on the other side."""
        return reads_sides_apart(self)


def grid(expected: Sequence[object], actual: Sequence[object], config: Quantity) -> NDArray[np.float64]:
    """1 where an expected quantity agrees with an actual one, else 0."""
    return _quantity_matcher(config).score_grid(expected, actual)


def unread_note(value: Any, config: Quantity) -> str | None:
    """Why a value cannot be read; None if it can."""
    return _quantity_matcher(config).unread_note(value)


def collect_evidence(values: Sequence[Any], config: Quantity) -> Counter[str]:
    """Count the quantities whose decimal mark is certain, by that mark, and those that could be read both ways."""
    return collect_decimal_evidence(values, measures.find_quantity_sign)


def resolve_options(config: Quantity, evidence: Counter[str]) -> tuple[Quantity, str | None]:
    """The options with the decimal marks that the column decides, and what decided them."""
    return resolve_decimal(config, evidence, "quantities")


@matcher(
    grid=grid,
    unread_note=unread_note,
    column_survey=ColumnSurvey(
        is_open=lambda config: config.decimal is None,
        collect=collect_evidence,
        resolve=resolve_options,
        no_evidence=NO_DECIMAL_EVIDENCE,
    ),
    examples=[
        Example(expected="1.5 kg", actual="1500 g", score=1),
        Example(expected="5 ft", actual="60 in", score=1),
        Example(expected="5 mg", actual="5 g", score=0),
        Example(expected="10 kg", actual="10 km", score=0),
        Example(expected="1 kWh", actual="3.6 MJ", score=1),
        Example(expected="1 1/2 cups", actual="1.5 cup", score=1),
        Example(expected="5 boxes", actual="5 bottles", score=0),
        Example(expected=12, actual="12 kg", score=1),
        Example(expected="100 g", actual="0.101 kg", options={"tolerance": 2}, score=1),
    ],
)
def quantity(pairs: Pairs, config: Quantity) -> Scores:
    """1 for the same quantity, else 0."""
    return _quantity_matcher(config).score_pairs(pairs)


def _quantity_matcher(config: Quantity) -> ReadingMatcher[measures.QuantityReading]:
    mark = MARKS[config.decimal]

    def read(value: Any) -> measures.QuantityReading | None:
        number = plain_number(value)
        if number is not None:
            return measures.QuantityReading(number, frozenset())
        if not isinstance(value, str):
            return None
        return measures.read_quantity(value, wider=True, decimal_mark=mark) or _read_with_conversion(value, mark)

    def compare(expected: measures.QuantityReading, actual: measures.QuantityReading) -> Agreement:
        if not expected.units or not actual.units:
            agrees = is_close(expected.value, actual.value, _number_of(config.tolerance))
            return Agreement(agrees, NO_UNIT if agrees and (expected.units or actual.units) else None)
        pairs = [(left, right) for left in expected.to_base() for right in actual.to_base() if left.dimension == right.dimension]
        if pairs:
            return Agreement(any(_is_within(expected, actual, left, right, config.tolerance) for left, right in pairs))
        if expected.units.isdisjoint(actual.units):
            return Agreement(False, f"other dimension: {describe_units(expected.units)} and {describe_units(actual.units)}")
        limit = 0.0 if isinstance(config.tolerance, str) else config.tolerance
        return Agreement(is_close(expected.value, actual.value, limit))  # a unit that does not convert, such as percent

    of_actual = _quantity_matcher(options_of_actual(config)) if config.reads_sides_apart else None
    return ReadingMatcher("a quantity", read, compare, of_actual=of_actual, unread_key=_unread_key)


def _read_with_conversion(text: str, mark: DecimalMark | None) -> measures.QuantityReading | None:
    """A quantity with its rounded conversion in brackets, `5 kg (11 lb)`; None if the two do not agree or the text is anything else."""
    converted = _CONVERTED.fullmatch(text) if text.rstrip()[-1:] == ")" and len(text) <= _MAX_UNKNOWN_LENGTH else None
    if converted is None:
        return None
    first, second = (measures.read_quantity(part, wider=True, decimal_mark=mark) for part in converted.groups())
    if first is None or second is None or not first.units.isdisjoint(second.units):
        return None
    pairs = [(left, right) for left in first.to_base() for right in second.to_base() if left.dimension == right.dimension]
    agrees = any(abs(left.value - right.value) <= _CONVERSION_ERROR * abs(left.value) for left, right in pairs)
    return first if agrees else None


def _unread_key(value: Any) -> str | None:
    """The number and the word of a quantity in an unknown unit, however they are spaced and capitalized: `5箱`, `5 箱`."""
    match = _UNKNOWN_UNIT.fullmatch(value.strip()) if isinstance(value, str) and len(value) <= _MAX_UNKNOWN_LENGTH else None
    number = None if match is None else measures.read_quantity(match[1])
    if match is None or number is None:
        return plain_key(value)
    count = int(number.value) if number.value == int(number.value) else number.value
    return f"{count} {measures.fold_name(match[2])}"


def _is_within(
    expected: measures.QuantityReading,
    actual: measures.QuantityReading,
    left: measures.BaseValue,
    right: measures.BaseValue,
    tolerance: float | str,
) -> bool:
    """Whether two quantities of one dimension agree: in one unit by their digits, in different units in the base unit."""
    limit = _limit_in_base(tolerance, left)
    if (left.factor, left.offset) == (right.factor, right.offset):
        return is_close(expected.value, actual.value, limit / left.factor)
    rounding = conversion_rounding(expected.value, actual.value) * max(abs(left.value), abs(right.value))
    return abs(left.value - right.value) <= limit * _SLACK + rounding


def conversion_rounding(expected: float, actual: float) -> float:
    """Relative slack for the rounding of conversions, between two numbers as they are written: more if one of them has decimals.

    >>> conversion_rounding(100, 27.7777777778), conversion_rounding(10000000001, 10000000)
    (1e-11, 1e-13)
    """
    return _BINARY_ROUNDING if expected == int(expected) and actual == int(actual) else _DECIMAL_ROUNDING


def _limit_in_base(tolerance: float | str, expected: measures.BaseValue) -> float:
    """The tolerance in the base unit of the expected value's dimension."""
    if isinstance(tolerance, str):
        quantity = measures.read_quantity(tolerance)
        if quantity is not None and quantity.units:
            factors = [base.factor for base in quantity.to_base() if base.dimension == expected.dimension]
            return float(quantity.value) * factors[0] if factors else 0.0
    return _number_of(tolerance) * expected.factor


def _number_of(tolerance: float | str) -> float:
    if not isinstance(tolerance, str):
        return tolerance
    quantity = measures.read_quantity(tolerance)
    return float(quantity.value) if quantity is not None else 0.0
