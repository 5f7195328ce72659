"""Exact sums of floats: the result does not depend on the order or the grouping of what is added.

>>> sums = ExactSums(1)
>>> sums.add(np.array([1e16, 1.0, -1e16]))
>>> sums.value(0)
1.0
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_SCALE_BITS = 1074  # 2**-1074 is the smallest float: every finite float is a whole number of them
_MANTISSA_BITS = 53
_LOW_BITS = 26
_LOW_MASK = (1 << _LOW_BITS) - 1
_MAX_ROWS = 1 << 24  # this many parts of 27 bits still add up exactly in a float64
_MAX_DENSE_CELLS = 1 << 16


class ExactSums:
    """Sums of floats, one for each slot, each held as one whole number in units of 2**-1074."""

    __slots__ = ("_non_finite", "_total")

    def __init__(self, slots: int = 0) -> None:
        self._total: list[int] = [0] * slots
        self._non_finite: dict[int, float] = {}

    def __len__(self) -> int:
        return len(self._total)

    def grow(self, slots: int) -> None:
        """Make room for at least this many sums."""
        self._total.extend([0] * (slots - len(self._total)))

    def add(self, values: NDArray[np.float64], slots: NDArray[np.integer] | None = None) -> None:
        """Add each value to the sum of its slot, or all of them to the first. The caller leaves out NaN."""
        slot_of_value = np.zeros(len(values), dtype=np.int64) if slots is None else slots
        for start in range(0, len(values), _MAX_ROWS):
            self._add_block(values[start : start + _MAX_ROWS], slot_of_value[start : start + _MAX_ROWS])

    def _add_block(self, values: NDArray[np.float64], slots: NDArray[np.integer]) -> None:
        ones = values == 1.0  # scores are mostly 0 and 1: count those and compute only the rest
        counts = np.bincount(slots[ones])
        self.grow(len(counts))
        for slot in np.flatnonzero(counts).tolist():
            self._total[slot] += int(counts[slot]) << _SCALE_BITS
        rest = ~ones & (values != 0.0)
        if not rest.any():
            return
        values, slots = values[rest], slots[rest]
        finite = np.isfinite(values)
        if not finite.all():
            for value, slot in zip(values[~finite].tolist(), slots[~finite].tolist(), strict=True):
                self.grow(slot + 1)
                self._non_finite[slot] = self._non_finite.get(slot, 0.0) + value
            values, slots = values[finite], slots[finite]
        self._add_finite(values, slots)

    def _add_finite(self, values: NDArray[np.float64], slots: NDArray[np.integer]) -> None:
        """Add up the mantissas of each slot and exponent, in two halves that stay exact in a float64, and shift them into place."""
        if not len(values):
            return
        fractions, exponents = np.frexp(values)
        mantissas = np.ldexp(fractions, _MANTISSA_BITS).astype(np.int64)
        lowest = int(exponents.min())
        span = int(exponents.max()) - lowest + 1
        cells = slots.astype(np.int64) * span + (exponents - lowest)
        sparse_cells: NDArray[np.int64] | None = None
        if (int(slots.max()) + 1) * span > _MAX_DENSE_CELLS:
            sparse_cells, cells = np.unique(cells, return_inverse=True)
        high = np.bincount(cells, weights=mantissas >> _LOW_BITS)
        low = np.bincount(cells, weights=mantissas & _LOW_MASK)
        used = np.flatnonzero((high != 0) | (low != 0))
        used_cells = used if sparse_cells is None else sparse_cells[used]
        self.grow(int(slots.max()) + 1)
        for cell, upper, lower in zip(used_cells.tolist(), high[used].tolist(), low[used].tolist(), strict=True):
            slot, exponent = divmod(cell, span)
            whole = (int(upper) << _LOW_BITS) + int(lower)
            shift = exponent + lowest - _MANTISSA_BITS + _SCALE_BITS
            # A subnormal's mantissa ends in zeros, so shifting it down loses nothing.
            self._total[slot] += whole << shift if shift >= 0 else whole >> -shift

    def merge(self, part: "ExactSums", onto: Sequence[int] | None = None) -> None:
        """Add the sums of a part to these; `onto` gives the slot here of each slot there."""
        targets = range(len(part)) if onto is None else onto
        self.grow(max(targets, default=-1) + 1)
        for slot, total in zip(targets, part._total, strict=True):
            self._total[slot] += total
        for slot, value in part._non_finite.items():
            target = targets[slot]
            self._non_finite[target] = self._non_finite.get(target, 0.0) + value

    def value(self, slot: int = 0) -> float:
        """The sum of a slot, rounded once."""
        return self.mean(slot, 1)

    def mean(self, slot: int, n: int) -> float:
        """The sum of a slot divided by `n`, rounded once."""
        if slot in self._non_finite:
            return self._non_finite[slot]
        total = self._total[slot] if slot < len(self._total) else 0
        try:
            return total / (n << _SCALE_BITS)
        except OverflowError:
            return float("inf") if total > 0 else float("-inf")
