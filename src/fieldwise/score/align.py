"""List alignment: which item of an actual list is the counterpart of which expected item.

Equal items are paired first, by hash, in linear time. Only the remaining items go into a similarity matrix and an optimal assignment, so
the cost grows with the number of items that differ, not with the square of the list length.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain
from math import inf
from operator import eq
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from fieldwise.kernels.assignment import EXHAUSTIVE_LIMIT, assign_pairs, assign_small
from fieldwise.kernels.numbers import align_digits, to_number
from fieldwise.kernels.values import canonical_json
from fieldwise.model.accepted_values import accepted_values, list_accepted
from fieldwise.model.path import EACH, Step
from fieldwise.model.rule import DEFAULT_AT_LEAST, FieldRule, ListRule, Match
from fieldwise.model.services import NO_SERVICES, Services
from fieldwise.model.values import MISSING, Missing
from fieldwise.score.columns import LISTS, ColumnCache, Misfit, PairedItems, ValueColumn, take_path
from fieldwise.score.matching import pair_similarities, similarity_grid
from fieldwise.score.rule_tree import RuleNode

SMALL_MATRIX = 64
"""Up to this many cells, the matrices of all lists of a batch are scored in one call; a larger matrix is a call of its own."""

Pairing = list[tuple[int, int]]
"""Positions in the expected and the actual list; -1 where an item has no counterpart."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One field of list items by which they are compared, or one list inside them."""

    steps: tuple[Step, ...]
    match: Match | None
    """None for a list inside the item, which is compared by the share of common items."""
    weight: float
    inner: "tuple[Feature, ...]" = ()


@dataclass(frozen=True, slots=True)
class ItemAlignment:
    """How the items of lists are paired."""

    rule: ListRule | None = None
    """None pairs by index."""
    features: tuple[Feature, ...] = ()
    """Used by `align: best` only."""
    services: Services = NO_SERVICES


@dataclass(slots=True)
class ItemColumns:
    """The items of one side of all lists of a batch, concatenated: list r is `start[r]` up to `start[r + 1]`."""

    start: list[int]
    columns: list[ValueColumn]
    """One per feature."""
    keys: Sequence[Any]
    """One hashable per item: equal keys, equal in all features."""


@dataclass(slots=True)
class PartialPairing:
    """The pairs of one list so far, and the positions that are still unpaired."""

    pairs: Pairing
    unpaired_expected: list[int]
    unpaired_actual: list[int]
    equal: int = field(init=False)
    """Number of pairs of equal items; they come first."""

    def __post_init__(self) -> None:
        self.equal = len(self.pairs)

    def add_assigned(self, assigned: Sequence[tuple[int, int]]) -> None:
        """Move assigned items to the pairs. `assigned` holds positions within the two unpaired lists."""
        self.pairs.extend((self.unpaired_expected[left], self.unpaired_actual[right]) for left, right in assigned)
        self.unpaired_expected = _without_positions(self.unpaired_expected, {left for left, _ in assigned})
        self.unpaired_actual = _without_positions(self.unpaired_actual, {right for _, right in assigned})

    def complete(self) -> Pairing:
        """Expected items in their order, paired or not, then the unpaired actual ones."""
        expected_order = sorted([*self.pairs, *((row, -1) for row in self.unpaired_expected)])
        return expected_order + [(-1, row) for row in self.unpaired_actual]


def _without_positions(rows: list[int], positions: set[int]) -> list[int]:
    return [row for position, row in enumerate(rows) if position not in positions]


def features_or_whole_item(node: RuleNode, rules: Sequence[FieldRule]) -> tuple[Feature, ...]:
    """The features that the rules below a list define; the whole item if they define none."""
    return features_from_rules(node, rules) or (Feature((), Match(), 1.0),)


def features_from_rules(node: RuleNode, rules: Sequence[FieldRule]) -> tuple[Feature, ...]:
    """One feature per rule below a list, except ignored fields, and one per inner list."""
    features: list[Feature] = []
    for steps, position in node.rules_outside_lists():
        rule = rules[position]
        if rule.match.name != "ignore":
            features.append(Feature(steps, rule.match, rule.weight))
    for steps, items in node.nearest_lists():
        features.append(Feature(steps, None, 1.0, features_or_whole_item(items, rules)))
    return tuple(features)


def features_of_every_leaf(
    node: RuleNode | None, rules: Sequence[FieldRule], default: Match, lists: tuple[ValueColumn, ValueColumn]
) -> tuple[Feature, ...]:
    """Features where every leaf is compared: those of the rules, then every key of the items that has no rule."""
    item_node = node.each if node else None
    ruled_features: tuple[Feature, ...] = ()
    ruled_keys: set[str] = set()
    if item_node:
        ruled_features = features_from_rules(item_node, rules)
        ruled_keys = {str(step) for step, child in item_node.children.items() if child.has_rules()}
    items = chain.from_iterable(value for value in chain(*lists) if isinstance(value, LISTS))
    keys = {*chain.from_iterable(item for item in items if isinstance(item, dict))} - ruled_keys
    # sorted by name, so that the order does not depend on which cases share a batch
    features = (*ruled_features, *(Feature((key,), default, 1.0) for key in sorted(keys)))
    return features or (Feature((), default, 1.0),)


def pair_by_index(expected: int, actual: int) -> Pairing:
    """Pair the items at equal positions of two lists of these lengths."""
    both = min(expected, actual)
    pairs = [(row, row) for row in range(both)]
    return pairs + [(row, -1) for row in range(both, expected)] + [(-1, row) for row in range(both, actual)]


def pair_by_key(expected: Sequence[Any], actual: Sequence[Any]) -> Pairing:
    """Pair items with equal keys, in order where a key occurs more than once; the others stay unpaired."""
    return pair_equal(expected, actual).complete()


def pair_equal(expected: Sequence[Any], actual: Sequence[Any]) -> PartialPairing:
    """Pair equal keys, those at the same position first.

    >>> pair_equal(["a", "b", "c"], ["b", "a", "x"])
    PartialPairing(pairs=[(0, 1), (1, 0)], unpaired_expected=[2], unpaired_actual=[2], equal=2)
    """
    row_of_key = {key: row for row, key in enumerate(actual)}
    if len(row_of_key) < len(actual):
        return _pair_repeated(expected, actual)
    pairs: Pairing = []
    unpaired_expected: list[int] = []
    for row, key in enumerate(expected):
        counterpart = row_of_key.pop(key, -1)
        if counterpart >= 0:
            pairs.append((row, counterpart))
        else:
            unpaired_expected.append(row)
    if unpaired_expected and len(set(expected)) < len(expected):
        return _pair_repeated(expected, actual)
    return PartialPairing(pairs, unpaired_expected, list(row_of_key.values()))


def _pair_repeated(expected: Sequence[Any], actual: Sequence[Any]) -> PartialPairing:
    """Pair keys of which some occur more than once: first at equal positions, then the others in order."""
    both = min(len(expected), len(actual))
    pairs = [(row, row) for row in range(both) if expected[row] == actual[row]]
    paired_rows = {row for row, _ in pairs}
    rows_of_key: dict[Any, list[int]] = {}
    for row in range(len(actual) - 1, -1, -1):  # backwards, so that pop() gives the first row
        if row not in paired_rows:
            rows_of_key.setdefault(actual[row], []).append(row)
    unpaired_expected: list[int] = []
    for row, key in enumerate(expected):
        if row in paired_rows:
            continue
        candidates = rows_of_key.get(key)
        if candidates:
            pairs.append((row, candidates.pop()))
        else:
            unpaired_expected.append(row)
    return PartialPairing(pairs, unpaired_expected, sorted(chain.from_iterable(rows_of_key.values())))


def build_item_columns(items: ValueColumn, start: list[int], features: Sequence[Feature]) -> ItemColumns:
    """The feature columns and keys of all items; list r is `start[r]` up to `start[r + 1]`."""
    columns = [take_path(items, feature.steps) for feature in features]
    return ItemColumns(start, columns, _hashable_rows(columns))


def _hashable_rows(columns: Sequence[ValueColumn]) -> Sequence[Any]:
    keys = [_hashable_column(column) for column in columns]
    return keys[0] if len(keys) == 1 else list(zip(*keys, strict=True))


_HASHABLE = frozenset((str, int, float, type(None), Missing))
"""Types used as keys directly: Python finds 100 and 100.0 equal, as fieldwise does. Not bool, which Python finds equal to 1."""


def _hashable_column(column: ValueColumn) -> ValueColumn:
    if _HASHABLE.issuperset(map(type, column)):
        return column
    return [value if value.__class__ in _HASHABLE else hashable_key(value) for value in column]


def hashable_key(value: Any) -> Any:
    """A hashable that is equal exactly for values that are the same: `true` is not 1, NaN equals nothing.

    >>> hashable_key([1, "a"]) == hashable_key([1.0, "a"]), hashable_key(True) == hashable_key(1)
    (True, False)
    """
    text = canonical_json(value)
    return object() if text is None else (text,)


def pair_best(
    expected: ItemColumns,
    actual: ItemColumns,
    features: Sequence[Feature],
    services: Services = NO_SERVICES,
    at_least: float = 0.0,
) -> list[Pairing]:
    """For every list of the batch the pairing with the largest total similarity, equal items first.

    Assigned items that are less similar than `at_least` stay unpaired.
    """
    pairings: list[PartialPairing] = []
    small: list[int] = []
    assigning_features = grade_only_feature(features) if at_least > 0 else features
    for row in range(len(expected.start) - 1):
        pairing = pair_equal(
            expected.keys[expected.start[row] : expected.start[row + 1]], actual.keys[actual.start[row] : actual.start[row + 1]]
        )
        pairings.append(pairing)
        cells = len(pairing.unpaired_expected) * len(pairing.unpaired_actual)
        if len(pairing.unpaired_expected) == len(pairing.unpaired_actual) == 1:
            pairing.add_assigned([(0, 0)])
        elif cells > SMALL_MATRIX:
            pairing.add_assigned(assign_pairs(_large_matrix(expected, actual, assigning_features, (row, pairing), services)))
        elif cells:
            small.append(row)
    if small:
        assign_remaining([(row, pairings[row]) for row in small], expected, actual, assigning_features, services)
    if at_least > 0:
        _separate_unlike_items(pairings, expected, actual, features, at_least, services)
    return [pairing.complete() for pairing in pairings]


def grade_only_feature(features: Sequence[Feature]) -> Sequence[Feature]:
    """Where items have one feature and it is compared exactly, compare it by edits: any two different texts are equally far apart else."""
    if len(features) != 1 or features[0].match is None or features[0].match.name not in _EXACT_MATCHES:
        return features
    return (replace(features[0], match=_BY_EDITS),)


def _separate_unlike_items(
    pairings: Sequence[PartialPairing],
    expected: ItemColumns,
    actual: ItemColumns,
    features: Sequence[Feature],
    at_least: float,
    services: Services,
) -> None:
    """Undo the assignment of items that are less similar than `at_least`."""
    assigned = [(row, pair) for row, pairing in enumerate(pairings) for pair in pairing.pairs[pairing.equal :]]
    if not assigned:
        return
    weights = _variation_weights(expected, features, assigned)
    undecided = _find_undecided(expected, actual, assigned, weights, at_least)
    if not undecided:
        return
    candidates = [assigned[position] for position in undecided]
    similarities = _item_similarities(expected, actual, features, candidates, weights[undecided], services)
    unlike = {candidates[position] for position in np.flatnonzero(similarities < at_least - _CLEAR_LEAD).tolist()}
    for row in {row for row, _ in unlike}:
        pairing = pairings[row]
        separated = [pair for pair in pairing.pairs[pairing.equal :] if (row, pair) in unlike]
        pairing.pairs = [pair for pair in pairing.pairs if (row, pair) not in unlike]
        pairing.unpaired_expected = sorted([*pairing.unpaired_expected, *(left for left, _ in separated)])
        pairing.unpaired_actual = sorted([*pairing.unpaired_actual, *(right for _, right in separated)])


_Assigned = tuple[int, tuple[int, int]]
"""Index of a list in the batch, and the positions of two items in it."""


def _variation_weights(expected: ItemColumns, features: Sequence[Feature], assigned: Sequence[_Assigned]) -> NDArray[np.float64]:
    """For each assigned pair the weight of each feature: its own, times how much it varies within the list.

    A value that all items of a list share says nothing about two of them.
    """
    weights_of_list: dict[int, list[float]] = {}
    for row, _ in assigned:
        if row not in weights_of_list:
            start, end = expected.start[row], expected.start[row + 1]
            variation = [_variation(column[start:end]) for column in expected.columns] if end - start > 1 else [1.0] * len(features)
            if not any(variation):
                variation = [1.0] * len(features)
            weights_of_list[row] = [feature.weight * varied for feature, varied in zip(features, variation, strict=True)]
    return np.array([weights_of_list[row] for row, _ in assigned], dtype=np.float64)


def _variation(values: ValueColumn) -> float:
    """0 if two or more values are all the same, 1 if they are all different.

    >>> _variation(["a", "a", "b"]), _variation(["a", "a"])
    (0.5, 0.0)
    """
    return (len(set(_hashable_column(values))) - 1) / (len(values) - 1)


def _find_undecided(
    expected: ItemColumns, actual: ItemColumns, assigned: Sequence[_Assigned], weights: NDArray[np.float64], at_least: float
) -> list[int]:
    """The positions of the pairs that are not similar enough by their equal features alone."""
    expected_rows = [expected.start[row] + left for row, (left, _) in assigned]
    actual_rows = [actual.start[row] + right for row, (_, right) in assigned]
    equal = np.zeros(weights.shape, dtype=np.bool_)
    for position, (expected_column, actual_column) in enumerate(zip(expected.columns, actual.columns, strict=True)):
        expected_values = _hashable_column([expected_column[row] for row in expected_rows])
        actual_values = _hashable_column([actual_column[row] for row in actual_rows])
        equal[:, position] = [*map(eq, expected_values, actual_values)]
    return np.flatnonzero((weights * equal).sum(axis=1) < at_least * weights.sum(axis=1)).tolist()


def _item_similarities(
    expected: ItemColumns,
    actual: ItemColumns,
    features: Sequence[Feature],
    assigned: Sequence[_Assigned],
    weights: NDArray[np.float64],
    services: Services,
) -> NDArray[np.float64]:
    """The mean similarity of assigned items over the features that at least one of them has."""
    expected_rows = [expected.start[row] + left for row, (left, _) in assigned]
    actual_rows = [actual.start[row] + right for row, (_, right) in assigned]
    total, total_weight = np.zeros(len(assigned)), np.zeros(len(assigned))
    for position, feature in enumerate(features):
        expected_values = [expected.columns[position][row] for row in expected_rows]
        actual_values = [actual.columns[position][row] for row in actual_rows]
        if feature.match is None:
            similarities = _shares_of_common_items(expected_values, actual_values, feature)
        elif feature.match.name in _EXACT_MATCHES:
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


DEFAULT_THRESHOLD = 0.85
"""Threshold of matches whose options are not written."""
_MAX_DIGIT_SHARE = 0.3
_MIN_DIGITS = 4
"""Shorter numbers that share digits are simply different numbers."""
_CHEAP_MATCHES = frozenset(("exact", "numeric_tolerance"))
"""Matches that cost next to nothing compared with those that read texts."""
_EXACT_MATCHES = frozenset(("exact", "exact_text"))
_BY_EDITS = Match("fuzzy")
_CLEAR_LEAD = 1e-6
"""Required lead beyond what the other features can add. Well above the bias that decides ties."""

ListRemainder = tuple[int, PartialPairing]
"""Index of a list in the batch, and its pairing so far."""


def assign_remaining(
    remainders: Sequence[ListRemainder],
    expected: ItemColumns,
    actual: ItemColumns,
    features: Sequence[Feature],
    services: Services = NO_SERVICES,
) -> None:
    """Pair the remaining items of many short lists.

    The cheap features decide alone where the others could not change the assignment; the remaining lists use all features.
    """
    cheap = [at for at, feature in enumerate(features) if feature.match is not None and feature.match.name in _CHEAP_MATCHES]
    costly = [at for at in range(len(features)) if at not in cheap]
    lead = sum(features[at].weight for at in costly) + _CLEAR_LEAD
    cheap_totals = _small_matrices(expected, actual, features, cheap, remainders, services)
    undecided: list[ListRemainder] = []
    undecided_totals: list[NDArray[np.float64]] = []
    for (row, pairing), matrix in _split_matrices(remainders, cheap_totals):
        rows, columns = len(pairing.unpaired_expected), len(pairing.unpaired_actual)
        winners = find_clear_winners(matrix.tolist(), rows, columns, lead) if rows <= columns else None
        if winners is None:
            undecided.append((row, pairing))
            undecided_totals.append(matrix)
        else:
            pairing.add_assigned(list(enumerate(winners)))
    if undecided:
        # cheap totals plus costly totals, in this order: a sum in another order could differ in the last bit and break ties differently
        totals = np.concatenate(undecided_totals) + _small_matrices(expected, actual, features, costly, undecided, services)
        for (_, pairing), matrix in _split_matrices(undecided, totals):
            pairing.add_assigned(_assign_small_matrix(matrix, len(pairing.unpaired_expected), len(pairing.unpaired_actual)))


def _split_matrices(remainders: Sequence[ListRemainder], totals: NDArray[np.float64]) -> list[tuple[ListRemainder, NDArray[np.float64]]]:
    """Each remainder with its own flat matrix, out of the matrices of all of them."""
    split: list[tuple[ListRemainder, NDArray[np.float64]]] = []
    start = 0
    for remainder in remainders:
        _, pairing = remainder
        end = start + len(pairing.unpaired_expected) * len(pairing.unpaired_actual)
        split.append((remainder, totals[start:end]))
        start = end
    return split


def find_clear_winners(flat: Sequence[float], rows: int, columns: int, lead: float) -> list[int] | None:
    """For each row of a flat matrix the column that leads all others by more than `lead`, no column twice; None if there is none.

    Then no other assignment has as large a sum, whatever up to `lead` is added to each cell.

    >>> find_clear_winners([2.0, 0.0, 0.0, 3.0], 2, 2, 1.0), find_clear_winners([2.0, 1.5, 0.0, 3.0], 2, 2, 1.0)
    ([0, 1], None)
    """
    winners: list[int] = []
    for start in range(0, rows * columns, columns):
        row = [*flat[start : start + columns], -inf]
        best = max(row)
        winner = row.index(best)
        row[winner] = -inf
        if winner in winners or best - max(row) <= lead:
            return None
        winners.append(winner)
    return winners


def _assign_small_matrix(flat: NDArray[np.float64], rows: int, columns: int) -> Sequence[tuple[int, int]]:
    """Assign by a flat matrix of finite numbers."""
    if max(rows, columns) <= EXHAUSTIVE_LIMIT:
        return assign_small(flat.tolist(), rows, columns)
    return assign_pairs(flat.reshape(rows, columns))


def _small_matrices(
    expected: ItemColumns,
    actual: ItemColumns,
    features: Sequence[Feature],
    chosen: Sequence[int],
    remainders: Sequence[ListRemainder],
    services: Services,
) -> NDArray[np.float64]:
    """The flat matrices of many short lists, one after the other, by the chosen features; each feature is scored in one call."""
    expected_rows: list[int] = []
    actual_rows: list[int] = []
    for row, pairing in remainders:
        for left in pairing.unpaired_expected:
            for right in pairing.unpaired_actual:
                expected_rows.append(expected.start[row] + left)
                actual_rows.append(actual.start[row] + right)
    total = np.zeros(len(expected_rows), dtype=np.float64)
    for position in chosen:
        feature = features[position]
        expected_column, actual_column = expected.columns[position], actual.columns[position]
        expected_values = [expected_column[row] for row in expected_rows]
        actual_values = [actual_column[row] for row in actual_rows]
        if feature.match is None:
            similarities = _shares_of_common_items(expected_values, actual_values, feature)
        else:
            similarities = pair_similarities(feature.match, expected_values, actual_values, services)
        total += feature.weight * similarities
    return total


def _large_matrix(
    expected: ItemColumns, actual: ItemColumns, features: Sequence[Feature], remainder: ListRemainder, services: Services
) -> NDArray[np.float64]:
    """The similarity matrix of the unpaired items of one list."""
    row, pairing = remainder
    total = np.zeros((len(pairing.unpaired_expected), len(pairing.unpaired_actual)), dtype=np.float64)
    expected_rows = [expected.start[row] + at for at in pairing.unpaired_expected]
    actual_rows = [actual.start[row] + at for at in pairing.unpaired_actual]
    for feature, expected_column, actual_column in zip(features, expected.columns, actual.columns, strict=True):
        expected_values = [expected_column[at] for at in expected_rows]
        actual_values = [actual_column[at] for at in actual_rows]
        if feature.match is None:
            similarities = _grid_of_common_items(expected_values, actual_values, feature)
        else:
            similarities = similarity_grid(feature.match, expected_values, actual_values, services)
        total += feature.weight * similarities
    return total


def _count_items(value: Any, feature: Feature) -> Counter[Any]:
    """The items of an inner list with their counts, reduced to the features that rules look at."""
    if not isinstance(value, LISTS) or not value:
        return Counter()
    columns = [take_path(list(value), inner.steps) for inner in feature.inner]
    return Counter(_hashable_rows(columns))


def _shares_of_common_items(expected: ValueColumn, actual: ValueColumn, feature: Feature) -> NDArray[np.float64]:
    """The Dice coefficient of two inner lists, pair by pair."""
    shares: list[float] = []
    for expected_list, actual_list in zip(expected, actual, strict=True):
        expected_counts, actual_counts = _count_items(expected_list, feature), _count_items(actual_list, feature)
        common = (expected_counts & actual_counts).total()
        size = expected_counts.total() + actual_counts.total()
        shares.append(2 * common / size if size else 1.0)
    return np.array(shares, dtype=np.float64)


def _grid_of_common_items(expected: ValueColumn, actual: ValueColumn, feature: Feature) -> NDArray[np.float64]:
    """The Dice coefficient of every two inner lists, by one sparse matrix product."""
    from scipy.sparse import csr_array

    codes: dict[tuple[Any, int], int] = {}

    def incidence(lists: ValueColumn) -> tuple[list[int], list[int], NDArray[np.float64]]:
        rows, columns, sizes = list[int](), list[int](), list[int]()
        for row, value in enumerate(lists):
            counts = _count_items(value, feature)
            sizes.append(counts.total())
            for key, count in counts.items():
                # the n-th occurrence of a key has a code of its own, so that repeated items count as often as they occur
                columns.extend(codes.setdefault((key, nth), len(codes)) for nth in range(count))
                rows.extend([row] * count)
        return rows, columns, np.array(sizes, dtype=np.float64)

    expected_rows, expected_columns, expected_sizes = incidence(expected)
    actual_rows, actual_columns, actual_sizes = incidence(actual)
    width = max(len(codes), 1)
    left = csr_array((np.ones(len(expected_rows)), (expected_rows, expected_columns)), shape=(len(expected), width))
    right = csr_array((np.ones(len(actual_rows)), (actual_rows, actual_columns)), shape=(len(actual), width))
    common = (left @ right.T).toarray()
    sizes = expected_sizes[:, None] + actual_sizes[None, :]
    return np.where(sizes > 0, 2 * common / np.where(sizes > 0, sizes, 1), 1.0)


def pair_items(
    rows: Sequence[int], lists: tuple[ValueColumn, ValueColumn], alignment: ItemAlignment, *, label_by_index: bool = False
) -> PairedItems:
    """The items of the lists in these rows, each with its counterpart.

    If one side has no list, its null, absence or misfit is the counterpart of every item of the other side.
    `label_by_index` labels unmatched actual items by their plain index, as open comparisons do for lists paired by position.
    """
    expected, actual = lists
    both = [row for row in rows if isinstance(expected[row], LISTS) and isinstance(actual[row], LISTS)]
    pairings = _pair_lists([expected[row] for row in both], [actual[row] for row in both], alignment)
    pairing_of_row = dict(zip(both, pairings, strict=True))
    items = PairedItems()
    for row in rows:
        if row in pairing_of_row:
            _add_pairs(items, row, pairing_of_row[row], (expected[row], actual[row]), label_by_index)
        elif isinstance(expected[row], LISTS):
            _add_unmatched_expected(items, row, expected[row], actual[row])
        else:
            _add_unmatched_actual(items, row, expected[row], actual[row], label_by_index)
    return items


def _pair_lists(expected: ValueColumn, actual: ValueColumn, alignment: ItemAlignment) -> list[Pairing]:
    """One pairing per pair of lists."""
    method = alignment.rule.align if alignment.rule else "index"
    if method == "best":
        features = alignment.features
        expected_items = build_item_columns(*_concatenate(expected), features)
        actual_items = build_item_columns(*_concatenate(actual), features)
        at_least = alignment.rule.at_least if alignment.rule else DEFAULT_AT_LEAST
        return pair_best(expected_items, actual_items, features, alignment.services, at_least)
    both = zip(expected, actual, strict=True)
    if method == "index":
        return [pair_by_index(len(left), len(right)) for left, right in both]
    if method == "set":
        return [_pair_values_by_key(list(left), list(right), hashable_key) for left, right in both]
    steps = alignment.rule.key.steps if alignment.rule and alignment.rule.key else ()
    return [_pair_values_by_key(take_path(list(left), steps), take_path(list(right), steps), _item_key) for left, right in both]


def _pair_values_by_key(expected: ValueColumn, actual: ValueColumn, key_of: Callable[[Any], Any]) -> Pairing:
    """Pair by the keys of values; of several accepted values, the first that actual has is the key."""
    actual_keys = [key_of(value) for value in actual]
    expected_keys: list[Any] = []
    for value in expected:
        keys = [key_of(accepted) for accepted in list_accepted(value)] if value.__class__ is dict else [key_of(value)]
        expected_keys.append(next((key for key in keys if key in actual_keys), keys[0] if keys else object()))
    return pair_by_key(expected_keys, actual_keys)


def _item_key(value: Any) -> Any:
    """The key of an item; an item without one equals no other."""
    return object() if value is None or value is MISSING else hashable_key(value)


def _concatenate(lists: ValueColumn) -> tuple[ValueColumn, list[int]]:
    return list(chain.from_iterable(lists)), [0, *accumulate(map(len, lists))]


def _add_pairs(items: PairedItems, row: int, pairing: Pairing, lists: tuple[list[Any], list[Any]], label_by_index: bool) -> None:
    expected, actual = lists
    if len(pairing) == len(expected) == len(actual):  # every item has a counterpart
        items.parent += [row] * len(pairing)
        items.label += [left for left, _ in pairing]
        items.expected += [expected[left] for left, _ in pairing]
        items.actual += [actual[right] for _, right in pairing]
        items.actual_index += [right for _, right in pairing]
        return
    for left, right in pairing:
        if left >= 0 and right >= 0:
            items.add(row, left, expected[left], actual[right], right)
        elif left >= 0:
            items.unmatched_expected.append(len(items.parent))
            items.add(row, left, expected[left], MISSING)
        else:
            items.unmatched_actual.append(len(items.parent))
            items.add(row, right if label_by_index else -1 - right, MISSING, actual[right], right)


def _add_unmatched_expected(items: PairedItems, row: int, expected: list[Any], counterpart: Any) -> None:
    if counterpart is not None and counterpart is not MISSING and not isinstance(counterpart, Misfit):
        counterpart = Misfit(counterpart)
    for index, value in enumerate(expected):
        items.unmatched_expected.append(len(items.parent))
        items.add(row, index, value, counterpart)


def _add_unmatched_actual(items: PairedItems, row: int, counterpart: Any, actual: list[Any], label_by_index: bool) -> None:
    for index, value in enumerate(actual):
        items.unmatched_actual.append(len(items.parent))
        items.add(row, index if label_by_index else -1 - index, None if counterpart is None else MISSING, value, index)


def pair_items_by_rules(
    node: RuleNode,
    lists: tuple[ValueColumn, ValueColumn],
    rules: Sequence[FieldRule],
    cache: ColumnCache,
    services: Services,
    rows: Sequence[int] | None = None,
) -> PairedItems:
    """The items of the lists at a node in these rows (default: all), paired as the rules say."""
    is_best = node.align is not None and node.align.align == "best"
    features = features_or_whole_item(node.children[EACH], rules) if is_best else ()
    all_rows = range(len(lists[0])) if rows is None else rows
    # the services are not part of the cache key: a cache belongs to one batch, which has one `Services`
    method = ("closed", () if rows is None else tuple(rows), node.align, features)
    return cache.paired_items(lists, method, lambda: pair_items(all_rows, lists, ItemAlignment(node.align, features, services)))
