"""One or two characters off in a text long enough to be known again, or one digit in a long number."""

from rapidfuzz.distance import Levenshtein

from fieldwise.kernels.text_normalize import digits, letters_and_digits
from fieldwise.kernels.written_dates import written_date
from fieldwise.kernels.written_numbers import aligned_digits, as_number
from fieldwise.model.context import Context
from fieldwise.model.values import Json
from fieldwise.registry import cause

LABEL = "one or two characters off"
ADVICE = "Allow for small slips with `match: fuzzy` where they do not matter; check codes against a list or a checksum."
SCREEN = ("few edits", "near digits")
_LONG_FOR_ONE, _LONG_FOR_TWO = 4, 9
_LONG_IN_DIGITS, _LONG_IN_DIGITS_OF_TEXT = 5, 6


@cause(rank=220, label=LABEL, advice=ADVICE, screens=SCREEN)
def typo(expected: Json, actual: Json, _context: Context) -> bool:
    """Whether very few edits make both the same."""
    if isinstance(expected, str) and isinstance(actual, str):
        return _in_text(expected, actual)
    if isinstance(expected, str) or isinstance(actual, str):
        return False
    one, other = as_number(expected), as_number(actual)
    if one is None or other is None or (one < 0) != (other < 0):
        return False
    return _in_digits(*aligned_digits(one, other))


def _in_text(expected: str, actual: str) -> bool:
    one, other = letters_and_digits(expected), letters_and_digits(actual)
    edits = Levenshtein.distance(one, other, score_cutoff=2)
    shorter = min(len(one), len(other))
    if edits == 0 or edits > (2 if shorter >= _LONG_FOR_TWO else 1) or shorter < _LONG_FOR_ONE:
        return False
    if one.isalpha() and other.isalpha():
        return True
    one_digits, other_digits = digits(one), digits(other)
    if one_digits == other_digits:
        return shorter - len(one_digits) >= _LONG_FOR_ONE
    if min(len(one_digits), len(other_digits)) < _LONG_IN_DIGITS_OF_TEXT:
        return False
    return _in_digits(one_digits, other_digits) and (written_date(expected) is None or written_date(actual) is None)


def _in_digits(one: str, other: str) -> bool:
    """One digit of many: two short numbers that share digits are simply two numbers."""
    return min(len(one.strip("0")), len(other.strip("0"))) >= _LONG_IN_DIGITS and Levenshtein.distance(one, other, score_cutoff=1) == 1
