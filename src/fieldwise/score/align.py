"""Which item of an actual list is the counterpart of which expected one.

Equal items find each other first, by hashing, at the cost of reading them once. Only what is left goes into a matrix of
similarities and an optimal assignment, so the cost grows with the number of items that differ, not with the square of the list.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.assignment import FEW, assign, assign_few
from fieldwise.kernels.values import canonical
from fieldwise.model.path import Step
from fieldwise.model.rule import FieldRule, Match
from fieldwise.model.values import Missing
from fieldwise.score.columns import LISTS, Column, take_path
from fieldwise.score.matching import similarities, similarity_grid
from fieldwise.score.tree import Node

SMALL = 64
"""Up to this many pairs of left-over items, lists of all cases are scored in one call; a larger matrix is one call of its own."""

Pairing = list[tuple[int, int]]
"""Positions in the expected and the actual list; -1 where an item has no counterpart."""


@dataclass(frozen=True, slots=True)
class Feature:
    """Something that makes items alike: a field of theirs, or what is in a list of theirs."""

    steps: tuple[Step, ...]
    match: Match | None
    """None for a list inside the item: compared by what the two lists share."""
    weight: float
    inner: "tuple[Feature, ...]" = ()


@dataclass(slots=True)
class ItemColumns:
    """The items of all lists of a batch, side by side: list r is `start[r]` up to `start[r + 1]`."""

    items: Column
    start: list[int]
    columns: list[Column]
    keys: Sequence[Any]


def features_of(node: Node, rules: Sequence[FieldRule]) -> tuple[Feature, ...]:
    """What the rules below a list say of its items; the whole item where they say nothing."""
    return rule_features(node, rules) or (Feature((), Match(), 1.0),)


def rule_features(node: Node, rules: Sequence[FieldRule]) -> tuple[Feature, ...]:
    """The features that rules name; what they ignore is none."""
    own = [Feature(steps, rules[rule].match, rules[rule].weight) for steps, rule in node.leaves()]
    inner = [Feature(steps, None, 1.0, features_of(items, rules)) for steps, items in node.lists()]
    return (*(feature for feature in own if feature.match is None or feature.match.name != "ignore"), *inner)


def pair_by_index(expected: int, actual: int) -> Pairing:
    """Each item with the one at its own position."""
    both = min(expected, actual)
    return [(row, row) for row in range(both)] + [(row, -1) for row in range(both, expected)] + [(-1, row) for row in range(both, actual)]


def pair_by_key(expected: Sequence[Any], actual: Sequence[Any]) -> Pairing:
    """Items with equal keys, in order where a key stands more than once; the others stay alone."""
    pairs, left, over = pair_equal(expected, actual)
    return _in_order(pairs, left, over)


def pair_equal(expected: Sequence[Any], actual: Sequence[Any]) -> tuple[Pairing, list[int], list[int]]:
    """Equal keys paired, those at the same position first; then what is left of either side.

    >>> pair_equal(["a", "b", "c"], ["b", "a", "x"])
    ([(0, 1), (1, 0)], [2], [2])
    """
    places = {key: row for row, key in enumerate(actual)}
    if len(places) < len(actual):
        return _pair_repeated(expected, actual)
    pairs: Pairing = []
    left: list[int] = []
    for row, key in enumerate(expected):
        found = places.pop(key, -1)
        if found >= 0:
            pairs.append((row, found))
        else:
            left.append(row)
    if left and len(set(expected)) < len(expected):
        return _pair_repeated(expected, actual)
    return pairs, left, list(places.values())


def _pair_repeated(expected: Sequence[Any], actual: Sequence[Any]) -> tuple[Pairing, list[int], list[int]]:
    """The same where a key stands more than once: items that kept their position stay together, the others pair in order."""
    both = min(len(expected), len(actual))
    pairs = [(row, row) for row in range(both) if expected[row] == actual[row]]
    settled = {row for row, _ in pairs}
    places: dict[Any, list[int]] = {}
    for row in range(len(actual) - 1, -1, -1):
        if row not in settled:
            places.setdefault(actual[row], []).append(row)
    left: list[int] = []
    for row, key in enumerate(expected):
        if row not in settled:
            found = places.get(key)
            if found:
                pairs.append((row, found.pop()))
            else:
                left.append(row)
    return pairs, left, sorted(row for rows in places.values() for row in rows)


def _in_order(pairs: Pairing, left: Sequence[int], over: Sequence[int]) -> Pairing:
    """Expected items in their order, paired or alone, then the extra actual ones."""
    return sorted([*pairs, *((row, -1) for row in left)]) + [(-1, row) for row in over]


def item_columns(items: Column, start: list[int], features: Sequence[Feature]) -> ItemColumns:
    """The features of all items, and a hashable key for each item: equal keys, equal in all features."""
    columns = [take_path(items, feature.steps) for feature in features]
    return ItemColumns(items, start, columns, _hashable(columns))


def _hashable(columns: Sequence[Column]) -> Sequence[Any]:
    keys = [_plain_keys(column) for column in columns]
    return keys[0] if len(keys) == 1 else list(zip(*keys, strict=True))


_PLAIN = frozenset((str, int, float, type(None), Missing))
"""Values that are keys as they are: Python finds 100 and 100.0 equal, as fieldwise does. `True`, which it finds equal to 1, is none."""


def _plain_keys(column: Column) -> Column:
    if _PLAIN.issuperset(map(type, column)):
        return column
    return [value if value.__class__ in _PLAIN else key_of(value) for value in column]


def key_of(value: Any) -> Any:
    """Something hashable that is equal for values that are the same and for no others: `true` is not 1, NaN is like nothing.

    >>> key_of([1, "a"]) == key_of([1.0, "a"]), key_of(True) == key_of(1)
    (True, False)
    """
    text = canonical(value)
    return object() if text is None else (text,)


def pair_best(expected: ItemColumns, actual: ItemColumns, features: Sequence[Feature]) -> list[Pairing]:
    """For every list of the batch, the pairing whose items are most alike, equal items first."""
    found: list[tuple[Pairing, list[int], list[int]]] = []
    small: list[int] = []
    for row in range(len(expected.start) - 1):
        ours = expected.keys[expected.start[row] : expected.start[row + 1]]
        theirs = actual.keys[actual.start[row] : actual.start[row + 1]]
        pairs, left, over = pair_equal(ours, theirs)
        found.append((pairs, left, over))
        if left and over:
            if len(left) == len(over) == 1:
                pairs.append((left.pop(), over.pop()))
            elif len(left) * len(over) <= SMALL:
                small.append(row)
            else:
                _settle(found[row], _large_matrix(expected, actual, features, row, left, over))
    if small:
        _settle_rests([(row, found[row]) for row in small], expected, actual, features)
    return [_in_order(*one) for one in found]


_LIGHT = frozenset(("exact", "numeric_tolerance"))
"""Matches that cost next to nothing beside those that read texts."""
_CLEAR = 1e-6
"""How much of a lead, besides what the other features may make up for, settles a rest. Well above what decides between equals."""

Rest = tuple[int, tuple[Pairing, list[int], list[int]]]
"""Which list of the batch, with what is paired of it and what is left on either side."""


def _settle_rests(rests: Sequence[Rest], expected: ItemColumns, actual: ItemColumns, features: Sequence[Feature]) -> None:
    """Pair what is left of many short lists: by the features that cost little, where no others could change the outcome, else by all."""
    light = [at for at, feature in enumerate(features) if feature.match is not None and feature.match.name in _LIGHT]
    heavy = [at for at in range(len(features)) if at not in light]
    lead = sum(features[at].weight for at in heavy) + _CLEAR
    total = _small_matrices(expected, actual, features, light, rests)
    open_rests: list[Rest] = []
    known: list[NDArray[np.float64]] = []
    start = 0
    for rest in rests:
        _, (pairs, left, over) = rest
        flat = total[start : start + len(left) * len(over)]
        start += len(flat)
        clear = clear_winners(flat.tolist(), len(left), len(over), lead) if len(left) <= len(over) else None
        if clear is None:
            open_rests.append(rest)
            known.append(flat)
            continue
        pairs += [(one, over[other]) for one, other in zip(left, clear, strict=True)]
        taken = {*clear}
        left.clear()
        over[:] = [row for at, row in enumerate(over) if at not in taken]
    if open_rests:
        total = np.concatenate(known) + _small_matrices(expected, actual, features, heavy, open_rests)
        start = 0
        for _, found in open_rests:
            size = len(found[1]) * len(found[2])
            _settle_small(found, total[start : start + size])
            start += size


def clear_winners(flat: Sequence[float], rows: int, columns: int, lead: float) -> list[int] | None:
    """For each row the column that leads all others by more than `lead`, no column twice; None where that is not so.

    Then no other assignment comes to as much, whatever up to `lead` anything else adds to each cell.

    >>> clear_winners([2.0, 0.0, 0.0, 3.0], 2, 2, 1.0), clear_winners([2.0, 1.5, 0.0, 3.0], 2, 2, 1.0)
    ([0, 1], None)
    """
    found: list[int] = []
    for start in range(0, rows * columns, columns):
        row = [*flat[start : start + columns], -inf]
        best = max(row)
        at = row.index(best)
        row[at] = -inf
        if at in found or best - max(row) <= lead:
            return None
        found.append(at)
    return found


def _settle(found: tuple[Pairing, list[int], list[int]], matrix: NDArray[np.float64]) -> None:
    """Pair what is left by the matrix of similarities."""
    _pair_off(found, assign(matrix))


def _settle_small(found: tuple[Pairing, list[int], list[int]], flat: NDArray[np.float64]) -> None:
    """The same for a few items, without an array where they are very few. The numbers are finite."""
    _, left, over = found
    few = max(len(left), len(over)) <= FEW
    _pair_off(found, assign_few(flat.tolist(), len(left), len(over)) if few else assign(flat.reshape(len(left), len(over))))


def _pair_off(found: tuple[Pairing, list[int], list[int]], chosen: Sequence[tuple[int, int]]) -> None:
    """Put what belongs together among the pairs; the rest stays left."""
    pairs, left, over = found
    pairs.extend((left[one], over[other]) for one, other in chosen)
    if len(chosen) == len(left):
        left.clear()
    else:
        ours = {one for one, _ in chosen}
        left[:] = [row for at, row in enumerate(left) if at not in ours]
    if len(chosen) == len(over):
        over.clear()
    else:
        theirs = {other for _, other in chosen}
        over[:] = [row for at, row in enumerate(over) if at not in theirs]


def _small_matrices(
    expected: ItemColumns, actual: ItemColumns, features: Sequence[Feature], chosen: Sequence[int], rests: Sequence[Rest]
) -> NDArray[np.float64]:
    """The matrices of many short rests, one after the other, by some of the features; each of them is scored in one call."""
    ours = [expected.start[row] + one for row, (_, left, over) in rests for one in left for _ in over]
    theirs = [actual.start[row] + other for row, (_, left, over) in rests for _ in left for other in over]
    total = np.zeros(len(ours), dtype=np.float64)
    for position in chosen:
        feature, one, other = features[position], expected.columns[position], actual.columns[position]
        values, others = [one[at] for at in ours], [other[at] for at in theirs]
        alike = _shared(values, others, feature) if feature.match is None else similarities(feature.match, values, others)
        total += feature.weight * alike
    return total


def _large_matrix(
    expected: ItemColumns, actual: ItemColumns, features: Sequence[Feature], row: int, left: list[int], over: list[int]
) -> NDArray[np.float64]:
    total = np.zeros((len(left), len(over)), dtype=np.float64)
    for position, feature in enumerate(features):
        ours = [expected.columns[position][expected.start[row] + one] for one in left]
        theirs = [actual.columns[position][actual.start[row] + other] for other in over]
        alike = _shared_grid(ours, theirs, feature) if feature.match is None else similarity_grid(feature.match, ours, theirs)
        total += feature.weight * alike
    return total


def _bag(value: Any, feature: Feature) -> Counter[Any]:
    """What is in a list, as far as the rules look at it, with how often."""
    if not isinstance(value, LISTS) or not value:
        return Counter()
    columns = [take_path(list(value), inner.steps) for inner in feature.inner]
    return Counter(_hashable(columns))


def _shared(values: Column, others: Column, feature: Feature) -> NDArray[np.float64]:
    """The share of what two lists have in common, pair by pair (Dice)."""
    bags = [(_bag(one, feature), _bag(other, feature)) for one, other in zip(values, others, strict=True)]
    return np.array([_dice((one & other).total(), one.total() + other.total()) for one, other in bags], dtype=np.float64)


def _dice(common: int, both: int) -> float:
    return 2 * common / both if both else 1.0


def _shared_grid(ours: Column, theirs: Column, feature: Feature) -> NDArray[np.float64]:
    """The share of what every two lists have in common, by one sparse product: no pair of lists is aligned to find out."""
    from scipy.sparse import csr_array

    codes: dict[tuple[Any, int], int] = {}

    def incidence(lists: Column) -> tuple[list[int], list[int], NDArray[np.float64]]:
        rows, columns, sizes = list[int](), list[int](), list[int]()
        for row, value in enumerate(lists):
            bag = _bag(value, feature)
            sizes.append(bag.total())
            for key, count in bag.items():
                # the n-th occurrence of a key is a thing of its own, so that repeated items count as often as they occur
                columns.extend(codes.setdefault((key, nth), len(codes)) for nth in range(count))
                rows.extend([row] * count)
        return rows, columns, np.array(sizes, dtype=np.float64)

    one_rows, one_columns, one_sizes = incidence(ours)
    two_rows, two_columns, two_sizes = incidence(theirs)
    width = max(len(codes), 1)
    one = csr_array((np.ones(len(one_rows)), (one_rows, one_columns)), shape=(len(ours), width))
    two = csr_array((np.ones(len(two_rows)), (two_rows, two_columns)), shape=(len(theirs), width))
    common = (one @ two.T).toarray()
    both = one_sizes[:, None] + two_sizes[None, :]
    return np.where(both > 0, 2 * common / np.where(both > 0, both, 1), 1.0)
