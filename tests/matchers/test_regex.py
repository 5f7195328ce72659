"""regex: a pattern found in the actual value."""

import math
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

import fieldwise as fw
from fieldwise.matchers.regex import Regex, regex
from fieldwise.model.pairs import Pairs
from fieldwise.model.rule import Match
from fieldwise.score.matching import score_pairs


def score(pattern: str, actual: Any) -> float:
    return float(regex(Pairs(["anything"], [actual]), Regex(pattern=pattern)).value[0])


@pytest.mark.parametrize(
    ("pattern", "actual", "expected_score"),
    [
        (r"\d{4}", "INV-0042-x", 1.0),
        (r"^\d{4}$", "INV-0042", 0.0),
        (r"^\d{4}$", "0042", 1.0),
        (r"inv", "INV", 0.0),
        (r"(?i)inv", "INV", 1.0),
        ("^caf\u00e9$", "cafe\u0301", 1.0),
        (r"^cafe" + "\u0301$", "caf\u00e9", 1.0),
        (r"^42$", 42, 1.0),
        (r"^42$", 42.0, 1.0),
        (r"^4\.5$", 4.5, 1.0),
        (r"^true$", True, 1.0),
        (r"", "", 1.0),
        (r"a", "b", 0.0),
        (r"a", "a\ud800", 1.0),
    ],
)
def test_a_pattern_is_searched_anywhere_unless_anchored(pattern: str, actual: Any, expected_score: float) -> None:
    assert score(pattern, actual) == expected_score


def test_the_expected_value_plays_no_part() -> None:
    assert regex(Pairs(["x", "y", None], ["a", "a", "a"]), Regex(pattern="a")).passed.tolist() == [True] * 3


def test_lists_and_objects_fail_with_a_note() -> None:
    scores = regex(Pairs(["x", "x"], [["a"], {"a": 1}]), Regex(pattern="a"))
    assert scores.value.tolist() == [0.0, 0.0]
    assert scores.notes[0] == "a pattern cannot be searched in a value of kind list"


def test_a_nan_fails_with_a_note_whatever_the_pattern() -> None:
    scores = score_pairs(Match("regex", Regex(pattern="")), ["x", math.nan], [math.nan, "x"])
    assert scores.value.tolist() == [0.0, 1.0]
    assert scores.notes == {0: "NaN is not a number"}


@pytest.mark.parametrize("pattern", ["(", "(?=a)", r"(a)\1", "\ud800"])
def test_a_bad_pattern_is_refused_when_it_is_written_not_when_it_runs(pattern: str) -> None:
    with pytest.raises(ValueError, match="bad pattern"):
        Regex(pattern=pattern)


def test_a_bad_pattern_in_a_suite_is_a_validation_error() -> None:
    with pytest.raises(ValidationError, match="missing \\)"):
        TypeAdapter(Regex).validate_python({"pattern": "("})
    with pytest.raises(ValidationError):
        TypeAdapter(Regex).validate_python({})


def test_a_pattern_that_would_backtrack_forever_answers() -> None:
    assert score(r"^(a+)+$", "a" * 5000 + "b") == 0.0


def test_an_empty_pattern_is_refused_for_it_would_be_found_in_anything() -> None:
    with pytest.raises(fw.ConfigError, match="`pattern` must be text that is not empty"):
        fw.match("regex", expected=["a"], actual=["b"], pattern="")
