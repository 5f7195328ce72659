"""Records are found in what language models write."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.model.values import MISSING
from fieldwise.read import records_in_text
from fieldwise.read.json_text import ScanResult, scan_json
from fieldwise.read.lenient_json import RewrittenJson, rewrite_json
from fieldwise.read.records_in_text import CUT_OFF, find_record


@pytest.mark.parametrize(
    ("text", "value", "repairs"),
    [
        ('{"a": 1}', {"a": 1}, ()),
        (" \n[1, 2]\n", [1, 2], ()),
        ('```json\n{"a": 1}\n```', {"a": 1}, ("code fence removed",)),
        ("```\n[1]\n```\n", [1], ("code fence removed",)),
        ('```json\n{"a": 1}', {"a": 1}, ("code fence removed",)),
        ('Sure!\n```JSON\n{"a": 1}\n```\nAnything else?', {"a": 1}, ("code fence removed", "text around the JSON removed")),
        ('The answer is {"a": 1}.', {"a": 1}, ("text around the JSON removed",)),
        ('{"a": [1, 2,],}', {"a": [1, 2]}, ("trailing comma removed",)),
        ('{"a": 1},', {"a": 1}, ("trailing comma removed",)),
        ('[see below] {"a": 1}', {"a": 1}, ("text around the JSON removed",)),
        ('{braces} and "quotes" {"a": "}"} {', {"a": "}"}, ("text around the JSON removed",)),
        ('{"a": "```"}', {"a": "```"}, ()),
        ('{"n": 123456789012345678901234567890}', {"n": 123456789012345678901234567890}, ()),
    ],
)
def test_a_record_is_found_and_what_it_took_is_told(text: str, value: object, repairs: tuple[str, ...]) -> None:
    record = find_record(text)
    assert (record.value, record.repairs, record.reason) == (value, repairs, None)


@pytest.mark.parametrize(
    ("text", "value", "repairs"),
    [
        ("{'a': 1}", {"a": 1}, ("single quotes replaced",)),
        ("{'a': 1, 'b': None}", {"a": 1, "b": None}, ("single quotes replaced", "Python literals replaced")),
        ("{a: 1}", {"a": 1}, ("unquoted keys quoted",)),
        ('{"a": 1, // note\n "b": 2}', {"a": 1, "b": 2}, ("comments removed",)),
        ('{"a": 1 /* c */}', {"a": 1}, ("comments removed",)),
        ("{“a”: 1}", {"a": 1}, ("curly quotes replaced",)),
        ('{"a": 1, "b": "cut of', {"a": 1}, (CUT_OFF,)),
        ('{"a": {"b": [1, 2, 3]}, "c": ', {"a": {"b": [1, 2, 3]}}, (CUT_OFF,)),
        ('```json\n{"a": 1, "b": 2\n```', {"a": 1, "b": 2}, (CUT_OFF, "code fence removed")),
        ('Here: {"a": 1, b: 2}', {"a": 1, "b": 2}, ("unquoted keys quoted", "text around the JSON removed")),
        ('{"emoji": "\\ud83d\\ude00", b: 1}', {"emoji": "😀", "b": 1}, ("unquoted keys quoted",)),
    ],
)
def test_almost_json_is_read_and_what_it_took_is_told(text: str, value: object, repairs: tuple[str, ...]) -> None:
    record = find_record(text)
    assert (record.value, record.repairs, record.reason) == (value, repairs, None)


@pytest.mark.parametrize(
    "text",
    [
        '{"a":2} or maybe {"a":1}',
        "{'a':2}\n{'a':1}",
        '```json\n{"a":2}\n```\nor\n```json\n{"a":1}\n```',
        '{"a":2} and {"a":1, "b": "cut',
        '{} {"a": 1}',
        'Empty {} then {"a": 1}',
        '```\n{"a":2}\n```\n{"a":1}',
        '{"a":1}\n```\n{"a":2}\n```',
        '```python\n{"a":2}\n```\n{"a":1}',
    ],
)
def test_two_different_objects_are_ambiguous(text: str) -> None:
    record = find_record(text)
    assert record.value is MISSING
    assert record.reason == "ambiguous: the text holds 2 different JSON objects"


@pytest.mark.parametrize(
    "text",
    [
        'As [1] and [2, 3] say: {"a": 1}',
        '<think>maybe {"a": 2}</think>{"a": 1}',
        'maybe {"a": 2}, or {"a": 3}</think>\n{"a": 1}',
        '<THINKING>{"a": 2} {"a": 3</THINKING> {"a": 1}',
        'Schema: {"type": "object", "properties": {"a": {"type": "number"}}}\nAnswer: {"a": 1}',
        '{"$schema": "x", "a": {"type": "number"}} gives {"a": 1}',
        '{"a": 2} is wrong.\n```json\n{"a": 1}\n```\nNot {"a": 3}.',
        '{"a": 1} again: {"a": 1.0}',
        '{} is empty.\n```json\n{"a": 1}\n```',
        '"x" 12 true {"a": 1} null',
    ],
)
def test_what_is_no_candidate_does_not_compete_with_the_record(text: str) -> None:
    assert find_record(text).value == {"a": 1}


@pytest.mark.parametrize(
    "text",
    [
        'See [1]: ["a", "b"]',
        '- [ ] open\n["a", "b"]',
        '["a", "b"], that is ["a", "b"]',
        '["x", "y"] is wrong.\n```json\n["a", "b"]\n```',
    ],
)
def test_citations_and_drafts_do_not_compete_with_a_list(text: str) -> None:
    assert find_record(text).value == ["a", "b"]


def test_lists_of_scalars_do_not_compete_with_a_list_of_lists() -> None:
    assert find_record("In the range [0, 9]: [[0, 0, 5, 5], [1, 1, 2, 2]]").value == [[0, 0, 5, 5], [1, 1, 2, 2]]


@pytest.mark.parametrize("text", ['[{"x": 2}] or maybe [{"x": 1}]', "[0, 0, 5, 5] or [0, 0, 9, 9]", '["a"] or ["b"]'])
def test_two_different_lists_are_ambiguous(text: str) -> None:
    record = find_record(text)
    assert record.value is MISSING
    assert record.reason == "ambiguous: the text holds 2 different JSON lists"


def test_an_unfinished_reasoning_block_holds_no_record() -> None:
    assert find_record('<think>it could be {"a": 1}').value is MISSING


@pytest.mark.parametrize("text", ["{'a': 1}", '```json\n{"a": 1}\n```', '{"a": 1,}', '{"a": 1} done', '{"a": 1', '{"a": 1, "a": 2}'])
def test_without_repair_only_strict_json_is_read(text: str) -> None:
    record = find_record(text, repair=False)
    assert record.value is MISSING
    assert "`repair` is off" in (record.reason or "")
    assert find_record(' {"a": 1}\n', repair=False).value == {"a": 1}


@pytest.mark.parametrize("text", ["604", "hello", '"hello"', "true", "null", "1.5 and more", "[see below]", "{x}"])
def test_text_without_an_object_or_list_has_no_record(text: str) -> None:
    assert find_record(text).value is MISSING
    assert find_record(text).reason == "the text holds no JSON object or list"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ('{"a": 1, "a": 2}', "the key `a` is there twice"),
        ('So: {"a": {"b": 1, "b": 1}}', "a.b"),
        ('{"a": ', "breaks off"),
        ('Here: {"a": 1, b; 2}', "not JSON at character"),
        ('{"a": "\\ud800"}', "surrogate"),
        ('{"a": "\ud800"}', "surrogate"),
        ("[" * 1500 + "1" + "]" * 1500, "nested deeper"),
    ],
)
def test_a_record_that_cannot_be_read_says_why(text: str, why: str) -> None:
    record = find_record(text)
    assert record.value is MISSING
    assert why in (record.reason or "")
    assert (record.reason or "").encode()


def test_a_part_of_a_broken_record_never_passes_for_the_record() -> None:
    assert find_record('Result: {"invoice": {"number": 1, "total": 2}, oops').value is MISSING


@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "{",
        '{"',
        '["',
        '["{',
        '{"a":',
        '["\\"[',
        '"[',
        "[1,",
        '["[\x01',
        '{"a":1}',
        "[ ",
        "[-",
        "{a",
        "{'a",
        "{a:",
        "{'a':'b'c",
        "{a:'",
        "{a:1,b ",
        "<think>",
        "</think>{a:1",
        '{"a":1,"a":',
        '["x","{" ',
    ],
)
def test_hostile_text_is_read_about_once(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts the characters that are looked at: a multiple of the text, not its square."""
    looked_at = 0

    def counted_scan(text: str, start: int = 0, *, trailing_commas: bool = False) -> ScanResult:
        nonlocal looked_at
        result = scan_json(text, start, trailing_commas=trailing_commas)
        looked_at += result.end - start
        return result

    def counted_rewrite(text: str, start: int = 0) -> RewrittenJson:
        nonlocal looked_at
        rewritten = rewrite_json(text, start)
        looked_at += rewritten.end - start
        return rewritten

    monkeypatch.setattr(records_in_text, "scan_json", counted_scan)
    monkeypatch.setattr(records_in_text, "rewrite_json", counted_rewrite)
    text = piece * (20_000 // len(piece))
    find_record(text)
    assert looked_at <= 6 * len(text)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet='{}[]",:\\ a1`\n', max_size=40))
def test_any_text_is_survived(text: str) -> None:
    record = find_record(text)
    assert (record.value is MISSING) == (record.reason is not None)


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(st.text(max_size=4), st.integers() | st.text(max_size=5) | st.lists(st.booleans(), max_size=3), min_size=1),
    st.sampled_from(["", "Here you are: ", "```json\n"]),
)
def test_a_record_survives_its_wrapping(record: dict[str, object], before: str) -> None:
    assert find_record(before + json.dumps(record, indent=1)).value == record


@pytest.mark.parametrize(
    "broken",
    [
        '{"id": A7, "items": [{"name": "lamp", "price": 39.95}, {"name": "desk", "price": 120}], "total": 159.95}',
        '{"id" "A7", "items": [{"name": "lamp", "price": 39.95}, {"name": "desk", "price": 120}]}',
        '{"id": , "seller": {"name": "Atelier Numerique", "city": "Nantes"}}',
        '[{"id": 1 "n": 2}, {"id": 2, "name": "a longer object of the same list"}]',
        '{"id: {"name": "Kite & Sons Ltd", "city": "Bristol"}, "items": [{"name": "lamp", "price": 39.95}]}',
    ],
)
def test_no_part_of_a_broken_record_passes_for_the_record(broken: str) -> None:
    assert find_record(broken).reason is not None


def test_a_corrected_record_after_a_shorter_broken_one_is_read() -> None:
    text = 'First try: {"id": A7}\nCorrected: {"id": "A7", "total": 159.95}'
    assert find_record(text).value == {"id": "A7", "total": 159.95}


def test_an_escaped_object_wins_over_the_lists_inside_it() -> None:
    record = {"a": 1, "c": {"d": [1, 2]}, "note": 'say "hi"'}
    for text in (json.dumps(json.dumps(record)), json.dumps("Result:\n" + json.dumps(record, indent=1))):
        read = find_record(text)
        assert read.value == record
        assert "escaped quotes read as quotes" in read.repairs


@pytest.mark.parametrize("rest", ["-", "+", "12.", "1e", "1e-", "-0."])
def test_a_number_that_breaks_off_costs_its_own_field_only(rest: str) -> None:
    assert find_record('{"a": 1, "b": ' + rest).value == {"a": 1}
