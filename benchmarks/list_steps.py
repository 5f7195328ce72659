"""Measure the most expensive steps of list matching: numeric grids, gathering columns, and long lists in which every item is altered.

    python benchmarks/list_steps.py

Times are CPU time, the best of several repeats. There are no peers here; `fields.py` compares whole records with them.
"""

import random
import time
from collections.abc import Callable
from functools import partial
from itertools import repeat
from typing import Any

from invoices import RULES, generate_pairs

import fieldwise as fw
from fieldwise.kernels.runtime import throughput_settings
from fieldwise.kernels.tolerance import prepare_tolerance_grid
from fieldwise.model.values import MISSING
from fieldwise.score.columns import ColumnCache

REPEATS = 30
KEYS = ("a", "b", "c", "d")
OBJECTS = 20_000


def measure_best_time(function: Callable[[], Any], calls: int = 1) -> float:
    """CPU seconds of one call, the best of `REPEATS`; `calls` are timed together."""
    best = float("inf")
    with throughput_settings():
        for _ in range(REPEATS):
            start = time.process_time()
            for _ in range(calls):
                function()
            best = min(best, (time.process_time() - start) / calls)
    return best


def measure_grids() -> None:
    """Compare all numbers of two lists with a tolerance: with new columns, and as a part of columns that are prepared already."""
    rng = random.Random(1)
    for size in (8, 20, 50, 100):
        expected = [round(rng.uniform(1, 5000), 2) for _ in range(size)]
        actual = [value if rng.random() < 0.8 else round(value * 10, 2) for value in expected]
        compute_grid = prepare_tolerance_grid(expected * 16, actual * 16, 0.01)
        part = slice(size, 2 * size)
        alone = measure_best_time(partial(prepare_and_compute_grid, expected, actual), 200)
        prepared = measure_best_time(partial(compute_grid, part, part), 200)
        print(f"numeric grid {size:3} × {size:<3}  {alone * 1e6:6.1f} µs alone, {prepared * 1e6:6.1f} µs as a part of prepared columns")


def prepare_and_compute_grid(expected: list[float], actual: list[float]) -> None:
    prepare_tolerance_grid(expected, actual, 0.01)(slice(None), slice(None))


def measure_gathering() -> None:
    """Gather four keys of objects: all have the keys, a tenth of them lack the keys, or a tenth of the objects are missing."""
    complete: list[Any] = [{"a": number, "b": str(number), "c": None, "d": True} for number in range(OBJECTS)]
    without_keys = [{"x": "x"} if number % 10 == 0 else value for number, value in enumerate(complete)]
    without_objects = [MISSING if number % 10 == 0 else value for number, value in enumerate(complete)]
    columns = {
        "keys that every object has": complete,
        "keys that a tenth lacks": without_keys,
        "a tenth missing": without_objects,
    }
    for name, column in columns.items():
        seconds = measure_best_time(partial(gather_keys, column))
        print(f"gathering {name:28} {seconds / len(column) / len(KEYS) * 1e9:5.0f} ns per value")
    seconds = measure_best_time(partial(get_keys, without_keys))
    print(f"`dict.get` of the same keys, and nothing else {seconds / OBJECTS / len(KEYS) * 1e9:2.0f} ns per value")


def gather_keys(column: list[Any]) -> None:
    cache = ColumnCache()
    for key in KEYS:
        cache.take_step(column, key)


def get_keys(column: list[Any]) -> None:
    for key in KEYS:
        list(map(dict.get, column, repeat(key), repeat(MISSING)))


def measure_altered_lists() -> None:
    """Score a record with one list in which every item differs from its counterpart; the second call counts."""
    evaluator = {"type": "field_accuracy", "fields": RULES, "lists": {"line_items": {"align": "best"}}}
    for items in (100, 300, 1000, 2000):
        expected, actual = next(generate_pairs(1, items, alter_every_item=True))
        fw.evaluate(evaluator, expected=expected, actual=actual)
        start = time.process_time()
        fw.evaluate(evaluator, expected=expected, actual=actual)
        print(f"every item altered, {items:5} items  {(time.process_time() - start) / items * 1e6:6.0f} µs per item")


if __name__ == "__main__":
    measure_grids()
    measure_gathering()
    measure_altered_lists()
