"""Almost-JSON is rewritten as strict JSON."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.read.lenient_json import rewrite_json

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=4), values, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{\"a\": \"it's\", 'b': 'it's'}", {"a": "it's", "b": "it's"}),
        ('{"q": "he said "hi" to"}', {"q": 'he said "hi" to'}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ('{"a": .5, "b": +1, "c": 1.}', {"a": 0.5, "b": 1, "c": 1.0}),
        ('{"a": "http://x", # c\n}', {"a": "http://x"}),
        ('{"zip": 02139, "n": 10, "zero": 0}', {"zip": "02139", "n": 10, "zero": 0}),
        ('{"a": [007, -01, 00.5, 0.5]}', {"a": ["007", "-01", "00.5", 0.5]}),
        ("{$id: 'x', data-key: [True, None,],}", {"$id": "x", "data-key": [True, None]}),
    ],
)
def test_what_people_and_models_write_is_read(text: str, value: object) -> None:
    assert json.loads(rewrite_json(text).text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "x", "b": 12', {"a": "x"}),
        ('{"a": "x", "b": 12 ', {"a": "x", "b": 12}),
        ('{"a": "x", "b": tru', {"a": "x"}),
        ('{"a": "x", "b": {', {"a": "x"}),
        ('{"a": "x", "b": {"c": [1, 2], "d', {"a": "x", "b": {"c": [1, 2]}}),
        ('{"items": [{"d": "x", "n": 1}, {"d": "y", "n":', {"items": [{"d": "x", "n": 1}, {"d": "y"}]}),
    ],
)
def test_of_a_text_that_breaks_off_the_complete_parts_stay(text: str, value: object) -> None:
    rewritten = rewrite_json(text)
    assert rewritten.is_cut_off
    assert json.loads(rewritten.text) == value


@pytest.mark.parametrize("text", ["{x}", '{"a": 1, oops', '{"a": "x" "b": 1}', '{"a": word}', "[1; 2]"])
def test_what_cannot_be_told_is_not_guessed(text: str) -> None:
    assert rewrite_json(text).text == ""


def test_a_number_with_leading_zeros_is_a_recorded_repair() -> None:
    assert rewrite_json('{"zip": 02139}').repairs == ("numbers with leading zeros read as text",)


@pytest.mark.parametrize("text", ['{"a: {"b": "x", "c": 1}}', '{"a" {"b": "x"}, "c": 1}', '{"a "x", "b": 1}'])
def test_a_key_never_takes_in_the_value_after_it(text: str) -> None:
    assert rewrite_json(text).text == ""


@settings(max_examples=150, deadline=None)
@given(st.lists(JSON_VALUES, min_size=1, max_size=3))
def test_strict_json_is_read_as_it_is(value: list[object]) -> None:
    rewritten = rewrite_json(json.dumps(value))
    assert json.loads(rewritten.text) == value
    assert rewritten.repairs == ()


@settings(max_examples=150, deadline=None)
@given(st.lists(JSON_VALUES, min_size=1, max_size=3), st.integers(min_value=1, max_value=60))
def test_a_cut_never_changes_what_is_before_it(value: list[object], length: int) -> None:
    rewritten = rewrite_json(json.dumps(value)[:length])
    if rewritten.is_cut_off:
        assert json.dumps(json.loads(rewritten.text)).rstrip("]}") in json.dumps(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'{"path": "C:\dir\x41"}', r"C:\dirA"),
        (r'{"path": "\u12 \q7"}', r"\u12 \q7"),
        (r'{"path": "5\% of \$3"}', "5% of $3"),
    ],
)
def test_an_escape_that_json_does_not_have_is_rewritten_and_told(text: str, value: str) -> None:
    rewritten = rewrite_json(text)
    assert json.loads(rewritten.text) == {"path": value}
    assert rewritten.repairs == ("escapes that JSON does not have rewritten",)
