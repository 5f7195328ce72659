"""Ids of words, numbers and phrases, and the search for sequences of parts."""

from typing import get_args

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.keyword_index import KeywordIds, SequenceIndex
from fieldwise.kernels.keywords import KeywordReader
from fieldwise.kernels.numbers_in_text import NumberLocale
from fieldwise.kernels.tokens import TokenIds

small = st.lists(st.integers(1, 4), min_size=1, max_size=4)


@settings(max_examples=100, deadline=None)
@given(st.lists(small, min_size=1, max_size=5, unique_by=tuple), st.lists(st.integers(0, 5), max_size=12))
def test_sequences_are_found_wherever_they_occur(sequences: list[list[int]], parts: list[int]) -> None:
    index, stream = SequenceIndex(), [*parts, 0]
    for name, sequence in enumerate(sequences, start=1):
        index.add(sequence, name)
    occurrences = {
        (start, name)
        for name, sequence in enumerate(sequences, start=1)
        for start in range(len(stream) - len(sequence) + 1)
        if stream[start : start + len(sequence)] == sequence
    }
    matches = index.search(np.array(stream, dtype=np.int64))
    assert {pair for start, name in matches for pair in zip(start.tolist(), name.tolist(), strict=True)} == occurrences


TOKENS = (
    *("Territory", "118", "C-1", "c-01", "0.305%", "-0.133", "$750,000.00", "(3.2)", "**Rule**", "York.", "rate", "on,", "保费是604元"),
    *(
        "Prämie",
        "1.234,56",
        "٦٠٤",
        "e\u0301",
        "Ⓐ",
        "\ud800",
        "İstanbul",
        "보험료",
        "10–20",
        "1.2.3",
        ".5",
        "-$5",
        "1'234.5",
        "A4-B5",
        "Ａ",
        "ﬁ",
    ),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(TOKENS), min_size=1, max_size=8), st.sampled_from(get_args(NumberLocale)))
def test_many_tokens_have_the_words_and_numbers_that_each_has_alone(tokens: list[str], locale: NumberLocale) -> None:
    reader, token_ids = KeywordReader(locale), TokenIds()
    keyword_ids = KeywordIds(reader, token_ids)
    for subset in (tokens, [token for token in tokens if token.isascii()]):
        atoms, counts = keyword_ids.expected_atoms(np.array([token_ids[token] for token in subset], dtype=np.int64))
        ends = np.cumsum(counts).tolist()
        by_token = [[keyword_ids.texts[atom] for atom in atoms[start:end]] for start, end in zip([0, *ends], ends, strict=False)]
        assert by_token == [list(reader.expected_atoms(token)) for token in subset]
        for token in subset:
            _, keywords = keyword_ids.answer_keywords(token_ids.tokenize([token]))
            assert {keyword_ids.texts[keyword] for keyword in keywords if keyword} == set(reader.answer_atoms(token))
