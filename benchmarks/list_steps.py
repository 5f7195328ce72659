"""The steps of list matching that cost most, one by one: numeric grids, gathering columns, and long lists of which every item is altered.

    python benchmarks/list_steps.py

Times are CPU time, the best of several repeats. Nothing here is compared with a peer; `fields.py` does that for whole records.
"""

import random
import time
from collections.abc import Callable
from typing import Any

from invoices import RULES, pairs

import fieldwise as fw
from fieldwise.kernels.runtime import throughput_settings
from fieldwise.kernels.tolerance import prepare_tolerance_grid
from fieldwise.model.values import MISSING
from fieldwise.score.columns import ColumnCache

REPEATS = 30


def best_time(function: Callable[[], Any], calls: int = 1) -> float:
    """CPU seconds of one call."""
    best = float("inf")
    with throughput_settings():
        for _ in range(REPEATS):
            start = time.process_time()
            for _ in range(calls):
                function()
            best = min(best, (time.process_time() - start) / calls)
    return best


def measure_grids() -> None:
    """Numbers of one list against each other, with a tolerance: the first grid of two columns, and a further part of columns in use."""
    rng = random.Random(1)
    for size in (8, 20, 50, 100):
        expected = [round(rng.uniform(1, 5000), 2) for _ in range(size)]
        actual = [value if rng.random() < 0.8 else round(value * 10, 2) for value in expected]
        prepared = prepare_tolerance_grid(expected * 16, actual * 16, 0.01)
        part = slice(size, 2 * size)
        first = best_time(lambda e=expected, a=actual: prepare_tolerance_grid(e, a, 0.01)(slice(None), slice(None)), 200)
        further = best_time(lambda grid=prepared, part=part: grid(part, part), 200)
        print(f"numeric grid {size:3} × {size:<3}  {first * 1e6:6.1f} µs alone, {further * 1e6:6.1f} µs as a part of prepared columns")


def measure_gathering() -> None:
    """Four keys of 20,000 objects, which all have them, of which a tenth has not, or of which a tenth is missing."""
    keys = ("a", "b", "c", "d")
    complete: list[Any] = [{"a": at, "b": str(at), "c": None, "d": True} for at in range(20_000)]
    partial = [{"x": "x"} if at % 10 == 0 else value for at, value in enumerate(complete)]
    absent = [MISSING if at % 10 == 0 else value for at, value in enumerate(complete)]

    def gather(column: list[Any]) -> None:
        cache = ColumnCache()
        for key in keys:
            cache.take_step(column, key)

    for name, column in (("keys that every object has", complete), ("keys that a tenth lacks", partial), ("a tenth missing", absent)):
        seconds = best_time(lambda column=column: gather(column))
        print(f"gathering {name:28} {seconds / len(column) / len(keys) * 1e9:5.0f} ns a value")


def measure_altered_lists() -> None:
    """Records with one list of which every item differs from its counterpart."""
    evaluator = {"type": "field_accuracy", "fields": RULES, "lists": {"line_items": {"align": "best"}}}
    for items in (100, 300, 1000, 2000):
        expected, actual = next(iter(pairs(1, items, every=True)))
        fw.evaluate(evaluator, expected=expected, actual=actual)
        start = time.process_time()
        fw.evaluate(evaluator, expected=expected, actual=actual)
        print(f"every item altered, {items:5} items  {(time.process_time() - start) / items * 1e6:6.0f} µs an item")


if __name__ == "__main__":
    measure_grids()
    measure_gathering()
    measure_altered_lists()
