"""Many texts cut at white space, all at once: each distinct token as text, each place as a number.

>>> cut = tokens(["a  b", "c", "b"])
>>> cut.distinct, cut.places.tolist(), cut.ends.tolist()
(['a', 'b', '\\x7f', 'c'], [0, 1, 2, 3, 2, 1, 2], [2, 4, 6])
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

BREAK: Final = "\x7f"
"""The token that ends each text. It is no letter and no digit, and where a text has it, another such character takes its place."""
_CONTROL: Final = "\x1a"


class Cut(NamedTuple):
    """Texts as tokens."""

    distinct: list[str]
    """A token may be there twice, if different white space followed it."""
    places: NDArray[np.int64]
    """All tokens in order, each as its position among the distinct ones."""
    ends: NDArray[np.int64]
    """Where the break after each text stands."""


def tokens(texts: Sequence[str]) -> Cut:
    """The tokens of texts in which nothing but ASCII white space separates tokens, as `str.split` would find them."""
    joined = f" {BREAK} ".join(["", *texts, ""])
    if joined.count(BREAK) > len(texts) + 1:
        joined = f" {BREAK} ".join(["", *(text.replace(BREAK, _CONTROL) for text in texts), ""])
    data = np.frombuffer(joined.encode(errors="surrogatepass"), dtype=np.uint8)[2:]  # what stands before the first text is no break
    blank = _blank(data)
    before = np.flatnonzero(blank[:-1] > blank[1:])
    edges = np.full(len(before) + 1, len(data), dtype=np.int32)  # each token ends where the next begins, so that nothing need be copied
    np.add(before, 1, out=edges[:-1], casting="unsafe")
    encoded = pa.Array.from_buffers(pa.binary(), len(before), [None, pa.py_buffer(edges), pa.py_buffer(data)]).dictionary_encode()
    distinct = [token.decode(errors="surrogatepass").rstrip() for token in encoded.dictionary.to_pylist()]
    return Cut(distinct, encoded.indices.to_numpy().astype(np.int64), np.flatnonzero(data[edges[:-1]] == ord(BREAK)))


def _blank(data: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which bytes are white space: 9 to 13 and 28 to 32."""
    blank = data <= 32
    odd = (data < 9) | ((data > 13) & (data < 28))
    return blank & ~odd if odd.any() else blank
