"""contains: the expected text or items are part of the actual value."""

import math
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from fieldwise.matchers.contains import Contains, contains
from fieldwise.model.pairs import Pairs
from fieldwise.model.rule import Match
from fieldwise.score.matching import score_pairs


def score(expected: Any, actual: Any, **options: Any) -> float:
    return float(contains(Pairs([expected], [actual]), Contains(**options)).value[0])


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("604", "The answer is 604."),
        ("a", "a"),
        ("", ""),
        ("caf\u00e9", "un cafe\u0301 noir"),
        ("a", ["b", "a"]),
        (["a", 1], [1.0, "b", "a"]),
        ([], []),
        (5, 5.0),
        ({"a": 1}, {"a": 1}),
        ({"a": 1}, [{"a": 1}]),
    ],
)
def test_these_are_contained(expected: Any, actual: Any) -> None:
    assert score(expected, actual) == 1.0


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("605", "The answer is 604."),
        ("The answer", "answer"),
        ("A", "a"),
        ("", "anything"),
        ([], ["anything"]),
        (604, "The answer is 604."),
        ("6", 604),
        (["a", "c"], ["a", "b"]),
        ("a", ["ab"]),
        (1, [True]),
        (["a"], "a"),
        ({"a": 1}, {"a": 1, "b": 2}),
    ],
)
def test_these_are_not(expected: Any, actual: Any) -> None:
    assert score(expected, actual) == 0.0


def test_letter_case_can_be_ignored_in_text_and_in_lists() -> None:
    assert score("strasse", "Lange STRAßE 5", ignore_case=True) == 1.0
    assert score("a", ["A"], ignore_case=True) == 1.0


def test_a_value_that_is_given_replaces_the_expected_one() -> None:
    assert score("nothing of the kind", "Total: 5 EUR", value="EUR") == 1.0
    assert score("Total", "Total: 5 EUR", value="USD") == 0.0
    assert score(1, ["EUR"], value="EUR") == 1.0


def test_an_empty_value_would_pass_everything_and_is_refused() -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Contains).validate_python({"value": ""})


def test_a_nan_is_contained_nowhere_but_a_list_with_a_nan_contains_its_other_items() -> None:
    scores = score_pairs(Match("contains"), [math.nan, "a"], [[math.nan], ["a", math.nan]])
    assert scores.value.tolist() == [0.0, 1.0]
    assert scores.notes == {0: "NaN is not a number"}
