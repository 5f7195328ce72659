"""CPU time of what people do every day: start-up, one case, many rules, exports, comparisons, two workers, and other data than invoices.

    python benchmarks/everyday.py [--baseline CHECKOUT] [--rounds 5] [--records 40000] [--only TEXT]

With `--baseline`, the folder of another checkout of fieldwise, both versions run in turns, each measurement in a new process, and the last
column is the median ratio of neighbouring measurements. The absolute times of a shared machine change from hour to hour; ratios do less.
Each process compiles nothing: bytecode is written before the first round.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr
from functools import partial
from io import StringIO
from pathlib import Path
from statistics import median
from typing import Any

from instructions import ACTUAL_RECORD, EXPECTED_RECORD, ONE_CASE_SUITE, store_run, write_cases
from invoices import RULES, generate_pairs
from kinds import KINDS
from million import EVALUATORS, generate, read_cpu_seconds

SOURCE = Path(__file__).resolve().parent.parent
COMMANDS = {
    "fieldwise check, one case": ["check", "one.eval.yaml"],
    "fieldwise run, one case": ["run", "one.eval.yaml"],
    "fieldwise run, 40 cases": ["run", "forty.eval.yaml"],
}
"""Commands that are measured as whole processes."""
EXACT_FIELDS = [{"path": name, "match": "exact"} for name in EXPECTED_RECORD]
MIXED_FIELDS = [
    {"path": "number", "match": "exact"},
    {"path": "total", "match": "numeric_tolerance", "tolerance": 0.01},
    {"path": "vendor", "match": "fuzzy"},
    {"path": "date", "match": "date"},
    {"path": "paid", "match": "exact"},
]


def main() -> None:
    """Measure every row in turns, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--baseline", type=Path, metavar="CHECKOUT", help="another checkout of fieldwise, to measure in turns")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--records", type=int, default=40_000, help="invoices of the run with two workers, a multiple of 10,000")
    parser.add_argument("--only", default="", metavar="TEXT", help="measure the rows with this text in their names")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(MEASUREMENTS[arguments.measure]())
        return
    checkouts = [SOURCE] if arguments.baseline is None else [arguments.baseline.resolve(), SOURCE]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_data(Path(folder), arguments.records)
        for row in (row for row in (*COMMANDS, *MEASUREMENTS) if arguments.only in row):
            print_row(row, checkouts, arguments.rounds)


def write_data(folder: Path, records: int) -> None:
    """Write the suites and cases that the measurements read."""
    (folder / "one.eval.yaml").write_text(ONE_CASE_SUITE)
    write_cases(folder / "one.jsonl", [(EXPECTED_RECORD, ACTUAL_RECORD)])
    write_cases(folder / "forty.jsonl", [*generate_pairs(40, 5)])
    fields = {"type": "field_accuracy", "fields": RULES, "lists": {"line_items": {"align": "best"}}}
    (folder / "forty.eval.yaml").write_text(json.dumps({"cases": "forty.jsonl", "evaluators": [fields]}))
    generate(folder / "invoices.jsonl", records)
    generate(folder / "export.jsonl", 10_000)


def print_row(row: str, checkouts: list[Path], rounds: int) -> None:
    """Measure a row in every checkout in turns, and print medians and the ratio of neighbouring measurements."""
    for checkout in list(checkouts):
        try:
            measure_in_process(row, checkout)  # compiles every module; not counted
        except subprocess.CalledProcessError as error:
            print(f"{row:58} cannot be measured in {checkout.name}: {error.stderr.strip().splitlines()[-1]}")
            checkouts = [other for other in checkouts if other != checkout]
    figures: list[list[float]] = [[] for _ in checkouts]
    for _ in range(rounds):
        for position, checkout in enumerate(checkouts):
            figures[position].append(measure_in_process(row, checkout))
    cells = [f"{median(column):10.4f}" for column in figures]
    if len(figures) > 1:
        cells.append(f"{median(new / old for old, new in zip(*figures, strict=True)):6.2f} ×")
    print(f"{row:58} " + "  ".join(cells), flush=True)


def measure_in_process(row: str, checkout: Path) -> float:
    """The figure of a row in a new process that imports fieldwise from this checkout."""
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if row in COMMANDS:
        before = read_cpu_seconds()
        command = [sys.executable, "-m", "fieldwise", *COMMANDS[row]]
        subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        return read_cpu_seconds() - before
    command = [sys.executable, __file__, "--measure", row]
    return float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def measure_evaluation(fields: list[dict[str, Any]], actual: dict[str, Any]) -> float:
    """Milliseconds of `fw.evaluate` of one case, the best of several rounds."""
    import fieldwise as fw

    evaluator = {"type": "field_accuracy", "fields": fields}

    def evaluate_often() -> None:
        for _ in range(200):
            fw.evaluate(evaluator, expected=EXPECTED_RECORD, actual=actual)

    return min(measure_cpu(evaluate_often) for _ in range(10)) / 200 * 1e3


def measure_rules(rules: int) -> float:
    """Milliseconds of a run of one case with this many rules in a process that has done it before."""
    import fieldwise as fw

    record = {f"field{number}": f"value {number}" for number in range(rules)}
    fields = [{"path": name, "match": "fuzzy"} for name in record]
    cases = write_cases(Path(f"rules{rules}.jsonl"), [(record, record)])
    suite = {"cases": cases, "evaluators": [{"type": "field_accuracy", "fields": fields}]}
    return min(measure_cpu(lambda: fw.run(suite, root="runs")) for _ in range(8)) * 1e3


def measure_comparison() -> float:
    """Seconds of `fw.compare` of two runs of 5,000 cases with 25 fields."""
    import fieldwise as fw

    base, new = (store_run(fw, Path(), seed, cases=5_000) for seed in (1, 2))
    return min(measure_cpu(lambda: fw.compare(base, new)) for _ in range(2))


def measure_export() -> float:
    """CPU time of writing a run of 10,000 invoices with three evaluators as JSON, relative to the run itself."""
    import fieldwise as fw

    started = time.process_time()
    run = fw.run({"cases": "export.jsonl", "evaluators": EVALUATORS}, root="runs")
    seconds = time.process_time() - started
    return measure_cpu(lambda: write_json(run)) / seconds


def write_json(run: Any) -> None:
    from fieldwise.cli._report import write_outputs

    with redirect_stderr(StringIO()):  # hides the name of the written file
        write_outputs(run, ["run.json"])


def measure_workers() -> float:
    """CPU microseconds for each invoice of a run with three evaluators and two workers."""
    import fieldwise as fw

    with Path("invoices.jsonl").open("rb") as file:
        records = sum(1 for _ in file)
    before = read_cpu_seconds()
    fw.run({"cases": "invoices.jsonl", "evaluators": EVALUATORS}, root="runs", workers=2)
    return (read_cpu_seconds() - before) / records * 1e6


def measure_kind(name: str) -> float:
    """Milliseconds of a run of 1,000 cases in a process that has done it before, the best of five."""
    import fieldwise as fw

    folder = Path(tempfile.mkdtemp(dir="."))
    suite = KINDS[name](folder, 1000)
    fw.run(suite, root=folder / "runs")
    return min(measure_cpu(lambda: fw.run(suite, root=folder / "runs")) for _ in range(5)) * 1e3


def measure_cpu(function: Callable[[], Any]) -> float:
    """CPU seconds of one call."""
    started = time.process_time()
    function()
    return time.process_time() - started


MEASUREMENTS: dict[str, Callable[[], float]] = {
    "fw.evaluate, 5 exact fields, all right (ms)": lambda: measure_evaluation(EXACT_FIELDS, EXPECTED_RECORD),
    "fw.evaluate, 5 exact fields, two wrong (ms)": lambda: measure_evaluation(EXACT_FIELDS, ACTUAL_RECORD),
    "fw.evaluate, 5 fields of four matches, one wrong (ms)": lambda: measure_evaluation(MIXED_FIELDS, ACTUAL_RECORD),
    "run of one case, 10 rules, warm (ms)": lambda: measure_rules(10),
    "run of one case, 1,000 rules, warm (ms)": lambda: measure_rules(1000),
    "compare, 5,000 cases of 25 fields (s)": measure_comparison,
    "JSON of 10,000 invoices, three evaluators ÷ their run": measure_export,
    "invoices, three evaluators, 2 workers (µs each)": measure_workers,
    **{f"1,000 cases, {name} (ms)": partial(measure_kind, name) for name in KINDS},
}


if __name__ == "__main__":
    main()
