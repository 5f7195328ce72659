"""exact: equal in kind and value."""

import math
from collections import OrderedDict
from typing import Any

import pytest

from fieldwise.matchers.exact import Exact, exact
from fieldwise.model.pairs import Pairs
from fieldwise.model.rule import Match
from fieldwise.score.matching import score_pairs


def score(expected: Any, actual: Any) -> float:
    return float(exact(Pairs([expected], [actual]), Exact()).value[0])


def note(expected: Any, actual: Any) -> str | None:
    return exact(Pairs([expected], [actual]), Exact()).notes.get(0)


def test_equal_text_matches() -> None:
    """structured-data spec: Exact string match succeeds."""
    assert score("INV-001", "INV-001") == 1.0


def test_different_text_does_not_match() -> None:
    """structured-data spec: Exact match fails on mismatch."""
    assert score("INV-002", "INV-001") == 0.0


def test_text_is_never_a_number() -> None:
    """structured-data spec: Type mismatch (string vs number)."""
    assert score(100, "100") == 0.0


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (100, 100.0),
        (0.0, -0.0),
        (2**53, float(2**53)),
        (10**400, 10**400),
        ("caf\u00e9", "cafe\u0301"),
        ("\u212b", "\u00c5"),
        ("K", "\u212a"),
        ("", ""),
        ([], []),
        ({}, {}),
        ([1, [2.0]], [1.0, [2]]),
        ((1, 2), [1, 2]),
        ({"a": 1, "b": {"c": None}}, {"b": {"c": None}, "a": 1}),
        ({"caf\u00e9": 1}, {"cafe\u0301": 1}),
        (OrderedDict(a=1), {"a": 1}),
    ],
)
def test_these_are_the_same(expected: Any, actual: Any) -> None:
    assert score(expected, actual) == 1.0
    assert score(actual, expected) == 1.0


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (1, True),
        (0, False),
        ([1], [True]),
        ({"a": 0}, {"a": False}),
        (2**53, 2**53 + 1),
        (float(2**53), 2**53 + 1),
        (10**400, 10**400 + 1),
        (10**400, 1e308),
        ("a", "A"),
        ("a", "a "),
        ("true", True),
        ("", []),
        ([], {}),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ({"a": 1}, {"a": 1, "b": None}),
        ({"a": None}, {"b": None}),
        ([None], [False]),
        ("1.0", 1.0),
    ],
)
def test_these_are_different(expected: Any, actual: Any) -> None:
    assert score(expected, actual) == 0.0
    assert score(actual, expected) == 0.0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, [math.nan], {"a": [{"b": math.inf}]}])
def test_nan_and_infinity_match_nothing_not_even_the_same_object(value: Any) -> None:
    assert score(value, value) == 0.0
    scores = score_pairs(Match("exact"), [value], [value])
    assert scores.value.tolist() == [0.0]
    assert scores.notes[0] in {"NaN is not a number", "Infinity is not a number", "-Infinity is not a number"}


def test_a_nan_deep_inside_is_named_in_the_note() -> None:
    scores = score_pairs(Match("exact"), [{"a": [1, {"b": math.nan}]}], [{"a": [1, {"b": 2}]}])
    assert scores.notes == {0: "NaN is not a number"}


def test_a_plain_difference_needs_no_note() -> None:
    assert note("a", "b") is None
    assert note([1], [2]) is None


def test_one_leaf_five_thousand_levels_down_is_told_apart() -> None:
    same, equal, different = "x", "x", "y"
    for _ in range(5000):
        same, equal, different = [same], [equal], [different]  # type: ignore[assignment]
    assert score(same, equal) == 1.0
    assert score(same, different) == 0.0
