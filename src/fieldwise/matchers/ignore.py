"""A field that is looked at by nobody: every pair matches, and the engine leaves the field out of every score.

>>> ignore(Pairs(["a"], [1]), Ignore()).value.tolist()
[1.0]
"""

from dataclasses import dataclass

import numpy as np

from fieldwise.model.pairs import Pairs, Scores
from fieldwise.registry import matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignore:
    """There is nothing to set."""


@matcher
def ignore(pairs: Pairs, config: Ignore) -> Scores:  # noqa: ARG001
    """1 for every pair."""
    return Scores.of(np.ones(len(pairs)))
