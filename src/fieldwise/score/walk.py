"""Expected and actual records side by side, column by column, down to the fields.

Closed: only what the rules name. Open: every key or every leaf, as the records have them; rules and lists that the spec names
still hold on the way. Both are loops over a stack, so records may be as deep as they like.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from fieldwise.model.comparison import Comparisons
from fieldwise.model.path import EACH, Path, Step, index_of, render, render_step
from fieldwise.model.rule import CompareSpec, FieldRule, Match
from fieldwise.model.values import MISSING, Missing
from fieldwise.score.align import Feature
from fieldwise.score.column_cache import Memo
from fieldwise.score.columns import LISTS, Column, Misfit
from fieldwise.score.comparison_builder import Rows
from fieldwise.score.frame import Frame, Items, root_frame
from fieldwise.score.lists import closed_items, open_features, paired_items
from fieldwise.score.shapes import LEAVES, is_displaced, is_hollow, leaf_shape, record_shape, root_shape
from fieldwise.score.tree import Node, tree_of


def compare_records(spec: CompareSpec, expected: Column, actual: Column, memo: Memo | None = None) -> Comparisons:
    """Every comparison the spec asks for, without their causes. `memo` holds what was found out about these very columns before."""
    rules = list(spec.rules)
    rows = Rows(spec, len(expected), rules, [rule.text for rule in rules], memo or Memo())
    frame = root_frame(len(expected))
    if spec.open == "no":
        _closed(tree_of(spec), rows, expected, actual, frame)
    else:
        _Open(spec, rows).walk(tree_of(spec), expected, actual, frame)
    _malformed(rows, frame)
    return rows.finish()


class _Place(NamedTuple):
    """A node with the columns of both sides there."""

    node: Node
    expected: Column
    actual: Column
    frame: Frame
    suffix: str


def _closed(root: Node, rows: Rows, expected: Column, actual: Column, frame: Frame) -> None:
    stack = [_Place(root, expected, actual, frame, "")]
    while stack:
        place = stack.pop()
        for rule in place.node.rules:
            rows.add(rule, place.suffix, place.expected, place.actual, place.frame)
        for step, child in reversed(place.node.children.items()):
            if step is EACH:
                items = _closed_items(place, child, rows)
                if items is not None:
                    stack.append(items)
            else:
                suffix = f"{place.suffix}{render_step(step)}"
                ours, theirs = rows.memo.take(place.expected, step), rows.memo.take(place.actual, step)
                stack.append(_Place(child, ours, theirs, place.frame, suffix))


def _closed_items(place: _Place, child: Node, rows: Rows) -> _Place | None:
    """The items of the lists here; where expected has no list, one row stands for them all."""
    listed: list[int] = []
    others: list[int] = []
    for row, (ours, theirs) in enumerate(zip(place.expected, place.actual, strict=True)):
        extra = isinstance(theirs, LISTS) and bool(place.frame.extra[row])
        (listed if isinstance(ours, LISTS) or extra else others).append(row)
    if others:
        _stand_ins(place, child, others, rows)
    if not listed:
        return None
    items = closed_items(place.node, (place.expected, place.actual), rows.rules, rows.memo, listed if others else None)
    return _Place(child, items.expected, items.actual, place.frame.below(items, place.suffix), "")


def _stand_ins(place: _Place, child: Node, others: Sequence[int], rows: Rows) -> None:
    """Rows for lists that expected does not have, one for each field of their items."""
    frame = place.frame.take(others)
    expected: Column = [None if place.expected[row] is None else MISSING for row in others]
    actual: Column = [_stand_in(place.actual[row]) for row in others]
    stack = [(child, f"{place.suffix}[*]")]
    while stack:
        node, suffix = stack.pop()
        for rule in node.rules:
            rows.add(rule, suffix, expected, actual, frame)
        stack.extend((below, f"{suffix}{render_step(step)}") for step, below in reversed(node.children.items()))


def _stand_in(value: Any) -> Any:
    """A list with something in it as it is; else null or missing, since there are no items to speak of."""
    if isinstance(value, LISTS):
        return value or None
    return None if value is None else MISSING


def _malformed(rows: Rows, frame: Frame) -> None:
    """A rule whose path cannot be read misses in every case."""
    nothing: Column = [MISSING] * len(frame)
    for position, rule in enumerate(rows.rules):
        if rule.path is None:
            rows.add(position, f".{rule.text}", nothing, nothing, frame)  # one dot is taken off, and `.a` has another


class _Task(NamedTuple):
    """A place of an open comparison. `node` is None where the spec says nothing of what is there."""

    node: Node | None
    expected: Column
    actual: Column
    frame: Frame
    steps: tuple[Step, ...]
    suffix: str


@dataclass(slots=True)
class _Open:
    """Every key or every leaf."""

    spec: CompareSpec
    rows: Rows
    positions: dict[tuple[Step, ...], int] = field(default_factory=dict[tuple[Step, ...], int])

    def walk(self, root: Node, expected: Column, actual: Column, frame: Frame) -> None:
        """From the records down."""
        stack = [_Task(root, expected, actual, frame, (), "")]
        while stack:
            task = stack.pop()
            if (task.node and task.node.rules) or (self.spec.open == "keys" and task.steps):
                self._leaf(task, range(len(task.expected)))
            else:
                stack.extend(reversed(self._split(task)))

    def _split(self, task: _Task) -> list[_Task]:
        """Leaves are taken in; objects and lists are gone into."""
        if set(map(type, task.expected)) | set(map(type, task.actual)) <= LEAVES:
            self._leaf(task, range(len(task.expected)))
            return []
        if self.spec.open == "leaves":
            task = self._without_hollow(task)
        groups: dict[str, list[int]] = {"leaf": [], "object": [], "list": []}
        shape = record_shape if self.spec.open == "keys" else leaf_shape if task.steps else root_shape
        for row, (ours, theirs) in enumerate(zip(task.expected, task.actual, strict=True)):
            groups[shape(ours, theirs)].append(row)
        self._leaf(task, groups["leaf"])
        return [*self._members(task, groups["object"]), *self._items(task, groups["list"])]

    def _without_hollow(self, task: _Task) -> _Task:
        """Where expected is a container with nothing but nulls in it and actual is something else, expected has no value at all."""
        pairs = enumerate(zip(task.expected, task.actual, strict=True))
        others = [row for row, (ours, theirs) in pairs if ours.__class__ is not theirs.__class__ and is_displaced(ours, theirs)]
        hollow = [row for row in others if is_hollow(task.expected[row], self.rows.is_null)]
        if not hollow:
            return task
        expected = list(task.expected)
        for row in hollow:
            expected[row] = None
        return task._replace(expected=expected)

    def _leaf(self, task: _Task, rows: Sequence[int]) -> None:
        """Take in these rows, but for those in which neither side has the field."""
        ours, theirs = task.expected, task.actual
        there: Sequence[int] = rows
        if Missing in map(type, ours) and Missing in map(type, theirs):
            there = [row for row in rows if ours[row] is not MISSING or theirs[row] is not MISSING]
        if len(there) == len(ours):
            self.rows.add(self._position(task), task.suffix, ours, theirs, task.frame)
        elif there:
            ours, theirs = [ours[row] for row in there], [theirs[row] for row in there]
            self.rows.add(self._position(task), task.suffix, ours, theirs, task.frame.take(there))

    def _position(self, task: _Task) -> int:
        """The field this leaf belongs to; one is made for a leaf that no rule names."""
        if task.node and task.node.rules:
            return task.node.rules[0]
        if task.steps not in self.positions:
            self.positions[task.steps] = len(self.rows.rules)
            match = Match("auto") if callable(self.spec.default) else self.spec.default
            text = render(task.steps)
            self.rows.rules.append(FieldRule(path=Path(task.steps), text=text, match=match))
            self.rows.fields.append(text)
        return self.positions[task.steps]

    def _members(self, task: _Task, rows: Sequence[int]) -> list[_Task]:
        if not rows:
            return []
        both = [row for row in rows if isinstance(task.expected[row], dict) and isinstance(task.actual[row], dict)]
        if both and len(both) < len(rows):  # those that have a counterpart go the fast way
            alone = sorted({*rows}.difference(both))
            return [*self._members(task, both), *self._members(task, alone)]
        ours, theirs, frame = _chosen(task, rows, dict, self.spec.open)
        known = task.node.children if task.node else {}
        sides = [value for side in (ours, theirs) for value in side if isinstance(value, dict)]
        keys = dict.fromkeys(chain.from_iterable(sides))
        found: list[_Task] = []
        # what is below null is null, but only where the record has the key, not where another record of the batch has it
        sparse = len(sides) < 2 * len(rows) or len(keys) * len(rows) > 4 * sum(map(len, sides)) + 1000
        holders = _holders(ours, theirs) if sparse else {}
        for key in keys:
            child = _child(known, key) if known else None
            one, other, own = ours, theirs, frame
            if sparse:
                at = holders[key]
                one, other, own = [ours[row] for row in at], [theirs[row] for row in at], frame.take(at)
            suffix = f"{task.suffix}{render_step(key)}"
            found.append(_Task(child, self.rows.memo.take(one, key), self.rows.memo.take(other, key), own, (*task.steps, key), suffix))
        return found

    def _items(self, task: _Task, rows: Sequence[int]) -> list[_Task]:
        if not rows:
            return []
        ours, theirs, frame = _chosen(task, rows, LISTS, self.spec.open)
        how = task.node.align if task.node else None
        plain = how is None or how.align == "index"
        features: tuple[Feature, ...] = ()
        if how is not None and how.align == "best":
            default = Match() if callable(self.spec.default) else self.spec.default
            features = open_features(task.node, self.rows.rules, Feature((), default, 1.0), (ours, theirs))

        def pair() -> Items:
            return paired_items(range(len(rows)), ours, theirs, how, features, plain=plain)

        # rules name extra items by their own kind of index, unless lists go by position
        alike = ("open", how) if plain else ("closed", (), how, features)
        items = self.rows.memo.items((ours, theirs), alike, pair)
        whole = _Task(
            task.node.each if task.node else None, items.expected, items.actual, frame.below(items, task.suffix), (*task.steps, EACH), ""
        )
        indexes = [step for step in task.node.children if isinstance(step, int)] if task.node else []
        return _by_index(whole, task.node, indexes, items, ours) if task.node and indexes else [whole]


def _child(known: Mapping[Step, Node], key: str) -> Node | None:
    """What the spec says of a key; `a.0` speaks of the key `0` as well as of the first item."""
    index = None if key in known else index_of(key)
    return known.get(key if index is None else index)


def _by_index(whole: _Task, node: Node, indexes: Sequence[int], items: Items, lists: Column) -> list[_Task]:
    """The items that rules name by their index, each with those rules, then the others."""
    steps = [_named_step(label, lists[parent], indexes) for label, parent in zip(items.label, items.parent, strict=True)]
    found: list[_Task] = []
    for step in (*indexes, EACH):
        rows = [row for row, own in enumerate(steps) if own == step]
        expected, actual = [items.expected[row] for row in rows], [items.actual[row] for row in rows]
        found.append(whole._replace(node=node.children.get(step), expected=expected, actual=actual, frame=whole.frame.take(rows)))
    return found


def _named_step(label: int, items: Any, indexes: Sequence[int]) -> Step:
    """The index by which a rule names an item, from the front or from the end; `[*]` if none does."""
    if label in indexes and label >= 0:
        return label
    from_end = label - len(items) if isinstance(items, LISTS) and 0 <= label < len(items) else 0
    return from_end if from_end < 0 and from_end in indexes else EACH


def _chosen(task: _Task, rows: Sequence[int], container: Any, how: str) -> tuple[Column, Column, Frame]:
    """The columns at these rows. What cannot have members or items on the actual side is a misfit; where only keys count, it has none."""
    whole = len(rows) == len(task.frame)
    frame = task.frame if whole else task.frame.take(np.array(rows, dtype=np.int64))
    ours = task.expected if whole else [task.expected[row] for row in rows]
    theirs = task.actual if whole else [task.actual[row] for row in rows]
    if not all(isinstance(value, container) for value in theirs):
        theirs = [_fitting(value, container) for value in theirs]
        if how == "keys":
            theirs = [MISSING if value.__class__ is Misfit else value for value in theirs]
    return ours, theirs, frame


def _fitting(value: Any, container: Any) -> Any:
    if value is None or value is MISSING or isinstance(value, container) or value.__class__ is Misfit:
        return value
    return Misfit(value)


def _holders(ours: Column, theirs: Column) -> dict[str, list[int]]:
    """For each key, the rows in which a side has it: for records that have few keys in common."""
    found: dict[str, list[int]] = {}
    for row, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        sides = [value for value in (one, other) if isinstance(value, dict)]
        for key in dict.fromkeys(chain.from_iterable(sides)):
            found.setdefault(key, []).append(row)
    return found
