"""ignore: nobody looks."""

import math

from fieldwise.matchers.ignore import Ignore, ignore
from fieldwise.model.pairs import Pairs


def test_every_pair_matches_whatever_it_is() -> None:
    found = ignore(Pairs(["a", 1, math.nan, []], ["b", "1", math.nan, {}]), Ignore())
    assert found.value.tolist() == [1.0] * 4
    assert found.passed.tolist() == [True] * 4
    assert found.notes == {}
