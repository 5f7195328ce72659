"""Citations in many texts at once, from their tokens.

>>> from fieldwise.kernels.citations import signs
>>> texts, lexicon = ["see page 3", "the homepage", "According  to pages"], Lexicon()
>>> CitedTokens(signs(), lexicon).found(texts, lexicon.read(texts))[:, [2, 5]].tolist()
[[True, False], [False, False], [True, True]]
"""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.citations import Signs, cited, stands
from fieldwise.kernels.ragged import Column, Integers
from fieldwise.kernels.tokens import Cut, Lexicon

_MOST: Final = 31


class CitedTokens:
    """Finds what `cited` finds. What a token says of indicators is kept in bits: below `_MOST` one for each that stands in it as a word,
    above it one for each that may begin in it and go on in the next, because it has several words or a colon."""

    def __init__(self, signs: Signs, lexicon: Lexicon) -> None:
        self._signs, self._lexicon = signs, lexicon
        self._bits = Column()
        self._alone = [len(indicator.split()) == 1 and not indicator.endswith(":") for indicator, _, _ in signs]

    def found(self, texts: Sequence[str], cut: Cut | None) -> NDArray[np.bool_]:
        """Which indicators (columns) stand in which text (rows). Without their tokens, texts are read one by one."""
        found = np.zeros((len(texts), len(self._signs)), dtype=np.bool_)
        if cut is None or len(self._signs) > _MOST:
            for row, text in enumerate(texts):
                there = cited(text, self._signs)
                found[row] = [indicator in there for indicator, _, _ in self._signs]
            return found
        self._bits.extend([self._read(token) for token in self._lexicon.words[len(self._bits.value) :]])
        bits = self._bits.value[cut.tokens]
        at = np.flatnonzero(bits)
        row, bits = np.searchsorted(cut.ends, at), bits[at]
        for column, (indicator, first, pattern) in enumerate(self._signs):
            found[row[(bits >> column) & 1 == 1], column] = True
            begins = np.flatnonzero((bits >> (column + _MOST)) & 1)
            if len(indicator.split()) == 2 and not indicator.endswith(":"):
                found[row[begins[self._in_two(cut, at[begins], first, pattern)]], column] = True
                continue
            for maybe in set[int](row[begins].tolist()):
                found[maybe, column] = stands(pattern, first, texts[maybe].casefold())
        return found

    def _read(self, token: str) -> int:
        folded, bits = token.casefold(), 0
        for column, (alone, (_, first, pattern)) in enumerate(zip(self._alone, self._signs, strict=True)):
            if first in folded and (not alone or stands(pattern, first, folded)):
                bits |= 1 << (column if alone else column + _MOST)
        return bits

    def _in_two(self, cut: Cut, at: Integers, first: str, pattern: re.Pattern[str]) -> NDArray[np.bool_]:
        """Whether a pattern of two words stands in the tokens at these places and the next ones; each pair of tokens is looked at once."""
        words = self._lexicon.words
        pairs, which = np.unique(cut.tokens[at] * len(words) + cut.tokens[at + 1], return_inverse=True)
        spoken = [f"{words[pair // len(words)]} {words[pair % len(words)]}".casefold() for pair in pairs.tolist()]
        return np.array([stands(pattern, first, two) for two in spoken], dtype=np.bool_)[which]
