"""Confidence intervals that can be computed in parts: Wilson's for shares, and a bootstrap by case.

The bootstrap draws how often each case counts from a hash of the case itself, and adds up whole numbers only. So the
replicates of two halves add up to those of the whole, to the bit, whatever the order and the size of the parts.
"""

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray

REPLICATES: Final = 200

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
# Poisson(1) in 256ths: 94 bytes draw 0, 95 draw 1, then 46, 16, 4 and 1. These keep its mean and its variance at exactly 1.
_DRAWS_MORE: Final = np.cumsum(np.array([94, 95, 46, 16, 4], dtype=np.uint8), dtype=np.uint8)
_QUANTUM_BITS: Final = 24
_STEP_BITS: Final = 12
_ROWS_AT_ONCE: Final = 1 << 11  # 2**36 per value, weights up to 5: their sums stay below 2**53. So many stay in the cache of a core.


Weights = NDArray[np.uint8]
"""How often each case counts, a row for each, in each replicate."""


def wilson(successes: float, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's interval for a share.

    >>> low, high = wilson(9, 10)
    >>> round(low, 3), round(high, 3)
    (0.596, 0.982)
    """
    if n <= 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share = successes / n
    centre = share + z * z / (2 * n)
    spread = z * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    scale = 1 + z * z / n
    return (max(0.0, min(share, (centre - spread) / scale)), min(1.0, max(share, (centre + spread) / scale)))


def hashes(texts: Sequence[str]) -> NDArray[np.uint64]:
    """A 64-bit number for each text, the same on every machine and in every process."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    return np.array([crc32(text) << 32 | crc32(text[::-1]) for text in encoded], dtype=np.uint64)


def _mixed(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finishing step of splitmix64, in place."""
    state ^= state >> np.uint64(30)
    state *= np.uint64(0xBF58476D1CE4E5B9)
    state ^= state >> np.uint64(27)
    state *= np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    return state


def poisson_weights(keys: NDArray[np.uint64], seed: int = 0) -> Weights:
    """How often each case counts in each replicate: one row for each key, drawn from that key and the seed alone."""
    start = _mixed(keys ^ np.uint64(seed & 0xFFFFFFFFFFFFFFFF))
    steps = np.arange(1, REPLICATES // 8 + 1, dtype=np.uint64) * _GOLDEN
    drawn = _mixed(start[:, None] + steps[None, :]).astype("<u8", copy=False)
    draws = drawn.view(np.uint8)
    weights = (draws >= _DRAWS_MORE[0]).view(np.uint8)
    for bound in _DRAWS_MORE[1:]:  # five comparisons of bytes are faster than one look into a table
        weights += draws >= bound
    return weights


Totals = NDArray[np.int64]
"""One whole number for each replicate."""


class Replicates:
    """Replicate sums of named columns, with how many cases each replicate counts for them."""

    __slots__ = ("_count", "_infinite", "_sums")

    def __init__(self) -> None:
        self._sums: dict[tuple[str, int], Totals] = {}
        self._count: dict[str, Totals] = {}
        self._infinite: set[str] = set()

    def add(self, weights: Weights, columns: Mapping[str, NDArray[np.float64]]) -> None:
        """Add a batch: `weights` has a row for each case, and so has each column; NaN where a case was not measured."""
        names = list(columns)
        if not names or not len(weights):
            return
        values = np.column_stack([columns[name] for name in names])
        for start in range(0, len(values), _ROWS_AT_ONCE):
            self._add(weights[start : start + _ROWS_AT_ONCE], values[start : start + _ROWS_AT_ONCE], names)

    def _add(self, weights: Weights, values: NDArray[np.float64], names: list[str]) -> None:
        measured = ~np.isnan(values)
        self._infinite.update(names[column] for column in np.flatnonzero(np.isinf(values).any(axis=0)).tolist())
        known = np.where(np.isfinite(values), values, 0.0)
        whole = self._whole_numbers(known, names)
        complete = measured.all(axis=0)
        partly = np.flatnonzero(~complete)
        blocks = [np.ones((len(values), 1)), measured[:, partly].astype(np.float64), *(block for _, block in whole)]
        totals = (weights.astype(np.float64).T @ np.hstack(blocks)).astype(np.int64)
        everyone = totals[:, 0]
        counts = dict(zip(partly.tolist(), totals.T[1 : 1 + len(partly)], strict=True))
        for column, name in enumerate(names):
            self._count[name] = self._count.get(name, 0) + counts.get(column, everyone)
        keys = [key for block_keys, _ in whole for key in block_keys]
        for key, total in zip(keys, totals.T[1 + len(partly) :], strict=True):
            self._sums[key] = self._sums.get(key, 0) + total

    @staticmethod
    def _whole_numbers(values: NDArray[np.float64], names: list[str]) -> list[tuple[list[tuple[str, int]], NDArray[np.float64]]]:
        """Values as whole numbers of a unit that depends on the size of the value alone, by that size."""
        sizes = np.abs(values)
        plain = (sizes < 2.0**_STEP_BITS) & ((sizes >= 2.0**-_STEP_BITS) | (sizes == 0))
        here = np.where(plain, values, 0.0)
        blocks = [([(name, 0) for name in names], np.rint(here * 2.0**_QUANTUM_BITS))]
        if plain.all():
            return blocks
        _, exponents = np.frexp(values)
        classes = np.where(plain, 0, np.where(exponents > 0, (exponents - 1) // _STEP_BITS, -(-exponents // _STEP_BITS)))
        classes = np.maximum(classes, -80)
        for level in np.unique(classes[~plain]).tolist():
            here = np.where(classes == level, values, 0.0)
            columns = np.flatnonzero(here.any(axis=0))
            block = np.rint(np.ldexp(here[:, columns], _QUANTUM_BITS - _STEP_BITS * level))
            blocks.append(([(names[column], level) for column in columns.tolist()], block))
        return blocks

    def merge(self, other: "Replicates") -> None:
        """Add another's sums to these."""
        for key, total in other._sums.items():
            self._sums[key] = self._sums.get(key, 0) + total
        for name, count in other._count.items():
            self._count[name] = self._count.get(name, 0) + count
        self._infinite |= other._infinite

    def sums(self, name: str) -> NDArray[np.float64]:
        """The sum of a column in each replicate."""
        found = sorted((level, total) for (column, level), total in self._sums.items() if column == name)
        out = np.zeros(REPLICATES)
        for level, total in found:
            out += np.ldexp(total.astype(np.float64), _STEP_BITS * level - _QUANTUM_BITS)
        return out

    def mean_interval(self, name: str, confidence: float = 0.95) -> tuple[float, float] | None:
        """The interval of a column's mean; None for a column that was never measured or is not finite."""
        if name not in self._count or name in self._infinite:
            return None
        drawn = self._count[name] > 0
        if not drawn.any():
            return None
        return percentiles(self.sums(name)[drawn] / self._count[name][drawn], confidence)


def percentiles(replicates: NDArray[np.float64], confidence: float = 0.95) -> tuple[float, float]:
    """The interval between the outer percentiles of the replicates."""
    tail = (1 - confidence) / 2
    low, high = np.quantile(replicates, [tail, 1 - tail])
    return float(low), float(high)


def precision_recall_f1(
    true_positives: ArrayLike, false_positives: ArrayLike, false_negatives: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Precision, recall and F1 of counts; 0 wherever a denominator is 0.

    >>> [float(value) for value in precision_recall_f1(3, 1, 0)]
    [0.75, 1.0, 0.8571428571428571]
    """
    found = np.asarray(true_positives, dtype=np.float64)
    precision = _share(found, found + np.asarray(false_positives, dtype=np.float64))
    recall = _share(found, found + np.asarray(false_negatives, dtype=np.float64))
    return precision, recall, _share(2 * (precision * recall), precision + recall)


def _share(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), 0.0)
