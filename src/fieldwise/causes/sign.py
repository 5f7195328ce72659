"""The same number with the other sign."""

from fieldwise.kernels.written_numbers import as_number
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import cause

LABEL = "sign"
ADVICE = "Say whether credits and outflows are negative; brackets and a trailing minus are easily lost."
SCREEN = ("numbers", "opposite")


@cause(rank=130, label=LABEL, advice=ADVICE, screens=SCREEN)
def sign(expected: Json, actual: Json, _context: Context) -> bool:
    """Whether one number is the other's negative."""
    one, other = as_number(expected), as_number(actual)
    return one is not None and other is not None and one == -other and one != 0
