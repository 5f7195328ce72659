"""Turn every cache and shortcut of scoring off, so that tests can show that results do not depend on them.

`pytest --without-shortcuts tests/matchers tests/evaluators tests/score` runs the laws that way. The size from which lists are assigned by
scipy is no shortcut: of assignments that are equally good and equally near the diagonal, the two algorithms may choose different ones.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from fieldwise.kernels import sums, text_similarity
from fieldwise.score import assign_items, batch, causes, columns, comparison_builder

ESSENTIAL = ("_diagonal_bonuses", "_list_assignments")
"""Functions whose callers use the cache itself (`__wrapped__`), or that take minutes without it."""


def uncached_functions() -> Iterator[tuple[Any, str, Callable[..., Any]]]:
    """Every name in a module of fieldwise that is bound to a function with a cache of results, with the function below the cache."""
    for name, module in list(sys.modules.items()):
        if name != "fieldwise" and not name.startswith("fieldwise."):
            continue
        for attribute, value in list(vars(module).items()):
            cache_info = getattr(value, "cache_info", None)
            # a cache without a limit holds tables that are loaded once; one with a limit holds results
            if cache_info is not None and cache_info().maxsize is not None and attribute not in ESSENTIAL:
                yield module, attribute, value.__wrapped__


def take_step_anew(self: columns.ColumnCache, column: Any, step: Any) -> Any:
    """`ColumnCache.take_step` without the cache. The columns are kept, because others are keyed by their ids."""
    values = columns.take_step(column, step)
    self._steps[id(values), step] = (column, values)
    return values


@contextmanager
def without_shortcuts() -> Iterator[int]:
    """Replace caches by the functions that they remember, and shortcuts by the general path; yield their number."""
    with pytest.MonkeyPatch.context() as patched:
        count = 0
        for module, attribute, function in uncached_functions():
            patched.setattr(module, attribute, function)
            count += 1
        shortcuts: list[tuple[Any, str, Any]] = [
            (columns.ColumnCache, "take_step", take_step_anew),
            (columns.ColumnCache, "has_key_everywhere", lambda *_: False),
            (columns.ColumnCache, "paired_items", lambda _self, _lists, _method, pair: pair()),
            (batch.ScoringBatch, "_rules_name_every_leaf", lambda *_: False),
            (comparison_builder, "unequal_rows", lambda expected, _actual: range(len(expected))),
            (causes, "_may_hold", lambda *_: True),
            (assign_items, "find_clear_pairs", lambda *_: (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))),
            (assign_items, "find_clear_winners", lambda *_: None),
            (assign_items, "assign_clearly", lambda *_: None),
            (assign_items, "_SUMMED_FIRST", frozenset()),
            (text_similarity, "_DEDUPLICATE_FROM_LENGTH", 10**9),
            (text_similarity, "_CELLS_PER_CALL", 1),
            (sums, "_MAX_DENSE_CELLS", 0),
        ]
        for owner, name, replacement in shortcuts:
            patched.setattr(owner, name, replacement)
        yield count + len(shortcuts)
