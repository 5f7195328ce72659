"""Signs of a source in an answer."""

import pytest

from fieldwise.kernels.answer_text import CITATION_INDICATORS, compile_indicators, find_indicators, find_indicators_v1


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
def test_a_megabyte_is_searched(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    assert len(find_indicators(text, compile_indicators())) <= 1
