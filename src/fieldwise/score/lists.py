"""Lists of a batch as pairs of items."""

from collections.abc import Sequence
from itertools import accumulate, chain
from typing import Any

from fieldwise.model.path import EACH
from fieldwise.model.rule import FieldRule, ListRule
from fieldwise.model.values import MISSING
from fieldwise.score.align import Feature, Pairing, features_of, item_columns, key_of, pair_best, pair_by_index, pair_by_key, rule_features
from fieldwise.score.column_cache import Memo
from fieldwise.score.columns import LISTS, Column, Misfit, take_path
from fieldwise.score.frame import Items
from fieldwise.score.tree import Node


def paired_items(
    rows: Sequence[int],
    expected: Column,
    actual: Column,
    how: ListRule | None,
    features: Sequence[Feature],
    *,
    plain: bool = False,
) -> Items:
    """The items of the lists in these rows, each with its counterpart.

    A side that has no list there gives its null, its absence or its misfit to every item of the other.
    `plain` names extra items by their own index alone, as every-leaf comparisons do where lists are compared by position.
    """
    items = Items()
    both = [row for row in rows if isinstance(expected[row], LISTS) and isinstance(actual[row], LISTS)]
    found = iter(_pairings([expected[row] for row in both], [actual[row] for row in both], how, features))
    paired = set(both)
    for row in rows:
        if row in paired:
            _add_pairs(items, row, next(found), expected[row], actual[row], plain)
        elif isinstance(expected[row], LISTS):
            _add_lone(items, row, expected[row], actual[row])
        else:
            _add_extra(items, row, expected[row], actual[row], plain)
    return items


def _add_pairs(items: Items, row: int, pairing: Pairing, ours: list[Any], theirs: list[Any], plain: bool) -> None:
    if len(pairing) == len(ours) == len(theirs):  # then every item has a counterpart
        items.parent += [row] * len(pairing)
        items.label += [one for one, _ in pairing]
        items.expected += [ours[one] for one, _ in pairing]
        items.actual += [theirs[other] for _, other in pairing]
        return
    for one, other in pairing:
        if one >= 0 and other >= 0:
            items.add(row, one, ours[one], theirs[other])
        elif one >= 0:
            items.lone.append(len(items.parent))
            items.add(row, one, ours[one], MISSING)
        else:
            items.extra.append(len(items.parent))
            items.add(row, other if plain else -1 - other, MISSING, theirs[other])


def _add_lone(items: Items, row: int, ours: list[Any], instead: Any) -> None:
    for index, value in enumerate(ours):
        items.lone.append(len(items.parent))
        items.add(row, index, value, instead if instead is None or instead is MISSING else _misfit(instead))


def _add_extra(items: Items, row: int, instead: Any, theirs: list[Any], plain: bool) -> None:
    for index, value in enumerate(theirs):
        items.extra.append(len(items.parent))
        items.add(row, index if plain else -1 - index, None if instead is None else MISSING, value)


def _misfit(value: Any) -> Misfit:
    return value if isinstance(value, Misfit) else Misfit(value)


def _pairings(expected: Column, actual: Column, how: ListRule | None, features: Sequence[Feature]) -> list[Pairing]:
    align = how.align if how else "index"
    if align == "index":
        return [pair_by_index(len(ours), len(theirs)) for ours, theirs in zip(expected, actual, strict=True)]
    if align == "best":
        ours, theirs = _flat(expected), _flat(actual)
        return pair_best(item_columns(*ours, features), item_columns(*theirs, features), features)
    if align == "set":
        return [pair_by_key([*map(key_of, ours)], [*map(key_of, theirs)]) for ours, theirs in zip(expected, actual, strict=True)]
    steps = how.key.steps if how and how.key else ()
    return [pair_by_key(_keys(ours, steps), _keys(theirs, steps)) for ours, theirs in zip(expected, actual, strict=True)]


def _keys(items: list[Any], steps: Any) -> list[Any]:
    """The key of each item; an item without one is like no other."""
    values = take_path(items, steps)
    return [object() if value is None or value is MISSING else key_of(value) for value in values]


def _flat(lists: Column) -> tuple[Column, list[int]]:
    return list(chain.from_iterable(lists)), [0, *accumulate(map(len, lists))]


def closed_items(
    node: Node, lists: tuple[Column, Column], rules: Sequence[FieldRule], memo: Memo, rows: Sequence[int] | None = None
) -> Items:
    """The items of the lists at a node in these rows, by default in all, as the rules pair them."""
    needed = node.align is not None and node.align.align == "best"
    features = features_of(node.children[EACH], rules) if needed else ()

    def pair() -> Items:
        return paired_items(range(len(lists[0])) if rows is None else rows, *lists, node.align, features)

    return memo.items(lists, ("closed", () if rows is None else tuple(rows), node.align, features), pair)


def open_features(node: Node | None, rules: Sequence[FieldRule], default: Feature, lists: tuple[Column, Column]) -> tuple[Feature, ...]:
    """What makes items alike where every leaf is compared: what the rules look at, then the keys that no rule speaks of."""
    below = node.each if node else None
    known = rule_features(below, rules) if below else ()
    ruled = {str(step) for step, child in below.children.items() if child.has_rules()} if below else set[str]()
    items = chain.from_iterable(value for value in chain(*lists) if isinstance(value, LISTS))
    keys = {*chain.from_iterable(item for item in items if isinstance(item, dict))} - ruled
    # by name, so that it does not depend on which cases share a batch
    found = (*known, *(Feature((key,), default.match, 1.0) for key in sorted(keys)))
    return found or (Feature((), default.match, 1.0),)
