"""exact_text: what Python writes alike, letter case aside."""

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.matchers.exact_text import ExactText, exact_text
from fieldwise.model.pairs import Pairs


def score(expected: Any, actual: Any) -> float:
    return float(exact_text(Pairs([expected], [actual]), ExactText()).value[0])


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("john@example.com", "John@Example.COM"),
        (True, "true"),
        (True, "TRUE"),
        (False, "False"),
        (1, "1"),
        (1.0, "1.0"),
        (1e22, "1E+22"),
        ({"b": 1, "a": "X"}, {"a": "x", "b": 1}),
        (["A"], ["a"]),
        (["a"], '["A"]'),
        ({"a": 1}, '{"a": 1}'),
        ([True, None], "[TRUE, NULL]"),
        (10**400, 10**400),
    ],
)
def test_these_are_written_alike(expected: Any, actual: Any) -> None:
    """response-quality spec: EXACT is `str(gt).lower() == str(aio).lower()`, JSON-sorted for dict and list."""
    assert score(expected, actual) == 1.0
    assert score(actual, expected) == 1.0


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (1, 1.0),
        ("a", "a "),
        ("caf\u00e9", "cafe\u0301"),
        ("straße", "STRASSE"),
        ([1, 2], [2, 1]),
        (["a"], '["a" ]'),
        (["\u00c9"], ["\u00e9"]),
        (2**53, 2**53 + 1),
        (True, 1),
    ],
)
def test_these_are_written_differently(expected: Any, actual: Any) -> None:
    assert score(expected, actual) == 0.0
    assert score(actual, expected) == 0.0


def test_letter_case_of_accents_is_folded_in_text_but_not_behind_json_escapes() -> None:
    assert score("\u00c9", "\u00e9") == 1.0
    assert score(["\u00c9"], ["\u00e9"]) == 0.0


def test_a_nan_matches_neither_itself_nor_its_name_but_the_word_nan_is_text() -> None:
    assert score(math.nan, math.nan) == 0.0
    assert score(math.nan, "nan") == 0.0
    assert score([math.inf], [math.inf]) == 0.0
    assert score("NaN", "nan") == 1.0


def test_integers_too_long_for_python_to_write_still_compare() -> None:
    assert score(10**5000, 10**5000) == 1.0
    assert score(10**5000, 10**5000 + 1) == 0.0


texts = st.sampled_from(["a", "A", "b", "É", "é", "ß", "SS", ""])
values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None)
@given(values, values)
def test_what_shows_at_a_glance_is_what_writing_both_values_shows(expected: Any, actual: Any) -> None:
    assert score(expected, actual) == float(str_of(expected) == str_of(actual))


def str_of(value: Any) -> str:
    return (json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else str(value)).lower()
