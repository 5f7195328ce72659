"""The forms of a text that several causes read: its words, its letters and digits, and these with look-alike characters as one.

Also which texts are codes or misread currency signs.
"""

from functools import lru_cache
from typing import Final

from rapidfuzz.distance import Hamming

from fieldwise.kernels.terms import countries_called
from fieldwise.kernels.text_normalize import keep_letters_and_digits, normalize_lookalikes, split_words
from fieldwise.model.context import Context
from fieldwise.pattern import compile_on_use

words_of = lru_cache(maxsize=1 << 12)(split_words)
"""The words of a text. Cached: the causes of a mismatch read the same two texts again and again. Callers must not change the list."""


def letters_of(expected: str, actual: str, context: Context) -> tuple[str, str]:
    """The letters and digits of two texts."""
    if context.forms is None:
        return keep_letters_and_digits(expected), keep_letters_and_digits(actual)
    return context.forms[:2]


def look_alike(expected: str, actual: str, context: Context) -> bool:
    """True if the letters and digits of two texts are the same but for characters that look alike."""
    if context.forms is None:
        left, right = letters_of(expected, actual, context)
        return normalize_lookalikes(left) == normalize_lookalikes(right)
    return context.forms[4] == context.forms[5]


def name_different_countries(expected: str, actual: str) -> bool:
    """True for `Iraq` and `Iran`, `Nigeria` and `Niger`: two countries, not one misspelt."""
    if any(map(str.isdigit, expected)) and any(map(str.isalpha, expected)):  # a code is letters or digits, and no name has digits
        return False
    expected_countries = countries_called(expected)
    return bool(expected_countries) and bool(countries_called(actual)) and expected_countries.isdisjoint(countries_called(actual))


def find_changes(expected: str, actual: str, most: int) -> list[int]:
    """Where two texts of one length differ, case aside; nothing if they differ in more than `most` places.

    >>> find_changes("INV-12", "inv-72", most=1), find_changes("INV-12", "INV-73", most=1)
    ([4], [])
    """
    if expected.isascii() and actual.isascii():
        left, right = expected.lower(), actual.lower()
        return [edit.src_pos for edit in Hamming.editops(left, right)] if Hamming.distance(left, right) <= most else []
    changes = [at for at, (left, right) in enumerate(zip(expected, actual, strict=True)) if left.casefold() != right.casefold()]
    return changes if len(changes) <= most else []


_CODE_OF_LETTER_AND_DIGITS: Final = compile_on_use(r"[^\W\d_](?:[-–—]\d+|0\d+)|—[^\W\d_]\d+|[-–—][^\W\d_]0\d+")
_CURRENCY_SIGNS: Final = frozenset("$€£¥")
_CURRENCY_LOOKALIKES: Final = frozenset(map(frozenset, ("$S", "$s", "€C", "€E", "£E", "£L", "£f", "¥Y")))


def is_letter_code(text: str) -> bool:
    """True for `S-5601` and `—M00098`: the letter of a code, not a currency, and a hyphen or dash, not a minus."""
    return _CODE_OF_LETTER_AND_DIGITS.fullmatch(text.strip()) is not None


def has_misread_currency(expected: str, actual: str) -> bool:
    """True for `$400.00` and `S400.00`: texts that differ in one character, a currency sign and a letter that looks like it."""
    if len(expected) != len(actual) or _CURRENCY_SIGNS.isdisjoint(expected + actual):
        return False
    changed = [frozenset(pair) for pair in zip(expected, actual, strict=True) if pair[0] != pair[1]]
    return len(changed) == 1 and changed[0] in _CURRENCY_LOOKALIKES


PRICE_DIGITS: Final = frozenset("059")
"""Digits in which prices end more often than chance."""


def are_price_endings(expected: str, actual: str) -> bool:
    """True for the digits of 12.90 and 12.95: the last two differ as those of two prices do."""
    return expected[-2:] != actual[-2:] and PRICE_DIGITS.issuperset(expected[-2:] + actual[-2:])
