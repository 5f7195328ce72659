"""Sums of floats that are exact, so that they do not depend on the order or the grouping of what is added.

>>> sums = ExactSums(1)
>>> sums.add(np.array([1e16, 1.0, -1e16]))
>>> sums.value(0)
1.0
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_SCALE = 1074  # 2**-1074 is the smallest float: every finite float is a whole number of them
_MANTISSA = 53
_LOW_BITS = 26
_LOW_MASK = (1 << _LOW_BITS) - 1
_AT_ONCE = 1 << 24  # so many parts of 27 bits still add up exactly in a float64
_DENSE = 1 << 16


class ExactSums:
    """Sums of floats, each kept as one whole number in units of 2**-1074."""

    __slots__ = ("_special", "_total")

    def __init__(self, slots: int = 0) -> None:
        self._total: list[int] = [0] * slots
        self._special: dict[int, float] = {}

    def __len__(self) -> int:
        return len(self._total)

    def grow(self, slots: int) -> None:
        """Make room for at least so many sums."""
        self._total.extend([0] * (slots - len(self._total)))

    def add(self, values: NDArray[np.float64], slots: NDArray[np.integer] | None = None) -> None:
        """Add each value to the sum that `slots` names, or all of them to the first. NaN is for the caller to leave out."""
        where = np.zeros(len(values), dtype=np.int64) if slots is None else slots
        for start in range(0, len(values), _AT_ONCE):
            self._add(values[start : start + _AT_ONCE], where[start : start + _AT_ONCE])

    def _add(self, values: NDArray[np.float64], slots: NDArray[np.integer]) -> None:
        ones = values == 1.0  # scores are mostly 0 and 1: count those and look only at the rest
        counts = np.bincount(slots[ones])
        self.grow(len(counts))
        for slot in np.flatnonzero(counts).tolist():
            self._total[slot] += int(counts[slot]) << _SCALE
        rest = ~ones & (values != 0.0)
        if not rest.any():
            return
        values, slots = values[rest], slots[rest]
        finite = np.isfinite(values)
        if not finite.all():
            for value, slot in zip(values[~finite].tolist(), slots[~finite].tolist(), strict=True):
                self.grow(slot + 1)
                self._special[slot] = self._special.get(slot, 0.0) + value
            values, slots = values[finite], slots[finite]
        self._add_finite(values, slots)

    def _add_finite(self, values: NDArray[np.float64], slots: NDArray[np.integer]) -> None:
        if not len(values):
            return
        fractions, exponents = np.frexp(values)
        mantissas = np.ldexp(fractions, _MANTISSA).astype(np.int64)
        lowest = int(exponents.min())
        span = int(exponents.max()) - lowest + 1
        cells = slots.astype(np.int64) * span + (exponents - lowest)
        present: NDArray[np.int64] | None = None
        if (int(slots.max()) + 1) * span > _DENSE:
            present, cells = np.unique(cells, return_inverse=True)
        high = np.bincount(cells, weights=mantissas >> _LOW_BITS)
        low = np.bincount(cells, weights=mantissas & _LOW_MASK)
        used = np.flatnonzero((high != 0) | (low != 0))
        names = used if present is None else present[used]
        self.grow(int(slots.max()) + 1)
        for cell, upper, lower in zip(names.tolist(), high[used].tolist(), low[used].tolist(), strict=True):
            slot, exponent = divmod(cell, span)
            whole = (int(upper) << _LOW_BITS) + int(lower)
            shift = exponent + lowest - _MANTISSA + _SCALE
            # A subnormal's mantissa ends in zeros, so shifting it down loses nothing.
            self._total[slot] += whole << shift if shift >= 0 else whole >> -shift

    def merge(self, other: "ExactSums", onto: Sequence[int] | None = None) -> None:
        """Add another's sums to these; `onto` names the slot here of each slot there."""
        targets = range(len(other)) if onto is None else onto
        self.grow(max(targets, default=-1) + 1)
        for slot, total in zip(targets, other._total, strict=True):
            self._total[slot] += total
        for slot, value in other._special.items():
            mine = targets[slot]
            self._special[mine] = self._special.get(mine, 0.0) + value

    def value(self, slot: int = 0) -> float:
        """The sum, rounded once."""
        return self.mean(slot, 1)

    def mean(self, slot: int, n: int) -> float:
        """The sum divided by `n`, rounded once."""
        if slot in self._special:
            return self._special[slot]
        total = self._total[slot] if slot < len(self._total) else 0
        try:
            return total / (n << _SCALE)
        except OverflowError:
            return float("inf") if total > 0 else float("-inf")
