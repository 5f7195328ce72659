"""How far points are from where they should be, in any number of dimensions, one point or lists of them.

>>> from fieldwise import evaluate
>>> evaluate({"type": "coordinate_distance", "threshold": 5}, expected=[0, 0], actual=[3, 4]).score
1.0
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge
from numpy.typing import NDArray

from fieldwise.evaluators.geometry._geometry import counts, evaluate, result
from fieldwise.evaluators.geometry._items import PathProblem, path_problems
from fieldwise.evaluators.geometry._pairing import Column, Floats, Judged, Pairing, Rows, Scored, Setup
from fieldwise.evaluators.geometry._shapes import is_one_shape, number_problem
from fieldwise.kernels.vectors import Metric, closeness, distance_grid, distance_pairs
from fieldwise.model.batch import Batch
from fieldwise.model.result import Result, Results
from fieldwise.model.values import MISSING, kind
from fieldwise.registry import evaluator


@dataclass(frozen=True, slots=True, kw_only=True)
class CoordinateDistance:
    """Where the points are and how far apart they may be."""

    path: str = ""
    """Where the point, or the list of points, stands; omitted: the record itself."""
    metric: Metric = "euclidean"
    threshold: Annotated[float, Ge(0)] | None = None
    """A pair scores 1 up to this distance and 0 beyond; without it, 1 / (1 + distance), for cosine 1 - distance."""
    pairing: Pairing = "index"

    def problems(self) -> Iterator[PathProblem]:
        """What plan/ cannot see in the types alone."""
        yield from path_problems(self.path)


@dataclass(frozen=True, slots=True)
class _Points:
    """Points of any dimensions: those of one dimension stand in one array."""

    blocks: Mapping[int, Floats]
    dimension: NDArray[np.int64]
    """0 for what is no point."""
    slot: NDArray[np.int64]
    """The row of a point in the array of its dimension."""
    problems: Mapping[int, str]

    def of(self, dimension: int, rows: Rows) -> Floats:
        """These rows, all of one dimension, as an array."""
        return self.blocks[dimension][self.slot[rows]]


@dataclass(frozen=True, slots=True)
class _Distances:
    """The points of a batch; a `Measure`."""

    expected: _Points
    actual: _Points
    metric: Metric
    threshold: float | None

    @property
    def expected_problems(self) -> Mapping[int, str]:
        """What is wrong with expected points."""
        return self.expected.problems

    @property
    def actual_problems(self) -> Mapping[int, str]:
        """What is wrong with actual points."""
        return self.actual.problems

    def grid(self, expected: Rows, actual: Rows) -> Floats:
        """Hits first, nearness next; above 0 for any two points of one dimension."""
        grid = np.zeros((len(expected), len(actual)))
        ours, theirs = self.expected.dimension[expected], self.actual.dimension[actual]
        for dimension in set(ours.tolist()) & set(theirs.tolist()) - {0}:
            rows, columns = np.flatnonzero(ours == dimension), np.flatnonzero(theirs == dimension)
            left, right = self.expected.of(dimension, expected[rows]), self.actual.of(dimension, actual[columns])
            distance = distance_grid(left, right, self.metric)
            near = closeness(distance, self.metric) + 1e-12
            if self.threshold is not None:
                largest = np.maximum.outer(np.abs(left).max(axis=1), np.abs(right).max(axis=1))
                near += (min(grid.shape) + 1) * self._hits(distance, largest)
            grid[np.ix_(rows, columns)] = near
        return grid

    def pairs(self, expected: Rows, actual: Rows) -> Scored:
        """How near each pair is; NaN as the distance where it has none."""
        ours, theirs = self.expected.dimension[expected], self.actual.dimension[actual]
        distance = np.full(len(expected), np.nan)
        largest = np.zeros(len(expected))
        for dimension in set(ours[(ours == theirs) & (ours > 0)].tolist()):
            at = np.flatnonzero((ours == dimension) & (theirs == dimension))
            left, right = self.expected.of(dimension, expected[at]), self.actual.of(dimension, actual[at])
            distance[at] = distance_pairs(left, right, self.metric)
            largest[at] = np.maximum(np.abs(left).max(axis=1), np.abs(right).max(axis=1))
        known = ~np.isnan(distance)
        similarity = np.zeros(len(distance))
        similarity[known] = closeness(distance[known], self.metric)
        passed = similarity > 0
        if self.threshold is not None:
            passed = known & self._hits(np.where(known, distance, np.inf), largest)
            similarity = passed.astype(np.float64)
        differ = np.flatnonzero((ours != theirs) & (ours > 0) & (theirs > 0)).tolist()
        notes = {row: f"dimension mismatch: {theirs[row]}, expected {ours[row]}" for row in differ}
        return Scored(similarity, passed, distance, notes)

    def _hits(self, distance: Floats, largest: Floats) -> NDArray[np.bool_]:
        """Within the threshold, with some slack for binary rounding: 1.1 is 0.1 from 1.0."""
        assert self.threshold is not None
        slack = 1e-9 * self.threshold
        if self.threshold > 0:
            slack = slack + 4 * np.finfo(np.float64).eps * (1.0 if self.metric == "cosine" else largest)
        return distance <= self.threshold + slack


@evaluator(reads="records", counts=("true_positives", "false_positives", "false_negatives"), version=1)
def coordinate_distance(batch: Batch, config: CoordinateDistance) -> Results:
    """Mean closeness over the pairs; points without a counterpart count as 0."""
    return evaluate(
        batch,
        Setup(path=config.path, is_one=lambda value, _: is_one_shape(value, "xyxy"), pairing=config.pairing, shown="distance"),
        read=lambda expected, actual: _distances(expected, actual, config),
        finish=lambda judged, _: _result(judged, config),
    )


def _distances(expected: Column, actual: Column, config: CoordinateDistance) -> _Distances:
    return _Distances(_read(expected.values), _read(actual.values), config.metric, config.threshold)


def _read(values: Sequence[Any]) -> _Points:
    dimension, slot = np.zeros(len(values), dtype=np.int64), np.zeros(len(values), dtype=np.int64)
    found: dict[int, list[Sequence[float]]] = {}
    problems: dict[int, str] = {}
    for row, value in enumerate(values):
        point = _point(value)
        if isinstance(point, str):
            problems[row] = point
            continue
        block = found.setdefault(len(point), [])
        dimension[row], slot[row] = len(point), len(block)
        block.append(point)
    return _Points({size: np.array(block, dtype=np.float64) for size, block in found.items()}, dimension, slot, problems)


def _point(value: Any) -> Sequence[float] | str:
    """The coordinates of a point, or what is wrong with it."""
    if kind(value) == "object":
        names = [name for name in ("x", "y", "z") if name in value]
        if len(names) != len(value) or names[:2] != ["x", "y"]:
            return "an object with other keys than x, y, z"
        value = [value[name] for name in names]
    if value is MISSING or value is None:
        return "null value" if value is None else "required, missing"
    if kind(value) != "list":
        return f"not a list of numbers: {kind(value)}"
    if not value:
        return "a point without coordinates"
    return next((f"coordinate {index} {what}" for index, number in enumerate(value) if (what := number_problem(number))), value)


def _result(judged: Judged, config: CoordinateDistance) -> Result:
    distances = [pair["distance"] for pair in judged.pairs if pair["distance"] is not None]
    metrics = {"mean_distance": sum(distances) / len(distances)} if distances else {}
    if config.threshold is not None:
        metrics |= counts(judged)
    if max(judged.expected, judged.actual) == 0:
        return result(judged, metrics, "nothing expected, nothing given")
    measured = "no pair to measure"
    if distances:
        measured = f"mean {config.metric} distance {metrics['mean_distance']:.4g} over {len(distances)} pairs"
    if config.threshold is None:
        return result(judged, metrics, measured)
    return result(judged, metrics, f"{measured}; {judged.passed} of {judged.expected} expected points within {config.threshold:g}")
