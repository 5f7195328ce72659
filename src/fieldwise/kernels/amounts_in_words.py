"""Read amounts in words, as contracts and cheques have them: `twenty-five dollars`, `Rupees five hundred and fifty paise`."""

import re
from decimal import Decimal
from typing import Final, TypeAlias

from fieldwise.kernels.amount_names import read_names
from fieldwise.kernels.currencies import NO_CODES, SUBUNITS, expand_codes, lookup_currencies, symbol_key
from fieldwise.kernels.locale_tables import number_words
from fieldwise.kernels.number_words import ENGLISH_NUMBERS, read_number_words, starts_with_number_word
from fieldwise.kernels.spelled_numbers import read_spelled_number

WordedAmount: TypeAlias = tuple[Decimal, frozenset[str]]
"""A number and the codes of the currencies it may be in; none for a number alone."""
_ENGLISH_WORDS: Final = frozenset((*ENGLISH_NUMBERS, "hundred", "thousand", "million", "billion", "trillion", "and", "a", "half"))
_OTHER_WORDS: Final = frozenset("null nul nulla nula otto once cent cents mille mila vent trent quince seize sexton nove".split())  # noqa: SIM905
"""Number words that are names, words of other languages, or placeholders."""
_MIN_LETTERS, _MIN_LETTERS_ELSEWHERE = 4, 6
"""Letters of a number in a language of `spelled_numbers`, and in another one."""
_MAX_NUMBER_WORDS: Final = 8
_MAX_NUMBER_WORDS_BEHIND_CURRENCY: Final = 12
_MAX_CURRENCY_WORDS: Final = 3
"""`United States dollars`."""


def read_amount_in_words(text: str) -> WordedAmount | None:
    """The amount of a text without digits, and its currencies; a number without a currency is read in English only.

    >>> read_amount_in_words("five pounds fifty")[0], read_amount_in_words("twenty-five")
    (Decimal('5.5'), (Decimal('25'), frozenset()))
    """
    words = text.split(" ")
    if not starts_with_number_word(text):
        for count in range(1, min(len(words), _MAX_CURRENCY_WORDS + 1)):
            currencies = lookup_currencies(" ".join(words[:count]))
            amount = None if currencies is None else _read_behind_currency(words[count:], currencies)
            if amount is not None:
                return amount
        return None
    for count in range(min(len(words), _MAX_NUMBER_WORDS), 0, -1):
        number = read_number_words(" ".join(words[:count]))
        if number is None:
            continue
        if count == len(words):
            is_english = all(word.casefold() in _ENGLISH_WORDS for word in re.split("[ -]", text))
            return (Decimal(str(number)), NO_CODES) if is_english else None
        return _read_before_currency(Decimal(str(number)), words[count:])
    return None


def read_number_alone(text: str) -> float | None:
    """The number that is all of a text in a language other than English, by a word of some length that is no usual word or name.

    >>> read_number_alone("zweiundzwanzig"), read_number_alone("Otto"), read_number_alone("null")
    (22, None, None)
    """
    folded = text.strip().casefold()
    if len(folded) < _MIN_LETTERS or folded in _OTHER_WORDS or not folded[0].isalpha():
        return None
    number = read_spelled_number(folded)
    return number if number is not None or len(folded) < _MIN_LETTERS_ELSEWHERE else number_words().get(folded)


def _read_behind_currency(words: list[str], currencies: frozenset[str]) -> WordedAmount | None:
    """The words behind a currency as its amount: `five hundred`, `five hundred and fifty paise`."""
    for count in range(min(len(words), _MAX_NUMBER_WORDS_BEHIND_CURRENCY), 0, -1):
        number = read_number_words(" ".join(words[:count]))
        amount = None if number is None else _add_small_unit(Decimal(str(number)), words[count:], currencies)
        if amount is not None:
            return amount
    return None


def _read_before_currency(number: Decimal, words: list[str]) -> WordedAmount | None:
    """A number with the words behind it: a currency or a small unit of one, and what comes on top of it."""
    for count in range(min(len(words), _MAX_CURRENCY_WORDS), 0, -1):
        named = read_names("", " ".join(words[:count]), ends_in_cr=False)
        if named is not None and named.currencies:
            return _add_small_unit(number * named.scale, words[count:], named.currencies)
    return None


def _add_small_unit(value: Decimal, rest: list[str], currencies: frozenset[str]) -> WordedAmount | None:
    """The amount with what follows its currency: `fifty`, `and fifty cents`."""
    if not rest:
        return value, currencies
    if rest[0].casefold() in ("and", "und", "et", "y"):
        rest = rest[1:]
    small_unit = SUBUNITS.get(symbol_key(rest[-1])) if len(rest) > 1 else None
    if small_unit is not None and not currencies & expand_codes(small_unit):
        return None
    minor = read_number_words(" ".join(rest if small_unit is None else rest[:-1]))
    return None if minor is None or minor >= 100 else (value + Decimal(str(minor)) / 100, currencies)
