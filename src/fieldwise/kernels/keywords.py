"""What matters in an answer: names with their numbers and codes, numbers, words that carry meaning.

>>> Vocabulary().wanted("Territory 118 has a rate change of 0.305%").keywords
('territory 118', 'territory', '118', 'rate', 'change', '0.305')

Texts are read token by token, and what a token holds is remembered: answers repeat their words, so most are looked up, not read.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import Final, NamedTuple, TypeVar

from fieldwise.kernels.numbers_in_text import Locale, figures_in_token, joined, signed
from fieldwise.kernels.phrases import CODE, RUN
from fieldwise.kernels.stopwords import STOP_CHARACTERS, STOPWORDS

T = TypeVar("T")


class Wanted(NamedTuple):
    """The keywords of an expected text, each once, in order, case folded."""

    phrases: tuple[str, ...]
    """Capitalised phrases and codes: `territory 118`, `rule c-1`."""
    atoms: tuple[str, ...]
    """Words and numbers."""
    numbers: tuple[str, ...]
    """Those of the atoms that are numbers, by value."""
    spoken: tuple[str, ...]
    """The phrases as they are looked up."""
    words: int
    """How many words the text has, keywords or not."""

    @property
    def keywords(self) -> tuple[str, ...]:
        return self.phrases + self.atoms

    def __len__(self) -> int:
        return len(self.phrases) + len(self.atoms)


class Heard(NamedTuple):
    """A text made ready for looking keywords up in it."""

    tokens: Sequence[str]
    atoms: Collection[str]
    words: int


def _characters(*categories: str) -> str:
    """Characters of some Unicode categories, up to where scripts with marks end, as the inside of a regex class."""
    blocks = (range(0x80, 0x2E00), range(0xA640, 0xABFF))
    return "".join(chr(code) for block in blocks for code in block if unicodedata.category(chr(code)) in categories)


WORD: Final = re.compile(r"[^\W\d_]{4,}")
_MARKED_WORD: Final = re.compile(rf"(?:[^\W\d_]|[{_characters('Mn', 'Mc')}])+")
_CJK: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f"
_CJK_RUN = re.compile(f"[{_CJK}]+")
_CJK_CHARACTER = re.compile(f"[{_CJK}]")
_HANGUL: Final = ("\uac00", "\ud7a3")
_SILENT = dict.fromkeys([0x640, *range(0x64B, 0x660), 0x670])
"""Arabic vowel signs and the stretching stroke: written or not, the word is the same."""
PART: Final = re.compile(r"[0-9]+(?:[.,][0-9]+)*|[^\W\d_]+|[.!?;]")
_CODE = re.compile(r"[A-Z]{1,5}-?[0-9]\w*(?:-\w+)*")
_OPENING: Final = "([{<\"'“‘«„*_`#"
_CLOSING: Final = ")]}>\"'”’»“*_`"
_ENDING: Final = ".,;:!?)]}"
_ENDING_MARKS: Final = frozenset(_ENDING)
_ENDED: Final = {"A": "a", "B": "b", "C": "c", "D": "d", "1": "0"}
_MEMORY: Final = 50_000
_LONGEST: Final = 64
"""How many tokens are remembered, and up to which length."""
_TEXTS: Final = 10_000
_LONGEST_TEXT: Final = 4_000
"""The same for whole expected texts: a question is often answered more than once."""


def fold(text: str) -> str:
    """Composed and case folded: what lookups use."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).translate(_SILENT).casefold())


class _Atoms(dict[str, tuple[str, ...]]):
    """The words and numbers in a token. A dict that fills itself, so that the common case is one lookup at C speed."""

    def __init__(self, locale: Locale, *, coded: bool) -> None:
        super().__init__()
        self.locale: Locale = locale
        self.coded = coded

    def __missing__(self, token: str) -> tuple[str, ...]:
        found = [figure.value for figure in figures_in_token(token, self.locale) if self.coded or not figure.coded]
        return _remember(self, token, (*_words(fold(token)), *found))


class _Shapes(dict[str, str]):
    """What a token can be in a phrase, as one letter: A capitalised, C a code, 1 a number; in lower case (0) if punctuation ends it;
    B and D for A and C after an opening bracket or quote; a dot for anything else."""

    def __missing__(self, token: str) -> str:
        bare = token.lstrip(_OPENING)
        core = bare.rstrip(_ENDING + _CLOSING)
        ended = not _ENDING_MARKS.isdisjoint(bare[len(core) :])
        return _remember(self, token, _shape(core, opened=len(bare) < len(token), ended=ended))


class _Cores(dict[str, str]):
    """A token without the marks around it, folded: `(C-01,` is `c-01`."""

    def __missing__(self, token: str) -> str:
        return _remember(self, token, fold(token.lstrip(_OPENING).rstrip(_ENDING + _CLOSING)))


class _Spoken(dict[str, str]):
    """A token as phrases are looked up: `(C-01,` is `c 1`."""

    def __missing__(self, token: str) -> str:
        parts = (part.lstrip("0") or "0" if part[0] == "0" and part.isdigit() else part for part in PART.findall(fold(token)))
        return _remember(self, token, " ".join(parts))


def _remember(memory: dict[str, T], token: str, value: T) -> T:
    if len(token) <= _LONGEST:
        if len(memory) >= _MEMORY:
            memory.clear()
        memory[token] = value
    return value


class Vocabulary:
    """Reads texts; what it has read of a token, it remembers, up to a limit. `vocabulary` gives one that has read before."""

    def __init__(self, locale: Locale = "en") -> None:
        self.locale: Locale = locale
        self._wanted_atoms = _Atoms(locale, coded=False)
        self._heard_atoms = _Atoms(locale, coded=True)
        self._shapes = _Shapes()
        self._cores, self._spoken = _Cores(), _Spoken()
        self._known: dict[str, Wanted] = {}

    def wanted(self, text: str) -> Wanted:
        """The keywords of an expected text.

        >>> Vocabulary().wanted("Rule C-1 applies in New York").phrases
        ('rule c-1', 'c-1', 'new york')
        >>> Vocabulary().wanted("保费是604元").atoms
        ('保费', '604')
        """
        known = self._known.get(text)
        if known is None:
            known = self._read(text)
            if len(text) <= _LONGEST_TEXT:
                if len(self._known) >= _TEXTS:
                    self._known.clear()
                self._known[text] = known
        return known

    def heard(self, text: str) -> Heard:
        """Ready a text for `missing`."""
        tokens = self._tokens(text)
        atoms = set(chain.from_iterable(map(self._heard_atoms.__getitem__, tokens)))
        return Heard(tokens, atoms, len(tokens) if self.is_plain(text) else words_in(text))

    def missing(self, wanted: Wanted, heard: Heard) -> list[str]:
        """The keywords that a text does not have, in order: phrases that do not stand in it as whole words, whatever the markup,
        hyphens and leading zeros, then words and numbers. `Coverage` says the same of many texts.

        >>> v = Vocabulary()
        >>> v.missing(v.wanted("Territory 118 rises 0.305%"), v.heard("territory 117 rises 0.305 percent"))
        ['territory 118', '118']
        """
        text = f" {' '.join(filter(None, map(self._spoken.__getitem__, heard.tokens)))} "
        lost = [phrase for phrase, run in zip(wanted.phrases, wanted.spoken, strict=True) if run not in text]
        return lost + [atom for atom in wanted.atoms if atom not in heard.atoms]

    def spoken(self, text: str) -> str:
        """Words and numbers with single spaces between and around them: what is looked up, and what it is looked up in.

        >>> Vocabulary().spoken("**Rule** C-01,")
        ' rule c 1 '
        """
        return f" {' '.join(filter(None, map(self._spoken.__getitem__, self._tokens(text))))} "

    def prepared(self, text: str) -> str:
        """A text whose tokens are what stands between its spaces."""
        return text if self.is_plain(text) else signed(joined(text, self.locale))

    def is_plain(self, text: str) -> bool:
        """Whether the tokens are simply what stands between spaces, and each is a word."""
        return text.isascii() and self.locale != "fr" and not text.startswith("(")

    def atoms_of(self, token: str) -> tuple[str, ...]:
        """The words and numbers of a token of an answer."""
        return self._heard_atoms[token]

    def wanted_atoms_of(self, token: str) -> tuple[str, ...]:
        """The same of a token of an expected text, where a number in a code is none."""
        return self._wanted_atoms[token]

    def shape_of(self, token: str) -> str:
        """What a token can be in a phrase, as one letter."""
        return self._shapes[token]

    def core_of(self, token: str) -> str:
        """A token without the marks around it, as phrases are written."""
        return self._cores[token]

    def run_of(self, phrase: str) -> str:
        """A phrase as it is looked up, with spaces around it; empty if there is nothing to look up: Ⓐ is a capital.

        >>> Vocabulary().run_of("rule c-01")
        ' rule c 1 '
        """
        run = " ".join(filter(None, map(self._spoken.__getitem__, phrase.split())))
        return f" {run} " if run else ""

    def spoken_of(self, token: str) -> str:
        """A token as phrases are looked up."""
        return self._spoken[token]

    def _tokens(self, text: str) -> list[str]:
        return self.prepared(text).split()

    def _read(self, text: str) -> Wanted:
        tokens = self._tokens(text)
        atoms = tuple(dict.fromkeys(chain.from_iterable(map(self._wanted_atoms.__getitem__, tokens))))
        numbers = tuple([atom for atom in atoms if atom[-1].isdecimal()])  # words end in letters
        shouted = text.isupper()  # capitals mean nothing there
        phrases = dict.fromkeys([phrase for line in text.splitlines() for phrase in self._phrases(line.split(), codes_only=shouted)])
        spoken = {phrase: run for phrase in phrases if (run := self.run_of(phrase))}
        return Wanted(tuple(spoken), atoms, numbers, tuple(spoken.values()), len(tokens) if self.is_plain(text) else words_in(text))

    def _phrases(self, tokens: Sequence[str], *, codes_only: bool) -> list[str]:
        shapes = "".join(map(self._shapes.__getitem__, tokens))
        spans = [] if codes_only else [found.span() for found in RUN.finditer(shapes)]
        spans += [found.span() for found in CODE.finditer(shapes)]
        return [" ".join(map(self._cores.__getitem__, tokens[start:end])) for start, end in sorted(spans)]


@lru_cache(maxsize=8)
def vocabulary(locale: Locale = "en") -> Vocabulary:
    """The vocabulary of this process for a locale: batches share what it remembers, and it never changes what it says."""
    return Vocabulary(locale)


def words_in(text: str) -> int:
    """How many words a text has; where a script writes no spaces, characters are counted instead.

    >>> words_in("The premium is $604"), words_in("保费是604元")
    (4, 5)
    """
    if text.isascii():
        return len(text.split())
    spaced, characters = _CJK_CHARACTER.subn(" ", text)
    return len(spaced.split()) + characters


def _words(folded: str) -> Iterator[str]:
    """Words that carry meaning: four letters or more; two syllables of Hangul; pairs of characters in Chinese and Japanese."""
    if folded.isascii():
        yield from (word for word in WORD.findall(folded) if word not in STOPWORDS)
        return
    for word in _MARKED_WORD.findall(_CJK_RUN.sub(" ", folded)):
        least = 2 if _HANGUL[0] <= word[0] <= _HANGUL[1] else 4
        if len(word) >= least and word not in STOPWORDS:
            yield word
    for run in _CJK_RUN.findall(folded):
        for first, second in pairwise(run):
            if first not in STOP_CHARACTERS and second not in STOP_CHARACTERS:
                yield first + second


def _shape(core: str, *, opened: bool, ended: bool) -> str:
    if core[:1].isupper():
        letter = ("D" if opened else "C") if _CODE.fullmatch(core) else ("B" if opened else "A")
    elif core[:1].isdigit() and not opened:
        letter = "1"
    else:
        return "."
    if fold(core) in STOPWORDS:
        return "."
    return _ENDED[letter] if ended else letter
