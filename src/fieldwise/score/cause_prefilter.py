"""Cheap signs that a cause may hold: a cause is asked about a pair only where one of its screens does.

A module in `causes/` names its screens in `SCREEN`. Each is something that must hold before the cause can, so leaving out the others
changes nothing but the time; a test holds every cause to that. The screens of a pair are bits of one number.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from rapidfuzz.distance import Levenshtein

from fieldwise.kernels.text_normalize import all_letters, all_looks, all_without_digits
from fieldwise.kernels.written_dates import MONTH_WORDS, written_date
from fieldwise.kernels.written_numbers import NUMBER_WORDS, plain, written_number
from fieldwise.model.values import Value

ELSEWHERE: Final = "elsewhere"
"""The screen of causes that look at the record: the actual value stands somewhere in it, and not by chance."""
TEXT_SCREENS: Final = {
    "same letters": 1,
    "begins": 2,
    "inside": 4,
    "around": 8,
    "accented": 16,
    "few edits": 32,
    "same characters": 64,
    "swapped": 128,
    "shortened": 256,
    "look alike": 512,
    "placeholder": 1024,
}
"""What the letters of two texts show."""
MAY_BE_WRITTEN: Final = 2048
"""Set where both texts may be numbers or dates, which is costly to find out."""
WRITTEN_SCREENS: Final = {"numbers": 1, "dates": 2}
"""Both texts are numbers, or dates."""
MIXED_SCREENS: Final = {"numbers": 1, "other kinds": 2}
"""One side alone is text; of those, pairs of a number and a text that is one."""
NUMBER_SCREENS: Final = {"opposite": 1, "close": 2, "power of ten": 4}
DIGIT_SCREENS: Final = {"swapped digits": 1, "near digits": 2}
"""What the digits of two numbers show, which is looked at last."""

(
    _SAME_LETTERS, _BEGINS, _INSIDE, _AROUND, _ACCENTED, _FEW_EDITS, _SAME_CHARACTERS, _SWAPPED, _SHORTENED, _LOOK_ALIKE, _PLACEHOLDER,
) = TEXT_SCREENS.values()  # fmt: skip
_NUMBERS, _DATES = WRITTEN_SCREENS.values()
_OTHER_KINDS: Final = MIXED_SCREENS["other kinds"]
_OPPOSITE, _CLOSE, _POWER_OF_TEN = NUMBER_SCREENS.values()
_SWAPPED_DIGITS, _NEAR_DIGITS = DIGIT_SCREENS.values()
_WORDS: Final = (*MONTH_WORDS, *NUMBER_WORDS)
_WORD_ENDS: Final = frozenset(word[-2:] for word in _WORDS if len(word) > 1)
_OF: Final = "de"
"""Stands between the words of a Spanish date, and never alone; as a code of a country it is common."""
_SINGLE_LETTERS: Final = frozenset(word for word in _WORDS if len(word) == 1)
_PLACEHOLDER_STARTS: Final = "nutm"
_LONGEST_PLACEHOLDER: Final = 13
_LARGEST: Final = 1e300
_EXACT: Final = 2**53
"""Below it, whole numbers have all their digits as floats."""
_edits: Final = Levenshtein.distance


def screens_of_texts(pairs: Sequence[tuple[str, str]]) -> Iterator[int]:
    """The screens of each pair of texts, as bits."""
    expected, actual = [one for one, _ in pairs], [other for _, other in pairs]
    xs, ys = all_letters(expected), all_letters(actual)
    forms = zip(expected, actual, xs, ys, all_looks(xs), all_looks(ys), all_without_digits(xs), all_without_digits(ys), strict=True)
    for one, other, x, y, x_looks, y_looks, x_words, y_words in forms:
        if x == y:
            screens = _SAME_LETTERS
        elif len(x) == len(y):
            screens = _screens_of_as_many_letters(one, x, y, x_words, y_words)
        else:
            screens = _screens_of_more_letters(x, y, x_words, y_words)
        if x_looks == y_looks and x != y:
            screens |= _LOOK_ALIKE
        if not y or (y[0] in _PLACEHOLDER_STARTS and len(y) <= _LONGEST_PLACEHOLDER):
            screens |= _PLACEHOLDER
        if x_words != x and y_words != y and _may_be_written(x, x_words) and _may_be_written(y, y_words):
            screens |= MAY_BE_WRITTEN
        yield screens if one.isascii() and other.isascii() else screens | _ACCENTED


def _screens_of_as_many_letters(one: str, x: str, y: str, x_words: str, y_words: str) -> int:
    edits = _edits(x, y, score_cutoff=2)
    if edits == 1:
        return _FEW_EDITS if _may_be_typo(x, y, x_words, y_words) else 0
    screens = _FEW_EDITS if edits == 2 and len(x) > 8 else 0
    # a single word has no order, but the digits of a date may have changed places
    if (edits == 2 or len(x) != len(one) or x_words != x or not one.isascii()) and sum(x.encode()) == sum(y.encode()):
        screens |= _SAME_CHARACTERS | _SWAPPED if edits == 2 else _SAME_CHARACTERS
    return screens


def _screens_of_more_letters(x: str, y: str, x_words: str, y_words: str) -> int:
    longer_by = len(x) - len(y)
    screens = _SHORTENED if x[:1] == y[:1] else 0
    if longer_by > 0:
        if y in x:
            screens |= _INSIDE | _BEGINS if x.startswith(y) else _INSIDE
    elif x in y:
        screens |= _AROUND
    if -3 < longer_by < 3:
        edits = _edits(x, y, score_cutoff=2)
        if (edits == 2 and len(x) > 8) or (edits == 1 and _may_be_typo(x, y, x_words, y_words)):
            screens |= _FEW_EDITS
    return screens


def _may_be_typo(x: str, y: str, x_words: str, y_words: str) -> bool:
    """Whether texts that are one edit apart leave room for a typo: enough letters where a letter differs, else enough digits."""
    x_digits, y_digits = len(x) - len(x_words), len(y) - len(y_words)
    if x_digits == y_digits and x_words != y_words:
        return len(x_words) > 3 and len(y_words) > 3
    return x_digits > 5 and y_digits > 5


def _may_be_written(folded: str, words: str) -> bool:
    """Whether the words of a text that has digits leave room for a number or a date: few stand in those, single letters never first."""
    return not words or (words[-2:] in _WORD_ENDS and words != _OF) or (words[-1] in _SINGLE_LETTERS and words != folded[0])


def screens_of_written(one: str, other: str) -> int:
    """The screens of two texts that may be numbers or dates, as bits."""
    screens = _NUMBERS if written_number(other) is not None and written_number(one) is not None else 0
    return screens | _DATES if written_date(other) is not None and written_date(one) is not None else screens


def screens_of_mixed_kinds(one: Value, other: Value) -> int:
    """The screens of a pair of which one is text and the other is not, as bits."""
    text, value = (one, other) if isinstance(one, str) else (other, one)
    is_number = (type(value) is int or type(value) is float) and written_number(str(text)) is not None
    return _NUMBERS | _OTHER_KINDS if is_number else _OTHER_KINDS


def screens_of_numbers(one: float, other: float) -> int:
    """The screens of two numbers, as bits."""
    if not (-_LARGEST < one < _LARGEST and -_LARGEST < other < _LARGEST):
        return 0
    if one == -other:
        return _OPPOSITE
    small, large = abs(one), abs(other)
    if small > large:
        small, large = large, small
    screens = _POWER_OF_TEN if large > 9 * small and _is_about_a_power_of_ten(small, large) else 0
    if large < 1000 and type(one) is int and type(other) is int:  # too few digits to drop one
        return screens
    return screens | _CLOSE if _may_be_rounded(one, other, large) else screens


def _may_be_rounded(one: float, other: float, large: float) -> bool:
    apart = abs(one - other)
    if one % 1 == 0 and other % 1 == 0:
        return large >= 1000 and apart <= 0.05 * large and (one % 10 == 0 or other % 10 == 0)
    return apart <= 0.1 or (apart <= 1 and (one % 1 == 0 or other % 1 == 0)) or apart <= 1e-6 * large


def _is_about_a_power_of_ten(small: float, large: float) -> bool:
    times = large / small if small else 0.0
    return 9.8 < times < 10.2 or 98 < times < 102 or 980 < times < 1020 or 980_000 < times < 1_020_000


def screens_of_digits(one: float, other: float) -> int:
    """The screens of the digits of two numbers, as bits. Two digits that change places make a difference of nine times something."""
    if not (-_LARGEST < one < _LARGEST and -_LARGEST < other < _LARGEST) or (one < 0) != (other < 0):
        return 0
    if one % 1 == 0 and other % 1 == 0 and -_EXACT < one < _EXACT and -_EXACT < other < _EXACT:
        swapped = _SWAPPED_DIGITS if (one - other) % 9 == 0 else 0
        return swapped if -10_000 < one < 10_000 or -10_000 < other < 10_000 else swapped | _NEAR_DIGITS
    x, y = (repr(one), repr(other)) if type(one) is type(other) else (plain(one), plain(other))
    return _SWAPPED_DIGITS | _NEAR_DIGITS if -2 <= len(x) - len(y) <= 2 and _edits(x, y, score_cutoff=2) <= 2 else 0
