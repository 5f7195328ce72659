"""Display text of values, numbers and strings that come from data."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.report.text_format import (
    choose_shortener,
    dump_json,
    format_csv_cell,
    format_value,
    make_visible,
    shorten_path,
    truncate,
    truncate_middle,
)


@given(st.text(max_size=20))
def test_no_invisible_character_is_left(text: str) -> None:
    shown = make_visible(text)
    assert all(character.isprintable() for character in shown), shown


@pytest.mark.parametrize("text", ["\x1b]0;title\x07", "a\u202eb", "zero\u200bwidth", "\ud800", "line\u2028break", "\x9b31m"])
def test_characters_that_steer_a_terminal_are_shown_as_escapes(text: str) -> None:
    assert "\\" in make_visible(text)
    make_visible(text).encode()


def test_plain_text_stays_as_it_is() -> None:
    assert make_visible("Bürobedarf & Söhne — 12 €") == "Bürobedarf & Söhne — 12 €"


@pytest.mark.parametrize("cell", ["=cmd|' /C calc'!A0", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "＝1"])
def test_a_cell_that_begins_like_a_formula_is_made_text(cell: str) -> None:
    assert format_csv_cell(cell) == f"'{cell}"


def test_numbers_stay_numbers_in_csv() -> None:
    assert [format_csv_cell(value) for value in (-1, 2.5, True, None)] == ["-1", "2.5", "true", ""]


def test_text_that_looks_like_another_kind_is_in_quotes() -> None:
    assert [format_value(value) for value in ("null", "12", "-3", "[1]", "12 km", " a")] == [
        '"null"', '"12"', '"-3"', '"[1]"', "12 km", '" a"',
    ]  # fmt: skip


def test_the_text_missing_is_quoted_unlike_an_absent_value() -> None:
    assert format_value("missing") == '"missing"'
    assert format_value("missing page") == "missing page"


def test_a_path_below_the_current_folder_is_shown_relative_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert shorten_path(str(tmp_path / "suites" / "a.eval.yaml")) == "suites/a.eval.yaml"
    assert shorten_path(str(tmp_path.parent / "a.eval.yaml")) == str(tmp_path.parent / "a.eval.yaml")


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_json_text_is_json_whatever_the_value(value: object) -> None:
    text = dump_json(value)
    text.encode()
    json.loads(text, parse_constant=pytest.fail)


@given(st.text(max_size=30), st.integers(min_value=3, max_value=12))
def test_cutting_keeps_to_the_limit(text: str, limit: int) -> None:
    assert len(truncate(text, limit)) <= limit
    assert len(truncate_middle(text, limit)) <= limit


def test_ids_that_differ_in_the_middle_are_shortened_around_that_part() -> None:
    ids = [f"document-scan-batch-2024-03-{number:04d}-of-the-archive-page-1-of-3.pdf" for number in (7, 12, 13)]
    shorten = choose_shortener(ids, 30)
    shortened = [shorten(name, 30) for name in ids]
    assert len(set(shortened)) == 3
    assert max(map(len, shortened)) <= 30
    assert "0012" in shortened[1]


def test_short_names_equal_names_and_no_names_can_be_shortened() -> None:
    assert choose_shortener(["a", "b"], 5)("a", 5) == "a"
    assert choose_shortener([], 5)("abcdefgh", 5) == "ab…gh"
    assert choose_shortener(["same-long-name", "same-long-name"], 6)("same-long-name", 6) == "sa…ame"
