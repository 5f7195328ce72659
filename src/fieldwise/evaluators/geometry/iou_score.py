"""How well boxes or polygons overlap: intersection over union, one shape or lists of them.

>>> from fieldwise import evaluate
>>> evaluate({"type": "iou_score"}, expected=[0, 0, 10, 10], actual=[0, 0, 10, 5]).score
0.5
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

import numpy as np
from annotated_types import Interval

from fieldwise.evaluators.geometry._geometry import counts, evaluate, result
from fieldwise.evaluators.geometry._items import PathProblem, path_problems
from fieldwise.evaluators.geometry._pairing import Column, Floats, Judged, Pairing, Rows, Scored, Setup, label_of
from fieldwise.evaluators.geometry._shapes import Format, Shapes, is_one_shape, read_shapes
from fieldwise.kernels.boxes import iou_grid, iou_pairs
from fieldwise.kernels.polygons import available, polygon_iou_grid, polygon_iou_pairs
from fieldwise.model.batch import Batch
from fieldwise.model.result import Result, Results
from fieldwise.model.values import MISSING
from fieldwise.registry import evaluator


@dataclass(frozen=True, slots=True, kw_only=True)
class IouScore:
    """Where the shapes are and how they are paired."""

    path: str = ""
    """Where the shape, or the list of shapes, stands; omitted: the record itself."""
    format: Format = "xyxy"
    actual_format: Format | None = None
    """The format of actual, if it differs."""
    box: str | None = None
    """The key of the shape inside an item."""
    label: str | None = None
    """The key of the label inside an item; only items of one label are paired."""
    threshold: Annotated[float, Interval(ge=0, le=1)] | None = None
    """A pair is a hit at this IoU; without it, above 0."""
    pairing: Pairing = "index"
    polygon: Literal["exact", "bbox"] = "exact"
    """Compare polygons as they are, or the boxes around them."""

    def problems(self) -> Iterator[PathProblem]:
        """What plan/ cannot see in the types alone."""
        yield from path_problems(self.path)
        if self.label is not None and self.box is None and "polygon" in (self.format, self.actual_format):
            yield "box", "`label` needs items with keys, but `box` does not name the key of the polygon", "add `box: polygon`"


@dataclass(frozen=True, slots=True)
class _Overlaps:
    """The shapes of a batch; a `Measure`."""

    expected: Shapes
    actual: Shapes
    expected_problems: Mapping[int, str]
    actual_problems: Mapping[int, str]
    labels: tuple[list[Any], list[Any]]
    threshold: float | None
    normalised: tuple[list[bool], list[bool]]
    """By side and row: it is in shares of the image."""
    pixels: tuple[list[bool], list[bool]]

    def grid(self, expected: Rows, actual: Rows) -> Floats:
        """IoU of every expected with every actual shape; 0 where one cannot be read."""
        if self.expected.polygons is None or self.actual.polygons is None:
            return np.nan_to_num(iou_grid(self.expected.bounds[expected], self.actual.bounds[actual]))
        grid = np.zeros((len(expected), len(actual)))
        left, right = ~np.isnan(self.expected.bounds[expected, 0]), ~np.isnan(self.actual.bounds[actual, 0])
        grid[np.ix_(left, right)] = polygon_iou_grid(self.expected.polygons[expected[left]], self.actual.polygons[actual[right]])
        return grid

    def pairs(self, expected: Rows, actual: Rows) -> Scored:
        """IoU of each pair, whether it is a hit, and what is odd about it."""
        bounds, other = self.expected.bounds[expected], self.actual.bounds[actual]
        known = ~(np.isnan(bounds[:, 0]) | np.isnan(other[:, 0]))
        iou = np.zeros(len(expected))
        if self.expected.polygons is None or self.actual.polygons is None:
            iou[known] = iou_pairs(bounds[known], other[known])
        else:
            iou[known] = polygon_iou_pairs(self.expected.polygons[expected[known]], self.actual.polygons[actual[known]])
        notes = self._labels_that_differ(expected, actual)
        differ = np.zeros(len(iou), dtype=np.bool_)
        differ[list(notes)] = True
        iou[differ] = 0.0
        for row in np.flatnonzero((_is_normalised(bounds) & _is_pixels(other)) | (_is_pixels(bounds) & _is_normalised(other))).tolist():
            notes.setdefault(row, "mixed coordinates: normalised against pixels")
        return Scored(iou, self._hits(iou) & known & ~differ, iou, notes)

    def _hits(self, iou: Floats) -> Any:
        if self.threshold is None:
            return iou > 0
        slack = 1e-9 * self.threshold + 4 * np.finfo(np.float64).eps * (self.threshold > 0)
        return iou >= self.threshold - slack

    def _labels_that_differ(self, expected: Rows, actual: Rows) -> dict[int, str]:
        """Only a single item meets one of another label; lists are paired within a label."""
        ours, theirs = self.labels
        pairs = ((ours[left], theirs[right]) for left, right in zip(expected.tolist(), actual.tolist(), strict=True))
        return {row: f"label {b}, expected {a}" for row, (a, b) in enumerate(pairs) if a is not b and label_of(a) != label_of(b)}


@evaluator(reads="records", counts=("true_positives", "false_positives", "false_negatives"), version=1)
def iou_score(batch: Batch, config: IouScore) -> Results:
    """Mean IoU over the pairs; items without a counterpart count as 0."""
    forms: tuple[Format, Format] = (config.format, config.actual_format or config.format)
    if "polygon" in forms and config.polygon == "exact" and not available():
        return Results.from_results([Result(status="unavailable", reasoning=_NO_SHAPELY)] * len(batch))
    setup = Setup(
        path=config.path,
        is_one=lambda value, actual: is_one_shape(value, forms[actual]),
        value_key=config.box,
        label_key=config.label,
        pairing=config.pairing,
        shown="iou",
    )
    return evaluate(
        batch,
        setup,
        read=lambda expected, actual: _overlaps(expected, actual, config, forms),
        finish=lambda judged, measure: _result(judged, measure, config),
    )


_NO_SHAPELY: Final = "exact polygons need shapely: pip install 'fieldwise[geometry]', or set `polygon: bbox`"


def _overlaps(expected: Column, actual: Column, config: IouScore, forms: tuple[Format, Format]) -> _Overlaps:
    exact = "polygon" in forms and config.polygon == "exact"
    ours, theirs = read_shapes(expected.values, forms[0], exact), read_shapes(actual.values, forms[1], exact)
    return _Overlaps(
        expected=ours,
        actual=theirs,
        expected_problems=_with_label_problems(ours.problems, expected, config.label),
        actual_problems=_with_label_problems(theirs.problems, actual, config.label),
        labels=(expected.labels, actual.labels),
        threshold=config.threshold,
        normalised=(_is_normalised(ours.bounds).tolist(), _is_normalised(theirs.bounds).tolist()),
        pixels=(_is_pixels(ours.bounds).tolist(), _is_pixels(theirs.bounds).tolist()),
    )


def _with_label_problems(problems: Mapping[int, str], side: Column, label: str | None) -> Mapping[int, str]:
    if label is None:
        return problems
    return {row: f"no label: the key `{label}` is missing" for row, found in enumerate(side.labels) if found is MISSING} | dict(problems)


def _result(judged: Judged, measure: _Overlaps | None, config: IouScore) -> Result:
    metrics: dict[str, float] = {"mean_iou": judged.score}
    if config.threshold is not None:
        metrics |= counts(judged)
    mixed = None if measure is None else _mixed_coordinates(measure, judged)
    return result(judged, metrics, _reasoning(judged, config, mixed), ["mixed_coordinates"] if mixed else [])


def _reasoning(judged: Judged, config: IouScore, mixed: str | None) -> str:
    slots = max(judged.expected, judged.actual)
    if slots == 0:
        return "nothing expected, nothing given"
    hit = "overlap" if config.threshold is None else f"reach IoU {config.threshold:g}"
    found = f"mean IoU {judged.score:.3f}; {judged.passed} of {judged.expected} expected shapes {hit}"
    if judged.actual > judged.passed:
        found += f"; {judged.actual - judged.passed} of {judged.actual} given do not"
    return f"{found}; {mixed}" if mixed else found


def _is_normalised(bounds: Floats) -> Any:
    return (bounds.min(axis=1, initial=np.inf) >= 0) & (bounds.max(axis=1, initial=0) <= 1)  # false for NaN


def _is_pixels(bounds: Floats) -> Any:
    return bounds.max(axis=1, initial=0) > 10  # a box of pixels this near the corner of an image is rarer than a box 1 wide in a test


def _mixed_coordinates(measure: _Overlaps, judged: Judged) -> str | None:
    """In words, that some shapes of a case are in shares of the image and others in pixels; None if not."""
    rows = (slice(judged.expected_rows.start, judged.expected_rows.stop), slice(judged.actual_rows.start, judged.actual_rows.stop))
    shares = [any(side[at]) for side, at in zip(measure.normalised, rows, strict=True)]
    pixels = [any(side[at]) for side, at in zip(measure.pixels, rows, strict=True)]
    if not (any(shares) and any(pixels)):
        return None
    if shares == [True, False] and pixels == [False, True]:
        return "mixed coordinates: expected is normalised (0 to 1), actual is in pixels"
    if shares == [False, True] and pixels == [True, False]:
        return "mixed coordinates: expected is in pixels, actual is normalised (0 to 1)"
    return "mixed coordinates: some shapes are normalised (0 to 1), others are in pixels"
