"""Overlap of boxes or polygons (intersection over union), for one shape or lists of shapes.

>>> from fieldwise import evaluate
>>> evaluate({"type": "iou_score"}, expected=[0, 0, 10, 10], actual=[0, 0, 10, 5]).score
0.5
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

import numpy as np

from fieldwise.dataclass import dataclass
from fieldwise.evaluators.geometry._item_matching import (
    COUNT_METRICS,
    RATE_METRICS,
    ItemColumn,
    ItemGroup,
    ItemLayout,
    MatchedCase,
    Pairing,
    PairScores,
    RowNumbers,
    build_result,
    compute_rates,
    describe_missing_key,
    evaluate_items,
    find_path_problems,
    label_key,
    parse_item_path,
)
from fieldwise.evaluators.geometry._shapes import Format, Shapes, is_one_shape, names_polygon, read_shapes
from fieldwise.kernels.geometry import Floats, Polygons, box_iou_grids, box_iou_pairs, has_shapely, polygon_iou_grid, polygon_iou_pairs
from fieldwise.model.batch import Batch
from fieldwise.model.bounds import Ge, Le
from fieldwise.model.options import OptionProblem
from fieldwise.model.path import Path
from fieldwise.model.result import Result, Results
from fieldwise.model.values import MISSING
from fieldwise.registry import evaluator
from fieldwise.specs import EvaluatorExample


@dataclass(frozen=True, slots=True, kw_only=True)
class IouScore:
    """Where the shapes are and how they are paired."""

    path: str = ""
    """Path of the shape or list of shapes; default: the record itself."""
    format: Format = "xyxy"
    """xyxy: two opposite corners. xywh: left, top, width, height. polygon: a list of points."""
    actual_format: Format | None = None
    """The format of actual, if it differs."""
    box: str | None = None
    """The key of the shape inside an item."""
    label: str | None = None
    """The key of the label inside an item; only items with the same label are paired."""
    threshold: Annotated[float, Ge(0), Le(1)] | None = None
    """A pair is a hit from this IoU on; default: above 0."""
    pairing: Pairing = "index"
    """index: the items of the two lists in their order. best: the pairs with the best total."""
    polygon: Literal["exact", "bbox"] = "exact"
    """Compare the polygons themselves, or their bounding boxes."""

    def is_graded(self) -> bool:
        """True without a threshold."""
        return self.threshold is None

    def item_path(self) -> Path | None:
        """The path of the items inside a record."""
        steps = parse_item_path(self.path)
        return Path(steps) if steps else None

    def problems(self) -> Iterator[OptionProblem]:
        """What is wrong with `path`, and a label without a key of the shape."""
        yield from find_path_problems(self.path)
        if self.label is not None and self.box is None and "polygon" in (self.format, self.actual_format):
            yield "box", "`label` needs items with keys, but `box` does not name the key of the polygon", "add `box: polygon`"


@dataclass(frozen=True, slots=True)
class _Overlaps:
    """The shapes of a batch; an `ItemMeasure`."""

    expected: Shapes
    actual: Shapes
    expected_problems: Mapping[int, str]
    actual_problems: Mapping[int, str]
    labels: tuple[list[Any], list[Any]]
    threshold: float | None
    is_normalised: tuple[list[bool], list[bool]]
    """By side and row: coordinates are shares of the image (0 to 1)."""
    is_pixels: tuple[list[bool], list[bool]]
    """By side and row: coordinates are pixels."""

    @property
    def is_mostly_zero(self) -> bool:
        """Most boxes do not overlap."""
        return True

    def build_grids(self, groups: Sequence[ItemGroup]) -> Iterator[Floats]:
        """IoU of every expected with every actual shape of each group; 0 where one cannot be read."""
        expected_polygons, actual_polygons = self.expected.polygons, self.actual.polygons
        if expected_polygons is None or actual_polygons is None:
            return self._build_box_grids(groups)
        return (self._build_polygon_grid(expected_polygons, actual_polygons, group) for group in groups)

    def _build_box_grids(self, groups: Sequence[ItemGroup]) -> Iterator[Floats]:
        if not groups:
            return iter(())
        expected_rows = np.concatenate([expected for expected, _ in groups])
        actual_rows = np.concatenate([actual for _, actual in groups])
        counts = np.array([(len(expected), len(actual)) for expected, actual in groups])
        # a box that cannot be read becomes one without area, which overlaps none
        expected_boxes, actual_boxes = np.nan_to_num(self.expected.bounds[expected_rows]), np.nan_to_num(self.actual.bounds[actual_rows])
        return box_iou_grids(expected_boxes, actual_boxes, counts[:, 0], counts[:, 1])

    def _build_polygon_grid(self, expected_polygons: Polygons, actual_polygons: Polygons, group: ItemGroup) -> Floats:
        expected, actual = group
        grid = np.zeros((len(expected), len(actual)))
        expected_valid, actual_valid = ~np.isnan(self.expected.bounds[expected, 0]), ~np.isnan(self.actual.bounds[actual, 0])
        ious = polygon_iou_grid(expected_polygons[expected[expected_valid]], actual_polygons[actual[actual_valid]])
        grid[np.ix_(expected_valid, actual_valid)] = ious
        return grid

    def score_pairs(self, expected: RowNumbers, actual: RowNumbers) -> PairScores:
        """IoU of each pair, and a note on differing labels or mixed coordinates."""
        expected_bounds, actual_bounds = self.expected.bounds[expected], self.actual.bounds[actual]
        is_valid = ~(np.isnan(expected_bounds[:, 0]) | np.isnan(actual_bounds[:, 0]))
        iou = np.zeros(len(expected))
        if self.expected.polygons is None or self.actual.polygons is None:
            iou[is_valid] = box_iou_pairs(expected_bounds[is_valid], actual_bounds[is_valid])
        else:
            iou[is_valid] = polygon_iou_pairs(self.expected.polygons[expected[is_valid]], self.actual.polygons[actual[is_valid]])
        notes = self._note_label_differences(expected, actual)
        labels_differ = np.zeros(len(iou), dtype=np.bool_)
        labels_differ[list(notes)] = True
        iou[labels_differ] = 0.0
        is_mixed = _are_normalised(expected_bounds) & _are_pixels(actual_bounds)
        is_mixed |= _are_pixels(expected_bounds) & _are_normalised(actual_bounds)
        for row in np.flatnonzero(is_mixed).tolist():
            notes.setdefault(row, "mixed coordinates: normalised against pixels")
        return PairScores(iou, self._reach_threshold(iou) & is_valid & ~labels_differ, iou, notes)

    def _reach_threshold(self, iou: Floats) -> Any:
        if self.threshold is None:
            return iou > 0
        slack = 1e-9 * self.threshold + 4 * np.finfo(np.float64).eps * (self.threshold > 0)
        return iou >= self.threshold - slack

    def _note_label_differences(self, expected: RowNumbers, actual: RowNumbers) -> dict[int, str]:
        """Notes on pairs whose labels differ; only single items can be such a pair, as lists are paired within a label."""
        notes: dict[int, str] = {}
        expected_labels, actual_labels = self.labels
        for position, (expected_row, actual_row) in enumerate(zip(expected.tolist(), actual.tolist(), strict=True)):
            expected_label, actual_label = expected_labels[expected_row], actual_labels[actual_row]
            if expected_label is not actual_label and label_key(expected_label) != label_key(actual_label):
                notes[position] = f"label {actual_label}, expected {expected_label}"
        return notes


def _metric_names(config: IouScore) -> tuple[str, ...]:
    return ("mean_iou",) if config.threshold is None else ("mean_iou", *RATE_METRICS)


@evaluator(
    reads="records",
    counts=COUNT_METRICS,
    version=2,
    metrics=_metric_names,
    recomputes=("threshold",),
    examples=[
        EvaluatorExample(
            options={"path": "boxes", "format": "xyxy", "threshold": 0.5, "pairing": "best"},
            expected={"boxes": [[0, 0, 10, 10], [20, 20, 30, 30]]},
            actual={"boxes": [[20, 20, 30, 28], [0, 0, 4, 4]]},
        ),
        EvaluatorExample(perfect=[[0, 0, 1, 1], [0, 0, 2, 1]]),
        EvaluatorExample(
            options={"path": "a", "format": "xywh", "threshold": 0.5, "pairing": "best"}, perfect={"a": [[0, 0, 1, 1], [1, 1, 2, 1]]}
        ),
    ],
)
def iou_score(batch: Batch, config: IouScore) -> Results:
    """Mean IoU over the pairs; items without a counterpart count as 0."""
    forms: tuple[Format, Format] = (config.format, config.actual_format or config.format)
    if "polygon" in forms and config.polygon == "exact" and not has_shapely():
        return Results.from_results([Result(status="unavailable", reasoning=_NO_SHAPELY)] * len(batch))
    layout = ItemLayout(
        path=config.path,
        is_item=lambda value, actual: is_one_shape(value, forms[actual]),
        value_key=config.box,
        label_key=config.label,
        pairing=config.pairing,
        reported="iou",
    )
    return evaluate_items(
        batch,
        layout,
        build_measure=lambda expected, actual: _read_overlaps(expected, actual, config, forms),
        finish=lambda judged, measure: _build_iou_result(judged, measure, config),
    )


_NO_SHAPELY: Final = "exact polygons need shapely: pip install 'fieldwise[geometry]', or set `polygon: bbox`"


def _read_overlaps(expected: ItemColumn, actual: ItemColumn, config: IouScore, forms: tuple[Format, Format]) -> _Overlaps:
    named = [[row for row, value in enumerate(side.values) if names_polygon(value)] for side in (expected, actual)]
    is_exact = ("polygon" in forms or any(named)) and config.polygon == "exact"
    can_be_exact = is_exact and has_shapely()
    shapes = [read_shapes(side.values, form, can_be_exact) for side, form in zip((expected, actual), forms, strict=True)]
    if is_exact and not can_be_exact:
        shapes = [_refuse_rows(side, rows) for side, rows in zip(shapes, named, strict=True)]
    expected_shapes, actual_shapes = shapes
    return _Overlaps(
        expected=expected_shapes,
        actual=actual_shapes,
        expected_problems=_add_missing_keys(expected_shapes.problems, expected, config),
        actual_problems=_add_missing_keys(actual_shapes.problems, actual, config),
        labels=(expected.labels, actual.labels),
        threshold=config.threshold,
        is_normalised=(_are_normalised(expected_shapes.bounds).tolist(), _are_normalised(actual_shapes.bounds).tolist()),
        is_pixels=(_are_pixels(expected_shapes.bounds).tolist(), _are_pixels(actual_shapes.bounds).tolist()),
    )


def _refuse_rows(shapes: Shapes, rows: Sequence[int]) -> Shapes:
    """The shapes without the polygons that cannot be compared exactly."""
    shapes.bounds[rows] = np.nan
    return replace(shapes, problems=dict(shapes.problems) | dict.fromkeys(rows, _NO_SHAPELY))


def _add_missing_keys(problems: Mapping[int, str], side: ItemColumn, config: IouScore) -> Mapping[int, str]:
    """The problems of the shapes, and items without the key of the shape or of the label."""
    described = dict(problems)
    if config.label is not None:
        unlabelled = [row for row, label in enumerate(side.labels) if label is MISSING]
        described = {row: describe_missing_key("label", config.label, side.items[row]) for row in unlabelled} | described
    if config.box is not None:
        for row in problems:
            if side.values[row] is MISSING:
                described[row] = describe_missing_key("box", config.box, side.items[row])
    return described


def _build_iou_result(judged: MatchedCase, measure: _Overlaps | None, config: IouScore) -> Result:
    metrics: dict[str, float] = {"mean_iou": judged.score}
    if config.threshold is not None:
        metrics |= compute_rates(judged)
    mixed = None if measure is None else _describe_mixed_coordinates(measure, judged)
    return build_result(judged, metrics, _write_reasoning(judged, config, mixed), ["mixed_coordinates"] if mixed else [])


def _write_reasoning(judged: MatchedCase, config: IouScore, mixed: str | None) -> str:
    if max(judged.expected, judged.actual) == 0:
        return "nothing expected, nothing given"
    hit = "overlap" if config.threshold is None else f"reach IoU {config.threshold:g}"
    reasoning = f"mean IoU {judged.score:.3f}; {judged.passed} of {judged.expected} expected shapes {hit}"
    if judged.actual > judged.passed:
        reasoning += f"; {judged.actual - judged.passed} of {judged.actual} given do not"
    return f"{reasoning}; {mixed}" if mixed else reasoning


def _are_normalised(bounds: Floats) -> Any:
    return (bounds.min(axis=1, initial=np.inf) >= 0) & (bounds.max(axis=1, initial=0) <= 1)  # False for NaN


def _are_pixels(bounds: Floats) -> Any:
    return bounds.max(axis=1, initial=0) > 10  # small boxes near the origin are more likely test data than pixels


def _describe_mixed_coordinates(measure: _Overlaps, judged: MatchedCase) -> str | None:
    """Which shapes of a case are normalised and which are in pixels; None if all are alike."""
    rows = (slice(judged.expected_rows.start, judged.expected_rows.stop), slice(judged.actual_rows.start, judged.actual_rows.stop))
    has_normalised = [any(side[at]) for side, at in zip(measure.is_normalised, rows, strict=True)]
    has_pixels = [any(side[at]) for side, at in zip(measure.is_pixels, rows, strict=True)]
    if not (any(has_normalised) and any(has_pixels)):
        return None
    if has_normalised == [True, False] and has_pixels == [False, True]:
        return "mixed coordinates: expected is normalised (0 to 1), actual is in pixels"
    if has_normalised == [False, True] and has_pixels == [True, False]:
        return "mixed coordinates: expected is in pixels, actual is normalised (0 to 1)"
    return "mixed coordinates: some shapes are normalised (0 to 1), others are in pixels"
