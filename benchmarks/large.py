"""Score and store many images and many answers, with one worker and with two: time, peak memory, and CPU per record relative to decoding.

    python benchmarks/large.py [--images 100000] [--answers 1000000]

Both numbers are multiples of 1,000; 0 skips a dataset.

* Images: about 8 objects and 8 detections each, in 20 categories, one image per line of a JSONL file, scored by `detection`. The same
  images are also scored from two COCO files, which are read whole.
* Answers: a question, the expected and the actual answer, about 300 characters together, every question asked once, scored by
  `answer_quality`.

All results are stored. Each measurement runs in its own process; the floor is decoding the JSON. Peak memory is that of the largest
process. AP needs every box of the dataset at the end; how much peak memory grows with each record is printed.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from multiprocessing import Pool
from pathlib import Path
from typing import Any, BinaryIO

import orjson
from answers import generate_answers
from million import ProcessCost, copy_first_lines, describe_workers, measure_decoding, read_cpu_seconds, read_peak_mb, sum_file_sizes

CHUNK_RECORDS = 1_000
"""Records that are generated from one seed."""
WORKERS = (1, 2)
CATEGORIES = (
    "person bicycle car motorcycle bus truck bench bird dog horse backpack umbrella suitcase bottle cup chair table laptop phone book"
).split()
EVALUATORS = {"images": "detection", "answers": "answer_quality", "coco": "detection"}
"""Evaluator of each dataset."""
Box = dict[str, Any]


def generate_image(rng: random.Random) -> tuple[list[Box], list[Box]]:
    """Generate the objects of an image and the detections of a model: some missed, moved or mislabelled, some false positives."""
    categories = rng.choices(CATEGORIES, k=3)
    objects: list[Box] = [{"bbox": _generate_bbox(rng), "category": rng.choice(categories)} for _ in range(rng.randrange(4, 13))]
    detections = [_detect_object(rng, annotation, categories) for annotation in objects if rng.random() < 0.85]
    for _ in range(rng.randrange(4)):
        bbox = _generate_bbox(rng)
        detections.append({"bbox": bbox, "category": rng.choice(categories), "score": round(rng.random() ** 2, 4)})
    return objects, detections


def _detect_object(rng: random.Random, annotation: Box, categories: list[str]) -> Box:
    return {
        "bbox": [round(number * rng.uniform(0.9, 1.1), 1) for number in annotation["bbox"]],
        "category": annotation["category"] if rng.random() < 0.95 else rng.choice(categories),
        "score": round(rng.uniform(0.3, 1), 4),
    }


def _generate_bbox(rng: random.Random) -> list[float]:
    return [round(rng.uniform(0, 480), 1), round(rng.uniform(0, 480), 1), round(rng.uniform(5, 160), 1), round(rng.uniform(5, 160), 1)]


def generate_image_lines(chunk: int) -> bytes:
    """Generate the JSON lines of one chunk of images."""
    rng = random.Random(chunk)
    lines: list[bytes] = []
    for number in range(chunk * CHUNK_RECORDS, (chunk + 1) * CHUNK_RECORDS):
        objects, detections = generate_image(rng)
        lines.append(orjson.dumps({"id": f"img-{number}", "expected": objects, "actual": detections}) + b"\n")
    return b"".join(lines)


def generate_answer_lines(chunk: int) -> bytes:
    """Generate the JSON lines of one chunk of answers."""
    lines: list[bytes] = []
    pairs = generate_answers(CHUNK_RECORDS, CHUNK_RECORDS, 2, seed=chunk)
    for number, (expected, actual) in enumerate(pairs, chunk * CHUNK_RECORDS):
        question = f"Which changes does filing {number} make, and where are they stated?"
        lines.append(orjson.dumps({"id": f"q-{number}", "question": question, "expected": expected, "answer": actual}) + b"\n")
    return b"".join(lines)


LINE_GENERATORS: dict[str, Callable[[int], bytes]] = {"images": generate_image_lines, "answers": generate_answer_lines}


def write_cases(dataset: str, file: Path, records: int) -> None:
    """Write this many cases of a dataset to a JSONL file."""
    with Pool() as pool, file.open("wb") as output:
        for lines in pool.imap(LINE_GENERATORS[dataset], range(records // CHUNK_RECORDS)):
            output.write(lines)


def write_coco_files(images_file: Path, annotations_file: Path, predictions_file: Path) -> None:
    """Write the images of a JSONL file as two COCO files, annotations and predictions."""
    category_ids = {name: number for number, name in enumerate(CATEGORIES, 1)}
    with images_file.open("rb") as lines:
        image_count = sum(1 for _ in lines)
    categories = [{"id": number, "name": name} for name, number in category_ids.items()]
    images = (orjson.dumps({"id": number, "file_name": f"{number}.jpg"}) for number in range(1, image_count + 1))
    with annotations_file.open("wb") as output:
        output.write(b'{"categories":' + orjson.dumps(categories) + b',"images":')
        _write_json_array(output, images)
        output.write(b',"annotations":')
        _write_json_array(output, _generate_coco_boxes(images_file, "expected", category_ids))
        output.write(b"}")
    with predictions_file.open("wb") as output:
        _write_json_array(output, _generate_coco_boxes(images_file, "actual", category_ids))


def _generate_coco_boxes(images_file: Path, side: str, category_ids: dict[str, int]) -> Iterator[bytes]:
    """The boxes of the expected or of the actual side of all images, as entries of a COCO file."""
    with images_file.open("rb") as lines:
        for image_id, line in enumerate(lines, 1):
            for box in orjson.loads(line)[side]:
                yield orjson.dumps({"image_id": image_id, "category_id": category_ids[box.pop("category")], **box})


def _write_json_array(output: BinaryIO, entries: Iterator[bytes]) -> None:
    output.write(b"[")
    for index, entry in enumerate(entries):
        output.write(b"," + entry if index else entry)
    output.write(b"]")


def write_files(content: str, file: Path, records: int) -> None:
    """Write the input files of a measurement: a dataset, the first lines of `file` ("tenth"), or COCO files ("coco")."""
    if content == "coco":
        write_coco_files(file.parent / "images.jsonl", file, _predictions_file(file))
    elif content == "tenth":
        copy_first_lines(file, records, _tenth_file(file))
    else:
        write_cases(content, file, records)


def _predictions_file(annotations_file: Path) -> Path:
    return annotations_file.with_suffix(".predictions.json")


def _tenth_file(file: Path) -> Path:
    return file.with_suffix(".tenth.jsonl")


def measure_run(dataset: str, file: Path, workers: int) -> ProcessCost:
    """Score and store all cases of a file."""
    import fieldwise as fw
    from fieldwise.store.manifest import summary_to_json

    coco_files = {"expected": str(file), "actual": str(_predictions_file(file)), "format": "coco"}
    cases = coco_files if dataset == "coco" else str(file)
    suite = {"name": dataset, "cases": cases, "evaluators": [{"type": EVALUATORS[dataset]}]}
    cpu_before, started = read_cpu_seconds(), time.perf_counter()
    with tempfile.TemporaryDirectory(dir=file.parent) as root:
        run = fw.run(suite, root=root, workers=workers)
        wall = time.perf_counter() - started
        stored_bytes = sum_file_sizes(Path(root))
    peak_mb = read_peak_mb()
    summary = run.manifest.summary
    return ProcessCost(
        records=summary.cases,
        wall=wall,
        cpu=read_cpu_seconds() - cpu_before,
        peak_mb=peak_mb,
        stored_bytes=stored_bytes,
        results=summary_to_json(summary),
    )


def call_in_process(*arguments: str) -> str:
    """Run this script with these arguments in a new process, and return its output.

    Files are written that way too: a new process inherits the peak memory of the process that starts it, so this one must stay small.
    """
    return subprocess.run([sys.executable, __file__, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def measure_in_process(dataset: str, file: Path, workers: int) -> ProcessCost:
    """Score and store all cases of a file in a new process, and print what it measured."""
    cost = ProcessCost(**json.loads(call_in_process("--run", dataset, str(file), str(workers))))
    print(
        f"  {describe_workers(workers) + ',':10} {cost.records:>9,} records: {cost.wall:7.1f} s, "
        f"{cost.records_per_second:8,.0f} records/s, {cost.cpu_per_record * 1e6:6,.0f} µs of CPU per record, "
        f"peak memory {cost.peak_mb:5,.0f} MB, {cost.stored_bytes_per_record:,.0f} bytes stored per record",
        flush=True,
    )
    return cost


def report_jsonl(dataset: str, file: Path, records: int) -> None:
    """Measure a dataset in a JSONL file, a tenth of it and all of it, and print the ratios."""
    call_in_process("--write", dataset, str(file), str(records))
    call_in_process("--write", "tenth", str(file), str(records // 10))
    floor = ProcessCost(**json.loads(call_in_process("--floor", str(file))))
    size = file.stat().st_size
    print(
        f"\n{dataset}: {records:,} records in {size / 1e6:,.0f} MB, {size / records:,.0f} bytes per record; "
        f"the floor is {floor.cpu_per_record * 1e6:.1f} µs of CPU per record"
    )
    small_runs = {workers: measure_in_process(dataset, _tenth_file(file), workers) for workers in WORKERS}
    large_runs = {workers: measure_in_process(dataset, file, workers) for workers in WORKERS}
    assert large_runs[1].results == large_runs[2].results, "the results depend on the number of workers"
    for workers in WORKERS:
        small_run, large_run = small_runs[workers], large_runs[workers]
        cpu_ratio = large_run.cpu_per_record / floor.cpu_per_record
        memory_ratio = large_run.peak_mb / small_run.peak_mb
        growth = (large_run.peak_mb - small_run.peak_mb) * 1024 * 1024 / (records - records // 10)
        print(
            f"  {describe_workers(workers)}: CPU per record {cpu_ratio:.1f} × the floor; "
            f"peak memory {memory_ratio:.2f} × that of a tenth of the records, {growth:,.0f} bytes more per record"
        )
    print(f"  2 workers: {large_runs[1].wall / large_runs[2].wall:.2f} × as fast as 1")


def report_coco(folder: Path) -> None:
    """Measure the same images from two COCO files, which cannot be sharded."""
    file = folder / "annotations.json"
    call_in_process("--write", "coco", str(file), "0")
    size = file.stat().st_size + _predictions_file(file).stat().st_size
    print(f"\nthe same images in two COCO files of {size / 1e6:,.0f} MB together, read whole")
    cost = measure_in_process("coco", file, 1)
    print(f"  peak memory: {cost.peak_mb * 1024 * 1024 / size:.1f} bytes for each byte of the files")


def main() -> None:
    """Measure the images, the same images as COCO files, and the answers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=100_000)
    parser.add_argument("--answers", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.images:
            report_jsonl("images", folder / "images.jsonl", options.images)
            report_coco(folder)
        if options.answers:
            report_jsonl("answers", folder / "answers.jsonl", options.answers)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--write", content, file, records]:
            write_files(content, Path(file), int(records))
        case ["--floor", file]:
            print(json.dumps(asdict(measure_decoding(Path(file)))))
        case ["--run", dataset, file, workers]:
            print(json.dumps(asdict(measure_run(dataset, Path(file), int(workers)))))
        case _:
            main()
