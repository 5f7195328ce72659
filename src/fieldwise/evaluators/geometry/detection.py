"""Objects found in images: average precision and recall over a dataset as COCO defines them, and what went wrong in each image.

A case is an image. Expected holds its objects, `{"bbox": [x, y, width, height], "category": "dog"}` each (and `iscrowd`, `area`);
actual holds what was found, with a `score` each.

The score of one image is its F1 at IoU 0.5 over the detections with at least `min_score`; matched as COCO does, best score first.

>>> from fieldwise import evaluate
>>> dog, cat = {"bbox": [0, 0, 10, 10], "category": "dog"}, {"bbox": [5, 5, 9, 9], "category": "cat"}
>>> evaluate({"type": "detection"}, expected=[dog, cat], actual=[{**dog, "score": 0.9}]).misses
['[1] (required, missing)']
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Interval
from numpy.typing import NDArray

from fieldwise.evaluators.geometry._image_results import image_results
from fieldwise.evaluators.geometry._images import match_images, read_side, steps_to_boxes
from fieldwise.evaluators.geometry._items import Names, PathProblem, path_problems, steps_of
from fieldwise.kernels.detections import AREAS, MOST, Curves, curves
from fieldwise.model.batch import Batch
from fieldwise.model.lookup import find
from fieldwise.model.result import Result, Results
from fieldwise.model.values import MISSING, kind
from fieldwise.registry import evaluator


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """Where the boxes are and what counts as found."""

    path: str = ""
    """Where the list of boxes stands; omitted: the record itself, or its `boxes`."""
    format: Literal["xywh", "xyxy"] = "xywh"
    box: str = "bbox"
    """The key of the box inside an item."""
    label: str = "category"
    """The key of the category inside an item."""
    min_score: Annotated[float, Interval(ge=0, le=1)] = 0.5
    """Detections below it are left out of the numbers of single images, never of AP and AR."""

    def problems(self) -> Iterator[PathProblem]:
        """What plan/ cannot see in the types alone."""
        yield from path_problems(self.path)


def summarize(pool: Mapping[str, NDArray[Any]], config: Detection | None = None) -> dict[str, float]:
    """AP and AR over all images, by size and by category; what has no object to be found is left out."""
    del config
    found = curves(pool)
    sizes = {name: area for area, name in enumerate(AREAS) if name != "all"}
    whole = found.precision[:, 0]
    numbers = {"ap": whole, "ap50": whole[:, 0], "ap75": whole[:, 5]}
    numbers |= {f"ap_{name}": found.precision[:, area] for name, area in sizes.items()}
    numbers |= {f"ar_{most}": found.recall[:, 0, :, at] for at, most in enumerate(MOST)}
    numbers |= {f"ar_{name}": found.recall[:, area, :, -1] for name, area in sizes.items()}
    numbers |= _by_category(found)
    return {name: float(np.nanmean(values)) for name, values in numbers.items() if not np.isnan(values).all()}


def _by_category(found: Curves) -> dict[str, NDArray[np.float64]]:
    return {f"ap[{name}]": found.precision[row, 0] for row, name in enumerate(found.categories)}


@evaluator(reads="records", counts=("true_positives", "false_positives", "false_negatives"), summarize=summarize, version=1)
def detection(batch: Batch, config: Detection) -> Results:
    """F1 of each image at IoU 0.5, and the matched rows behind AP and AR in the pool."""
    steps = steps_of(config.path)
    if steps is None:
        return Results.from_results([Result(misses=[f"{config.path} (malformed path)"], reasoning="the path cannot be read")] * len(batch))
    expected = [find(record, steps_to_boxes(record, steps)) for record in batch.records.expected]
    actual = [find(record, steps_to_boxes(record, steps)) for record in batch.records.actual]
    measured = [kind(value) == "list" for value in expected]
    keys = (config.format, config.box, config.label)
    ours = read_side([value if known else [] for value, known in zip(expected, measured, strict=True)], *keys)
    theirs = read_side([value if known and kind(value) == "list" else [] for value, known in zip(actual, measured, strict=True)], *keys)
    images = match_images(ours, theirs, config.min_score)
    names = [Names(steps_to_boxes(record, steps)) for record in batch.records.expected]
    apart = {row: _unmeasured(expected[row], names[row]) for row, known in enumerate(measured) if not known}
    absent = {row: absence for row, value in enumerate(actual) if row not in apart and (absence := _absence(value))}
    return image_results(images, names, absent, apart)


def _unmeasured(expected: Any, names: Names) -> Result:
    """Where expected has no list of boxes."""
    if expected is None or expected is MISSING:
        return Result(status="skipped", reasoning=f"expected has nothing at {names.whole}")
    problem = f"expected: not a list of boxes: {kind(expected)}"
    return Result(status="error", misses=[f"{names.whole} ({problem})"], reasoning=problem, details={"fault": "ours"})


def _absence(actual: Any) -> str | None:
    """Why actual has no list of boxes, if it has none."""
    if actual is MISSING:
        return "required, missing"
    if actual is None:
        return "null value"
    return None if kind(actual) == "list" else f"not a list of boxes: {kind(actual)}"
