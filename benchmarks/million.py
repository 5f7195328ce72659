"""A million invoices scored and stored, in one process and in two: time, memory, and the cost of a record beside that of reading it.

    python benchmarks/million.py [RECORDS]

Each record has 21 scalar fields and 5 line items of 4 fields, about 41 leaves; both sides of a case stand on one line of a JSONL file.
Three evaluators look at it (field_accuracy and field_prf with fuzzy, dates, tolerances and lists paired by the best fit; json_quality
with EXACT and FUZZY), and everything is stored. Every measurement is a process of its own. The floor is decoding the JSON.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import orjson
from invoices import RULES, pairs

LISTS = {"line_items": {"align": "best"}}
EVALUATORS: list[dict[str, Any]] = [
    {"type": "field_accuracy", "fields": RULES, "lists": LISTS},
    {"type": "field_prf", "fields": RULES, "lists": LISTS},
    {"type": "json_quality", "default_text": "FUZZY"},
]
PIECE = 10_000
REPEATS = 3
"""So often everything is done by two workers, and the fastest time counts: both cores are needed then, and somebody else may be at them."""


def write_piece(piece: int) -> bytes:
    """The lines of some invoices."""
    found = enumerate(pairs(PIECE, 5, seed=piece), piece * PIECE)
    return b"".join(orjson.dumps({"id": f"inv-{at}", "expected": one, "actual": other}) + b"\n" for at, (one, other) in found)


def generate(file: Path, records: int) -> None:
    """Write so many cases."""
    with Pool() as pool, file.open("wb") as out:
        for lines in pool.imap(write_piece, range(records // PIECE)):
            out.write(lines)


def head(file: Path, records: int, to: Path) -> None:
    """The first cases of a file."""
    with file.open("rb") as source, to.open("wb") as out:
        for _ in range(records):
            out.write(source.readline())


def cpu() -> float:
    """CPU seconds of this process and of those it waited for."""
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def floor(file: Path) -> dict[str, Any]:
    """Decode every line and do nothing with it."""
    start, began = cpu(), time.perf_counter()
    records = 0
    with file.open("rb") as source:
        for line in source:
            orjson.loads(line)
            records += 1
    return {"records": records, "wall": time.perf_counter() - began, "cpu": cpu() - start}


def run(file: Path, workers: int) -> dict[str, Any]:
    """Score and store."""
    import fieldwise as fw

    suite = {"name": "million", "cases": str(file), "evaluators": EVALUATORS}
    start, began = cpu(), time.perf_counter()
    with tempfile.TemporaryDirectory(dir=file.parent) as root:
        found = fw.run(suite, root=root, workers=workers)
        wall = time.perf_counter() - began
        stored = sum(path.stat().st_size for path in found.path.rglob("*") if path.is_file())
        summary = {name: one.metrics["score"].value for name, one in found.manifest.summary.evaluators.items()}
    most = max(resource.getrusage(whose).ru_maxrss for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    records = found.manifest.summary.cases
    return {"records": records, "wall": wall, "cpu": cpu() - start, "peak_mb": most / 1024, "stored": stored, "scores": summary}


def measured(what: str, file: Path, *more: str) -> dict[str, Any]:
    """One measurement in a process of its own."""
    command = [sys.executable, __file__, f"--{what}", str(file), *more]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    memory = (
        f", peak {found['peak_mb']:,.0f} MB in a process, {found['stored'] / found['records']:,.0f} bytes stored for each"
        if what == "run"
        else ""
    )
    label = f"{what}{f' with {more[0]} workers' if more else ''}, {found['records']:,} records"
    rate = found["records"] / found["wall"]
    print(
        f"{label}: {found['wall']:,.1f} s, {rate:,.0f} records/s, {found['cpu'] / found['records'] * 1e6:,.0f} µs of CPU each{memory}",
        flush=True,
    )
    return found


def main(records: int) -> None:
    print(f"{sys.executable}: Python {sys.version}")
    with tempfile.TemporaryDirectory() as folder:
        file, tenth = Path(folder, "all.jsonl"), Path(folder, "tenth.jsonl")
        generate(file, records)
        head(file, records // 10, tenth)
        print(f"{file.stat().st_size / 1e9:.2f} GB of JSONL")
        least = measured("floor", file)
        small = {workers: measured("run", tenth, str(workers)) for workers in (1, 2)}
        large = {1: measured("run", file, "1"), 2: min((measured("run", file, "2") for _ in range(REPEATS)), key=lambda one: one["wall"])}
        assert large[1]["scores"] == large[2]["scores"], "the number of workers made a difference"
        each = {name: found["cpu"] / found["records"] for name, found in (("floor", least), ("one", large[1]), ("two", large[2]))}
        faster = large[1]["wall"] / large[2]["wall"]
        print(f"CPU of a record: {each['one'] / each['floor']:.1f} × the floor; two workers {faster:.2f} × as fast,")
        print(f"  {faster * each['two'] / each['one']:.2f} × if each took as much CPU as one alone")
        for workers in (1, 2):
            print(
                f"peak memory with {workers}: {large[workers]['peak_mb'] / small[workers]['peak_mb']:.2f} × that of a tenth of the records"
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--floor"]:
        print(json.dumps(floor(Path(sys.argv[2]))))
    elif sys.argv[1:2] == ["--run"]:
        print(json.dumps(run(Path(sys.argv[2]), int(sys.argv[3]))))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
