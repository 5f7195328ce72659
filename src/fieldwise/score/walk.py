"""Expected and actual records side by side, column by column, down to the fields.

Closed: only what the rules name. Open: every key or every leaf, as the records have them; rules and lists that the spec names
still hold on the way. Both are loops over a stack, so records may be as deep as they like.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from fieldwise.model.comparison import Comparisons
from fieldwise.model.path import EACH, Path, Step, render, render_step
from fieldwise.model.rule import CompareSpec, FieldRule, Match
from fieldwise.model.values import MISSING
from fieldwise.score.align import Feature
from fieldwise.score.columns import Column, Misfit, take
from fieldwise.score.frame import Frame, root_frame
from fieldwise.score.lists import closed_features, open_features, paired_items
from fieldwise.score.rows import Rows
from fieldwise.score.tree import Node, tree_of


def compare_records(spec: CompareSpec, expected: Column, actual: Column) -> Comparisons:
    """Every comparison the spec asks for, without their causes."""
    rules = list(spec.rules)
    rows = Rows(spec, len(expected), rules, [rule.text for rule in rules])
    frame = root_frame(len(expected))
    if spec.open == "no":
        _closed(tree_of(spec), rows, expected, actual, frame)
        _malformed(rows, frame)
    else:
        _Open(spec, rows).walk(tree_of(spec), expected, actual, frame)
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
                stack.append(_Place(child, take(place.expected, step), take(place.actual, step), place.frame, suffix))


def _closed_items(place: _Place, child: Node, rows: Rows) -> _Place | None:
    """The items of the lists here; where expected has no list, one row stands for them all."""
    listed: list[int] = []
    others: list[int] = []
    for row, (ours, theirs) in enumerate(zip(place.expected, place.actual, strict=True)):
        extra = isinstance(theirs, list) and bool(place.frame.extra[row])
        (listed if isinstance(ours, list) or extra else others).append(row)
    if others:
        _stand_ins(place, child, others, rows)
    if not listed:
        return None
    needed = place.node.align is not None and place.node.align.align == "best"
    features = closed_features(place.node, rows.rules) if needed else ()
    items = paired_items(listed, place.expected, place.actual, place.node.align, features)
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
    if isinstance(value, list) and value:
        return value
    return None if value is None or value == [] else MISSING


def _malformed(rows: Rows, frame: Frame) -> None:
    """A rule whose path cannot be read misses in every case."""
    nothing: Column = [MISSING] * len(frame)
    for position, rule in enumerate(rows.rules):
        if rule.path is None:
            rows.add(position, rule.text, nothing, nothing, frame)


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
        groups: dict[str, list[int]] = {"leaf": [], "object": [], "list": []}
        for row, (ours, theirs) in enumerate(zip(task.expected, task.actual, strict=True)):
            groups[_shape(ours, theirs)].append(row)
        if self.spec.open == "keys":
            groups["leaf"] += groups.pop("list")
            groups["list"] = []
        self._leaf(task, sorted(groups["leaf"]))
        return [*self._members(task, groups["object"]), *self._items(task, groups["list"])]

    def _leaf(self, task: _Task, rows: Sequence[int]) -> None:
        ours = [task.expected[row] for row in rows]
        theirs = [task.actual[row] for row in rows]
        there = [row for row, (one, other) in enumerate(zip(ours, theirs, strict=True)) if one is not MISSING or other is not MISSING]
        if len(there) < len(ours):
            ours, theirs = [ours[row] for row in there], [theirs[row] for row in there]
            rows = [rows[row] for row in there]
        if ours:
            frame = task.frame if len(rows) == len(task.frame) else task.frame.take(rows)
            self.rows.add(self._position(task), task.suffix, ours, theirs, frame)

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
        ours, theirs, frame = _chosen(task, rows, dict)
        known = task.node.children if task.node else {}
        sides = [value for side in (ours, theirs) for value in side if isinstance(value, dict)]
        keys = dict.fromkeys(chain.from_iterable(sides))
        found: list[_Task] = []
        sparse = len(keys) * len(rows) > 4 * sum(map(len, sides)) + 1000
        holders = _holders(ours, theirs) if sparse else {}
        for key in keys:
            child = known.get(key) or known.get(_as_index(key))
            one, other, own = ours, theirs, frame
            if sparse:
                at = holders[key]
                one, other, own = [ours[row] for row in at], [theirs[row] for row in at], frame.take(at)
            suffix = f"{task.suffix}{render_step(key)}"
            found.append(_Task(child, take(one, key), take(other, key), own, (*task.steps, key), suffix))
        return found

    def _items(self, task: _Task, rows: Sequence[int]) -> list[_Task]:
        if not rows:
            return []
        ours, theirs, frame = _chosen(task, rows, list)
        how = task.node.align if task.node else None
        plain = how is None or how.align == "index"
        features: tuple[Feature, ...] = ()
        if how is not None and how.align == "best":
            default = Match() if callable(self.spec.default) else self.spec.default
            features = open_features(task.node, self.rows.rules, Feature((), default, 1.0), (ours, theirs))
        items = paired_items(range(len(rows)), ours, theirs, how, features, plain=plain)
        child = task.node.each if task.node else None
        return [_Task(child, items.expected, items.actual, frame.below(items, task.suffix), (*task.steps, EACH), "")]


def _as_index(key: str) -> int:
    return int(key) if key.isdecimal() and key.isascii() else -1


def _shape(ours: Any, theirs: Any) -> str:
    """Whether to go into two values, and as what. Empty objects and lists are leaves, and so is a scalar where the other side has more."""
    if ours is None or ours is MISSING:
        if isinstance(theirs, dict) and theirs:
            return "object"
        return "list" if isinstance(theirs, list) and theirs else "leaf"
    if isinstance(ours, dict) and ours:
        return "object"
    return "list" if isinstance(ours, list) and ours else "leaf"


def _chosen(task: _Task, rows: Sequence[int], container: type) -> tuple[Column, Column, Frame]:
    """The columns at these rows, where what cannot have members or items on the actual side is a misfit."""
    frame = task.frame if len(rows) == len(task.frame) else task.frame.take(np.array(rows, dtype=np.int64))
    ours = [task.expected[row] for row in rows]
    return ours, [_fitting(task.actual[row], container) for row in rows], frame


def _fitting(value: Any, container: type) -> Any:
    if value is None or value is MISSING or isinstance(value, container | Misfit):
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
