"""Whether an open comparison goes into two values, and as what."""

from collections.abc import Callable
from typing import Any

from fieldwise.model.values import MISSING, Missing
from fieldwise.score.columns import LISTS, Misfit

LEAVES = frozenset((str, int, float, bool, type(None), Missing, Misfit))
"""Types that are never gone into."""


def leaf_shape(ours: Any, theirs: Any) -> str:
    """Whether to go into two values, and as what. Empty objects and lists are leaves, and so is a scalar where the other side has more."""
    there = theirs if ours is None or ours is MISSING else ours
    if isinstance(there, dict) and there:
        return "object"
    return "list" if isinstance(there, LISTS) and there else "leaf"


def record_shape(ours: Any, theirs: Any) -> str:
    """The same where only top-level keys count: a record is gone into even if it is empty, nothing else is."""
    there = theirs if ours is None or ours is MISSING else ours
    return "object" if isinstance(there, dict) else "leaf"


def root_shape(ours: Any, theirs: Any) -> str:
    """The same for whole records: one that is empty has no fields, and is no field itself."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return "object"
    return "list" if isinstance(ours, LISTS) and isinstance(theirs, LISTS) else leaf_shape(ours, theirs)


def is_displaced(ours: Any, theirs: Any) -> bool:
    """Whether a value that is no container of the same kind stands where expected has one."""
    if theirs is None or theirs is MISSING or theirs.__class__ is Misfit:
        return False
    return bool(ours) and isinstance(ours, (dict, *LISTS)) and not isinstance(theirs, dict if isinstance(ours, dict) else LISTS)


def is_hollow(value: Any, is_null: Callable[[Any], bool] | None) -> bool:
    """Whether every leaf of a container is null."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (dict, *LISTS)) and node:
            waiting.extend(node.values() if isinstance(node, dict) else node)
        elif node is not None and not (is_null is not None and is_null(node)):
            return False
    return True
