"""A case of boxes or polygons as an SVG: expected solid, actual dashed, each pair with its IoU.

`case_picture` draws a case and its result; `draw` draws any marks. Neither opens a file: an image is named, not read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite
from typing import Any, Final, Literal, TypeAlias

import orjson

from fieldwise.model.case import Case
from fieldwise.model.lookup import find
from fieldwise.model.path import ROOT, MalformedPath, Path
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING, kind

Point: TypeAlias = tuple[float, float]
State = Literal["matched", "weak", "missing", "extra"]

_WIDEST: Final = 960.0
_COLOURS: Final = {
    ("expected", "matched"): "#047857",
    ("expected", "weak"): "#b45309",
    ("expected", "missing"): "#dc2626",
    ("actual", "matched"): "#4338ca",
    ("actual", "weak"): "#b45309",
    ("actual", "extra"): "#c026d3",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One shape to draw."""

    corners: tuple[Point, ...]
    side: Literal["expected", "actual"]
    state: State = "matched"
    label: str = ""
    """What is written beside it; nothing if empty."""
    name: str = ""
    """What a reader sees who points at it."""

    @property
    def colour(self) -> str:
        """The colour of its line."""
        return _COLOURS[self.side, self.state]


def case_picture(case: Case, result: Result, config: object) -> str | None:
    """The picture of a case that `iou_score` or `detection` has judged with this config; None where there is no shape to draw.

    The image is the case's metadata `image`; `width` and `height` beside it give the size of the canvas.
    """
    marks = marks_of(case.expected, case.actual, result, config)
    if not marks:
        return None
    image: Any = case.metadata.get("image")
    width, height = (_length(case.metadata.get(key)) for key in ("width", "height"))
    size = None if width is None or height is None else (width, height)
    return draw(marks, size=size, image=image if isinstance(image, str) else None, title=f"{case.id}: score {result.score:.2f}")


def marks_of(expected: Any, actual: Any, result: Result, config: object) -> list[Mark]:
    """The shapes of both sides, told apart by what became of them. Detections too unsure to count are left out."""
    form: str = getattr(config, "format", "xyxy")
    threshold = float(getattr(config, "threshold", None) or 0.0)
    became: dict[tuple[str, int], tuple[State, str]] = {}
    for pair in result.details.get("pairs", []):
        iou = float(pair.get("iou") or 0.0)
        state: State = "matched" if iou > 0 and iou >= threshold - 1e-9 else "weak"
        became["expected", pair["expected"]] = (state, "")
        became["actual", pair["actual"]] = (state, f"{iou:.2f}")
    marks: list[Mark | None] = []
    for index, item in enumerate(_items(expected, config, form)):
        marks.append(
            _mark("expected", index, item, became.get(("expected", index), ("matched", "crowd") if item.crowd else ("missing", "missed")))
        )
    for index, item in enumerate(_items(actual, config, getattr(config, "actual_format", None) or form)):
        if ("actual", index) in became or item.score >= getattr(config, "min_score", 0.0):
            marks.append(_mark("actual", index, item, became.get(("actual", index), ("extra", "extra"))))
    return [mark for mark in marks if mark is not None]


@dataclass(frozen=True, slots=True)
class _Item:
    corners: tuple[Point, ...] | None
    label: str
    score: float
    crowd: bool
    """It need not be found."""


def _items(record: Any, config: object, form: str) -> list[_Item]:
    """The items of one side, as the evaluators find them; an empty list where there are none."""
    value = _located(record, str(getattr(config, "path", "")))
    if corners_of(value, form) is not None or kind(value) != "list":
        value = [value]
    box, label = getattr(config, "box", None), getattr(config, "label", None)
    return [_item(item, form, box, label) for item in value]


def _located(record: Any, path: str) -> Any:
    if isinstance(record, str):
        try:
            record = orjson.loads(record)
        except orjson.JSONDecodeError:
            return MISSING
    if path in ("", ROOT):
        return record["boxes"] if kind(record) == "object" and kind(record.get("boxes")) == "list" else record
    try:
        return find(record, Path.parse(path).steps)
    except MalformedPath:
        return MISSING


def _item(item: Any, form: str, box: str | None, label: str | None) -> _Item:
    keyed = kind(item) == "object"
    value = item.get(box) if keyed and box is not None else item
    name = item.get(label, "") if keyed and label is not None else ""
    score = item.get("score", 1.0) if keyed else 1.0
    return _Item(corners_of(value, form), str(name), float(score) if _is_coordinate(score) else 0.0, keyed and bool(item.get("iscrowd")))


def _mark(side: Literal["expected", "actual"], index: int, item: _Item, became: tuple[State, str]) -> Mark | None:
    if item.corners is None:
        return None
    state, word = became
    label = f"{item.label} {word}".strip() if word else ""
    return Mark(corners=item.corners, side=side, state=state, label=label, name=f"{side} [{index}] {item.label} {word}".strip())


def corners_of(value: Any, form: str) -> tuple[Point, ...] | None:
    """The corners of a shape; None for what cannot be drawn.

    >>> corners_of([1, 2, 3, 4], "xywh")
    ((1.0, 2.0), (4.0, 2.0), (4.0, 6.0), (1.0, 6.0))
    """
    if form == "polygon":
        return _polygon(value)
    if kind(value) == "object":
        keys = ("x1", "y1", "x2", "y2") if form == "xyxy" else ("x", "y", "w", "h") if "w" in value else ("x", "y", "width", "height")
        value = [value.get(key) for key in keys]
    if kind(value) != "list" or len(value) != 4 or not all(map(_is_coordinate, value)):
        return None
    x1, y1, x2, y2 = map(float, value)
    if form == "xywh":
        x2, y2 = x1 + x2, y1 + y2
    return ((x1, y1), (x2, y1), (x2, y2), (x1, y2)) if x1 <= x2 and y1 <= y2 else None


def _polygon(value: Any) -> tuple[Point, ...] | None:
    if kind(value) != "list":
        return None
    if value and all(map(_is_coordinate, value)) and len(value) % 2 == 0:
        value = [value[start : start + 2] for start in range(0, len(value), 2)]
    if len(value) < 3 or not all(kind(corner) == "list" and len(corner) == 2 and all(map(_is_coordinate, corner)) for corner in value):
        return None
    return tuple((float(x), float(y)) for x, y in value)


def _is_coordinate(value: Any) -> bool:
    return kind(value) == "number" and abs(value) < 1e150 and isfinite(value)


def _length(value: Any) -> float | None:
    return float(value) if _is_coordinate(value) and value > 0 else None


def draw(marks: Sequence[Mark], *, size: Point | None = None, image: str | None = None, title: str = "") -> str:
    """An SVG of these marks over the image, or on a blank canvas: of this size, or just large enough for all of them.

    Marks in shares of the image (0 to 1) are stretched over the canvas where its size is known.
    """
    view = _view(marks, size)
    unit = max(view.width, view.height) / 100
    font = 2.1 * unit
    strip = 2.6 * font
    scale = _WIDEST / max(view.width, view.height)
    taken: list[tuple[float, float, float]] = []
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(title, quote=True)}" '
        f'width="{view.width * scale:.0f}" height="{(view.height + strip) * scale:.0f}" '
        f'viewBox="{view.x:.6g} {view.y:.6g} {view.width:.6g} {view.height + strip:.6g}" '
        f'class="picture" font-family="system-ui,-apple-system,Segoe UI,Roboto,sans-serif">',
        f"<title>{escape(title)}</title>",
        _canvas(view, unit, image),
        *(_halo(mark, view, unit) for mark in marks),
        *(_shape(mark, view, unit) for mark in sorted(marks, key=lambda mark: mark.side == "actual")),
        *(_pill(mark, view, font, taken) for mark in marks if mark.label),
        _legend(marks, view, font),
        "</svg>",
    ]
    return "\n".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class _View:
    x: float
    y: float
    width: float
    height: float
    stretch: Point = (1.0, 1.0)

    def points(self, mark: Mark) -> list[Point]:
        return [(x * self.stretch[0], y * self.stretch[1]) for x, y in mark.corners]

    def corners(self, mark: Mark) -> str:
        return " ".join(f"{x:.6g},{y:.6g}" for x, y in self.points(mark))


def _view(marks: Sequence[Mark], size: Point | None) -> _View:
    xs = [x for mark in marks for x, _ in mark.corners] or [0.0, 1.0]
    ys = [y for mark in marks for _, y in mark.corners] or [0.0, 1.0]
    if size is not None:
        shares = min(*xs, *ys) >= 0 and max(*xs, *ys) <= 1
        return _View(0.0, 0.0, *size, stretch=size if shares else (1.0, 1.0))
    margin = 0.06 * (max(max(xs) - min(xs), max(ys) - min(ys)) or 1.0)
    return _View(min(xs) - margin, min(ys) - margin, max(xs) - min(xs) + 2 * margin, max(ys) - min(ys) + 2 * margin)


def _canvas(view: _View, unit: float, image: str | None) -> str:
    place = f'x="{view.x:.6g}" y="{view.y:.6g}" width="{view.width:.6g}" height="{view.height:.6g}"'
    step = 5 * unit
    blank = (
        f'<defs><pattern id="grid" x="{view.x:.6g}" y="{view.y:.6g}" width="{step:.6g}" height="{step:.6g}" patternUnits="userSpaceOnUse">'
        f'<path d="M{step:.6g} 0H0V{step:.6g}" fill="none" stroke="#e2e8f0" stroke-width="{0.12 * unit:.6g}"/></pattern></defs>'
        f'<rect {place} fill="#f8fafc"/><rect {place} fill="url(#grid)"/>'
    )
    shown = f'<image {place} href="{escape(image, quote=True)}" preserveAspectRatio="none"/>' if image and _is_safe(image) else ""
    return f'{blank}{shown}<rect {place} fill="none" stroke="#cbd5e1" stroke-width="{0.2 * unit:.6g}"/>'


def _is_safe(href: str) -> bool:
    """An image by file or web address, or as data; nothing that runs."""
    scheme = href.split(":", 1)[0].lower() if ":" in href.split("/", 1)[0] else ""
    return scheme in ("", "http", "https", "file") or href.lower().startswith("data:image/")


def _halo(mark: Mark, view: _View, unit: float) -> str:
    """A pale line below all others, so that a shape shows on any image."""
    line = f'points="{view.corners(mark)}" stroke-linejoin="round"'
    return f'<polygon {line} fill="none" stroke="#fff" stroke-opacity=".7" stroke-width="{0.9 * unit:.6g}"/>'


def _shape(mark: Mark, view: _View, unit: float) -> str:
    """Its outline: solid and wide for expected, dashed and narrow for actual, so that both show where they coincide."""
    width, dashes = 0.46 * unit, ""
    if mark.side == "actual":
        width, dashes = 0.32 * unit, f' stroke-dasharray="{1.1 * unit:.6g} {0.7 * unit:.6g}"'
    shade = 0.1 if mark.state in ("missing", "extra") else 0.03
    paint = f'fill="{mark.colour}" fill-opacity="{shade}" stroke="{mark.colour}" stroke-width="{width:.6g}"{dashes}'
    return (
        f'<g class="{mark.side} {mark.state}"><title>{escape(mark.name)}</title>'
        f'<polygon points="{view.corners(mark)}" stroke-linejoin="round" {paint}/></g>'
    )


def _pill(mark: Mark, view: _View, font: float, taken: list[tuple[float, float, float]]) -> str:
    """The label in a pill at the upper left corner of its shape, moved down until it covers no other."""
    points = view.points(mark)
    text = mark.label if len(mark.label) <= 28 else f"{mark.label[:27]}…"
    width, height = (0.62 * len(text) + 0.9) * font, 1.45 * font
    x = min(max(min(x for x, _ in points), view.x), view.x + view.width - width)
    y = max(min(y for _, y in points) - height, view.y)
    while any(abs(y - there) < height and x < right and left < x + width for there, left, right in taken):
        y += height * 1.06
    taken.append((y, x, x + width))
    place = f'x="{x:.6g}" y="{y:.6g}" width="{width:.6g}" height="{height:.6g}" rx="{0.3 * font:.6g}"'
    middle = f'x="{x + width / 2:.6g}" y="{y + 0.72 * height:.6g}" text-anchor="middle"'
    return (
        f'<rect {place} fill="{mark.colour}" fill-opacity=".94"/>'
        f'<text {middle} font-size="{font:.6g}" font-weight="600" fill="#fff">{escape(text)}</text>'
    )


_LEGEND: Final[tuple[tuple[str, str, str], ...]] = (
    ("expected", "matched", "expected"),
    ("actual", "matched", "actual, with IoU"),
    ("actual", "weak", "overlap too small"),
    ("expected", "missing", "missed"),
    ("actual", "extra", "extra"),
)


def _legend(marks: Iterable[Mark], view: _View, font: float) -> str:
    """What the lines mean, below the canvas; what does not occur is left out, except the two sides."""
    seen = {(mark.side, mark.state) for mark in marks}
    x, y = view.x, view.y + view.height + 1.5 * font
    parts: list[str] = []
    for side, state, words in _LEGEND:
        if state != "matched" and (side, state) not in seen:
            continue
        dashes = f' stroke-dasharray="{0.5 * font:.6g} {0.32 * font:.6g}"' if side == "actual" else ""
        parts.append(
            f'<path d="M{x:.6g} {y:.6g}h{2 * font:.6g}" stroke="{_COLOURS[side, state]}" stroke-width="{0.2 * font:.6g}"{dashes}/>'
            f'<text x="{x + 2.5 * font:.6g}" y="{y + 0.35 * font:.6g}" font-size="{font:.6g}" fill="#475569">{words}</text>'
        )
        x += (4 + 0.55 * len(words)) * font
    return "".join(parts)
