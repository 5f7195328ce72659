"""Signs of a source in an answer."""

import pytest

from fieldwise.kernels.citations import INDICATORS, cited, cited_v1, signs


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
    assert cited(text, signs()) == words
    assert cited_v1(text, signs()) == substrings


def test_the_indicators_are_those_of_the_answer_metrics() -> None:
    """Answer metrics, source citation: "source:", "table:", "page", "document", "pdf", "according to", "based on", "from"."""
    assert INDICATORS == ("source:", "table:", "page", "document", "pdf", "according to", "based on", "from")
    assert cited_v1(" ".join(INDICATORS), signs()) == list(INDICATORS)


@pytest.mark.parametrize("unit", ["page", "source", "according ", "a", " ", "source*"])
def test_a_megabyte_is_searched(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    assert len(cited(text, signs())) <= 1
