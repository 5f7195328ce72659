"""Boxes and polygons out of JSON: arrays where they can be read, words where they cannot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import isinf, isnan
from typing import Any, Final, Literal

import numpy as np

from fieldwise.kernels import boxes, polygons
from fieldwise.kernels.boxes import LARGEST, Floats
from fieldwise.kernels.polygons import Polygons
from fieldwise.model.values import MISSING, Value, kind

Format = Literal["xyxy", "xywh", "polygon"]

_NUMBERS: Final = frozenset({int, float})
_KEYS: Final = {"xyxy": (("x1", "y1", "x2", "y2"),), "xywh": (("x", "y", "w", "h"), ("x", "y", "width", "height"))}
"""The keys of a box that is written as an object."""


@dataclass(frozen=True, slots=True)
class Shapes:
    """Shapes in rows; a row with a problem is NaN."""

    bounds: Floats
    """The box around each, float64[n, 4] as (x1, y1, x2, y2)."""
    problems: Mapping[int, str]
    """What is wrong with a row that is no shape: `inverted box: x2 < x1`."""
    polygons: Polygons | None = None
    """The polygons themselves, where they are compared exactly."""
    area: Floats | None = None
    """Of boxes: width times height as they are written, because x + w - x is not always w."""

    def __len__(self) -> int:
        return len(self.bounds)


def is_one_shape(value: Any, form: Format) -> bool:
    """Whether a list is one shape rather than a list of shapes.

    >>> is_one_shape([0, 0, 1, 1], "xyxy"), is_one_shape([[0, 0, 1, 1]], "xyxy"), is_one_shape([[0, 0], [1, 0], [0, 1]], "polygon")
    (True, False, True)
    """
    kinds = {kind(part) for part in value}
    if not kinds & {"list", "object"}:
        return bool(kinds - {"null"})
    if form != "polygon" or kinds != {"list"}:
        return False
    return any(len(part) < 6 for part in value) and all(kind(number) != "list" for part in value for number in part)


def read_shapes(values: Sequence[Value], form: Format, exact: bool = False) -> Shapes:
    """Shapes of one format; `exact` keeps polygons as polygons, which needs shapely."""
    if form == "polygon":
        return _read_polygons(values, exact)
    shapes = _read_boxes(values, form)
    return replace(shapes, polygons=polygons.from_boxes(shapes.bounds)) if exact else shapes


def _read_boxes(values: Sequence[Any], form: Format) -> Shapes:
    bounds, area = np.full((len(values), 4), np.nan), np.full(len(values), np.nan)
    lists, good, raw = values, np.arange(len(values)), _plain_boxes(values)
    if raw is None:
        lists = [value if type(value) is list else _as_list(value, form) for value in values]
        rows = [row for row, value in enumerate(lists) if _is_four_numbers(value)]
        good, raw = np.array(rows, dtype=np.int64), np.array([_floats(lists[row]) for row in rows], dtype=np.float64).reshape(-1, 4)
    fine = (np.abs(raw) <= LARGEST).all(axis=1)
    raw[~fine] = np.nan
    fine &= (raw[:, 2:] >= (raw[:, :2] if form == "xyxy" else 0)).all(axis=1)
    kept, raw = good[fine], raw[fine]
    bounds[kept] = raw if form == "xyxy" else boxes.from_xywh(raw)
    area[kept] = boxes.areas(raw) if form == "xyxy" else raw[:, 2] * raw[:, 3]
    problems = {row: _box_problem(lists[row], form) for row in np.flatnonzero(np.isnan(bounds[:, 0])).tolist()}
    return Shapes(bounds, problems, area=area)


def _plain_boxes(values: Sequence[Any]) -> Floats | None:
    """Boxes of which every one is a list of four plain numbers, seen at once; None where one has to be looked at by itself."""
    if set(map(type, values)) != {list} or set(map(len, values)) != {4}:
        return None
    numbers: list[Any] = list(chain.from_iterable(values))
    if not _NUMBERS.issuperset(map(type, numbers)):
        return None
    try:
        return np.array(numbers, dtype=np.float64).reshape(-1, 4)
    except OverflowError:  # an integer of hundreds of digits
        return None


def _is_four_numbers(value: Any) -> bool:
    if kind(value) != "list" or len(value) != 4:
        return False
    return _NUMBERS.issuperset(map(type, value)) or all(kind(number) == "number" for number in value)


def _as_list(value: Any, form: Format) -> Any:
    """A box as a list of four, if it is written as an object or a tuple."""
    found = kind(value)
    if found == "object":
        names = next((names for names in _KEYS[form] if value.keys() >= set(names)), None)
        return value if names is None else [value[name] for name in names]
    return list(value) if found == "list" else value


def _floats(numbers: list[Any]) -> list[float]:
    try:
        return [float(number) for number in numbers]
    except OverflowError:  # an integer of hundreds of digits
        return [float("inf")] * len(numbers)


def _box_problem(value: Any, form: Format) -> str:
    """What is wrong with a box, in words; the sizes are looked at last."""
    names = _KEYS[form][0]
    problem = _kind_problem(value, f"an object without the keys {', '.join(names)}; `box` names the key that holds the box")
    if problem is None and len(value) != 4:
        problem = f"wrong length: {len(value)} numbers, a box has 4"
    if problem is None:
        problem = next((f"{name} {what}" for name, number in zip(names, value, strict=True) if (what := number_problem(number))), None)
    return problem or _size_problem(value, form)


def _size_problem(value: list[float], form: Format) -> str:
    if form == "xywh":
        return "negative width" if value[2] < 0 else "negative height"
    return "inverted box: x2 < x1" if value[2] < value[0] else "inverted box: y2 < y1"


def _kind_problem(value: Any, if_object: str) -> str | None:
    if value is MISSING:
        return "required, missing"
    if value is None:
        return "null value"
    if kind(value) == "object":
        return if_object
    return None if kind(value) == "list" else f"not a list of numbers: {kind(value)}"


def number_problem(number: Any) -> str | None:
    """Why a value is not a coordinate, or None if it is one.

    >>> number_problem(float("nan")), number_problem(True), number_problem(10**400), number_problem(1)
    ('is NaN', 'is not a number: bool', 'is too large: beyond 1e150', None)
    """
    if kind(number) != "number":
        return f"is not a number: {kind(number)}"
    if isinstance(number, float) and (isnan(number) or isinf(number)):
        return "is NaN" if isnan(number) else "is infinite"
    return "is too large: beyond 1e150" if abs(number) > LARGEST else None


def _read_polygons(values: Sequence[Value], exact: bool) -> Shapes:
    bounds = np.full((len(values), 4), np.nan)
    rings: dict[int, Floats] = {}
    problems: dict[int, str] = {}
    for row, value in enumerate(values):
        read = _ring(value)
        if isinstance(read, str):
            problems[row] = read
        else:
            rings[row] = read
    shapes = np.full(len(values), None, dtype=np.object_) if exact else None
    if shapes is not None and rings:
        shapes[list(rings)] = polygons.polygons(list(rings.values()))
        rows = list(rings)
        for position, problem in polygons.faults(shapes[rows]).items():
            problems[rows[position]] = problem
            del rings[rows[position]]
    for row, ring in rings.items():
        bounds[row] = (*ring.min(axis=0), *ring.max(axis=0))
    return Shapes(bounds, problems, shapes)


def _ring(value: Any) -> Floats | str:
    """The corners of a polygon, or what is wrong with it."""
    problem = _kind_problem(value, "an object; `box` names the key that holds the polygon")
    if problem is not None:
        return problem
    corners: list[Any] = _pairs(value) if value and all(kind(part) == "number" for part in value) else list(value)
    if len(corners) < 3:
        return f"wrong length: {len(corners)} corners, a polygon has at least 3"
    for index, corner in enumerate(corners):
        if kind(corner) != "list" or len(corner) != 2:
            return f"corner {index} is not a pair of numbers"
        what = next(filter(None, map(number_problem, corner)), None)
        if what is not None:
            return f"corner {index} {what}"
    return np.array(list(chain.from_iterable(corners)), dtype=np.float64).reshape(-1, 2)


def _pairs(flat: Sequence[Any]) -> list[Any]:
    """Corners from x, y, x, y, …; a coordinate too many makes a corner of one."""
    return [list(flat[start : start + 2]) for start in range(0, len(flat), 2)]
