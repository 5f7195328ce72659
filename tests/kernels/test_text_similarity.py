"""Similarity of texts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
