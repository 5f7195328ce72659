"""Bounds, estimates and ranges: the signs and words that make `<5 mg`, `approx. 5 mg` and `from 5 to 6 mg` something else than `5 mg`.

>>> split_bound("less than 5 mg"), split_bound("≤ 5 mg"), split_bound("5 mg or more"), split_bound("5 mg")
(('<', '5 mg'), ('≤', '5 mg'), ('≥', '5 mg'), None)
"""

import re
from functools import cache
from typing import Final

from fieldwise.pattern import compile_on_use

_MAX_LENGTH: Final = 80
_SIGNS: Final = {
    "<": "<", "＜": "<", ">": ">", "＞": ">", "<=": "≤", "=<": "≤", "≤": "≤", "⩽": "≤", "≦": "≤", ">=": "≥", "=>": "≥", "≥": "≥", "⩾": "≥",
    "≧": "≥", "~": "≈", "∼": "≈", "≈": "≈", "≅": "≈", "~=": "≈", "～": "≈",
}  # fmt: skip
_WORDS: Final = {
    "<": """less than, lower than, fewer than, smaller than, below, under, weniger als, unter, kleiner als, moins de, inférieur à, menos de,
    menor que, inferior a, meno di, inferiore a, minder dan, mniej niż, poniżej, méně než, mindre än, mindre enn, mindre end, менее,
    меньше, меньше чем, менш ніж, λιγότερο από, kevesebb mint, mai puțin de, kurang dari, أقل من""",
    "≤": """up to, at most, no more than, not more than, max, maximum, bis zu, höchstens, maximal, jusqu'à, au plus, au maximum, hasta,
    como máximo, máximo, até, no máximo, fino a, al massimo, massimo, tot en met, maximaal, hoogstens, do, maksymalnie, co najwyżej,
    nejvýše, upp till, högst, opp til, op til, høyst, højst, enintään, до, не более, максимум,
    en fazla, legfeljebb, cel mult, tối đa, hingga""",
    ">": """more than, greater than, higher than, larger than, over, above, exceeding, in excess of, mehr als, über, größer als, plus de,
    supérieur à, más de, mayor que, superior a, mais de, maior que, più di, oltre, superiore a, meer dan, więcej niż, ponad, powyżej,
    více než, mer än, mer enn, mere end, yli, более, больше, больше чем, свыше, понад, több mint, mai mult de, lebih dari, أكثر من""",
    "≥": """at least, no less than, not less than, min, minimum, mindestens, ab, au moins, au minimum, al menos, por lo menos, mínimo,
    pelo menos, no mínimo, almeno, minimo, minstens, ten minste, co najmniej, minimalnie, nejméně, alespoň, minst, åtminstone, mindst,
    vähintään, не менее, минимум, en az, legalább, cel puțin, tối thiểu, setidaknya, على الأقل""",
    "≈": """about, around, approx, approximately, roughly, circa, ca, c, est, estimated, nearly, almost, etwa, ungefähr, rund, zirka,
    environ, env, à peu près, aproximadamente, aprox, alrededor de, unos, cerca de, circa di, ongeveer, około, ok, asi, přibližně, cirka,
    omkring, noin, около, примерно, приблизительно, приблизно, yaklaşık, körülbelül, kb, aproximativ, khoảng, sekitar, حوالي""",
}  # fmt: skip
"""Signs and words before a value, by the sign that they stand for."""
_WORDS_BEHIND: Final = {
    "≥": "or more, or above, or over, or higher, or greater, and above, and over, and up, oder mehr, ou plus, o más, ou mais, o più",
    "≤": "or less, or fewer, or below, or under, or lower, max, maximum, oder weniger, ou moins, o menos, ou menos, o meno",
    "≈": "approx, approximately, circa, ca",
}
_CJK: Final = {
    "約": "≈", "约": "≈", "大约": "≈", "약": "≈", "最大": "≤", "最多": "≤", "至多": "≤", "최대": "≤", "最小": "≥", "最少": "≥", "至少": "≥",
    "최소": "≥",
}  # fmt: skip
_CJK_BEHIND: Final = {
    "以上": "≥",
    "이상": "≥",
    "以下": "≤",
    "以内": "≤",
    "이하": "≤",
    "未満": "<",
    "미만": "<",
    "超": ">",
    "초과": ">",
    "左右": "≈",
}
_SIGN_BEFORE: Final = compile_on_use(r"([<>=~＜＞≤⩽≦≥⩾≧∼≈≅～]{1,2})\s*(?=\S)")
_PLUS_BEHIND: Final = compile_on_use(r"(?<=\d)\s?\+$")
_MAX_WORDS: Final = 4
_RANGE_IN_WORDS: Final = compile_on_use(
    r"\s*(?:(?:between|zwischen|entre|tra|fra|mellan|mellem|mellom|między|между|tussen) +(?P<low>.*?\d.*?) +"
    r"(?:and|und|et|y|e|och|og|i|и|en)|(?:from|von|de|du|desde|dal|da|van|od|от|från|fra) +(?P<first>.*?\d.*?) +"
    r"(?:to|bis|à|au|a|hasta|al|tot|do|до|til|till)) +(?P<high>.*\d.*)",
    re.IGNORECASE,
)


@cache  # derived from constants
def _words_before() -> dict[str, str]:
    return {word.strip(): sign for sign, words in _WORDS.items() for word in words.replace("\n", " ").split(",")}


@cache  # derived from constants
def _words_behind() -> dict[str, str]:
    return {word.strip(): sign for sign, words in _WORDS_BEHIND.items() for word in words.split(",")}


def split_bound(text: str) -> tuple[str, str] | None:
    """The sign of a bound or an estimate (`<`, `≤`, `>`, `≥`, `≈`) and the value that it bounds; None for a value without one."""
    text = text.strip()
    if not text or len(text) > _MAX_LENGTH:
        return None
    sign = _SIGN_BEFORE.match(text)
    if sign is not None:
        return (_SIGNS[sign[1]], text[sign.end() :]) if sign[1] in _SIGNS else None
    if not text.isascii():
        for names, at_start in ((_CJK, True), (_CJK_BEHIND, False)):
            for name in sorted(names, key=len, reverse=True):
                if text.startswith(name) if at_start else text.endswith(name):
                    return names[name], (text[len(name) :] if at_start else text[: -len(name)]).strip(" ,.:")
    plus = _PLUS_BEHIND.search(text)
    if plus is not None:
        return "≥", text[: plus.start()]
    return _split_words(text)


def spell_range(text: str) -> str:
    """A range in words with a dash between its ends; any other text as it is.

    >>> spell_range("between 5 and 6 mg"), spell_range("von 5 bis 6 mg"), spell_range("from 5 mg"), spell_range("5 to 6 mg")
    ('5 – 6 mg', '5 – 6 mg', 'from 5 mg', '5 to 6 mg')
    """
    words = _RANGE_IN_WORDS.fullmatch(text) if len(text) <= _MAX_LENGTH else None
    return text if words is None else f"{words['low'] or words['first']} – {words['high']}"


def _split_words(text: str) -> tuple[str, str] | None:
    """A bound by its words before or behind the value."""
    words = text.split()
    for count in range(min(_MAX_WORDS, len(words) - 1), 0, -1):
        before = " ".join(words[:count]).casefold().strip(".,:;")
        if before in _words_before():
            return _words_before()[before], " ".join(words[count:])
        behind = " ".join(words[-count:]).casefold().strip(".,:;()")
        if behind in _words_behind():
            return _words_behind()[behind], " ".join(words[:-count]).rstrip(" ,(")
    return None
