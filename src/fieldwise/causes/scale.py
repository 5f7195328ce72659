"""A number that is off by a power of ten: cents for euros, thousands for units, percent for shares."""

from fieldwise.kernels.written_numbers import as_number, decimals_of, plain
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import cause

LABEL = "scale"
ADVICE = "State the unit in the schema: percent or share, thousands or units, cents or whole currency."
SCREEN = ("numbers", "power of ten")
_FACTORS = (10, 100, 1000, 1_000_000)
_TELLING = 3
"""So many digits must stay for a rounded number to be known again at another scale."""


@cause(rank=160, label=LABEL, advice=ADVICE, screens=SCREEN)
def scale(expected: Json, actual: Json, _context: Context) -> bool:
    """Whether one number is 10, 100, 1,000 or 1,000,000 times the other, rounded or not."""
    one, other = as_number(expected), as_number(actual)
    if one is None or other is None or not one or not other or (one < 0) != (other < 0):
        return False
    small, large = (abs(one), abs(other)) if abs(one) < abs(other) else (abs(other), abs(one))
    times = large / small
    for factor in _FACTORS:
        if 0.99 < times / factor < 1.01:
            return _is_times(small, large, factor)
    return False


def _is_times(small: float, large: float, factor: int) -> bool:
    apart = abs(small * factor - large) if isinstance(small, int) and isinstance(large, int) else abs(float(small) - large / factor)
    if apart <= 1e-12 * small:
        return True
    return factor >= 1000 and apart <= 0.5 * 10.0 ** -decimals_of(small) and len(plain(small).replace(".", "").strip("0")) >= _TELLING
