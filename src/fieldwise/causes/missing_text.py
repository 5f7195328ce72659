"""Only a part of the expected words: `Springfield` for `12 Main St, Springfield`."""

from fieldwise.kernels.text_normalize import words
from fieldwise.model.context import Context
from fieldwise.registry import cause

LABEL = "part of the text is missing"
ADVICE = "Say that the whole text is wanted; to accept a part, use `match: fuzzy` with `algorithm: token_set`."
SCREEN = "inside"


@cause(rank=180, kinds="text", label=LABEL, advice=ADVICE, screens=SCREEN)
def missing_text(expected: str, actual: str, _context: Context) -> bool:
    """Whether the words of actual stand together in expected."""
    one, other = " ".join(words(expected)), " ".join(words(actual))
    return len(other) >= 2 and one != other and f" {other} " in f" {one} "
