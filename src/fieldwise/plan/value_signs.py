"""What a text may be: a date, an amount, a quantity, a code … Every sign is one word that evidence counts.

| sign | the text is |
| --- | --- |
| `date` | a calendar date: `day first`, `month first` or `either order`; with a `time` or `midnight`; `compact` (digits alone) |
| `open month` | a date whose month name means several months: `5 listopad 2024` |
| `weak date` | a date that is more likely a code, unless most others are dates: `MAR-05-24` |
| `number` | a number: `currency`, `percent` or `bare number`; `marks` (more than digits), `undecided` (`1,234`) |
| `weak currency`, `joined currency`, `weak number` | a number that is more likely a code: `R5`, `RM5`, `5K` and `1E5` |
| `written amount` | a number with a currency and decimals or groups of digits |
| `quantity` | a number with a unit; `weak unit` (`5A`, `8401 BL`, `kg 5`) |
| `zero-led` | no number or quantity only because of its leading zeros: `PO 0012` |
| `duration` | a length of time with its units; `clock duration` (`1:30`), which may be one |
| `true`, `false` | a word or mark for yes or no |
| `code` | without spaces, of letters and digits, with a leading zero (`leading zero`) or `#1719`; `code with sign` (`A-1+`) |
| `mixed case` | a code with capitals and small letters inside: `dQw4w9WgXcQ`, `Co3O4`, but not `Inv-031` |
| `scheme` | an identifier that a named scheme reads, spaces or not: IBAN, BIC, ISBN, VAT, card or phone number |
| `bank code` | a BIC without digits |
| `time of day` | a time without a date: `14:30`, `2:30 PM`; `clock` without it (`75:30`) is a length of time or a score |
| `digit code` | groups of digits that are an identifier by their form: `555-1234`; `digit groups`, if the name of the field says so |
| `any digit` | text with a digit |
| `digits`, `bare digits` (no code), `version`, `clock`, `email`, `url`, `short with digits`, `capitals`, `lower word`, `long` | so |
| `typed` | any of the above but `bank code`, `digit code`, `digit groups`, `short with digits`, `any digit`, `capitals` … |

Letters before an unbroken integer make no quantity, length of time or date (`prefixed_numbers`).

>>> sorted(signs_of("EUR 1.234,50")), sorted(signs_of("Acme Ltd 12 Main Street"))
(['any digit', 'currency', 'marks', 'number', 'short with digits', 'typed', 'written amount'], ['any digit'])
"""

import json
import re
from collections.abc import Callable
from datetime import datetime, time
from functools import lru_cache
from typing import Final

from fieldwise.kernels.amounts import Figure, read_figure
from fieldwise.kernels.calendar_moment import AmbiguousMoment, Moment
from fieldwise.kernels.languages import languages_called
from fieldwise.kernels.locale_tables import fold_name, number_words, territory_codes
from fieldwise.kernels.measures import read_duration, read_quantity
from fieldwise.kernels.moments import DateReading, read_moment, read_time_of_day
from fieldwise.kernels.terms import boolean_called, countries_called, currencies_called
from fieldwise.plan.digit_codes import has_form_of_digit_code, is_digit_code
from fieldwise.plan.prefixed_numbers import (
    Prefix,
    has_currency_suffix,
    is_currency_prefix,
    is_one_integer_with_letters,
    may_be_date_with_words,
    split_prefix,
)

Signs = frozenset[str]

MIN_PROSE_LENGTH: Final = 120
_TYPED: Final = frozenset({"date", "number", "quantity", "duration", "scheme", "code", "version", "clock", "email", "url"})
_NO_DIGIT_CODES: Final = frozenset({"number", "quantity", "duration", "clock", "digits"})
_MAX_READ_LENGTH: Final = 80
_MAX_CODE_LENGTH: Final = 16
_MAX_DATE_WITH_WORDS: Final = 48
"""Length of `Wednesday, 30/09/2024 at 10:15:00 PM (UTC+02:00)`, about."""
_MAX_TIME_OF_DAY: Final = 32
_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+\.\w+")
_URL: Final = re.compile(r"(?:[Hh][Tt]{2}[Pp][Ss]?://|[Ww]{3}\.)\S+|(?:[a-z0-9-]{2,}\.)+[a-z]{2,6}(?:/\S*)?")
"""Also without scheme, in small letters: `example.com/a`."""
_LOWER_WORD: Final = re.compile(r"[a-z]+(?:[_-][a-z]+)*")
_CAPITALS: Final = re.compile(r"[A-Z][A-Z_&/.-]{0,7}|[A-Z]+(?:_[A-Z]+)+")
_VERSION: Final = re.compile(r"[vV]?\d+(?:\.\d+)+(?:[-.+]?[A-Za-z]+[-.]?\d*)?")
_CLOCK: Final = re.compile(r"\d{1,2}:[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?: ?[ap]\.?m\.?)?", re.I)
_ONE_LETTER: Final = re.compile(r"[A-Za-z]-?\d+|\d+[A-Za-z]", re.ASCII)
"""`R5`, `R-10`, `12A`: a currency or a unit by its letter, and more often a code."""
_HYPHENATED: Final = re.compile(r"[^\W\d_]+(?:-\d+)+")
_SCALED_INTEGER: Final = re.compile(r"\d+(?:[A-Za-z]+|[eE]\d+)")
"""`5K`, `12M`, `1E5`: a number by its letter, and more often a code."""
_DECIMALS_OR_GROUPS: Final = re.compile(r"\d[.,'’]\d")
_PADDED_DURATION: Final = re.compile(r"\d\d [^\W\d_]+\.?")
_CLOCK_DURATION: Final = re.compile(r"\d{1,2}:\d\d(?::\d\d)?")
_ZERO_BEFORE_DIGITS: Final = re.compile(r"(?<![\d.,])0\d")
_DIGIT_RUN: Final = re.compile(r"\d", re.ASCII)
_ORDINAL_DATE: Final = re.compile(r"\d{4}-\d{3}", re.ASCII)
_ONE_CASE: Final = re.compile(r"9*Aa+9*|A+9+a|[A9]*|[a9]*")
"""Shapes of letters and digits whose case says nothing: `Inv`, `Inv031`, `R12a`, `INV031`, `inv031`."""
_HEXADECIMAL: Final = re.compile(r"0x[0-9A-F]+")
_ARTICLES: Final = frozenset({"a", "an", "half"})
"""First words of a length of time beside number words: `half an hour`."""
_IBAN: Final = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_IBAN_IN_GROUPS: Final = re.compile(r"[A-Z]{2}\d{2}(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?")
_BIC: Final = re.compile(r"[A-Z]{4}(?P<country>[A-Z]{2})[A-Z0-9]{2}(?:[A-Z0-9]{3})?")
_NUMBER_SIGN: Final = re.compile(r"#\d+")
_MEANINGFUL_SIGN: Final = re.compile(r"[^\W_][+*-]+$|[+*<>=±≤≥≈~%°$¢£¤¥€₤₩₪₫₱₴₸₹₺₽₿]|(?<![\d.,])\d+[.,](?:\d\d?|\d{4,})(?![\d.,])")
"""Signs that tell codes apart: `A-1+` is not `A-1`, `B1-` not `B1`."""
_VAT: Final = re.compile(r"(?:AT|BE|BG|CH|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|HR|HU|IE|IT|LT|LU|LV|MT|NL|NO|PL|PT|RO|SE|SI|SK|XI)[A-Z0-9]{8,13}")
_PHONE: Final = re.compile(r"(?:\+|00)[1-9](?:[ ().\-/]{0,2}\d){6,14}")
_ISO_WITH_TIME: Final = re.compile(
    r"\d{4}-\d\d-\d\d[T ](?P<clock>\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(?P<offset>Z|[+-]\d\d:?\d\d)?", re.ASCII
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_NUMBER: Final = re.compile(r"\d+")
_POSTCODE_SHAPE: Final = re.compile(r"9{4} [A-Z]{2}")
"""`8401 BL`, whatever `bl` may mean: Dutch postcodes."""
_ISBN_10: Final = re.compile(r"(?=.{13}$)\d{1,5}(?P<space>[ -])\d{1,7}(?P=space)\d{1,6}(?P=space)[\dX]", re.ASCII)
_ISSN: Final = re.compile(r"\d{4}-\d{3}[\dX]", re.ASCII)
_GROUPS: Final = re.compile(r"[A-Z0-9]+(?:[ -][A-Z0-9]+)*")


# Texts repeat within a column, and reading one in every way takes up to 300 µs; the text alone decides the result.
@lru_cache(maxsize=1 << 16)
def signs_of(text: str) -> Signs:
    """The signs of a text without outer whitespace."""
    has_digit = any(map(str.isdigit, text))
    kind = "json" if _is_json(text) else "long" if len(text) >= MIN_PROSE_LENGTH else None
    if kind is not None:
        return frozenset({kind, "any digit"} if has_digit else {kind})
    signs: set[str] = {"any digit"} if has_digit else set()
    for sign, pattern in (("email", _EMAIL), ("url", _URL), ("capitals", _CAPITALS), ("lower word", _LOWER_WORD)):
        if pattern.fullmatch(text):
            signs.add(sign)
    if has_digit:
        _add_code_signs(text, signs)
    elif is_bank_code(text):
        signs.add("bank code")  # a word in capitals may look like one
    if len(text) <= _MAX_READ_LENGTH:
        signs |= _digit_signs(text) if has_digit else _word_signs(text)
        if has_digit or not text.isascii():
            _add_date_signs(text, signs)
        _add_digit_code_signs(text, signs)
    if "digits" in signs and "code" not in signs:
        signs.add("bare digits")
    if signs & _TYPED:
        signs.add("typed")
    return frozenset(signs)


def _is_json(text: str) -> bool:
    """True for an object or a list in JSON, such as the arguments of a tool call."""
    if text[:1] + text[-1:] not in ("{}", "[]"):
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def _clock_signs(text: str) -> set[str]:
    """Signs of a text that shows what a clock does."""
    is_time = ":" in text and len(text) <= _MAX_TIME_OF_DAY and read_time_of_day(text) is not None
    if not is_time and not _CLOCK.fullmatch(text):
        return set()
    signs = {"clock", "time of day"} if is_time else {"clock"}
    if _CLOCK_DURATION.fullmatch(text):
        signs.add("clock duration")
    return signs


def _add_digit_code_signs(text: str, signs: set[str]) -> None:
    if signs.isdisjoint(_NO_DIGIT_CODES) and has_form_of_digit_code(text):
        signs |= {"digit groups", "digit code"} if is_digit_code(text) else {"digit groups"}


def _add_code_signs(text: str, signs: set[str]) -> None:
    has_space = any(map(str.isspace, text))
    has_letter = any(map(str.isalpha, text))
    if text.isdecimal():
        signs.add("digits")
    leading_zero = _ZERO_BEFORE_DIGITS.match(text) is not None if not has_letter else _ZERO_BEFORE_DIGITS.search(text) is not None
    if _VERSION.fullmatch(text):
        signs.add("version")
    elif clock_signs := _clock_signs(text):
        signs |= clock_signs
    elif (
        not has_space
        and not signs & {"email", "url"}
        and (has_letter or (text.isdecimal() and leading_zero) or _NUMBER_SIGN.fullmatch(text))
    ):
        signs.add("code")
        if leading_zero:
            signs.add("leading zero")
        if _MEANINGFUL_SIGN.search(text):
            signs.add("code with sign")
        if _mixes_case(text):
            signs.add("mixed case")
    if is_scheme(text):
        signs.add("scheme")
    digits = sum(map(str.isdigit, text))
    if digits >= 0.5 * len(text) or len(text) <= _MAX_CODE_LENGTH:
        signs.add("short with digits")


def _mixes_case(code: str) -> bool:
    """True if a part of a code has capitals and small letters, but for a capital at its beginning.

    >>> [_mixes_case(code) for code in ("dQw4w9WgXcQ", "newPass123", "Co3O4", "Inv-2024-031", "Inv031", "INV-031", "12a", "R12a", "0x1F")]
    [True, True, True, False, False, False, False, False, False]
    """
    if code.islower() or code.isupper() or _HEXADECIMAL.fullmatch(code):
        return False
    shape = "".join(_shape_of_character(character) for character in code)
    return any(not _ONE_CASE.fullmatch(part) for part in shape.split())


def _shape_of_character(character: str) -> str:
    """`A`, `a` or `9`; a space for what is no letter or digit; nothing for a letter of a script without case."""
    if character.isupper():
        return "A"
    if character.islower():
        return "a"
    if character.isdigit():
        return "9"
    return "" if character.isalpha() else " "


def _digit_signs(text: str) -> Signs:
    """Signs of a text with digits, but for dates and codes."""
    signs = _signs_of_shape(_DIGIT_RUN.sub("9", text), bool(_ZERO_BEFORE_DIGITS.search(text)))
    if not signs and "(" in text and _has_number_word(text):  # here the digits repeat a word, and must agree with it: five (5) years
        return _read_shape(text)
    return signs


# What a text reads as but for dates follows from its letters, its marks and the length of its digit runs, not from the digits.
@lru_cache(maxsize=1 << 14)
def _signs_of_shape(shape: str, leading_zero: bool) -> Signs:
    signs = _read_shape(shape)
    if leading_zero and (shape.isalnum() or _HYPHENATED.fullmatch(shape) or is_one_integer_with_letters(shape)):
        if shape.isdecimal():
            return frozenset({"number", "bare number"})
        if "duration" in signs and _PADDED_DURATION.fullmatch(shape):  # 05 min
            return signs
        return frozenset({"zero-led"} if signs else ())  # RE0012, kr-001 and PO 0012 are codes, whatever RE, kr and PO may mean
    prefix = split_prefix(shape)
    if prefix is not None:
        return _signs_with_prefix(prefix, signs)
    return signs - {"currency"} | {"joined currency"} if "currency" in signs and not has_currency_suffix(shape) else signs


def _signs_with_prefix(prefix: Prefix, signs: Signs) -> Signs:
    """The signs of an integer behind letters: a currency only where it is written like one, a unit only beside other quantities."""
    if "currency" in signs:
        return signs if is_currency_prefix(prefix) else signs - {"currency"} | {"joined currency"}
    if "number" in signs:
        return signs
    return frozenset({"quantity", "weak unit"} if "quantity" in signs and prefix.is_apart else ())


def _read_shape(shape: str) -> Signs:
    """What a text reads as, whatever its letters suggest."""
    figure = read_figure(shape)
    if figure is not None and not figure.units:
        return _number_signs(shape, figure)
    signs: set[str] = set()
    quantity = read_quantity(shape)
    units: frozenset[str] = quantity.units if quantity is not None else frozenset()
    if units:
        signs.add("quantity")
        if _ONE_LETTER.fullmatch(shape) or _POSTCODE_SHAPE.fullmatch(shape):
            signs.add("weak unit")
    if ":" not in shape and "meter" not in units and not _POSTCODE_SHAPE.fullmatch(shape) and read_duration(shape) is not None:
        signs.add("duration")
    return frozenset(signs)


def _number_signs(text: str, figure: Figure) -> Signs:
    signs = {"number"}
    if figure.currencies:
        signs.add("weak currency" if _ONE_LETTER.fullmatch(text) else "currency")
        if _DECIMALS_OR_GROUPS.search(text):
            signs.add("written amount")
    elif figure.percent:
        signs.add("percent")
    else:
        signs.add("bare number")
        if _SCALED_INTEGER.fullmatch(text):
            signs.add("weak number")
    if not text.isdecimal():
        signs.add("marks")
    if figure.undecided:
        signs.add("undecided")
    return frozenset(signs)


def _word_signs(text: str) -> Signs:
    """Signs of a text without digits: yes and no, quantities and amounts in words or in numerals of other scripts."""
    signs: set[str] = set()
    if len(text) <= 12:
        meaning = boolean_called(text)
        if meaning is not None:
            signs.add("true" if meaning else "false")
    first_word = text.partition(" ")[0]
    if not text.isascii() or _is_number_word(first_word) or first_word.lower() in _ARTICLES:
        quantity = read_quantity(text)
        if quantity is not None and quantity.units:
            signs.add("quantity")
        if read_duration(text) is not None:
            signs.add("duration")
    if not signs and _has_number_word(text):
        figure = read_figure(text)
        if figure is not None and figure.currencies and not figure.units:
            signs |= _number_signs(text, figure)
    return frozenset(signs)


def _has_number_word(text: str) -> bool:
    """True if one of several words is a number: a cheap necessary condition for numbers in words."""
    words = _WORD.findall(text)
    return len(words) > 1 and any(map(_is_number_word, words))


@lru_cache(maxsize=1 << 14)  # first words of a column repeat; the word alone decides the result
def _is_number_word(word: str) -> bool:
    return fold_name(word) in number_words()


def _may_be_date(text: str) -> bool:
    """A cheap necessary condition: reading a date takes 20 to 200 µs, and most texts are none."""
    words = _WORD.findall(text)
    if any(_is_date_word(word.lower()) for word in words):
        return may_be_date_with_words(text)
    if len(_NUMBER.findall(text)) >= 3:  # beside three numbers, words may be a weekday, a time zone or `PM`
        return not words or (len(text) <= _MAX_DATE_WITH_WORDS and may_be_date_with_words(text))
    return text.isdecimal() and len(text) == 8


# The words of a column repeat; the word alone decides the result.
@lru_cache(maxsize=1 << 14)
def _is_date_word(word: str) -> bool:
    """True for a month name, and for a word beside which numbers may be a date: `T`, `Z`, `年`."""
    return word in ("t", "z", "w") or not word.isascii() or read_moment(f"1 {word} 2020") is not None


def _may_be_weak_date(text: str) -> bool:
    """True for a text that `_may_be_date` refuses, and that the reader of dates may read: `MAR-05-24`, `2024-103`."""
    if _ORDINAL_DATE.fullmatch(text):
        return True
    return len(_NUMBER.findall(text)) >= 2 and any(_is_date_word(word.lower()) for word in _WORD.findall(text))


def _add_date_signs(text: str, signs: set[str]) -> None:
    if not _may_be_date(text):
        if _may_be_weak_date(text) and _is_day(read_moment(text)):
            signs.add("weak date")
        return
    iso = _ISO_WITH_TIME.fullmatch(text)
    if iso is not None and _is_iso_moment(text):
        signs.add("date")
        signs.add("midnight" if not iso["clock"].strip("0:.") and not (iso["offset"] or "").strip("Zz0:+-") else "time")
        return
    moment = read_moment(text)
    if moment is None or not _is_day(moment):
        return
    signs.add("date")
    if text.isdecimal():
        signs.add("compact")
    if isinstance(moment, AmbiguousMoment):
        signs.add("either order" if moment.option == "day_first" else "open month")
        moment = read_moment(text, DateReading(day_first=True))
    elif moment.numeric_order:
        signs.add(moment.numeric_order)
    if isinstance(moment, Moment) and moment.clock is not None:
        signs.add("midnight" if moment.clock == time() and not moment.offset and not moment.later else "time")


def _is_day(moment: Moment | AmbiguousMoment | None) -> bool:
    return moment is not None and not (isinstance(moment, Moment) and moment.day is None)


def _is_iso_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_scheme(text: str) -> bool:
    """True for an identifier that a named scheme reads, spaces or not.

    >>> [is_scheme(text) for text in ("DE89 3704 0044 0532 0130 00", "978-3-16-148410-0", "978-3-16-148410-1", "+49 30 1234567")]
    [True, True, False, True]
    """
    if _PHONE.fullmatch(text):
        return True
    if not _GROUPS.fullmatch(text):
        return False
    if _IBAN_IN_GROUPS.fullmatch(text) or is_bank_code(text):  # in groups of four it is one even if its check digits are wrong
        return True
    if (_ISBN_10.fullmatch(text) and _has_weighted_check(text)) or (_ISSN.fullmatch(text) and _has_weighted_check(text)):
        return True
    plain = re.sub("[ -]", "", text)
    if _IBAN.fullmatch(plain):
        return int("".join(str(int(character, 36)) for character in plain[4:] + plain[:4])) % 97 == 1
    if plain.isdecimal():
        return (len(plain) == 13 and _has_ean_digit(plain)) or (len(plain) in (15, 16) and _has_luhn_digit(plain))
    return _VAT.fullmatch(plain) is not None and sum(map(str.isdigit, plain)) >= 6


def is_bank_code(text: str) -> bool:
    """True for a BIC: four letters, a country, two or five further characters.

    >>> [is_bank_code(text) for text in ("DEUTDEFF", "COBADEFFXXX", "COMPUTER")]
    [True, True, False]
    """
    parts = _BIC.fullmatch(text)
    return parts is not None and parts["country"] in territory_codes()


def _has_weighted_check(text: str) -> bool:
    """The check digit of an ISBN-10 or an ISSN: weights from the right, modulo 11, X is 10."""
    characters = [character for character in reversed(text) if character not in " -"]
    return sum(weight * (10 if character == "X" else int(character)) for weight, character in enumerate(characters, 1)) % 11 == 0


def _has_ean_digit(digits: str) -> bool:
    return sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits)) % 10 == 0


def _has_luhn_digit(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (2 if place % 2 else 1)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


TERMS: Final[dict[str, Callable[[str], frozenset[str]]]] = {
    "country": countries_called,
    "currency": currencies_called,
    "language": languages_called,
}
"""Match → the reader of its closed vocabulary."""
