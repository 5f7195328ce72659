"""Which keywords of expected texts stand in the answers to them, for many answers at once.

It says what `Vocabulary` says of one text at a time. A token becomes a number when it is first met; from there on answers are rows of
numbers, and what they lack is found in arrays.

>>> found = Coverage().of(["Territory 118 rises 0.305%"], ["territory 117 rises 0.305 percent"])
>>> [found.texts[code] for code in found.lost], found.keywords.tolist(), found.numbers.tolist()
(['territory 118', '118'], [5], [2])
"""

from collections.abc import Sequence
from functools import lru_cache
from threading import get_ident
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.citations import Signs
from fieldwise.kernels.cited_tokens import CitedTokens, Combinations
from fieldwise.kernels.expected_texts import ExpectedTexts, Wanted
from fieldwise.kernels.hash_lookup import firsts, firsts_among
from fieldwise.kernels.keywords import Vocabulary, words_in
from fieldwise.kernels.names import Names
from fieldwise.kernels.numbers_in_text import Locale
from fieldwise.kernels.ragged import Integers, offsets, spread
from fieldwise.kernels.tokens import Cut, Lexicon, portions, put_together

_MEMORY: Final = 100_000
"""So many tokens or keywords are remembered; then all is forgotten."""


_SHIFT: Final = 32
_FEW_EQUAL: Final = 0.9
"""Where this share of the texts differs, all are read."""
_NONE: Final[Integers] = np.zeros(0, dtype=np.int64)


class Covered(NamedTuple):
    """What answers have and lack: position i of an array is answer i."""

    keywords: Integers
    """How many keywords are expected, and how many of them are numbers."""
    numbers: Integers
    wanted: Integers
    """How many words are expected, and how many there are."""
    given: Integers
    cited: Combinations
    """Which indicators of a citation an answer has: the sum of 1 for the first, 2 for the second, 4 …"""
    offsets: Integers
    """Answer i lacks `lost[offsets[i]:offsets[i + 1]]`."""
    lost: Integers
    texts: Sequence[str]
    """The keywords that `lost` speaks of, by code."""
    is_number: NDArray[np.bool_]
    plain: bool
    """Whether every text was read as it stands, its words being what is between spaces: ASCII, and no (5) that means -5."""


class _Portion(NamedTuple):
    """What was read of some answers, and of pairs of them with an expected text."""

    words: Integers
    cited: Combinations
    plain: NDArray[np.bool_]
    """Whether the tokens of all are simply what stands between spaces."""
    keywords: Integers
    """Of pairs: how many keywords are expected, how many of them are numbers, how many are lost, and which."""
    numbers: Integers
    lengths: Integers
    lost: Integers


class Coverage:
    """Reads batches; what it has read of a token or an expected text, it remembers. Not for several threads at once."""

    def __init__(self, locale: Locale = "en", signs: Signs = ()) -> None:
        self._known = Vocabulary(locale)
        self._lexicon = Lexicon()
        self._cited = CitedTokens(signs, self._lexicon)
        self._names = Names(self._known, self._lexicon)
        self._expected = ExpectedTexts(self._known, self._lexicon, self._names)

    @property
    def is_full(self) -> bool:
        """Whether it remembers so much that another should begin anew."""
        return max(len(self._lexicon), len(self._names)) > _MEMORY

    def of(self, expected: Sequence[str], actual: Sequence[str]) -> Covered:
        """What each answer has of the expected text at its position. Where many texts are equal, they are read once."""
        (wanted_texts, which), (texts, answer) = _distinct(expected), _distinct(actual)
        wanted = self._expected.read(wanted_texts)
        order = np.argsort(answer, kind="stable")
        edges = offsets(np.bincount(answer, minlength=len(texts)))
        read = [self._nothing()]
        for part in portions(texts):
            rows = order[edges[part.start] : edges[part.stop]]
            read.append(self._portion(texts[part], answer[rows] - part.start, which[rows], wanted))
        found = _Portion(*(np.concatenate(column) for column in zip(*read, strict=True)))
        back = np.argsort(order)
        lengths = found.lengths.take(back)
        return Covered(
            keywords=found.keywords.take(back),
            numbers=found.numbers.take(back),
            wanted=wanted.words.value.take(which),
            given=found.words.take(answer),
            cited=found.cited.take(answer),
            offsets=offsets(lengths),
            lost=found.lost.take(spread(offsets(found.lengths).take(back), lengths)),
            texts=self._names.texts,
            is_number=self._names.is_number,
            plain=wanted.plain and bool(found.plain.all()),
        )

    def _nothing(self) -> _Portion:
        return _Portion(_NONE, self._cited.found([], None), np.array([True]), *[_NONE] * 4)

    def _portion(self, texts: Sequence[str], answer: Integers, which: Integers, wanted: Wanted) -> _Portion:
        cut, plain = self._cut(texts)
        kinds, size = (wanted.phrases, wanted.atoms), len(which)
        pair = np.concatenate([np.repeat(np.arange(size), kind.lengths(which)) for kind in kinds])
        phrases, atoms = (kind.of(which) for kind in kinds)
        names, things = np.concatenate([phrases, atoms]), np.concatenate([self._names.thing.take(phrases), atoms])
        rows, heard = self._names.heard(cut)
        first, there = firsts_among(answer.take(pair) << _SHIFT | things, rows << _SHIFT | heard)
        once = _once(first, pair, names)
        pair, names = pair.take(once), names.take(once)
        lost = np.flatnonzero(~there.take(once))
        lost = lost[np.argsort(pair.take(lost), kind="stable")]  # phrases before words and numbers
        return _Portion(
            words=cut.words if plain else np.array([words_in(text) for text in texts]),
            cited=self._cited.found(texts, cut if plain else None),
            plain=np.array([plain]),
            keywords=np.bincount(pair, minlength=size),
            numbers=np.bincount(pair[self._names.is_number.take(names)], minlength=size),
            lengths=np.bincount(pair.take(lost), minlength=size),
            lost=names.take(lost),
        )

    def _cut(self, texts: Sequence[str]) -> tuple[Cut, bool]:
        """Answers as tokens, and whether these are simply what stands between spaces."""
        together = put_together(texts)
        if together.ascii_only and self._known.locale != "fr":
            cut = self._lexicon.cut(together)
            if not cut.opened:
                return cut, True
        return self._lexicon.read([self._known.prepared(text) for text in texts]), False


def _once(first: Integers, pair: Integers, names: Integers) -> Integers:
    """Where each keyword of a pair is met first, if `first` says where what is looked for is."""
    at = np.arange(len(first))
    new = first == at
    others = np.flatnonzero((pair.take(first) != pair) | (names.take(first) != names))
    if len(others):  # another keyword is looked for as this one is, or another pair has the same answer
        new[others] = firsts(pair[others] << _SHIFT | names[others]) == at[: len(others)]
    return np.flatnonzero(new)


def _distinct(texts: Sequence[str]) -> tuple[Sequence[str], Integers]:
    """Each text once, unless few are equal; and which of these every one is."""
    codes = dict.fromkeys(texts, 0)
    if len(codes) > _FEW_EQUAL * len(texts):
        return texts, np.arange(len(texts))
    distinct = list(codes)
    codes = dict(zip(distinct, range(len(distinct)), strict=True))
    return distinct, np.fromiter(map(codes.__getitem__, texts), dtype=np.int64, count=len(texts))


@lru_cache(maxsize=16)
def _reader(locale: Locale, signs: Signs, thread: int) -> list[Coverage]:  # noqa: ARG001
    return [Coverage(locale, signs)]


def coverage(locale: Locale, signs: Signs) -> Coverage:
    """One that has read before, on this thread; it never changes what it says."""
    kept = _reader(locale, signs, get_ident())
    if kept[0].is_full:
        kept[0] = Coverage(locale, signs)
    return kept[0]


def forget() -> None:
    """Begin anew, as a new process does; for measuring."""
    _reader.cache_clear()
