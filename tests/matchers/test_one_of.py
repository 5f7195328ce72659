"""one_of: one of several values that are right."""

import math
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from fieldwise.matchers.one_of import OneOf, one_of
from fieldwise.model.pairs import Pairs
from fieldwise.model.rule import Match
from fieldwise.score.matching import score_pairs


def score(expected: Any, actual: Any, **options: Any) -> float:
    return float(one_of(Pairs([expected], [actual]), OneOf(**options)).value[0])


@pytest.mark.parametrize(
    ("expected", "actual", "expected_score"),
    [
        (["EUR", "€"], "€", 1.0),
        (["EUR", "€"], "eur", 0.0),
        ([1, 2], 2.0, 1.0),
        ([1, 2], True, 0.0),
        ([1, 2], "1", 0.0),
        (["a", "b"], ["a", "b"], 1.0),
        (["a", "b"], ["a"], 0.0),
        ([["a"], ["b"]], ["a"], 1.0),
        ([], "a", 0.0),
        ([], [], 1.0),
        ("a", "a", 1.0),
        ("abc", "a", 0.0),
        (["caf\u00e9"], "cafe\u0301", 1.0),
        ({"a": 1}, "a", 0.0),
    ],
)
def test_the_items_of_the_expected_list_are_the_alternatives(expected: Any, actual: Any, expected_score: float) -> None:
    assert score(expected, actual) == expected_score


@pytest.mark.parametrize(("actual", "expected_score"), [("open", 1.0), (1, 1.0), (1.0, 1.0), (True, 0.0), ("closed", 0.0), (["open"], 0.0)])
def test_values_that_are_given_replace_the_expected_ones(actual: Any, expected_score: float) -> None:
    assert score("closed", actual, values=("open", 1)) == expected_score


def test_values_keep_their_kind_when_they_are_read_from_a_suite() -> None:
    config = TypeAdapter(OneOf).validate_python({"values": [1, True, 1.5, "1"]})
    assert [type(value) for value in config.values or ()] == [int, bool, float, str]
    assert hash(config) == hash(OneOf(values=(1, True, 1.5, "1")))


def test_no_values_at_all_would_fail_everything_and_are_refused() -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(OneOf).validate_python({"values": []})


def test_a_nan_is_none_of_them() -> None:
    scores = score_pairs(Match("one_of"), [[math.nan], ["a", math.nan]], [math.nan, "a"])
    assert scores.value.tolist() == [0.0, 1.0]
    assert scores.notes == {0: "NaN is not a number"}
    assert score("a", math.nan, values=(math.nan,)) == 0.0
