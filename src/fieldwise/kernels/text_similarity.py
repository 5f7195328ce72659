"""Similarity of texts in [0, 1], in batches at C speed.

The work is bounded and can be interrupted: no call of the library takes longer than about half a second. Pairs with more than
`MAX_EXACT_CELLS` cells (the product of their lengths) are compared in blocks by `levenshtein` and `token_sort`, which gives a lower bound
of their similarity, never a higher value; the other algorithms do not compare them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import ulp
from typing import TYPE_CHECKING, Any, Final

from fieldwise.numpy_on_use import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_EXACT_CELLS: Final = 10**10
"""Two texts of 100,000 characters: 0.4 s."""
BLOCK_LENGTH: Final = 16_384
"""Length of the blocks in which longer texts are compared."""
_CELLS_PER_CALL: Final = 4 * 10**9
"""Cells that one call of the library may compute, so that Ctrl-C is noticed."""
_IN_BLOCKS: Final = frozenset({"levenshtein", "token_sort"})
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


def exceeds_exact_limit(expected: str, actual: str) -> bool:
    """True for two texts that are too long to be compared as a whole.

    >>> exceeds_exact_limit("a" * 100_001, "b" * 100_000), exceeds_exact_limit("a" * 100_001, "a" * 100_001)
    (True, False)
    """
    return len(expected) * len(actual) > MAX_EXACT_CELLS and expected != actual


def is_compared_in_blocks(algorithm: str) -> bool:
    """True if the algorithm gives a lower bound for texts beyond the limit; others give NaN."""
    return algorithm in _IN_BLOCKS


def _score_pairs(expected: Sequence[str], actual: Sequence[str], algorithm: str) -> NDArray[np.float64]:
    if len(expected) * max(map(len, expected), default=0) * max(map(len, actual), default=0) <= _CELLS_PER_CALL:
        return _score_pairs_at_once(expected, actual, algorithm)
    similarity = np.empty(len(expected))
    start = cells = 0
    for row, (expected_text, actual_text) in enumerate(zip(expected, actual, strict=True)):
        pair_cells = len(expected_text) * len(actual_text)
        if row > start and cells + pair_cells > _CELLS_PER_CALL:
            similarity[start:row] = _score_pairs_at_once(expected[start:row], actual[start:row], algorithm)
            start, cells = row, 0
        if exceeds_exact_limit(expected_text, actual_text):
            similarity[row] = _score_long_pair(expected_text, actual_text, algorithm)
            start = row + 1
        else:
            cells += pair_cells
    if start < len(expected):
        similarity[start:] = _score_pairs_at_once(expected[start:], actual[start:], algorithm)
    return similarity


@cache  # RapidFuzz is imported only where texts are compared: it takes 12 ms
def _find_scorer(algorithm: str) -> tuple[Callable[..., float], float]:
    """The scorer of an algorithm and its value for equal texts."""
    from rapidfuzz import fuzz
    from rapidfuzz.distance import JaroWinkler, Levenshtein

    scorers: dict[str, tuple[Callable[..., float], float]] = {
        "levenshtein": (Levenshtein.normalized_similarity, 1.0),
        "jaro_winkler": (JaroWinkler.normalized_similarity, 1.0),
        "token_sort": (fuzz.token_sort_ratio, 100.0),
        "token_set": (fuzz.token_set_ratio, 100.0),
    }
    return scorers[algorithm]


def _score_long_pair(expected: str, actual: str, algorithm: str) -> float:
    """A lower bound of the similarity of two long texts: their edits block by block, after what they begin and end with alike."""
    if algorithm not in _IN_BLOCKS:
        return float("nan")
    from rapidfuzz.distance import Indel, Levenshtein

    distance: Callable[..., int] = Levenshtein.distance
    length = max(len(expected), len(actual))
    if algorithm == "token_sort":
        expected, actual = (" ".join(sorted(text.split())) for text in (expected, actual))
        distance, length = Indel.distance, len(expected) + len(actual)
    start = _common_prefix(expected, actual)
    expected, actual = expected[start:], actual[start:]
    end = _common_prefix(expected[::-1], actual[::-1])
    expected, actual = expected[: len(expected) - end], actual[: len(actual) - end]
    blocks = max(len(expected), len(actual)) // BLOCK_LENGTH + 1
    edits = 0
    for block in range(blocks):
        expected_block = expected[len(expected) * block // blocks : len(expected) * (block + 1) // blocks]
        actual_block = actual[len(actual) * block // blocks : len(actual) * (block + 1) // blocks]
        edits += distance(expected_block, actual_block)
    return 1.0 - edits / length if length else 1.0


def _common_prefix(left: str, right: str) -> int:
    """The number of characters that two texts begin with alike."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _score_pairs_at_once(expected: Sequence[str], actual: Sequence[str], algorithm: str) -> NDArray[np.float64]:
    from rapidfuzz import process

    scorer, score_of_equals = _find_scorer(algorithm)
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
    expected_characters, actual_characters = sum(map(len, expected)), sum(map(len, actual))
    if expected_characters * actual_characters > _CELLS_PER_CALL and len(expected) > 1:
        return np.concatenate([text_similarity_grid([text], actual, algorithm) for text in expected])
    if expected_characters * actual_characters > _CELLS_PER_CALL:
        return text_similarities([*expected] * len(actual), actual, algorithm).reshape(len(expected), len(actual))
    from rapidfuzz import process

    scorer, score_of_equals = _find_scorer(algorithm)
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
