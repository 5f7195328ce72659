"""Amounts of money: amount and currency, as people write them in any locale of CLDR.

* Reads symbols and codes before or after the number, the grouping and digits of every locale, `5,-`, `$1.2M`, `2 lakh`, amounts in words,
  in figures and words (`$5 (five dollars)`), in two units (`12 zł 30 gr`) and ranges. `(3.20)`, `3.20-` and `12.50 CR` are negative.
* A symbol stands for every currency that uses it, a word for every currency of that name: `$5` agrees with `CAD 5` and `MXN 5`,
  `5 dollars` with `CAD 5` only, and `€5` with none of them.
* `1,234` alone is 1234 and `1.234` alone is 1.234, with a note, unless `decimal` or the rest of the column decides: each side by its
  own values where the two contradict.
* Amounts per unit (`$5 per hour`, `€5/kg`) agree only with amounts per the same unit.
* Net and gross amounts differ if both sides say which they are.
* A bound or an estimate (`up to $5`, `> $5`, `about $5`) agrees only with the same one.
* Values that are not amounts match only if they are equal.

>>> money(Pairs(["RM7.42", "EUR 100", "$5"], [7.42, "USD 100", "CAD 5"]), Money()).value.tolist()
[1.0, 0.0, 1.0]
"""

from collections import Counter
from collections.abc import Sequence
from math import inf
from typing import Annotated, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.amounts import Figure, find_decimal_sign, group_without_minor_unit, read_figure
from fieldwise.kernels.currencies import currencies_of, describe_currencies
from fieldwise.kernels.numerals import DecimalMark
from fieldwise.kernels.rates import agree_on_per, describe_per, read_rate
from fieldwise.kernels.tolerance import is_close, smallest_tolerance
from fieldwise.matchers._decimal_survey import (
    MARKS,
    NO_DECIMAL_EVIDENCE,
    collect_decimal_evidence,
    options_of_actual,
    reads_sides_apart,
    resolve_decimal,
)
from fieldwise.matchers._keys import quote_value
from fieldwise.matchers._readings import Agreement, ReadingMatcher, join_notes, no_key, plain_number
from fieldwise.model.bounds import Ge, Lt
from fieldwise.model.pairs import Measurements, Pairs, Scores
from fieldwise.pattern import compile_on_use
from fieldwise.registry import matcher
from fieldwise.specs import ColumnSurvey, Example, StoredDecision

_REPEATED: Final = compile_on_use(r"([^()]+?)\s*\(([^()]+)\)\s*([^()]*)")
_MAX_REPEATED_LENGTH: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """How far apart two amounts may be, and which currencies agree."""

    tolerance: Annotated[float, Ge(0), Lt(float("inf"))] = 0.0
    """Largest difference between the amounts; inclusive."""
    currency: Literal["if_both", "require", "ignore"] = "if_both"
    """`if_both`: currencies must agree where both values name one. `require`: a value without one never passes. `ignore`: only the
    amounts count."""
    default_currency: str | None = None
    """Currency of values that name none, such as `EUR`."""
    decimal: Literal["point", "comma"] | None = None
    """Decimal mark of values such as `1,234` and `1.234`; default: the rest of the column, else a comma groups and a point is decimal."""
    actual_decimal: Literal["point", "comma"] | None = None
    """The same for actual values; default: as `decimal`, or the rest of their own column where that contradicts the expected one."""

    def __post_init__(self) -> None:
        if self.default_currency is not None and not currencies_of(self.default_currency):
            raise ValueError(f"`default_currency` is no currency: `{self.default_currency}`; write a code such as EUR")

    @property
    def may_reject_equal_values(self) -> bool:
        """True if a value may fail against itself: an amount without the currency that is required."""
        return self.currency == "require" and self.default_currency is None

    @property
    def reads_sides_apart(self) -> bool:
        """True if the same text may be another amount on the other side."""
        return reads_sides_apart(self)


def grid(expected: Sequence[object], actual: Sequence[object], config: Money) -> NDArray[np.float64]:
    """1 where an expected amount agrees with an actual one, else 0."""
    return _money_matcher(config).score_grid(expected, actual)


def unread_note(value: Any, config: Money) -> str | None:
    """Why a value cannot be read; None if it can."""
    return _money_matcher(config).unread_note(value)


def collect_evidence(values: Sequence[Any], config: Money) -> Counter[str]:
    """Count the amounts whose decimal mark is certain, by that mark, and those that could be read both ways."""
    return collect_decimal_evidence(values, find_decimal_sign)


def resolve_options(config: Money, evidence: Counter[str]) -> tuple[Money, str | None]:
    """The options with the decimal marks that the column decides, and what decided them."""
    return resolve_decimal(config, evidence, "amounts")


def _decide_stored(stored: Measurements, config: Money) -> NDArray[np.bool_]:
    """Whether the tolerance accepts stored distances."""
    return stored.distance <= config.tolerance


@matcher(
    grid=grid,
    unread_note=unread_note,
    column_survey=ColumnSurvey(
        is_open=lambda config: config.decimal is None,
        collect=collect_evidence,
        resolve=resolve_options,
        no_evidence=NO_DECIMAL_EVIDENCE,
    ),
    stored_decision=StoredDecision(options=("tolerance",), decide=_decide_stored),
    examples=[
        Example(expected="EUR 1.234,50", actual="1234.50 €", score=1),
        Example(expected="RM7.42", actual=7.42, score=1),
        Example(expected="EUR 100.00", actual="USD 100.00", score=0),
        Example(expected="$5", actual="CAD 5", score=1),
        Example(expected=-3.2, actual="(3.20)", score=1),
        Example(expected="$1.2M", actual=1_200_000, score=1),
        Example(expected="$5/month", actual="$5 per month", score=1),
        Example(expected="$5/month", actual="$5/year", score=0),
        Example(expected=19.99, actual="€ 20", options={"tolerance": 0.05}, score=1),
        Example(expected="5 EUR", actual="5", options={"currency": "require"}, score=0),
    ],
)
def money(pairs: Pairs, config: Money) -> Scores:
    """1 for the same amount in the same currency, else 0."""
    return _money_matcher(config).score_pairs(pairs)


def _money_matcher(config: Money) -> ReadingMatcher[Figure]:
    mark = MARKS[config.decimal]
    default = currencies_of(config.default_currency) if config.default_currency else frozenset[str]()

    def read(value: Any) -> Figure | str | None:
        figure = _read_value(value, mark)
        if figure is None or figure.currencies:
            return figure
        if config.may_reject_equal_values:
            return f"no currency: {quote_value(value)}"
        return figure._replace(currencies=default)

    def compare(expected: Figure, actual: Figure) -> Agreement:
        if config.currency != "ignore" and _currencies_differ(expected, actual):
            names = f"{describe_currencies(expected.currencies)} and {describe_currencies(actual.currencies)}"
            return Agreement(False, f"other currency: {names}", inf)
        if expected.tax and actual.tax and expected.tax != actual.tax:
            return Agreement(False, f"{expected.tax} and {actual.tax}", inf)
        if (expected.per or actual.per) and not agree_on_per(expected.per, actual.per):
            return Agreement(False, f"other unit: {describe_per(expected.per)} and {describe_per(actual.per)}", inf)
        if mark is None and config.currency != "ignore":
            expected, actual = group_without_minor_unit(expected, actual)
        distance = smallest_tolerance(expected.value, actual.value)
        agrees = distance <= config.tolerance
        return Agreement(agrees, _note_undecided(expected, actual, agrees, config) if mark is None else None, distance)

    of_actual = _money_matcher(options_of_actual(config)) if config.reads_sides_apart else None
    return ReadingMatcher("an amount", read, compare, of_actual=of_actual, unread_key=no_key if config.may_reject_equal_values else None)


def _note_undecided(expected: Figure, actual: Figure, agrees: bool, config: Money) -> str | None:
    """How the separators were read that read both ways; of values that differ, only if it explains the difference."""
    if not (expected.undecided or actual.undecided):
        return None
    if not agrees and not is_close(_with_other_mark(expected).value, _with_other_mark(actual).value, config.tolerance):
        return None
    return join_notes(_undecided_note(expected), _undecided_note(actual))


def _read_value(value: Any, mark: DecimalMark | None) -> Figure | None:
    number = plain_number(value)
    if number is not None:
        return Figure(number)
    if not isinstance(value, str):
        return None
    figure = read_figure(value, mark)
    if figure is None and (repeated := _REPEATED.fullmatch(value)) is not None and len(value) <= _MAX_REPEATED_LENGTH:
        figure = _read_repeated(f"{repeated[1]} {repeated[3]}", repeated[2], mark)
    if figure is not None:
        figure = figure.as_amount()
    return read_rate(value, mark) if figure is None or figure.percent or figure.units else figure


def _read_repeated(text: str, repetition: str, mark: DecimalMark | None) -> Figure | None:
    """An amount that is written twice, in figures and in words, where both are the same: `$5,000 (five thousand dollars)`."""
    if any(map(str.isdigit, text)) == any(map(str.isdigit, repetition)):
        return None
    first, second = read_figure(text.strip(), mark), read_figure(repetition.strip(), mark)
    if first is None or second is None or first.value != second.value or _currencies_differ(first, second):
        return None
    return first._replace(currencies=first.currencies & second.currencies or first.currencies or second.currencies)


def _currencies_differ(expected: Figure, actual: Figure) -> bool:
    return bool(expected.currencies) and bool(actual.currencies) and not expected.currencies & actual.currencies


def _with_other_mark(figure: Figure) -> Figure:
    """The figure as it reads if its only separator has the other meaning."""
    if not figure.undecided:
        return figure
    return figure._replace(value=figure.value / 1000 if figure.undecided == "," else figure.value * 1000)


def _undecided_note(figure: Figure) -> str | None:
    if not figure.undecided:
        return None
    if figure.undecided == ",":
        return "a comma before three digits was read as grouping; set `decimal: comma` if it is the decimal mark"
    return "a point before three digits was read as the decimal mark; set `decimal: comma` if it groups"
