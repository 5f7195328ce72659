"""Boxes, polygons and detection beside pycocotools, supervision, shapely and faster-coco-eval, in one run.

    python benchmarks/geometry.py            # everything; about a minute
    python benchmarks/geometry.py --images 500

Needs pycocotools, supervision, faster-coco-eval and shapely. Times are the best of several repetitions.
"""

import argparse
import contextlib
import copy
import io
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import shapely
import supervision
from faster_coco_eval import COCO as FasterCOCO  # noqa: N811
from faster_coco_eval import COCOeval_faster
from pycocotools import mask
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from fieldwise.kernels.geometry import box_iou_grid, box_iou_grids, polygon_iou_grid, polygons_from_rings
from fieldwise.model.batch import Records
from fieldwise.model.case import Cases
from fieldwise.read.coco import build_coco_cases
from fieldwise.registry import EVALUATORS

BATCH = 1000


def best(function: Callable[[], Any], seconds: float = 0.4) -> float:
    """The shortest time of one call."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def table(title: str, times: dict[str, float], unit: str, scale: float) -> None:
    """Print times and how many times as long as fieldwise each peer takes."""
    own = times["fieldwise"]
    print(f"\n{title}")
    for name, seconds in times.items():
        print(f"  {name:<18}{seconds * scale:>12,.1f} {unit}   {seconds / own:6.2f} × fieldwise")


def python_loop(expected: list[list[float]], actual: list[list[float]]) -> list[list[float]]:
    """The formula, one pair at a time."""
    grid: list[list[float]] = []
    for a in expected:
        row: list[float] = []
        for b in actual:
            shared = max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
            union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared
            row.append(shared / union if union else 0.0)
        grid.append(row)
    return grid


def pairwise_boxes(size: int) -> None:
    """IoU of every box with every other."""
    rng = np.random.default_rng(size)
    low = rng.uniform(0, 500, (2 * size, 2))
    sides = rng.uniform(5, 200, (2 * size, 2))
    boxes, widths = np.hstack([low, low + sides]), np.hstack([low, sides])
    expected, actual, wide, other = boxes[:size], boxes[size:], widths[:size], widths[size:]
    no_crowd = [0] * size
    assert np.allclose(box_iou_grid(expected, actual), mask.iou(wide, other, no_crowd))
    times = {
        "fieldwise": best(lambda: box_iou_grid(expected, actual)),
        "pycocotools": best(lambda: mask.iou(wide, other, no_crowd)),
        "supervision": best(lambda: supervision.box_iou_batch(expected, actual)),
    }
    ours, theirs = expected[:200].tolist(), actual[:200].tolist()
    times["python loop"] = best(lambda: python_loop(ours, theirs)) * size * size / (len(ours) * len(theirs))
    table(f"pairwise IoU of boxes, {size} × {size}", times, "ns/pair", 1e9 / (size * size))


def pairwise_boxes_of_images(images: int, size: int) -> None:
    """IoU of every box with every other, image by image: a batch as an evaluator has it, beside one call for each image."""
    rng = np.random.default_rng(size)
    low = rng.uniform(0, 500, (2, images, size, 2))
    sides = rng.uniform(5, 200, (2, images, size, 2))
    expected, actual = np.concatenate([low, low + sides], axis=3)
    wide, other = np.concatenate([low, sides], axis=3)
    no_crowd, counts = [0] * size, np.full(images, size)

    def in_batch() -> list[Any]:
        return list(box_iou_grids(expected.reshape(-1, 4), actual.reshape(-1, 4), counts, counts))

    def one_by_one() -> list[Any]:
        return [box_iou_grid(*pair) for pair in zip(expected, actual, strict=True)]

    def by_pycocotools() -> list[Any]:
        return [mask.iou(*pair, no_crowd) for pair in zip(wide, other, strict=True)]

    assert np.array_equal(in_batch(), one_by_one())
    assert np.allclose(in_batch(), by_pycocotools())
    times = {"fieldwise": best(in_batch), "one by one": best(one_by_one), "pycocotools": best(by_pycocotools)}
    table(f"pairwise IoU of boxes, {images:,} images of {size} × {size}", times, "ns/pair", 1e9 / (images * size * size))


def pairwise_polygons(size: int) -> None:
    """IoU of every polygon with every other."""
    rng = np.random.default_rng(size)
    angles = np.sort(rng.uniform(0, 2 * np.pi, (2 * size, 8)), axis=1)
    reach = rng.uniform(10, 60, (2 * size, 8))
    centres = rng.uniform(0, 640, (2 * size, 1, 2))
    rings = list(centres + np.stack([np.cos(angles) * reach, np.sin(angles) * reach], axis=2))
    shapes = polygons_from_rings(rings)
    valid = shapely.is_valid(shapes)
    ours, theirs = shapes[:size][valid[:size]], shapes[size:][valid[size:]]

    def loop() -> list[list[float]]:
        grid: list[list[float]] = []
        for a in ours:
            row: list[float] = []
            for b in theirs:
                shared = a.intersection(b).area
                row.append(shared / (a.area + b.area - shared))
            grid.append(row)
        return grid

    assert np.allclose(polygon_iou_grid(ours, theirs), loop())
    times = {"fieldwise": best(lambda: polygon_iou_grid(ours, theirs)), "shapely loop": best(loop)}
    table(f"pairwise IoU of polygons, {len(ours)} × {len(theirs)}", times, "ns/pair", 1e9 / (len(ours) * len(theirs)))


def dataset(images: int, categories: int = 80, objects: float = 7, found: float = 30) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Files of the size and shape of COCO's validation set."""
    rng = np.random.default_rng(7)
    truth: list[dict[str, Any]] = []
    guesses: list[dict[str, Any]] = []
    for image in range(1, images + 1):
        kinds = rng.integers(1, categories + 1, 3)  # an image shows few categories
        boxes = [[*rng.uniform(0, 400, 2).tolist(), *np.exp(rng.uniform(2, 5.5, 2)).tolist()] for _ in range(rng.poisson(objects))]
        labels = rng.choice(kinds, len(boxes)).tolist()
        for box, label in zip(boxes, labels, strict=True):
            one = {"id": len(truth) + 1, "image_id": image, "category_id": label, "bbox": box, "area": box[2] * box[3] * 0.7}
            truth.append({**one, "iscrowd": int(rng.random() < 0.01)})
        for _ in range(rng.poisson(found)):
            near = int(rng.integers(len(boxes))) if boxes and rng.random() < 0.5 else None
            x, y, w, h = boxes[near] if near is not None else [*rng.uniform(0, 400, 2).tolist(), *rng.uniform(8, 200, 2).tolist()]
            shake = float(rng.choice([0.02, 0.05, 0.15, 0.4]))
            moved = [x + rng.normal() * shake * w, y + rng.normal() * shake * h, w * np.exp(rng.normal() * shake), h]
            label = labels[near] if near is not None and rng.random() < 0.9 else int(rng.choice(kinds))
            guesses.append({"image_id": image, "category_id": label, "bbox": [float(v) for v in moved], "score": float(rng.random())})
    pictures = [{"id": image, "width": 640, "height": 640, "file_name": f"{image}.jpg"} for image in range(1, images + 1)]
    return {
        "images": pictures,
        "annotations": truth,
        "categories": [{"id": c, "name": f"kind {c}"} for c in range(1, categories + 1)],
    }, guesses


def by_coco(index: Any, evaluation: Any, truth: Any, guesses: Any) -> list[float]:
    """From parsed files to COCO's twelve numbers, with pycocotools or a copy of its interface."""
    with contextlib.redirect_stdout(io.StringIO()):
        gold = index()
        gold.dataset = truth
        gold.createIndex()
        run = evaluation(gold, gold.loadRes(guesses), "bbox")
        run.evaluate()
        run.accumulate()
        run.summarize()
    return [float(number) for number in run.stats[:12]]


class Slice:
    """A batch of cases, as the engine hands it to an evaluator."""

    def __init__(self, cases: Cases, start: int) -> None:
        self.records = Records(cases.expected[start : start + BATCH], cases.actual[start : start + BATCH], {}, {})

    def __len__(self) -> int:
        return len(self.records.expected)


def by_fieldwise(truth: Any, guesses: Any) -> dict[str, float]:
    """From parsed files to the same numbers, in batches, with the result of every image besides."""
    entry = EVALUATORS.find("detection")
    config = entry.options()
    cases, _ = build_coco_cases(truth, guesses)
    parts: list[dict[str, Any]] = []
    for start in range(0, len(cases), BATCH):
        pool = entry.function(Slice(cases, start), config).pool
        parts.append({**pool, "case": pool["case"] + start})
    return entry.summarize({name: np.concatenate([part[name] for part in parts]) for name in parts[0]}, config)


def detection(images: int) -> None:
    """AP and AR over a dataset, from parsed files."""
    truth, guesses = dataset(images)
    truth, guesses = json.loads(json.dumps(truth)), json.loads(json.dumps(guesses))
    numbers: dict[str, Any] = {}

    def timed(name: str, run: Callable[[Any, Any], Any], repeat: int) -> float:
        times: list[float] = []
        for _ in range(repeat):
            copies = copy.deepcopy(truth), copy.deepcopy(guesses)  # the peers write into what they are given
            start = time.perf_counter()
            numbers[name] = run(*copies)
            times.append(time.perf_counter() - start)
        return min(times)

    times = {
        "fieldwise": timed("fieldwise", by_fieldwise, 3),
        "pycocotools": timed("pycocotools", lambda t, g: by_coco(COCO, COCOeval, t, g), 1),
        "faster-coco-eval": timed("faster", lambda t, g: by_coco(FasterCOCO, COCOeval_faster, t, g), 3),
    }
    assert np.allclose(list(numbers["fieldwise"].values())[:12], numbers["pycocotools"], atol=1e-6)
    title = f"detection over {images:,} images, {len(truth['annotations']):,} objects, {len(guesses):,} detections"
    print(f"\nAP {numbers['fieldwise']['ap']:.6f}, as pycocotools has it")
    table(title, times, "ms", 1e3)


def main() -> None:
    """Run all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=5000)
    options = parser.parse_args()
    for size in (20, 100, 1000):
        pairwise_boxes(size)
    pairwise_boxes_of_images(1000, 20)
    pairwise_polygons(100)
    detection(options.images)


if __name__ == "__main__":
    main()
