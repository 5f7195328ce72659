"""Builds the prototype, compares its answers with those of fieldwise, and measures both beside the floor of benchmarks/fields.py.

python prototypes/native/measure.py [--quick]
"""

import ctypes
import gc
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

HERE = Path(__file__).parent
sys.path.append(str(HERE.parents[1] / "benchmarks"))

from fields import build_fieldwise, run_floor  # noqa: E402
from invoices import RULES, generate_pairs  # noqa: E402

import fieldwise as fw  # noqa: E402

MATCHES = {"exact": 0, "numeric_tolerance": 1, "fuzzy": 2, "date": 3}
RECORDS = {5: 2000, 50: 300, 200: 40}
FUZZY_THRESHOLD = 0.85
Lines = list[tuple[bytes, bytes]]


def build(folder: Path) -> Any:
    """Compile the library; prints how long that took and how large it is."""
    library = folder / "compare_lines.so"
    start = time.perf_counter()
    command = ["g++", "-std=c++17", "-O2", "-shared", "-fPIC", "-Wall", "-o", str(library), str(HERE / "compare_lines.cpp")]
    subprocess.run(command, check=True)
    print(f"compiled in {time.perf_counter() - start:.1f} s, {library.stat().st_size / 1024:.0f} KB")
    native = ctypes.CDLL(str(library))
    native.new_comparer.restype = ctypes.c_void_p
    native.add_rule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_double, ctypes.c_int]
    pointer, size = ctypes.c_char_p, ctypes.c_int64
    native.compare_lines.argtypes = [ctypes.c_void_p, pointer, size, pointer, size, ctypes.c_void_p]
    native.compare_lines.restype = ctypes.c_bool
    return native


def make_comparer(native: Any) -> Any:
    """A comparer with the rules of the benchmark."""
    comparer = native.new_comparer(b"line_items")
    for rule in RULES:
        match = rule.get("match", "exact")
        parameter = rule.get("tolerance", FUZZY_THRESHOLD if match == "fuzzy" else 0.0)
        is_item = rule["path"].startswith("line_items[*].")
        path = rule["path"].removeprefix("line_items[*].").replace(".", "\n")
        native.add_rule(comparer, path.encode(), MATCHES[match], parameter, int(is_item))
    return comparer


def compare(native: Any, comparer: Any, lines: Lines) -> list[Any]:
    """The counts of pass, fail and undecided of every line, three numbers for each rule."""
    results: list[Any] = []
    for expected, actual in lines:
        counts = (ctypes.c_int32 * (3 * len(RULES)))()
        native.compare_lines(comparer, expected, len(expected), actual, len(actual), counts)
        results.append(counts)
    return results


def check(native: Any, comparer: Any, lines: Lines) -> None:
    """Count the fields of records in which the number of passes differs, among those that were decided."""
    config = {"type": "field_accuracy", "fields": [{**rule} for rule in RULES], "lists": {"line_items": {"align": "best"}}}
    total = undecided = different = decided = 0
    for (expected, actual), counts in zip(lines, compare(native, comparer, lines), strict=True):
        result = fw.evaluate(config, expected=orjson.loads(expected), actual=orjson.loads(actual))
        passed = Counter(comparison.field for comparison in result.comparisons if comparison.passed)
        for at, rule in enumerate(RULES):
            failed, passes, open_rows = counts[3 * at], counts[3 * at + 1], counts[3 * at + 2]
            total += failed + passes + open_rows
            undecided += open_rows
            if not open_rows:
                decided += 1
                different += passes != passed[rule["path"]]
    print(f"  {total:,} comparisons, {undecided / total:.2%} undecided; the counts differ in {different} of {decided:,} fields of records")


def measure(contestant: Callable[[Lines], Any], lines: Lines, repeats: int) -> float:
    """Microseconds of CPU a record, the best of some passes, without garbage collection."""
    best = float("inf")
    gc.disable()
    for _ in range(repeats):
        start = time.process_time()
        contestant(lines)
        best = min(best, time.process_time() - start)
    gc.enable()
    return best / len(lines) * 1e6


def main() -> None:
    """Build, check, measure."""
    quick = "--quick" in sys.argv
    with tempfile.TemporaryDirectory() as folder:
        native = build(Path(folder))
        comparer = make_comparer(native)
        contestants = {
            "floor": run_floor,
            "fieldwise, read + score": build_fieldwise(),
            "prototype": lambda lines: compare(native, comparer, lines),
        }
        for items, records in RECORDS.items():
            pairs = generate_pairs(records // (4 if quick else 1), items, seed=1)
            lines = [(orjson.dumps(expected), orjson.dumps(actual)) for expected, actual in pairs]
            print(f"{items} items")
            check(native, comparer, lines[: 400 if items < 50 else 40])
            times = {name: measure(contestant, lines, 3 if quick else 7) for name, contestant in contestants.items()}
            for name, micros in times.items():
                print(f"  {name:24} {micros:9,.1f} µs a record  {micros / times['floor']:6.2f} × floor")


if __name__ == "__main__":
    main()
