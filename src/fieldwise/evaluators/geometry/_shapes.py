"""Read boxes and polygons from JSON: arrays of those that are valid, and what is wrong with the others."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import isinf, isnan
from typing import Any, Final, Literal

import numpy as np

from fieldwise.dataclass import dataclass
from fieldwise.kernels.geometry import (
    MAX_COORDINATE,
    Floats,
    Polygons,
    box_areas,
    boxes_from_xywh,
    find_polygon_faults,
    polygons_from_boxes,
    polygons_from_rings,
)
from fieldwise.model.shape_notation import BOX_KEYS, BoxFormat, box_as_list, is_four_numbers, is_list_of_corner_objects, ring_corners
from fieldwise.model.values import MISSING, Value, json_kind

Format = Literal["xyxy", "xywh", "polygon"]

_NUMBER_TYPES: Final = frozenset({int, float})


@dataclass(frozen=True, slots=True)
class Shapes:
    """Shapes by row; a row with a problem is NaN."""

    bounds: Floats
    """The bounding box of each, float64[n, 4] as (x1, y1, x2, y2)."""
    problems: Mapping[int, str]
    """What is wrong with a row: `inverted box: x2 < x1`."""
    polygons: Polygons | None = None
    """The polygons, if they are compared exactly."""
    area: Floats | None = None
    """Of boxes: width times height as given; computed from the corners it may differ, because x + w - x is not always w."""

    def __len__(self) -> int:
        return len(self.bounds)


def is_one_shape(value: Any, form: Format) -> bool:
    """True if a list is one shape rather than a list of shapes.

    >>> is_one_shape([0, 0, 1, 1], "xyxy"), is_one_shape([[0, 0, 1, 1]], "xyxy"), is_one_shape([[0, 0], [1, 0], [0, 1]], "polygon")
    (True, False, True)
    """
    kinds = {json_kind(part) for part in value}
    if not kinds & {"list", "object"}:
        return bool(kinds - {"null"})
    if form != "polygon":
        return False
    if kinds == {"object"}:
        return is_list_of_corner_objects(value)
    if kinds != {"list"}:
        return False
    return any(len(part) < 6 for part in value) and all(json_kind(number) != "list" for part in value for number in part)


def names_polygon(value: Any) -> bool:
    """True for a shape that calls itself a polygon: `{"format": "polygon", "coordinates": …}`."""
    return type(value) is not list and json_kind(value) == "object" and value.get("format") == "polygon" and "coordinates" in value


def read_shapes(values: Sequence[Value], form: Format, exact: bool = False) -> Shapes:
    """Read shapes of one format, and those that name their own; `exact` keeps polygons as polygons, which needs shapely."""
    is_polygon = [_is_polygon(value, form) for value in values]
    if all(is_polygon) and (values or form == "polygon"):
        return _read_polygons([_unwrap_polygon(value) for value in values], exact)
    box_form: BoxFormat = "xyxy" if form == "polygon" else form
    if any(is_polygon):
        return _read_mixed(values, box_form, is_polygon, exact)
    shapes = _read_boxes(values, box_form)
    return replace(shapes, polygons=polygons_from_boxes(shapes.bounds)) if exact else shapes


def _is_polygon(value: Any, form: Format) -> bool:
    """True for a shape that calls itself a polygon, or that calls itself nothing where polygons are the format."""
    if form != "polygon":
        return names_polygon(value)
    return not (type(value) is not list and json_kind(value) == "object" and value.get("format") in BOX_KEYS and "coordinates" in value)


def _read_mixed(values: Sequence[Any], box_form: BoxFormat, is_polygon: Sequence[bool], exact: bool) -> Shapes:
    """Polygons and boxes in one column, each read by its own format."""
    bounds = np.full((len(values), 4), np.nan)
    polygons = np.full(len(values), None, dtype=np.object_) if exact else None
    problems: dict[int, str] = {}
    for kind in (True, False):
        rows = [row for row, flag in enumerate(is_polygon) if flag == kind]
        part = read_shapes([values[row] for row in rows], "polygon" if kind else box_form, exact)
        bounds[rows] = part.bounds
        problems |= {rows[row]: problem for row, problem in part.problems.items()}
        if polygons is not None and part.polygons is not None:
            polygons[rows] = part.polygons
    return Shapes(bounds, problems, polygons)


def _read_boxes(values: Sequence[Any], form: BoxFormat) -> Shapes:
    bounds, area = np.full((len(values), 4), np.nan), np.full(len(values), np.nan)
    lists, rows, numbers = values, np.arange(len(values)), _read_plain_boxes(values)
    if numbers is None:
        lists = [value if type(value) is list else box_as_list(value, form) for value in values]
        readable = [row for row, value in enumerate(lists) if is_four_numbers(value)]
        rows = np.array(readable, dtype=np.int64)
        numbers = np.array([_to_floats(lists[row]) for row in readable], dtype=np.float64).reshape(-1, 4)
    is_valid = (np.abs(numbers) <= MAX_COORDINATE).all(axis=1)
    numbers[~is_valid] = np.nan
    is_valid &= (numbers[:, 2:] >= (numbers[:, :2] if form == "xyxy" else 0)).all(axis=1)
    valid_rows, numbers = rows[is_valid], numbers[is_valid]
    bounds[valid_rows] = numbers if form == "xyxy" else boxes_from_xywh(numbers)
    area[valid_rows] = box_areas(numbers) if form == "xyxy" else numbers[:, 2] * numbers[:, 3]
    problems = {row: _describe_box_problem(lists[row], form) for row in np.flatnonzero(np.isnan(bounds[:, 0])).tolist()}
    return Shapes(bounds, problems, area=area)


def _read_plain_boxes(values: Sequence[Any]) -> Floats | None:
    """Boxes that are all lists of four plain numbers, read at once; None if one of them must be examined by itself."""
    if set(map(type, values)) != {list} or set(map(len, values)) != {4}:
        return None
    numbers: list[Any] = list(chain.from_iterable(values))
    if not _NUMBER_TYPES.issuperset(map(type, numbers)):
        return None
    try:
        return np.array(numbers, dtype=np.float64).reshape(-1, 4)
    except OverflowError:  # an integer of hundreds of digits
        return None


def _unwrap_polygon(value: Any) -> Any:
    """The coordinates of a polygon that names its own format; other values unchanged."""
    is_wrapped = json_kind(value) == "object" and value.get("format", "polygon") == "polygon" and "coordinates" in value
    return value["coordinates"] if is_wrapped else value


def _to_floats(numbers: list[Any]) -> list[float]:
    try:
        return [float(number) for number in numbers]
    except OverflowError:  # an integer of hundreds of digits
        return [float("inf")] * len(numbers)


def _describe_box_problem(value: Any, form: BoxFormat) -> str:
    """What is wrong with a box; its size is checked last."""
    keys = ("x", "y", "w", "h") if form == "xywh" else ("x1", "y1", "x2", "y2")
    kind_problem = _describe_kind_problem(value, f"an object without the keys {', '.join(keys)}; `box` names the key that holds the box")
    if kind_problem is not None:
        return kind_problem
    if value and all(json_kind(part) in ("list", "object") for part in value):
        return "a list of points; `format: polygon` reads polygons"
    if len(value) != 4:
        return f"wrong length: {len(value)} numbers, a box has 4"
    for key, number in zip(keys, value, strict=True):
        number_problem = describe_number_problem(number)
        if number_problem is not None:
            return f"{key} {number_problem}"
    return _describe_size_problem(value, form)


def _describe_size_problem(value: list[float], form: BoxFormat) -> str:
    if form == "xywh":
        return "negative width" if value[2] < 0 else "negative height"
    return "inverted box: x2 < x1" if value[2] < value[0] else "inverted box: y2 < y1"


def _describe_kind_problem(value: Any, if_object: str) -> str | None:
    if value is MISSING:
        return "required, missing"
    if value is None:
        return "null value"
    if json_kind(value) == "object":
        return if_object
    return None if json_kind(value) == "list" else f"not a list of numbers: {json_kind(value)}"


def describe_number_problem(number: Any) -> str | None:
    """Why a value is not a valid coordinate; None if it is one.

    >>> describe_number_problem(float("nan")), describe_number_problem(True), describe_number_problem(10**400), describe_number_problem(1)
    ('is NaN', 'is not a number: bool', 'is too large: beyond 1e150', None)
    """
    if json_kind(number) != "number":
        return f"is not a number: {json_kind(number)}"
    if isinstance(number, float) and (isnan(number) or isinf(number)):
        return "is NaN" if isnan(number) else "is infinite"
    return "is too large: beyond 1e150" if abs(number) > MAX_COORDINATE else None


def _read_polygons(values: Sequence[Value], exact: bool) -> Shapes:
    bounds = np.full((len(values), 4), np.nan)
    rings: dict[int, Floats] = {}
    problems: dict[int, str] = {}
    for row, value in enumerate(values):
        ring = _read_ring(value)
        if isinstance(ring, str):
            problems[row] = ring
        else:
            rings[row] = ring
    shapes = np.full(len(values), None, dtype=np.object_) if exact else None
    if shapes is not None and rings:
        rows = list(rings)
        shapes[rows] = polygons_from_rings(list(rings.values()))
        for position, problem in find_polygon_faults(shapes[rows]).items():
            problems[rows[position]] = problem
            del rings[rows[position]]
    for row, ring in rings.items():
        bounds[row] = (*ring.min(axis=0), *ring.max(axis=0))
    return Shapes(bounds, problems, shapes)


def _read_ring(value: Any) -> Floats | str:
    """The corners of a polygon, or what is wrong with it."""
    problem = _describe_kind_problem(value, "an object; `box` names the key that holds the polygon")
    if problem is not None:
        return problem
    corners = ring_corners(value)
    if isinstance(corners, str):
        return corners
    if len(corners) < 3:
        return f"wrong length: {len(corners)} corners, a polygon has at least 3"
    for index, corner in enumerate(corners):
        if json_kind(corner) != "list" or len(corner) != 2:
            return f"corner {index} is not a pair of numbers"
        number_problem = describe_number_problem(corner[0]) or describe_number_problem(corner[1])
        if number_problem is not None:
            return f"corner {index} {number_problem}"
    return np.array(list(chain.from_iterable(corners)), dtype=np.float64).reshape(-1, 2)
