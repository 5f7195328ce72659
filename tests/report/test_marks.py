"""Two values beside each other."""

from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.model.comparison import Comparison
from fieldwise.report.marks import Piece, marked, plain, sides


def _told(pieces: tuple[Piece, ...]) -> list[tuple[str, bool]]:
    return [(piece.text, piece.differs) for piece in pieces]


def _compared(expected: object, actual: object) -> Comparison:
    return Comparison(
        path="a", field="a", outcome="wrong_value", expected=expected, actual=actual,  # type: ignore[arg-type]
        expected_presence="present", actual_presence="present", similarity=0.0, passed=False,
    )  # fmt: skip


def test_one_changed_character_is_marked() -> None:
    left, right = marked("RB-2024", "RB-2O24")
    assert _told(left) == [("RB-2", False), ("0", True), ("24", False)]
    assert _told(right) == [("RB-2", False), ("O", True), ("24", False)]


def test_texts_that_share_next_to_nothing_are_marked_as_a_whole() -> None:
    assert _told(marked("alpha", "12345")[0]) == [("alpha", True)]


def test_text_added_at_the_end_is_all_that_is_marked() -> None:
    left, right = marked("Reference PO 7731", "Reference PO 7731. Thank you for your business!")
    assert _told(left) == [("Reference PO 7731", False)]
    assert _told(right) == [("Reference PO 7731", False), (". Thank you for your business!", True)]


def test_a_number_and_the_same_digits_as_text_are_told_apart_by_quotes() -> None:
    found = sides(_compared(12, "12"))
    assert found.actual is not None
    assert "".join(piece.text for piece in found.actual) == '"12"'


def test_long_text_is_compared_by_words_and_loses_only_what_is_the_same() -> None:
    before = "word " * 300
    left, right = marked(before + "blue sky", before + "grey sky")
    assert ("blue", True) in _told(left)
    assert ("grey", True) in _told(right)
    assert sum(len(piece.text) for piece in right) < 200
    assert any(piece.kind == "left out" and "characters left out" in piece.name for piece in right)


def test_a_no_break_space_is_seen() -> None:
    assert [piece.name for piece in plain("a\u00a0b") if piece.kind == "token"] == ["no-break space"]


@settings(deadline=None, max_examples=150)
@given(st.text("abc é\u202e\n", max_size=40), st.text("abc é\u202e\n", max_size=40))
def test_every_side_keeps_its_characters_and_shows_nothing_unseen(expected: str, actual: str) -> None:
    names = {"U+202E": "\u202e", "⏎": "\n"}
    for side, text in zip(marked(expected, actual), (expected, actual), strict=True):
        assert "".join(names[piece.text] if piece.kind == "token" else piece.text for piece in side) == text
        assert not any("\u202e" in piece.text for piece in side)
