"""Text that breaks off: actual is the beginning of expected."""

from fieldwise.kernels.text_normalize import letters_and_digits
from fieldwise.model.context import Context
from fieldwise.registry import cause

LABEL = "cut off"
ADVICE = "Check output limits and column widths; for prose compare with `match: contains` or `algorithm: token_set`."
SCREEN = "begins"
_ELLIPSES = ("…", "...", "[…]", "[...]")
_SHORTEST, _SHORTEST_WITH_ELLIPSIS = 4, 2


@cause(rank=170, kinds="text", label=LABEL, advice=ADVICE, screens=SCREEN)
def truncated(expected: str, actual: str, _context: Context) -> bool:
    """Whether actual is a proper beginning of expected, and long enough to be more than chance."""
    rest = letters_and_digits(actual)
    least = _SHORTEST_WITH_ELLIPSIS if actual.rstrip().endswith(_ELLIPSES) else _SHORTEST
    whole = letters_and_digits(expected)
    return least <= len(rest) < len(whole) and whole.startswith(rest) and not whole.isdecimal()
