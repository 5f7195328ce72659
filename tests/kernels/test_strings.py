"""How alike texts are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.kernels.text_normalize import fold_case, fold_text
from fieldwise.kernels.text_similarity import reaches_threshold, text_similarities, text_similarity_grid

ALGORITHMS = ["levenshtein", "jaro_winkler", "token_sort", "token_set"]
texts = st.text(alphabet="ab \u00e9", max_size=5)
law = settings(max_examples=100, deadline=None)


def edits(one: str, other: str) -> int:
    """Levenshtein's distance by its definition."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        previous, row = row, [i]
        for j, b in enumerate(other, 1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (a != b)))
    return row[-1]


@given(one=texts, other=texts)
@law
def test_levenshtein_is_one_less_the_edits_per_letter_of_the_longer(one: str, other: str) -> None:
    longer = max(len(one), len(other))
    wanted = 1 - edits(one, other) / longer if longer else 1.0
    assert text_similarities([one], [other], "levenshtein")[0] == pytest.approx(wanted)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(expected=st.lists(texts, max_size=5), actual=st.lists(texts, max_size=5))
@law
def test_a_grid_holds_what_the_pairs_give(algorithm: str, expected: list[str], actual: list[str]) -> None:
    found = text_similarity_grid(expected, actual, algorithm)
    assert found.shape == (len(expected), len(actual))
    assert found.tolist() == [[text_similarities([one], [other], algorithm)[0] for other in actual] for one in expected]
    assert ((found >= 0) & (found <= 1)).all()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_repeated_long_texts_score_as_single_ones(algorithm: str) -> None:
    expected, actual = ["lorem ipsum " * 20, "dolor sit " * 20] * 3, ["ipsum lorem " * 20, "dolor sat " * 20] * 3
    single = [text_similarities([one], [other], algorithm)[0] for one, other in zip(expected, actual, strict=True)]
    assert text_similarities(expected, actual, algorithm).tolist() == single


@given(text=st.text(max_size=6))
@law
def test_folding_twice_folds_no_further(text: str) -> None:
    assert fold_text(fold_text(text)) == fold_text(text)


def test_folding_is_the_same_for_composed_and_decomposed_text() -> None:
    assert fold_case("CAF\u00c9") == fold_case("cafe\u0301")
    assert fold_text(" \u00c5 ") == fold_text("\u212b")


def test_a_threshold_of_0_lets_everything_pass_that_was_compared() -> None:
    assert reaches_threshold(np.array([0.0, 1.0, -1.0]), 0.0).tolist() == [True, True, False]
