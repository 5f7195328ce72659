"""Short forms of words in names and addresses: one table for the causes and for the guards of `semantic`.

>>> shorten("450 Fifth Avenue, Apartment 3") == shorten("450 5th Ave., Apt 3")
True
>>> shorten("12 Main Street") == shorten("12 Main Avenue")
False
"""

import re
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
_ORDINALS: Final = {
    "first": "1st", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th", "sixth": "6th", "seventh": "7th", "eighth": "8th",
    "ninth": "9th", "tenth": "10th", "eleventh": "11th", "twelfth": "12th",
}  # fmt: skip
_COMPOUND_STREET: Final = re.compile(r"(?<=\w\w\w)strasse$")
STREET_WORDS: Final = parse_words(
    """st ave rd blvd dr ln ct pl sq hwy pkwy ter way close crescent alley str rue via viale piazza calle avenida rua platz weg allee gasse
    ring damm ufer"""
)
"""Kinds of streets in their short forms: two addresses with different ones are different."""
_COMPOUND_STREETS: Final = ("str", "platz", "weg", "allee", "gasse", "ring", "damm", "ufer")
_MAX_ADDRESS_WORDS: Final = 10


def shorten(text: str) -> tuple[str, ...]:
    """The words of a text, each in its short form; single letters in a row are one word, as in `P.O.`."""
    words: list[str] = []
    after_initial = False
    for word in split_words(text):
        is_initial = len(word) == 1 and word.isalpha()
        if is_initial and after_initial:
            words[-1] += word
        else:
            word = _COMPOUND_STREET.sub("str", word)
            words.append(_ORDINALS.get(word) or SHORT_FORMS.get(word, word))
        after_initial = is_initial
    return tuple(words)


def find_street_words(words: tuple[str, ...]) -> frozenset[str]:
    """The kinds of streets in shortened words, where these may be an address: few, with a number at an end.

    >>> find_street_words(shorten("Hauptstraße 12")), find_street_words(shorten("the ring finger"))
    (frozenset({'str'}), frozenset())
    """
    if not 2 <= len(words) <= _MAX_ADDRESS_WORDS or not any(word[0].isdigit() for word in words):
        return frozenset()
    kinds = {word for word in words if word in STREET_WORDS}
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
