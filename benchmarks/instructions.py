"""Count the machine instructions of code paths that users notice, with valgrind. Counts do not depend on the load of the machine.

    python benchmarks/instructions.py            count, and report paths that changed by more than 10 % (exit code 1 if there are any)
    python benchmarks/instructions.py --write    count, and write benchmarks/instructions.json

The data and the hash seed are fixed. Start-up paths run in their own process, which is counted from beginning to end. The other paths run
in one process, each once before it is counted. `os.getsid`, which nothing else calls, marks where a path begins and ends: callgrind writes
a count at each call. Counts depend on the versions of Python and of the libraries, so the versions are written too.
"""

import argparse
import json
import os
import platform
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr
from functools import partial
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import Any

from invoices import RULES, generate_pairs
from kinds import KINDS

COUNTS_FILE = Path(__file__).with_suffix(".json")
LISTS = {"line_items": {"align": "best"}}
MAX_CHANGE = 0.1
"""A path whose count changed by a larger share is reported."""
LIBRARIES = ("click", "numpy", "orjson", "pyarrow", "pydantic", "rapidfuzz")
RECORDS_BY_ITEMS = {5: 50, 50: 6, 200: 2}
ONE_CASE_SUITE = """
cases: one.jsonl
evaluators:
  - type: field_accuracy
    fields:
      - {path: number, match: exact}
      - {path: total, match: numeric_tolerance, tolerance: 0.01}
      - {path: vendor, match: fuzzy}
      - {path: date, match: date}
  - {type: field_prf}
gate: {field_accuracy.score: ">= 0.1"}
"""
EXPECTED_RECORD = {"number": "A-1", "total": 5.5, "vendor": "Acme", "date": "2024-03-01", "paid": True}
ACTUAL_RECORD = {"number": "A-1", "total": 5.6, "vendor": "ACME", "date": "2024-03-01", "paid": True}
CodePath = Callable[[], Any]


def write_cases(file: Path, pairs: list[tuple[Any, Any]]) -> str:
    """Write pairs of records as cases of a JSONL file, and return its path."""
    lines: list[str] = []
    for number, (expected, actual) in enumerate(pairs):
        lines.append(json.dumps({"id": f"c{number}", "expected": expected, "actual": actual}))
    file.write_text("\n".join(lines))
    return str(file)


def build_paths(folder: Path) -> dict[str, CodePath]:
    """Every path that is counted in the common process, by name."""
    import fieldwise as fw
    from fieldwise.cli._report import write_outputs

    evaluator = {"type": "field_accuracy", "fields": [{"path": name, "match": "exact"} for name in EXPECTED_RECORD]}
    paths: dict[str, CodePath] = {
        "evaluate, one case of 5 fields": lambda: fw.evaluate(evaluator, expected=EXPECTED_RECORD, actual=ACTUAL_RECORD)
    }
    for rules in (10, 1000):
        record = {f"field{number}": f"value {number}" for number in range(rules)}
        fields = [{"path": name, "match": "fuzzy"} for name in record]
        cases = write_cases(folder / f"rules{rules}.jsonl", [(record, record)])
        suite = {"cases": cases, "evaluators": [{"type": "field_accuracy", "fields": fields}]}
        paths[f"run of one case, {rules} rules"] = partial(fw.run, suite, root=folder / "runs")
    for items, records in RECORDS_BY_ITEMS.items():
        cases = write_cases(folder / f"items{items}.jsonl", list(generate_pairs(records, items, seed=1)))
        suite = {"cases": cases, "evaluators": [{"type": "field_prf", "fields": RULES, "lists": LISTS}]}
        paths[f"run of {records} cases, {items} items"] = partial(fw.run, suite, root=folder / "runs")
    for name, build_suite in KINDS.items():
        (folder / name).mkdir(exist_ok=True)
        paths[f"run of 50 cases, {name}"] = partial(fw.run, build_suite(folder / name, 50), root=folder / "runs")
    base, new = store_run(fw, folder, seed=1), store_run(fw, folder, seed=2)
    paths["compare, 100 cases of 25 fields"] = lambda: fw.compare(base, new)
    paths["JSON of 100 cases of 25 fields"] = lambda: write_outputs(base, [str(folder / "run.json")])
    return paths


def store_run(fw: Any, folder: Path, seed: int, cases: int = 100) -> Any:
    """Store a run of cases of 25 fields, of which one in ten is wrong."""
    rng = random.Random(seed)
    expected = {f"field{number}": f"value {number}" for number in range(25)}
    pairs: list[tuple[Any, Any]] = []
    for _ in range(cases):
        actual = {name: value if rng.random() < 0.9 else "wrong" for name, value in expected.items()}
        pairs.append((expected, actual))
    fields = [{"path": name, "match": "exact"} for name in expected]
    suite = {"cases": write_cases(folder / f"seed{seed}.jsonl", pairs), "evaluators": [{"type": "field_accuracy", "fields": fields}]}
    return fw.run(suite, root=folder / "runs")


def run_paths(folder: Path) -> None:
    """Run every path twice, with marks around the second time. Called under callgrind."""
    with redirect_stderr(StringIO()):  # hides the names of written files
        for name, run_path in build_paths(folder).items():
            run_path()
            os.getsid(0)
            run_path()
            os.getsid(0)
            print(name, flush=True)


def count_instructions(folder: Path, command: list[str]) -> tuple[list[int], list[str]]:
    """Run a command under callgrind: the instructions before each mark since the previous one, and after the last; and its output lines."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPYCACHEPREFIX": str(folder / "bytecode"), "OPENBLAS_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    output = folder / "callgrind"
    for file in folder.glob("callgrind*"):
        file.unlink()
    subprocess.run(command, env=environment, cwd=folder, capture_output=True, check=True)  # compiles every module
    valgrind = ["valgrind", "--tool=callgrind", "--dump-before=getsid", f"--callgrind-out-file={output}"]
    process = subprocess.run([*valgrind, *command], env=environment, cwd=folder, capture_output=True, text=True, check=True)
    dumps = sorted(folder.glob("callgrind.*"), key=lambda file: int(file.suffix[1:]))
    counts: list[int] = []
    for file in (*dumps, output):
        total = re.search(r"^totals: (\d+)", file.read_text(), re.MULTILINE)
        if total is not None:
            counts.append(int(total[1]))
    return counts, process.stdout.splitlines()


def count_all_paths() -> dict[str, int]:
    """Count and print the instructions of every path."""
    counts: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "one.eval.yaml").write_text(ONE_CASE_SUITE)
        write_cases(folder / "one.jsonl", [(EXPECTED_RECORD, ACTUAL_RECORD)])
        # several cases have intervals and causes, which a single case may not
        write_cases(folder / "forty.jsonl", [*generate_pairs(40, 5)])
        suite = {"cases": "forty.jsonl", "evaluators": [{"type": "field_accuracy", "fields": RULES, "lists": LISTS}]}
        (folder / "forty.eval.yaml").write_text(json.dumps(suite))
        startup_paths = {
            "fieldwise check, one case": ["check", "one.eval.yaml"],
            "fieldwise run, one case": ["run", "one.eval.yaml"],
            "fieldwise run, 40 cases of 5 items": ["run", "forty.eval.yaml"],
        }
        for path, arguments in startup_paths.items():
            intervals, _ = count_instructions(folder, [sys.executable, "-m", "fieldwise", *arguments])
            counts[path] = sum(intervals)
            print_count(path, counts[path])
        intervals, paths = count_instructions(folder, [sys.executable, str(Path(__file__).resolve()), "--work", name])
        # The intervals are: before the first mark, the first path, between the first and the second path, the second path, …
        path_intervals = intervals[1::2][: len(paths)]
        for path, instructions in zip(paths, path_intervals, strict=True):
            counts[path] = instructions
            print_count(path, instructions)
    return counts


def print_count(path: str, instructions: int) -> None:
    print(f"{instructions / 1e6:10,.1f} M  {path}", flush=True)


def report_changes(counts: dict[str, int]) -> bool:
    """Compare counts with the committed ones, and print the differences. True if a count changed by more than `MAX_CHANGE`."""
    if not COUNTS_FILE.exists():
        print(f"no counts to compare with: run with --write to create {COUNTS_FILE.name}")
        return False
    committed = json.loads(COUNTS_FILE.read_text())
    if committed["versions"] != describe_versions():
        print(f"the committed counts are of other versions, which may explain differences: {committed['versions']}")
    has_changed = False
    for path, instructions in counts.items():
        before = committed["instructions"].get(path)
        if before is None:
            print(f"new: {path}")
            continue
        change = instructions / before - 1
        if abs(change) > MAX_CHANGE:
            has_changed = True
            print(f"changed by {change:+.0%}: {path}: from {before / 1e6:,.1f} M to {instructions / 1e6:,.1f} M")
    for path in committed["instructions"].keys() - counts.keys():
        print(f"removed: {path}")
    print(f"{'some' if has_changed else 'no'} counts changed by more than {MAX_CHANGE:.0%}")
    return has_changed


def describe_versions() -> dict[str, str]:
    """Versions on which the counts depend."""
    return {"python": platform.python_version(), "machine": platform.machine(), **{name: version(name) for name in LIBRARIES}}


def main() -> None:
    """Count, then compare or write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the counts instead of comparing with them")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        run_paths(arguments.work)
        return
    counts = count_all_paths()
    if arguments.write:
        COUNTS_FILE.write_text(json.dumps({"versions": describe_versions(), "instructions": counts}, indent=2) + "\n")
    elif report_changes(counts):
        sys.exit(1)


if __name__ == "__main__":
    main()
