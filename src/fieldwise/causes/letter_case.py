"""Text that differs only in upper and lower case."""

from fieldwise.kernels.text_normalize import without_case
from fieldwise.model.context import Context
from fieldwise.registry import cause

LABEL = "letter case"
ADVICE = "Fold case where it carries no meaning, e.g. `match: fuzzy`, or ask for the case as printed."
SCREEN = "same letters"


@cause(rank=10, kinds="text", label=LABEL, advice=ADVICE, screens=SCREEN)
def letter_case(expected: str, actual: str, _context: Context) -> bool:
    """Whether only upper and lower case differ."""
    return without_case(expected) == without_case(actual)
