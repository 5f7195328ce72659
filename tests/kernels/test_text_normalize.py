"""Normal forms of text."""

from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.text_normalize import (
    fold_case,
    fold_text,
    keep_digits,
    keep_digits_batch,
    keep_letters_and_digits,
    keep_letters_and_digits_batch,
    split_words,
)

TEXTS = st.one_of(st.text(max_size=8), st.text("aA0é\0 -ﬁßİ", max_size=6))


@settings(max_examples=100, deadline=None)
@given(st.lists(TEXTS, max_size=6))
def test_many_texts_fold_as_one_by_one(texts: list[str]) -> None:
    assert keep_letters_and_digits_batch(texts) == [keep_letters_and_digits(text) for text in texts]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(TEXTS, st.text("0o1li5s8b2zrnmcldvw", max_size=6)).map(keep_letters_and_digits), max_size=6))
def test_digits_of_many_texts_are_kept_as_one_by_one(folded: list[str]) -> None:
    assert keep_digits_batch(folded) == [keep_digits(text) for text in folded]


def test_digits_of_all_scripts_are_digits() -> None:
    assert keep_letters_and_digits("٣２5") == "325"


@settings(max_examples=100, deadline=None)
@given(st.text("aB0_- \t.'é", max_size=8))
def test_words_together_are_the_letters(text: str) -> None:
    assert "".join(split_words(text)) == keep_letters_and_digits(text)


@given(text=st.text(max_size=6))
@settings(max_examples=100, deadline=None)
def test_folding_twice_folds_no_further(text: str) -> None:
    assert fold_text(fold_text(text)) == fold_text(text)


def test_folding_is_the_same_for_composed_and_decomposed_text() -> None:
    assert fold_case("CAF\u00c9") == fold_case("cafe\u0301")
    assert fold_text(" \u00c5 ") == fold_text("\u212b")
