"""What storing a run costs: size on disk, its share of the run, and how fast it answers.

    python benchmarks/store.py [CASES]

100,000 cases of 50 values by default: invoices with 26 fields and 4 lines of 6, matched by rules of the usual kinds (exact, fuzzy,
numeric, date), one value in ten wrong. The share of storing is taken three times: of the time that the run takes, of the work of the
thread that reads, scores and hands over (which does not depend on what else the machine does), and of the work of all threads.
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
KINDS: tuple[dict[str, Any], ...] = (
    {"match": "exact"},
    {"match": "fuzzy"},
    {"match": "exact"},
    {"match": "numeric_tolerance", "tolerance": 0.01},
    {"match": "date"},
)
HEAD, LINES, WIDTH = 26, 4, 6


def value(kind: int, case: int, rng: random.Random) -> Any:
    """What is expected of a field of this kind."""
    if kind == 3:
        return round(rng.random() * 1000, 2)
    if kind == 4:
        return f"2024-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    return f"{rng.choice(WORDS)} {rng.choice(WORDS)} {case}"


def wrong(given: Any, rng: random.Random) -> Any:
    """The same, misread."""
    if isinstance(given, float):
        return given * 10
    return rng.choice((given.upper(), given[:-1], given.replace("a", "o", 1) + " x", None))


def record(case: int, rng: random.Random) -> dict[str, Any]:
    """What is expected of a case."""
    head = {f"f{at:02d}": value(at % len(KINDS), case, rng) for at in range(HEAD)}
    return {**head, "lines": [{f"l{at}": value(at % len(KINDS), case * 10 + line, rng) for at in range(WIDTH)} for line in range(LINES)]}


def misread(expected: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same with one value in ten wrong."""
    part = {name: wrong(given, rng) if rng.random() < 0.1 else given for name, given in expected.items() if name != "lines"}
    lines = [{name: wrong(given, rng) if rng.random() < 0.1 else given for name, given in line.items()} for line in expected["lines"]]
    return {**part, "lines": lines}


def write_cases(path: Path, cases: int) -> None:
    """Invoices."""
    rng = random.Random(0)
    with path.open("w") as file:
        for case in range(cases):
            expected = record(case, rng)
            file.write(json.dumps({"id": f"c{case}", "expected": expected, "actual": misread(expected, rng)}) + "\n")


def suite_of(data: Path) -> dict[str, Any]:
    """Rules for every field."""
    rules = [{"path": f"f{at:02d}", **KINDS[at % len(KINDS)]} for at in range(HEAD)]
    rules += [{"path": f"lines[*].l{at}", **KINDS[at % len(KINDS)]} for at in range(WIDTH)]
    fields = {"type": "field_accuracy", "name": "fields", "fields": rules, "lists": {"lines": {"align": "best"}}}
    return {"name": "store", "cases": str(data), "evaluators": [fields]}


class Clock:
    """Seconds spent in some functions, by the clock and by the processor."""

    def __init__(self) -> None:
        self.wall = self.work = 0.0

    def watch(self, owner: Any, name: str) -> None:
        """Count the time in this function."""
        function: Callable[..., Any] = getattr(owner, name)

        def timed(*arguments: Any, **options: Any) -> Any:
            wall, work = time.perf_counter(), time.thread_time()
            try:
                return function(*arguments, **options)
            finally:
                self.wall += time.perf_counter() - wall
                self.work += time.thread_time() - work

        setattr(owner, name, timed)


def per_field(run: Run) -> ArrowTable:
    """The table of fields, from the Parquet files alone."""
    question = """select field, count(*), avg(coalesce(similarity, 0)), sum(passed::int), mode(cause)
                  from comparisons where outcome not in ('both_absent', 'ignored') group by field order by field"""
    return run.sql(question)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds that some work takes, the best of three."""
    taken: list[float] = []
    found: Any = None
    for _ in range(3):
        begun = time.perf_counter()
        found = work()
        taken.append(time.perf_counter() - begun)
    return min(taken), found


def size(parts: tuple[Part, ...], table: str | None = None) -> float:
    """Megabytes on disk."""
    return sum(file.bytes for part in parts for file in part.files if table in (None, file.table)) / 1e6


def main() -> None:
    """Run, store, ask, and print what each took."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    before, beside = Clock(), Clock()
    for name in ("__init__", "write", "close", "finish"):
        before.watch(fieldwise.store.writer.RunWriter, name)
    beside.watch(fieldwise.store.writer, "write_part")
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "cases.jsonl")
        write_cases(data, cases)
        suite = suite_of(data)
        begun = time.perf_counter(), time.thread_time(), time.process_time()
        run = api.run(suite, root=Path(folder, "store"))
        wall, own, work = (
            end - start for start, end in zip(begun, (time.perf_counter(), time.thread_time(), time.process_time()), strict=True)
        )
        print(f"{cases:,} cases of {HEAD + LINES * WIDTH} values, {data.stat().st_size / 1e6:,.0f} MB of JSON")
        print(f"run            {wall:7.1f} s   {wall / cases * 1e6:.0f} µs a case; {work:.1f} s of work")
        print(f"writing        {before.wall:7.1f} s   {before.wall / wall:.0%} of the run's time")
        print(f"  its work     {before.work:7.1f} s   {before.work / own:.0%} of the work of the thread that scores")
        print(f"  beside that  {beside.work:7.1f} s   {(before.work + beside.work) / work:.0%} of the work of all threads, with the above")
        print(f"stored         {size(run.parts):7.1f} MB  {size(run.parts) * 1e6 / cases:.0f} bytes a case, in {len(run.parts)} parts")
        print("               " + ", ".join(f"{table} {size(run.parts, table):.0f}" for table in ("cases", "results", "comparisons")))
        opened, again = timed(lambda: open_run(Path(folder, "store")).fields("fields"))
        asked, table = timed(lambda: per_field(run))
        assert len(again) == table.num_rows == HEAD + WIDTH
        print(f"table of fields {opened:6.3f} s   as the run keeps it; {asked:.3f} s from the Parquet files, by SQL")
        one, _ = timed(lambda: list(run.results(case=f"c{cases // 2}")))
        print(f"one case       {one:7.3f} s")
        compared, _ = timed(lambda: compare_runs(run, run))
        print(f"two runs compared {compared:4.1f} s")


if __name__ == "__main__":
    main()
