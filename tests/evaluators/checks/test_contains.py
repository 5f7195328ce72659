"""contains: texts that an output must have, letter case counted."""

from typing import Any

import pytest

import fieldwise as fw
from fieldwise import ConfigError, Result


def contains(actual: Any, *, expected: Any = None, **options: Any) -> Result:
    return fw.evaluate({"type": "contains", **options}, expected=expected, actual=actual)


@pytest.mark.parametrize(
    ("options", "actual", "score"),
    [
        ({"value": "refund"}, "A refund is due.", 1.0),
        ({"value": "refund"}, "A Refund is due.", 0.0),
        ({"value": "caf\u00e9"}, "cafe\u0301", 1.0),
        ({"value": ["a", "b"]}, "a b", 1.0),
        ({"value": ["a", "b"]}, "a", 0.0),
        ({"value": ["a", "b"], "mode": "any"}, "b", 1.0),
        ({"value": ["a", "b"], "mode": "any"}, "c", 0.0),
        ({"value": "a", "negate": True}, "b", 1.0),
        ({"value": "a", "negate": True}, "a", 0.0),
        ({"value": ["a", "b"], "negate": True}, "a", 0.0),
        ({"value": ["a", "b"], "negate": True, "mode": "any"}, "a", 1.0),
        ({"value": ["a", "b"], "negate": True, "mode": "any"}, "ab", 0.0),
        ({"value": '"total":12'}, {"total": 12}, 1.0),
    ],
)
def test_a_table_of_outputs(options: dict[str, Any], actual: Any, score: float) -> None:
    result = contains(actual, **options)
    assert (result.score, result.verdict, result.status) == (score, "pass" if score else "fail", "scored")


def test_hits_and_misses_say_what_was_looked_for() -> None:
    result = contains("A refund takes 14 days.", value=["refund", "30 days"])
    assert (result.hits, result.misses) == (['contains: "refund"'], ['contains: "30 days"'])
    assert result.reasoning == 'not so: contains: "30 days"'
    assert contains("sorry", value="sorry", negate=True).misses == ['not contains: "sorry"']


def test_any_one_text_is_enough_and_the_others_are_no_misses() -> None:
    result = contains("b", value=["a", "b"], mode="any")
    assert (result.hits, result.misses, result.verdict) == (['contains: "b"'], [], "pass")


def test_without_value_the_expected_text_is_looked_for() -> None:
    assert contains("The total is 604.", expected="604").score == 1.0
    assert contains("one and two", expected=["one", "two"]).hits == ['contains: "one"', 'contains: "two"']


def test_without_value_and_expected_text_the_case_is_skipped() -> None:
    assert contains("anything").status == "skipped"
    assert contains("anything", expected="  ").status == "skipped"


def test_a_long_text_is_shortened_in_the_labels() -> None:
    (miss,) = contains("x", value="a" * 500).misses
    assert len(miss) < 80


def test_an_output_that_is_missing_is_the_systems_failure_even_if_negated() -> None:
    result = contains(None, value="a", negate=True)
    assert (result.score, result.status, result.details["fault"]) == (0.0, "error", "system")


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"value": "  "}, "`value` has a blank text"),
        ({"value": ["a", " "]}, "`value` has a blank text"),
        ({"value": []}, "`value` must be"),
        ({"value": ""}, "`value` must be"),
        ({"value": 604}, "`value` must be"),
        ({"value": "a", "mode": "some"}, "`mode` must be one of `all`, `any`"),
        ({"value": "a", "negated": True}, "has no option `negated`"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        contains("x", **options)
