"""set: the same items in any order and however often."""

import math
from typing import Any

import pytest

from fieldwise.matchers.set_ import Set, set_
from fieldwise.model.pairs import Pairs
from fieldwise.model.rule import Match
from fieldwise.registry import MATCHERS
from fieldwise.score.matching import score_pairs


def score(expected: Any, actual: Any) -> float:
    return float(set_(Pairs([expected], [actual]), Set()).value[0])


def test_it_is_registered_under_the_name_set() -> None:
    assert MATCHERS.find("set").function is set_


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (["a", "b"], ["b", "a"]),
        (["a", "b"], ["b", "a", "a"]),
        ([1, 2], [2.0, 1]),
        ([], []),
        ([{"a": 1, "b": 2}, [1]], [[1], {"b": 2, "a": 1}]),
        (["caf\u00e9"], ["cafe\u0301"]),
        ("a", "a"),
        ({"a": [1, 2]}, {"a": [1, 2]}),
    ],
)
def test_these_hold_the_same(expected: Any, actual: Any) -> None:
    assert score(expected, actual) == 1.0
    assert score(actual, expected) == 1.0


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (["a", "b"], ["a"]),
        (["a"], ["A"]),
        ([1], [True]),
        ([1], ["1"]),
        ([[1, 2]], [[2, 1]]),
        (["a"], "a"),
        ([], ""),
        ("a", "b"),
        (["a,b"], ["a", "b"]),
    ],
)
def test_these_do_not(expected: Any, actual: Any) -> None:
    assert score(expected, actual) == 0.0
    assert score(actual, expected) == 0.0


def test_a_nan_among_the_items_fails_and_says_so() -> None:
    scores = score_pairs(Match("set"), [[1, math.nan]], [[1, math.nan]])
    assert scores.value.tolist() == [0.0]
    assert scores.notes == {0: "NaN is not a number"}
