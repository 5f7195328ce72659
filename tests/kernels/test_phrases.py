"""Phrases among the tokens of many texts: what the pattern finds line by line."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.tokens import CODE_SHAPE, PHRASE_SHAPES, find_phrases


def line_by_line(lines: list[str], *, codes_only: bool = False) -> list[tuple[int, int]]:
    found, start = list[tuple[int, int]](), 0
    for line in lines:
        spans = [] if codes_only else [one.span() for one in PHRASE_SHAPES.finditer(line)]
        spans += [one.span() for one in CODE_SHAPE.finditer(line)]
        found += [(start + begin, end - begin) for begin, end in sorted(spans)]
        start += len(line)
    return found


def at_once(lines: list[str], every: bool | None) -> list[tuple[int, int]]:
    letters = np.frombuffer("".join(lines).encode(), dtype=np.uint8)
    edges = np.unique(np.cumsum([len(line) for line in lines[:-1]], dtype=np.int64))
    starts, lengths = find_phrases(letters, edges, every=None if every is None else np.full(len(letters), every))
    return list(zip(starts.tolist(), lengths.tolist(), strict=True))


lines = st.lists(st.text(st.sampled_from("AAAACBDac11110..d"), max_size=16), max_size=5)


@settings(max_examples=300, deadline=None)
@given(lines)
def test_phrases_are_what_the_pattern_finds_in_each_line(some: list[str]) -> None:
    assert at_once(some, None) == at_once(some, every=True) == line_by_line(some)
    assert at_once(some, every=False) == line_by_line(some, codes_only=True)


def test_a_long_run_of_capitals_is_cut_as_the_pattern_cuts_it() -> None:
    assert at_once(["A" * 13], None) == line_by_line(["A" * 13]) == [(0, 6), (6, 6)]
    assert at_once(["11A1"], None) == [(2, 2)]
