"""Many texts split at white space at once, with an integer id for each distinct token, and phrases among the tokens.

>>> token_ids = TokenIds()
>>> tokenized = token_ids.tokenize(["a  b", "", "b"])
>>> tokenized.tokens.tolist(), tokenized.ends.tolist(), token_ids.tokens
([1, 2, 0, 0, 2, 0], [2, 3, 5], ['\\x7f', 'a', 'b'])
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.hash_lookup import HashTable
from fieldwise.kernels.ragged import Integers

TEXT_END: Final = "\x7f"
"""The token that ends each text, with id 0. It is neither a letter nor a digit; where a text has it, `_SUBSTITUTE` replaces it."""
_SUBSTITUTE: Final = "\x1a"
_CHUNK_TEXTS: Final = 4_096
_CHUNK_CHARACTERS: Final = 250_000
"""Texts are read in chunks of about this size, which fit into a processor's cache."""
_LONG_KEY: Final = 16
"""Tokens up to this many bytes are looked up in arrays, longer ones one by one."""
_SHORT_KEY: Final = 8


def _make_padding(key_size: int) -> NDArray[np.uint64]:
    """By token length, the bytes that fill the key up. 0xff is in no UTF-8 text, so that different tokens have different keys."""
    rows = [b"\0" * length + b"\xff" * (key_size - length) for length in range(key_size + 1)]
    return np.frombuffer(b"".join(rows), dtype=np.uint64).reshape(-1, key_size // 8)


_PADDING: Final = {key_size: _make_padding(key_size) for key_size in (_SHORT_KEY, _LONG_KEY)}
_UNICODE_LINE_ENDS: Final = re.compile("[\x85\u2028\u2029]")
_UNICODE_SPACES: Final = re.compile("[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")
"""With the line ends, the characters beyond ASCII at which `str.split` splits."""


class JoinedTexts(NamedTuple):
    """Texts concatenated for `TokenIds.tokenize_joined`."""

    data: bytes
    """UTF-8: a space before each text, `TEXT_END` after it, and padding at the end."""
    ascii_only: bool
    altered: bool
    """True if a text had a `TEXT_END` of its own, which was replaced."""


def join_texts(texts: Sequence[str], *, altered: bool = False) -> JoinedTexts:
    """Concatenate texts for `TokenIds.tokenize_joined`."""
    joined = " " + f" {TEXT_END} ".join([*texts, ""])
    ascii_only = joined.isascii()
    if not ascii_only:
        joined = _UNICODE_SPACES.sub(" ", _UNICODE_LINE_ENDS.sub("\n", joined))
    data = joined.encode("utf-8", "surrogatepass") + bytes(_LONG_KEY)
    if np.count_nonzero(np.frombuffer(data, dtype=np.uint8) == ord(TEXT_END)) > len(texts):
        return join_texts([text.replace(TEXT_END, _SUBSTITUTE) for text in texts], altered=True)
    return JoinedTexts(data, ascii_only, altered)


class TokenizedTexts(NamedTuple):
    """Texts as token ids."""

    tokens: Integers
    """All tokens in order, with a 0 after each text."""
    ends: Integers
    """The positions of these zeros."""
    token_counts: Integers
    """The number of tokens of each text."""
    line_starts: Integers
    """The tokens that begin a line, if requested."""
    any_opening_parenthesis: bool
    """True if one of the texts begins with a parenthesis."""

    @property
    def rows(self) -> Integers:
        """For each token the text it is in."""
        return np.repeat(np.arange(len(self.token_counts)), self.token_counts + 1)


class TokenIds(dict[str, int]):
    """Ids of distinct tokens, in order of first occurrence."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens: list[str] = []
        """By id."""
        self._short_table, self._long_table = HashTable(1), HashTable(2)
        self.tokenize([""])  # gives TEXT_END the id 0

    def __missing__(self, token: str) -> int:
        self[token] = new_id = len(self)
        self.tokens.append(token)
        return new_id

    def tokenize(self, texts: Sequence[str]) -> TokenizedTexts:
        """Split texts into tokens as `str.split` does."""
        return self.tokenize_joined(join_texts(texts))

    def tokenize_joined(self, joined: JoinedTexts, *, lines: bool = False) -> TokenizedTexts:
        """Split joined texts into tokens; find the starts of lines if `lines`."""
        data = np.frombuffer(joined.data, dtype=np.uint8)
        starts, lengths = _find_token_bounds(data)
        tokens = self._look_up_tokens(joined.data, starts, lengths)
        ends = np.flatnonzero(tokens == 0)
        counts_with_end = np.diff(ends, prepend=-1)
        first_characters = data.take(starts.take(ends - counts_with_end + 1))
        line_starts = _find_line_starts(data, starts) if lines else ends[:0]
        return TokenizedTexts(tokens, ends, counts_with_end - 1, line_starts, bool((first_characters == ord("(")).any()))

    def _look_up_tokens(self, data: bytes, starts: Integers, lengths: Integers) -> Integers:
        """Return the id of each token. The tables hold id + 1, because 0 means absent there."""
        keys = _make_keys(data, starts, lengths, _SHORT_KEY)
        numbers = self._short_table.find(keys)
        long = np.flatnonzero(lengths > _SHORT_KEY)
        long_keys = _make_keys(data, starts.take(long), lengths.take(long), _LONG_KEY)
        numbers[long] = np.where(lengths.take(long) > _LONG_KEY, 0, self._long_table.find(long_keys))
        missing = np.flatnonzero(numbers == 0)
        if len(missing):
            size_before = len(self)
            numbers[missing] = self._look_up_singly(data, starts[missing], lengths[missing])
            running_maximum = np.maximum.accumulate(np.concatenate([[size_before], numbers[missing]]))
            new = missing[running_maximum[1:] > running_maximum[:-1]]  # the first occurrence of each new token
            new_short = new[lengths[new] <= _SHORT_KEY]
            self._short_table.add(keys[new_short], numbers[new_short])
            new_long = new[(lengths[new] > _SHORT_KEY) & (lengths[new] <= _LONG_KEY)]
            self._long_table.add(long_keys[np.searchsorted(long, new_long)], numbers[new_long])
        numbers -= 1
        return numbers

    def _look_up_singly(self, data: bytes, starts: Integers, lengths: Integers) -> list[int]:
        bounds = zip(starts.tolist(), (starts + lengths).tolist(), strict=True)
        return [self[data[start:end].decode("utf-8", "surrogatepass")] + 1 for start, end in bounds]


def _make_keys(data: bytes, starts: Integers, lengths: Integers, key_size: int) -> NDArray[np.uint64]:
    """Return the first bytes of each token, padded to the size of a key."""
    windows = np.ndarray((len(data) - key_size + 1,), dtype=f"V{key_size}", buffer=data, strides=(1,))
    keys = windows[starts].view(np.uint64).reshape(-1, key_size // 8)
    keys |= _PADDING[key_size].take(lengths, axis=0, mode="clip")
    return keys


def _find_token_bounds(data: NDArray[np.uint8]) -> tuple[Integers, Integers]:
    """Return where tokens begin, and their lengths."""
    is_space = data == ord(" ")
    if _has_control_characters(data):
        is_space |= (data - np.uint8(9) < 5) | (data - np.uint8(28) < 4)
    spaces = np.flatnonzero(is_space)
    lengths = np.diff(spaces)
    lengths -= 1
    starts = spaces[:-1]
    starts += 1
    if np.count_nonzero(lengths) == len(lengths):
        return starts, lengths
    nonempty = np.flatnonzero(lengths)
    return starts[nonempty], lengths[nonempty]


def _find_line_starts(data: NDArray[np.uint8], starts: Integers) -> Integers:
    if not _has_control_characters(data):
        return starts[:0]
    line_ends = np.flatnonzero((data - np.uint8(10) < 4) | (data - np.uint8(28) < 3))
    return np.unique(np.searchsorted(starts, line_ends))


def _has_control_characters(data: NDArray[np.uint8]) -> bool:
    """Return whether there may be white space other than a space: a quick check, because mostly there is none."""
    return int(data[:-_LONG_KEY].min(initial=ord(" "))) < ord(" ")


def split_into_chunks(texts: Sequence[str]) -> Iterator[slice]:
    """Yield slices of texts with a limited total size."""
    size_class = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))) // _CHUNK_CHARACTERS
    row_class = np.arange(len(texts)) // _CHUNK_TEXTS
    is_edge = (size_class[1:] != size_class[:-1]) | (row_class[1:] != row_class[:-1])
    edges = [0, *(np.flatnonzero(is_edge) + 1).tolist(), len(texts)]
    return (slice(start, stop) for start, stop in pairwise(edges) if start < stop)


# Phrases among tokens, by the shape of each token: one letter, see `keywords.KeywordReader.token_shape`

PHRASE_SHAPES: Final = re.compile("[ABCD][AC1]{0,4}[AaCc10]")
CODE_SHAPE: Final = re.compile("[CcDd]")
_MAX_PHRASE_TOKENS: Final = 6
_CAN_BEGIN, _CAN_CONTINUE, _CAN_END, _IS_CODE = 1, 2, 4, 8


def _make_shape_roles() -> NDArray[np.uint8]:
    """By shape letter, the bits of its roles in `PHRASE_SHAPES` and `CODE_SHAPE`."""
    roles = np.zeros(256, dtype=np.uint8)
    for role, letters in ((_CAN_BEGIN, "ABCD"), (_CAN_CONTINUE, "AC1"), (_CAN_END, "AaCc10"), (_IS_CODE, "CcDd")):
        roles[[ord(letter) for letter in letters]] |= role
    return roles


_SHAPE_ROLES: Final = _make_shape_roles()


def find_phrases(
    shapes: NDArray[np.uint8], line_starts: Integers, *, more_than_codes: NDArray[np.bool_] | None
) -> tuple[Integers, Integers]:
    """Return where phrases begin and their numbers of tokens, in order.

    No phrase crosses a dot or a line start. Tokens for which `more_than_codes` is false are searched for codes alone.

    >>> shapes = np.frombuffer(b"A1.c.AAAAAAA.", dtype=np.uint8)
    >>> starts, lengths = find_phrases(shapes, np.array([10]), more_than_codes=None)
    >>> list(zip(starts.tolist(), lengths.tolist()))
    [(0, 2), (3, 1), (5, 5), (10, 2)]
    """
    roles = _SHAPE_ROLES.take(shapes)
    starts, lengths = _find_capitalized_phrases(shapes, roles, line_starts)
    if more_than_codes is not None:
        allowed = more_than_codes[starts]
        starts, lengths = starts[allowed], lengths[allowed]
    codes = np.flatnonzero((roles & _IS_CODE) != 0)
    sort_keys = np.concatenate([starts * 8 + lengths, codes * 8 + 1])  # lengths are below 8
    sort_keys.sort()
    return sort_keys >> 3, sort_keys & 7


def _find_capitalized_phrases(shapes: NDArray[np.uint8], roles: NDArray[np.uint8], line_starts: Integers) -> tuple[Integers, Integers]:
    """Find what `PHRASE_SHAPES` matches: in arrays where a run of linked tokens is one phrase, else by the pattern itself."""
    linked = np.zeros(len(roles) + 1, dtype=np.bool_)
    """Whether a token and the one before may be in one phrase."""
    np.logical_and(roles[:-1] & (_CAN_BEGIN | _CAN_CONTINUE), roles[1:] & _CAN_END, out=linked[1:-1])
    linked[line_starts] = False
    edges = np.flatnonzero(linked[1:] != linked[:-1])
    starts, lengths = edges[::2], edges[1::2] - edges[::2] + 1
    simple = ((roles.take(starts) & _CAN_BEGIN) != 0) & (lengths <= _MAX_PHRASE_TOKENS)
    if simple.all():
        return starts, lengths
    matched: list[tuple[int, int]] = []
    for start, length in zip(starts[~simple].tolist(), lengths[~simple].tolist(), strict=True):
        run = shapes[start : start + length].tobytes().decode("ascii")
        matched += [(start + match.start(), match.end() - match.start()) for match in PHRASE_SHAPES.finditer(run)]
    matched_bounds = np.array(matched, dtype=np.int64).reshape(-1, 2)
    return np.concatenate([starts[simple], matched_bounds[:, 0]]), np.concatenate([lengths[simple], matched_bounds[:, 1]])
