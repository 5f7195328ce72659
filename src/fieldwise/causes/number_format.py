"""The same number written otherwise: separators, currency, percent, brackets for a negative, leading zeros."""

from fieldwise.kernels.written_numbers import WrittenNumber, as_number, written_number
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import cause

LABEL = "number format"
ADVICE = "Read numbers out of text, e.g. `match: numeric_tolerance` with `parse: true`, or ask for plain numbers."
SCREEN = "numbers"


@cause(rank=40, label=LABEL, advice=ADVICE, screens=SCREEN)
def number_format(expected: Json, actual: Json, _context: Context) -> bool:
    """Whether both are the same number, at least one of them written as text."""
    if not (isinstance(expected, str) or isinstance(actual, str)):
        return False
    one, other = _written(expected), _written(actual)
    if one is None or other is None or (one.currency and other.currency and one.currency != other.currency):
        return False
    if one.values[0] == other.values[0]:
        return True
    meanings = _meanings(other)
    return any(_same(a, b) for a in _meanings(one) for b in meanings)


def _written(value: Json) -> WrittenNumber | None:
    if isinstance(value, str):
        return written_number(value)
    number = as_number(value)
    return None if number is None else WrittenNumber((number,))


def _meanings(number: WrittenNumber) -> tuple[int | float, ...]:
    """`12 %` is 12 or 0.12."""
    return (*number.values, *(value / 100 for value in number.values)) if number.percent else number.values


def _same(a: float, b: float) -> bool:
    return a == b or (isinstance(a, float) and abs(a - b) <= 1e-12 * abs(a))
