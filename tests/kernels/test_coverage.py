"""Keyword coverage of many answers at once: the same as one by one, to the last keyword."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels import coverage as module
from fieldwise.kernels import tokens
from fieldwise.kernels.answer_text import compile_indicators, find_indicators
from fieldwise.kernels.coverage import CoverageReader, get_coverage_reader
from fieldwise.kernels.keywords import KeywordReader
from fieldwise.kernels.numbers_in_text import NumberLocale
from fieldwise.kernels.tokens import TEXT_END

PIECES = (
    *("Territory", "118", "117", "Rule", "C-1", "c-01", "C1", "0.305%", "-0.133", "$750,000.00", "750000", "(3.2)", "(36)", "**Rule**"),
    *("Limits", "of", "Liability", "New", "York.", "rate", "According", "to", "based", "on,", "Source", ":", "source:", "pages"),
    *("homepage", "保费是604元", "Prämie", "1.234,56", "1\xa0234,56", "1 234,56", "القسط", "٦٠٤", "é", "e\u0301", "Ⓐ", "Ⓑ"),
    *("\ud800", TEXT_END, "\x00", "\x1a", "😀", "👍🏽", "İstanbul", "STRASSE", "Straße", "보험료", "प्रीमियम", "“Quoted", "Name”", "10–20"),
    *("12,34,567", "1.2.3", ".5", "-$5", "$-5", "a.5", "1,2,3", "5-6", "007", "1'234.5", "A4-B5", "THE", "Eightcha", "Ninechars", "x" * 16),
    *("Seventeen-letters", "Z" * 17, "U.S.", "a-b-c-d", "\x1f", "according", "Based", "**Source**:"),
)


SPACES = (" ", " ", " ", "  ", "\n", "\t", "\x1c", "\x85", "\u2028", "", " | ")


texts = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(SPACES)), max_size=9).map(lambda parts: "".join(map("".join, parts)))


ascii_texts = st.lists(
    st.tuples(*(st.sampled_from([piece for piece in pieces if piece.isascii()]) for pieces in (PIECES, SPACES))), max_size=12
).map(lambda parts: "".join(map("".join, parts)))


either = st.one_of(texts, ascii_texts)


def one_by_one(expected: str, actual: str, locale: NumberLocale) -> tuple[object, ...]:
    keyword_reader = KeywordReader(locale)
    keywords, answer = keyword_reader.read_expected(expected), keyword_reader.read_answer(actual)
    missing = keyword_reader.find_missing(keywords, answer)
    numbers = [number for number in keywords.numbers if number not in answer.atoms]
    return (
        len(keywords),
        len(keywords.numbers),
        keywords.word_count,
        answer.word_count,
        missing,
        numbers,
        find_indicators(actual, compile_indicators()),
    )


def at_once(expected: Sequence[str], actual: Sequence[str], reader: CoverageReader) -> list[tuple[object, ...]]:
    coverage = reader.measure(expected, actual)
    rows: list[tuple[object, ...]] = []
    for row in range(len(expected)):
        missing = coverage.missing[coverage.offsets[row] : coverage.offsets[row + 1]]
        names = [coverage.keyword_texts[code] for code in missing]
        numbers = [coverage.keyword_texts[code] for code in missing if coverage.is_number[code]]
        counts = (
            coverage.keyword_counts[row],
            coverage.number_counts[row],
            coverage.expected_word_counts[row],
            coverage.actual_word_counts[row],
        )
        rows.append(
            (*counts, names, numbers, [sign[0] for at, sign in enumerate(compile_indicators()) if coverage.indicator_bits[row] >> at & 1])
        )
    return rows


@settings(max_examples=250, deadline=None)
@given(
    st.lists(st.tuples(either, either), max_size=6) | st.lists(st.tuples(ascii_texts, ascii_texts), max_size=8),
    st.sampled_from(get_args(NumberLocale)),
)
def test_a_batch_says_what_its_rows_say_one_by_one(pairs: list[tuple[str, str]], locale: NumberLocale) -> None:
    expected, actual = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    reader = CoverageReader(locale, compile_indicators())
    assert at_once(expected, actual, reader) == [one_by_one(*pair, locale) for pair in pairs]
    assert at_once(actual, expected, reader) == [one_by_one(*pair[::-1], locale) for pair in pairs], "what it remembers changes nothing"


@settings(max_examples=120, deadline=None)
@given(ascii_texts, st.lists(st.sampled_from((str.upper, str.lower, str.title, lambda text: text.replace(" ", "  "))), max_size=2))
def test_plain_texts_that_differ_in_case_and_spaces_lack_no_keyword_of_each_other(text: str, changes: list[Callable[[str], str]]) -> None:
    """What `answer_quality` relies on where it looks for exact matches."""
    changed = text
    for change in changes:
        changed = change(changed)
    coverage = CoverageReader().measure([text], [changed])
    assert len(coverage.missing) == 0 or not coverage.all_plain


def test_every_pair_of_many_texts_agrees_in_portions_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    texts_of_pairs = [
        "Territory 118 rises 0.305%",
        "territory 117",
        "Rule C-1, according  to page 3",
        "",
        "Rule C-12\nTerritory 118",
        "(3.2)",
        "According to\nRule C-1",
    ]
    pairs = list(product(texts_of_pairs, texts_of_pairs))
    expected, actual = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    one_at_a_time = [one_by_one(*pair, "en") for pair in pairs]
    for rows, characters in ((4096, 500_000), (1, 500_000), (3, 500_000), (4096, 7)):
        monkeypatch.setattr(tokens, "_CHUNK_TEXTS", rows)
        monkeypatch.setattr(tokens, "_CHUNK_CHARACTERS", characters)
        assert at_once(expected, actual, CoverageReader("en", compile_indicators())) == one_at_a_time


def test_no_answers_are_no_rows() -> None:
    assert at_once([], [], CoverageReader("en", compile_indicators())) == []


def test_a_phrase_does_not_reach_from_one_answer_into_the_next() -> None:
    coverage = CoverageReader().measure(["Territory 118", "Territory 118"], ["in Territory", "118 is it"])
    assert [coverage.keyword_texts[code] for code in coverage.missing] == ["territory 118", "118", "territory 118", "territory"]


def test_a_token_between_parts_a_phrase_and_markup_does_not() -> None:
    coverage = CoverageReader().measure(["Territory 118", "Territory 118"], ["Territory no 118", "Territory ** | 118"])
    assert [coverage.keyword_texts[code] for code in coverage.missing] == ["territory 118"]


def test_capitals_that_cannot_be_looked_up_are_no_keywords() -> None:
    assert KeywordReader().read_expected("see Ⓐ Ⓑ").phrases == ()


def test_a_full_reader_gives_way_to_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    first = get_coverage_reader("ch", compile_indicators())
    assert get_coverage_reader("ch", compile_indicators()) is first
    first.measure(["texts_of_pairs words here"], ["other words there"])
    monkeypatch.setattr(module, "_MAX_CACHED_IDS", 2)
    assert get_coverage_reader("ch", compile_indicators()) is not first


def test_a_megabyte_of_different_names_is_read() -> None:
    names = " and ".join(f"Name {number}" for number in range(60_000))
    coverage = CoverageReader().measure([names], [names.replace("Name", "Other")])
    assert (coverage.keyword_counts.tolist(), len(coverage.missing)) == ([120_001], 60_001)
