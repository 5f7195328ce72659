"""What texts can be read as by their shape, which is the text with 0 for every digit: a column of codes has many texts and few shapes."""

from functools import lru_cache
from typing import Final, NamedTuple

from fieldwise.kernels.amounts import may_be_figure
from fieldwise.kernels.dates import may_be_date
from fieldwise.kernels.numbers import may_be_number

_DIGITS_AS_ZERO: Final = bytes.maketrans(b"123456789", b"000000000")


class PossibleReadings(NamedTuple):
    """What a text with digits can be read as. False is certain."""

    number: bool
    """By `parse_number_readings`."""
    figure: bool
    """By `read_figure_once`."""
    date: bool
    """By `parse_date_readings`."""


_ALL: Final = PossibleReadings(number=True, figure=True, date=True)


def find_possible_readings(text: str) -> PossibleReadings:
    """What a text with digits can be read as, whatever its digits are.

    >>> find_possible_readings("INV-000123")
    PossibleReadings(number=False, figure=False, date=False)
    >>> find_possible_readings("2025-03-04").date, find_possible_readings("EUR 12").figure
    (True, True)
    """
    return _readings_of_shape(text.encode().translate(_DIGITS_AS_ZERO).decode()) if text.isascii() else _ALL


@lru_cache(maxsize=1 << 12)  # safe: the result depends on the shape alone
def _readings_of_shape(shape: str) -> PossibleReadings:
    shape = shape.strip()
    return PossibleReadings(may_be_number(shape), may_be_figure(shape), may_be_date(shape))
