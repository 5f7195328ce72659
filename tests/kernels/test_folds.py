"""Forms of a text in which it may agree with another."""

from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.folds import FIRST_LOOKS, LAST_LOOKS, all_letters, letters, looks

TEXTS = st.one_of(st.text(max_size=8), st.text("aA0é\0 -ﬁßİ", max_size=6))


@settings(max_examples=100, deadline=None)
@given(st.lists(TEXTS, max_size=6))
def test_many_texts_fold_as_one_by_one(texts: list[str]) -> None:
    assert all_letters(texts) == [letters(text) for text in texts]


@settings(max_examples=200, deadline=None)
@given(st.text("0o1li5s8b2zrnmcldvw", min_size=1, max_size=6), st.text("0o1li5s8b2zrnmcldvw", min_size=1, max_size=6))
def test_texts_that_look_alike_agree_in_their_first_and_last_letter(one: str, other: str) -> None:
    if looks(one) == looks(other):
        assert FIRST_LOOKS[one[0]] == FIRST_LOOKS[other[0]]
        assert LAST_LOOKS[one[-1]] == LAST_LOOKS[other[-1]]
    assert looks(one) == looks(one.replace("0", "o"))
