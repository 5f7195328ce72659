"""Many texts cut at white space, all at once: each token is a number from when it is first met.

>>> lexicon = Lexicon()
>>> cut = lexicon.read(["a  b", "", "b"])
>>> cut.tokens.tolist(), cut.ends.tolist(), lexicon.words
([1, 2, 0, 0, 2, 0], [2, 3, 5], ['\\x7f', 'a', 'b'])
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from fieldwise.kernels.ragged import Integers

BREAK: Final = "\x7f"
"""The token that ends each text. It is no letter and no digit, and where a text has it, another such character takes its place."""
_CONTROL: Final = "\x1a"
_CHARACTERS: Final = 32_000
"""So many are cut at a time, since their tokens then stay in a processor's cache."""


class Cut(NamedTuple):
    """Texts as tokens."""

    tokens: Integers
    """All tokens in order, with a 0 after each text."""
    ends: Integers
    """Where these are."""


class Lexicon(dict[str, int]):
    """The tokens that were met, with their numbers. A dict that fills itself, so that the common case is one lookup at C speed."""

    def __init__(self) -> None:
        super().__init__({BREAK: 0})
        self.words: list[str] = [BREAK]
        """By number."""

    def __missing__(self, word: str) -> int:
        self[word] = code = len(self)
        self.words.append(word)
        return code

    def read(self, texts: Sequence[str]) -> Cut:
        """The tokens of some texts, as `str.split` finds them."""
        block = max(1, _CHARACTERS * len(texts) // (sum(map(len, texts)) + 1))
        parts = [self._tokens(texts[start : start + block]) for start in range(0, len(texts), block)]
        tokens = np.concatenate([np.zeros(0, dtype=np.int64), *parts])
        return Cut(tokens, np.flatnonzero(tokens == 0))

    def _tokens(self, texts: Sequence[str]) -> Integers:
        joined = f" {BREAK} ".join([*texts, ""])
        if joined.count(BREAK) > len(texts):
            joined = f" {BREAK} ".join([*(text.replace(BREAK, _CONTROL) for text in texts), ""])
        words = joined.split()
        return np.fromiter(map(self.__getitem__, words), dtype=np.int64, count=len(words))
