"""Means of an evaluator's metrics over a run, with intervals."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fieldwise.kernels.statistics import Replicates, Weights, percentiles, precision_recall_f1, wilson
from fieldwise.kernels.sums import ExactSums
from fieldwise.model.summary import Metric

COUNTS = ("true_positives", "false_positives", "false_negatives")
RATES = ("precision", "recall", "f1")
Columns = Mapping[str, NDArray[np.float64]]


class MetricsState:
    """Everything the means and intervals of one evaluator's metrics need, whatever the order of the batches."""

    __slots__ = ("_binary", "_n", "_replicates", "_seen", "_slot", "_sums")

    def __init__(self) -> None:
        self._slot: dict[str, int] = {}
        self._sums = ExactSums()
        self._n: dict[str, int] = {}
        self._binary: dict[str, bool] = {}
        self._seen: dict[str, tuple[int, int]] = {}
        self._replicates = Replicates()

    def add(self, columns: Columns, positions: NDArray[np.int64], weights: Weights) -> None:
        """Add the measured cases of a batch: a row each in every column, NaN where a case has no such number."""
        known = {name: column for name, column in columns.items() if not np.isnan(column).all()}
        if not known:
            return
        values, slots = list[NDArray[np.float64]](), list[NDArray[np.int64]]()
        for rank, (name, column) in enumerate(known.items()):
            measured = ~np.isnan(column)
            numbers = column[measured]
            slot = self._slot.setdefault(name, len(self._slot))
            self._n[name] = self._n.get(name, 0) + len(numbers)
            self._binary[name] = self._binary.get(name, True) and bool(((numbers == 0) | (numbers == 1)).all())
            seen = (int(positions[measured].min()), rank)
            self._seen[name] = min(self._seen.get(name, seen), seen)
            values.append(numbers)
            slots.append(np.full(len(numbers), slot, dtype=np.int64))
        self._sums.add(np.concatenate(values), np.concatenate(slots))
        self._replicates.add(weights, known)

    def merge(self, other: "MetricsState") -> None:
        """Take in the batches that another has seen."""
        onto = [self._slot.setdefault(name, len(self._slot)) for name in other._slot]
        self._sums.merge(other._sums, onto[: len(other._sums)])
        for name, n in other._n.items():
            self._n[name] = self._n.get(name, 0) + n
            self._binary[name] = self._binary.get(name, True) and other._binary[name]
            self._seen[name] = min(self._seen.get(name, other._seen[name]), other._seen[name])
        self._replicates.merge(other._replicates)

    def finish(self) -> dict[str, Metric]:
        """Every metric's mean by its name, then macro and micro rates where there are any."""
        means = {name: self._mean(name) for name in sorted(self._seen, key=self._seen.__getitem__)}
        macro = {f"macro_{name}": metric for name, metric in means.items() if name.split("_fp")[0] in RATES}
        return means | macro | self._micro()

    def _mean(self, name: str) -> Metric:
        n = self._n[name]
        value = self._sums.mean(self._slot[name], n)
        if self._binary[name]:
            low, high = wilson(round(value * n), n)
            return Metric(value=value, n=n, low=low, high=high)
        interval = self._replicates.mean_interval(name) if n > 1 else None
        return Metric(value=value, n=n, low=interval[0], high=interval[1]) if interval else Metric(value=value, n=n)

    def _micro(self) -> dict[str, Metric]:
        """Rates of the pooled counts, in the evaluator's way of counting and, where it is reported, in the other."""
        if not all(name in self._n for name in COUNTS):
            return {}
        out = self._pooled(COUNTS, "")
        for suffix, parts in _OTHER_COUNTING.items():
            wanted = (f"false_negatives{suffix}",) if f"false_negatives{suffix}" in self._n else parts
            if f"recall{suffix}" in self._n and all(name in self._n for name in wanted):
                other = self._pooled((*COUNTS[:2], *wanted), suffix)
                del other[f"micro_precision{suffix}"]  # it is the same in both
                out |= other
        n = self._n[COUNTS[0]]
        return out | {f"total_{name}": Metric(value=self._sums.value(self._slot[name]), n=n) for name in COUNTS}

    def _pooled(self, names: tuple[str, ...], suffix: str) -> dict[str, Metric]:
        """Micro rates; the third and every further name are counts of false negatives."""
        totals = [self._sums.value(self._slot[name]) for name in names]
        draws = [self._replicates.sums(name) for name in names]
        rates = precision_recall_f1(totals[0], totals[1], sum(totals[2:]))
        drawn = precision_recall_f1(draws[0], draws[1], np.sum(draws[2:], axis=0))
        n = self._n[names[0]]
        return {f"micro_{rate}{suffix}": _ratio(float(rates[k]), drawn[k], n) for k, rate in enumerate(RATES)}


_OTHER_COUNTING = {"_fp": ("omission",), "_fp_fn": ("omission", "format_error", "wrong_value")}
"""Which error types are false negatives, by the way of counting."""


def _ratio(value: float, draws: NDArray[np.float64], n: int) -> Metric:
    if n < 2:
        return Metric(value=value, n=n)
    low, high = percentiles(draws)
    return Metric(value=value, n=n, low=low, high=high)


def pass_rate(passed: int, judged: int) -> Metric:
    """The share of cases that passed, with Wilson's interval."""
    low, high = wilson(passed, judged)
    return Metric(value=passed / judged, n=judged, low=low, high=high)
