"""Numerals: digits of any script with their separators, and Chinese, Japanese and Korean numerals. No signs, no names of units.

>>> [str(read_numeral(numeral)[0]) for numeral in ("1.234,50", "1,23,456", "1万2000", "二〇二四")]
['1234.50', '123456', '12000', '2024']
"""

import re
import unicodedata
from decimal import Decimal, InvalidOperation
from typing import Final, Literal

from fieldwise.pattern import compile_on_use

DecimalMark = Literal[".", ","]
"""The character before the decimals."""
MAX_FLOAT_DIGITS: Final = 15
"""Floats tell all numbers with this number of digits apart."""
NUMERAL: Final = compile_on_use(r"[0-9](?:[0-9]|[.,' ](?=[0-9]))*|(?<![^\s\d$€£¥(+-])[.,][0-9]+", re.ASCII)
"""A point behind a letter closes an abbreviation: `Rs.500`."""
_CJK_DIGIT_FORMS: Final = ("〇零", "一壹壱", "二贰貳弐两兩", "三叁參参", "四肆", "五伍", "六陆陸", "七柒漆", "八捌", "九玖")
_CJK_DIGITS: Final = {character: digit for digit, forms in enumerate(_CJK_DIGIT_FORMS) for character in forms}
CJK_DIGITS: Final = "".join(_CJK_DIGITS)
"""Chinese digits, also those of contracts."""
_CJK_TENS: Final = {"十": 10, "拾": 10, "百": 100, "佰": 100, "백": 100, "千": 1000, "仟": 1000, "천": 1000}
_CJK_MYRIADS: Final = {"万": 10**4, "萬": 10**4, "만": 10**4, "億": 10**8, "亿": 10**8, "억": 10**8, "兆": 10**12, "조": 10**12}
_CJK_CHARACTERS: Final = frozenset((*_CJK_DIGITS, *_CJK_TENS, *_CJK_MYRIADS))
_CJK_NUMERAL: Final = compile_on_use(f"[0-9.,{''.join((*_CJK_DIGITS, *_CJK_TENS, *_CJK_MYRIADS))}]+")
_VULGAR_FRACTION: Final = compile_on_use(r"(?<!\d)(?:(\d{1,15}) (\d{1,3})|(\d{0,15})(\d))⁄(\d{1,3})(?!\d)")
"""With limits, so that a search in a long run of digits takes linear time."""
_EQUAL_CHARACTERS: Final = {
    "▲": "-", "△": "-", "״": '"',
    "−": "-", "–": "-", "—": "-", "‐": "-", "’": "'", "ʼ": "'", "`": "'", "´": "'",
    "٫": ".", "٬": ",", "،": ",", "⹁": ",", "·": ".", "٪": "%",
}  # fmt: skip


def normalize_characters(text: str) -> str:
    """ASCII digits, one kind of space, minus and apostrophe; vulgar fractions as decimals; no format characters."""
    if text.isascii():
        return " ".join(text.split())
    characters: list[str] = []
    for character in unicodedata.normalize("NFKC", text):
        category = unicodedata.category(character)
        if category == "Nd":
            characters.append(str(unicodedata.decimal(character)))
        elif category == "Zs":
            characters.append(" ")
        elif category != "Cf":
            characters.append(_EQUAL_CHARACTERS.get(character, character))
    clean = " ".join("".join(characters).split())
    fraction = _VULGAR_FRACTION.search(clean)
    if fraction is not None and int(fraction[5]):
        whole = Decimal(fraction[1] or fraction[3] or 0) + Decimal(fraction[2] or fraction[4]) / Decimal(fraction[5])
        clean = clean[: fraction.start()] + str(whole) + clean[fraction.end() :]
    return clean


def has_numeral(text: str) -> bool:
    """True if a text has digits of any script. 万 and 億 alone are scale words."""
    return any(character.isdigit() or character in _CJK_DIGITS or character in _CJK_TENS for character in text)


def split_numeral(text: str) -> tuple[str, str, str] | None:
    """The text before the numeral, the numeral and the text behind it; None unless there is exactly one numeral."""
    if not text.isascii() and not _CJK_CHARACTERS.isdisjoint(text):
        numerals = [match for match in _CJK_NUMERAL.finditer(text) if match[0].strip(".,")]
        if len(numerals) == 1 and not numerals[0][0].isascii():
            return text[: numerals[0].start()], numerals[0][0], text[numerals[0].end() :]
    numerals = list(NUMERAL.finditer(text))
    if len(numerals) != 1:
        return None
    numeral = numerals[0]
    after = text[numeral.end() :]
    has_final_point = numeral[0].isdigit() and (after == "." or after.startswith(". "))
    return text[: numeral.start()], numeral[0], after[1:] if has_final_point else after


def read_numeral(numeral: str, decimal_mark: DecimalMark | None = None, *, has_minor_unit: bool = True) -> tuple[Decimal | None, str]:
    """The value of a numeral, and its separator where that could be read both ways.

    `has_minor_unit`: False for an amount of a currency without decimals, in which every separator groups.
    """
    if not numeral.isascii():
        try:
            return _read_cjk_numeral(numeral), ""
        except InvalidOperation:  # points that belong to no number, as in 1.2.3万
            return None, ""
    digits = numeral.replace("'", " ")
    last = max(digits.rfind("."), digits.rfind(","))
    separators = {character for character in digits if character in ".,"}
    if not separators:
        return (Decimal(digits.replace(" ", "")), "") if _is_grouped(digits, " ") else (None, "")
    mark = digits[last]
    head, tail = digits[:last], digits[last + 1 :]
    if len(separators) == 1 and digits.count(mark) > 1:
        return (Decimal(digits.replace(mark, "")), "") if " " not in digits and _is_grouped(digits, mark) else (None, "")
    undecided = ""
    if len(separators) == 1 and len(tail) == 3 and " " not in digits and 0 < len(head) <= 3 and head[0] != "0":
        undecided = mark
        groups = mark == "," if decimal_mark is None else mark != decimal_mark
        if decimal_mark is None and not has_minor_unit:
            groups, undecided = True, ""
        if groups:
            return Decimal(head + tail), undecided
    group = "," if mark == "." else "."
    if " " in tail or (group in head and " " in head):
        return None, ""
    if not _is_grouped(head, group if group in head else " "):
        return None, ""
    whole = head.replace(group, "").replace(" ", "") or "0"
    return Decimal(f"{whole}.{tail}"), undecided


def _is_grouped(digits: str, separator: str) -> bool:
    """Whether digits are grouped by three, or by two and three as in India, or not at all."""
    groups = digits.split(separator)
    if len(groups) == 1:
        return True
    if not all(group.isdigit() for group in groups) or not 1 <= len(groups[0]) <= 3 or len(groups[-1]) != 3:
        return False
    inner = {len(group) for group in groups[1:-1]}
    return inner <= {3} or (separator == "," and inner == {2} and len(groups[0]) <= 2)


def _read_cjk_numeral(numeral: str) -> Decimal | None:
    """The value of Chinese, Japanese or Korean numerals, also mixed with digits: 1万2000, 壹仟贰佰, 二〇二四."""
    if all(character in _CJK_DIGITS for character in numeral):
        return Decimal("".join(str(_CJK_DIGITS[character]) for character in numeral))
    total, section, digits, before = Decimal(0), Decimal(0), "", ""
    for character in numeral:
        if character.isascii() and (character.isdigit() or character in ".,"):
            digits += character
        elif character in _CJK_DIGITS:
            digits = str(_CJK_DIGITS[character])
        elif character in _CJK_TENS:
            section += _read_digits(digits, Decimal(1)) * _CJK_TENS[character]
            digits = ""
        elif before in _CJK_MYRIADS:  # `万亿` counts 億 in 万
            total *= _CJK_MYRIADS[character]
        else:
            total += (section + _read_digits(digits, Decimal(0) if section else Decimal(1))) * _CJK_MYRIADS[character]
            section, digits = Decimal(0), ""
        before = character
    return total + section + _read_digits(digits, Decimal(0))


def _read_digits(digits: str, empty: Decimal) -> Decimal:
    """The value of ASCII digits before a CJK character; `empty` where there are none."""
    return Decimal(digits.replace(",", "").rstrip(".")) if digits.strip(".,") else empty


class LongDecimal(float):
    """The nearest float of a decimal number with more digits than floats keep; `exact` has them all.

    It is a plain float for all that computes with it; `tolerance` compares the digits.
    """

    __slots__ = ("exact",)
    exact: Decimal

    def __new__(cls, exact: Decimal) -> "LongDecimal":
        number = super().__new__(cls, exact)
        number.exact = exact
        return number

    def __eq__(self, other: object) -> bool:
        """Equality by all digits with another long decimal, else as a float."""
        return self.exact == other.exact if isinstance(other, LongDecimal) else float.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        """The opposite of equality, which floats define on their own."""
        return not self == other

    __hash__ = float.__hash__

    def __repr__(self) -> str:
        """All digits, without trailing zeros."""
        return format(self.exact.normalize(), "f")

    __str__ = __repr__

    def __reduce__(self) -> tuple[type["LongDecimal"], tuple[Decimal]]:
        return LongDecimal, (self.exact,)


def simplify_decimal(value: Decimal) -> int | float:
    """An integer where the value is whole, else the nearest float."""
    if value == value.to_integral_value():
        return int(value)
    return float(value) if len(value.as_tuple().digits) <= MAX_FLOAT_DIGITS else LongDecimal(value)


def read_long_decimal(digits: str) -> float:
    """The float of ASCII digits with a point, exact if they are more than floats keep.

    >>> read_long_decimal("1234567890123456.78").exact
    Decimal('1234567890123456.78')
    """
    value = Decimal(digits)
    return float(value) if len(value.as_tuple().digits) <= MAX_FLOAT_DIGITS else LongDecimal(value)
