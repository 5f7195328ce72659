"""Citations in many texts at once, from their tokens.

>>> from fieldwise.kernels.citations import signs
>>> texts, lexicon = ["see page 3", "the homepage", "According  to pages"], Lexicon()
>>> [f"{sum_:b}" for sum_ in CitedTokens(signs(), lexicon).found(texts, lexicon.read(texts)).tolist()]
['100', '0', '100100']
"""

import re
from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.citations import Signs, cited, stands
from fieldwise.kernels.hash_lookup import Numbered
from fieldwise.kernels.ragged import Column, Integers, Learned
from fieldwise.kernels.tokens import Cut, Lexicon

_MOST: Final = 31
_SHIFT: Final = 32
_BITS: Final = 62
Combinations = NDArray[np.int64] | NDArray[np.object_]
"""Sums of powers of two, as large as there are indicators."""


class CitedTokens:
    """Finds what `cited` finds. What a token says of indicators is kept in bits: below `_MOST` one for each that stands in it as a word,
    above it one for each that may begin in it and go on in the next, because it has several words or a colon."""

    def __init__(self, signs: Signs, lexicon: Lexicon) -> None:
        self._signs, self._lexicon = signs, lexicon
        self._bits = Column()
        self._any = re.compile("|".join(re.escape(first) for _, first, _ in signs) or r"(?!)")
        """The first words of indicators."""
        self._pairs, self._two = Numbered(), [Learned(partial(self._stand_in, column)) for column in range(len(signs))]
        """Pairs of tokens, and whether an indicator of two words stands in one."""
        self._alone = [len(indicator.split()) == 1 and not indicator.endswith(":") for indicator, _, _ in signs]

    def found(self, texts: Sequence[str], cut: Cut | None) -> Combinations:
        """Which indicators stand in each text, as the sum of 1 for the first, 2 for the second, 4 … Without tokens, texts are read one by
        one."""
        if cut is None or len(self._signs) > _MOST:
            bits = {indicator: 1 << column for column, (indicator, _, _) in enumerate(self._signs)}
            sums = [sum(bits[indicator] for indicator in cited(text, self._signs)) for text in texts]
            return np.array(sums, dtype=np.int64 if len(bits) < _BITS else object)
        self._learn(self._lexicon.words[len(self._bits.value) :])
        bits = self._bits.value.take(cut.tokens)
        at = np.flatnonzero(bits != 0)
        found = np.zeros(len(texts), dtype=np.int64)
        if not len(at):
            return found
        row, bits = np.searchsorted(cut.ends, at), bits[at]
        starts = np.flatnonzero(row[1:] != row[:-1]) + 1
        starts = np.concatenate([starts[:0], [0], starts])
        together = np.bitwise_or.reduceat(bits, starts)
        found[row[starts]] = together & ((1 << _MOST) - 1)
        begins = int(np.bitwise_or.reduce(together)) >> _MOST
        for column, (indicator, first, pattern) in enumerate(self._signs):
            if not begins >> column & 1:
                continue
            maybe = np.flatnonzero(bits & (1 << (column + _MOST)))
            if len(indicator.split()) == 2 and not indicator.endswith(":"):
                found[row[maybe[self._in_two(cut, at[maybe], column)]]] |= 1 << column
                continue
            there = [text for text in set[int](row[maybe].tolist()) if stands(pattern, first, texts[text].casefold())]
            found[there] |= 1 << column
        return found

    def _learn(self, tokens: Sequence[str]) -> None:
        """What new tokens say. Most have nothing of an indicator, which is seen of all at once."""
        folded = [token.casefold() for token in tokens]
        joined, starts = "\n".join(folded), np.cumsum([0, *(len(token) + 1 for token in folded)])
        maybe = np.searchsorted(starts, [found.start() for found in self._any.finditer(joined)], side="right") - 1
        bits = np.zeros(len(tokens), dtype=np.int64)
        for at in set[int](maybe.tolist()):
            bits[at] = self._read(tokens[at])
        self._bits.extend(bits)

    def _read(self, token: str) -> int:
        folded, bits = token.casefold(), 0
        for column, (alone, (_, first, pattern)) in enumerate(zip(self._alone, self._signs, strict=True)):
            if first in folded and (not alone or stands(pattern, first, folded)):
                bits |= 1 << (column if alone else column + _MOST)
        return bits

    def _in_two(self, cut: Cut, at: Integers, column: int) -> NDArray[np.bool_]:
        """Whether an indicator of two words stands in the tokens at these places and the next ones; each pair of tokens is read once."""
        pairs = self._pairs.of(cut.tokens.take(at) << _SHIFT | cut.tokens.take(at + 1))
        return self._two[column].of(pairs).astype(np.bool_)

    def _stand_in(self, column: int, pairs: Sequence[int]) -> list[bool]:
        words, (_, first, pattern) = self._lexicon.words, self._signs[column]
        tokens = [divmod(self._pairs.met[pair - 1], 1 << _SHIFT) for pair in pairs]
        return [stands(pattern, first, f"{words[one]} {words[other]}".casefold()) for one, other in tokens]
