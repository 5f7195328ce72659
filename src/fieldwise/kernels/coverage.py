"""Which keywords of expected texts stand in the answers to them, for many answers at once.

It says what `Vocabulary` says of one text at a time. A token becomes a number when it is first met; from there on answers are rows of
numbers, and what they lack is found in arrays.

>>> found = Coverage().of(["Territory 118 rises 0.305%"], ["territory 117 rises 0.305 percent"])
>>> [found.texts[code] for code in found.lost], found.keywords.tolist(), found.numbers.tolist()
(['territory 118', '118'], [5], [2])
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from threading import get_ident
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.citations import Signs
from fieldwise.kernels.cited_tokens import CitedTokens
from fieldwise.kernels.figures import Locale
from fieldwise.kernels.keywords import Vocabulary, words_in
from fieldwise.kernels.ragged import Codes, Column, Integers, Ragged, offsets, spread
from fieldwise.kernels.runs import Runs
from fieldwise.kernels.tokens import BREAK, Cut, Lexicon

_ROWS: Final = 4_096
_CHARACTERS: Final = 500_000
"""Answers are read in portions of at most about this size, which bounds the memory."""
_MEMORY: Final = 100_000
"""So many tokens, keywords or expected texts are remembered; then all is forgotten."""


_NONE: Final[Integers] = np.zeros(0, dtype=np.int64)


class Covered(NamedTuple):
    """What answers have and lack: position i of an array is answer i."""

    keywords: Integers
    """How many keywords are expected, and how many of them are numbers."""
    numbers: Integers
    wanted: Integers
    """How many words are expected, and how many there are."""
    given: Integers
    cited: NDArray[np.bool_]
    """Which indicators of a citation (columns) an answer (rows) has."""
    offsets: Integers
    """Answer i lacks `lost[offsets[i]:offsets[i + 1]]`."""
    lost: Integers
    texts: Sequence[str]
    """The keywords that `lost` speaks of, by code."""
    is_number: NDArray[np.bool_]


class _Portion(NamedTuple):
    """What was read of some answers, and of pairs of them with an expected text."""

    words: Integers
    cited: NDArray[np.bool_]
    lengths: Integers
    """How many keywords a pair has lost, and which."""
    lost: Integers


class _Things:
    """What answers may have, and what each token has of it: words, numbers, and parts that phrases are made of."""

    def __init__(self, known: Vocabulary, lexicon: Lexicon) -> None:
        self._known, self._lexicon = known, lexicon
        self.codes = Codes[str]({"": 0})
        """Words, numbers, and phrases with spaces around them. 0 stands for nothing."""
        self.parts = Codes[str]({BREAK: 0})
        self.first, self.more = Column(), Column(np.bool_)
        """The first word or number of a token, and whether there are more of them, which are in `others`."""
        self.others, self.spoken = Ragged(), Ragged()

    def learn(self) -> None:
        """Read the tokens that are new."""
        new = self._lexicon.words[len(self.first.value) :]
        if not new:
            return
        atoms = [[self.codes[atom] for atom in self._known.atoms_of(token)] for token in new]
        self.first.extend([one[0] if one else 0 for one in atoms])
        self.more.extend([len(one) > 1 for one in atoms])
        self.others.extend([one[1:] for one in atoms])
        spoken = [BREAK if token == BREAK else self._known.spoken_of(token) for token in new]
        self.spoken.extend([[self.parts[part] for part in one.split()] for one in spoken])


class _Expected:
    """Expected texts that were met, with their keywords."""

    def __init__(self, known: Vocabulary, things: _Things) -> None:
        self._known, self._things = known, things
        self.codes: dict[str, int] = {}
        self._keywords: dict[tuple[bool, str], int] = {}
        """By whether it is a phrase, and its text."""
        self.texts: list[str] = []
        self.thing, self.is_number = Column(), Column(np.bool_)
        """What is looked for, by keyword."""
        self.wanted, self.numbers, self.words = Ragged(), Column(), Column()
        self.runs = Runs()

    def which(self, texts: Sequence[str]) -> Integers:
        """The codes of some texts."""
        new = [text for text in dict.fromkeys(texts) if text not in self.codes]
        if new:
            self._learn(new)
        return np.fromiter(map(self.codes.__getitem__, texts), dtype=np.int64, count=len(texts))

    def _learn(self, new: Sequence[str]) -> None:
        read = [self._known.wanted(text) for text in new]
        self.codes.update(zip(new, range(len(self.codes), len(self.codes) + len(new)), strict=True))
        phrases = [[self._phrase(*pair) for pair in zip(one.phrases, one.spoken, strict=True)] for one in read]
        atoms = [[self._atom(atom) for atom in one.atoms] for one in read]
        self.wanted.extend([front + back for front, back in zip(phrases, atoms, strict=True)])
        self.numbers.extend([len(one.numbers) for one in read])
        self.words.extend([one.words for one in read])

    def _atom(self, atom: str) -> int:
        code = self._keywords.get((False, atom))
        return self._new((False, atom), self._things.codes[atom], number=atom[-1].isdecimal()) if code is None else code

    def _phrase(self, phrase: str, run: str) -> int:
        code = self._keywords.get((True, phrase))
        if code is not None:
            return code
        thing = self._things.codes[run]
        self.runs.add([self._things.parts[part] for part in run.split()], thing)
        return self._new((True, phrase), thing, number=False)

    def _new(self, key: tuple[bool, str], thing: int, *, number: bool) -> int:
        self._keywords[key] = code = len(self.texts)
        self.texts.append(key[1])
        self.thing.extend([thing])
        self.is_number.extend([number])
        return code


class Coverage:
    """Reads batches; what it has read of a token or an expected text, it remembers. Not for several threads at once."""

    def __init__(self, locale: Locale = "en", signs: Signs = ()) -> None:
        self._known = Vocabulary(locale)
        self._lexicon = Lexicon()
        self._cited = CitedTokens(signs, self._lexicon)
        self._things = _Things(self._known, self._lexicon)
        self._expected = _Expected(self._known, self._things)
        nothing = np.zeros(0, dtype=np.bool_)
        self._kept = (0, 0), (nothing, nothing)

    @property
    def is_full(self) -> bool:
        """Whether it remembers so much that another should begin anew."""
        return max(len(self._lexicon), len(self._things.codes), len(self._expected.codes)) > _MEMORY

    def of(self, expected: Sequence[str], actual: Sequence[str]) -> Covered:
        """What each answer has of the expected text at its position. Equal answers are read once."""
        which, texts = self._expected.which(expected), list(dict.fromkeys(actual))
        answers = dict(zip(texts, range(len(texts)), strict=True))
        answer = np.fromiter(map(answers.__getitem__, actual), dtype=np.int64, count=len(actual))
        order = np.argsort(answer, kind="stable")
        portions: list[_Portion] = []
        for part in _portions(texts):
            rows = order[slice(*np.searchsorted(answer[order], (part.start, part.stop)))]
            portions.append(self._portion(texts[part], answer[rows] - part.start, which[rows]))
        words, cited, lengths, lost = (np.concatenate(column) for column in zip(*portions, strict=True)) if portions else self._nothing()
        back = np.argsort(order)
        return Covered(
            keywords=self._expected.wanted.lengths(which),
            numbers=self._expected.numbers.value[which],
            wanted=self._expected.words.value[which],
            given=words[answer],
            cited=cited[answer],
            offsets=offsets(lengths[back]),
            lost=lost[spread(offsets(lengths)[back], lengths[back])],
            texts=self._expected.texts,
            is_number=self._expected.is_number.value,
        )

    def _nothing(self) -> _Portion:
        return _Portion(_NONE, self._cited.found([], None), _NONE, _NONE)

    def _portion(self, texts: Sequence[str], answer: Integers, which: Integers) -> _Portion:
        plain = self._are_plain(texts)
        cut = self._lexicon.read(texts if plain else [self._known.prepared(text) for text in texts])
        lengths, wanted = self._expected.wanted.lengths(which), self._expected.wanted.of(which)
        pair = np.repeat(np.arange(len(which)), lengths)
        lost = np.flatnonzero(~self._there(cut, answer[pair], self._expected.thing.value[wanted]))
        words = np.diff(cut.ends, prepend=-1) - 1
        if not plain:
            words[:] = [words_in(text) for text in texts]
        cited = self._cited.found(texts, cut if plain else None)
        return _Portion(words, cited, np.bincount(pair[lost], minlength=len(which)), wanted[lost])

    def _there(self, cut: Cut, text: Integers, thing: Integers) -> NDArray[np.bool_]:
        """Whether a text has a thing, for pairs of both."""
        things = self._things
        things.learn()
        column = np.zeros(len(things.codes), dtype=np.int64)  # 0 for what nobody looks for
        distinct = np.flatnonzero(np.bincount(thing, minlength=len(column)))
        column[distinct] = np.arange(1, len(distinct) + 1)
        width = len(distinct) + 1
        table = np.zeros(len(cut.ends) * width, dtype=np.bool_)
        row = np.repeat(np.arange(len(cut.ends)) * width, np.diff(cut.ends, prepend=-1))
        table[row + column[things.first.value[cut.tokens]]] = True
        more = np.flatnonzero(things.more.value[cut.tokens])
        several = cut.tokens[more]
        table[np.repeat(row[more], things.others.lengths(several)) + column[things.others.of(several)]] = True
        for at, phrase in self._phrases(cut):
            table[row[at] + column[phrase]] = True
        return table[text * width + column[thing]]

    def _phrases(self, cut: Cut) -> Iterator[tuple[Integers, Integers]]:
        """Places of tokens that phrases begin in, and which. A token that is in no phrase parts those around it, unless it is silent."""
        spoken, runs = self._things.spoken, self._expected.runs
        in_phrase, parts = self._roles()
        at = np.flatnonzero(in_phrase[cut.tokens])
        segments = np.cumsum(parts[cut.tokens], dtype=np.int32)[at]
        tokens = cut.tokens[at]
        lengths = spoken.lengths(tokens)
        origin = np.repeat(at, lengths)
        for start, phrase in runs.found(spoken.of(tokens), np.repeat(segments, lengths)):
            yield origin[start], phrase

    def _roles(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """By token: whether it may be in a phrase, or stand between two."""
        known = len(self._lexicon), len(self._expected.runs)
        if self._kept[0] != known:
            lengths = self._things.spoken.lengths(slice(None))
            edges, hits = offsets(lengths), offsets(self._expected.runs.has(self._things.spoken.of(slice(None))))
            in_phrase = hits[edges[1:]] > hits[edges[:-1]]
            self._kept = known, (in_phrase, (lengths > 0) & ~in_phrase)
        return self._kept[1]

    def _are_plain(self, texts: Sequence[str]) -> bool:
        """Whether tokens are simply what stands between spaces; seen at once, because it is so most of the time."""
        joined = "\0".join(texts)
        return self._known.locale != "fr" and joined.isascii() and not joined.startswith("(") and "\0(" not in joined


def _portions(texts: Sequence[str]) -> Iterator[slice]:
    """Cuts texts into portions of a limited size."""
    size = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))) // _CHARACTERS
    row = np.arange(len(texts)) // _ROWS
    edges = (np.flatnonzero((size[1:] != size[:-1]) | (row[1:] != row[:-1])) + 1).tolist()
    return (slice(start, stop) for start, stop in pairwise([0, *edges, len(texts)]) if start < stop)


@lru_cache(maxsize=16)
def _reader(locale: Locale, signs: Signs, thread: int) -> list[Coverage]:  # noqa: ARG001
    return [Coverage(locale, signs)]


def coverage(locale: Locale, signs: Signs) -> Coverage:
    """One that has read before, on this thread; it never changes what it says."""
    kept = _reader(locale, signs, get_ident())
    if kept[0].is_full:
        kept[0] = Coverage(locale, signs)
    return kept[0]
