"""Cost of storing a run: size on disk, share of the run's time, and the time of queries.

    python benchmarks/store.py [CASES]

100,000 cases of 50 values by default: invoices with 26 fields and 4 lines of 6 fields, matched by rules of the usual kinds (exact, fuzzy,
numeric, date), one value in ten wrong. Three shares are printed: storing relative to the wall time of the run; storing relative to the
CPU time of the thread that reads, scores and hands over, which does not depend on the load of the machine; and storing, including the
thread that writes, relative to the CPU time of all threads.
"""

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fieldwise.store.writer
from fieldwise import api
from fieldwise.store.arrow_tables import ArrowTable
from fieldwise.store.manifest import Part
from fieldwise.store.run import Run, open_run
from fieldwise.store.run_metrics import compare_runs

WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu")
MATCHES: tuple[dict[str, Any], ...] = (
    {"match": "exact"},
    {"match": "fuzzy"},
    {"match": "exact"},
    {"match": "numeric_tolerance", "tolerance": 0.01},
    {"match": "date"},
)
"""Field number `n` is matched by entry `n % 5`, which also decides whether its values are texts, numbers or dates."""
NUMBER_KIND, DATE_KIND = 3, 4
HEAD_FIELDS, LINES, LINE_FIELDS = 26, 4, 6
WRONG_SHARE = 0.1
REPEATS = 3


def generate_value(field_number: int, case: int, rng: random.Random) -> Any:
    """Generate the expected value of a field."""
    kind = field_number % len(MATCHES)
    if kind == NUMBER_KIND:
        return round(rng.random() * 1000, 2)
    if kind == DATE_KIND:
        return f"2024-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    return f"{rng.choice(WORDS)} {rng.choice(WORDS)} {case}"


def generate_record(case: int, rng: random.Random) -> dict[str, Any]:
    """Generate the expected record of a case."""
    record: dict[str, Any] = {f"f{number:02d}": generate_value(number, case, rng) for number in range(HEAD_FIELDS)}
    record["lines"] = []
    for line in range(LINES):
        record["lines"].append({f"l{number}": generate_value(number, case * 10 + line, rng) for number in range(LINE_FIELDS)})
    return record


def alter_value(value: Any, rng: random.Random) -> Any:
    """Return a wrong value."""
    if isinstance(value, float):
        return value * 10
    return rng.choice((value.upper(), value[:-1], value.replace("a", "o", 1) + " x", None))


def alter_fields(fields: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Return a copy with one value in ten wrong."""
    return {name: alter_value(value, rng) if rng.random() < WRONG_SHARE else value for name, value in fields.items()}


def alter_record(expected: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Return a copy with one value in ten wrong, in the record and in its lines."""
    head = {name: value for name, value in expected.items() if name != "lines"}
    altered_head = alter_fields(head, rng)
    return {**altered_head, "lines": [alter_fields(line, rng) for line in expected["lines"]]}


def write_cases(path: Path, cases: int) -> None:
    """Write this many invoices to a JSONL file."""
    rng = random.Random(0)
    with path.open("w") as file:
        for case in range(cases):
            expected = generate_record(case, rng)
            file.write(json.dumps({"id": f"c{case}", "expected": expected, "actual": alter_record(expected, rng)}) + "\n")


def build_suite(data: Path) -> dict[str, Any]:
    """A suite with a rule for every field."""
    rules = [{"path": f"f{number:02d}", **MATCHES[number % len(MATCHES)]} for number in range(HEAD_FIELDS)]
    rules += [{"path": f"lines[*].l{number}", **MATCHES[number % len(MATCHES)]} for number in range(LINE_FIELDS)]
    fields = {"type": "field_accuracy", "name": "fields", "fields": rules, "lists": {"lines": {"align": "best"}}}
    return {"name": "store", "cases": str(data), "evaluators": [fields]}


class FunctionTimer:
    """Wall and CPU seconds spent in functions that it wraps."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0

    def wrap(self, owner: Any, name: str) -> None:
        """Replace a function of a module or class by one that adds its time here."""
        function: Callable[..., Any] = getattr(owner, name)

        def call_and_time(*arguments: Any, **options: Any) -> Any:
            wall_before, cpu_before = time.perf_counter(), time.thread_time()
            try:
                return function(*arguments, **options)
            finally:
                self.wall += time.perf_counter() - wall_before
                self.cpu += time.thread_time() - cpu_before

        setattr(owner, name, call_and_time)


def query_fields(run: Run) -> ArrowTable:
    """Compute the table of fields from the Parquet files."""
    query = """select field, count(*), avg(coalesce(similarity, 0)), sum(passed::int), mode(cause)
               from comparisons where outcome not in ('both_absent', 'ignored') group by field order by field"""
    return run.sql(query)


def measure_best_time(function: Callable[[], Any]) -> tuple[float, Any]:
    """Shortest wall time of several calls, and the result of the last call."""
    times: list[float] = []
    result: Any = None
    for _ in range(REPEATS):
        started = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - started)
    return min(times), result


def sum_megabytes(parts: tuple[Part, ...], table: str | None = None) -> float:
    """Megabytes on disk, of one table or of all."""
    total = 0
    for part in parts:
        total += sum(file.bytes for file in part.files if table in (None, file.table))
    return total / 1e6


def report_run(data: Path, root: Path, cases: int) -> Run:
    """Run and store, and print the time and the size."""
    scoring_thread, writing_thread = FunctionTimer(), FunctionTimer()
    for name in ("__init__", "write", "close", "finish"):
        scoring_thread.wrap(fieldwise.store.writer.RunWriter, name)
    writing_thread.wrap(fieldwise.store.writer, "write_part")
    suite = build_suite(data)
    wall_before, thread_before, process_before = time.perf_counter(), time.thread_time(), time.process_time()
    run = api.run(suite, root=root)
    wall = time.perf_counter() - wall_before
    thread_cpu = time.thread_time() - thread_before
    process_cpu = time.process_time() - process_before
    storing_cpu = scoring_thread.cpu + writing_thread.cpu
    size = sum_megabytes(run.parts)
    table_sizes = ", ".join(f"{table} {sum_megabytes(run.parts, table):.0f}" for table in ("cases", "results", "comparisons"))
    print(f"{cases:,} cases of {HEAD_FIELDS + LINES * LINE_FIELDS} values, {data.stat().st_size / 1e6:,.0f} MB of JSON")
    print(f"run               {wall:7.1f} s   {wall / cases * 1e6:.0f} µs per case; {process_cpu:.1f} s of CPU")
    print(f"storing           {scoring_thread.wall:7.1f} s   {scoring_thread.wall / wall:.0%} of the wall time of the run")
    print(f"  scoring thread  {scoring_thread.cpu:7.1f} s   {scoring_thread.cpu / thread_cpu:.0%} of the CPU time of that thread")
    print(f"  writing thread  {writing_thread.cpu:7.1f} s   {storing_cpu / process_cpu:.0%} of the CPU time of all threads, both together")
    print(f"stored            {size:7.1f} MB  {size * 1e6 / cases:.0f} bytes per case, in {len(run.parts)} parts")
    print(f"                  {table_sizes}")
    return run


def report_queries(run: Run, root: Path, cases: int) -> None:
    """Query a stored run, and print the times."""
    summary_seconds, fields = measure_best_time(lambda: open_run(root).fields("fields"))
    query_seconds, table = measure_best_time(lambda: query_fields(run))
    assert len(fields) == table.num_rows == HEAD_FIELDS + LINE_FIELDS
    print(f"table of fields   {summary_seconds:7.3f} s   from the summary of the run; {query_seconds:.3f} s from the Parquet files, by SQL")
    case_seconds, _ = measure_best_time(lambda: list(run.results(case=f"c{cases // 2}")))
    print(f"one case          {case_seconds:7.3f} s")
    compare_seconds, _ = measure_best_time(lambda: compare_runs(run, run))
    print(f"compare two runs  {compare_seconds:7.1f} s")


def main() -> None:
    """Write the cases, run and store them, and query the run."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        data, root = Path(folder, "cases.jsonl"), Path(folder, "store")
        write_cases(data, cases)
        run = report_run(data, root, cases)
        report_queries(run, root, cases)


if __name__ == "__main__":
    main()
