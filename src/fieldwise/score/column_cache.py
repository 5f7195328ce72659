"""What has been found out about the columns of a batch: evaluators that look at the same columns find it once.

Columns are told apart by identity. Each entry keeps the columns it is about, so that no other can take their place in memory.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from fieldwise.model.path import Step
from fieldwise.score.columns import Column, take, take_all
from fieldwise.score.frame import Items


@dataclass(slots=True)
class Memo:
    """For one batch."""

    _taken: dict[tuple[int, Step], tuple[Column, Column]] = field(default_factory=dict[tuple[int, Step], tuple[Column, Column]])
    _everywhere: set[tuple[int, Step]] = field(default_factory=set[tuple[int, Step]])
    _items: dict[Hashable, tuple[Any, Items]] = field(default_factory=dict[Hashable, tuple[Any, Items]])

    def take(self, column: Column, step: Step) -> Column:
        """The values one step down."""
        key = (id(column), step)
        found = self._taken.get(key)
        if found is None:
            everywhere = None if isinstance(step, int) else take_all(column, step)
            if everywhere is not None:
                self._everywhere.add(key)
            found = self._taken[key] = (column, take(column, step) if everywhere is None else everywhere)
        return found[1]

    def has_everywhere(self, column: Column, key: Step) -> bool:
        """Whether every value of a column has this key, as far as taking it has shown."""
        return (id(column), key) in self._everywhere

    def items(self, columns: tuple[Column, Column], how: Hashable, pair: Callable[[], Items]) -> Items:
        """The items of two columns of lists, paired in a way that `how` tells apart from every other."""
        try:
            key = (id(columns[0]), id(columns[1]), how)
            found = self._items.get(key)
        except TypeError:  # options of another package's matcher that cannot be hashed
            return pair()
        if found is None:
            found = self._items[key] = (columns, pair())
        return found[1]
