"""Similarity of texts."""

import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels import text_similarity
from fieldwise.kernels.text_similarity import reaches_threshold, text_similarities, text_similarity_grid

ALGORITHMS = ["levenshtein", "jaro_winkler", "token_sort", "token_set"]


texts = st.text(alphabet="ab \u00e9", max_size=5)


law = settings(max_examples=100, deadline=None)


def edits(left: str, right: str) -> int:
    """Levenshtein's distance by its definition."""
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        previous, row = row, [i]
        for j, b in enumerate(right, 1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (a != b)))
    return row[-1]


@given(left=texts, right=texts)
@law
def test_levenshtein_is_one_less_the_edits_per_letter_of_the_longer(left: str, right: str) -> None:
    longer = max(len(left), len(right))
    similarity = 1 - edits(left, right) / longer if longer else 1.0
    assert text_similarities([left], [right], "levenshtein")[0] == pytest.approx(similarity)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(expected=st.lists(texts, max_size=5), actual=st.lists(texts, max_size=5))
@law
def test_a_grid_holds_what_the_pairs_give(algorithm: str, expected: list[str], actual: list[str]) -> None:
    grid = text_similarity_grid(expected, actual, algorithm)
    assert grid.shape == (len(expected), len(actual))
    assert grid.tolist() == [[text_similarities([left], [right], algorithm)[0] for right in actual] for left in expected]
    assert ((grid >= 0) & (grid <= 1)).all()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_repeated_long_texts_score_as_single_ones(algorithm: str) -> None:
    expected, actual = ["lorem ipsum " * 20, "dolor sit " * 20] * 3, ["ipsum lorem " * 20, "dolor sat " * 20] * 3
    single = [text_similarities([left], [right], algorithm)[0] for left, right in zip(expected, actual, strict=True)]
    assert text_similarities(expected, actual, algorithm).tolist() == single


def test_a_threshold_of_0_lets_everything_pass_that_was_compared() -> None:
    assert reaches_threshold(np.array([0.0, 1.0, -1.0]), 0.0).tolist() == [True, True, False]


def test_long_texts_are_compared_in_blocks_in_bounded_time() -> None:
    rng = random.Random(7)
    text = "".join(rng.choice("abcdefgh ") for _ in range(1_000_000))
    unrelated = "".join(rng.choice("abcdefgh ") for _ in range(1_000_000))
    edited = text[:300_000] + "X" + text[300_001:700_000] + text[700_003:]
    for algorithm in ("levenshtein", "token_sort"):
        started = time.perf_counter()
        same, close, far = text_similarities([text] * 3, [text, edited, unrelated], algorithm)
        assert time.perf_counter() - started < 20
        assert same == 1.0
        assert 0.99 < close < 1.0
        assert 0.0 <= far < 0.9


@pytest.mark.parametrize("algorithm", ["levenshtein", "token_sort"])
def test_blocks_give_a_lower_bound_that_is_exact_for_a_change_in_one_place(algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    pairs = []
    for _ in range(60):
        text = "".join(rng.choice("ab c") for _ in range(rng.randrange(40, 120)))
        at = rng.randrange(30)
        pairs.append((text, text[:at] + rng.choice(["", "x", "yyyy"]) + text[at + rng.randrange(4) :]))
    expected, actual = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    exact = text_similarities(expected, actual, algorithm)
    monkeypatch.setattr(text_similarity, "MAX_EXACT_CELLS", 100)
    monkeypatch.setattr(text_similarity, "_CELLS_PER_CALL", 100)
    monkeypatch.setattr(text_similarity, "BLOCK_LENGTH", 8)
    bounds = text_similarities(expected, actual, algorithm)
    assert (bounds <= exact + 1e-12).all()
    if algorithm == "levenshtein":
        np.testing.assert_allclose(bounds, exact)


def test_splitting_a_batch_into_calls_changes_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(5)
    texts = ["".join(rng.choice("abc ") for _ in range(rng.randrange(40))) for _ in range(50)]
    for algorithm in ("levenshtein", "jaro_winkler", "token_sort", "token_set"):
        whole, grid = text_similarities(texts, texts[::-1], algorithm), text_similarity_grid(texts[:9], texts[9:], algorithm)
        with monkeypatch.context() as patched:
            patched.setattr(text_similarity, "_CELLS_PER_CALL", 500)
            np.testing.assert_array_equal(text_similarities(texts, texts[::-1], algorithm), whole)
            np.testing.assert_array_equal(text_similarity_grid(texts[:9], texts[9:], algorithm), grid)
