"""Numbers in running text, by value.

>>> values("Territory 118: −0.133%, a limit of $750,000.00 and GRG 051")
['118', '-0.133', '750000', '51']
>>> values("1.234,56 €", locale="de")
['1234.56']
"""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Final, Literal, NamedTuple

Locale = Literal["en", "de", "fr", "ch"]
"""How numbers are written: en 1,234.56 · de 1.234,56 · fr 1 234,56 · ch 1'234.56."""

_DECIMAL: Final[dict[str, str]] = {"en": ".", "de": ",", "fr": ",", "ch": "."}
_GROUP: Final[dict[str, str]] = {"en": ",", "de": ".", "fr": " ", "ch": "'"}
_USUAL: Final = {
    locale: re.compile(rf"([0-9]{{1,3}}(?:{re.escape(group)}[0-9]{{3}})+|[0-9]+)(?:{re.escape(_DECIMAL[locale])}([0-9]+))?")
    for locale, group in _GROUP.items()
}
"""Digits in groups of three or none, and decimals: quick to read, because most numbers are written so."""
_JOINER: Final = "\N{INVISIBLE SEPARATOR}"
_TOKEN = re.compile(rf"[0-9]+(?:[.,'{_JOINER}][0-9]+)*")
_HARD_SPACE = re.compile("(?<=[0-9])[\xa0\u202f\u2009](?=[0-9])")
_SPACE = re.compile("(?<=[0-9])[ \xa0\u202f\u2009](?=[0-9]{3}(?![0-9]))")
_MINUS: Final = "-\N{MINUS SIGN}\N{EN DASH}"
_CURRENCY: Final = "$€£¥₹"
_OPENING: Final = " \n\t("
_ACCOUNTING = re.compile(r"\(([$€£¥₹]?[0-9][0-9.,' ]*)\)", re.ASCII)
_PERCENT = re.compile(r"\s?(?:%|percent\b|per cent\b|prozent\b|pour cent\b)", re.IGNORECASE)
_ZEROS: Final = (0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50, 0xED0, 0xFF10)
_FOLD: Final = {zero + digit: str(digit) for zero in _ZEROS for digit in range(10)} | {
    ord(mark): sign
    for marks, sign in (("٫", "."), ("٬", ","), ("’", "'"), ("٪％", "%"), ("＄", "$"), ("－﹣", "-"), ("．", "."), ("，", ","))
    for mark in marks
}
"""Digits and marks of other scripts, one character each, so that positions stay the same."""


class Figure(NamedTuple):
    """A number as it stands in a text."""

    value: str
    """Its value in plain digits: `-0.133`, `750000`. Dotted codes such as `1.2.3` stay as they are."""
    start: int
    end: int
    coded: bool
    """Part of a code such as `C-1` or `A4`."""


def joined(text: str, locale: Locale = "en") -> str:
    """The text in ASCII digits and marks, with spaces inside numbers replaced, so that splitting at spaces leaves numbers whole.

    Every character keeps its position.
    """
    if not text.isascii():
        text = _HARD_SPACE.sub(_JOINER, text.translate(_FOLD))
    return _SPACE.sub(_JOINER, text) if locale == "fr" else text


def signed(text: str) -> str:
    """A text that is nothing but a number in parentheses as that number below zero, as in accounts; in a sentence, (36) is 36.

    >>> signed("(3.2)"), signed("a (36)")
    ('-3.2 ', 'a (36)')
    """
    alone = _ACCOUNTING.fullmatch(text) if text.startswith("(") else None
    return f"-{alone[1]} " if alone else text


def figures(text: str, locale: Locale = "en") -> Iterator[Figure]:
    """Every number of a text, in order, in time linear in its length.

    >>> [figure.value for figure in figures("604 is not in 1604 or 604.5; Rule C-1, 10-20")]
    ['604', '1604', '604.5', '1', '10', '20']
    """
    yield from figures_in_token(signed(joined(text, locale)), locale)


def figures_in_token(token: str, locale: Locale = "en") -> Iterator[Figure]:
    """The same for a piece of a text that `signed` and `joined` have been through."""
    for found in _TOKEN.finditer(token):
        start, end = found.span()
        digits = found.group()
        before = token[start - 1] if start else " "
        if before in _OPENING:  # the common cases, kept short
            lead, negative, coded = start, False, False
        elif before == "$" and (start == 1 or token[start - 2] in _OPENING):
            lead, negative, coded = start - 1, False, False
        else:
            lead, negative, coded = _before(token, start)
        digits = "0." + digits if before == "." and lead < start else digits
        for value in _read(digits, locale):
            yield Figure("-" + value if negative and value != "0" else value, lead, end, coded)
            negative = False


def values(text: str, locale: Locale = "en", *, coded: bool = True) -> list[str]:
    """The distinct values of a text's numbers, in order; without those inside codes if `coded` is false.

    >>> values("Rule C-1 costs 10", coded=False)
    ['10']
    """
    return list(dict.fromkeys(figure.value for figure in figures(text, locale) if coded or not figure.coded))


def is_percent(text: str, figure: Figure) -> bool:
    """Whether a percent sign or word follows the number."""
    return _PERCENT.match(text[figure.end : figure.end + 12].translate(_FOLD)) is not None


def written(number: float | Decimal) -> str:
    """A number as `figures` writes values.

    >>> written(604.0), written(-0.133), written(1e-7)
    ('604', '-0.133', '0.0000001')
    """
    return _canonical(format(Decimal(repr(number) if isinstance(number, float) else number), "f"))


def _before(text: str, start: int) -> tuple[int, bool, bool]:
    """Where the number really begins, whether it is negative, and whether it belongs to a code."""
    at = start
    if at >= 1 and text[at - 1] == "." and not (at >= 2 and (text[at - 2].isalnum() or text[at - 2] in "._)")):
        at -= 1  # .5
    minus = False
    for _ in range(2):  # -$5 and $-5
        if at and text[at - 1] in _CURRENCY:
            at -= 1
        elif at and text[at - 1] in _MINUS and not minus:
            minus, at = True, at - 1
    previous = text[at - 1] if at else " "
    if not minus:
        return at, False, _is_latin(previous)
    if previous.isalnum() or previous in ")]%" + _MINUS:
        return start, False, _is_latin(previous)
    return at, True, False


def _is_latin(character: str) -> bool:
    return character.isalpha() and character < "\u0250"


def _read(token: str, locale: Locale) -> Iterable[str]:
    if token.isdigit():
        return (token.lstrip("0") or "0",)
    usual = _USUAL[locale].fullmatch(token)
    if usual is None:
        return _read_unusual(token, locale)
    whole, fraction = usual[1].replace(_GROUP[locale], "").lstrip("0") or "0", (usual[2] or "").rstrip("0")
    return (f"{whole}.{fraction}" if fraction else whole,)


def _read_unusual(token: str, locale: Locale) -> Iterator[str]:
    group, decimal = _GROUP[locale], _DECIMAL[locale]
    token = token.replace(_JOINER, group)
    whole, point, fraction = token.rpartition(decimal)
    if point and fraction.isdigit() and (whole.isdigit() or _grouped(whole, group)):
        yield _canonical(f"{whole.replace(group, '')}.{fraction}")
    elif _grouped(token, group):
        yield _canonical(token.replace(group, ""))
    elif token.count(".") == 1 and token.replace(".", "").isdigit():
        yield _canonical(token)  # 3.14 where the point should group
    elif not any(mark in token for mark in ",' "):
        yield token  # 1.2.3 or 31.12.2025
    else:
        for part in re.split("[,' ]", token):
            yield from _read(part, locale)


def _grouped(token: str, group: str) -> bool:
    """Digits in groups of three, or as in India: 12,34,567."""
    first, *rest = token.split(group)
    if not rest or not first.isdigit() or len(first) > 3 or len(rest[-1]) != 3:
        return False
    size = len(rest[0])
    return size in (2, 3) and all(len(part) == size and part.isdigit() for part in rest[:-1]) and rest[-1].isdigit()


def _canonical(number: str) -> str:
    sign = "-" if number.startswith("-") else ""
    whole, _, fraction = number.lstrip("-").partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    value = f"{whole}.{fraction}" if fraction else whole
    return value if value == "0" else sign + value
