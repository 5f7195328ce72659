"""Short forms of words in names and addresses: one table for the causes and for the guards of `semantic`.

>>> shorten("450 Fifth Avenue, Apartment 3") == shorten("450 5th Ave., Apt 3")
True
>>> shorten("12 Main Street") == shorten("12 Main Avenue")
False
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from fieldwise.kernels.meaning.lexicon import parse_words
from fieldwise.kernels.text_normalize import split_words

SHORT_FORMS: Final = {
    "corporation": "corp", "incorporated": "inc", "limited": "ltd", "company": "co", "companies": "cos", "international": "intl",
    "association": "assn", "brothers": "bros", "manufacturing": "mfg", "department": "dept", "division": "div", "government": "govt",
    "university": "univ", "institute": "inst", "national": "natl", "technology": "tech", "technologies": "tech", "laboratory": "lab",
    "laboratories": "labs", "services": "svcs", "service": "svc", "management": "mgmt", "center": "ctr", "centre": "ctr",
    "street": "st", "saint": "st", "avenue": "ave", "av": "ave", "road": "rd", "boulevard": "blvd", "drive": "dr", "doctor": "dr",
    "lane": "ln", "court": "ct", "place": "pl", "square": "sq", "highway": "hwy", "parkway": "pkwy", "terrace": "ter", "terr": "ter",
    "building": "bldg",
    "floor": "fl", "suite": "ste", "apartment": "apt", "room": "rm", "mount": "mt", "fort": "ft", "strasse": "str", "number": "no",
    "north": "n", "south": "s", "east": "e", "west": "w", "northeast": "ne", "northwest": "nw", "southeast": "se", "southwest": "sw",
    "junior": "jr", "senior": "sr", "professor": "prof", "mister": "mr", "president": "pres", "director": "dir", "manager": "mgr",
    "assistant": "asst", "engineer": "eng", "engineering": "eng", "approximately": "approx", "versus": "vs", "volume": "vol",
    "pages": "pp", "edition": "ed", "january": "jan", "february": "feb", "march": "mar", "april": "apr", "june": "jun", "july": "jul",
    "august": "aug", "sept": "sep", "september": "sep", "october": "oct", "november": "nov", "december": "dec",
    "pieces": "pcs", "piece": "pc", "quantity": "qty", "kilogram": "kg", "kilograms": "kg", "hours": "hrs", "hour": "hr", "minutes": "min",
}  # fmt: skip
"""Word → its short form, without case, accents and points."""
_STREET_FORMS: Final = {
    "c": "calle", "cl": "calle", "avenida": "ave", "avda": "ave", "avd": "ave", "avinguda": "ave", "bd": "blvd", "bld": "blvd",
    "boul": "blvd",
    "bulevar": "blvd", "ul": "ulica", "al": "aleja", "aleje": "aleja", "os": "osiedle", "v": "via", "vle": "viale", "cso": "corso",
    "pzza": "piazza", "pza": "plaza", "plac": "plaza", "placa": "plaza", "str": "st", "strada": "st", "r": "rua", "praca": "pca",
    "rodovia": "rod", "estrada": "estr", "travessa": "tv", "trav": "tv", "carretera": "ctra", "paseo": "pso", "faubourg": "fbg",
    "fg": "fbg",
    "chemin": "che", "impasse": "imp", "route": "rte", "jalan": "jl", "jln": "jl", "caddesi": "cad", "cadde": "cad", "cd": "cad",
    "sokak": "sok", "sokagi": "sok", "sk": "sok", "mahallesi": "mah", "улица": "ул", "проспект": "пр", "просп": "пр", "переулок": "пер",
    "площадь": "пл", "шоссе": "ш", "вулиця": "вул", "бульвар": "бул", "trida": "tr", "namesti": "nam", "utca": "u", "ulice": "ulica",
    "calea": "cal", "postfach": "pobox", "apartado": "pobox",
}  # fmt: skip
"""Words for streets and their short forms that mean other things elsewhere: they count in an address, a short text with a number."""
_NUMBERED_FORMS: Final = {
    "article": "art", "artikel": "art", "articulo": "art", "articolo": "art", "artigo": "art", "section": "sec", "chapter": "chap",
    "figure": "fig", "paragraph": "para", "nr": "no", "num": "no", "nummer": "no", "numero": "no",
}  # fmt: skip
"""Short forms that mean other things elsewhere: they count before a number."""
_SQUARES: Final = frozenset(("pl", "platz"))
"""Short for a square before its name, where `Pl.` is Plaza, Place, Platz or Plac; behind a name it is the English Place."""
_ORDINALS: Final = {
    "first": "1st", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th", "sixth": "6th", "seventh": "7th", "eighth": "8th",
    "ninth": "9th", "tenth": "10th", "eleventh": "11th", "twelfth": "12th",
}  # fmt: skip
_LONG_STREETS: Final = ("strasse", "straat")
_COMPOUND_STREET: Final = re.compile(rf"(?<=\w\w\w)(?:{'|'.join(_LONG_STREETS)})$")
_CONTRACTION: Final = re.compile(r"\b([A-Za-z])\.(le|so|zza|za|go)\b")
"""First and last letters of a word around a point, as in `P.zza`."""
_COMPOUND_PLACE: Final = re.compile(r"(?<=\w\w\w)pl$")
STREET_WORDS: Final = parse_words(
    """st ave rd blvd dr ln ct pl sq hwy pkwy ter way close crescent alley str rue via viale piazza calle avenida rua platz weg allee gasse
    ring damm ufer ulica aleja jl cad sok ул пр пер пл бул вул corso plaza ctra pso pca rod estr tv fbg rte imp che gang nam tr"""
)
"""Kinds of streets in their short forms: two addresses with different ones are different."""
_COMPOUND_STREETS: Final = (
    "str",
    "platz",
    "weg",
    "allee",
    "gasse",
    "ring",
    "damm",
    "ufer",
    "plein",
    "laan",
    "gracht",
    "kade",
    "gatan",
    "vagen",
    "torget",
    "utca",
)
_MAX_ADDRESS_WORDS: Final = 10


def shorten(text: str) -> tuple[str, ...]:
    """The words of a text, each in its short form; single letters in a row are one word, as in `P.O.`."""
    words: list[str] = []
    after_initial = False
    written = split_words(_CONTRACTION.sub(r"\1\2", text))
    in_address = _is_address(written)
    for place, word in enumerate(written):
        is_initial = len(word) == 1 and word.isalpha()
        if is_initial and after_initial:
            words[-1] += word
        else:
            short = _short_form(word, in_address, is_last=place == len(written) - 1)
            words.append(_short_form_between(written, place, short, in_address))
        after_initial = is_initial
    return tuple("pobox" if word == "po" and in_address else word for word in words if not (word == "box" and "po" in words and in_address))


def _short_form_between(words: Sequence[str], place: int, short: str, in_address: bool) -> str:
    """The short form of a word that depends on the words beside it."""
    before_number = place + 1 < len(words) and words[place + 1][0].isdigit()
    if before_number and words[place] in _NUMBERED_FORMS:
        return _NUMBERED_FORMS[words[place]]
    has_english_order = words[0][0].isdigit() and place > 1  # `10 Park Place`
    return "plaza" if in_address and short in _SQUARES and not has_english_order and not before_number else short


def _is_address(words: Sequence[str]) -> bool:
    return 2 <= len(words) <= _MAX_ADDRESS_WORDS and any(word[0].isdigit() for word in words)


def _short_form(word: str, in_address: bool, *, is_last: bool) -> str:
    if word.endswith(_LONG_STREETS):
        word = _COMPOUND_STREET.sub("str", word)
    short = _ORDINALS.get(word) or SHORT_FORMS.get(word, word)
    if not in_address:
        return short
    if len(short) > 1 or not is_last:  # the letter behind a house number is no street
        short = _STREET_FORMS.get(short, short)
    return _COMPOUND_PLACE.sub("platz", short) if short.endswith("pl") else short


def may_be_same_word(left: str, right: str) -> bool:
    """True if two words have a short form in common, in an address or elsewhere.

    >>> may_be_same_word("boulevard", "blvd"), may_be_same_word("boulevard", "boul"), may_be_same_word("bolt", "bo")
    (True, True, False)
    """
    return not _possible_short_forms(left).isdisjoint(_possible_short_forms(right))


@lru_cache(maxsize=1 << 12)  # the same words in many values of a column
def _possible_short_forms(word: str) -> frozenset[str]:
    forms = {_short_form(word, False, is_last=False), _short_form(word, True, is_last=False), _short_form(word, True, is_last=True)}
    return frozenset(forms | ({"plaza"} if "pl" in forms else set()))


def find_street_words(words: tuple[str, ...]) -> frozenset[str]:
    """The kinds of streets in shortened words, where these may be an address: few, with a number at an end.

    >>> find_street_words(shorten("Hauptstraße 12")), find_street_words(shorten("the ring finger"))
    (frozenset({'str'}), frozenset())
    """
    if not _is_address(words):
        return frozenset()
    kinds = {"str" if word == "st" else word for word in words if word in STREET_WORDS}
    kinds |= {kind for word in words for kind in _COMPOUND_STREETS if word.endswith(kind) and len(word) > len(kind) + 2}
    return frozenset(kinds)


def find_street_names(words: tuple[str, ...]) -> frozenset[str]:
    """The names of streets in shortened words: the word before the kind of street, or the word that ends in it.

    >>> find_street_names(shorten("12 Main Street")), find_street_names(shorten("Hauptstraße 12"))
    (frozenset({'main'}), frozenset({'hauptstr'}))
    """
    names = {before for before, word in pairwise(words) if word in STREET_WORDS}
    names |= {word for word in words for kind in _COMPOUND_STREETS if word.endswith(kind) and len(word) > len(kind) + 2}
    return frozenset(names or words)
