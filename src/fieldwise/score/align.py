"""List alignment: which item of an actual list is the counterpart of which expected item."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fieldwise.dataclass import dataclass
from fieldwise.model.accepted_values import list_accepted
from fieldwise.model.path import EACH
from fieldwise.model.rule import DEFAULT_AT_LEAST, FieldRule, ListRule
from fieldwise.model.services import NO_SERVICES, Services
from fieldwise.model.values import MISSING
from fieldwise.score.assign_items import find_counterparts
from fieldwise.score.columns import LISTS, ColumnCache, Misfit, PairedItems, ValueColumn, take_path
from fieldwise.score.item_features import Feature, ItemBatch, build_item_columns, features_or_whole_item, hashable_key
from fieldwise.score.list_pairing import Pairing, pair_by_index, pair_by_key
from fieldwise.score.rule_tree import RuleNode


@dataclass(frozen=True, slots=True)
class ItemAlignment:
    """How the items of lists are paired."""

    rule: ListRule | None = None
    """None pairs by index."""
    features: tuple[Feature, ...] = ()
    """Used by `align: best` only."""
    services: Services = NO_SERVICES


def pair_items(
    rows: Sequence[int], lists: tuple[ValueColumn, ValueColumn], alignment: ItemAlignment, *, label_by_index: bool = False
) -> PairedItems:
    """The items of the lists in these rows, each with its counterpart.

    If one side has no list, its null, absence or misfit is the counterpart of every item of the other side.
    `label_by_index` labels unmatched actual items by their plain index, as open comparisons do for lists paired by position.
    """
    expected, actual = lists
    both = [row for row in rows if isinstance(expected[row], LISTS) and isinstance(actual[row], LISTS)]
    expected_lists, actual_lists = [expected[row] for row in both], [actual[row] for row in both]
    if alignment.rule is not None and alignment.rule.align == "best":
        items = _pair_best(both, expected_lists, actual_lists, alignment, label_by_index)
    else:
        items = PairedItems()
        for row, left, right in zip(both, expected_lists, actual_lists, strict=True):
            _add_pairs(items, row, _pair_two_lists(left, right, alignment.rule), (left, right), label_by_index)
    if len(both) == len(rows):
        return items
    with_both = {*both}
    for row in rows:
        if row in with_both:
            continue
        if isinstance(expected[row], LISTS):
            _add_unmatched_expected(items, row, expected[row], actual[row])
        else:
            _add_unmatched_actual(items, row, expected[row], actual[row], label_by_index)
    return _sort_by_parent(items)


def _sort_by_parent(items: PairedItems) -> PairedItems:
    """The same items in the order of the rows that hold their lists."""
    order = np.argsort(items.parent, kind="stable")
    new_places = np.empty(len(order), dtype=np.int64)
    new_places[order] = np.arange(len(order))
    columns = (items.parent, items.label, items.expected, items.actual, items.actual_index)
    sorted_columns = ([*map(column.__getitem__, order.tolist())] for column in columns)
    unmatched = (np.sort(new_places[places]).tolist() for places in (items.unmatched_actual, items.unmatched_expected))
    return PairedItems(*sorted_columns, *unmatched)


def _pair_best(
    rows: Sequence[int], expected: ValueColumn, actual: ValueColumn, alignment: ItemAlignment, label_by_index: bool
) -> PairedItems:
    """The items of these lists, paired by their similarity: the expected items of each list, then its unmatched actual ones."""
    batch = ItemBatch(
        build_item_columns(expected, alignment.features),
        build_item_columns(actual, alignment.features),
        alignment.features,
        alignment.services,
    )
    at_least = alignment.rule.at_least if alignment.rule else DEFAULT_AT_LEAST
    counterparts = find_counterparts(batch, at_least)
    is_matched = np.zeros(len(batch.actual.list_of), dtype=np.bool_)
    is_matched[counterparts[counterparts >= 0]] = True
    unmatched_rows = np.flatnonzero(~is_matched)
    list_rows, expected_rows, actual_rows = batch.expected.list_of, np.arange(len(counterparts)), counterparts
    if len(unmatched_rows):
        list_rows = np.concatenate([list_rows, batch.actual.list_of[unmatched_rows]])
        order = np.argsort(list_rows, kind="stable")
        list_rows = list_rows[order]
        expected_rows = np.concatenate([expected_rows, np.full(len(unmatched_rows), -1)])[order]
        actual_rows = np.concatenate([actual_rows, unmatched_rows])[order]
    actual_index = np.where(actual_rows < 0, -1, actual_rows - batch.actual.start[list_rows])
    unmatched_label = actual_index if label_by_index else -1 - actual_index
    label = np.where(expected_rows < 0, unmatched_label, expected_rows - batch.expected.start[list_rows])
    expected_items, actual_items = [*batch.expected.items, MISSING], [*batch.actual.items, MISSING]  # row -1 is MISSING
    return PairedItems(
        np.array(rows, dtype=np.int64)[list_rows].tolist(),
        label.tolist(),
        [*map(expected_items.__getitem__, expected_rows.tolist())],
        [*map(actual_items.__getitem__, actual_rows.tolist())],
        actual_index.tolist(),
        np.flatnonzero(expected_rows < 0).tolist(),
        np.flatnonzero(actual_rows < 0).tolist(),
    )


def _pair_two_lists(expected: Sequence[Any], actual: Sequence[Any], rule: ListRule | None) -> Pairing:
    """The pairing of two lists by index, by their values or by a key."""
    if rule is None or rule.align == "index":
        return pair_by_index(len(expected), len(actual))
    if rule.align == "set":
        return _pair_values_by_key(list(expected), list(actual), hashable_key)
    steps = rule.key.steps if rule.key else ()
    return _pair_values_by_key(take_path(list(expected), steps), take_path(list(actual), steps), _item_key)


def _pair_values_by_key(expected: ValueColumn, actual: ValueColumn, key_of: Callable[[Any], Any]) -> Pairing:
    """Pair by the keys of values; of several accepted values, the first that actual has is the key."""
    actual_keys = [key_of(value) for value in actual]
    distinct_keys = set(actual_keys)
    expected_keys: list[Any] = []
    for value in expected:
        keys = [key_of(accepted) for accepted in list_accepted(value)] if value.__class__ is dict else [key_of(value)]
        expected_keys.append(next((key for key in keys if key in distinct_keys), keys[0] if keys else object()))
    return pair_by_key(expected_keys, actual_keys)


def _item_key(value: Any) -> Any:
    """The key of an item; an item without one equals no other."""
    return object() if value is None or value is MISSING else hashable_key(value)


def _add_pairs(items: PairedItems, row: int, pairing: Pairing, lists: tuple[list[Any], list[Any]], label_by_index: bool) -> None:
    expected, actual = lists
    if len(pairing) == len(expected) == len(actual):  # every item has a counterpart, and the pairs are in the order of expected
        actual_order = [right for _, right in pairing]
        items.parent += [row] * len(pairing)
        items.label += range(len(pairing))
        items.expected += expected
        items.actual += [actual[right] for right in actual_order]
        items.actual_index += actual_order
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
