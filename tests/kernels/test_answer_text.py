"""Sentences, list items and citations of answers."""

import pytest

from fieldwise.kernels.answer_text import (
    CITATION_INDICATORS,
    compile_indicators,
    find_indicators,
    find_indicators_v1,
    find_list_items,
    find_list_items_v1,
    has_negation,
    split_sentences,
)


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


@pytest.mark.parametrize("unit", ["a", "a. ", ".", "no. ", "\n", "* ", "'", "。"])
def test_a_quarter_of_a_megabyte_is_split(unit: str) -> None:
    text = unit * (250_000 // len(unit))
    assert sum(map(len, split_sentences(text))) <= len(text)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("* Alpha\n* Beta", ["Alpha", "Beta"]),
        ("- Alpha\n  + Beta\n• Gamma", ["Alpha", "Beta", "Gamma"]),
        ("1. Alpha\n2) Beta\n(c) Gamma", ["Alpha", "Beta", "Gamma"]),
        ("* **Alpha**.\n* `Alpha`", ["Alpha"]),
        ("* Rule C-1: Eligibility", ["Rule C-1: Eligibility"]),
        ("Rules C-1, C-2 and c3 apply", ["Rule C-1", "Rule C-2", "Rule C3"]),
        ("* Rules C-1 and C-2", ["Rule C-1", "Rule C-2"]),
        ("*not a bullet* and -5 degrees", []),
        ("rule c-1x2", []),
        ("", []),
    ],
)
def test_items_are_bullets_and_codes(text: str, labels: list[str]) -> None:
    assert [item.label for item in find_list_items(text)] == labels


def test_a_code_is_the_same_with_and_without_a_hyphen() -> None:
    assert find_list_items("Rule C-1")[0].keys == find_list_items("rule c1")[0].keys


def test_a_name_before_a_colon_or_a_dash_is_a_key() -> None:
    assert find_list_items("* Driver Discount: 5%")[0].keys == ("driver discount: 5%", "driver discount")
    assert find_list_items("* Driver Discount - 5%")[0].keys[-1] == "driver discount"


def test_the_first_framework_takes_stars_verbatim_and_codes_besides() -> None:
    """EF_1, calculation: markdown list format `* Rule Name`, also "Rule C-X" patterns."""
    assert [item.label for item in find_list_items_v1("* Rule C-1 Rates \n* Other\n- no")] == ["Rule C-1 Rates", "Other", "rule c-1"]


@pytest.mark.parametrize(
    ("text", "words", "substrings"),
    [
        ("Source: the manual", ["source:"], ["source:"]),
        ("SOURCES : a, b", ["source:"], []),
        ("**Table**: 3", ["table:"], []),
        ("on pages 3 and 4", ["page"], ["page"]),
        ("the homepage documented it", [], ["page", "document"]),
        ("see manual.pdf", ["pdf"], ["pdf"]),
        ("according\n to the filing", ["according to"], []),
        ("Based on this, from that", ["based on", "from"], ["based on", "from"]),
        ("the source says so", [], []),
        ("", [], []),
    ],
)
def test_indicators_count_as_words_or_as_substrings(text: str, words: list[str], substrings: list[str]) -> None:
    assert find_indicators(text, compile_indicators()) == words
    assert find_indicators_v1(text, compile_indicators()) == substrings


def test_the_indicators_are_those_of_the_answer_metrics() -> None:
    """Answer metrics, source citation: "source:", "table:", "page", "document", "pdf", "according to", "based on", "from"."""
    assert CITATION_INDICATORS == ("source:", "table:", "page", "document", "pdf", "according to", "based on", "from")
    assert find_indicators_v1(" ".join(CITATION_INDICATORS), compile_indicators()) == list(CITATION_INDICATORS)


@pytest.mark.parametrize("unit", ["page", "source", "according ", "a", " ", "source*"])
def test_a_quarter_of_a_megabyte_is_searched(unit: str) -> None:
    text = unit * (250_000 // len(unit))
    assert len(find_indicators(text, compile_indicators())) <= 1


def test_the_header_and_the_rule_of_a_table_are_no_items() -> None:
    from fieldwise.kernels.answer_text import find_list_items

    items = find_list_items("| Discount | Rate |\n| --- | --- |\n| Loyal Customer | 5 |\n| Second Car | 3 |")
    assert [item.label for item in items] == ["Loyal Customer 5", "Second Car 3"]
