"""The corruptions that mutation testing applies to expected values: every cause of a mismatch run backwards, and a few more.

A corruption that has the name of a cause makes values which that cause explains.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from fieldwise.model.values import MISSING, Value
from fieldwise.registry import CAUSES
from fieldwise.study import corrupt_dates, corrupt_numbers, corrupt_text
from fieldwise.study.value_equality import ValueKind, kind_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueContext:
    """What surrounds a value that is corrupted."""

    name: str = ""
    """The last key of its path."""
    pick: int = 0
    """Chooses among several places of a corruption."""
    decimals: int = 0
    """The most decimals that a number of the field has."""
    neighbours: Sequence[Any] = ()
    """Values of the same field in the items beside it."""
    siblings: Sequence[Any] = ()
    """Values of other fields of the same record."""
    others: Sequence[Any] = ()
    """Values of the same field in other cases."""


class _Unchanged:
    """The type of `UNCHANGED`."""


UNCHANGED: Final = _Unchanged()
"""Returned where a corruption does not apply to a value."""
_MAX_NUMBER: Final = 1e300
"""Larger numbers are not corrupted: their multiples are beyond what a float holds."""
Corrupted: TypeAlias = "Value | _Unchanged"


@dataclass(frozen=True, slots=True)
class Corruption:
    """One way to corrupt a value."""

    name: str
    kinds: frozenset[ValueKind]
    """Kinds of values that it applies to."""
    function: Callable[[Any, ValueContext], Corrupted]


def corrupt_value(corruption: Corruption, value: Any, context: ValueContext) -> Corrupted:
    """The corrupted value; MISSING for one that is dropped, UNCHANGED where there is nothing to corrupt."""
    corrupted = corruption.function(value, context)
    if isinstance(corrupted, _Unchanged) or (type(corrupted) is type(value) and corrupted == value):
        return UNCHANGED
    return corrupted


def corruption_label(name: str) -> str:
    """The name of a corruption in words; that of a cause is its label."""
    if name in _LABELS:
        return _LABELS[name]
    return CAUSES.find(name).label


def _adapt_text_function(function: Callable[[str, int], str | None]) -> Callable[[Any, ValueContext], Corrupted]:
    """Give a corruption of text the signature of all; its None becomes UNCHANGED."""

    def corrupt(value: Any, context: ValueContext) -> Corrupted:
        changed = function(value, context.pick)
        return UNCHANGED if changed is None else changed

    return corrupt


def _is_beyond_limit(value: Any) -> bool:
    """True for NaN, infinite numbers, and those whose multiples no float holds."""
    return isinstance(value, int | float) and not abs(value) < _MAX_NUMBER


def _adapt_number_function(function: Callable[[Any, int, int], Any]) -> Callable[[Any, ValueContext], Corrupted]:
    """Give a corruption of numbers the signature of all; its None becomes UNCHANGED."""

    def corrupt(value: Any, context: ValueContext) -> Corrupted:
        if _is_beyond_limit(value):
            return UNCHANGED
        changed = function(value, context.pick, context.decimals)
        return UNCHANGED if changed is None else changed

    return corrupt


def _use_placeholder(value: Any, context: ValueContext) -> Corrupted:
    return corrupt_text.use_placeholder(str(value), context.pick) or UNCHANGED


def _add_label(value: Any, context: ValueContext) -> Corrupted:
    return corrupt_text.add_label(value, context.name)


def _write_as_text(value: Any, context: ValueContext) -> Corrupted:
    if isinstance(value, bool):
        return str(value).lower()
    if _is_beyond_limit(value):
        return UNCHANGED
    changed = corrupt_numbers.write_as_text(value, context.pick, context.decimals)
    return UNCHANGED if changed is None else changed


def _negate(value: Any, context: ValueContext) -> Corrupted:
    if isinstance(value, bool):
        return not value
    return corrupt_text.negate(value, context.pick) or UNCHANGED


def _take_neighbour(value: Any, context: ValueContext) -> Corrupted:
    return _choose(value, context.neighbours, context.pick)


def _take_sibling(value: Any, context: ValueContext) -> Corrupted:
    kind = kind_of(value)
    same_kind = [sibling for sibling in context.siblings if kind_of(sibling) == kind]
    return _choose(value, same_kind or [sibling for sibling in context.siblings if type(sibling) is type(value)], context.pick)


def _take_other_case(value: Any, context: ValueContext) -> Corrupted:
    return _choose(value, context.others, context.pick)


def _choose(value: Any, candidates: Sequence[Any], pick: int) -> Corrupted:
    """One of the candidates that differs from the value."""
    different = [candidate for candidate in candidates if candidate is not None and candidate != value]
    return different[pick % len(different)] if different else UNCHANGED


def _make_null(value: Any, context: ValueContext) -> Corrupted:
    del value, context
    return None


def _drop(value: Any, context: ValueContext) -> Corrupted:
    del value, context
    return MISSING


def _invent(value: Any, context: ValueContext) -> Corrupted:
    del value
    return context.others[context.pick % len(context.others)] if context.others else "invented"


_TEXT: Final[frozenset[ValueKind]] = frozenset({"text"})
_WRITTEN: Final[frozenset[ValueKind]] = frozenset({"text", "code"})
_NUMERIC: Final[frozenset[ValueKind]] = frozenset({"figure", "number"})
_DATE: Final[frozenset[ValueKind]] = frozenset({"date"})
_PRESENT: Final[frozenset[ValueKind]] = frozenset({"text", "code", "date", "figure", "number", "bool"})

CORRUPTIONS: Final = (
    Corruption("digit_changed", _NUMERIC, _adapt_number_function(corrupt_numbers.change_digit)),
    Corruption("digit_changed", _WRITTEN, _adapt_text_function(corrupt_text.change_digit)),
    Corruption("transposed", _NUMERIC, _adapt_number_function(corrupt_numbers.swap_digits)),
    Corruption("transposed", _WRITTEN, _adapt_text_function(corrupt_text.swap_neighbours)),
    Corruption("decimal_point_lost", _NUMERIC, _adapt_number_function(corrupt_numbers.lose_decimal_point)),
    Corruption("scale", _NUMERIC, _adapt_number_function(corrupt_numbers.scale_up)),
    Corruption("sign", _NUMERIC, _adapt_number_function(corrupt_numbers.flip_sign)),
    Corruption("last_digit", _NUMERIC, _adapt_number_function(corrupt_numbers.add_last_unit)),
    Corruption("rounding", _NUMERIC, _adapt_number_function(corrupt_numbers.round_off)),
    Corruption("other_currency", frozenset({"figure", "text"}), _adapt_number_function(corrupt_numbers.change_currency)),
    Corruption("currency_on_one_side", frozenset({"figure"}), _adapt_number_function(corrupt_numbers.drop_currency)),
    Corruption("other_unit", frozenset({"figure"}), _adapt_number_function(corrupt_numbers.change_unit)),
    Corruption("number_format", _NUMERIC, _adapt_number_function(corrupt_numbers.rewrite_number)),
    Corruption("type_as_text", frozenset({"number", "figure", "bool"}), _write_as_text),
    Corruption("day_month_swapped", _DATE, _adapt_text_function(corrupt_dates.swap_day_and_month)),
    Corruption("year_shifted", _DATE, _adapt_text_function(corrupt_dates.shift_year)),
    Corruption("month_shifted", _DATE, _adapt_text_function(corrupt_dates.shift_month)),
    Corruption("day_shifted", _DATE, _adapt_text_function(corrupt_dates.shift_day)),
    Corruption("time_shifted", _DATE, _adapt_text_function(corrupt_dates.shift_hour)),
    Corruption("date_part", _DATE, _adapt_text_function(corrupt_dates.misread_date_part)),
    Corruption("two_digit_year", _DATE, _adapt_text_function(corrupt_dates.change_century)),
    Corruption("date_format", _DATE, _adapt_text_function(corrupt_dates.rewrite_date)),
    Corruption("negation", frozenset({"bool", "text"}), _negate),
    Corruption("truncated", _WRITTEN, _adapt_text_function(corrupt_text.cut_off)),
    Corruption("missing_text", _TEXT, _adapt_text_function(corrupt_text.drop_first_word)),
    Corruption("word_missing", _TEXT, _adapt_text_function(corrupt_text.drop_middle_word)),
    Corruption("word_added", _TEXT, _adapt_text_function(corrupt_text.add_middle_word)),
    Corruption("extra_text", _WRITTEN, _adapt_text_function(corrupt_text.add_text)),
    Corruption("label_included", _WRITTEN, _add_label),
    Corruption("word_order", _TEXT, _adapt_text_function(corrupt_text.reorder_words)),
    Corruption("abbreviation", _TEXT, _adapt_text_function(corrupt_text.abbreviate)),
    Corruption("letter_case", _WRITTEN, _adapt_text_function(corrupt_text.change_case)),
    Corruption("accents", _TEXT, _adapt_text_function(corrupt_text.drop_accents)),
    Corruption("punctuation", _WRITTEN, _adapt_text_function(corrupt_text.change_punctuation)),
    Corruption("whitespace", _WRITTEN, _adapt_text_function(corrupt_text.add_space)),
    Corruption("ocr", _WRITTEN, _adapt_text_function(corrupt_text.misread_lookalike)),
    Corruption("typo", _WRITTEN, _adapt_text_function(corrupt_text.mistype_letter)),
    Corruption("misread", _TEXT, _adapt_text_function(corrupt_text.misread_letters)),
    Corruption("item_shifted", _PRESENT, _take_neighbour),
    Corruption("value_of_another_field", _PRESENT, _take_sibling),
    Corruption("other_value", _PRESENT, _take_other_case),
    Corruption("null_text", _PRESENT, _use_placeholder),
    Corruption("null", _PRESENT, _make_null),
    Corruption("dropped", _PRESENT, _drop),
    Corruption("invented", frozenset({"null"}), _invent),
)
"""All corruptions of single values, in the order in which they are tried: of two that give the same value, the first counts."""

_LABELS: Final = {
    "last_digit": "last digit one more",
    "year_shifted": "year off by one",
    "month_shifted": "month off by one",
    "day_shifted": "day off by one",
    "time_shifted": "hour off by one",
    "negation": "negation",
    "other_value": "value of another case",
    "null": "null",
    "dropped": "dropped",
    "invented": "invented",
    "duplicated": "item repeated",
    "swapped": "items swapped",
}
