"""Text that differs only in accents: `José` and `Jose`, `Müller` and `Mueller`, `ﬁn` and `fin`."""

from fieldwise.kernels.text_normalize import with_spelled_umlauts, without_accents
from fieldwise.model.context import Context
from fieldwise.registry import cause

LABEL = "accents"
ADVICE = "Check the encoding of the source, or allow for accents with `match: fuzzy`."
SCREEN = "accented"
_UMLAUTS = 2
"""How many letters umlauts may add: beyond that, look at the texts."""


@cause(rank=70, kinds="text", label=LABEL, advice=ADVICE, screens=SCREEN)
def accents(expected: str, actual: str, _context: Context) -> bool:
    """Whether only accents, and perhaps punctuation, spaces and letter case, differ."""
    if expected.isascii() and actual.isascii():
        return False
    if without_accents(expected) == without_accents(actual):
        return True
    return abs(len(expected) - len(actual)) <= _UMLAUTS and with_spelled_umlauts(expected) == with_spelled_umlauts(actual)
