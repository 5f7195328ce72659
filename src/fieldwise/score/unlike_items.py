"""Undoes the assignment of list items that have too little in common, so that they are missing and extra items instead."""

from collections.abc import Sequence
from operator import eq
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from fieldwise.dataclass import dataclass
from fieldwise.kernels.numbers import align_digits, to_number
from fieldwise.model.accepted_values import accepted_values
from fieldwise.model.rule import Match
from fieldwise.model.services import Services
from fieldwise.model.values import MISSING
from fieldwise.score.item_features import Feature, ItemColumns, hashable_key, shares_of_common_items
from fieldwise.score.list_pairing import PartialPairing
from fieldwise.score.matching import pair_similarities

DEFAULT_THRESHOLD: Final = 0.85
"""Threshold of matches whose options are not written."""
EXACT_MATCHES: Final = frozenset(("exact", "exact_text"))
_MAX_DIGIT_SHARE: Final = 0.3
_MIN_DIGITS: Final = 4
"""Shorter numbers that share digits are simply different numbers."""
_ROUNDING: Final = 1e-6
"""Similarities that are this much below the limit are still at it."""


def separate_unlike_items(
    pairings: Sequence[PartialPairing],
    expected: ItemColumns,
    actual: ItemColumns,
    features: Sequence[Feature],
    at_least: float,
    services: Services,
) -> None:
    """Undo the assignment of items that are less similar than `at_least`."""
    assigned = _list_assigned(pairings, expected, actual)
    if not assigned.list_rows:
        return
    weights = _variation_weights(expected, features, assigned)
    undecided = _find_undecided(expected, actual, assigned, weights, at_least)
    if not undecided:
        return
    candidates = assigned.take(undecided)
    similarities = _item_similarities(expected, actual, features, candidates, weights[undecided], services)
    unlike: dict[int, set[tuple[int, int]]] = {}
    for position in np.flatnonzero(similarities < at_least - _ROUNDING).tolist():
        row = candidates.list_rows[position]
        pair = candidates.expected_rows[position] - expected.start[row], candidates.actual_rows[position] - actual.start[row]
        unlike.setdefault(row, set()).add(pair)
    for row, separated in unlike.items():
        pairing = pairings[row]
        pairing.pairs = [pair for pair in pairing.pairs if pair not in separated]
        pairing.unpaired_expected = sorted([*pairing.unpaired_expected, *(left for left, _ in separated)])
        pairing.unpaired_actual = sorted([*pairing.unpaired_actual, *(right for _, right in separated)])


@dataclass(frozen=True, slots=True)
class _AssignedPairs:
    """Pairs of items that are not equal, of all lists of a batch."""

    list_rows: list[int]
    """Index of the list in the batch."""
    expected_rows: list[int]
    """Rows of the item columns."""
    actual_rows: list[int]

    def take(self, positions: Sequence[int]) -> "_AssignedPairs":
        """Some of the pairs."""
        columns = (self.list_rows, self.expected_rows, self.actual_rows)
        return _AssignedPairs(*([column[position] for position in positions] for column in columns))


def _list_assigned(pairings: Sequence[PartialPairing], expected: ItemColumns, actual: ItemColumns) -> _AssignedPairs:
    assigned = _AssignedPairs([], [], [])
    for row, pairing in enumerate(pairings):
        if len(pairing.pairs) == pairing.equal:
            continue
        expected_start, actual_start = expected.start[row], actual.start[row]
        for left, right in pairing.pairs[pairing.equal :]:
            assigned.list_rows.append(row)
            assigned.expected_rows.append(expected_start + left)
            assigned.actual_rows.append(actual_start + right)
    return assigned


def _variation_weights(expected: ItemColumns, features: Sequence[Feature], assigned: _AssignedPairs) -> NDArray[np.float64]:
    """For each assigned pair the weight of each feature: its own, times how much it varies within the list.

    A value that all items of a list share says nothing about two of them.
    """
    lists = dict.fromkeys(assigned.list_rows)
    bounds = [(expected.start[row], expected.start[row + 1]) for row in lists]
    distinct = np.array([_count_distinct(expected, start, end) for start, end in bounds], dtype=np.float64)
    others = np.array([max(end - start - 1, 1) for start, end in bounds], dtype=np.float64)
    # 0 for a value that all items share, 1 for one that is different in each of them
    variation = (distinct - 1) / others[:, None]
    variation[distinct.max(axis=1) == 1] = 1.0  # one item, or items that are all equal
    positions = dict(zip(lists, range(len(lists)), strict=True))
    weights = np.array([feature.weight for feature in features], dtype=np.float64)
    return (weights * variation)[[positions[row] for row in assigned.list_rows]]


def _count_distinct(items: ItemColumns, start: int, end: int) -> list[int]:
    """The number of distinct values of each feature among some items."""
    if len(items.key_columns) == 1:
        return [len({*items.keys[start:end]})]
    return [*map(len, map(set, zip(*items.keys[start:end], strict=True)))]


def _find_undecided(
    expected: ItemColumns, actual: ItemColumns, assigned: _AssignedPairs, weights: NDArray[np.float64], at_least: float
) -> list[int]:
    """The positions of the pairs that are not similar enough by their equal features alone."""
    equal = np.zeros(weights.shape, dtype=np.bool_)
    for position, (expected_keys, actual_keys) in enumerate(zip(expected.key_columns, actual.key_columns, strict=True)):
        left_keys = map(expected_keys.__getitem__, assigned.expected_rows)
        right_keys = map(actual_keys.__getitem__, assigned.actual_rows)
        equal[:, position] = [*map(eq, left_keys, right_keys)]
    return np.flatnonzero((weights * equal).sum(axis=1) < at_least * weights.sum(axis=1)).tolist()


def _item_similarities(
    expected: ItemColumns,
    actual: ItemColumns,
    features: Sequence[Feature],
    assigned: _AssignedPairs,
    weights: NDArray[np.float64],
    services: Services,
) -> NDArray[np.float64]:
    """The mean similarity of assigned items over the features that at least one of them has."""
    total, total_weight = np.zeros(len(weights)), np.zeros(len(weights))
    for position, feature in enumerate(features):
        expected_values = [expected.columns[position][row] for row in assigned.expected_rows]
        actual_values = [actual.columns[position][row] for row in assigned.actual_rows]
        if feature.match is None:
            similarities = shares_of_common_items(expected_values, actual_values, feature)
        elif feature.match.name in EXACT_MATCHES:
            similarities = np.array([*map(grade_similarity, expected_values, actual_values)], dtype=np.float64)
        else:
            similarities = _above_chance(pair_similarities(feature.match, expected_values, actual_values, services), feature.match)
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
