"""Paths: read, written, read again."""

from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.model.path import EACH, MalformedPath, Path, Step, parse_index, render_path, render_step

keys = (
    st.text(max_size=6).map(lambda text: normalize("NFC", text))
    | st.text(alphabet='ab.[]"\\*$+ 0-9\n', max_size=4)
    | st.sampled_from(["", "0", "007", "(root)", " a", "$", "*", "١"])
)
indexes = st.integers(min_value=-(10**6), max_value=10**6)
steps = st.lists(keys | indexes | st.just(EACH), min_size=1, max_size=5).map(tuple)


@given(path=steps)
@settings(max_examples=400, deadline=None)
def test_what_is_written_is_read_again(path: tuple[Step, ...]) -> None:
    assert Path.parse(str(Path(path))).steps == path


@given(left=steps, right=steps)
@settings(max_examples=200, deadline=None)
def test_different_steps_are_written_differently(left: tuple[Step, ...], right: tuple[Step, ...]) -> None:
    assert (render_path(left) == render_path(right)) == (left == right)


@given(text=st.text(max_size=12) | st.text(alphabet='ab.[]"\\*$0-9', max_size=10))
@settings(max_examples=400, deadline=None)
def test_any_text_is_a_path_or_malformed(text: str) -> None:
    try:
        path = Path.parse(text)
    except MalformedPath:
        return
    assert Path.parse(str(path)) == path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("invoice.vendor.name", ("invoice", "vendor", "name")),
        ("items[0].amount", ("items", 0, "amount")),
        ("items.0.amount", ("items", 0, "amount")),
        ("items[*].amount", ("items", EACH, "amount")),
        ("items.*.amount", ("items", EACH, "amount")),
        ("items[-1]", ("items", -1)),
        ('["odd.key"]', ("odd.key",)),
        ("['odd.key'].b", ("odd.key", "b")),
        ("a['b..c']", ("a", "b..c")),
        ("it's", ("it's",)),
        ("cafe\u0301", ("caf\u00e9",)),
        ('["cafe\\u0301"]', ("caf\u00e9",)),
        ("['cafe\u0301']", ("caf\u00e9",)),
        ('a["b\\"c"].d', ("a", 'b"c', "d")),
        ("[0]", (0,)),
        ("[*].a", (EACH, "a")),
        ("a[0][1]", ("a", 0, 1)),
        ("a.007", ("a", "007")),
        ("Line Items.Unit Price", ("Line Items", "Unit Price")),
        ("größe", ("größe",)),
        ('["$ref"]', ("$ref",)),
        ('["a..b"].c', ("a..b", "c")),
        (f"a.{'1' * 5000}", ("a", "1" * 5000)),
    ],
)
def test_ways_to_write_a_path(text: str, expected: tuple[Step, ...]) -> None:
    assert Path.parse(text).steps == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("invoice..total", "has an empty step"),
        (".a", "has an empty step"),
        ("a.", "has an empty step"),
        ("", "must not be empty"),
        ("a[0]b", "cannot be read from `b` on"),
        ("a[", "cannot be read from `[` on"),
        ("a[x]", "cannot be read from"),
        ("a.[0]", "cannot be read from"),
        ('a["b', "cannot be read from"),
        ('["a\\q"]', "bad escape"),
        (f"a[{'1' * 5000}]", "an index that no list reaches"),
        ("$.a", "is JSONPath"),
        ("$", "is JSONPath"),
    ],
)
def test_a_malformed_path_says_why(text: str, why: str) -> None:
    with pytest.raises(MalformedPath) as error:
        Path.parse(text)
    assert why in str(error.value)


def test_jsonpath_comes_with_what_to_write() -> None:
    with pytest.raises(MalformedPath) as error:
        Path.parse("$.invoice.total")
    assert error.value.fix == "write `invoice.total`"


def test_a_record_itself_is_the_root() -> None:
    assert render_path(()) == "(root)"


def test_each_counts_the_lists_on_the_way() -> None:
    assert [Path.parse(text).each_count for text in ("a", "a[*]", "a[*].b[*].c")] == [0, 1, 2]


@pytest.mark.parametrize(
    ("key", "index"), [("0", 0), ("12", 12), ("007", None), ("-1", None), ("", None), ("a", None), ("²", None), ("1" * 5000, None)]
)
def test_a_key_that_is_an_index_as_well(key: str, index: int | None) -> None:
    assert parse_index(key) == index


def test_steps_that_need_quotes_get_them() -> None:
    assert [render_step(step) for step in ("a", "a b", "a.b", " a", "0", "*", "$", 'a"b', "", 0, -1, EACH)] == [
        ".a",
        ".a b",
        '["a.b"]',
        '[" a"]',
        '["0"]',
        '["*"]',
        '["$"]',
        '["a\\"b"]',
        '[""]',
        "[0]",
        "[-1]",
        "[*]",
    ]
