"""More than the expected words: `Acme Corp (the seller)` for `Acme Corp`, `12 months` for 12."""

from fieldwise.kernels.text_normalize import words
from fieldwise.kernels.written_numbers import plain
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import cause

LABEL = "extra text around the value"
ADVICE = "Ask for the value alone, without labels, units or explanations; to accept it, use `match: contains`."
SCREEN = ("around", "other kinds")


@cause(rank=190, label=LABEL, advice=ADVICE, screens=SCREEN)
def extra_text(expected: Json, actual: Json, _context: Context) -> bool:
    """Whether expected, as whole words, stands inside a longer actual text."""
    if not isinstance(actual, str):
        return False
    if isinstance(expected, int | float) and not isinstance(expected, bool):
        number = plain(expected)
        return len(actual) > len(number) and number in actual.replace(",", "").split()
    if not isinstance(expected, str):
        return False
    one, other = " ".join(words(expected)), " ".join(words(actual))
    return len(one) >= 2 and one != other and f" {one} " in f" {other} "
