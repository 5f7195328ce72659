"""Undoes the assignment of list items that have too little in common, so that they are missing and extra items instead."""

from operator import eq
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from fieldwise.dataclass import dataclass
from fieldwise.kernels.numbers import align_digits, to_number
from fieldwise.kernels.ragged import Integers
from fieldwise.model.accepted_values import accepted_values
from fieldwise.model.rule import Match
from fieldwise.model.values import MISSING
from fieldwise.score.item_features import ItemBatch, ItemColumns, hashable_key, shares_of_common_items
from fieldwise.score.matching import pair_similarities

DEFAULT_THRESHOLD: Final = 0.85
"""Threshold of matches whose options are not written."""
EXACT_MATCHES: Final = frozenset(("exact", "exact_text"))
_MAX_DIGIT_SHARE: Final = 0.3
_MIN_DIGITS: Final = 4
"""Shorter numbers that share digits are simply different numbers."""
_MIN_PAIRS_TO_SIFT: Final = 500
"""Fewer pairs are decided faster without a search for those that are doubtful."""
_ROUNDING: Final = 1e-6
"""Similarities that are this much below the limit are still at it."""


def separate_unlike_items(items: ItemBatch, counterparts: Integers, assigned_rows: Integers, at_least: float) -> None:
    """Undo the assignment of the expected items in these rows that are less similar to their counterparts than `at_least`."""
    assigned = _AssignedPairs(items.expected.list_of[assigned_rows], assigned_rows, counterparts[assigned_rows])
    equal = _compare_keys(items, assigned)
    if len(assigned_rows) > _MIN_PAIRS_TO_SIFT:
        doubtful = _find_doubtful(items, assigned, equal, at_least)
        assigned, equal = assigned.take(doubtful), equal[doubtful]
    weights = _variation_weights(items, assigned)
    undecided = np.flatnonzero((weights * equal).sum(axis=1) < at_least * weights.sum(axis=1))
    if not len(undecided):
        return
    candidates = assigned.take(undecided)
    similarities = _item_similarities(items, candidates, weights[undecided])
    counterparts[candidates.expected_rows[similarities < at_least - _ROUNDING]] = -1


@dataclass(frozen=True, slots=True)
class _AssignedPairs:
    """Pairs of items that are not equal, of all lists of a batch."""

    list_rows: Integers
    """Index of the list in the batch, ascending."""
    expected_rows: Integers
    """Rows of the item columns."""
    actual_rows: Integers

    def take(self, positions: Integers) -> "_AssignedPairs":
        """Some of the pairs."""
        return _AssignedPairs(self.list_rows[positions], self.expected_rows[positions], self.actual_rows[positions])


def _compare_keys(items: ItemBatch, assigned: _AssignedPairs) -> NDArray[np.bool_]:
    """True where the values of a pair are equal: bool[pairs, features]."""
    expected_rows, actual_rows = assigned.expected_rows.tolist(), assigned.actual_rows.tolist()
    equal = np.empty((len(expected_rows), len(items.features)), dtype=np.bool_)
    for position, (expected_keys, actual_keys) in enumerate(zip(items.expected.key_columns, items.actual.key_columns, strict=True)):
        left_keys, right_keys = map(expected_keys.__getitem__, expected_rows), map(actual_keys.__getitem__, actual_rows)
        equal[:, position] = [*map(eq, left_keys, right_keys)]
    return equal


def _find_doubtful(items: ItemBatch, assigned: _AssignedPairs, equal: NDArray[np.bool_], at_least: float) -> Integers:
    """The positions of the pairs for which the first equal features, whatever the others, are not enough to stay together.

    Most pairs need the variation of one or two features, and counting the distinct values of a list takes long.
    """
    weights = np.array([feature.weight for feature in items.features], dtype=np.float64)
    unequal_weight = (~equal) @ weights  # at most: the variation of a feature is at most 1
    equal_weight = np.zeros(len(equal))
    doubtful = np.arange(len(equal))
    for position, weight in enumerate(weights.tolist()):
        chosen = doubtful[equal[doubtful, position]]
        list_rows, codes = _code_lists(assigned.list_rows[chosen])
        distinct = _count_distinct(items.expected, position, list_rows)
        equal_weight[chosen] += weight * ((distinct - 1) / _count_others(items.expected, list_rows))[codes]
        is_enough = (1 - at_least) * equal_weight[doubtful] >= at_least * unequal_weight[doubtful] + _ROUNDING
        doubtful = doubtful[~is_enough]
        if not len(doubtful):
            break
    return doubtful


def _variation_weights(items: ItemBatch, assigned: _AssignedPairs) -> NDArray[np.float64]:
    """For each assigned pair the weight of each feature: its own, times how much it varies within the list.

    A value that all items of a list share says nothing about two of them.
    """
    list_rows, codes = _code_lists(assigned.list_rows)
    columns = [_count_distinct(items.expected, position, list_rows) for position in range(len(items.features))]
    distinct = np.array(columns, dtype=np.float64).T
    # 0 for a value that all items share, 1 for one that is different in each of them
    variation = (distinct - 1) / _count_others(items.expected, list_rows)[:, None]
    variation[distinct.max(axis=1, initial=0) == 1] = 1.0  # one item, or items that are all equal
    weights = np.array([feature.weight for feature in items.features], dtype=np.float64)
    return (weights * variation)[codes]


def _code_lists(list_rows: Integers) -> tuple[Integers, Integers]:
    """The distinct values of an ascending array, and the position of each value among them."""
    is_new = np.diff(list_rows, prepend=-1) > 0
    return list_rows[is_new], np.cumsum(is_new) - 1


def _count_distinct(items: ItemColumns, position: int, list_rows: Integers) -> NDArray[np.float64]:
    """The number of distinct values of one feature in each list."""
    keys = items.key_columns[position]
    bounds = zip(items.start[list_rows].tolist(), items.start[list_rows + 1].tolist(), strict=True)
    return np.array([len({*keys[start:end]}) for start, end in bounds], dtype=np.float64)


def _count_others(items: ItemColumns, list_rows: Integers) -> Integers:
    """The number of items of each list besides one, at least 1."""
    return np.maximum(items.start[list_rows + 1] - items.start[list_rows] - 1, 1)


def _item_similarities(items: ItemBatch, assigned: _AssignedPairs, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean similarity of assigned items over the features that at least one of them has."""
    total, total_weight = np.zeros(len(weights)), np.zeros(len(weights))
    expected_rows, actual_rows = assigned.expected_rows.tolist(), assigned.actual_rows.tolist()
    for position, feature in enumerate(items.features):
        expected_values = [items.expected.columns[position][row] for row in expected_rows]
        actual_values = [items.actual.columns[position][row] for row in actual_rows]
        if feature.match is None:
            similarities = shares_of_common_items(expected_values, actual_values, feature)
        elif feature.match.name in EXACT_MATCHES:
            similarities = np.array([*map(grade_similarity, expected_values, actual_values)], dtype=np.float64)
        else:
            similarities = _above_chance(pair_similarities(feature.match, expected_values, actual_values, items.services), feature.match)
        weight = np.where([*map(_is_present_on_a_side, expected_values, actual_values)], weights[:, position], 0.0)
        total += weight * similarities
        total_weight += weight
    return np.where(total_weight > 0, total / np.where(total_weight > 0, total_weight, 1.0), 1.0)


def _above_chance(similarities: NDArray[np.float64], match: Match) -> NDArray[np.float64]:
    """Similarities of a graded match on the scale of `grade_similarity`; what passes the match agrees."""
    threshold = getattr(match.options, "threshold", DEFAULT_THRESHOLD)
    return np.where(similarities >= threshold, 1.0, np.maximum(2 * similarities - 1, 0.0))


def _is_present_on_a_side(expected: Any, actual: Any) -> bool:
    return not (expected is None or expected is MISSING) or not (actual is None or actual is MISSING)


def grade_similarity(expected: Any, actual: Any) -> float:
    """How similar two values are that an exact match only finds equal or not: texts and long numbers by edits, objects by their keys.

    Half as similar as possible is what unrelated texts reach by chance, so that counts as 0.

    >>> round(grade_similarity("Ocean freight", "Ocean freigth"), 2), grade_similarity("Zebra", "Customs fee"), grade_similarity(20, 21)
    (0.69, 0.0, 0.0)
    >>> grade_similarity({"a": 1, "b": 2}, {"a": 1, "b": 3}), grade_similarity(2927, 2977), grade_similarity(2927, "2,927")
    (0.5, 0.5, 1.0)
    """
    accepted = accepted_values(expected)
    if accepted is not None:
        return max((grade_similarity(value, actual) for value in accepted), default=0.0)
    if isinstance(expected, dict) and isinstance(actual, dict):
        keys = [*expected, *(key for key in actual if key not in expected)]
        equal = [key for key in keys if key in expected and key in actual and hashable_key(expected[key]) == hashable_key(actual[key])]
        return len(equal) / len(keys) if keys else 1.0
    if hashable_key(expected) == hashable_key(actual):
        return 1.0
    expected_number, actual_number = to_number(expected), to_number(actual)
    if expected_number is not None and actual_number is not None:
        if expected_number == actual_number:
            return 1.0
        expected, actual = align_digits(expected_number, actual_number)
        if min(len(expected), len(actual)) < _MIN_DIGITS:
            return 0.0
    elif not (isinstance(expected, str) and isinstance(actual, str)) or _is_other_code(expected, actual):
        return 0.0
    return max(0.0, 2 * Levenshtein.normalized_similarity(expected.casefold(), actual.casefold(), score_cutoff=0.5) - 1)


def _is_other_code(expected: str, actual: str) -> bool:
    """True for `FY2024 Q2` and `FY2025 Q2`: digits that differ and are a good part of the text make it another one."""
    digits = "".join(filter(str.isdigit, expected))
    return digits != "".join(filter(str.isdigit, actual)) and len(digits) > _MAX_DIGIT_SHARE * len(expected)
