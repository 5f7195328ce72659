"""Expected → actual, with what differs marked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_factory import comparison

from fieldwise.report.changes import ADDED, LOST, change, changed


def marked(text: object, style: object) -> str:
    return "".join(text.plain[span.start : span.end] for span in text.spans if span.style == style)  # type: ignore[attr-defined]


def test_only_the_characters_that_differ_are_marked() -> None:
    text = changed("RB-2024-0305", "RB-2O24-O3O5")
    assert text.plain == "RB-2024-0305 → RB-2O24-O3O5"
    assert marked(text, LOST) == "000"
    assert marked(text, ADDED) == "OOO"


def test_long_text_is_marked_word_by_word_and_cut_where_nothing_differs() -> None:
    start = "The quick brown fox jumps over the lazy dog and runs on and on through the wood. " * 3
    text = changed(f"{start}It sleeps.", f"{start}It wakes.", limit=40)
    assert marked(text, LOST) == "sleeps"
    assert marked(text, ADDED) == "wakes"
    assert "…" in text.plain
    assert len(text.plain) < 100


def test_values_with_nothing_in_common_are_not_marked_letter_by_letter() -> None:
    assert (
        changed("Acme Industrial", "Hanseatische Werft").spans == [] or marked(changed("Acme Industrial", "Hanseatische Werft"), LOST) == ""
    )


@pytest.mark.parametrize(
    ("expected", "actual", "told"),
    [
        (12, "12", '12 → "12"'),
        ("12", 12, '"12" → 12'),
        ("Kiel", None, '"Kiel" → null'),
        ("Kiel", "Kiel\u00a0", '"Kiel" → "Kiel⍽"'),
        ("a", "b", "a → b"),
        (1.5, 15, "1.5 → 15"),
    ],
)
def test_quotes_tell_text_from_other_kinds(expected: object, actual: object, told: str) -> None:
    assert change(comparison(expected=expected, actual=actual)).plain == told


def test_a_missing_value_and_an_unexpected_one_say_so() -> None:
    assert change(comparison(actual=None, actual_presence="missing")).plain == "A-1002 → missing"
    assert change(comparison(expected=None, expected_presence="missing")).plain == "not expected: A-1O02"


@given(st.text(max_size=300), st.text(max_size=300), st.integers(min_value=12, max_value=60))
def test_any_two_texts_can_be_shown_in_the_room_there_is(expected: str, actual: str, limit: int) -> None:
    text = changed(expected, actual, limit=limit)
    assert text.plain.isprintable()
    assert len(text.plain) <= 2 * (limit + 4) + 3
