"""Keywords of answers, in two versions and several languages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.keywords import KeywordReader, count_words, extract_digits_v1, extract_keywords_v1
from fieldwise.kernels.numbers_in_text import list_number_values


def missing(expected: str, actual: str) -> list[str]:
    reader = KeywordReader()
    return reader.find_missing(reader.read_expected(expected), reader.read_answer(actual))


def test_capitalised_phrases_keep_their_numbers_and_codes() -> None:
    """Answer metrics: capitalised phrases such as "Territory 118", "Rule C-1"."""
    assert KeywordReader().read_expected("See Territory 118 and Rule C-1.").phrases == ("territory 118", "rule c-1", "c-1")


def test_v1_phrases_have_no_numbers() -> None:
    assert extract_keywords_v1("See Rate Manual for Territory 118") == {"See Rate Manual", "118", "rate", "manual", "territory"}


def test_numbers_percentages_and_amounts_are_keywords() -> None:
    """Answer metrics: numbers and percentages such as "293", "0.305%", "$604"."""
    assert KeywordReader().read_expected("293, 0.305%, $604").numbers == ("293", "0.305", "604")
    assert {"293", "0.305%", "604"} <= extract_keywords_v1("293, 0.305%, $604")


def test_words_have_four_letters_and_are_no_stop_words() -> None:
    """Answer metrics: important words (4+ characters, excluding common stop words)."""
    assert KeywordReader().read_expected("this rate was the one from their plan").atoms == ("rate", "plan")
    assert extract_keywords_v1("this rate was the one from their plan") == {"rate", "their", "plan"}


@pytest.mark.parametrize(
    ("expected", "actual", "lost"),
    [
        ("Territory 118", "TERRITORY 118", []),
        ("Territory 118", "territory **118**", []),
        ("Territory 118", "Territory: 118", []),
        ("GRG 51", "GRG 051", []),
        ("Rule C-1", "rule C1", []),
        ("Territory 118", "Territory 118.5", ["territory 118", "118"]),
        ("Territory 118", "118 is a territory", ["territory 118"]),
        ("Territory 118", "Territory 1180", ["territory 118", "118"]),
        ("Rule C-1", "Rule C-12", ["rule c-1", "c-1"]),
        ("The limit is 750,000", "limit: $750000.00", []),
        ("It rose -0.133%", "It rose 0.133%", ["-0.133"]),
        ("plain words here", "Plain WORDS here", []),
        ("rate", "generate", ["rate"]),
        ("Gebiet Süd", "gebiet süd", []),
        ("café crème", "cafe\u0301 cre\u0300me", []),
    ],
)
def test_what_is_missing_is_named(expected: str, actual: str, lost: list[str]) -> None:
    assert missing(expected, actual) == lost


def test_lines_do_not_run_into_each_other() -> None:
    assert KeywordReader().read_expected("* Territory 118\n* Territory 117").phrases == ("territory 118", "territory 117")


def test_capitals_throughout_are_no_names() -> None:
    assert KeywordReader().read_expected("THE RATE FOR TERRITORY 118 IS HIGH").phrases == ()


def test_german_keywords() -> None:
    keywords = KeywordReader("de").read_expected("Die Prämie für Gebiet 118 beträgt 1.234,56 € laut Tarifhandbuch.")
    assert keywords.phrases == ("gebiet 118",)
    assert keywords.atoms == ("prämie", "gebiet", "118", "beträgt", "1234.56", "laut", "tarifhandbuch")


def test_chinese_keywords_are_pairs_of_characters_less_function_words() -> None:
    assert KeywordReader().read_expected("保险费为604元，适用于118区").atoms == ("保险", "险费", "适用", "604", "118")
    assert missing("保险费为604元", "604元是保险费") == []


def test_arabic_keywords_ignore_vowel_signs_and_read_arabic_digits() -> None:
    assert KeywordReader().read_expected("قيمة القسط ٦٠٤").atoms == ("قيمة", "القسط", "604")
    assert missing("قيمة القسط ٦٠٤", "قِيمَة القِسْط 604") == []


def test_hindi_and_korean_words_stay_whole() -> None:
    assert "प्रीमियम" in KeywordReader().read_expected("कुल प्रीमियम 604").atoms
    assert KeywordReader().read_expected("지역 118 보험료").atoms == ("지역", "118", "보험료")


def test_words_are_counted_by_characters_where_no_spaces_are_written() -> None:
    assert (count_words("The premium is $604"), count_words("保费是604元"), count_words("")) == (4, 5, 0)


def test_many_phrases_are_found_as_few_are() -> None:
    expected = ". ".join(f"Name {number}" for number in range(2_000))
    actual = ". ".join(f"name {number}" for number in range(1_999)) + " named"
    assert missing(expected, actual) == ["name 1999", "1999"]


TEXTS = st.text(alphabet="Aab 1.,-*(\n$%é中ー한ब्", max_size=40)


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_a_text_lacks_nothing_of_itself(text: str) -> None:
    assert missing(text, text) == []


@given(TEXTS)
@settings(max_examples=100, deadline=None)
def test_keyword_numbers_are_the_numbers_of_the_text(text: str) -> None:
    assert set(KeywordReader().read_expected(text).numbers) == set(list_number_values(text, in_codes=False))


@pytest.mark.parametrize("unit", ["A", "a", "A ", "A-", "A1-", "A 1.", "1", "1,", " ", "中", "é", "*", "Aa "])
def test_a_quarter_of_a_megabyte_of_one_thing_is_read(unit: str) -> None:
    text = unit * (250_000 // len(unit))
    assert missing(text, text) == []
    assert len(extract_keywords_v1(text)) <= 5
    assert len(extract_digits_v1(text)) <= 2
