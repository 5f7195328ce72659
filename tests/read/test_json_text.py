"""JSON is read as it was written, or not at all."""

import json
import math
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.model.values import MISSING
from fieldwise.read.json_text import MAX_DEPTH, decode_fast, decode_json, decode_lines, decode_with_problems


class Pairs(list[Any]):
    """An object as a list of pairs, in which a key may come twice."""


keys = st.sampled_from(["a", "b", "a:", 'a"', "é", "a\\", "", ":"])
numbers = (
    st.integers()
    | st.sampled_from([2**53 + 1, 2**63, 2**64, -(2**63) - 1, 10**19, -(10**18), 10**40])
    | st.floats(allow_nan=False, allow_infinity=False)
)
texts = st.text(max_size=6) | st.sampled_from(['":', '\\u003a":', "12345678901234567890123", ": ", "e19"])
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.lists(st.tuples(keys, inner), max_size=4).map(Pairs),
    max_leaves=12,
)


def write(value: Any, colon: str, comma: str, escape: bool) -> str:
    if isinstance(value, Pairs):
        return "{" + comma.join(write(key, colon, comma, escape) + colon + write(item, colon, comma, escape) for key, item in value) + "}"
    if isinstance(value, list):
        return "[" + comma.join(write(item, colon, comma, escape) for item in value) + "]"
    if isinstance(value, str) and escape:
        return '"' + "".join(f"\\u{ord(left):04x}" if ord(left) < 0x10000 else json.dumps(left)[1:-1] for left in value) + '"'
    return json.dumps(value, ensure_ascii=False)


class DuplicateKey(Exception):
    pass


def reference(text: str) -> Any:
    """The slow truth: the standard decoder, refusing duplicate keys."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise DuplicateKey
        return dict(pairs)

    return json.loads(text, object_pairs_hook=unique)


def same(left: Any, right: Any) -> bool:
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return repr(left) == repr(right)


@settings(max_examples=400, deadline=None)
@given(values, st.sampled_from([":", ": ", " :", "\t:\n"]), st.sampled_from([",", ", "]), st.booleans())
def test_decoding_agrees_with_a_slow_reference(value: Any, colon: str, comma: str, escape: bool) -> None:
    text = write(value, colon, comma, escape)
    line = text.encode()
    decoded = decode_json(line)
    try:
        truth = reference(text)
    except DuplicateKey:
        assert decoded.value is MISSING
        assert decoded.diagnostics[0].code == "duplicate-key"
        assert decode_lines([b"{}", line])[1] is MISSING
        return
    assert decoded.diagnostics == ()
    assert same(decoded.value, truth)
    fast, together = decode_fast(line), decode_lines([b'{"a":1}', line, line])
    assert fast is MISSING or same(fast, truth)
    assert all(left is MISSING or same(left, truth) for left in together[1:])


@settings(max_examples=300, deadline=None)
@given(
    st.text(alphabet='{}[]":,0123456789.eE+-truefalsn \\u\n', max_size=20) | st.binary(max_size=12).map(lambda raw: raw.decode("latin-1"))
)
def test_what_is_refused_is_refused_by_the_reference_too(text: str) -> None:
    decoded = decode_json(text.encode())
    try:
        truth = reference(text)
    except (ValueError, DuplicateKey):
        assert decoded.value is MISSING
        assert decoded.diagnostics
    else:
        finite = not any(note.code == "non-finite-number" for note in decoded.diagnostics)
        lone = any(note.code == "lone-surrogate" for note in decoded.diagnostics)
        assert lone or not finite or same(decoded.value, truth)


@pytest.mark.parametrize("number", [2**53 + 1, 2**63 - 1, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1, 10**30, -(10**30)])
def test_integers_of_any_size_keep_their_digits(number: int) -> None:
    for line in (f"{number}", f'{{"n": {number}}}', f'{{"pad": "x", "n":[1,{number}]}}'):
        assert str(number) in repr(decode_json(line.encode()).value)
        assert type(decode_json(f"[{number}]".encode()).value[0]) is int
        assert str(number) in repr(decode_lines([b"{}", line.encode()])[1]) or decode_lines([b"{}", line.encode()])[1] is MISSING


def test_long_digits_in_text_do_not_leave_the_fast_way() -> None:
    line = b'{"iban": "12345678901234567890123456", "nanos": 1700000000000000000, "small": 0.00012345678901234567}'
    assert decode_fast(line) == orjson.loads(line)
    assert decode_lines([line])[0] == orjson.loads(line)


def test_an_integer_too_long_to_print_is_unreadable() -> None:
    assert decode_json(b"9" * 4301).diagnostics[0].code == "number-too-long"
    assert decode_json(b"9" * 4300).value == int("9" * 4300)


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e400", "-1e999"])
def test_numbers_that_are_not_finite_are_read_and_noted(text: str) -> None:
    decoded = decode_json(f'{{"a": [1, {text}]}}'.encode())
    assert not math.isfinite(decoded.value["a"][1])
    assert [(note.code, note.level, note.where.field) for note in decoded.diagnostics] == [("non-finite-number", "info", "a[1]")]


def test_a_duplicate_key_is_named_with_its_path() -> None:
    note = decode_json(b'{"a": {"items": [{"x": 1}, {"x": 1, "y": 2, "x": 3}]}}').diagnostics[0]
    assert (note.code, note.where.field) == ("duplicate-key", "a.items[1].x")
    assert "`x`" in note.what


@pytest.mark.parametrize(
    "line",
    [
        b'{"a":1,"a":1}',
        b'{"a" :1,"a":2}',
        b'{"a":1,"\\u0061":2}',
        b'{"a":1,"a":"\\u003a"}',
        b'{"a":1,"a":"\\u003A"}',
        b'{"a":{"b":":"},"a":":"}',
    ],
)
def test_no_way_of_writing_hides_a_duplicate_key(line: bytes) -> None:
    assert decode_json(line).value is MISSING
    assert decode_lines([line, b'{"b":"\\u003a"}'])[0] is MISSING


@pytest.mark.parametrize("key", ["cafe\u0301".encode(), rb"cafe\u0301", b"caf\xc3\xa9"])
def test_keys_are_composed_and_values_stay_as_written(key: bytes) -> None:
    """Text compares after NFC, and a key is text."""
    line = b'{"a": [{"' + key + b'": "' + key + b'"}]}'
    decoded = decode_json(line).value
    assert decoded == {"a": [{"caf\u00e9": json.loads(b'"' + key + b'"')}]}


def test_text_that_is_not_composed_stays_on_the_fast_way() -> None:
    line = '{"a": "cafe\u0301"}'.encode()
    assert decode_fast(line) == {"a": "cafe\u0301"}
    assert decode_lines([line]) == [{"a": "cafe\u0301"}]


def test_one_key_written_in_two_ways_is_there_twice() -> None:
    decoded = decode_json('{"caf\u00e9": 1, "cafe\u0301": 2}'.encode())
    assert decoded.value is MISSING
    assert decoded.diagnostics[0].what == "the key `caf\u00e9` is there twice"


def test_duplicates_in_different_objects_are_no_duplicates() -> None:
    assert decode_json(b'[{"a": 1}, {"a": 1}]').diagnostics == ()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"a": "\xff"}', "invalid-utf8"),
        (b'{"\xff": 1}', "invalid-utf8"),
        (b'{"a": "\\ud800"}', "lone-surrogate"),
        (b'{"a": "\\udc00\\ud800"}', "lone-surrogate"),
        (b'{"a": [1, 2', "truncated-json"),
        (b'{"a": "x', "truncated-json"),
        (b'{"a": tr', "truncated-json"),
        (b'{"a"', "truncated-json"),
        (b"", "truncated-json"),
        (b"{'a': 1}", "invalid-json"),
        (b'{"a": 1,}', "invalid-json"),
        (b'{"a": 1} {"b": 2}', "invalid-json"),
        (b"[01]", "invalid-json"),
        (b'["a\nb"]', "invalid-json"),
        (b'["\\x"]', "invalid-json"),
    ],
)
def test_what_cannot_be_read_says_why(line: bytes, code: str) -> None:
    decoded = decode_json(line)
    assert decoded.value is MISSING
    assert decoded.diagnostics[0].code == code
    assert str(decoded.diagnostics[0]).encode()


@pytest.mark.parametrize(("line", "field"), [(b"{bad", None), (b'{"a": {bad', "a"), (b'{"a": [1, {"b": 1,', "a[1]"), (b"[1, x", "[0]")])
def test_the_place_of_a_key_that_cannot_be_read_is_its_object(line: bytes, field: str | None) -> None:
    assert decode_json(line).diagnostics[0].where.field == field


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert decode_json(b'"\\ud83d\\ude00"').value == "😀"


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_depth_works_up_to_the_limit_and_no_further(opening: str) -> None:
    closing = "]" if opening == "[" else "}"

    def nested(depth: int) -> bytes:
        return (opening * depth + ("" if opening == "[" else "1") + closing * depth).encode()

    for depth in (100, 254, 255, 900, MAX_DEPTH):
        assert decode_json(nested(depth)).diagnostics == ()
    for depth in (MAX_DEPTH + 1, 1024, 1025, 50_000):
        decoded = decode_json(nested(depth))
        assert decoded.value is MISSING
        assert decoded.diagnostics[0].code == "too-deep"


def test_problems_inside_a_value_leave_the_rest_to_use() -> None:
    decoded = decode_with_problems(b'{"id": "x", "expected": {"a": 1}, "actual": {"b": 1, "b": 2}}')
    assert decoded.value["expected"] == {"a": 1}
    assert [problem.steps for problem in decoded.problems] == [("actual", "b")]


def test_a_byte_order_mark_is_tolerated() -> None:
    assert decode_json(b'\xef\xbb\xbf{"a": 1}').value == {"a": 1}


def test_a_bad_line_costs_the_others_nothing() -> None:
    assert decode_lines([b'{"a": 1}', b"{", b'{"b":1,"b":2}', b'{"c": 3}']) == [{"a": 1}, MISSING, MISSING, {"c": 3}]


@pytest.mark.parametrize("number", [10**18, -(10**18), 2**63 - 1, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1, 10**19, 10**30, -(10**40)])
@pytest.mark.parametrize("before", ["", "0.12345678901234567, ", '"12345678901234567890123", ', "1" * 18 + ", "])
def test_long_integers_keep_their_digits_among_long_decimals_and_codes(number: int, before: str) -> None:
    line = f'{{"box": [{before * 40}{number}]}}'.encode()
    exact: Any = json.loads(line)
    assert decode_json(line).value == exact
    for lines in ([line], [line] * 30):  # many lines are checked together
        assert all(value is MISSING or value == exact for value in decode_lines(lines))  # MISSING: it is read again, slower
    assert type(exact["box"][-1]) is int
