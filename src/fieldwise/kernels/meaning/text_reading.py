"""A text as the guards see it: words, quantities, terms of the lexicon, negations, names, letters and marks.

>>> reading = read_text("The CFO did not approve 5 %")
>>> reading.negations, [str(quantity) for quantity in reading.quantities], [term.text for term in reading.alternatives]
(1, ['5 %'], ['cfo'])
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fieldwise.kernels.meaning import lexicon
from fieldwise.kernels.meaning.marks import TextMarks, read_marks
from fieldwise.kernels.meaning.quantities import TextQuantity, find_lone_magnitudes, find_quantities
from fieldwise.pattern import compile_on_use

_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?|[$€£¥]|°[cf]", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:;\n]\s*$")
_HAN = re.compile(r"[぀-ヿ㐀-鿿]")
_GERMAN = lexicon.parse_words("der die das und ist nicht mit für von ein eine den dem des beträgt wird sind im zum zur innerhalb über")
_ELISION = re.compile(r"(?:[dlnsjcmt]|qu)'(?=[^\W\d_]{2})")
_LETTER_IN_PLACE = re.compile(r"([^\W\d_]{2,}) ([A-Za-z])(?![\w.'-])(?= ?([^\W\d_]*))")
"""A word, a single letter after it, and the next word if there is one."""
_SINGLE_LETTER = re.compile(r"(?<=[^\W\d_] )(?:[A-Z]|[IVXL]{1,7})(?![\w.'-])")
_ENUMERATION = re.compile(
    r"(?<![^\W\d_])\(([a-z]|[ivx]{2,4})\)|(?<![^\W_])(?<!\()([a-z])\)|"
    r"\b(?:lit|letter|buchst|buchstabe|clause|item|point|punkt|lettre|letra|inciso|lettera)\.? ([a-z])(?![\w'’-])",
    re.IGNORECASE,
)
"""A letter or a small Roman numeral that counts: 3(a), b), lit. c. Not the plural of `invoice(s)`."""
_VERSION = re.compile(
    r"(?:\b(?:versions?|ver|release|sections?|clause|chapter|article|paragraph|abschnitt|kapitel|artikel|sección|capítulo|v)\.? ?|§ ?)"
    r"(\d+(?:\.\d+)+)",
    re.IGNORECASE,
)
_NUMBERING = compile_on_use(
    r"(?:\b(?:no\.|nr\.?|num\.|n[º°]\.?|number|nummer|num[eé]ro|n[uú]mero)|№|#"
    r"|(?<=\S )(?-i:No)(?= ?\d)|^(?-i:No)(?= ?[\w/-]*\d[\w/-]*$)) ?(?=[a-z]{0,4}[-/]?\d)",
    re.IGNORECASE,
)
"""A word or sign before a number that counts: the `No` of `Invoice No. 5` does not negate."""
_DIGIT = compile_on_use(r"\d")
_PLUS_TAX = compile_on_use(r"\+ ?(?=(?:vat|tax|taxes|gst|mwst|ust|tva|iva|btw)\b)", re.IGNORECASE)
_FAILURE = compile_on_use(r"\bfail(?:s|ed|ing)? to (?:be )?([^\W\d_]+)", re.IGNORECASE)
_MAX_SIGN_LENGTH = 2
_MIN_PLURAL_LENGTH = 6
"""Shorter words on `s` are often other words: `news`."""
_FIRST_IDEOGRAM = "\u2e80"
_TOKEN = re.compile(r"[^\W_]+(?:[.,'][^\W_]+)*|,")

_MARKUP = re.compile(r"<(?=[A-Za-z/!])[^<>]*>")
_COMPARATOR = re.compile(
    r"(?P<most><=|=<|[≤⩽])|(?P<least>>=|=>(?=\s*\d)|[≥⩾])|(?P<not>!=|≠|(?<!\S)!(?=\w))"
    r"|(?P<around>±|\+/?-(?=\s*\d))|(?P<root>√)|(?P<power>\^\s?[-\u2212](?=\d))"
    r"|(?:(?P<below><)|(?<![-=>])(?P<above>>))(?:(?=\s*[-+.$€£¥]?\d)|(?<=\b\w.)\s?(?=\w\b)|(?<=\b\w\s.)\s?(?=\w\b))"
)
"""Signs that compare, not brackets and arrows: `<` and `>` stand before a number or between single letters."""
_COMPARATOR_SIGNS = frozenset("<=>≤⩽≥⩾!≠±+√^")
_SPELLED_COMPARATORS = {
    "most": " at most ",
    "least": " at least ",
    "not": " not ",
    "below": " at most below ",
    "above": " at least above ",
    "around": " plus or minus ",
    "root": " root ",
    "power": " to the minus ",
}

_PhraseIndex = Mapping[str, list[tuple[tuple[str, ...], int, int]]]
"""Phrases with their family and group, by first word, longer ones first."""


@dataclass(frozen=True, slots=True)
class LexiconTerm:
    """A word or phrase of the lexicon that occurs in a text."""

    family: int
    group: int
    text: str

    @property
    def is_name(self) -> bool:
        """True for the name of one place, institution or make, which has no synonyms."""
        return self.family >= _FIRST_NAME_FAMILY


class LetterPlace(NamedTuple):
    """A single letter, capital or small, between two words in lower case."""

    before: str
    letter: str
    after: str
    """Empty if no word follows."""


@dataclass(frozen=True, slots=True)
class TextReading:
    """What the guards compare of a text."""

    words: tuple[str, ...]
    tokens: tuple[str, ...]
    """Words, numbers and commas in order."""
    quantities: tuple[TextQuantity, ...]
    opposites: tuple[LexiconTerm, ...]
    alternatives: tuple[LexiconTerm, ...]
    negations: int
    maybe_negative: bool
    """True if a word may negate by itself; then the number of negations proves nothing."""
    names: tuple[str, ...]
    is_title: bool
    """True if every word begins with a capital, as those of a name do."""
    letters: frozenset[str]
    """Single capitals and Roman numerals after a word, and letters that enumerate: plan A, type II, 3(a)."""
    letter_places: tuple[LetterPlace, ...]
    versions: frozenset[str]
    """Numbers in parts behind words such as version and section: 2.1 is not 2.10."""
    marks: TextMarks
    lone_magnitudes: frozenset[float]
    """The values of words such as `million` without a number: revenue in million."""
    failures: tuple[str, ...]
    """The verbs after `fails to`."""
    sign: str
    """The whole text, where it is too short to mean anything but itself: a grade, a size, a blood group, a language."""


def _index_phrases(table: str) -> _PhraseIndex:
    index: dict[str, list[tuple[tuple[str, ...], int, int]]] = {}
    for family, groups in enumerate(lexicon.parse_groups(table)):
        for group, phrases in enumerate(groups):
            for phrase in phrases:
                parts = tuple(phrase.split())
                index.setdefault(parts[0], []).append((parts, family, group))
    return {first: sorted(entries, key=lambda entry: -len(entry[0])) for first, entries in index.items()}


_OPPOSITES, _ALTERNATIVES = _index_phrases(lexicon.OPPOSITES), _index_phrases(lexicon.ALTERNATIVES + lexicon.TOWNS + lexicon.MAKES)
_FIRST_NAME_FAMILY = len(lexicon.parse_groups(lexicon.ALTERNATIVES))
_NON_NEGATING = _index_phrases(" | ".join(phrase.replace(" ", "_") for phrase in sorted(lexicon.NON_NEGATING_PHRASES)))
_HAN_OPPOSITES = lexicon.parse_groups(lexicon.HAN_OPPOSITES)


def spell_comparators(text: str) -> str:
    """The text with words for signs such as `<`, because neither words nor an embedding have signs.

    >>> spell_comparators("p<0.05"), spell_comparators("≥ 5 mg"), spell_comparators("<b>a</b> -> b")
    ('p at most below 0.05', ' at least  5 mg', '<b>a</b> -> b')
    """
    if _COMPARATOR_SIGNS.isdisjoint(text) or _MARKUP.search(text):
        return text
    return _COMPARATOR.sub(lambda match: _SPELLED_COMPARATORS[str(match.lastgroup)], text)


def read_text(text: str) -> TextReading:
    """Read what the guards compare of a text."""
    marks = read_marks(text)
    text = unicodedata.normalize("NFKC", _spell_signs(text)).replace("’", "'")
    words = tuple(_normalize_word(match[0]) for match in _WORD.finditer(text))
    tokens = tuple(_TOKEN.findall(text.lower()))
    split_words: list[str] = []
    for word in words:
        listed = _find_listed_form(word)
        split_words += [listed] if listed else word.split("-")
    opposites = _find_terms(split_words, _OPPOSITES)
    if _HAN.search(text):
        opposites += _find_han_terms(text)
    return TextReading(
        words=words,
        tokens=tokens,
        quantities=tuple(find_quantities(text)),
        opposites=opposites,
        alternatives=_find_terms(split_words, _ALTERNATIVES),
        negations=_count_negations(text, split_words) - len(_find_terms(split_words, _NON_NEGATING)),
        maybe_negative=any(_may_negate(word) for word in split_words),
        names=_find_names(text, split_words),
        is_title=all(match[0][0].isupper() for match in _WORD.finditer(text)),
        letters=frozenset(_SINGLE_LETTER.findall(text)) | {"".join(letters).lower() for letters in _ENUMERATION.findall(text)},
        letter_places=tuple(LetterPlace(before.lower(), letter, after.lower()) for before, letter, after in _LETTER_IN_PLACE.findall(text)),
        versions=frozenset(_VERSION.findall(text)),
        marks=marks,
        lone_magnitudes=find_lone_magnitudes(tokens),
        failures=tuple(verb.lower() for verb in _FAILURE.findall(text)) if any(word.startswith("fail") for word in words) else (),
        sign=_read_sign(text),
    )


def _spell_signs(text: str) -> str:
    """The text with words for signs that compare and for the plus before a tax, and without the `No.` before a number."""
    text = spell_comparators(text)
    if "+" in text:
        text = _PLUS_TAX.sub("plus ", text)
    return _NUMBERING.sub(" ", text) if _DIGIT.search(text) else text


def _read_sign(text: str) -> str:
    short = text.strip(" .,;:!?").casefold()
    return short if len(short) <= _MAX_SIGN_LENGTH and all(letter < _FIRST_IDEOGRAM for letter in short) else ""


def _normalize_word(word: str) -> str:
    """Return a word in lower case, without the dot of an abbreviation and the French article before a vowel."""
    return _ELISION.sub("", word.lower().rstrip("."))


def _find_listed_form(word: str) -> str:
    """The form of a word that the lexicon has: itself, or without the ending of a possessive or a plural; empty if it has none."""
    if word in _OPPOSITES or word in _ALTERNATIVES:
        return word
    stem = word.removesuffix("'s")
    if stem == word and len(word) >= _MIN_PLURAL_LENGTH:
        stem = word.removesuffix("s")
    return stem if stem != word and (stem in _OPPOSITES or stem in _ALTERNATIVES) else ""


def _find_terms(words: Sequence[str], index: _PhraseIndex) -> tuple[LexiconTerm, ...]:
    terms: list[LexiconTerm] = []
    position = 0
    while position < len(words):
        step = 1
        for parts, family, group in index.get(words[position], ()):
            if tuple(words[position : position + len(parts)]) == parts:
                terms.append(LexiconTerm(family, group, " ".join(parts)))
                step = max(step, len(parts))
        position += step
    return tuple(terms)


def _find_han_terms(text: str) -> tuple[LexiconTerm, ...]:
    """Find terms anywhere in the text: Chinese and Japanese have no spaces between words."""
    terms: list[LexiconTerm] = []
    for family, groups in enumerate(_HAN_OPPOSITES):
        for group, phrases in enumerate(groups):
            terms += [LexiconTerm(-1 - family, group, phrase) for phrase in phrases if phrase in text]
    return tuple(terms)


def _count_negations(text: str, words: Sequence[str]) -> int:
    count = sum(word in lexicon.NEGATORS or word.endswith("n't") for word in words)
    if words and words[0] == "no" and re.match(r"\s*no\s*[,.;:]", text, re.IGNORECASE):
        count -= len(words) > 1  # the answer `No, …` repeats what the sentence says
    if text.isascii():
        return count
    han_count = sum(text.count(sign) for sign in (*lexicon.HAN_NEGATORS, *lexicon.HAN_NEGATING_ENDS))
    return count + han_count


def _may_negate(word: str) -> bool:
    return word in lexicon.IMPLICIT_NEGATORS or word.endswith("less") or (word.startswith(("un", "dis")) and len(word) > 5)


def _find_names(text: str, words: Sequence[str]) -> tuple[str, ...]:
    """Find capitalized words inside sentences and abbreviations in capitals; none where capitals mean nothing (titles, German)."""
    if not _GERMAN.isdisjoint(words):
        return ()
    matches = [(match.start(), match[0].rstrip(".")) for match in _WORD.finditer(text)]
    has_ordinary_words = any(word[0].islower() and len(word) > 3 for _, word in matches)
    if not has_ordinary_words:
        return ()
    names: list[str] = []
    for start, word in matches:
        begins_sentence = not text[:start].strip() or bool(_SENTENCE_END.search(text[:start]))
        abbreviation = word.isupper() and 1 < len(word) < 6
        if abbreviation or (word[0].isupper() and not begins_sentence and len(word) > 2):
            names.append(word)
    return tuple(names)
