"""Checks of the output text: contains, icontains, starts_with, ends_with, equals, regex, length, is_json."""

from typing import Any

import pytest

import fieldwise as fw
from fieldwise import ConfigError, Result

FENCED = '```json\n{"a": 1}\n```'


def check(name: str, actual: Any, *, expected: Any = None, **options: Any) -> Result:
    return fw.evaluate({"type": name, **options}, expected=expected, actual=actual)


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
def test_contains_scores_one_or_zero(options: dict[str, Any], actual: Any, score: float) -> None:
    result = check("contains", actual, **options)
    assert (result.score, result.verdict, result.status) == (score, "pass" if score else "fail", "scored")


def test_hits_and_misses_of_contains_quote_the_texts() -> None:
    result = check("contains", "A refund takes 14 days.", value=["refund", "30 days"])
    assert (result.hits, result.misses) == (['contains: "refund"'], ['contains: "30 days"'])
    assert result.reasoning == 'failed: contains: "30 days"'
    assert check("contains", "sorry", value="sorry", negate=True).misses == ['not contains: "sorry"']


def test_with_mode_any_the_absent_texts_are_not_misses() -> None:
    result = check("contains", "b", value=["a", "b"], mode="any")
    assert (result.hits, result.misses, result.verdict) == (['contains: "b"'], [], "pass")


def test_without_value_contains_uses_the_expected_texts() -> None:
    assert check("contains", "The total is 604.", expected="604").score == 1.0
    assert check("contains", "one and two", expected=["one", "two"]).hits == ['contains: "one"', 'contains: "two"']


def test_without_value_and_expected_text_the_case_is_skipped() -> None:
    assert check("contains", "anything").status == "skipped"
    assert check("contains", "anything", expected="  ").status == "skipped"
    assert check("equals", "x").status == "skipped"


def test_a_long_text_is_shortened_in_the_labels() -> None:
    (miss,) = check("contains", "x", value="a" * 500).misses
    assert len(miss) < 80


def test_a_missing_output_is_the_systems_failure_even_if_negated() -> None:
    result = check("contains", None, value="a", negate=True)
    assert (result.score, result.status, result.details["fault"]) == (0.0, "error", "system")


@pytest.mark.parametrize(
    ("options", "message"),
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
def test_bad_options_of_contains_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        check("contains", "x", **options)


@pytest.mark.parametrize("name", ["icontains", "starts_with", "ends_with", "equals"])
def test_a_blank_text_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="blank text"):
        check(name, "x", value=" ")


@pytest.mark.parametrize(
    ("options", "actual", "score"),
    [
        ({"value": "Refund"}, "NO REFUND", 1.0),
        ({"value": "STRASSE"}, "in der Straße", 1.0),
        ({"value": ["a", "B"]}, "A b", 1.0),
        ({"value": ["a", "B"], "mode": "any"}, "b", 1.0),
        ({"value": "Sorry", "negate": True}, "i am SORRY", 0.0),
        ({"value": "Sorry", "negate": True}, "gladly", 1.0),
    ],
)
def test_icontains_ignores_case(options: dict[str, Any], actual: str, score: float) -> None:
    assert check("icontains", actual, **options).score == score


def test_without_value_icontains_uses_the_expected_text() -> None:
    assert check("icontains", "yes, of course", expected="YES").hits == ['icontains: "YES"']


@pytest.mark.parametrize(
    ("name", "options", "actual", "score"),
    [
        ("starts_with", {"value": "Dear"}, " Dear Ms Lee", 1.0),
        ("starts_with", {"value": "Dear"}, "My Dear", 0.0),
        ("ends_with", {"value": "Dear"}, "Yes, Dear\n", 1.0),
        ("ends_with", {"value": "Dear"}, "Dear me", 0.0),
    ],
)
def test_starts_with_and_ends_with_ignore_outer_whitespace(name: str, options: dict[str, Any], actual: str, score: float) -> None:
    result = check(name, actual, **options)
    assert (result.score, result.verdict) == (score, "pass" if score else "fail")


@pytest.mark.parametrize("name", ["starts_with", "ends_with", "equals"])
@pytest.mark.parametrize(
    ("options", "score"),
    [
        ({"value": "dear"}, 0.0),
        ({"value": "dear", "ignore_case": True}, 1.0),
        ({"value": ["Hello", "Dear"]}, 1.0),
        ({"value": ["Hello", "Hi"]}, 0.0),
        ({"value": ["Hello", "Dear"], "negate": True}, 0.0),
        ({"value": ["Hello", "Hi"], "negate": True}, 1.0),
    ],
)
def test_one_alternative_is_enough_and_negated_none_may_match(name: str, options: dict[str, Any], score: float) -> None:
    assert check(name, "Dear", **options).score == score


@pytest.mark.parametrize("name", ["starts_with", "ends_with", "equals"])
def test_alternatives_that_do_not_match_are_not_misses(name: str) -> None:
    result = check(name, "Dear", value=["Hello", "Dear"])
    assert (result.hits, result.misses) == ([f'{name}: "Dear"'], [])


@pytest.mark.parametrize("name", ["starts_with", "ends_with", "equals"])
def test_without_value_the_expected_text_is_the_alternative(name: str) -> None:
    assert check(name, "Dear", expected="Dear").score == 1.0


@pytest.mark.parametrize(
    ("options", "expected", "actual", "score"),
    [
        ({"value": "approved"}, None, " approved\n", 1.0),
        ({"value": "approved"}, None, "Approved", 0.0),
        ({"value": "approved", "ignore_case": True}, None, "APPROVED", 1.0),
        ({"value": ["yes", "no"]}, None, "no", 1.0),
        ({"value": ["yes", "no"]}, None, "maybe", 0.0),
        ({"value": ["yes", "no"], "negate": True}, None, "no", 0.0),
        ({"value": ["yes", "no"], "negate": True}, None, "maybe", 1.0),
        ({"value": "caf\u00e9"}, None, "cafe\u0301", 1.0),
        ({}, "604", 604, 1.0),
        ({}, {"b": 1, "a": 2}, {"a": 2, "b": 1}, 1.0),
        ({"negate": True}, "a", "b", 1.0),
    ],
)
def test_equals_compares_the_whole_output(options: dict[str, Any], expected: Any, actual: Any, score: float) -> None:
    assert check("equals", actual, expected=expected, **options).score == score


@pytest.mark.parametrize(
    ("options", "expected", "actual", "score"),
    [
        ({}, {"a": 100}, {"a": 100.0}, 1.0),
        ({}, {"a": [1.5, {"b": 2.0}]}, {"a": [1.5, {"b": 2}]}, 1.0),
        ({}, 100, 100.0, 1.0),
        ({}, 2**53 + 1, 2**53, 0.0),
        ({}, {"a": 1}, {"a": True}, 0.0),
        ({}, True, 1, 0.0),
        ({}, {"a": "100"}, {"a": 100}, 0.0),
        ({}, {"a": "caf\u00e9"}, {"a": "cafe\u0301"}, 1.0),
        ({}, {"a": "X"}, {"a": "x"}, 0.0),
        ({"ignore_case": True}, {"a": "X"}, {"a": "x"}, 1.0),
        ({"negate": True}, {"a": 100}, {"a": 100.0}, 0.0),
        ({}, "100", 100.0, 0.0),
    ],
)
def test_equals_compares_values_that_are_no_text_by_value(options: dict[str, Any], expected: Any, actual: Any, score: float) -> None:
    assert check("equals", actual, expected=expected, **options).score == score


def test_hits_and_misses_of_equals_quote_the_text() -> None:
    assert check("equals", "no", value="yes").misses == ['equals: "yes"']
    assert check("equals", "no", value="yes", negate=True).hits == ['not equals: "yes"']


@pytest.mark.parametrize(
    ("options", "actual", "score"),
    [
        ({"value": r"case #\d{4}"}, "Your case #0042 is open.", 1.0),
        ({"value": r"^\d{4}$"}, "case 0042", 0.0),
        ({"value": "(?i)CASE"}, "case", 1.0),
        ({"value": [r"\d", "[a-z]"]}, "a1", 1.0),
        ({"value": [r"\d", "[a-z]"]}, "1", 0.0),
        ({"value": [r"\d", "[a-z]"], "mode": "any"}, "1", 1.0),
        ({"value": r"\b\d{16}\b", "negate": True}, "card 4111111111111111", 0.0),
        ({"value": r"\b\d{16}\b", "negate": True}, "no card", 1.0),
        ({"value": "caf\u00e9"}, "cafe\u0301", 1.0),
        ({"value": "x"}, "\ud800x", 1.0),
        ({"value": r'"a":\d'}, {"a": 1}, 1.0),
    ],
)
def test_regex_searches_the_output(options: dict[str, Any], actual: Any, score: float) -> None:
    assert check("regex", actual, **options).score == score


def test_a_pattern_with_nested_repetition_takes_linear_time() -> None:
    assert check("regex", "a" * 100_000 + "b", value="^(a+)+$").score == 0.0


@pytest.mark.parametrize("pattern", ["(", r"(?=a)", r"(a)\1"])
def test_a_pattern_that_does_not_compile_is_refused_before_anything_runs(pattern: str) -> None:
    with pytest.raises(ConfigError, match="cannot be read") as raised:
        check("regex", "x", value=["a", pattern])
    assert "RE2" in str(raised.value)


def test_regex_requires_a_pattern() -> None:
    with pytest.raises(ConfigError, match="needs `value`"):
        check("regex", "x")


@pytest.mark.parametrize(
    ("options", "actual", "score", "length"),
    [
        ({"max": 5}, "12345", 1.0, 5),
        ({"max": 5}, "123456", 0.0, 6),
        ({"min": 5}, "1234", 0.0, 4),
        ({"min": 2, "max": 3, "unit": "words"}, "one  two\nthree", 1.0, 3),
        ({"max": 1, "unit": "lines"}, "one\ntwo", 0.0, 2),
        ({"max": 1, "unit": "lines"}, "one\n", 1.0, 1),
        ({"max": 1}, "e\u0301", 1.0, 1),
        ({"max": 5, "negate": True}, "123456", 1.0, 6),
        ({"max": 5, "negate": True}, "1", 0.0, 1),
        ({"max": 0}, "", 1.0, 0),
    ],
)
def test_length_is_within_the_bounds(options: dict[str, Any], actual: str, score: float, length: int) -> None:
    result = check("length", actual, **options)
    assert (result.score, result.metrics) == (score, {"length": length})


def test_the_miss_of_length_names_the_length_and_the_bounds() -> None:
    result = check("length", "one", min=2, max=3, unit="words")
    assert result.misses == ["length (1 word, at least 2 and at most 3)"]


def test_length_requires_bounds_that_some_length_satisfies() -> None:
    with pytest.raises(ConfigError, match="no bound"):
        check("length", "x")
    with pytest.raises(ConfigError, match="nothing is at least 3 and at most 2 long"):
        check("length", "x", min=3, max=2)
    with pytest.raises(ConfigError, match="`max` must be a whole number"):
        check("length", "x", max=-1)


@pytest.mark.parametrize(
    ("options", "actual", "score"),
    [
        ({}, '{"a": 1}', 1.0),
        ({}, " [1, 2] ", 1.0),
        ({}, "604", 1.0),
        ({}, {"a": 1}, 1.0),
        ({}, "604 euros", 0.0),
        ({}, FENCED, 0.0),
        ({}, '{"a": NaN}', 0.0),
        ({}, '{"a": 1,}', 0.0),
        ({}, "\ud800", 0.0),
        ({}, "[" * 100_000, 0.0),
        ({"anywhere": True}, FENCED, 1.0),
        ({"anywhere": True}, 'Here: {"a": 1,}', 1.0),
        ({"anywhere": True}, "nothing here", 0.0),
        ({"kind": "object"}, '{"a": 1}', 1.0),
        ({"kind": "object"}, "[1]", 0.0),
        ({"kind": "list"}, "[1]", 1.0),
        ({"kind": "list"}, [1], 1.0),
        ({"negate": True}, "prose", 1.0),
        ({"negate": True}, "{}", 0.0),
    ],
)
def test_is_json_accepts_json(options: dict[str, Any], actual: Any, score: float) -> None:
    result = check("is_json", actual, **options)
    assert (result.score, result.status) == (score, "scored")


def test_hits_and_misses_of_is_json_name_the_type() -> None:
    assert check("is_json", "{}").hits == ["is_json (object)"]
    assert check("is_json", "{}", kind="list").misses == ["is_json (object)"]
    assert check("is_json", "no", anywhere=True).misses == ["is_json (there is no JSON)"]
