"""Where phrases stand among the tokens of many texts.

>>> letters = np.frombuffer(b"A1.c.AAAAAAA.", dtype=np.uint8)
>>> [(start, length) for start, length in zip(*(part.tolist() for part in phrases(letters, np.array([10]), every=None)))]
[(0, 2), (3, 1), (5, 5), (10, 2)]
"""

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.ragged import Integers

RUN: Final = re.compile("[ABCD][AC1]{0,4}[AaCc10]")
CODE: Final = re.compile("[CcDd]")
"""Phrases in the shapes of tokens, a letter for each: see `keywords`."""
_MOST: Final = 6
_BEGINS, _GOES_ON, _ENDS, _IS_CODE = 1, 2, 4, 8


def _roles() -> NDArray[np.uint8]:
    """By letter, what it may be in a phrase."""
    roles = np.zeros(256, dtype=np.uint8)
    for role, letters in ((_BEGINS, "ABCD"), (_GOES_ON, "AC1"), (_ENDS, "AaCc10"), (_IS_CODE, "CcDd")):
        roles[[ord(letter) for letter in letters]] |= role
    return roles


_ROLES: Final = _roles()


def phrases(letters: NDArray[np.uint8], lines: Integers, *, every: NDArray[np.bool_] | None) -> tuple[Integers, Integers]:
    """Where phrases begin and how many tokens they have, in order. None reaches over a dot or into a token that `lines` names; `every`
    says of each token whether more than codes is looked for."""
    roles = _ROLES.take(letters)
    starts, lengths = _runs(letters, roles, lines)
    if every is not None:
        wanted = every[starts]
        starts, lengths = starts[wanted], lengths[wanted]
    codes = np.flatnonzero((roles & _IS_CODE) != 0)
    keys = np.concatenate([starts * 8 + lengths, codes * 8 + 1])
    keys.sort()
    return keys >> 3, keys & 7


def _runs(letters: NDArray[np.uint8], roles: NDArray[np.uint8], lines: Integers) -> tuple[Integers, Integers]:
    linked = np.zeros(len(roles) + 1, dtype=np.bool_)
    """Whether a token and the one before may be in one run."""
    np.logical_and(roles[:-1] & (_BEGINS | _GOES_ON), roles[1:] & _ENDS, out=linked[1:-1])
    linked[lines] = False
    edges = np.flatnonzero(linked[1:] != linked[:-1])
    starts, lengths = edges[::2], edges[1::2] - edges[::2] + 1
    simple = ((roles.take(starts) & _BEGINS) != 0) & (lengths <= _MOST)
    if simple.all():
        return starts, lengths
    more = [
        (start + found.start(), found.end() - found.start())
        for start, length in zip(starts[~simple].tolist(), lengths[~simple].tolist(), strict=True)
        for found in RUN.finditer(letters[start : start + length].tobytes().decode("ascii"))
    ]
    others = np.array(more, dtype=np.int64).reshape(-1, 2)
    return np.concatenate([starts[simple], others[:, 0]]), np.concatenate([lengths[simple], others[:, 1]])
