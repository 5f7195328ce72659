"""Text that differs only in white space, zero-width and non-breaking spaces included."""

from fieldwise.kernels.text_normalize import without_space
from fieldwise.model.context import Context
from fieldwise.registry import cause

LABEL = "white space"
ADVICE = "Trim and collapse spaces before comparing; look for line breaks and non-breaking spaces in the output."
SCREEN = "same letters"


@cause(rank=20, kinds="text", label=LABEL, advice=ADVICE, screens=SCREEN)
def whitespace(expected: str, actual: str, _context: Context) -> bool:
    """Whether only white space, and perhaps letter case, differs."""
    form = without_space(expected)
    return form != "" and form == without_space(actual)
