"""ignore: the value is not compared."""

import math

from fieldwise.matchers.ignore import Ignore, ignore
from fieldwise.model.pairs import Pairs


def test_every_pair_matches_whatever_it_is() -> None:
    scores = ignore(Pairs(["a", 1, math.nan, []], ["b", "1", math.nan, {}]), Ignore())
    assert scores.value.tolist() == [1.0] * 4
    assert scores.passed.tolist() == [True] * 4
    assert scores.notes == {}
