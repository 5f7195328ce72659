"""Two values side by side, with what differs marked."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_factory import comparison

from fieldwise.model.comparison import Comparison
from fieldwise.report.value_diff import (
    ADDED,
    LOST,
    MarkedSides,
    TextPiece,
    mark_comparison,
    mark_texts,
    plain_pieces,
    shorten_sides,
    style_comparison,
    style_texts,
)


def _texts(pieces: tuple[TextPiece, ...]) -> list[tuple[str, bool]]:
    return [(piece.text, piece.differs) for piece in pieces]


def _compare(expected: object, actual: object) -> Comparison:
    return Comparison(
        path="a", field="a", outcome="wrong_value", expected=expected, actual=actual,  # type: ignore[arg-type]
        expected_presence="present", actual_presence="present", similarity=0.0, passed=False,
    )  # fmt: skip


def test_one_changed_character_is_marked() -> None:
    left, right = mark_texts("RB-2024", "RB-2O24")
    assert _texts(left) == [("RB-2", False), ("0", True), ("24", False)]
    assert _texts(right) == [("RB-2", False), ("O", True), ("24", False)]


def test_texts_that_share_next_to_nothing_are_marked_as_a_whole() -> None:
    assert _texts(mark_texts("alpha", "12345")[0]) == [("alpha", True)]


def test_letters_that_a_value_shares_with_the_word_null_are_not_marked() -> None:
    sides = mark_comparison(_compare("null-free until noon", None))
    assert sides.expected is not None
    assert sides.actual is not None
    assert [piece.differs for piece in (*sides.expected, *sides.actual)] == [False, False]
    assert not style_comparison(_compare("null-free until noon", None)).spans[1:]


def test_text_added_at_the_end_is_all_that_is_marked() -> None:
    left, right = mark_texts("Reference PO 7731", "Reference PO 7731. Thank you for your business!")
    assert _texts(left) == [("Reference PO 7731", False)]
    assert _texts(right) == [("Reference PO 7731", False), (". Thank you for your business!", True)]


def test_a_number_and_the_same_digits_as_text_are_distinguished_by_quotes() -> None:
    sides = mark_comparison(_compare(12, "12"))
    assert sides.actual is not None
    assert "".join(piece.text for piece in sides.actual) == '"12"'


def test_long_text_is_compared_by_words_and_loses_only_what_is_the_same() -> None:
    before = "word " * 300
    left, right = mark_texts(before + "blue sky", before + "grey sky")
    assert ("blue", True) in _texts(left)
    assert ("grey", True) in _texts(right)
    assert sum(len(piece.text) for piece in right) < 200
    assert any(piece.kind == "left out" and "characters left out" in piece.name for piece in right)


def test_a_no_break_space_is_seen() -> None:
    assert [piece.name for piece in plain_pieces("a\u00a0b") if piece.kind == "token"] == ["no-break space"]


@settings(deadline=None, max_examples=150)
@given(st.text("abc é\u202e\n", max_size=40), st.text("abc é\u202e\n", max_size=40))
def test_every_side_keeps_its_characters_and_shows_invisible_ones(expected: str, actual: str) -> None:
    names = {"U+202E": "\u202e", "⏎": "\n"}
    for side, text in zip(mark_texts(expected, actual), (expected, actual), strict=True):
        assert "".join(names[piece.text] if piece.kind == "token" else piece.text for piece in side) == text
        assert not any("\u202e" in piece.text for piece in side)


def marked_text(text: object, style: object) -> str:
    return "".join(text.plain[span.start : span.end] for span in text.spans if span.style == style)  # type: ignore[attr-defined]


def test_only_the_characters_that_differ_are_marked() -> None:
    text = style_texts("RB-2024-0305", "RB-2O24-O3O5")
    assert text.plain == "RB-2024-0305 → RB-2O24-O3O5"
    assert marked_text(text, LOST) == "000"
    assert marked_text(text, ADDED) == "OOO"


def test_long_text_is_marked_word_by_word_and_cut_where_nothing_differs() -> None:
    start = "The quick brown fox jumps over the lazy dog and runs on and on through the wood. " * 3
    text = style_texts(f"{start}It sleeps.", f"{start}It wakes.", limit=40)
    assert marked_text(text, LOST) == "sleeps"
    assert marked_text(text, ADDED) == "wakes"
    assert "…" in text.plain
    assert len(text.plain) < 100


def test_values_with_nothing_in_common_are_not_marked_letter_by_letter() -> None:
    assert (
        style_texts("Acme Industrial", "Hanseatische Werft").spans == []
        or marked_text(style_texts("Acme Industrial", "Hanseatische Werft"), LOST) == ""
    )


@pytest.mark.parametrize(
    ("expected", "actual", "shown"),
    [
        (12, "12", '12 → "12"'),
        ("12", 12, '"12" → 12'),
        ("Kiel", None, '"Kiel" → null'),
        ("Kiel", "Kiel\u00a0", '"Kiel" → "Kiel⍽"'),
        ("a", "b", "a → b"),
        (1.5, 15, "1.5 → 15"),
    ],
)
def test_quotes_distinguish_text_from_other_values(expected: object, actual: object, shown: str) -> None:
    assert style_comparison(comparison(expected=expected, actual=actual)).plain == shown


def test_a_missing_value_and_an_unexpected_one_say_so() -> None:
    assert style_comparison(comparison(actual=None, actual_presence="missing")).plain == "A-1002 → missing"
    assert style_comparison(comparison(expected=None, expected_presence="missing")).plain == "not expected: A-1O02"


@given(st.text(max_size=300), st.text(max_size=300), st.integers(min_value=12, max_value=60))
def test_any_two_texts_fit_the_limit(expected: str, actual: str, limit: int) -> None:
    text = style_texts(expected, actual, limit=limit)
    assert text.plain.isprintable()
    assert len(text.plain) <= 2 * (limit + 4) + 3


def test_long_sides_are_cut_for_a_list() -> None:
    words = [f"word{number}" for number in range(200)]
    changed = [f"other{number}" if number % 20 == 5 else word for number, word in enumerate(words)]
    sides = shorten_sides(mark_comparison(_compare(" ".join(words), " ".join(changed))), 120)
    for pieces in (sides.expected, sides.actual):
        assert pieces is not None
        assert sum(len(piece.text) for piece in pieces) <= 122
        assert any(piece.differs for piece in pieces)
        assert (pieces[-1].text, pieces[-1].kind) == ("…", "left out")


def test_short_and_absent_sides_are_not_cut() -> None:
    sides = mark_comparison(_compare("RB-2024", "RB-2O24"))
    assert shorten_sides(sides, 120) == sides
    assert shorten_sides(MarkedSides(expected=None, actual=None), 120) == MarkedSides(expected=None, actual=None)
