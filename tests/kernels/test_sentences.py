"""Sentences, negations and written dates."""

import pytest

from fieldwise.kernels.answer_text import has_negation, split_sentences
from fieldwise.kernels.dates import spell_iso_date


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("The factor is 2.061. Done", ["The factor is 2.061.", "Done"]),
        ("See Mr. Smith, e.g. on p. 5. Then go.", ["See Mr. Smith, e.g. on p. 5.", "Then go."]),
        ("1. First\n2) Second\n- [x] Third", ["First", "Second", "Third"]),
        ("**Bold.** Plain", ["Bold.", "Plain"]),
        ("保费是604元。适用于118区！", ["保费是604元。", "适用于118区！"]),
        ("\n \n", []),
        ("", []),
    ],
)
def test_sentences_end_where_people_end_them(text: str, expected: list[str]) -> None:
    assert split_sentences(text) == expected


@pytest.mark.parametrize(
    ("sentence", "denied"),
    [
        ("It is not covered", True),
        ("It isn't covered", True),
        ("It isn’t covered", True),
        ("Es ist nicht gedeckt", True),
        ("Ce n'est pas couvert", True),
        ("不适用", True),
        ("لا يشمل", True),
        ("No, it is covered", False),
        ("No damage is covered", True),
        ("It is noted", False),
    ],
)
def test_a_negation_is_seen_as_a_word(sentence: str, denied: bool) -> None:
    assert has_negation(sentence) is denied


def test_a_date_is_written_in_many_ways() -> None:
    ways = spell_iso_date("2025-01-31")
    assert {"2025-01-31", "31 January 2025", "Jan 31 2025", "31.01.2025", "01/31/2025", "31/1/2025", "2025年1月31日"} <= set(ways)
    assert spell_iso_date("2025-02-30") == spell_iso_date("soon") == []


@pytest.mark.parametrize("unit", ["a", "a. ", ".", "no. ", "\n", "* ", "'", "。"])
def test_a_megabyte_is_split(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    assert sum(map(len, split_sentences(text))) <= len(text)
