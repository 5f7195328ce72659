"""Distance of points from the expected ones, in any number of dimensions, for one point or lists of points.

>>> from fieldwise import evaluate
>>> evaluate({"type": "coordinate_distance", "threshold": 5}, expected=[0, 0], actual=[3, 4]).score
1.0
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import NDArray

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
    evaluate_items,
    find_path_problems,
    parse_item_path,
)
from fieldwise.evaluators.geometry._shapes import describe_number_problem, is_one_shape
from fieldwise.kernels.geometry import DistanceMetric, Floats, distance_grid, distance_pairs, similarity_from_distance
from fieldwise.model.batch import Batch
from fieldwise.model.bounds import Ge
from fieldwise.model.options import OptionProblem
from fieldwise.model.path import Path
from fieldwise.model.result import Result, Results
from fieldwise.model.values import MISSING, json_kind
from fieldwise.registry import evaluator
from fieldwise.specs import EvaluatorExample


@dataclass(frozen=True, slots=True, kw_only=True)
class CoordinateDistance:
    """Where the points are and how far apart they may be."""

    path: str = ""
    """Path of the point or list of points; default: the record itself."""
    metric: DistanceMetric = "euclidean"
    """How the distance of two points is measured."""
    threshold: Annotated[float, Ge(0)] | None = None
    """A pair scores 1 up to this distance and 0 beyond; without it, 1 / (1 + distance), for cosine 1 - distance."""
    pairing: Pairing = "index"
    """index: the items of the two lists in their order. best: the pairs with the best total."""

    def is_graded(self) -> bool:
        """True without a threshold."""
        return self.threshold is None

    def item_path(self) -> Path | None:
        """The path of the items inside a record."""
        steps = parse_item_path(self.path)
        return Path(steps) if steps else None

    def problems(self) -> Iterator[OptionProblem]:
        """What is wrong with `path`."""
        yield from find_path_problems(self.path)


@dataclass(frozen=True, slots=True)
class _Points:
    """Points, grouped into one array for each number of dimensions."""

    blocks: Mapping[int, Floats]
    """The points by number of dimensions."""
    dimension: NDArray[np.int64]
    """By row: the number of dimensions, 0 for a value that is not a point."""
    slot: NDArray[np.int64]
    """By row: the position of the point in its block."""
    problems: Mapping[int, str]

    def select(self, dimension: int, rows: RowNumbers) -> Floats:
        """The points of these rows, all of this dimension, as an array."""
        return self.blocks[dimension][self.slot[rows]]


@dataclass(frozen=True, slots=True)
class _Distances:
    """The points of a batch; an `ItemMeasure`."""

    expected: _Points
    actual: _Points
    metric: DistanceMetric
    threshold: float | None

    @property
    def expected_problems(self) -> Mapping[int, str]:
        """What is wrong with expected points."""
        return self.expected.problems

    @property
    def actual_problems(self) -> Mapping[int, str]:
        """What is wrong with actual points."""
        return self.actual.problems

    @property
    def is_mostly_zero(self) -> bool:
        """Every two points are at some distance."""
        return False

    def build_grids(self, groups: Sequence[ItemGroup]) -> Iterator[Floats]:
        """Closeness of every expected with every actual point of each group, hits far above the others."""
        return (self._build_grid(expected, actual) for expected, actual in groups)

    def _build_grid(self, expected: RowNumbers, actual: RowNumbers) -> Floats:
        """The grid of one group; 0 for points of different dimensions."""
        grid = np.zeros((len(expected), len(actual)))
        expected_dimension, actual_dimension = self.expected.dimension[expected], self.actual.dimension[actual]
        for dimension in set(expected_dimension.tolist()) & set(actual_dimension.tolist()) - {0}:
            rows, columns = np.flatnonzero(expected_dimension == dimension), np.flatnonzero(actual_dimension == dimension)
            expected_points = self.expected.select(dimension, expected[rows])
            actual_points = self.actual.select(dimension, actual[columns])
            distance = distance_grid(expected_points, actual_points, self.metric)
            closeness = similarity_from_distance(distance, self.metric) + 1e-12
            if self.threshold is not None:
                magnitude = np.maximum.outer(np.abs(expected_points).max(axis=1), np.abs(actual_points).max(axis=1))
                closeness += (min(grid.shape) + 1) * self._within_threshold(distance, magnitude)
            grid[np.ix_(rows, columns)] = closeness
        return grid

    def score_pairs(self, expected: RowNumbers, actual: RowNumbers) -> PairScores:
        """Closeness and distance of each pair; the distance is NaN for points of different dimensions."""
        expected_dimension, actual_dimension = self.expected.dimension[expected], self.actual.dimension[actual]
        distance = np.full(len(expected), np.nan)
        magnitude = np.zeros(len(expected))
        for dimension in set(expected_dimension[(expected_dimension == actual_dimension) & (expected_dimension > 0)].tolist()):
            at = np.flatnonzero((expected_dimension == dimension) & (actual_dimension == dimension))
            expected_points, actual_points = self.expected.select(dimension, expected[at]), self.actual.select(dimension, actual[at])
            distance[at] = distance_pairs(expected_points, actual_points, self.metric)
            magnitude[at] = np.maximum(np.abs(expected_points).max(axis=1), np.abs(actual_points).max(axis=1))
        is_measured = ~np.isnan(distance)
        similarity = np.zeros(len(distance))
        similarity[is_measured] = similarity_from_distance(distance[is_measured], self.metric)
        passed = similarity > 0
        if self.threshold is not None:
            passed = is_measured & self._within_threshold(np.where(is_measured, distance, np.inf), magnitude)
            similarity = passed.astype(np.float64)
        is_mismatch = (expected_dimension != actual_dimension) & (expected_dimension > 0) & (actual_dimension > 0)
        notes = {
            row: f"dimension mismatch: {actual_dimension[row]}, expected {expected_dimension[row]}"
            for row in np.flatnonzero(is_mismatch).tolist()
        }
        return PairScores(similarity, passed, distance, notes)

    def _within_threshold(self, distance: Floats, magnitude: Floats) -> NDArray[np.bool_]:
        """True within the threshold, with slack for binary rounding: 1.1 is 0.1 from 1.0."""
        assert self.threshold is not None
        slack = 1e-9 * self.threshold
        if self.threshold > 0:
            slack = slack + 4 * np.finfo(np.float64).eps * (1.0 if self.metric == "cosine" else magnitude)
        return distance <= self.threshold + slack


_BOX_SIZES: Final = ("w", "h", "width", "height")
_UNSCORED: Final = "unscored_distance"
"""The flag of a case with points of which none has a distance, because the output lacks them or they have other dimensions."""


def _metric_names(config: CoordinateDistance) -> tuple[str, ...]:
    return ("mean_distance",) if config.threshold is None else ("mean_distance", *RATE_METRICS)


@evaluator(
    reads="records",
    counts=COUNT_METRICS,
    version=2,
    unbounded=("mean_distance",),
    unscored={"mean_distance": _UNSCORED},
    metrics=_metric_names,
    recomputes=("threshold",),
    examples=[
        EvaluatorExample(options={"path": "corner", "threshold": 5}, expected={"corner": [0, 0]}, actual={"corner": [3, 4]}),
        EvaluatorExample(perfect=[[0, 1], [1, 2]]),
        EvaluatorExample(options={"path": "a", "metric": "cosine", "pairing": "best"}, perfect={"a": [[0, 1], [1, 2]]}),
    ],
)
def coordinate_distance(batch: Batch, config: CoordinateDistance) -> Results:
    """Mean closeness over the pairs; points without a counterpart count as 0."""
    return evaluate_items(
        batch,
        ItemLayout(path=config.path, is_item=lambda value, _: is_one_shape(value, "xyxy"), pairing=config.pairing, reported="distance"),
        build_measure=lambda expected, actual: _read_distances(expected, actual, config),
        finish=lambda judged, _: _build_distance_result(judged, config),
    )


def _read_distances(expected: ItemColumn, actual: ItemColumn, config: CoordinateDistance) -> _Distances:
    return _Distances(_read_points(expected.values), _read_points(actual.values), config.metric, config.threshold)


def _read_points(values: Sequence[Any]) -> _Points:
    dimension, slot = np.zeros(len(values), dtype=np.int64), np.zeros(len(values), dtype=np.int64)
    points_by_dimension: dict[int, list[Sequence[float]]] = {}
    problems: dict[int, str] = {}
    for row, value in enumerate(values):
        point = _read_point(value)
        if isinstance(point, str):
            problems[row] = point
            continue
        block = points_by_dimension.setdefault(len(point), [])
        dimension[row], slot[row] = len(point), len(block)
        block.append(point)
    blocks = {size: np.array(points, dtype=np.float64) for size, points in points_by_dimension.items()}
    return _Points(blocks, dimension, slot, problems)


def _read_point(value: Any) -> Sequence[float] | str:
    """The coordinates of a point, or what is wrong with it; further keys, such as its name, do not count."""
    if json_kind(value) == "object":
        names = [name for name in ("x", "y", "z") if name in value]
        if names[:2] != ["x", "y"]:
            return "an object without the keys x, y"
        if not value.keys().isdisjoint(_BOX_SIZES):
            return "a box, not a point; `iou_score` compares boxes"
        value = [value[name] for name in names]
    if value is MISSING or value is None:
        return "null value" if value is None else "required, missing"
    if json_kind(value) != "list":
        return f"not a list of numbers: {json_kind(value)}"
    if not value:
        return "a point without coordinates"
    for index, number in enumerate(value):
        problem = describe_number_problem(number)
        if problem is None and isinstance(number, int) and float(number) != number:
            problem = "has more digits than a distance keeps: beyond 2^53"
        if problem is not None:
            return f"coordinate {index} {problem}"
    return value


def _build_distance_result(judged: MatchedCase, config: CoordinateDistance) -> Result:
    distances = [pair["distance"] for pair in judged.pairs if pair["distance"] is not None]
    metrics = {"mean_distance": sum(distances) / len(distances)} if distances else {}
    if config.threshold is not None:
        metrics |= compute_rates(judged)
    if max(judged.expected, judged.actual) == 0:
        return build_result(judged, metrics, "nothing expected, nothing given")
    reasoning = "no pair to measure"
    if distances:
        reasoning = f"mean {config.metric} distance {metrics['mean_distance']:.4g} over {len(distances)} pairs"
    if config.threshold is not None:
        reasoning += f"; {judged.passed} of {judged.expected} expected points within {config.threshold:g}"
    return build_result(judged, metrics, reasoning, flags=[] if distances else [_UNSCORED])
