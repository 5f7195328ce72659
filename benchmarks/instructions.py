"""Machine instructions of the paths that users notice, counted by valgrind: the same on a busy machine as on an idle one.

    python benchmarks/instructions.py            count, and say what moved by more than 10 % (exit 1 if something did)
    python benchmarks/instructions.py --write    count, and write benchmarks/instructions.json

The data and the hash seed are fixed. Start-up paths are processes of their own, counted from beginning to end. The other paths run in one
process, each once before it is counted; `os.getsid`, which nothing else calls, marks where a path begins and ends, and callgrind writes a
count at each mark. Counts depend on the versions of Python and of the libraries, so these are written too.
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
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import Any

from invoices import RULES, pairs

FILE = Path(__file__).with_suffix(".json")
LISTS = {"line_items": {"align": "best"}}
MOVED = 0.1
"""A path that moved by a larger share is reported."""
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
RECORD = {"number": "A-1", "total": 5.5, "vendor": "Acme", "date": "2024-03-01", "paid": True}
MISREAD = {"number": "A-1", "total": 5.6, "vendor": "ACME", "date": "2024-03-01", "paid": True}


def write_cases(file: Path, cases: list[tuple[Any, Any]]) -> str:
    """Write cases as JSON lines; the path of the file."""
    lines = [json.dumps({"id": f"c{at}", "expected": expected, "actual": actual}) for at, (expected, actual) in enumerate(cases)]
    file.write_text("\n".join(lines))
    return str(file)


def build_paths(folder: Path) -> dict[str, Callable[[], Any]]:
    """Every path that is counted in one process, by its name."""
    import fieldwise as fw
    from fieldwise.cli._report import write_outputs

    evaluator = {"type": "field_accuracy", "fields": [{"path": name, "match": "exact"} for name in RECORD]}
    paths: dict[str, Callable[[], Any]] = {
        "evaluate, one case of 5 fields": lambda: fw.evaluate(evaluator, expected=RECORD, actual=MISREAD)
    }
    for rules in (10, 1000):
        record = {f"field{at}": f"value {at}" for at in range(rules)}
        fields = [{"path": name, "match": "fuzzy"} for name in record]
        suite = {
            "cases": write_cases(folder / f"rules{rules}.jsonl", [(record, record)]),
            "evaluators": [{"type": "field_accuracy", "fields": fields}],
        }
        paths[f"run of one case, {rules} rules"] = lambda suite=suite: fw.run(suite, root=folder / "runs")
    for items, records in RECORDS_BY_ITEMS.items():
        cases = write_cases(folder / f"items{items}.jsonl", list(pairs(records, items, seed=1)))
        suite = {"cases": cases, "evaluators": [{"type": "field_prf", "fields": RULES, "lists": LISTS}]}
        paths[f"run of {records} cases, {items} items"] = lambda suite=suite: fw.run(suite, root=folder / "runs")
    base, new = (make_run(fw, folder, seed) for seed in (1, 2))
    paths["compare, 100 cases of 25 fields"] = lambda: fw.compare(base, new)
    paths["JSON of 100 cases of 25 fields"] = lambda: write_outputs(base, [str(folder / "run.json")])
    return paths


def make_run(fw: Any, folder: Path, seed: int) -> Any:
    """A stored run of 100 cases of 25 fields, of which one in ten is wrong."""
    rng = random.Random(seed)
    expected = {f"field{at}": f"value {at}" for at in range(25)}
    cases = [(expected, {name: value if rng.random() < 0.9 else "wrong" for name, value in expected.items()}) for _ in range(100)]
    fields = [{"path": name, "match": "exact"} for name in expected]
    suite = {"cases": write_cases(folder / f"seed{seed}.jsonl", cases), "evaluators": [{"type": "field_accuracy", "fields": fields}]}
    return fw.run(suite, root=folder / "runs")


def work(folder: Path) -> None:
    """Run every path twice, with marks around the second time. Called under callgrind."""
    with redirect_stderr(StringIO()):  # the names of written files
        for name, path in build_paths(folder).items():
            path()
            os.getsid(0)
            path()
            os.getsid(0)
            print(name, flush=True)


def count(folder: Path, command: list[str]) -> tuple[list[int], list[str]]:
    """The instructions between the marks of a command, the last number up to its end; and the lines that it printed."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPYCACHEPREFIX": str(folder / "bytecode"), "OPENBLAS_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    output = folder / "callgrind"
    for file in folder.glob("callgrind*"):
        file.unlink()
    subprocess.run([*command], env=environment, cwd=folder, capture_output=True, check=True)  # compiles every module
    valgrind = ["valgrind", "--tool=callgrind", "--dump-before=getsid", f"--callgrind-out-file={output}"]
    done = subprocess.run([*valgrind, *command], env=environment, cwd=folder, capture_output=True, text=True, check=True)
    dumps = sorted(folder.glob("callgrind.*"), key=lambda file: int(file.suffix[1:]))
    totals = [re.search(r"^totals: (\d+)", file.read_text(), re.MULTILINE) for file in (*dumps, output)]
    return [int(total[1]) for total in totals if total is not None], done.stdout.splitlines()


def count_all() -> dict[str, int]:
    """Instructions by path."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "one.eval.yaml").write_text(ONE_CASE_SUITE)
        write_cases(folder / "one.jsonl", [(RECORD, MISREAD)])
        counts: dict[str, int] = {}
        for command in ("check", "run"):
            totals, _ = count(folder, [sys.executable, "-m", "fieldwise", command, "one.eval.yaml"])
            counts[f"fieldwise {command}, one case"] = sum(totals)
            print(f"{counts[f'fieldwise {command}, one case'] / 1e6:10,.1f} M  fieldwise {command}, one case", flush=True)
        totals, names = count(folder, [sys.executable, str(Path(__file__).resolve()), "--work", name])
        measured = totals[1::2][: len(names)]  # before the first mark, between two marks, between two paths, …
        for path, instructions in zip(names, measured, strict=True):
            counts[path] = instructions
            print(f"{instructions / 1e6:10,.1f} M  {path}", flush=True)
        return counts


def report_moves(counts: dict[str, int]) -> bool:
    """Print the paths that moved; whether there are any."""
    if not FILE.exists():
        print(f"there are no counts to compare with: write them with --write to {FILE.name}")
        return False
    before = json.loads(FILE.read_text())
    if before["versions"] != describe_versions():
        print(f"the committed counts were made with {before['versions']}: a move may come from there")
    moved = False
    for path, instructions in counts.items():
        earlier = before["instructions"].get(path)
        if earlier is None:
            print(f"new: {path}")
        elif abs(instructions / earlier - 1) > MOVED:
            moved = True
            print(f"moved by {instructions / earlier - 1:+.0%}: {path}: {earlier / 1e6:,.1f} M became {instructions / 1e6:,.1f} M")
    for path in before["instructions"].keys() - counts.keys():
        print(f"gone: {path}")
    print("something moved by more than 10 %" if moved else "nothing moved by more than 10 %")
    return moved


def describe_versions() -> dict[str, str]:
    """Versions that decide the counts."""
    return {"python": platform.python_version(), "machine": platform.machine(), **{name: version(name) for name in LIBRARIES}}


def main() -> None:
    """Count, then compare or write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the counts instead of comparing with them")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        work(arguments.work)
        return
    counts = count_all()
    if arguments.write:
        FILE.write_text(json.dumps({"versions": describe_versions(), "instructions": counts}, indent=2) + "\n")
    elif report_moves(counts):
        sys.exit(1)


if __name__ == "__main__":
    main()
