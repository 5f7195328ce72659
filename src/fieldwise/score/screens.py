"""Cheap signs that a cause may hold: a cause is asked about a pair only where one of its screens does.

A module in `causes/` names its screens in `SCREEN`. Each is something that must hold before the cause can, so leaving out the others
changes nothing but the time; a test holds every cause to that. The screens of a pair are bits of one number.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from rapidfuzz.distance import Levenshtein

from fieldwise.kernels.folds import FIRST_LOOKS, LAST_LOOKS, all_letters, looks
from fieldwise.kernels.written_dates import MONTH_WORDS, written_date
from fieldwise.kernels.written_numbers import NUMBER_WORDS, plain, written_number

ELSEWHERE: Final = "elsewhere"
"""The screen of causes that look at the record: the actual value stands somewhere in it."""
OTHER_KINDS: Final = "other kinds"
"""The screen of causes for pairs that are neither two texts nor two numbers; all causes of any kind are asked about those."""
TEXT_SCREENS: Final = {
    "same letters": 1,
    "inside": 2,
    "near": 4,
    "same characters": 8,
    "swapped": 16,
    "shortened": 32,
    "look alike": 64,
    "placeholder": 128,
    "numbers": 256,
    "dates": 512,
}
NUMBER_SCREENS: Final = {"opposite": 1, "close": 2, "far": 4, "near number": 8}

_SAME_LETTERS, _INSIDE, _NEAR, _SAME_CHARACTERS, _SWAPPED, _SHORTENED, _LOOK_ALIKE, _PLACEHOLDER, _NUMBERS, _DATES = TEXT_SCREENS.values()
_OPPOSITE, _CLOSE, _FAR, _NEAR_NUMBER = NUMBER_SCREENS.values()
_DIGITS: Final = "0123456789"
_WORD_ENDS: Final = frozenset(word[-2:] for word in (*MONTH_WORDS, *NUMBER_WORDS))
_PLACEHOLDER_STARTS: Final = "nutm"
_LONGEST_PLACEHOLDER: Final = 13
_LARGEST: Final = 1e300
_edits: Final = Levenshtein.distance


def screens_of_texts(pairs: Sequence[tuple[str, str]]) -> Iterator[int]:
    """The screens of each pair of texts, as bits."""
    xs, ys = all_letters([one for one, _ in pairs]), all_letters([other for _, other in pairs])
    for (one, other), x, y in zip(pairs, xs, ys, strict=True):
        screens = _PLACEHOLDER if not y or (y[0] in _PLACEHOLDER_STARTS and len(y) <= _LONGEST_PLACEHOLDER) else 0
        if not (x.isalpha() or y.isalpha()) and _may_be_written(x) and _may_be_written(y):
            screens |= _screens_of_digits(one, other)
        yield screens | _SAME_LETTERS if x == y else screens | _screens_of_letters(x, y)


def _screens_of_letters(x: str, y: str) -> int:
    screens = _INSIDE if x in y or y in x else 0
    longer_by = len(x) - len(y)
    if longer_by == 0:
        if sum(x.encode()) == sum(y.encode()):
            screens |= _SAME_CHARACTERS | _SWAPPED
    elif x[:1] == y[:1]:
        screens |= _SHORTENED
    if _may_look_alike(x, y) and looks(x) == looks(y):
        screens |= _LOOK_ALIKE
    if -2 <= longer_by <= 2 and _edits(x, y, score_cutoff=2) <= 2:
        return screens | _NEAR
    return screens & ~_SWAPPED


def _may_look_alike(x: str, y: str) -> bool:
    """Whether both ends do, which is quickly seen."""
    return bool(x and y) and FIRST_LOOKS.get(x[0]) == FIRST_LOOKS.get(y[0]) and LAST_LOOKS.get(x[-1]) == LAST_LOOKS.get(y[-1])


def _may_be_written(folded: str) -> bool:
    """Whether the letters of a text leave room for a number or a date: few words stand in those."""
    word = folded.strip(_DIGITS)
    return not word.isalpha() or word[-2:] in _WORD_ENDS


def _screens_of_digits(one: str, other: str) -> int:
    screens = _NUMBERS if written_number(other) is not None and written_number(one) is not None else 0
    return screens | _DATES if written_date(other) is not None and written_date(one) is not None else screens


def screens_of_numbers(one: float, other: float) -> int:
    """The screens of two numbers, as bits."""
    if not (-_LARGEST < one < _LARGEST and -_LARGEST < other < _LARGEST):
        return 0
    if one == -other:
        return _OPPOSITE
    apart, larger = abs(one - other), max(abs(one), abs(other))
    screens = _CLOSE if apart <= 1 or apart <= 0.05 * larger else 0
    if apart >= 0.8 * larger:
        screens |= _FAR
    x, y = (repr(one), repr(other)) if type(one) is type(other) else (plain(one), plain(other))
    return screens | _NEAR_NUMBER if -2 <= len(x) - len(y) <= 2 and _edits(x, y, score_cutoff=2) <= 2 else screens
