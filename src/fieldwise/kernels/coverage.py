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
from fieldwise.kernels.cited_tokens import CitedTokens
from fieldwise.kernels.expected_texts import ExpectedTexts, Wanted
from fieldwise.kernels.figures import Locale
from fieldwise.kernels.hashed import among
from fieldwise.kernels.keywords import Vocabulary, words_in
from fieldwise.kernels.names import Names
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
    cited: NDArray[np.bool_]
    """Which indicators of a citation (columns) an answer (rows) has."""
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
    cited: NDArray[np.bool_]
    lengths: Integers
    """How many keywords a pair has lost, and which."""
    lost: Integers
    plain: NDArray[np.bool_]
    """Whether the tokens are simply what stands between spaces."""


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
        words, cited, lengths, lost, plain = (np.concatenate(column) for column in zip(*read, strict=True))
        back = np.argsort(order)
        return Covered(
            keywords=(wanted.phrases.lengths(slice(None)) + wanted.atoms.lengths(slice(None))).take(which),
            numbers=wanted.numbers.value.take(which),
            wanted=wanted.words.value.take(which),
            given=words.take(answer),
            cited=cited.take(answer, axis=0),
            offsets=offsets(lengths[back]),
            lost=lost[spread(offsets(lengths)[back], lengths[back])],
            texts=self._names.texts,
            is_number=self._names.is_number,
            plain=wanted.plain and bool(plain.all()),
        )

    def _nothing(self) -> _Portion:
        return _Portion(_NONE, self._cited.found([], None), _NONE, _NONE, np.array([True]))

    def _portion(self, texts: Sequence[str], answer: Integers, which: Integers, wanted: Wanted) -> _Portion:
        cut, plain = self._cut(texts)
        pair = [np.repeat(np.arange(len(which)), kind.lengths(which)) for kind in (wanted.phrases, wanted.atoms)]
        names = [kind.of(which) for kind in (wanted.phrases, wanted.atoms)]
        things = np.concatenate([self._names.thing.take(names[0]), names[1]])
        pair, names = np.concatenate(pair), np.concatenate(names)
        rows, heard = self._names.heard(cut)
        lost = np.flatnonzero(~among(answer.take(pair) << _SHIFT | things, rows << _SHIFT | heard))
        pair = pair[lost]
        lost = lost[np.argsort(pair, kind="stable")]  # phrases before words and numbers
        words = cut.words if plain else np.array([words_in(text) for text in texts])
        cited = self._cited.found(texts, cut if plain else None)
        return _Portion(words, cited, np.bincount(pair, minlength=len(which)), names[lost], np.array([plain]))

    def _cut(self, texts: Sequence[str]) -> tuple[Cut, bool]:
        """Answers as tokens, and whether these are simply what stands between spaces."""
        together = put_together(texts)
        if together.ascii_only and self._known.locale != "fr":
            cut = self._lexicon.cut(together)
            if not cut.opened:
                return cut, True
        return self._lexicon.read([self._known.prepared(text) for text in texts]), False


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
