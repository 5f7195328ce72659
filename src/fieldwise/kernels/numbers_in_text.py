"""Numbers inside running text, by value.

Digits of all scripts are read; signs, one of the currency symbols in `_CURRENCY_SYMBOLS`, and the separators of a locale may
surround them. A scale word behind digits counts (`1.2 million`, `3 lakh`, `1.5bn`), so do powers of ten (`1e3`), spaces between groups
(`10 000 people`) and the decimal mark of the other convention where it is certain (`1.234,56`). `1/2` is two numbers, 1 and 2; a number in
words alone (`five`) is none.

>>> list_number_values("Territory 118: −0.133%, a limit of $750,000.00 and GRG 051")
['118', '-0.133', '750000', '51']
>>> list_number_values("1.234,56 €", locale="de")
['1234.56']
>>> list_number_values("$1.2 million for 10 000 people, 1e3 each")
['1200000', '10000', '1000']
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Final, Literal, NamedTuple
from unicodedata import numeric

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels import locale_tables
from fieldwise.kernels.number_words import SCALE_WORDS

NumberLocale = Literal["en", "de", "fr", "ch"]
"""How numbers are written: en 1,234.56 · de 1.234,56 · fr 1 234,56 · ch 1'234.56."""

_DECIMAL_SEPARATORS: Final[dict[str, str]] = {"en": ".", "de": ",", "fr": ",", "ch": "."}
_GROUP_SEPARATORS: Final[dict[str, str]] = {"en": ",", "de": ".", "fr": " ", "ch": "'"}
_USUAL_NUMBER: Final = {
    locale: re.compile(rf"([0-9]{{1,3}}(?:{re.escape(group)}[0-9]{{3}})+|[0-9]+)(?:{re.escape(_DECIMAL_SEPARATORS[locale])}([0-9]+))?")
    for locale, group in _GROUP_SEPARATORS.items()
}
"""Digits, in groups of three or none, and decimals: the fast path for most numbers."""
_JOINER: Final = "\N{INVISIBLE SEPARATOR}"
_VULGAR_FRACTIONS: Final = "¼½¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_DIGITS = re.compile(rf"[0-9]+(?:[.,'{_JOINER}][0-9]+)*(?:{_JOINER}?[{_VULGAR_FRACTIONS}])?|[{_VULGAR_FRACTIONS}]")
_LETTERS = re.compile(r"[A-Za-z]{3,}+")
_LETTERS_AFTER_NUMBERS: Final = frozenset(
    ("min", "mins", "sec", "secs", "hrs", "yrs", "mio", "mrd", "bln", "mln", "pcs", "pct", "percent", "ths")
)
_NO_BREAK_SPACE = re.compile(rf"(?<=[0-9])(?:[\xa0\u202f\u2009](?=[0-9])|[ \xa0\u202f\u2009](?=[{_VULGAR_FRACTIONS}]))")
"""Spaces inside a number; any space before a fraction is: `1 ½`."""
_GROUPING_SPACE = re.compile("(?<=[0-9])[ \xa0\u202f\u2009](?=[0-9]{3}(?![0-9]))")
_MINUS_SIGNS: Final = "-\N{MINUS SIGN}\N{EN DASH}"
_CURRENCY_SYMBOLS: Final = "$€£¥₹"
_OPENING: Final = " \n\t("
_IN_PARENTHESES = re.compile(rf"\(([{_CURRENCY_SYMBOLS}]?[0-9][0-9.,' ]*)\)", re.ASCII)
_PERCENT = re.compile(r"\s?(?:%|percent\b|per cent\b|prozent\b|pour cent\b)", re.IGNORECASE)
_MAX_PERCENT_LENGTH: Final = 12
_ZERO_DIGITS: Final = (0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50, 0xED0, 0xFF10)
_MARKS: Final = (("٫", "."), ("٬", ","), ("’", "'"), ("٪％", "%"), ("＄", "$"), ("－﹣", "-"), ("．", "."), ("，", ","))
_TO_ASCII: Final = {
    **{zero + digit: str(digit) for zero in _ZERO_DIGITS for digit in range(10)},
    **{ord(mark): replacement for marks, replacement in _MARKS for mark in marks},
}
"""Digits and marks of other scripts, one character each, so that positions stay the same."""


_SHORT_SCALES: Final = ("mn", "bn", "mln", "bln", "mio", "mrd")
_SCALES: Final = {word: power for word, power in SCALE_WORDS.items() if word.isascii() and (len(word) >= 4 or word in _SHORT_SCALES)}
_SCALE: Final = "|".join(sorted(map(re.escape, _SCALES), key=len, reverse=True))
_PLAIN_DIGITS: Final = {
    locale: rf"[0-9]{{1,3}}(?:{re.escape(group)}[0-9]{{3}})++(?:{re.escape(_DECIMAL_SEPARATORS[locale])}[0-9]+)?"
    rf"|[0-9]+(?:{re.escape(_DECIMAL_SEPARATORS[locale])}[0-9]+)?"
    for locale, group in _GROUP_SEPARATORS.items()
}
_WIDE: Final = {
    locale: re.compile(
        rf"(?<![\w.,'])(?:(?P<scaled>{digits}) ?(?P<scale>(?i:{_SCALE}))\b"
        rf"|(?<=[$€£¥₹])(?P<priced>{digits}) ?(?P<letter>[kKmMbB])\b"
        r"|(?P<power>[0-9](?:\.[0-9]+)?[eE][-+]?[0-9]{1,2})(?![\w.])"
        r"|(?P<comma>[0-9]{1,3}(?:\.[0-9]{3}){1,6},[0-9]{1,2}|[0-9]{1,3}(?: [0-9]{3}){1,6},[0-9]{1,2})(?![\w.,])"
        r"|(?P<point>[0-9]{1,3}(?:,[0-9]{3}){1,6}\.[0-9]{1,2})(?![\w.,])"
        r"|(?<![0-9] )(?P<spaced>[1-9][0-9]{0,2}(?: [0-9]{3}){1,6})(?! ?[.,'-]?[0-9])(?!\w))"
    )
    for locale, digits in _PLAIN_DIGITS.items()
}
"""Numbers of more than one token, or with more than digits and separators."""
_LETTER_POWERS: Final = {"k": 3, "m": 6, "b": 9}
_MAY_BE_WIDE: Final = re.compile(
    r"[0-9](?: ?(?:[tmb]r?il[li]|ths|[mb]n\b|[mb]ln\b|mio\b|mrd\b|lakh|lacs|crore|thous|[kmb]\b|tausend|juta|ribu)"
    r"|e[-+]?[0-9]| [0-9]{3}|\.[0-9]{3},)",
    re.IGNORECASE | re.ASCII,
)
"""A cheap necessary condition for `_WIDE` in English."""
_MAY_BE_WIDE_BYTES: Final = re.compile(_MAY_BE_WIDE.pattern.encode(), re.IGNORECASE)
_LONGEST_GROUP: Final = 6
"""Characters that the quick check looks at."""


def _make_byte_set(characters: str) -> NDArray[np.bool_]:
    table = np.zeros(256, dtype=np.bool_)
    table[list(characters.encode())] = True
    return table


_IS_DIGIT: Final = _make_byte_set("0123456789")
_MAY_FOLLOW: Final = _make_byte_set(" .eEkKmMbBtTlLcCjJrR")
_AFTER_SPACE: Final = _make_byte_set("0123456789kKmMbBtTlLcCjJrR")
_LABEL_BEFORE: Final = re.compile(r"\b[A-Z][\w.-]* \Z")
_LONGEST_LABEL: Final = 30


class NumberInText(NamedTuple):
    """A number and its position in a text."""

    value: str
    """Its value in plain digits: `-0.133`, `750000`. Dotted codes such as `1.2.3` stay as they are."""
    start: int
    end: int
    in_code: bool
    """True for a part of a code such as `C-1` or `A4`."""


def join_number_spaces(text: str, locale: NumberLocale = "en") -> str:
    """Convert digits and marks to ASCII and replace spaces inside numbers, so that splitting at spaces leaves numbers whole.

    Every character keeps its position.
    """
    if not text.isascii():
        text = _NO_BREAK_SPACE.sub(_JOINER, text.translate(_TO_ASCII))
    return _GROUPING_SPACE.sub(_JOINER, text) if locale == "fr" else text


def may_have_wide_numbers(data: bytes, locale: NumberLocale = "en") -> bool:
    """False if no text in the UTF-8 bytes has a number that `rewrite_wide_numbers` would rewrite; cheap."""
    if locale != "en" or len(data) < _LONGEST_GROUP:
        return True
    codes = np.frombuffer(data, dtype=np.uint8)
    # most digits are followed by nothing that could belong to a wide number: 10 times as fast as the pattern alone
    starts = np.flatnonzero(_IS_DIGIT[codes[:-_LONGEST_GROUP]] & _MAY_FOLLOW[codes[1 : 1 - _LONGEST_GROUP]])
    following = codes[starts + 1]
    is_space, is_point = following == ord(" "), following == ord(".")
    possible = (~is_space & ~is_point) | (is_space & _AFTER_SPACE[codes[starts + 2]]) | (is_point & (codes[starts + 5] == ord(",")))
    return any(_MAY_BE_WIDE_BYTES.match(data, start) for start in starts[possible].tolist()) or (
        _MAY_BE_WIDE_BYTES.search(data, len(data) - _LONGEST_GROUP) is not None
    )


def rewrite_wide_numbers(text: str, locale: NumberLocale = "en") -> str:
    """Write numbers of several tokens in plain digits, so that splitting at spaces leaves them whole.

    >>> rewrite_wide_numbers("$1.2 million, 10 000 people, Territory 118 750")
    '$1200000, 10000 people, Territory 118 750'
    """
    pieces: list[str] = []
    at = 0
    for start, end, value in _find_wide_numbers(text, locale):
        pieces += (text[at:start], value)
        at = end
    return "".join((*pieces, text[at:])) if at else text


def _find_wide_numbers(text: str, locale: NumberLocale) -> Iterator[tuple[int, int, str]]:
    """Start, end and value in plain digits of the numbers that are more than digits and separators of the locale."""
    if locale == "en" and _MAY_BE_WIDE.search(text) is None:
        return
    for match in _WIDE[locale].finditer(text):
        value = _wide_value(match, locale)
        if match["spaced"] and _LABEL_BEFORE.search(text[max(0, match.start() - _LONGEST_LABEL) : match.start()]):
            continue  # `Territory 118 750` is two numbers
        if value is not None:
            yield match.start(), match.end(), format_number_value(value)


def _wide_value(match: re.Match[str], locale: NumberLocale) -> Decimal | None:
    digits = match["scaled"] or match["priced"]
    if digits:
        power = _SCALES[match["scale"].lower()] if match["scale"] else _LETTER_POWERS[match["letter"].lower()]
        plain = digits.replace(_GROUP_SEPARATORS[locale], "").replace(_DECIMAL_SEPARATORS[locale], ".")
        return Decimal(plain).scaleb(power)
    if match["power"]:
        return Decimal(match["power"])
    if match["comma"]:
        return None if locale == "de" else Decimal(match["comma"].replace(".", "").replace(" ", "").replace(",", "."))
    if match["point"]:
        return None if locale == "en" else Decimal(match["point"].replace(",", ""))
    return Decimal(match["spaced"].replace(" ", ""))


def negate_parenthesized(text: str) -> str:
    """Rewrite a text that is nothing but a number in parentheses as a negative number, as in accounting; in a sentence, (36) is 36.

    >>> negate_parenthesized("(3.2)"), negate_parenthesized("a (36)")
    ('-3.2 ', 'a (36)')
    """
    match = _IN_PARENTHESES.fullmatch(text) if text.startswith("(") else None
    return f"-{match[1]} " if match else text


def find_numbers(text: str, locale: NumberLocale = "en") -> Iterator[NumberInText]:
    """Yield every number of a text, in order, in time linear in its length.

    >>> [number.value for number in find_numbers("604 is not in 1604 or 604.5; Rule C-1, 10-20")]
    ['604', '1604', '604.5', '1', '10', '20']
    """
    text = negate_parenthesized(join_number_spaces(text, locale))
    wide = list(_find_wide_numbers(text, locale))
    if not wide:
        yield from find_numbers_in_token(text, locale)
        return
    rewritten = rewrite_wide_numbers(text, locale)
    shifts: list[tuple[int, int]] = []
    """Where each rewritten number ends in the new text, and how far what follows has moved."""
    moved = 0
    for start, end, value in wide:
        moved += end - start - len(value)
        shifts.append((end - moved, moved))
    for number in find_numbers_in_token(rewritten, locale):
        yield number._replace(start=number.start + _shift_at(shifts, number.start), end=number.end + _shift_at(shifts, number.end))


def _shift_at(shifts: list[tuple[int, int]], place: int) -> int:
    """How far a place of a rewritten text is from the same place of the original."""
    position = bisect_right(shifts, place, key=lambda shift: shift[0])
    return shifts[position - 1][1] if position else 0


def find_numbers_in_token(token: str, locale: NumberLocale = "en") -> Iterator[NumberInText]:
    """Yield the numbers of a text that `join_number_spaces` and `negate_parenthesized` were applied to, or of a part of it."""
    for match in _DIGITS.finditer(token):
        digits_start, end = match.span()
        digits = match.group()
        if end < len(token) and token[end].isalpha() and _continues_as_word(token, end):
            continue  # 42abc is no number
        before = token[digits_start - 1] if digits_start else " "
        if before in _OPENING:  # the common cases, without a function call
            start, negative, in_code = digits_start, False, False
        elif before == "$" and (digits_start == 1 or token[digits_start - 2] in _OPENING):
            start, negative, in_code = digits_start - 1, False, False
        else:
            start, negative, in_code = _read_prefix(token, digits_start)
        if before == "." and start < digits_start:
            digits = "0." + digits
        for value in _read_digits(digits, locale):
            yield NumberInText("-" + value if negative and value != "0" else value, start, end, in_code)
            negative = False


def _continues_as_word(token: str, end: int) -> bool:
    """Return whether three or more letters follow a number that are no unit and no currency: `42abc`, not `42km` or `42USD`."""
    letters = _LETTERS.match(token, end)
    if letters is None:
        return False
    word = letters[0]
    is_currency = len(word) == 3 and word.upper() in locale_tables.currency_codes()
    return (
        not is_currency and word.lower() not in _LETTERS_AFTER_NUMBERS and locale_tables.fold_name(word) not in locale_tables.unit_names()
    )


def list_number_values(text: str, locale: NumberLocale = "en", *, in_codes: bool = True) -> list[str]:
    """Return the distinct values of a text's numbers, in order; without those inside codes if `in_codes` is false.

    >>> list_number_values("Rule C-1 costs 10", in_codes=False)
    ['10']
    """
    return list(dict.fromkeys(number.value for number in find_numbers(text, locale) if in_codes or not number.in_code))


def is_percent(text: str, number: NumberInText) -> bool:
    """Return whether a percent sign or word follows the number."""
    return _PERCENT.match(text[number.end : number.end + _MAX_PERCENT_LENGTH].translate(_TO_ASCII)) is not None


def format_number_value(number: float | Decimal) -> str:
    """Write a number as `find_numbers` writes values.

    >>> format_number_value(604.0), format_number_value(-0.133), format_number_value(1e-7)
    ('604', '-0.133', '0.0000001')
    """
    return _strip_zeros(format(Decimal(repr(number) if isinstance(number, float) else number), "f"))


def _read_prefix(text: str, digits_start: int) -> tuple[int, bool, bool]:
    """Return where the number before these digits really begins, whether it is negative, and whether it is part of a code."""
    start = digits_start
    if start >= 1 and text[start - 1] == "." and not (start >= 2 and (text[start - 2].isalnum() or text[start - 2] in "._)")):
        start -= 1  # .5
    minus = False
    for _ in range(2):  # -$5 and $-5
        if start and text[start - 1] in _CURRENCY_SYMBOLS:
            start -= 1
        elif start and text[start - 1] in _MINUS_SIGNS and not minus:
            minus, start = True, start - 1
    previous = text[start - 1] if start else " "
    if not minus:
        return start, False, _is_latin(previous)
    if previous.isalnum() or previous in ")]%" + _MINUS_SIGNS:  # a dash between two things, not a minus
        return digits_start, False, _is_latin(previous)
    return start, True, False


def _is_latin(character: str) -> bool:
    return character.isalpha() and character < "\u0250"


def _read_digits(digits: str, locale: NumberLocale) -> Iterable[str]:
    """Return the values of digits with separators; several where a separator does not belong to a number of this locale."""
    if digits.isdigit():
        return (digits.lstrip("0") or "0",)
    if digits[-1] in _VULGAR_FRACTIONS:
        whole_digits = digits[:-1].rstrip(_JOINER)
        whole = int(whole_digits) if whole_digits.isdigit() else 0
        return (format_number_value(round(whole + numeric(digits[-1]), 6)),)
    match = _USUAL_NUMBER[locale].fullmatch(digits)
    if match is None:
        return _read_unusual_digits(digits, locale)
    whole = match[1].replace(_GROUP_SEPARATORS[locale], "").lstrip("0") or "0"
    fraction = (match[2] or "").rstrip("0")
    return (f"{whole}.{fraction}" if fraction else whole,)


def _read_unusual_digits(digits: str, locale: NumberLocale) -> Iterator[str]:
    group, decimal = _GROUP_SEPARATORS[locale], _DECIMAL_SEPARATORS[locale]
    digits = digits.replace(_JOINER, group)
    whole, point, fraction = digits.rpartition(decimal)
    if point and fraction.isdigit() and (whole.isdigit() or _is_grouped(whole, group)):
        yield _strip_zeros(f"{whole.replace(group, '')}.{fraction}")
    elif _is_grouped(digits, group):
        yield _strip_zeros(digits.replace(group, ""))
    elif digits.count(".") == 1 and digits.replace(".", "").isdigit():
        yield _strip_zeros(digits)  # 3.14 in a locale where the point groups
    elif not any(mark in digits for mark in ",' "):
        yield digits  # 1.2.3 or 31.12.2025
    else:
        for part in re.split("[,' ]", digits):
            yield from _read_digits(part, locale)


def _is_grouped(digits: str, group: str) -> bool:
    """Return whether digits are in groups of three, or as in India: 12,34,567."""
    first, *rest = digits.split(group)
    if not rest or not first.isdigit() or len(first) > 3 or len(rest[-1]) != 3:
        return False
    size = len(rest[0])
    return size in (2, 3) and all(len(part) == size and part.isdigit() for part in rest[:-1]) and rest[-1].isdigit()


def _strip_zeros(number: str) -> str:
    """Remove leading zeros, trailing decimal zeros and the sign of 0."""
    sign = "-" if number.startswith("-") else ""
    whole, _, fraction = number.lstrip("-").partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    value = f"{whole}.{fraction}" if fraction else whole
    return value if value == "0" else sign + value
