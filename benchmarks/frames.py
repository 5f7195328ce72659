"""Score the same rows from JSONL files and from polars frames: CPU time and peak memory of a stored run.

    python benchmarks/frames.py [RECORDS]

A record has six fields (number, date, vendor, currency, total, paid); about a fifth of the records differ in one of them. The data has two
shapes: one source with both records in each row, and two sources paired by id. Each measurement runs in its own process; frames are read
from Parquet before the time is taken. A tenth of the rows is measured too, to show that memory grows with the frame and not with the run.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import polars as pl

FIELDS: list[Any] = [
    "number",
    {"path": "date", "match": "date"},
    {"path": "vendor", "match": "fuzzy"},
    "currency",
    {"path": "total", "match": "numeric_tolerance", "tolerance": 0.01},
    "paid",
]
SUITE = {"name": "frames", "evaluators": [{"type": "field_accuracy", "fields": FIELDS}]}
ROLES_BY_SHAPE = {"one source": ["cases"], "two sources": ["expected", "actual"]}


def write_data(folder: Path, records: int) -> None:
    """Write both shapes as JSONL and as Parquet."""
    rows = pl.int_range(0, records, eager=True).alias("row").to_frame()
    row = pl.col("row")
    expected = rows.select(
        id=pl.format("c{}", row),
        number=pl.format("INV-{}", row),
        date=pl.date(2024, 1, 1) + pl.duration(days=row % 366),
        vendor=pl.format("Vendor {} GmbH", row % 977),
        currency=pl.lit("EUR"),
        total=(10 + row * 37 % 900_000 / 100).round(2),
        paid=row % 3 == 0,
    )
    actual = expected.with_columns(
        total=pl.when(rows["row"] % 7 == 0).then(pl.col("total") + 1).otherwise("total"),
        vendor=pl.when(rows["row"] % 11 == 0).then(pl.col("vendor").str.to_uppercase()).otherwise("vendor"),
    )
    names = expected.columns[1:]
    cases = pl.DataFrame({"id": expected["id"], "expected": expected.select(pl.struct(names)), "actual": actual.select(pl.struct(names))})
    for role, frame in (("cases", cases), ("expected", expected), ("actual", actual)):
        frame.write_ndjson(folder / f"{role}.jsonl")
        frame.write_parquet(folder / f"{role}.parquet")


def measure(folder: Path, shape: str, source: str) -> dict[str, float]:
    """Score and store the rows of one shape, from JSONL files or from frames."""
    import fieldwise as fw

    data: dict[str, Any] = {}
    for role in ROLES_BY_SHAPE[shape]:
        data[role] = pl.read_parquet(folder / f"{role}.parquet") if source == "frame" else str(folder / f"{role}.jsonl")
    peak_before = read_peak_mb()
    cpu_before = time.process_time()
    with tempfile.TemporaryDirectory(dir=folder) as root:
        run = fw.run(SUITE, root=root, **data)
        score = run.summary["field_accuracy.score"]
    cpu = time.process_time() - cpu_before
    return {"cpu": round(cpu, 1), "peak_mb": read_peak_mb(), "before_mb": peak_before, "score": score}


def read_peak_mb() -> int:
    """Peak memory of this process (Linux). `ru_maxrss` would include that of the process that started it."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) // 1024
    raise SystemExit("/proc/self/status has no line VmHWM")


def main(records: int) -> None:
    """Measure a tenth of the rows and all of them, JSONL and frames in turns."""
    for count in (records // 10, records):
        with tempfile.TemporaryDirectory() as folder:
            write_data(Path(folder), count)
            for shape in ROLES_BY_SHAPE:
                for source in ("jsonl", "frame"):
                    command = [sys.executable, __file__, "--measure", folder, shape, source]
                    result = subprocess.run(command, capture_output=True, text=True, check=True)
                    print(f"{count} rows, {shape}, {source}: {result.stdout.splitlines()[-1]}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(Path(sys.argv[2]), sys.argv[3], sys.argv[4])))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
