"""Columns kept for every case, for metrics that only the whole dataset has."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldwise.summarize.measured import Measured


class PoolState:
    """The pooled columns of one evaluator, batch by batch."""

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: list[dict[str, NDArray[Any]]] = []

    @property
    def empty(self) -> bool:
        """Whether no batch put anything in."""
        return not self._parts

    def add(self, pool: Mapping[str, NDArray[Any]], of: Measured, positions: NDArray[np.int64]) -> None:
        """Keep a batch's columns for the measured cases; `case` becomes the position in the run."""
        if not pool:
            return
        case = np.asarray(pool["case"], dtype=np.int64)
        keep = slice(None) if of.everything else np.flatnonzero(of.rows[case])
        part = {name: np.asarray(column)[keep] for name, column in pool.items()}
        self._parts.append(part | {"case": positions[case[keep]]})

    def merge(self, other: "PoolState") -> None:
        """Take in the batches that another has seen."""
        self._parts.extend(other._parts)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Every column over the whole run, in the order of the cases."""
        case = np.concatenate([part["case"] for part in self._parts])
        order = np.argsort(case, kind="stable")
        return {name: np.concatenate([part[name] for part in self._parts])[order] for name in self._parts[0]}
