"""Citations in many texts at once, from their tokens.

>>> from fieldwise.kernels.citations import signs
>>> from fieldwise.kernels.tokens import tokens
>>> texts = ["see page 3", "the homepage", "According  to pages"]
>>> CitedTokens(signs()).found(texts, tokens(texts))[:, [2, 5]].tolist()
[[True, False], [False, False], [True, True]]
"""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.citations import Signs, cited, stands
from fieldwise.kernels.tokens import Cut

_MOST: Final = 31
_MEMORY: Final = 100_000


class _Bits(dict[str, int]):
    """What a token says of indicators: below `_MOST` a bit for each that stands in it as a word, above it one for each that may begin
    in it and go on in the next, because it has several words or a colon."""

    def __init__(self, signs: Signs) -> None:
        super().__init__()
        self._signs = [(*sign[1:], len(sign[0].split()) == 1 and not sign[0].endswith(":")) for sign in signs]

    def __missing__(self, token: str) -> int:
        folded = token.casefold()
        bits = 0
        for column, (first, pattern, alone) in enumerate(self._signs):
            if first in folded and (not alone or stands(pattern, first, folded)):
                bits |= 1 << (column if alone else column + _MOST)
        self[token] = bits
        return bits


class CitedTokens:
    """Finds what `cited` finds; what it has seen of a token, it remembers."""

    def __init__(self, signs: Signs) -> None:
        self._signs = signs
        self._bits = _Bits(signs)

    def found(self, texts: Sequence[str], cut: Cut | None) -> NDArray[np.bool_]:
        """Which indicators (columns) stand in which text (rows). Without their tokens, texts are read one by one."""
        found = np.zeros((len(texts), len(self._signs)), dtype=np.bool_)
        if cut is None or len(self._signs) > _MOST:
            for row, text in enumerate(texts):
                there = cited(text, self._signs)
                found[row] = [indicator in there for indicator, _, _ in self._signs]
            return found
        bits = np.fromiter(map(self._bits.__getitem__, cut.distinct), dtype=np.int64, count=len(cut.distinct))[cut.places]
        if len(self._bits) > _MEMORY:
            self._bits.clear()
        at = np.flatnonzero(bits)
        row, bits = np.searchsorted(cut.ends, at), bits[at]
        for column, (indicator, first, pattern) in enumerate(self._signs):
            found[row[(bits >> column) & 1 == 1], column] = True
            begins = np.flatnonzero((bits >> (column + _MOST)) & 1)
            if len(indicator.split()) == 2 and not indicator.endswith(":"):
                found[row[begins[_in_two(cut, at[begins], first, pattern)]], column] = True
                continue
            for maybe in set[int](row[begins].tolist()):
                found[maybe, column] = stands(pattern, first, texts[maybe].casefold())
        return found


def _in_two(cut: Cut, at: NDArray[np.int64], first: str, pattern: re.Pattern[str]) -> NDArray[np.bool_]:
    """Whether a pattern of two words stands in the tokens at these places and the next ones; each pair of tokens is looked at once."""
    pairs, which = np.unique(cut.places[at] * len(cut.distinct) + cut.places[at + 1], return_inverse=True)
    tokens = [divmod(pair, len(cut.distinct)) for pair in pairs.tolist()]
    spoken = [f"{cut.distinct[one]} {cut.distinct[other]}".casefold() for one, other in tokens]
    return np.array([stands(pattern, first, two) for two in spoken], dtype=np.bool_)[which]
