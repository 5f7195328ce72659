"""Object detection: average precision and recall over a dataset as COCO defines them, and the errors of each image.

A case is an image. Expected lists its objects, `{"bbox": [x, y, width, height], "category": "dog"}` each (and `iscrowd`, `area`);
actual lists the detections, each with a `score`.

The score of one image is its F1 at IoU 0.5 over the detections with at least `min_score`, matched as COCO does: best score first.

>>> from fieldwise import evaluate
>>> dog, cat = {"bbox": [0, 0, 10, 10], "category": "dog"}, {"bbox": [5, 5, 9, 9], "category": "cat"}
>>> evaluate({"type": "detection"}, expected=[dog, cat], actual=[{**dog, "score": 0.9}]).misses
['[1] (required, missing)']
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from fieldwise.dataclass import dataclass
from fieldwise.evaluators.geometry._image_matching import (
    build_image_results,
    build_unreadable_results,
    locate_boxes,
    match_images,
    read_image_boxes,
)
from fieldwise.evaluators.geometry._item_matching import COUNT_METRICS, RATE_METRICS, ItemNames, find_path_problems, parse_item_path
from fieldwise.kernels.detections import AREA_RANGES, DETECTION_LIMITS, compute_curves
from fieldwise.model.batch import Batch
from fieldwise.model.bounds import Ge, Le
from fieldwise.model.options import OptionProblem
from fieldwise.model.path import Path, value_at
from fieldwise.model.result import Result, Results
from fieldwise.model.values import MISSING, json_kind
from fieldwise.registry import evaluator
from fieldwise.specs import EvaluatorExample

_SIZES = tuple(name for name in AREA_RANGES if name != "all")
_METRICS = (
    *RATE_METRICS,
    "mean_iou",
    *("ap", "ap50", "ap75"),
    *(f"ap_{name}" for name in _SIZES),
    *(f"ar_{limit}" for limit in DETECTION_LIMITS),
    *(f"ar_{name}" for name in _SIZES),
    "ap[*]",  # named after the categories of the data
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """Where the boxes are, and which detections count."""

    path: str = ""
    """Path of the list of boxes; default: the record itself, or its `boxes`."""
    format: Literal["xywh", "xyxy"] = "xywh"
    """xywh: left, top, width, height. xyxy: two opposite corners."""
    box: str = "bbox"
    """The key of the box inside an item."""
    label: str = "category"
    """The key of the category inside an item."""
    min_score: Annotated[float, Ge(0), Le(1)] = 0.5
    """Detections with a lower score are left out of the metrics of single images, but not of AP and AR. A score that is not a number
    makes a detection a false alarm."""

    def item_path(self) -> Path | None:
        """The path of the items inside a record."""
        steps = parse_item_path(self.path)
        return Path(steps) if steps else None

    def problems(self) -> Iterator[OptionProblem]:
        """What is wrong with `path`."""
        yield from find_path_problems(self.path)


def summarize(pool: Mapping[str, NDArray[Any]], config: Detection | None = None) -> dict[str, float]:
    """AP and AR over all images, by size and by category; metrics without any object to find are left out."""
    del config
    curves = compute_curves(pool)
    sizes = {name: area for area, name in enumerate(AREA_RANGES) if name != "all"}
    all_sizes = curves.precision[:, 0]
    columns = {"ap": all_sizes, "ap50": all_sizes[:, 0], "ap75": all_sizes[:, 5]}
    columns |= {f"ap_{name}": curves.precision[:, area] for name, area in sizes.items()}
    columns |= {f"ar_{limit}": curves.recall[:, 0, :, at] for at, limit in enumerate(DETECTION_LIMITS)}
    columns |= {f"ar_{name}": curves.recall[:, area, :, -1] for name, area in sizes.items()}
    columns |= {f"ap[{name}]": curves.precision[row, 0] for row, name in enumerate(curves.categories)}
    return {name: float(np.nanmean(values)) for name, values in columns.items() if not np.isnan(values).all()}


@evaluator(
    reads="records",
    counts=COUNT_METRICS,
    summarize=summarize,
    version=2,
    metrics=_METRICS,
    examples=[
        EvaluatorExample(
            options={"min_score": 0.5},
            expected=[{"bbox": [0, 0, 10, 10], "category": "dog"}, {"bbox": [30, 30, 9, 9], "category": "cat"}],
            actual=[{"bbox": [0, 0, 10, 9], "category": "dog", "score": 0.9}],
        ),
        EvaluatorExample(perfect=[{"bbox": [0, 0, 1, 1], "category": "a", "score": 0.9}]),
    ],
)
def detection(batch: Batch, config: Detection) -> Results:
    """F1 of each image at IoU 0.5, and the matched rows behind AP and AR in the pool."""
    steps = parse_item_path(config.path)
    if steps is None:
        return Results.from_results([Result(misses=[f"{config.path} (malformed path)"], reasoning="the path cannot be read")] * len(batch))
    expected = [value_at(record, locate_boxes(record, steps)) for record in batch.records.expected]
    actual = [value_at(record, locate_boxes(record, steps)) for record in batch.records.actual]
    is_measured = [json_kind(value) == "list" for value in expected]
    expected_lists = [expected[image] if is_measured[image] else [] for image in range(len(batch))]
    actual_lists = [actual[image] if is_measured[image] and json_kind(actual[image]) == "list" else [] for image in range(len(batch))]
    keys = (config.format, config.box, config.label)
    images = match_images(read_image_boxes(expected_lists, *keys), read_image_boxes(actual_lists, *keys), config.min_score)
    names = [ItemNames(locate_boxes(record, steps)) for record in batch.records.expected]
    unmeasured: dict[int, Result] = {}
    absent: dict[int, str] = {}
    for image in range(len(batch)):
        if not is_measured[image]:
            unmeasured[image] = _build_unmeasured_result(expected[image], names[image])
        elif reason := _describe_absence(actual[image]):
            absent[image] = reason
    unmeasured |= {image: result for image, result in build_unreadable_results(images).items() if image not in absent}
    return build_image_results(images, names, absent, unmeasured)


def _build_unmeasured_result(expected: Any, names: ItemNames) -> Result:
    """The result of an image whose expected side has no list of boxes."""
    if expected is None or expected is MISSING:
        return Result(status="skipped", reasoning=f"expected has nothing at {names.whole}")
    problem = f"expected: not a list of boxes: {json_kind(expected)}"
    return Result(status="error", misses=[f"{names.whole} ({problem})"], reasoning=problem, details={"fault": "ours"})


def _describe_absence(actual: Any) -> str | None:
    """Why actual has no list of boxes; None if it has one."""
    if actual is MISSING:
        return "required, missing"
    if actual is None:
        return "null value"
    return None if json_kind(actual) == "list" else f"not a list of boxes: {json_kind(actual)}"
