"""Numbers in words."""

import pytest

from fieldwise.kernels.number_words import read_number_words, read_repeated_number, scale_words, starts_with_number_word


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("seven", 7),
        ("Twenty-One", 21),
        ("twenty one", 21),
        ("one hundred", 100),
        ("a hundred and five", 105),
        ("three thousand four hundred and fifty-six", 3456),
        ("one million two hundred thousand", 1_200_000),
        ("two and a half million", 2_500_000),
        ("zwölf", 12),
        ("dos mil", 2000),
        ("trois millions", 3_000_000),
    ],
)
def test_a_number_in_words_is_read(text: str, number: float) -> None:
    assert read_number_words(text) == number


@pytest.mark.parametrize(
    "text", ["", "soon", "and", "five six", "twenty thirty", "one thousand million billion", "two two hundred", "half", "a"]
)
def test_other_words_are_no_number(text: str) -> None:
    assert read_number_words(text) is None


def test_articles_and_halves_are_numbers_before_a_unit_only() -> None:
    assert [read_number_words(text, before_unit=True) for text in ("a", "half an", "une demi", "anderthalb")] == [1, 0.5, 0.5, 1.5]


def test_words_and_digits_of_one_number_are_one_number() -> None:
    assert read_repeated_number("within thirty (30) days") == "within thirty (30) days"  # `within` belongs to no number
    assert read_repeated_number("thirty (30) days") == "30 days"
    assert read_repeated_number("thirty (60) days") == "thirty (60) days"


def test_scale_words_of_many_languages_have_one_table() -> None:
    assert [scale_words()[word] for word in ("k", "mio", "mrd", "lakh", "juta")] == [3, 6, 9, 5, 6]


def test_the_first_word_tells_whether_words_may_be_a_number() -> None:
    assert [starts_with_number_word(text) for text in ("five pounds", "mille euro", "Acme Ltd", "12 EUR")] == [True, True, False, False]
