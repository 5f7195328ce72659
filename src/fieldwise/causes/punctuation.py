"""Text that differs only in punctuation: dashes, quotes, commas, hyphenation, a final period."""

from fieldwise.kernels.text_normalize import without_punctuation
from fieldwise.kernels.written_numbers import written_number
from fieldwise.model.context import Context
from fieldwise.registry import cause

LABEL = "punctuation"
ADVICE = "Compare words, e.g. `match: fuzzy` with `algorithm: token_sort`, or settle dashes and quotes before comparing."
SCREEN = "same letters"


@cause(rank=60, kinds="text", label=LABEL, advice=ADVICE, screens=SCREEN)
def punctuation(expected: str, actual: str, _context: Context) -> bool:
    """Whether only punctuation, and perhaps spaces and letter case, differs. In numbers punctuation is meaning: 1.5 is not 15."""
    form = without_punctuation(expected)
    return form != "" and form == without_punctuation(actual) and (written_number(expected) is None or written_number(actual) is None)
