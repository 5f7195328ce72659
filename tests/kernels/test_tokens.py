"""Tokens of many texts, and phrases among them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.tokens import CODE_SHAPE, PHRASE_SHAPES, TEXT_END, TokenIds, find_phrases


def line_by_line(lines: list[str], *, codes_only: bool = False) -> list[tuple[int, int]]:
    phrases, start = list[tuple[int, int]](), 0
    for line in lines:
        spans = [] if codes_only else [match.span() for match in PHRASE_SHAPES.finditer(line)]
        spans += [match.span() for match in CODE_SHAPE.finditer(line)]
        phrases += [(start + begin, end - begin) for begin, end in sorted(spans)]
        start += len(line)
    return phrases


def at_once(lines: list[str], more_than_codes: bool | None) -> list[tuple[int, int]]:
    shapes = np.frombuffer("".join(lines).encode(), dtype=np.uint8)
    edges = np.unique(np.cumsum([len(line) for line in lines[:-1]], dtype=np.int64))
    starts, lengths = find_phrases(
        shapes, edges, more_than_codes=None if more_than_codes is None else np.full(len(shapes), more_than_codes)
    )
    return list(zip(starts.tolist(), lengths.tolist(), strict=True))


lines = st.lists(st.text(st.sampled_from("AAAACBDac11110..d"), max_size=16), max_size=5)


@settings(max_examples=300, deadline=None)
@given(lines)
def test_phrases_are_what_the_pattern_finds_in_each_line(shape_lines: list[str]) -> None:
    assert at_once(shape_lines, None) == at_once(shape_lines, more_than_codes=True) == line_by_line(shape_lines)
    assert at_once(shape_lines, more_than_codes=False) == line_by_line(shape_lines, codes_only=True)


def test_a_long_run_of_capitals_is_cut_as_the_pattern_cuts_it() -> None:
    assert at_once(["A" * 13], None) == line_by_line(["A" * 13]) == [(0, 6), (6, 6)]
    assert at_once(["11A1"], None) == [(2, 2)]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(st.sampled_from("ab \t\n\x0b\x1c\x1f\x00\x08é\u2028"), max_size=20), max_size=6))
def test_tokens_are_what_split_finds(texts: list[str]) -> None:
    token_ids = TokenIds()
    tokenized = token_ids.tokenize(texts)
    words = [token_ids.tokens[token] for token in tokenized.tokens]
    assert words == [word for text in texts for word in (*text.split(), TEXT_END)]
    assert tokenized.ends.tolist() == [position for position, word in enumerate(words) if word == TEXT_END]


def test_a_break_inside_a_text_breaks_nothing() -> None:
    assert len(TokenIds().tokenize([f"a {TEXT_END} b", "c"]).ends) == 2
