"""Score and store a million invoices with one worker and with two: time, peak memory, and CPU per record relative to decoding the JSON.

    python benchmarks/million.py [RECORDS]

RECORDS is a multiple of 10,000. A record has 21 scalar fields and 5 line items of 4 fields, about 41 leaves; the expected and the actual
record of a case are on one line of a JSONL file. Three evaluators score it: field_accuracy and field_prf (fuzzy, dates, tolerances, lists
with `align: best`) and json_quality (EXACT and FUZZY). All results are stored. Each measurement runs in its own process. The floor is
decoding the JSON.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import orjson
from invoices import RULES, generate_pairs

LISTS = {"line_items": {"align": "best"}}
EVALUATORS: list[dict[str, Any]] = [
    {"type": "field_accuracy", "fields": RULES, "lists": LISTS},
    {"type": "field_prf", "fields": RULES, "lists": LISTS},
    {"type": "json_quality", "default_text": "FUZZY"},
]
CHUNK_RECORDS = 10_000
"""Records that are generated from one seed."""
REPEATS = 3
"""Runs of all records with two workers. The fastest counts, because other processes may occupy one of the cores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessCost:
    """Time and memory that a process took for all records of a file."""

    records: int
    wall: float
    """Seconds."""
    cpu: float
    """CPU seconds, including those of workers."""
    peak_mb: float = 0.0
    """Peak memory of the largest process."""
    stored_bytes: int = 0
    results: Mapping[str, Any] = field(default_factory=dict)
    """Results that must not depend on the number of workers."""

    @property
    def records_per_second(self) -> float:
        return self.records / self.wall

    @property
    def cpu_per_record(self) -> float:
        return self.cpu / self.records

    @property
    def stored_bytes_per_record(self) -> float:
        return self.stored_bytes / self.records


def generate_chunk(chunk: int) -> bytes:
    """Generate the JSON lines of one chunk of invoices."""
    lines: list[bytes] = []
    for number, (expected, actual) in enumerate(generate_pairs(CHUNK_RECORDS, 5, seed=chunk), chunk * CHUNK_RECORDS):
        lines.append(orjson.dumps({"id": f"inv-{number}", "expected": expected, "actual": actual}) + b"\n")
    return b"".join(lines)


def generate(file: Path, records: int) -> None:
    """Write this many cases to a JSONL file."""
    with Pool() as pool, file.open("wb") as output:
        for lines in pool.imap(generate_chunk, range(records // CHUNK_RECORDS)):
            output.write(lines)


def copy_first_lines(source_file: Path, count: int, target_file: Path) -> None:
    """Copy the first lines of a file to another file."""
    with source_file.open("rb") as source, target_file.open("wb") as target:
        for _ in range(count):
            target.write(source.readline())


def read_cpu_seconds() -> float:
    """CPU seconds of this process and of its finished children."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def read_peak_mb() -> float:
    """Peak memory of the largest process: this one or one of its finished children."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return max(own.ru_maxrss, children.ru_maxrss) / 1024


def sum_file_sizes(folder: Path) -> int:
    """Bytes of all files in a folder, at any depth."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def measure_decoding(file: Path) -> ProcessCost:
    """Decode every line and discard the result: the floor."""
    cpu_before, started = read_cpu_seconds(), time.perf_counter()
    records = 0
    with file.open("rb") as lines:
        for line in lines:
            orjson.loads(line)
            records += 1
    return ProcessCost(records=records, wall=time.perf_counter() - started, cpu=read_cpu_seconds() - cpu_before)


def measure_run(file: Path, workers: int) -> ProcessCost:
    """Score and store all cases of a file."""
    import fieldwise as fw

    suite = {"name": "million", "cases": str(file), "evaluators": EVALUATORS}
    cpu_before, started = read_cpu_seconds(), time.perf_counter()
    with tempfile.TemporaryDirectory(dir=file.parent) as root:
        run = fw.run(suite, root=root, workers=workers)
        wall = time.perf_counter() - started
        stored_bytes = sum_file_sizes(run.path)
        summary = run.manifest.summary
        scores = {name: evaluator.metrics["score"].value for name, evaluator in summary.evaluators.items()}
    return ProcessCost(
        records=summary.cases,
        wall=wall,
        cpu=read_cpu_seconds() - cpu_before,
        peak_mb=read_peak_mb(),
        stored_bytes=stored_bytes,
        results=scores,
    )


def measure_in_process(label: str, *arguments: str) -> ProcessCost:
    """Run this script with these arguments in a new process, and print what it measured."""
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # with it, every process compiles all modules again
    command = [sys.executable, __file__, *arguments]
    output = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    cost = ProcessCost(**json.loads(output))
    line = (
        f"{label}, {cost.records:,} records: {cost.wall:,.1f} s, {cost.records_per_second:,.0f} records/s, "
        f"{cost.cpu_per_record * 1e6:,.0f} µs of CPU per record"
    )
    if cost.stored_bytes:
        line += f", peak memory {cost.peak_mb:,.0f} MB (largest process), {cost.stored_bytes_per_record:,.0f} bytes stored per record"
    print(line, flush=True)
    return cost


def measure_workers(file: Path, workers: int) -> ProcessCost:
    """Score and store all cases of a file in a new process."""
    return measure_in_process(f"run with {describe_workers(workers)}", "--run", str(file), str(workers))


def describe_workers(workers: int) -> str:
    return "1 worker" if workers == 1 else f"{workers} workers"


def main(records: int) -> None:
    """Generate the data, measure a tenth of it and all of it, and print the ratios."""
    print(f"{sys.executable}: Python {sys.version}")
    with tempfile.TemporaryDirectory() as folder:
        file, tenth = Path(folder, "all.jsonl"), Path(folder, "tenth.jsonl")
        generate(file, records)
        copy_first_lines(file, records // 10, tenth)
        print(f"{file.stat().st_size / 1e9:.2f} GB of JSONL")
        floor = measure_in_process("floor", "--floor", str(file))
        small_runs = {workers: measure_workers(tenth, workers) for workers in (1, 2)}
        one_worker = measure_workers(file, 1)
        repeats = [measure_workers(file, 2) for _ in range(REPEATS)]
    two_workers = min(repeats, key=lambda cost: cost.wall)
    assert one_worker.results == two_workers.results, "the scores depend on the number of workers"
    speed_up = one_worker.wall / two_workers.wall
    extra_cpu = two_workers.cpu_per_record / one_worker.cpu_per_record
    print(f"CPU per record with 1 worker: {one_worker.cpu_per_record / floor.cpu_per_record:.1f} × the floor")
    print(f"2 workers: {speed_up:.2f} × as fast as 1; {speed_up * extra_cpu:.2f} × if a record took no more CPU than with 1")
    for workers, large_run in ((1, one_worker), (2, two_workers)):
        ratio = large_run.peak_mb / small_runs[workers].peak_mb
        print(f"peak memory with {describe_workers(workers)}: {ratio:.2f} × that of a tenth of the records")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--floor"]:
        print(json.dumps(asdict(measure_decoding(Path(sys.argv[2])))))
    elif sys.argv[1:2] == ["--run"]:
        print(json.dumps(asdict(measure_run(Path(sys.argv[2]), int(sys.argv[3])))))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
