"""What a text can be read as by its shape: the text with 0 for every digit. A column of codes has many texts and few shapes."""

from functools import lru_cache
from typing import Final, NamedTuple

from fieldwise.kernels.amounts import read_figure_once
from fieldwise.kernels.dates import may_be_date
from fieldwise.kernels.numbers import may_be_number
from fieldwise.pattern import compile_on_use

_NOT_IN_CODES: Final = frozenset("eE^/")
"""A text with a hyphen between digits and none of these marks is no figure."""
_ONE_NUMERAL: Final = compile_on_use("[^0]*0+[^0]*")


class PossibleReadings(NamedTuple):
    """What a text of some shape can be read as. False is certain."""

    number: bool
    """By `parse_number_readings`."""
    figure: bool
    """By `read_figure_once`."""
    date: bool
    """By `parse_date_readings`."""


@lru_cache(maxsize=1 << 12)
def possible_readings(shape: str) -> PossibleReadings:
    """What a text can be read as whose shape, by `mask_digits`, is this.

    >>> possible_readings("INV-000000"), possible_readings("0000-00-00").date
    (PossibleReadings(number=False, figure=False, date=False), True)
    """
    shape = shape.strip()
    return PossibleReadings(may_be_number(shape), _may_be_figure(shape), may_be_date(shape))


def _may_be_figure(shape: str) -> bool:
    if not (shape.isascii() and shape.isprintable()):
        return True
    if _ONE_NUMERAL.fullmatch(shape):  # then what stands around the digits decides, not the digits
        return read_figure_once(shape) is not None
    return not ("0-0" in shape and _NOT_IN_CODES.isdisjoint(shape))
