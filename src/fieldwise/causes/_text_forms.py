"""The forms of a text that several causes read: its words, and its letters and digits."""

from functools import lru_cache

from fieldwise.kernels.terms import countries_called
from fieldwise.kernels.text_normalize import keep_letters_and_digits, split_words
from fieldwise.model.context import Context

words_of = lru_cache(maxsize=512)(split_words)
"""The words of a text. Cached: the causes of a mismatch read the same two texts again and again. Callers must not change the list."""


def letters_of(text: str, context: Context) -> str:
    """The letters and digits of a text, from the context where they are computed for the whole batch."""
    letters = context.letters.get(text)
    return keep_letters_and_digits(text) if letters is None else letters


def name_different_countries(expected: str, actual: str) -> bool:
    """True for `Iraq` and `Iran`, `Nigeria` and `Niger`: two countries, not one misspelt."""
    expected_countries = countries_called(expected)
    return bool(expected_countries) and bool(countries_called(actual)) and expected_countries.isdisjoint(countries_called(actual))
