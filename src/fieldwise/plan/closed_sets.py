"""Long texts that repeat: labels of a closed set, or names and addresses that happen to repeat.

Free text varies: most texts occur once, the actual side has texts of its own, or spells the expected ones otherwise.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, cast

from fieldwise import registry
from fieldwise.kernels.text_normalize import alphanumeric_key
from fieldwise.model.rule import Match
from fieldwise.numpy_on_use import np
from fieldwise.plan.column_evidence import ColumnEvidence

_MIN_REPEATED_SHARE: Final = 0.5
"""Share of the distinct expected texts that must occur more than once."""
_MIN_SHARE_INSIDE: Final = 0.5
"""Share of the actual values that must be expected texts."""
_MIN_REPEATS_WITHOUT_ACTUAL: Final = 10
"""Mean number of times that a label occurs, where neither the actual side nor similar labels show that the set is closed."""
_MAX_MISSPELLED_SHARE: Final = 0.1
"""Share of the actual values that may be misspelled labels, where some labels are similar to each other."""


def is_closed_set(evidence: ColumnEvidence, text_match: Match) -> bool:
    """True if the expected texts, all of them in `choices`, are labels that need an exact match.

    `text_match`: the `fuzzy` match that they get as free text. Where it makes two labels equal, a few misspelled labels do not matter.
    """
    expected, actual = evidence.expected, evidence.actual
    labels = list(expected.choices)
    repeated = [text for text, count in expected.choices.items() if count > 1]
    if len(labels) == 1 or len(repeated) < _MIN_REPEATED_SHARE * len(labels):
        return False
    has_similar_labels = _has_different_words(_find_equal_texts(repeated, repeated, text_match))
    if not actual.kinds["string"]:
        return has_similar_labels or len(labels) * _MIN_REPEATS_WITHOUT_ACTUAL <= expected.kinds["string"]
    inside = sum(count for text, count in actual.choices.items() if text in expected.choices)
    if inside < _MIN_SHARE_INSIDE * actual.kinds["string"]:
        return False
    outside = [text for text in actual.choices if text not in expected.choices]
    misspelled = {text for _, text in _find_equal_texts(labels, outside, text_match)}
    if has_similar_labels:
        return sum(actual.choices[text] for text in misspelled) <= _MAX_MISSPELLED_SHARE * actual.kinds["string"]
    has_several_spellings = len({alphanumeric_key(text) for text in labels}) < len(labels)
    return not misspelled and not has_several_spellings


def _has_different_words(pairs: Sequence[tuple[str, str]]) -> bool:
    """True if the texts of a pair differ in more than case, spaces and punctuation."""
    return any(alphanumeric_key(first) != alphanumeric_key(second) for first, second in pairs)


def _find_equal_texts(expected: Sequence[str], actual: Sequence[str], match: Match) -> list[tuple[str, str]]:
    """Pairs of different texts that count as equal under a `fuzzy` match."""
    compute_grid = registry.MATCHERS.find(match.name).grid
    if compute_grid is None or not expected or not actual:
        return []
    passed = compute_grid(expected, actual, replace(cast("Any", match.options), score="binary"))
    pairs = [(expected[row], actual[column]) for row, column in np.argwhere(passed > 0).tolist()]
    return [(first, second) for first, second in pairs if first != second]
