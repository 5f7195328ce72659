"""Letters before a number: the prefix of an identifier, a currency or a unit.

`PO1012`, `FR-1013` and `WO 7` look like a quantity, an amount and a length of time, and are none: units follow their number, and an amount
shows decimals, groups of digits, a symbol that is no letter, or a space behind the currency.

>>> prefix = split_prefix("EUR 9999")
>>> prefix is not None and is_currency_prefix(prefix)
True
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from fieldwise.kernels.currencies import MORE_CURRENCIES
from fieldwise.kernels.locale_tables import currency_codes, currency_symbols, major_languages, month_names

_PREFIXED: Final = re.compile(r"(?P<letters>[^\W\d_]+)(?P<separator>[-.:/#]? ?-?)\d+")
_SUFFIXED: Final = re.compile(r"\d+(?P<letters>[A-Z]{2})", re.ASCII)
_ONE_INTEGER: Final = re.compile(r"[^\W\d_]+[-.:/#]? ?-?\d+|\d+ ?[^\W\d_]+\.?")
_LETTERS_FIRST: Final = re.compile(r"(?P<letters>[^\W\d_]+)[-.:/#_]?\d\S*")
_DAY_AND_YEAR: Final = re.compile(r"\D+\d{1,2}(?:st|nd|rd|th)?[-./,]\d{4}(?!\d).*", re.IGNORECASE)
_WORD_AND_NUMBER: Final = re.compile(r"[^\W\d_]+[\W_]*\d+|\d+[\W_]*[^\W\d_]+\.?")
_WORD: Final = re.compile(r"[^\W\d_]+")
_NUMBER: Final = re.compile(r"\d+")
_JOINED_SYMBOLS: Final = frozenset({"rs", "rp", "kr", "ksh", "tsh", "ush"})
"""Written directly before the number, and not in capitals: `Rs500`, `kr500`."""
_CAPITAL_SYMBOLS: Final = frozenset({"TL", "KD", "BD", "JD", "QR", "SR", "RS"})
"""Abbreviations of two capitals that CLDR does not list, or not so: `KD 5`."""
_MIN_JOINED_SCALE_LENGTH: Final = 4
"""Of a scale joined to a code: `TEUR`, `MSEK`. Shorter ones (`TAF`, `KKR`) are more often something else."""
_MIN_MONTH_LENGTH: Final = 3
_COMPACT_DATE_LENGTH: Final = 8
_PARTS_OF_DATES: Final = re.compile(r"[TZW]|X?(?:I{1,3}|I?[VX]|VI{1,3})")
"""Of ISO dates, and months in Roman numerals."""
_ENGLISH: Final = frozenset({"en"})


class Prefix(NamedTuple):
    """The letters before an unbroken integer, and what separates them."""

    letters: str
    separator: str

    @property
    def is_apart(self) -> bool:
        """Whether a space separates letters and number."""
        return " " in self.separator


def split_prefix(text: str) -> Prefix | None:
    """The letters before an integer that has no decimals and no groups; None for any other text, and for scripts without capitals.

    >>> split_prefix("FR-1013"), split_prefix("Rs. 500"), split_prefix("RM7.42")
    (Prefix(letters='FR', separator='-'), Prefix(letters='Rs', separator='. '), None)
    """
    parts = _PREFIXED.fullmatch(text)
    if parts is None or not _has_case(parts["letters"]):
        return None
    return Prefix(parts["letters"], parts["separator"])


def is_currency_prefix(prefix: Prefix) -> bool:
    """True if letters that may name a currency do name one before this integer.

    >>> [is_currency_prefix(Prefix(*parts)) for parts in (("RM", " "), ("RM", ""), ("Rs", "."), ("EUR", "-"), ("FT", " "))]
    [True, False, True, False, False]
    """
    letters = prefix.letters
    if not letters.isascii():
        return prefix.separator != "-"  # Kč500: identifiers are in plain letters
    if prefix.is_apart:
        return _is_currency_word(letters)
    if prefix.separator == ".":  # the point of an abbreviation
        return letters.lower() in _JOINED_SYMBOLS or not letters.isupper()
    return not prefix.separator and letters.lower() in _JOINED_SYMBOLS and not letters.isupper()


def has_currency_suffix(text: str) -> bool:
    """False for an unbroken integer with two capitals behind it, which are seldom a currency there: `1012FR`.

    >>> [has_currency_suffix(text) for text in ("1012FR", "1012EUR", "1012 FR", "500Fr", "12.50FR")]
    [False, True, True, True, True]
    """
    parts = _SUFFIXED.fullmatch(text)
    return parts is None or parts["letters"] in _CAPITAL_SYMBOLS


def _is_currency_word(letters: str) -> bool:
    """True for a code, a symbol as it is written, or a name of a currency; one letter is more often the prefix of a code."""
    if len(letters) == 1:
        return False
    if letters in currency_codes() or letters in currency_symbols() or letters in _CAPITAL_SYMBOLS:
        return True
    if letters.lower() in MORE_CURRENCIES:
        return len(letters) > 2 or not letters.isupper()
    return len(letters) >= _MIN_JOINED_SCALE_LENGTH


def is_one_integer_with_letters(text: str) -> bool:
    """True for an integer with letters before or behind it, where leading zeros are part of an identifier: `PO 0012`, `0123 AB`."""
    return _ONE_INTEGER.fullmatch(text) is not None


def may_be_date_with_words(text: str) -> bool:
    """False if the words of a text that reads as a date are more likely parts of an identifier: `MAT-1012`, `SE-2024-01`, `2024-NO-12`.

    >>> [may_be_date_with_words(text) for text in ("MAT-1012", "SE-2024-01", "Mar-05-2024", "5 March 2024")]
    [False, False, True, True]
    """
    words = _WORD.findall(text)
    if not words or not _has_case("".join(words)):
        return True
    if _WORD_AND_NUMBER.fullmatch(text):
        return sum(map(str.isdigit, text)) == _COMPACT_DATE_LENGTH
    if any(map(str.isspace, text)):
        return True
    prefix = _LETTERS_FIRST.fullmatch(text)
    if prefix is not None:
        return _DAY_AND_YEAR.fullmatch(text) is not None and (_is_month_in(word := prefix["letters"], _ENGLISH) or not word.isupper())
    if len(_NUMBER.findall(text)) > 2:  # the month is a number
        return True
    return not any(word.isupper() and not _PARTS_OF_DATES.fullmatch(word) and not _is_usual_month(word) for word in words)


def _is_usual_month(word: str) -> bool:
    return len(word) >= _MIN_MONTH_LENGTH and _is_month_in(word, major_languages())


@lru_cache(maxsize=1 << 10)  # the words of a column repeat
def _is_month_in(word: str, languages: frozenset[str]) -> bool:
    return any(not languages.isdisjoint(speaking) for speaking in month_names().get(word.lower(), {}).values())


def _has_case(letters: str) -> bool:
    return all(letter.lower() != letter.upper() for letter in letters)
