"""Numbers in words and words for powers of ten: one table for every reader of amounts, quantities and text.

English is read in full, and so are the languages of `spelled_numbers`; of the others 0 to 60 and the tens to 100, with a scale word behind.

>>> [read_number_words(text) for text in ("twenty-five", "two hundred and five thousand", "zwölf", "two and a half million", "soon")]
[25, 205000, 12, 2500000.0, None]
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final

from fieldwise.kernels import locale_tables
from fieldwise.kernels.spelled_numbers import read_spelled_number
from fieldwise.pattern import compile_on_use

_UNDER_TWENTY = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
ENGLISH_NUMBERS: Final = {
    **{word: value for value, word in enumerate(_UNDER_TWENTY.split())},
    **{word: 10 * value for value, word in enumerate(_TENS.split(), start=2)},
}
"""English number words below 100 that are one word."""
ORDINALS: Final = {
    word: value
    for value, word in enumerate(
        """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth
        seventeenth eighteenth nineteenth twentieth""".split(),  # noqa: SIM905
        start=1,
    )
} | {"thirtieth": 30}
"""English ordinal words."""
SCALE_WORDS: Final = {
    "k": 3, "tsd": 3, "thousand": 3, "thsd": 3, "mille": 3, "tys": 3, "тыс": 3, "m": 6, "mm": 6, "mn": 6, "mln": 6, "mio": 6,
    "mill": 6, "million": 6, "millions": 6, "millionen": 6, "milioni": 6, "millones": 6, "milhões": 6, "млн": 6, "b": 9, "bn": 9,
    "bln": 9, "bil": 9, "billion": 9, "billions": 9, "mrd": 9, "md": 9, "milliard": 9, "milliards": 9, "milliarden": 9, "miliardi": 9,
    "млрд": 9, "t": 12, "tn": 12, "trn": 12, "trillion": 12, "lakh": 5, "lakhs": 5, "lac": 5, "lacs": 5, "crore": 7, "crores": 7,
    "ribu": 3, "rb": 3, "juta": 6, "jt": 6, "miliar": 9, "mil": 3, "tỷ": 9, "triệu": 6, "nghìn": 3, "ngàn": 3, "tausend": 3,
    "लाख": 5, "करोड़": 7, "mld": 9, "thousands": 3, "trillions": 12, "bilhões": 9, "bilhão": 9, "milhão": 6, "milione": 6, "miliardo": 9,
}  # fmt: skip
"""Folded word or abbreviation → power of ten: what people write and CLDR does not print."""
_HUNDREDS: Final = frozenset({"hundred", "hundert", "hundred's"})
_JOINERS: Final = frozenset({"and", "und", "et", "y", "e", "en", "og", "och"})
_HALVES: Final = frozenset({"half", "half a", "half an", "a half", "demi", "une demi", "media", "mezza", "mezzo", "mezz", "meia", "halbe",
    "eine halbe", "ein halbes", "halbes", "pół", "een half", "halv", "en halv", "半"})  # fmt: skip
_ONE_AND_A_HALF: Final = frozenset({"anderthalb", "eineinhalb", "einundeinhalb", "półtora", "półtorej", "bir buçuk", "másfél",
    "полтора", "полторы", "anderhalf", "halvannan",
    "halvanden", "one and half"})  # fmt: skip
_ARTICLES: Final = frozenset(
    ("a", "an", "un", "uno", "une", "una", "uma", "eine", "einen", "einer", "ett", "een", "één", "jedna", "jedno", "одна", "одну")
)
"""Words for one that are articles too: they count only before a unit or a scale word."""
_REPEATED: Final = compile_on_use(r"\b([^\W\d_]+(?:[ -][^\W\d_]+){0,4}) \((\d{1,6})\)")
_WORD: Final = compile_on_use(r"[^\W\d_]+")
_MIN_DOTTED_SCALE: Final = 3
"""Characters of an abbreviated scale word with its point: shorter ones are units as well."""
_MIN_SPOKEN_SCALE: Final = 4
"""Letters of a scale word in running words; `mil` is the only shorter one."""


@cache  # derived from tables that never change
def scale_words() -> dict[str, int]:
    """Folded word without a final point → power of ten: ours, and the unambiguous ones of CLDR with at least three letters.

    >>> scale_words()["mio"], scale_words()["lakh"]
    (6, 5)
    """
    spelled = {suffix.rstrip("."): powers for suffix, powers in locale_tables.compact_suffixes().items()}
    # shorter ones mean units and currencies too
    unambiguous = {word: next(iter(powers)) for word, powers in spelled.items() if len(powers) == 1 and len(word) >= 3 and " " not in word}
    return unambiguous | SCALE_WORDS


@lru_cache(maxsize=1 << 10)  # the same few words in every value of a column
def dotted_scale(word: str) -> int:
    """The power of ten of a folded abbreviation that needs its point, or means another one without it; 0 if it is none.

    >>> dotted_scale("mil."), dotted_scale("mil"), dotted_scale("mio.")
    (6, 0, 0)
    """
    if not word.endswith(".") or len(word) < _MIN_DOTTED_SCALE or (word.rstrip(".") in SCALE_WORDS and word != "mil."):
        return 0
    powers = locale_tables.compact_suffixes().get(word, frozenset())
    power_without_point = scale_words().get(word.rstrip("."))
    is_unit = power_without_point is None and word.rstrip(".") in locale_tables.unit_names()
    return next(iter(powers)) if len(powers) == 1 and not is_unit and power_without_point not in powers else 0


def starts_with_number_word(text: str) -> bool:
    """True if the first word of a text is a number in some language, or may start one: a cheap condition for reading words."""
    first = _WORD.match(text)
    return first is not None and _starts_number(first[0])


@lru_cache(maxsize=1 << 13)  # first words of a column repeat; the word alone decides the result
def _starts_number(word: str) -> bool:
    folded = locale_tables.fold_name(word)
    tables = (locale_tables.number_words(), ENGLISH_NUMBERS, scale_words(), _ARTICLES, _HUNDREDS, _HALVES)
    return any(folded in table for table in tables) or read_spelled_number(folded) is not None


@cache  # derived from tables that never change
def _first_words() -> frozenset[str]:
    """First words of all numbers, articles and halves."""
    tables = (locale_tables.number_words(), ENGLISH_NUMBERS, scale_words(), _ARTICLES, _HUNDREDS, _HALVES, _ONE_AND_A_HALF, ("dozen",))
    return frozenset(name.split(" ")[0].split("-")[0] for table in tables for name in table)


@lru_cache(maxsize=1 << 13)  # first words of a column repeat; the word alone decides the result
def may_start_quantity(word: str) -> bool:
    """False if no number in words before a unit starts with a word: a cheap condition for reading `two weeks`, `half an hour`."""
    folded = locale_tables.fold_name(word)
    return folded in _first_words() or read_spelled_number(folded) is not None


def read_number_words(text: str, *, before_unit: bool = False) -> float | None:
    """The number that a text says in words; None if it is no number. `before_unit` also reads articles and halves (`a`, `half an`)."""
    folded = locale_tables.fold_name(text)
    if before_unit:
        if folded in _ARTICLES:
            return 1
        if folded in _HALVES:
            return 0.5
        if folded in _ONE_AND_A_HALF:
            return 1.5
    whole = locale_tables.number_words().get(folded)
    if whole is not None:
        return whole
    half, _, scale = folded.rpartition(" ")
    if half in _HALVES and len(scale) >= _MIN_SPOKEN_SCALE and scale in scale_words():  # `half a million`
        return 10 ** scale_words()[scale] / 2
    total = _sum_words(re.split("[ -]+", folded))
    return total if total is not None else read_spelled_number(folded)


def read_repeated_number(text: str) -> str:
    """The text with a number in words and again in digits as digits alone, where both are the same: `thirty (30) days` is `30 days`."""

    def digits_alone(match: re.Match[str]) -> str:
        return match[2] if read_number_words(match[1]) == int(match[2]) else match[0]

    return _REPEATED.sub(digits_alone, text) if "(" in text else text


def _sum_words(words: Sequence[str]) -> float | None:
    """The value of number words and scale words in a row: each scale smaller than the one before."""
    total: float = 0
    section: float | None = None
    last_power: int | None = None
    place = 0
    while place < len(words):
        word = words[place]
        small = ENGLISH_NUMBERS.get(word, locale_tables.number_words().get(word))
        power = _spoken_power(word)
        if word in _JOINERS and 0 < place < len(words) - 1:
            if section is not None and list(words[place + 1 : place + 3]) == ["a", "half"]:
                section, place = section + 0.5, place + 3
                continue
        elif word in _HUNDREDS and (section is None or 0 < section < 100):
            section = (section or 1) * 100
        elif power and (last_power is None or power < last_power):
            total += (1 if section is None else section) * 10**power
            section, last_power = None, power
        elif small is not None and _continues(section, small):
            section = (section or 0) + small
        elif not (word in ("a", "an") and place == 0 and len(words) > 1 and (words[1] in _HUNDREDS or _spoken_power(words[1]))):
            return None
        place += 1
    return None if section is None and last_power is None else total + (section or 0)


def _spoken_power(word: str) -> int:
    return scale_words().get(word, 0) if len(word) >= _MIN_SPOKEN_SCALE or word == "mil" else 0


def _continues(section: float | None, small: int) -> bool:
    """Whether a number word may follow: `five` after `twenty` or `hundred`, never after `six`."""
    if section is None:
        return True
    return (section >= 100 and section % 100 == 0 and 0 < small < 100) or (section % 100 >= 20 and section % 10 == 0 and 0 < small < 10)
