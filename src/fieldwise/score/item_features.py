"""Features of list items: the fields by which items are compared, and the items of a batch as columns of features."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.kernels.ragged import Integers, list_offsets
from fieldwise.kernels.values import canonical_json
from fieldwise.model.path import Step
from fieldwise.model.rule import FieldRule, Match
from fieldwise.model.services import NO_SERVICES, Services
from fieldwise.model.values import Missing
from fieldwise.score.columns import LISTS, ValueColumn, take_path
from fieldwise.score.matching import pair_similarities
from fieldwise.score.rule_tree import RuleNode
from fieldwise.specs import PartialGrid


@dataclass(frozen=True, slots=True)
class Feature:
    """One field of list items by which they are compared, or one list inside them."""

    steps: tuple[Step, ...]
    match: Match | None
    """None for a list inside the item, which is compared by the share of common items."""
    weight: float
    inner: "tuple[Feature, ...]" = ()


@dataclass(slots=True)
class ItemColumns:
    """The items of one side of all lists of a batch, concatenated: list r is `start[r]` up to `start[r + 1]`."""

    items: ValueColumn
    start: Integers
    list_of: Integers
    """The index of the list of each item."""
    columns: list[ValueColumn]
    """One per feature."""
    key_columns: list[ValueColumn]
    """The same with a hashable in place of each value: equal hashables, equal values."""
    types: list[set[type]]
    """The types of the values in each column."""
    keys: list[tuple[Any, ...]]
    """One hashable per item, which begins with the index of its list: equal keys, equal in all features."""


@dataclass(frozen=True, slots=True)
class ItemBatch:
    """The items of all lists of a batch, and the features by which they are compared."""

    expected: ItemColumns
    actual: ItemColumns
    features: Sequence[Feature]
    services: Services = NO_SERVICES


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


def build_item_columns(lists: Sequence[Sequence[Any]], features: Sequence[Feature]) -> ItemColumns:
    """The feature columns and keys of all items of these lists."""
    items = list(chain.from_iterable(lists))
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    list_of = np.repeat(np.arange(len(lists)), lengths)
    columns = [take_path(items, feature.steps) for feature in features]
    types = [set(map(type, column)) for column in columns]
    key_columns = [*map(_hashable_column, columns, types)]
    keys = list(zip(list_of.tolist(), *key_columns, strict=True))
    return ItemColumns(items, list_offsets(lengths), list_of, columns, key_columns, types, keys)


def total_similarities(items: ItemBatch, chosen: Sequence[int], rows: tuple[Sequence[int], Sequence[int]]) -> NDArray[np.float64]:
    """The similarity of pairs of items by the chosen features, weighted; `rows` are those of the item columns."""
    expected, actual = items.expected, items.actual
    expected_rows, actual_rows = rows
    total = np.zeros(len(expected_rows), dtype=np.float64)
    for position in chosen:
        feature = items.features[position]
        expected_values = [*map(expected.columns[position].__getitem__, expected_rows)]
        actual_values = [*map(actual.columns[position].__getitem__, actual_rows)]
        if feature.match is None:
            similarities = shares_of_common_items(expected_values, actual_values, feature)
        else:
            types = expected.types[position] | actual.types[position]
            similarities = pair_similarities(feature.match, expected_values, actual_values, items.services, types)
        total += feature.weight * similarities
    return total


def _join_keys(key_columns: Sequence[ValueColumn]) -> Sequence[Any]:
    return key_columns[0] if len(key_columns) == 1 else list(zip(*key_columns, strict=True))


_HASHABLE = frozenset((str, int, float, type(None), Missing))
"""Types used as keys directly: Python finds 100 and 100.0 equal, as fieldwise does. Not bool, which Python finds equal to 1."""


def _hashable_column(column: ValueColumn, types: set[type]) -> ValueColumn:
    if types <= _HASHABLE:
        return column
    return [value if value.__class__ in _HASHABLE else hashable_key(value) for value in column]


def hashable_key(value: Any) -> Any:
    """A hashable that is equal exactly for values that are the same: `true` is not 1, NaN equals nothing.

    >>> hashable_key([1, "a"]) == hashable_key([1.0, "a"]), hashable_key(True) == hashable_key(1)
    (True, False)
    """
    text = canonical_json(value)
    return object() if text is None else (text,)


def _count_items(value: Any, feature: Feature) -> Counter[Any]:
    """The items of an inner list with their counts, reduced to the features that rules look at."""
    if not isinstance(value, LISTS) or not value:
        return Counter()
    columns = [take_path(list(value), inner.steps) for inner in feature.inner]
    return Counter(_join_keys([_hashable_column(column, set(map(type, column))) for column in columns]))


def shares_of_common_items(expected: ValueColumn, actual: ValueColumn, feature: Feature) -> NDArray[np.float64]:
    """The Dice coefficient of two inner lists, pair by pair."""
    shares: list[float] = []
    for expected_list, actual_list in zip(expected, actual, strict=True):
        expected_counts, actual_counts = _count_items(expected_list, feature), _count_items(actual_list, feature)
        common = (expected_counts & actual_counts).total()
        size = expected_counts.total() + actual_counts.total()
        shares.append(2 * common / size if size else 1.0)
    return np.array(shares, dtype=np.float64)


def prepare_grid_of_common_items(expected: ValueColumn, actual: ValueColumn, feature: Feature) -> PartialGrid:
    """The function that gives the Dice coefficients of any part of two columns of inner lists."""
    return lambda rows, columns: _grid_of_common_items(expected[rows], actual[columns], feature)


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
