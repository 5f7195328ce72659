"""Boxes, polygons and detection: fieldwise, pycocotools, supervision, shapely and faster-coco-eval in one run.

    python benchmarks/geometry.py            # everything; about a minute
    python benchmarks/geometry.py --images 500

Needs pycocotools, supervision, faster-coco-eval and shapely. Times are wall time, the best of several repeats.
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
"""Images that fieldwise scores together."""
PYTHON_LOOP_BOXES = 200
"""The Python loop is measured on at most this many boxes of each side and scaled up."""


def measure_best_time(function: Callable[[], Any], seconds: float = 0.4) -> float:
    """Call a function repeatedly for this long; the shortest time of one call."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def print_table(title: str, times: dict[str, float], unit: str, scale: float) -> None:
    """Print the time of each tool, and its ratio to the time of fieldwise."""
    print(f"\n{title}")
    for name, seconds in times.items():
        print(f"  {name:<18}{seconds * scale:>12,.1f} {unit}   {seconds / times['fieldwise']:6.2f} × fieldwise")


def compute_iou_in_python(expected: list[list[float]], actual: list[list[float]]) -> list[list[float]]:
    """IoU of every expected box with every actual one, by a Python loop."""
    grid: list[list[float]] = []
    for a in expected:
        row: list[float] = []
        for b in actual:
            shared = max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
            union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared
            row.append(shared / union if union else 0.0)
        grid.append(row)
    return grid


def measure_boxes(size: int) -> None:
    """IoU of every expected box with every actual one, in one call."""
    rng = np.random.default_rng(size)
    corners = rng.uniform(0, 500, (2 * size, 2))
    sides = rng.uniform(5, 200, (2 * size, 2))
    boxes = np.hstack([corners, corners + sides])
    coco_boxes = np.hstack([corners, sides])  # pycocotools takes x, y, width, height
    expected, actual = boxes[:size], boxes[size:]
    expected_coco, actual_coco = coco_boxes[:size], coco_boxes[size:]
    no_crowd = [0] * size
    assert np.allclose(box_iou_grid(expected, actual), mask.iou(expected_coco, actual_coco, no_crowd))
    times = {
        "fieldwise": measure_best_time(lambda: box_iou_grid(expected, actual)),
        "pycocotools": measure_best_time(lambda: mask.iou(expected_coco, actual_coco, no_crowd)),
        "supervision": measure_best_time(lambda: supervision.box_iou_batch(expected, actual)),
    }
    expected_lists, actual_lists = expected[:PYTHON_LOOP_BOXES].tolist(), actual[:PYTHON_LOOP_BOXES].tolist()
    loop_time = measure_best_time(lambda: compute_iou_in_python(expected_lists, actual_lists))
    times["python loop"] = loop_time * size * size / (len(expected_lists) * len(actual_lists))
    print_table(f"pairwise IoU of boxes, {size} × {size}", times, "ns/pair", 1e9 / (size * size))


def measure_boxes_by_image(images: int, size: int) -> None:
    """IoU of the boxes of many images: in one batch, as an evaluator calls it, and with one call per image."""
    rng = np.random.default_rng(size)
    corners = rng.uniform(0, 500, (2, images, size, 2))
    sides = rng.uniform(5, 200, (2, images, size, 2))
    expected, actual = np.concatenate([corners, corners + sides], axis=3)
    expected_coco, actual_coco = np.concatenate([corners, sides], axis=3)
    no_crowd, counts = [0] * size, np.full(images, size)

    def compute_in_batch() -> list[Any]:
        return list(box_iou_grids(expected.reshape(-1, 4), actual.reshape(-1, 4), counts, counts))

    def compute_one_by_one() -> list[Any]:
        return [box_iou_grid(*pair) for pair in zip(expected, actual, strict=True)]

    def compute_by_pycocotools() -> list[Any]:
        return [mask.iou(*pair, no_crowd) for pair in zip(expected_coco, actual_coco, strict=True)]

    assert np.array_equal(compute_in_batch(), compute_one_by_one())
    assert np.allclose(compute_in_batch(), compute_by_pycocotools())
    times = {
        "fieldwise": measure_best_time(compute_in_batch),
        "one by one": measure_best_time(compute_one_by_one),
        "pycocotools": measure_best_time(compute_by_pycocotools),
    }
    print_table(f"pairwise IoU of boxes, {images:,} images of {size} × {size}", times, "ns/pair", 1e9 / (images * size * size))


def measure_polygons(size: int) -> None:
    """IoU of every expected polygon with every actual one."""
    rng = np.random.default_rng(size)
    angles = np.sort(rng.uniform(0, 2 * np.pi, (2 * size, 8)), axis=1)
    radii = rng.uniform(10, 60, (2 * size, 8))
    centres = rng.uniform(0, 640, (2 * size, 1, 2))
    rings = list(centres + np.stack([np.cos(angles) * radii, np.sin(angles) * radii], axis=2))
    polygons = polygons_from_rings(rings)
    is_valid = shapely.is_valid(polygons)
    expected, actual = polygons[:size][is_valid[:size]], polygons[size:][is_valid[size:]]

    def compute_by_loop() -> list[list[float]]:
        grid: list[list[float]] = []
        for a in expected:
            row: list[float] = []
            for b in actual:
                shared = a.intersection(b).area
                row.append(shared / (a.area + b.area - shared))
            grid.append(row)
        return grid

    assert np.allclose(polygon_iou_grid(expected, actual), compute_by_loop())
    times = {
        "fieldwise": measure_best_time(lambda: polygon_iou_grid(expected, actual)),
        "shapely loop": measure_best_time(compute_by_loop),
    }
    pairs = len(expected) * len(actual)
    print_table(f"pairwise IoU of polygons, {len(expected)} × {len(actual)}", times, "ns/pair", 1e9 / pairs)


def generate_dataset(images: int, categories: int = 80) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Generate parsed COCO files of the size and shape of its validation set: annotations and predictions."""
    rng = np.random.default_rng(7)
    annotations: list[dict[str, Any]] = []
    predictions: list[dict[str, Any]] = []
    for image in range(1, images + 1):
        image_categories = rng.integers(1, categories + 1, 3)  # an image shows few categories
        boxes = [[*rng.uniform(0, 400, 2).tolist(), *np.exp(rng.uniform(2, 5.5, 2)).tolist()] for _ in range(rng.poisson(7))]
        labels = rng.choice(image_categories, len(boxes)).tolist()
        for box, label in zip(boxes, labels, strict=True):
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": image,
                    "category_id": label,
                    "bbox": box,
                    "area": box[2] * box[3] * 0.7,
                    "iscrowd": int(rng.random() < 0.01),
                }
            )
        predictions += [_generate_prediction(rng, image, boxes, labels, image_categories) for _ in range(rng.poisson(30))]
    document = {
        "images": [{"id": image, "width": 640, "height": 640, "file_name": f"{image}.jpg"} for image in range(1, images + 1)],
        "annotations": annotations,
        "categories": [{"id": category, "name": f"kind {category}"} for category in range(1, categories + 1)],
    }
    return document, predictions


def _generate_prediction(
    rng: np.random.Generator, image: int, boxes: list[list[float]], labels: list[int], image_categories: Any
) -> dict[str, Any]:
    """Generate a prediction: half of them near an annotated box, the others anywhere."""
    target = int(rng.integers(len(boxes))) if boxes and rng.random() < 0.5 else None
    if target is None:
        x, y, width, height = [*rng.uniform(0, 400, 2).tolist(), *rng.uniform(8, 200, 2).tolist()]
    else:
        x, y, width, height = boxes[target]
    noise = float(rng.choice([0.02, 0.05, 0.15, 0.4]))
    bbox = [x + rng.normal() * noise * width, y + rng.normal() * noise * height, width * np.exp(rng.normal() * noise), height]
    label = labels[target] if target is not None and rng.random() < 0.9 else int(rng.choice(image_categories))
    return {"image_id": image, "category_id": label, "bbox": [float(number) for number in bbox], "score": float(rng.random())}


def evaluate_by_coco(coco_class: Any, evaluation_class: Any, annotations: Any, predictions: Any) -> list[float]:
    """Compute COCO's twelve metrics from parsed files, with pycocotools or a package with the same interface."""
    with contextlib.redirect_stdout(io.StringIO()):
        expected = coco_class()
        expected.dataset = annotations
        expected.createIndex()
        evaluation = evaluation_class(expected, expected.loadRes(predictions), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return [float(number) for number in evaluation.stats[:12]]


class ImageBatch:
    """A batch of cases, with the attributes that the detection evaluator reads."""

    def __init__(self, cases: Cases, start: int) -> None:
        self.records = Records(cases.expected[start : start + BATCH], cases.actual[start : start + BATCH], {}, {})

    def __len__(self) -> int:
        return len(self.records.expected)


def evaluate_by_fieldwise(annotations: Any, predictions: Any) -> dict[str, float]:
    """Compute the same metrics from parsed files, in batches; this also computes the result of every image."""
    entry = EVALUATORS.find("detection")
    config = entry.options()
    cases, _ = build_coco_cases(annotations, predictions)
    pools: list[dict[str, Any]] = []
    for start in range(0, len(cases), BATCH):
        pool = entry.function(ImageBatch(cases, start), config).pool
        pools.append({**pool, "case": pool["case"] + start})
    merged_pool = {name: np.concatenate([pool[name] for pool in pools]) for name in pools[0]}
    return entry.summarize(merged_pool, config)


def measure_detection(images: int) -> None:
    """AP and AR over a dataset, from parsed files."""
    document, predictions = generate_dataset(images)
    document, predictions = json.loads(json.dumps(document)), json.loads(json.dumps(predictions))
    metrics: dict[str, Any] = {}

    def measure(name: str, evaluate: Callable[[Any, Any], Any], repeats: int) -> float:
        times: list[float] = []
        for _ in range(repeats):
            copies = copy.deepcopy(document), copy.deepcopy(predictions)  # the peers modify their input
            start = time.perf_counter()
            metrics[name] = evaluate(*copies)
            times.append(time.perf_counter() - start)
        return min(times)

    def evaluate_by_pycocotools(annotations: Any, predictions: Any) -> list[float]:
        return evaluate_by_coco(COCO, COCOeval, annotations, predictions)

    def evaluate_by_faster_coco_eval(annotations: Any, predictions: Any) -> list[float]:
        return evaluate_by_coco(FasterCOCO, COCOeval_faster, annotations, predictions)

    times = {
        "fieldwise": measure("fieldwise", evaluate_by_fieldwise, 3),
        "pycocotools": measure("pycocotools", evaluate_by_pycocotools, 1),
        "faster-coco-eval": measure("faster-coco-eval", evaluate_by_faster_coco_eval, 3),
    }
    assert np.allclose(list(metrics["fieldwise"].values())[:12], metrics["pycocotools"], atol=1e-6)
    print(f"\nAP {metrics['fieldwise']['ap']:.6f}, equal to that of pycocotools")
    title = f"detection over {images:,} images, {len(document['annotations']):,} objects, {len(predictions):,} detections"
    print_table(title, times, "ms", 1e3)


def main() -> None:
    """Run all measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=5000, help="number of images for detection")
    options = parser.parse_args()
    for size in (20, 100, 1000):
        measure_boxes(size)
    measure_boxes_by_image(1000, 20)
    measure_polygons(100)
    measure_detection(options.images)


if __name__ == "__main__":
    main()
