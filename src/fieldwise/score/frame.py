"""Which cases the rows of a column belong to, and how their paths begin."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Frame:
    """The rows at one level: the records themselves, or the items of a list in all of them."""

    case: NDArray[np.int32]
    prefix: NDArray[np.int32]
    """Index into `prefixes`."""
    prefixes: Sequence[str]
    """How the paths of rows begin, such as `line_items[2]`."""
    extra: NDArray[np.bool_]
    lone: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.case)

    def take(self, rows: Sequence[int] | NDArray[np.int64]) -> "Frame":
        """Some of the rows."""
        at = np.asarray(rows, dtype=np.int64)
        return Frame(self.case[at], self.prefix[at], self.prefixes, self.extra[at], self.lone[at])

    def below(self, items: "Items", suffix: str) -> "Frame":
        """The frame of list items whose lists stand at `suffix` in the rows of this one."""
        parent = np.array(items.parent, dtype=np.int64)
        label = np.array(items.label, dtype=np.int64)
        low = int(label.min(initial=0))
        width = int(label.max(initial=0)) + 1 - low
        # in 64 bits: long lists in long lists have more places than 32 bits can count
        distinct, codes = np.unique(self.prefix[parent].astype(np.int64) * width + (label - low), return_inverse=True)
        texts = [f"{self.prefixes[code // width]}{suffix}{item_label(code % width + low)}" for code in distinct.tolist()]
        return Frame(
            self.case[parent],
            codes.astype(np.int32),
            texts,
            _marked(self.extra[parent], items.extra),
            _marked(self.lone[parent], items.lone),
        )


def _marked(flags: NDArray[np.bool_], rows: list[int]) -> NDArray[np.bool_]:
    flags[rows] = True
    return flags


@dataclass(slots=True)
class Items:
    """Items of lists, paired: position i of every list is one pair, or one item that is alone."""

    parent: list[int] = field(default_factory=list[int])
    """The row of the frame in which the list stands."""
    label: list[int] = field(default_factory=list[int])
    """The index it goes by: that of the expected item; -1 - j for an extra actual item j."""
    expected: list[Any] = field(default_factory=list[Any])
    actual: list[Any] = field(default_factory=list[Any])
    extra: list[int] = field(default_factory=list[int])
    """The positions of actual items that no expected one was paired with."""
    lone: list[int] = field(default_factory=list[int])
    """The positions of expected items that no actual one was paired with."""

    def add(self, parent: int, label: int, expected: Any, actual: Any) -> None:
        """Take in one pair, or one item that is alone."""
        self.parent.append(parent)
        self.label.append(label)
        self.expected.append(expected)
        self.actual.append(actual)


def item_label(index: int) -> str:
    """`[2]` for an expected item, `[+2]` for an extra actual one.

    >>> item_label(2), item_label(-3)
    ('[2]', '[+2]')
    """
    return f"[{index}]" if index >= 0 else f"[+{-1 - index}]"


_LABEL = re.compile(r"\[(\+?)([0-9]+)\]")


def item_places(path: str) -> tuple[tuple[bool, int], ...]:
    """Where among their lists the items on a path stand, as something that sorts: expected items in their order, then extra ones.

    >>> sorted(["a[10].b", "a[+0].b", "a[9].b"], key=item_places)
    ['a[9].b', 'a[10].b', 'a[+0].b']
    """
    return tuple((bool(extra), int(index)) for extra, index in _LABEL.findall(path))


def root_frame(cases: int) -> Frame:
    """One row for each case."""
    none = np.zeros(cases, dtype=np.bool_)
    return Frame(np.arange(cases, dtype=np.int32), np.zeros(cases, dtype=np.int32), [""], none, none)
