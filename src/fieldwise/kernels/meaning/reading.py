"""A text as the guards see it: its numbers, negations, names, and the words that exclude others.

>>> seen = read("The CFO did not approve 5 %")
>>> seen.negations, [str(quantity) for quantity in seen.quantities], [term.text for term in seen.alternatives]
(1, ['5 %'], ['cfo'])
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fieldwise.kernels.meaning import lexicon
from fieldwise.kernels.meaning.quantities import Quantity, quantities

_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?|[$€£¥]|°[cf]", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:;\n]\s*$")
_HAN = re.compile(r"[぀-ヿ㐀-鿿]")
_GERMAN = lexicon.words("der die das und ist nicht mit für von ein eine den dem des beträgt wird sind im zum zur innerhalb über")
_ELISION = re.compile(r"(?:[dlnsjcmt]|qu)'(?=[^\W\d_]{2})")
_LETTER = re.compile(r"(?<=[^\W\d_] )(?:[A-Z]|[IVX]{1,4})(?![\w.'-])")
_LONGEST_SIGN = 2
_FIRST_IDEOGRAM = "\u2e80"
_TOKEN = re.compile(r"[^\W_]+(?:[.,'][^\W_]+)*|,")


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase of the lexicon, found in a text."""

    family: int
    group: int
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What the guards see in a text."""

    words: tuple[str, ...]
    tokens: tuple[str, ...]
    """Words, numbers and commas in order."""
    quantities: tuple[Quantity, ...]
    opposites: tuple[Term, ...]
    alternatives: tuple[Term, ...]
    negations: int
    maybe_negative: bool
    """A word stands there that may negate by itself; then negations prove nothing."""
    names: tuple[str, ...]
    letters: frozenset[str]
    """Single capitals and Roman numerals after a word: plan A, type II."""
    sign: str
    """All of the text, where it is too short to mean anything but itself: a grade, a size, a blood group, a language."""


def _index(table: str) -> dict[str, list[tuple[tuple[str, ...], int, int]]]:
    """The phrases of a table by their first word, longer ones first."""
    index: dict[str, list[tuple[tuple[str, ...], int, int]]] = {}
    for family, groups in enumerate(lexicon.groups(table)):
        for group, phrases in enumerate(groups):
            for phrase in phrases:
                parts = tuple(phrase.split())
                index.setdefault(parts[0], []).append((parts, family, group))
    return {first: sorted(found, key=lambda entry: -len(entry[0])) for first, found in index.items()}


_OPPOSITES, _ALTERNATIVES = _index(lexicon.OPPOSITES), _index(lexicon.ALTERNATIVES)
_POLITE = _index(" | ".join(phrase.replace(" ", "_") for phrase in sorted(lexicon.MERELY_POLITE)))
_HAN_GROUPS = lexicon.groups(lexicon.HAN_OPPOSITES)


def read(text: str) -> Reading:
    """A text as the guards see it."""
    text = unicodedata.normalize("NFKC", text).replace("’", "'")
    found = [match[0] for match in _WORD.finditer(text)]
    words = tuple(_plain(word) for word in found)
    spread = tuple(part for word in words for part in ([word] if word in _OPPOSITES or word in _ALTERNATIVES else word.split("-")))
    opposites = _terms(spread, _OPPOSITES)
    if _HAN.search(text):
        opposites += _han_terms(text)
    polite = sum(1 for _ in _terms(spread, _POLITE))
    return Reading(
        words=words,
        tokens=tuple(_TOKEN.findall(text.lower())),
        quantities=tuple(quantities(text)),
        opposites=opposites,
        alternatives=_terms(spread, _ALTERNATIVES),
        negations=_negations(text, spread) - polite,
        maybe_negative=any(_may_negate(word) for word in spread),
        names=_names(text, spread),
        letters=frozenset(_LETTER.findall(text)),
        sign=_sign(text),
    )


def _sign(text: str) -> str:
    short = text.strip(" .,;:!?").casefold()
    return short if len(short) <= _LONGEST_SIGN and all(letter < _FIRST_IDEOGRAM for letter in short) else ""


def _plain(word: str) -> str:
    """In lower case, without the dot of an abbreviation and the French article before a vowel."""
    return _ELISION.sub("", word.lower().rstrip("."))


def _terms(words: Sequence[str], index: Mapping[str, list[tuple[tuple[str, ...], int, int]]]) -> tuple[Term, ...]:
    found: list[Term] = []
    at = 0
    while at < len(words):
        step = 1
        for parts, family, group in index.get(words[at], ()):
            if tuple(words[at : at + len(parts)]) == parts:
                found.append(Term(family, group, " ".join(parts)))
                step = max(step, len(parts))
        at += step
    return tuple(found)


def _han_terms(text: str) -> tuple[Term, ...]:
    """Chinese and Japanese have no blanks between words, so terms are looked for anywhere."""
    return tuple(
        Term(-1 - family, group, phrase)
        for family, groups in enumerate(_HAN_GROUPS)
        for group, phrases in enumerate(groups)
        for phrase in phrases
        if phrase in text
    )


def _negations(text: str, words: Sequence[str]) -> int:
    count = sum(word in lexicon.NEGATORS or word.endswith("n't") for word in words)
    if words and words[0] == "no" and re.match(r"\s*no\s*[,.;:]", text, re.IGNORECASE):
        count -= len(words) > 1  # the answer `No, …` says again what the sentence says
    han = sum(text.count(sign) for sign in (*lexicon.HAN_NEGATORS, *lexicon.HAN_NEGATING_ENDS))
    return count + han


def _may_negate(word: str) -> bool:
    return word in lexicon.IMPLICIT or word.endswith("less") or (word.startswith(("un", "dis")) and len(word) > 5)


def _names(text: str, words: Sequence[str]) -> tuple[str, ...]:
    """Capitalised words inside sentences, and abbreviations in capitals; nothing where capitals say nothing (titles, German)."""
    if not _GERMAN.isdisjoint(words):
        return ()
    found = [(match, match[0].rstrip(".")) for match in _WORD.finditer(text)]
    ordinary = sum(word[0].islower() and len(word) > 3 for _, word in found)
    names: list[str] = []
    for match, word in found:
        opening = not text[: match.start()].strip() or bool(_SENTENCE_END.search(text[: match.start()]))
        abbreviation = word.isupper() and 1 < len(word) < 6
        if ordinary and (abbreviation or (word[0].isupper() and not opening and len(word) > 2)):
            names.append(word)
    return tuple(names)
