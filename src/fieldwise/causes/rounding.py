"""A number with some of its last digits rounded or cut off."""

from fieldwise.kernels.written_numbers import as_number, decimals_of, plain
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import cause

LABEL = "rounding"
ADVICE = "Allow for it with `match: numeric_tolerance`, or ask for all decimals as printed."
SCREEN = ("numbers", "close")
_SLACK = 1 + 1e-9
_NOISE = 1e-6
"""Numbers that agree to six digits differ by how they were computed or stored."""


@cause(rank=150, label=LABEL, advice=ADVICE, screens=SCREEN)
def rounding(expected: Json, actual: Json, _context: Context) -> bool:
    """Whether one number is the other with fewer digits."""
    one, other = as_number(expected), as_number(actual)
    if one is None or other is None or one == other:
        return False
    apart, larger = abs(one - other), max(abs(one), abs(other))
    if apart > 1 and apart > 0.05 * larger:
        return False
    if one % 1 == 0 and other % 1 == 0:
        return _to_round_number(int(one), int(other))
    return apart <= _NOISE * larger or _to_fewer_decimals(one, other, apart, larger)


def _to_fewer_decimals(one: float, other: float, apart: float, larger: float) -> bool:
    """12.346 and 12.35, or 12.3 cut off; also 12.34 and 12.35, where the last of several decimals is off by one."""
    fine, coarse = decimals_of(one), decimals_of(other)
    if fine == coarse:
        return fine >= 2 and apart <= 10.0**-fine * _SLACK and apart <= 1e-3 * larger
    unit = 10.0 ** -min(fine, coarse)
    allowed = unit / 2 * _SLACK if 0 in (one, other) or larger < unit * 2 else unit
    return apart <= allowed and apart < unit


def _to_round_number(one: int, other: int) -> bool:
    """1,234,567 and 1,235,000: at least three digits stay, or two where several are dropped."""
    digits = min(plain(abs(one)), plain(abs(other)), key=lambda text: len(text.rstrip("0")))
    kept = len(digits.rstrip("0"))
    dropped = len(digits) - kept
    return kept >= 2 and kept + min(dropped, 2) >= 4 and abs(one - other) * 2 <= 10**dropped
