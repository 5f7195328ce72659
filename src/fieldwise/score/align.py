"""List alignment: which item of an actual list is the counterpart of which expected item."""

from collections.abc import Callable, Sequence
from itertools import accumulate, chain
from typing import Any

from fieldwise.dataclass import dataclass
from fieldwise.model.accepted_values import list_accepted
from fieldwise.model.path import EACH
from fieldwise.model.rule import DEFAULT_AT_LEAST, FieldRule, ListRule
from fieldwise.model.services import NO_SERVICES, Services
from fieldwise.model.values import MISSING
from fieldwise.score.assign_items import pair_best
from fieldwise.score.columns import LISTS, ColumnCache, Misfit, PairedItems, ValueColumn, take_path
from fieldwise.score.item_features import Feature, build_item_columns, features_or_whole_item, hashable_key
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
    distinct_keys = set(actual_keys)
    expected_keys: list[Any] = []
    for value in expected:
        keys = [key_of(accepted) for accepted in list_accepted(value)] if value.__class__ is dict else [key_of(value)]
        expected_keys.append(next((key for key in keys if key in distinct_keys), keys[0] if keys else object()))
    return pair_by_key(expected_keys, actual_keys)


def _item_key(value: Any) -> Any:
    """The key of an item; an item without one equals no other."""
    return object() if value is None or value is MISSING else hashable_key(value)


def _concatenate(lists: ValueColumn) -> tuple[ValueColumn, list[int]]:
    return list(chain.from_iterable(lists)), [0, *accumulate(map(len, lists))]


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
