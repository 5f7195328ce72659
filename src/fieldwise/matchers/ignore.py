"""A field that is not compared: every pair matches, and the field is left out of every score.

>>> ignore(Pairs(["a"], [1]), Ignore()).value.tolist()
[1.0]
"""

import numpy as np

from fieldwise.dataclass import dataclass
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.registry import matcher
from fieldwise.specs import Example


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignore:
    """No options."""


@matcher(examples=[Example(expected="a", actual=1, score=1)])
def ignore(pairs: Pairs, config: Ignore) -> Scores:
    """1 for every pair."""
    return Scores.of(np.ones(len(pairs)))
