"""Many texts cut at white space, all at once: each token is a number from when it is first met.

>>> lexicon = Lexicon()
>>> cut = lexicon.read(["a  b", "", "b"])
>>> cut.tokens.tolist(), cut.ends.tolist(), lexicon.words
([1, 2, 0, 0, 2, 0], [2, 3, 5], ['\\x7f', 'a', 'b'])
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.hash_lookup import Table
from fieldwise.kernels.ragged import Integers

BREAK: Final = "\x7f"
"""The token that ends each text. It is no letter and no digit, and where a text has it, another such character takes its place."""
_CONTROL: Final = "\x1a"
_ROWS: Final = 4_096
_CHARACTERS: Final = 250_000
"""Texts are read in portions of about this size, which fit into a processor's cache."""
_LONGEST: Final = 16
"""Tokens of so many bytes are looked up at once, longer ones one by one."""
_SHORT: Final = 8
_FILL: Final = {
    most: np.frombuffer(b"".join(b"\0" * size + b"\xff" * (most - size) for size in range(most + 1)), dtype=np.uint64).reshape(
        -1, most // 8
    )
    for most in (_SHORT, _LONGEST)
}
"""By the length of a token, what fills it up: bytes that are in no UTF-8, so that different tokens stay different."""
_LINES: Final = re.compile("[\x85\u2028\u2029]")
_SPACES: Final = re.compile("[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")
"""What `str.split` cuts at and ASCII does not have; at the first ones lines end."""


class Together(NamedTuple):
    """Texts in one."""

    held: bytes
    """In UTF-8, each text after a space and with a break behind it; room at the end."""
    ascii_only: bool
    altered: bool
    """Whether there was a break in a text, which was replaced."""


def put_together(texts: Sequence[str], *, altered: bool = False) -> Together:
    """Ready texts for reading."""
    joined = " " + f" {BREAK} ".join([*texts, ""])
    ascii_only = joined.isascii()
    if not ascii_only:
        joined = _SPACES.sub(" ", _LINES.sub("\n", joined))
    held = joined.encode("utf-8", "surrogatepass") + bytes(_LONGEST)
    if np.count_nonzero(np.frombuffer(held, dtype=np.uint8) == ord(BREAK)) > len(texts):
        return put_together([text.replace(BREAK, _CONTROL) for text in texts], altered=True)
    return Together(held, ascii_only, altered)


class Cut(NamedTuple):
    """Texts as tokens."""

    tokens: Integers
    """All tokens in order, with a 0 after each text."""
    ends: Integers
    """Where these are."""
    words: Integers
    """How many tokens each text has."""
    lines: Integers
    """Tokens before which a line ends, if that was asked for."""
    opened: bool
    """Whether one of the texts begins with a parenthesis."""

    @property
    def rows(self) -> Integers:
        """For each token the text it is in."""
        return np.repeat(np.arange(len(self.words)), self.words + 1)


class Lexicon(dict[str, int]):
    """The tokens that were met, with their numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        """By number."""
        self._short, self._long = Table(1), Table(2)
        self.read([""])

    def __missing__(self, word: str) -> int:
        self[word] = code = len(self)
        self.words.append(word)
        return code

    def read(self, texts: Sequence[str]) -> Cut:
        """The tokens of some texts, as `str.split` finds them."""
        return self.cut(put_together(texts))

    def cut(self, together: Together, *, lines: bool = False) -> Cut:
        """The same for texts that were put together."""
        characters = np.frombuffer(together.held, dtype=np.uint8)
        starts, lengths = _bounds(characters)
        tokens = self._numbers(together.held, starts, lengths)
        ends = np.flatnonzero(tokens == 0)
        words = np.diff(ends, prepend=-1)
        opened = (characters.take(starts.take(ends - words + 1)) == ord("(")).any()
        words -= 1
        return Cut(tokens, ends, words, _line_starts(characters, starts) if lines else ends[:0], bool(opened))

    def _numbers(self, held: bytes, starts: Integers, lengths: Integers) -> Integers:
        keys = _keys(held, starts, lengths, _SHORT)
        numbers = self._short.find(keys)
        long = np.flatnonzero(lengths > _SHORT)
        long_keys = _keys(held, starts.take(long), lengths.take(long), _LONGEST)
        numbers[long] = np.where(lengths.take(long) > _LONGEST, 0, self._long.find(long_keys))
        unknown = np.flatnonzero(numbers == 0)
        if len(unknown):
            before = len(self)
            numbers[unknown] = self._met(held, starts[unknown], lengths[unknown])
            met = np.maximum.accumulate(np.concatenate([[before], numbers[unknown]]))
            new = unknown[met[1:] > met[:-1]]
            short = new[lengths[new] <= _SHORT]
            self._short.add(keys[short], numbers[short])
            longer = new[(lengths[new] > _SHORT) & (lengths[new] <= _LONGEST)]
            self._long.add(long_keys[np.searchsorted(long, longer)], numbers[longer])
        numbers -= 1
        return numbers

    def _met(self, held: bytes, starts: Integers, lengths: Integers) -> list[int]:
        places = zip(starts.tolist(), (starts + lengths).tolist(), strict=True)
        return [self[held[start:end].decode("utf-8", "surrogatepass")] + 1 for start, end in places]


def _keys(held: bytes, starts: Integers, lengths: Integers, most: int) -> NDArray[np.uint64]:
    """The first bytes of tokens."""
    anywhere = np.ndarray((len(held) - most + 1,), dtype=f"V{most}", buffer=held, strides=(1,))
    keys = anywhere[starts].view(np.uint64).reshape(-1, most // 8)
    keys |= _FILL[most].take(lengths, axis=0, mode="clip")
    return keys


def _bounds(characters: NDArray[np.uint8]) -> tuple[Integers, Integers]:
    """Where tokens begin, and their lengths."""
    between = characters == ord(" ")
    if _has_controls(characters):
        between |= (characters - np.uint8(9) < 5) | (characters - np.uint8(28) < 4)
    spaces = np.flatnonzero(between)
    lengths = np.diff(spaces)
    lengths -= 1
    starts = spaces[:-1]
    starts += 1
    if np.count_nonzero(lengths) == len(lengths):
        return starts, lengths
    some = np.flatnonzero(lengths)
    return starts[some], lengths[some]


def _line_starts(characters: NDArray[np.uint8], starts: Integers) -> Integers:
    if not _has_controls(characters):
        return starts[:0]
    ends = np.flatnonzero((characters - np.uint8(10) < 4) | (characters - np.uint8(28) < 3))
    return np.unique(np.searchsorted(starts, ends))


def _has_controls(characters: NDArray[np.uint8]) -> bool:
    """Whether there is white space that is not a space; seen quickly, because mostly there is none."""
    return int(characters[:-_LONGEST].min(initial=ord(" "))) < ord(" ")


def portions(texts: Sequence[str]) -> Iterator[slice]:
    """Cuts texts into portions of a limited size."""
    size = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))) // _CHARACTERS
    row = np.arange(len(texts)) // _ROWS
    edges = (np.flatnonzero((size[1:] != size[:-1]) | (row[1:] != row[:-1])) + 1).tolist()
    return (slice(start, stop) for start, stop in pairwise([0, *edges, len(texts)]) if start < stop)
