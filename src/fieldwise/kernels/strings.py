"""Text: folding it for comparison, and how alike two texts are, in batches at C speed."""

from collections.abc import Callable, Sequence
from math import ulp
from typing import Any, Final
from unicodedata import normalize

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
"""Each algorithm's scorer and what it calls a perfect match."""
_LONG = 64
"""Mean length from which a repeated pair costs more than finding the repetition."""


def fold(text: str) -> str:
    """The text without letter case and outer whitespace, in composed form.

    >>> fold("  Straße ")
    'strasse'
    """
    return text.lower().strip() if text.isascii() else fold_case(text).strip()


def fold_case(text: str) -> str:
    """The text without letter case, in composed form.

    >>> fold_case("Straße") == fold_case("STRASSE")
    True
    """
    return text.lower() if text.isascii() else normalize("NFC", normalize("NFC", text).casefold())


def similarities(expected: Sequence[str], actual: Sequence[str], algorithm: str) -> NDArray[np.float64]:
    """How alike each pair of texts is, in [0, 1]; equal texts, empty ones too, are 1.

    >>> similarities(["kitten", ""], ["sitting", ""], "levenshtein").round(3).tolist()
    [0.571, 1.0]
    """
    if len(expected) > 1 and sum(map(len, expected)) > _LONG * len(expected):
        return _distinct(expected, actual, algorithm)
    return _pairwise(expected, actual, algorithm)


def _pairwise(expected: Sequence[str], actual: Sequence[str], algorithm: str) -> NDArray[np.float64]:
    scorer, perfect = _SCORERS[algorithm]
    found: Any = process.cpdist(expected, actual, scorer=scorer, dtype=np.float64, workers=1)
    if perfect != 1.0:
        found /= perfect
    if algorithm == "token_set":  # calls two texts without a word different
        for row, (one, other) in enumerate(zip(expected, actual, strict=True)):
            if one == other:
                found[row] = 1.0
    return found


def _distinct(expected: Sequence[str], actual: Sequence[str], algorithm: str) -> NDArray[np.float64]:
    """Long texts often repeat, such as an address in every line: each pair is measured once."""
    codes: dict[tuple[str, str], int] = {}
    rows = [codes.setdefault(pair, len(codes)) for pair in zip(expected, actual, strict=True)]
    if len(codes) == len(rows):
        return _pairwise(expected, actual, algorithm)
    return _pairwise([one for one, _ in codes], [other for _, other in codes], algorithm)[rows]


def similarity_grid(expected: Sequence[str], actual: Sequence[str], algorithm: str) -> NDArray[np.float64]:
    """How alike every expected text is to every actual text, as `similarities` tells.

    >>> similarity_grid(["ab"], ["ab", "a", "x"], "levenshtein").tolist()
    [[1.0, 0.5, 0.0]]
    """
    scorer, perfect = _SCORERS[algorithm]
    found: Any = process.cdist(expected, actual, scorer=scorer, dtype=np.float64, workers=1)
    if perfect != 1.0:
        found /= perfect
    if algorithm == "token_set":
        for row, one in enumerate(expected):
            if not one.strip():
                found[row, [column for column, other in enumerate(actual) if one == other]] = 1.0
    return found


def reaches(similarity: NDArray[np.float64], threshold: float) -> NDArray[np.bool_]:
    """Whether each similarity is at least the threshold, with slack for binary rounding: 1e-9 of it plus 4 ulp.

    >>> reaches(np.array([0.85, 1 - 0.15, 0.8499]), 0.85).tolist()
    [True, True, False]
    """
    slack = 1e-9 * threshold + 4 * ulp(threshold) if threshold else 0.0  # it matters below the threshold, where that is the larger number
    return similarity >= threshold - slack
