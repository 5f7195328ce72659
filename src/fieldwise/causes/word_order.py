"""The same words in another order: `Smith, John` and `John Smith`."""

from fieldwise.kernels.text_normalize import words
from fieldwise.model.context import Context
from fieldwise.registry import cause

LABEL = "word order"
ADVICE = "Compare words in any order: `match: fuzzy` with `algorithm: token_sort`."
SCREEN = "same characters"


@cause(rank=90, kinds="text", label=LABEL, advice=ADVICE, screens=SCREEN)
def word_order(expected: str, actual: str, _context: Context) -> bool:
    """Whether both have the same words, in different orders. Digits alone are no words: 12 34 is not 34 12."""
    one, other = words(expected), words(actual)
    return one != other and sorted(one) == sorted(other) and any(word.isalpha() for word in one)
