"""Many images and many answers, scored and stored in one process and in two: time, memory, and the cost of a record beside reading it.

    python benchmarks/large.py [--images 100000] [--answers 1000000]

Images: about 8 objects and 8 detections each in 20 categories, on one line of a JSONL file, looked at by `detection`; and the same as
two COCO files, which are read whole. Answers: a question, the expected and the given answer in about 300 characters, every question
asked once, looked at by `answer_quality`. Everything is stored. Every measurement is a process of its own; the floor is decoding the
JSON. Peak memory is that of the largest process. AP needs every box of the dataset at the end; how much that is for a box is printed.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import orjson
from answers import made_up
from million import cpu, floor, head

PIECE = 1_000
WORKERS = (1, 2)
CATEGORIES = (
    "person bicycle car motorcycle bus truck bench bird dog horse backpack umbrella suitcase bottle cup chair table laptop phone book"
).split()
EVALUATORS = {"images": "detection", "answers": "answer_quality", "coco": "detection"}
Box = dict[str, Any]


def image(rng: random.Random) -> tuple[list[Box], list[Box]]:
    """The objects of an image, and what a detector made of them: some missed, moved or mistaken, and some that are not there."""
    shown = rng.choices(CATEGORIES, k=3)
    objects: list[Box] = [{"bbox": _box(rng), "category": rng.choice(shown)} for _ in range(rng.randrange(4, 13))]
    found = [
        {
            "bbox": [round(side * rng.uniform(0.9, 1.1), 1) for side in one["bbox"]],
            "category": one["category"] if rng.random() < 0.95 else rng.choice(shown),
            "score": round(rng.uniform(0.3, 1), 4),
        }
        for one in objects
        if rng.random() < 0.85
    ]
    alarms = [{"bbox": _box(rng), "category": rng.choice(shown), "score": round(rng.random() ** 2, 4)} for _ in range(rng.randrange(4))]
    return objects, found + alarms


def _box(rng: random.Random) -> list[float]:
    return [round(rng.uniform(0, 480), 1), round(rng.uniform(0, 480), 1), round(rng.uniform(5, 160), 1), round(rng.uniform(5, 160), 1)]


def image_lines(piece: int) -> bytes:
    """The lines of some images."""
    rng = random.Random(piece)
    made = enumerate((image(rng) for _ in range(PIECE)), piece * PIECE)
    return b"".join(orjson.dumps({"id": f"img-{at}", "expected": one, "actual": other}) + b"\n" for at, (one, other) in made)


def answer_lines(piece: int) -> bytes:
    """The lines of some answers."""
    made = enumerate(made_up(PIECE, PIECE, 2, seed=piece), piece * PIECE)
    rows = ({"id": f"q-{at}", "question": _question(at), "expected": one, "answer": other} for at, (one, other) in made)
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


def _question(at: int) -> str:
    return f"Which changes does filing {at} make, and where are they stated?"


LINES: dict[str, Callable[[int], bytes]] = {"images": image_lines, "answers": answer_lines}


def generate(what: str, file: Path, records: int) -> None:
    """Write so many cases."""
    with Pool() as pool, file.open("wb") as out:
        for lines in pool.imap(LINES[what], range(records // PIECE)):
            out.write(lines)


def as_coco(images: Path, annotations: Path, predictions: Path) -> None:
    """The same images as two COCO files."""
    numbers = {name: at for at, name in enumerate(CATEGORIES, 1)}

    def entries(side: str) -> Iterator[bytes]:
        with images.open("rb") as lines:
            for at, line in enumerate(lines, 1):
                for box in orjson.loads(line)[side]:
                    yield orjson.dumps({"image_id": at, "category_id": numbers[box.pop("category")], **box})

    with images.open("rb") as lines:
        pictures = (orjson.dumps({"id": at, "file_name": f"{at}.jpg"}) for at, _ in enumerate(lines, 1))
        categories = orjson.dumps([{"id": at, "name": name} for name, at in numbers.items()])
        with annotations.open("wb") as out:
            out.write(b'{"categories":' + categories + b',"images":')
            _write_list(out, pictures)
            out.write(b',"annotations":')
            _write_list(out, entries("expected"))
            out.write(b"}")
    with predictions.open("wb") as out:
        _write_list(out, entries("actual"))


def _write_list(out: Any, entries: Iterator[bytes]) -> None:
    out.write(b"[")
    for at, entry in enumerate(entries):
        out.write(entry if not at else b"," + entry)
    out.write(b"]")


def write(what: str, file: Path, records: str) -> dict[str, Any]:
    """Make the files of a measurement, away from the process that starts them: what it holds would count as theirs."""
    if what == "coco":
        as_coco(file.parent / "images.jsonl", file, _predictions(file))
    elif what == "tenth":
        head(file, int(records), file.with_suffix(".tenth.jsonl"))
    else:
        generate(what, file, int(records))
    return {}


def _predictions(annotations: Path) -> Path:
    return annotations.with_suffix(".found.json")


def run(what: str, file: Path, workers: str) -> dict[str, Any]:
    """Score and store."""
    import fieldwise as fw
    from fieldwise.store.manifest import summary_to_json

    pair = {"expected": str(file), "actual": str(_predictions(file)), "format": "coco"}
    suite = {"name": what, "cases": pair if what == "coco" else str(file), "evaluators": [{"type": EVALUATORS[what]}]}
    start, began = cpu(), time.perf_counter()
    with tempfile.TemporaryDirectory(dir=file.parent) as root:
        found = fw.run(suite, root=root, workers=int(workers))
        wall = time.perf_counter() - began
        stored = sum(path.stat().st_size for path in Path(root).rglob("*") if path.is_file())
    most = max(resource.getrusage(whose).ru_maxrss for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    summary = found.manifest.summary
    return {
        "records": summary.cases,
        "wall": wall,
        "cpu": cpu() - start,
        "peak_mb": most / 1024,
        "stored": stored,
        "summary": summary_to_json(summary),
    }


def apart(what: str, *more: str) -> dict[str, Any]:
    """Something done in a process of its own."""
    return json.loads(subprocess.run([sys.executable, __file__, f"--{what}", *more], check=True, stdout=subprocess.PIPE, text=True).stdout)


def measured(what: str, file: Path, workers: int) -> dict[str, Any]:
    """One run, told in a line."""
    found = apart("run", what, str(file), str(workers))
    rate, each = found["records"] / found["wall"], found["cpu"] / found["records"] * 1e6
    print(
        f"  {workers} workers, {found['records']:>9,} records: {found['wall']:7.1f} s, {rate:8,.0f} records/s, {each:6,.0f} µs of CPU each,"
        f" peak {found['peak_mb']:5,.0f} MB, {found['stored'] / found['records']:,.0f} bytes stored for each",
        flush=True,
    )
    return found


def lines(what: str, file: Path, records: int) -> None:
    """The figures of a JSONL file."""
    apart("write", what, str(file), str(records))
    tenth = file.with_suffix(".tenth.jsonl")
    apart("write", "tenth", str(file), str(records // 10))
    least = apart("floor", str(file))
    each = least["cpu"] / least["records"]
    size = file.stat().st_size
    print(f"\n{what}: {records:,} in {size / 1e6:,.0f} MB, {size / records:,.0f} bytes each; the floor is {each * 1e6:.1f} µs of CPU each")
    small = {workers: measured(what, tenth, workers) for workers in WORKERS}
    large = {workers: measured(what, file, workers) for workers in WORKERS}
    assert large[1]["summary"] == large[2]["summary"], "the number of workers made a difference"
    for workers in WORKERS:
        cost = large[workers]["cpu"] / large[workers]["records"] / each
        peak, before = large[workers]["peak_mb"], small[workers]["peak_mb"]
        more = (peak - before) * 1024 * 1024 / (records - records // 10)
        print(f"  {workers} workers: {cost:.1f} × the floor; peak memory {peak / before:.2f} × that of a tenth, {more:,.0f} bytes a record")
    print(f"  two workers: {large[1]['wall'] / large[2]['wall']:.2f} × as fast as one")


def coco(folder: Path) -> None:
    """The figures of two COCO files, which no worker can share."""
    file = folder / "annotations.json"
    apart("write", "coco", str(file), "0")
    size = file.stat().st_size + _predictions(file).stat().st_size
    print(f"\nthe same images in two COCO files of {size / 1e6:,.0f} MB together, read whole")
    found = measured("coco", file, 1)
    print(f"  {found['peak_mb'] * 1024 * 1024 / size:.1f} bytes of memory for each byte of the files")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=100_000)
    parser.add_argument("--answers", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.images:
            lines("images", folder / "images.jsonl", options.images)
            coco(folder)
        if options.answers:
            lines("answers", folder / "answers.jsonl", options.answers)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--write", what, file, records]:
            print(json.dumps(write(what, Path(file), records)))
        case ["--floor", file]:
            print(json.dumps(floor(Path(file))))
        case ["--run", what, file, workers]:
            print(json.dumps(run(what, Path(file), workers)))
        case _:
            main()
