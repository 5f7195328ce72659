"""Similarity of texts in [0, 1], in batches at C speed."""

from collections.abc import Callable, Sequence
from math import ulp
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from rapidfuzz.distance import JaroWinkler, Levenshtein

_SCORERS: Final[dict[str, tuple[Callable[..., float], float]]] = {
    "levenshtein": (Levenshtein.normalized_similarity, 1.0),
    "jaro_winkler": (JaroWinkler.normalized_similarity, 1.0),
    "token_sort": (fuzz.token_sort_ratio, 100.0),
    "token_set": (fuzz.token_set_ratio, 100.0),
}
"""The scorer of each algorithm and its value for equal texts."""
_DEDUPLICATE_FROM_LENGTH = 64
"""Mean length from which scoring a repeated pair costs more than detecting the repetition."""


def text_similarities(expected: Sequence[str], actual: Sequence[str], algorithm: str) -> NDArray[np.float64]:
    """Similarity of each pair of texts; 1 for equal texts, empty ones included.

    >>> text_similarities(["kitten", ""], ["sitting", ""], "levenshtein").round(3).tolist()
    [0.571, 1.0]
    """
    if len(expected) > 1 and sum(map(len, expected)) > _DEDUPLICATE_FROM_LENGTH * len(expected):
        return _score_distinct_pairs(expected, actual, algorithm)
    return _score_pairs(expected, actual, algorithm)


def _score_pairs(expected: Sequence[str], actual: Sequence[str], algorithm: str) -> NDArray[np.float64]:
    scorer, score_of_equals = _SCORERS[algorithm]
    similarity: Any = process.cpdist(expected, actual, scorer=scorer, dtype=np.float64, workers=1)
    if score_of_equals != 1.0:
        similarity /= score_of_equals
    if algorithm == "token_set":  # it scores two texts without a word as different
        for row, (expected_text, actual_text) in enumerate(zip(expected, actual, strict=True)):
            if expected_text == actual_text:
                similarity[row] = 1.0
    return similarity


def _score_distinct_pairs(expected: Sequence[str], actual: Sequence[str], algorithm: str) -> NDArray[np.float64]:
    """Score each distinct pair once: long texts often repeat, such as an address in every line."""
    codes: dict[tuple[str, str], int] = {}
    rows = [codes.setdefault(pair, len(codes)) for pair in zip(expected, actual, strict=True)]
    if len(codes) == len(rows):
        return _score_pairs(expected, actual, algorithm)
    distinct_expected, distinct_actual = [pair[0] for pair in codes], [pair[1] for pair in codes]
    return _score_pairs(distinct_expected, distinct_actual, algorithm)[rows]


def text_similarity_grid(expected: Sequence[str], actual: Sequence[str], algorithm: str) -> NDArray[np.float64]:
    """Similarity of every expected with every actual text, as in `text_similarities`: float64[n, m].

    >>> text_similarity_grid(["ab"], ["ab", "a", "x"], "levenshtein").tolist()
    [[1.0, 0.5, 0.0]]
    """
    scorer, score_of_equals = _SCORERS[algorithm]
    similarity: Any = process.cdist(expected, actual, scorer=scorer, dtype=np.float64, workers=1)
    if score_of_equals != 1.0:
        similarity /= score_of_equals
    if algorithm == "token_set":
        for row, expected_text in enumerate(expected):
            if not expected_text.strip():
                equal_columns = [column for column, actual_text in enumerate(actual) if actual_text == expected_text]
                similarity[row, equal_columns] = 1.0
    return similarity


def reaches_threshold(similarity: NDArray[np.float64], threshold: float) -> NDArray[np.bool_]:
    """Return whether each similarity is at least the threshold, with slack for binary rounding: 1e-9 of it plus 4 ulp.

    >>> reaches_threshold(np.array([0.85, 1 - 0.15, 0.8499]), 0.85).tolist()
    [True, True, False]
    """
    # The ulp of the threshold: slack matters only just below it, where the threshold is the larger number.
    slack = 1e-9 * threshold + 4 * ulp(threshold) if threshold else 0.0
    return similarity >= threshold - slack
