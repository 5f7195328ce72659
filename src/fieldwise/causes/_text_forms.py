"""The forms of a text that several causes read: its words, its letters and digits, and these with look-alike characters as one."""

from functools import lru_cache
from typing import Final

from fieldwise.kernels.terms import countries_called
from fieldwise.kernels.text_normalize import keep_letters_and_digits, normalize_lookalikes, split_words
from fieldwise.model.context import Context

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


PRICE_DIGITS: Final = frozenset("059")
"""Digits in which prices end more often than chance."""


def are_price_endings(expected: str, actual: str) -> bool:
    """True for the digits of 12.90 and 12.95: the last two differ as those of two prices do."""
    return expected[-2:] != actual[-2:] and PRICE_DIGITS.issuperset(expected[-2:] + actual[-2:])
