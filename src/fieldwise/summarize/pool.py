"""Columns collected over all cases, for metrics of the whole dataset such as average precision.

They are the only part of a summary that grows with the number of cases, so they are stored compactly: each text once with an integer code
per row, integers in the fewest bytes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from fieldwise.summarize.metrics import MeasuredRows

PoolColumn = NDArray[Any]
_MIN_PART_ROWS: Final = 100_000
"""Rows of small batches are joined to parts of at least this many: many small arrays would fragment memory."""


class PoolTotals:
    """The pooled columns of one evaluator."""

    __slots__ = ("_codes", "_parts", "_recent", "_types")

    def __init__(self) -> None:
        self._parts: list[dict[str, PoolColumn]] = []
        self._recent: list[dict[str, PoolColumn]] = []
        """Batches that are not joined to a part yet."""
        self._codes: dict[str, dict[str, int]] = {}
        """By column of text: the code of each text."""
        self._types: dict[str, np.dtype[Any]] = {}
        """By column of integers: their original type."""

    @property
    def is_empty(self) -> bool:
        """True if no batch added anything."""
        return not self._parts and not self._recent

    def add(self, pool: Mapping[str, PoolColumn], measured: MeasuredRows, positions: NDArray[np.int64]) -> None:
        """Add a batch's columns for the measured cases; `case` becomes the position in the run."""
        if not pool:
            return
        case = np.asarray(pool["case"], dtype=np.int64)
        rows = np.argsort(case, kind="stable")
        if not measured.is_everything:
            rows = rows[measured.rows[case[rows]]]
        part = {name: self._compact(name, np.asarray(column)[rows]) for name, column in pool.items() if name != "case"}
        part["case"] = self._compact("case", positions[case[rows]])
        self._recent.append(part)
        if sum(len(part["case"]) for part in self._recent) >= _MIN_PART_ROWS:
            self._join_recent()

    def _join_recent(self) -> None:
        if self._recent:
            self._parts.append({name: _concatenate([part[name] for part in self._recent]) for name in self._recent[0]})
            self._recent = []

    def _compact(self, name: str, column: PoolColumn) -> PoolColumn:
        if _is_text(column):
            return _narrow(self._encode(name, column.tolist()))
        if column.dtype.kind in "iu":
            self._types[name] = np.promote_types(self._types.get(name, column.dtype), column.dtype)
            return _narrow(column)
        return column

    def _encode(self, name: str, texts: Sequence[str]) -> NDArray[np.int64]:
        codes = self._codes.setdefault(name, {})
        return np.array([codes.setdefault(text, len(codes)) for text in texts], dtype=np.int64)

    def merge(self, other: "PoolTotals") -> None:
        """Add the columns of other batches."""
        new_codes = {name: self._encode(name, list(codes)) for name, codes in other._codes.items()}
        self._join_recent()
        for part in (*other._parts, *other._recent):
            recoded = {name: _narrow(new_codes[name][column]) if name in new_codes else column for name, column in part.items()}
            self._parts.append(recoded)
        for name, dtype in other._types.items():
            self._types[name] = np.promote_types(self._types.get(name, dtype), dtype)

    def columns(self) -> Mapping[str, PoolColumn]:
        """Every column over the whole run, in the order of the cases; each is built when it is read."""
        self._join_recent()
        filled = [part for part in self._parts if len(part["case"])]
        parts = sorted(filled, key=lambda part: int(part["case"][0])) or self._parts[:1]
        texts = {name: np.array([*codes, ""], dtype=np.object_) for name, codes in self._codes.items()}
        return _LazyColumns(parts, texts, self._types)


class _LazyColumns(Mapping[str, PoolColumn]):
    """Columns in parts, joined one at a time on access, because all of them together may not fit in memory."""

    def __init__(
        self, parts: Sequence[Mapping[str, PoolColumn]], texts: Mapping[str, PoolColumn], types: Mapping[str, np.dtype[Any]]
    ) -> None:
        self._parts, self._texts, self._types = parts, texts, types
        case = self._join_parts("case")
        self._order = None if bool((case[1:] >= case[:-1]).all()) else np.argsort(case, kind="stable")

    def _join_parts(self, name: str) -> PoolColumn:
        return _concatenate([part[name] for part in self._parts])

    def __getitem__(self, name: str) -> PoolColumn:
        if name not in self._parts[0]:
            raise KeyError(name)
        column = self._join_parts(name)
        if self._order is not None:
            column = column[self._order]
        if name in self._texts:
            return self._texts[name][column]
        return column.astype(self._types.get(name, column.dtype), copy=False)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts[0])

    def __len__(self) -> int:
        return len(self._parts[0])


def _concatenate(columns: Sequence[PoolColumn]) -> PoolColumn:
    return columns[0] if len(columns) == 1 else np.concatenate(columns)


def _is_text(column: PoolColumn) -> bool:
    if column.dtype.kind == "U":
        return True
    return column.dtype.kind == "O" and {str}.issuperset(map(type, cast("list[Any]", column.tolist())))


def _narrow(column: PoolColumn) -> PoolColumn:
    """Non-negative integers in the fewest bytes that hold them all."""
    if not len(column):
        return column.astype(np.uint8)
    return column if column.min() < 0 else column.astype(np.min_scalar_type(column.max()), copy=False)
