"""Columns kept for every case, for metrics that only the whole dataset has.

They are all that grows with the number of cases, so they are kept small: a text once, and a number for each place it stands at; whole
numbers in as few bytes as they need.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from fieldwise.summarize.measured import Measured

Column = NDArray[Any]
_TOGETHER: Final = 100_000
"""So many rows of small batches become one part: many small arrays among what comes and goes would keep memory in pieces."""


class PoolState:
    """The pooled columns of one evaluator, batch by batch."""

    __slots__ = ("_new", "_parts", "_texts", "_types")

    def __init__(self) -> None:
        self._parts: list[dict[str, Column]] = []
        self._new: list[dict[str, Column]] = []
        self._texts: dict[str, dict[str, int]] = {}
        """By column: the texts in it, each with its number."""
        self._types: dict[str, np.dtype[Any]] = {}
        """By column of whole numbers: how wide they were given."""

    @property
    def empty(self) -> bool:
        """Whether no batch put anything in."""
        return not self._parts and not self._new

    def add(self, pool: Mapping[str, Column], of: Measured, positions: NDArray[np.int64]) -> None:
        """Keep a batch's columns for the measured cases; `case` becomes the position in the run."""
        if not pool:
            return
        case = np.asarray(pool["case"], dtype=np.int64)
        keep = np.argsort(case, kind="stable")
        keep = keep if of.everything else keep[of.rows[case[keep]]]
        part = {name: self._small(name, np.asarray(column)[keep]) for name, column in pool.items() if name != "case"}
        self._new.append(part | {"case": self._small("case", positions[case[keep]])})
        if sum(len(part["case"]) for part in self._new) >= _TOGETHER:
            self._settle()

    def _settle(self) -> None:
        if self._new:
            self._parts.append({name: _joined([part[name] for part in self._new]) for name in self._new[0]})
            self._new = []

    def _small(self, name: str, column: Column) -> Column:
        if _is_text(column):
            known = self._texts.setdefault(name, {})
            return _narrow(np.array([known.setdefault(text, len(known)) for text in column.tolist()], dtype=np.int64))
        if column.dtype.kind in "iu":
            self._types[name] = np.promote_types(self._types.get(name, column.dtype), column.dtype)
            return _narrow(column)
        return column

    def merge(self, other: "PoolState") -> None:
        """Take in the batches that another has seen."""
        numbers = {name: self._renumbered(name, texts) for name, texts in other._texts.items()}
        self._settle()
        for part in (*other._parts, *other._new):
            self._parts.append({name: _narrow(numbers[name][column]) if name in numbers else column for name, column in part.items()})
        for name, kind in other._types.items():
            self._types[name] = np.promote_types(self._types.get(name, kind), kind)

    def _renumbered(self, name: str, texts: Mapping[str, int]) -> NDArray[np.int64]:
        known = self._texts.setdefault(name, {})
        return np.array([known.setdefault(text, len(known)) for text in texts], dtype=np.int64)

    def columns(self) -> Mapping[str, Column]:
        """Every column over the whole run, in the order of the cases; each is put together when it is asked for."""
        self._settle()
        parts = sorted((part for part in self._parts if len(part["case"])), key=lambda part: int(part["case"][0])) or self._parts[:1]
        return _Columns(parts, {name: np.array([*texts, ""], dtype=np.object_) for name, texts in self._texts.items()}, self._types)


class _Columns(Mapping[str, Column]):
    """Columns in parts. They are large, so that nobody should have to hold all of them at once."""

    def __init__(self, parts: Sequence[Mapping[str, Column]], texts: Mapping[str, Column], types: Mapping[str, np.dtype[Any]]) -> None:
        self._parts, self._texts, self._types = parts, texts, types
        case = self._column("case")
        self._order = None if bool((case[1:] >= case[:-1]).all()) else np.argsort(case, kind="stable")

    def _column(self, name: str) -> Column:
        return _joined([part[name] for part in self._parts])

    def __getitem__(self, name: str) -> Column:
        if name not in self._parts[0]:
            raise KeyError(name)
        column = self._column(name) if self._order is None else self._column(name)[self._order]
        if name in self._texts:
            return self._texts[name][column]
        return column.astype(self._types.get(name, column.dtype), copy=False)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts[0])

    def __len__(self) -> int:
        return len(self._parts[0])


def _joined(columns: Sequence[Column]) -> Column:
    return columns[0] if len(columns) == 1 else np.concatenate(columns)


def _is_text(column: Column) -> bool:
    return column.dtype.kind == "U" or (column.dtype.kind == "O" and {str}.issuperset(map(type, cast("list[Any]", column.tolist()))))


def _narrow(column: Column) -> Column:
    """Whole numbers in the fewest bytes that hold them all."""
    if not len(column):
        return column.astype(np.uint8)
    return column if column.min() < 0 else column.astype(np.min_scalar_type(column.max()), copy=False)
