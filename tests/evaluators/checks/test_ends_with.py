"""ends_with: how an output must end."""

from typing import Any

import pytest

import fieldwise as fw


@pytest.mark.parametrize(
    ("options", "actual", "score"),
    [
        ({"value": "Dear"}, "Yes, Dear\n", 1.0),
        ({"value": "Dear"}, "Dear me", 0.0),
        ({"value": "dear"}, "Dear", 0.0),
        ({"value": "dear", "ignore_case": True}, "Dear", 1.0),
        ({"value": ["Hello", "Dear"]}, "Dear", 1.0),
        ({"value": ["Hello", "Hi"]}, "Dear", 0.0),
        ({"value": ["Hello", "Dear"], "negate": True}, "Dear", 0.0),
        ({"value": ["Hello", "Hi"], "negate": True}, "Dear", 1.0),
    ],
)
def test_a_table_of_outputs(options: dict[str, Any], actual: str, score: float) -> None:
    result = fw.evaluate({"type": "ends_with", **options}, actual=actual)
    assert (result.score, result.verdict) == (score, "pass" if score else "fail")


def test_one_of_several_texts_is_enough_and_the_others_are_no_misses() -> None:
    result = fw.evaluate({"type": "ends_with", "value": ["Hello", "Dear"]}, actual="Dear")
    assert (result.hits, result.misses) == (['ends_with: "Dear"'], [])


def test_without_value_the_expected_text_is_looked_for() -> None:
    assert fw.evaluate({"type": "ends_with"}, expected="Dear", actual="Dear").score == 1.0


def test_a_blank_text_is_refused() -> None:
    with pytest.raises(fw.ConfigError, match="blank text"):
        fw.evaluate({"type": "ends_with", "value": " "}, actual="x")
