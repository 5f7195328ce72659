"""How people write boxes and polygons in JSON: objects with the usual keys, corners as objects, rings inside a list."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, cast

from fieldwise.model.values import json_kind

BoxFormat = Literal["xyxy", "xywh"]

BOX_KEYS: Final[Mapping[BoxFormat, tuple[tuple[str, str, str, str], ...]]] = {
    "xyxy": (("x1", "y1", "x2", "y2"), ("xmin", "ymin", "xmax", "ymax"), ("left", "top", "right", "bottom"), ("x0", "y0", "x1", "y1")),
    "xywh": (("x", "y", "w", "h"), ("x", "y", "width", "height"), ("left", "top", "width", "height")),
}
"""The keys of a box given as an object, which say its format; case and `_` do not count."""


def is_four_numbers(value: Any) -> bool:
    """True for a list of four numbers."""
    return json_kind(value) == "list" and len(value) == 4 and all(json_kind(number) == "number" for number in value)


def box_as_list(value: Any, form: BoxFormat) -> Any:
    """A box given as an object or a tuple as a list of four in this format; other values unchanged.

    >>> box_as_list({"Left": 1, "Top": 2, "Width": 3, "Height": 4}, "xyxy")
    [1, 2, 4, 6]
    """
    kind = json_kind(value)
    if kind == "object":
        if "coordinates" in value and value.get("format", form) in BOX_KEYS:
            return _convert_box(value["coordinates"], value.get("format", form), form)
        return _box_from_keys(value, form)
    return list(value) if kind == "list" else value


def _box_from_keys(value: Mapping[str, Any], form: BoxFormat) -> Any:
    """A box whose keys say its format, in the format that is read; other objects unchanged."""
    key_of = {key.lower().replace("_", ""): key for key in value}
    for written in sorted(BOX_KEYS, key=lambda candidate: candidate != form):
        for names in BOX_KEYS[written]:
            if key_of.keys() >= set(names):
                return _convert_box([value[key_of[name]] for name in names], written, form)
    return value


def _convert_box(coordinates: Any, written: BoxFormat, form: BoxFormat) -> Any:
    """The coordinates of a box that names its own format, in the format that is read; anything but four numbers unchanged."""
    numbers: Any = list(coordinates) if json_kind(coordinates) == "list" else coordinates
    if written == form or not is_four_numbers(numbers):
        return numbers
    x, y, third, fourth = numbers
    return [x, y, third - x, fourth - y] if written == "xyxy" else [x, y, x + third, y + fourth]


def is_list_of_corner_objects(value: Sequence[Any]) -> bool:
    """True for a polygon written as `[{"x": 0, "y": 0}, …]`."""
    return bool(value) and all(_is_corner_object(corner) for corner in value)


def ring_corners(value: Sequence[Any]) -> list[Any] | str:
    """The corners of a polygon, each as a list where it can be read as one; or why there is not one ring.

    >>> ring_corners([[0, 0, 4, 0, 4, 4]]), ring_corners([{"x": 0, "y": 1}, [2, 3]]), ring_corners([0, 0, 4])
    ([[0, 0], [4, 0], [4, 4]], [[0, 1], [2, 3]], [[0, 0], [4]])
    """
    ring = value
    if _is_list_of_rings(value):
        if len(value) > 1:
            return f"{len(value)} rings, a polygon has one"
        ring = cast("Sequence[Any]", value[0])
    if ring and all(json_kind(part) == "number" for part in ring):
        return [list(ring[start : start + 2]) for start in range(0, len(ring), 2)]
    return [[corner["x"], corner["y"]] if _is_corner_object(corner) else corner for corner in ring]


def _is_list_of_rings(value: Sequence[Any]) -> bool:
    """True for polygons as in COCO (`[[x, y, x, y, …]]`) and GeoJSON (`[[[x, y], …]]`)."""
    return bool(value) and all(json_kind(part) == "list" and (len(part) >= 6 or _holds_corners(part)) for part in value)


def _holds_corners(value: Sequence[Any]) -> bool:
    return any(json_kind(part) in ("list", "object") for part in value)


def _is_corner_object(value: Any) -> bool:
    return json_kind(value) == "object" and value.keys() == {"x", "y"}
