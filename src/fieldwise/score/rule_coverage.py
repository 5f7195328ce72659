"""Whether rules name every leaf that the records of a batch have: then comparing every leaf comes to comparing by the rules.

Most records look as their rules say. Where they do, what was compared for one evaluator holds for another that looks at every leaf.
Where they do not, in any way that might make a difference, the answer is no and every leaf is looked for.
"""

from dataclasses import replace

import numpy as np

from fieldwise.model.comparison import Comparisons, Outcome
from fieldwise.model.rule import CompareSpec
from fieldwise.model.values import MISSING, Missing
from fieldwise.score.column_cache import Memo
from fieldwise.score.columns import Column
from fieldwise.score.lists import closed_items
from fieldwise.score.tree import Node, tree_of


def closed(spec: CompareSpec) -> CompareSpec:
    """The same rules without what else there may be."""
    return replace(spec, open="no", default=CompareSpec().default)


def covers(spec: CompareSpec, expected: Column, actual: Column, memo: Memo) -> bool:
    """Whether comparing every leaf of these records is comparing by the rules, but for fields that neither side has."""
    if not spec.rules or any(rule.path is None for rule in spec.rules):
        return False
    stack = [(tree_of(spec), expected, actual)]
    while stack:
        node, ours, theirs = stack.pop()
        if node.rules:
            if len(node.rules) > 1 or node.children:
                return False
        elif node.each is not None:
            if len(node.children) > 1 or not _are_lists(ours, theirs):
                return False
            items = closed_items(node, (ours, theirs), spec.rules, memo)
            if items.extra and (node.align is None or node.align.align == "index"):
                return False  # lists that go by position name their extra items in another way
            stack.append((node.each, items.expected, items.actual))
        else:
            below = [(child, memo.take(ours, step), memo.take(theirs, step)) for step, child in node.children.items()]
            if not (_are_objects(node, ours, memo) and _are_objects(node, theirs, memo)):
                return False
            stack += below
    return True


_OBJECTS = frozenset((dict, Missing))
_LISTS = frozenset((list, Missing))


def _are_objects(node: Node, column: Column, memo: Memo) -> bool:
    """Whether every value is missing, or an object with some of the node's keys and no others."""
    types = {*map(type, column)}
    if not types <= _OBJECTS or any(isinstance(step, int) for step in node.children):
        return False
    if all(memo.has_everywhere(column, step) for step in node.children) and {*map(len, column)} == {len(node.children)}:
        return True  # as many keys as there are rules for, and all of those
    there = [value for value in column if value is not MISSING] if Missing in types else column
    return all(there) and all(map(frozenset(node.children).issuperset, there))


def _are_lists(ours: Column, theirs: Column) -> bool:
    """Whether expected is always a list with something in it, and actual a list or missing."""
    return {*map(type, ours)} == {list} and all(ours) and {*map(type, theirs)} <= _LISTS


def without_absent(comparisons: Comparisons) -> Comparisons:
    """Without the fields that neither side has: they are rows of a rule, but no leaves."""
    doubtful = np.flatnonzero((comparisons.outcome == Outcome.BOTH_ABSENT) | (comparisons.outcome == Outcome.OMISSION))
    absent = [row for row in doubtful.tolist() if comparisons.expected[row] is MISSING and comparisons.actual[row] is MISSING]
    return comparisons.take(np.delete(np.arange(len(comparisons)), absent)) if absent else comparisons
