"""A case with boxes or polygons as an SVG: expected solid, actual dashed, each pair with its IoU.

`draw_case_picture` draws a case and its result; `draw_shapes` draws any shapes. Neither opens a file: the SVG refers to the image.
"""

from collections.abc import Iterable, Sequence
from html import escape
from math import isfinite
from typing import Any, Final, Literal, TypeAlias

import orjson

from fieldwise.dataclass import dataclass
from fieldwise.model.case import Case
from fieldwise.model.path import ROOT, MalformedPath, Path, value_at
from fieldwise.model.result import Result
from fieldwise.model.shape_notation import box_as_list, is_four_numbers, ring_corners
from fieldwise.model.values import MISSING, json_kind
from fieldwise.report.image_size import decode_data_url, detect_media_type, read_image_size

PointXY: TypeAlias = tuple[float, float]
ShapeState = Literal["matched", "weak", "missing", "extra"]

_MAX_PIXELS: Final = 960.0
_LABEL_HEIGHT: Final = 1.45
"""In units of the font size."""
_COLOURS: Final = {
    ("expected", "matched"): "#047857",
    ("expected", "weak"): "#b45309",
    ("expected", "missing"): "#dc2626",
    ("actual", "matched"): "#4338ca",
    ("actual", "weak"): "#b45309",
    ("actual", "extra"): "#c026d3",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnShape:
    """One shape to draw."""

    corners: tuple[PointXY, ...]
    side: Literal["expected", "actual"]
    state: ShapeState = "matched"
    label: str = ""
    """Text beside the shape; empty for none."""
    name: str = ""
    """Tooltip."""

    @property
    def colour(self) -> str:
        """Colour of the outline."""
        return _COLOURS[self.side, self.state]


def draw_case_picture(case: Case, result: Result, config: object) -> str | None:
    """Draw a case scored by `iou_score` or `detection` with this config; None for another evaluator, or if there is no shape to draw.

    The image is the case's metadata `image`; `width` and `height` beside it give the size of the canvas.
    """
    if any(json_kind(pair) != "object" for pair in result.details.get("pairs", [])):
        return None
    shapes = collect_shapes(case.expected, case.actual, result, config)
    if not shapes:
        return None
    image: Any = case.metadata.get("image")
    width, height = (_parse_length(case.metadata.get(key)) for key in ("width", "height"))
    size = _read_inline_size(image) if width is None or height is None else (width, height)
    return draw_shapes(shapes, size=size, image=image if isinstance(image, str) else None, title=f"{case.id}: score {result.score:.2f}")


def _read_inline_size(image: Any) -> PointXY | None:
    """The size of an image that the case holds as a `data:` address; None for any other."""
    if not isinstance(image, str) or not image.startswith("data:image/"):
        return None
    content = decode_data_url(image)
    return None if content is None else read_image_size(content, detect_media_type(content))


def collect_shapes(expected: Any, actual: Any, result: Result, config: object) -> list[DrawnShape]:
    """Collect the shapes of both sides with their states. Detections below `min_score` are left out unless they are paired."""
    form: str = getattr(config, "format", "xyxy")
    actual_form: str = getattr(config, "actual_format", None) or form
    min_score: float = getattr(config, "min_score", 0.0)
    paired = _read_pairs(result, float(getattr(config, "threshold", None) or 0.0))
    shapes: list[DrawnShape | None] = []
    for index, item in enumerate(_read_items(expected, config, form)):
        unpaired: tuple[ShapeState, str] = ("matched", "crowd") if item.crowd else ("missing", "missed")
        shapes.append(_make_shape("expected", index, item, paired.get(("expected", index), unpaired)))
    for index, item in enumerate(_read_items(actual, config, actual_form)):
        if ("actual", index) in paired or item.score >= min_score:
            shapes.append(_make_shape("actual", index, item, paired.get(("actual", index), ("extra", "extra"))))
    return [shape for shape in shapes if shape is not None]


def _read_pairs(result: Result, threshold: float) -> dict[tuple[str, int], tuple[ShapeState, str]]:
    """Return (side, index) → state and label of every paired shape."""
    paired: dict[tuple[str, int], tuple[ShapeState, str]] = {}
    for pair in result.details.get("pairs", []):
        iou = float(pair.get("iou") or 0.0)
        state: ShapeState = "matched" if iou > 0 and iou >= threshold - 1e-9 else "weak"
        paired["expected", pair["expected"]] = (state, "")
        paired["actual", pair["actual"]] = (state, f"{iou:.2f}")
    return paired


@dataclass(frozen=True, slots=True)
class _BoxItem:
    corners: tuple[PointXY, ...] | None
    label: str
    score: float
    crowd: bool
    """A crowd region, which no detection has to match."""


def _read_items(record: Any, config: object, form: str) -> list[_BoxItem]:
    """Read the items of one side as the evaluators do."""
    value = _find_boxes(record, str(getattr(config, "path", "")))
    if parse_corners(value, form) is not None or json_kind(value) != "list":
        value = [value]
    box, label = getattr(config, "box", None), getattr(config, "label", None)
    return [_read_item(item, form, box, label) for item in value]


def _find_boxes(record: Any, path: str) -> Any:
    if isinstance(record, str):
        try:
            record = orjson.loads(record)
        except orjson.JSONDecodeError:
            return MISSING
    if path in ("", ROOT):
        return record["boxes"] if json_kind(record) == "object" and json_kind(record.get("boxes")) == "list" else record
    try:
        return value_at(record, Path.parse(path).steps)
    except MalformedPath:
        return MISSING


def _read_item(item: Any, form: str, box: str | None, label: str | None) -> _BoxItem:
    keyed = json_kind(item) == "object"
    value = item.get(box) if keyed and box is not None else item
    name = item.get(label, "") if keyed and label is not None else ""
    score = item.get("score", item.get("confidence", 1.0)) if keyed else 1.0
    return _BoxItem(
        parse_corners(value, form), str(name), float(score) if _is_coordinate(score) else 0.0, keyed and bool(item.get("iscrowd"))
    )


def _make_shape(
    side: Literal["expected", "actual"], index: int, item: _BoxItem, state_and_word: tuple[ShapeState, str]
) -> DrawnShape | None:
    if item.corners is None:
        return None
    state, word = state_and_word
    label = f"{item.label} {word}".strip() if word else ""
    return DrawnShape(corners=item.corners, side=side, state=state, label=label, name=f"{side} [{index}] {item.label} {word}".strip())


def parse_corners(value: Any, form: str) -> tuple[PointXY, ...] | None:
    """Parse the corners of a shape; None if it cannot be drawn.

    >>> parse_corners([1, 2, 3, 4], "xywh")
    ((1.0, 2.0), (4.0, 2.0), (4.0, 6.0), (1.0, 6.0))
    """
    if form == "polygon":
        return _parse_polygon(value)
    numbers = box_as_list(value, "xywh" if form == "xywh" else "xyxy")
    if not is_four_numbers(numbers) or not all(map(_is_coordinate, numbers)):
        return None
    x1, y1, x2, y2 = map(float, numbers)
    if form == "xywh":
        x2, y2 = x1 + x2, y1 + y2
    return ((x1, y1), (x2, y1), (x2, y2), (x1, y2)) if x1 <= x2 and y1 <= y2 else None


def _parse_polygon(value: Any) -> tuple[PointXY, ...] | None:
    corners = ring_corners(value) if json_kind(value) == "list" else ""
    if isinstance(corners, str) or len(corners) < 3:
        return None
    if not all(json_kind(corner) == "list" and len(corner) == 2 and all(map(_is_coordinate, corner)) for corner in corners):
        return None
    return tuple((float(x), float(y)) for x, y in corners)


def _is_coordinate(value: Any) -> bool:
    return json_kind(value) == "number" and abs(value) < 1e150 and isfinite(value)


def _parse_length(value: Any) -> float | None:
    return float(value) if _is_coordinate(value) and value > 0 else None


def draw_shapes(shapes: Sequence[DrawnShape], *, size: PointXY | None = None, image: str | None = None, title: str = "") -> str:
    """Draw shapes as SVG over the image, or on a blank canvas: of this size, or just large enough for all of them.

    An image of unknown size is left out, because the shapes would not be at their places on it. Marks in shares of the image (0 to 1) are
    stretched over the canvas where its size is known.
    """
    canvas = _fit_canvas(shapes, size)
    unit = max(canvas.width, canvas.height) / 100
    font = 2.1 * unit
    strip = 2.6 * font
    scale = _MAX_PIXELS / max(canvas.width, canvas.height)
    taken: list[tuple[float, float, float]] = []
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(title, quote=True)}" '
        f'width="{canvas.width * scale:.0f}" height="{(canvas.height + strip) * scale:.0f}" '
        f'viewBox="{canvas.x:.6g} {canvas.y:.6g} {canvas.width:.6g} {canvas.height + strip:.6g}" '
        f'class="picture" font-family="system-ui,-apple-system,Segoe UI,Roboto,sans-serif">',
        f"<title>{escape(title)}</title>",
        _draw_canvas(canvas, unit, None if size is None else image),
        *(_draw_halo(shape, canvas, unit) for shape in shapes),
        *(_draw_outline(shape, canvas, unit) for shape in sorted(shapes, key=lambda shape: shape.side == "actual")),
        *(_draw_label(shape, canvas, font, taken) for shape in shapes if shape.label),
        _draw_legend(shapes, canvas, font),
        "</svg>",
    ]
    return "\n".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class _Canvas:
    x: float
    y: float
    width: float
    height: float
    stretch: PointXY = (1.0, 1.0)

    def scale_points(self, shape: DrawnShape) -> list[PointXY]:
        return [(x * self.stretch[0], y * self.stretch[1]) for x, y in shape.corners]

    def format_points(self, shape: DrawnShape) -> str:
        return " ".join(f"{x:.6g},{y:.6g}" for x, y in self.scale_points(shape))


def _fit_canvas(shapes: Sequence[DrawnShape], size: PointXY | None) -> _Canvas:
    xs = [x for shape in shapes for x, _ in shape.corners] or [0.0, 1.0]
    ys = [y for shape in shapes for _, y in shape.corners] or [0.0, 1.0]
    if size is not None:
        shares = min(*xs, *ys) >= 0 and max(*xs, *ys) <= 1
        return _Canvas(0.0, 0.0, *size, stretch=size if shares else (1.0, 1.0))
    margin = 0.06 * (max(max(xs) - min(xs), max(ys) - min(ys)) or 1.0)
    return _Canvas(min(xs) - margin, min(ys) - margin, max(xs) - min(xs) + 2 * margin, max(ys) - min(ys) + 2 * margin)


def _draw_canvas(canvas: _Canvas, unit: float, image: str | None) -> str:
    place = f'x="{canvas.x:.6g}" y="{canvas.y:.6g}" width="{canvas.width:.6g}" height="{canvas.height:.6g}"'
    step = 5 * unit
    blank = (
        f'<defs><pattern id="grid" x="{canvas.x:.6g}" y="{canvas.y:.6g}" width="{step:.6g}" height="{step:.6g}" '
        f'patternUnits="userSpaceOnUse">'
        f'<path d="M{step:.6g} 0H0V{step:.6g}" fill="none" stroke="#e2e8f0" stroke-width="{0.12 * unit:.6g}"/></pattern></defs>'
        f'<rect {place} fill="#f8fafc"/><rect {place} fill="url(#grid)"/>'
    )
    shown = f'<image {place} href="{escape(image, quote=True)}" preserveAspectRatio="none"/>' if image and _is_safe_image(image) else ""
    return f'{blank}{shown}<rect {place} fill="none" stroke="#cbd5e1" stroke-width="{0.2 * unit:.6g}"/>'


def _is_safe_image(href: str) -> bool:
    """True for an image by file or web address, or as data; False for addresses that run code."""
    scheme = href.split(":", 1)[0].lower() if ":" in href.split("/", 1)[0] else ""
    return scheme in ("", "http", "https", "file") or href.lower().startswith("data:image/")


def _draw_halo(shape: DrawnShape, canvas: _Canvas, unit: float) -> str:
    """Draw a pale line below all others, so that the shape is visible on any image."""
    line = f'points="{canvas.format_points(shape)}" stroke-linejoin="round"'
    return f'<polygon {line} fill="none" stroke="#fff" stroke-opacity=".7" stroke-width="{0.9 * unit:.6g}"/>'


def _draw_outline(shape: DrawnShape, canvas: _Canvas, unit: float) -> str:
    """Draw a solid wide line for expected, a dashed narrow one for actual, so that both are visible where they coincide."""
    width, dashes = 0.46 * unit, ""
    if shape.side == "actual":
        width, dashes = 0.32 * unit, f' stroke-dasharray="{1.1 * unit:.6g} {0.7 * unit:.6g}"'
    shade = 0.1 if shape.state in ("missing", "extra") else 0.03
    paint = f'fill="{shape.colour}" fill-opacity="{shade}" stroke="{shape.colour}" stroke-width="{width:.6g}"{dashes}'
    return (
        f'<g class="{shape.side} {shape.state}"><title>{escape(shape.name)}</title>'
        f'<polygon points="{canvas.format_points(shape)}" stroke-linejoin="round" {paint}/></g>'
    )


def _draw_label(shape: DrawnShape, canvas: _Canvas, font: float, taken: list[tuple[float, float, float]], colour: str | None = None) -> str:
    """Draw the label at the upper left corner of its shape, moved down until it covers no other label."""
    points = canvas.scale_points(shape)
    text = shape.label if len(shape.label) <= 28 else f"{shape.label[:27]}…"
    width, height = (0.62 * len(text) + 0.9) * font, _LABEL_HEIGHT * font
    x = min(max(min(x for x, _ in points), canvas.x), canvas.x + canvas.width - width)
    y = max(min(y for _, y in points) - height, canvas.y)
    while any(abs(y - top) < height and x < right and left < x + width for top, left, right in taken):
        y += height * 1.06
    taken.append((y, x, x + width))
    place = f'x="{x:.6g}" y="{y:.6g}" width="{width:.6g}" height="{height:.6g}" rx="{0.3 * font:.6g}"'
    middle = f'x="{x + width / 2:.6g}" y="{y + 0.72 * height:.6g}" text-anchor="middle"'
    return (
        f'<rect {place} fill="{colour or shape.colour}" fill-opacity=".94"/>'
        f'<text {middle} font-size="{font:.6g}" font-weight="600" fill="#fff">{escape(text)}</text>'
    )


@dataclass(frozen=True, slots=True)
class PlaceBox:
    """A box that shows where a value is."""

    box: tuple[float, float, float, float]
    """Left, top, right, bottom: shares of the page if all are at most 1, else pixels."""
    label: str
    colour: str
    dashed: bool = False


_PAPER: Final = (1000.0, 1414.0)
"""Size of a page that is not known: the shape of A4."""
_MIN_VIEW: Final = 0.4
"""Share of the page's width and height around a place that is shown at least."""


def draw_place(boxes: Sequence[PlaceBox], *, size: PointXY | None, image: str | None, title: str) -> str:
    """Draw the part of a page around some boxes as SVG, over the image if there is one."""
    is_share = max(edge for box in boxes for edge in box.box) <= 1
    if size is None:
        size = _PAPER if is_share else (max(box.box[2] for box in boxes) * 1.05, max(box.box[3] for box in boxes) * 1.05)
    width, height = size
    scale = (width, height, width, height) if is_share else (1.0, 1.0, 1.0, 1.0)
    placed = [tuple(edge * factor for edge, factor in zip(box.box, scale, strict=True)) for box in boxes]
    left, view_width = _choose_view(min(box[0] for box in placed), max(box[2] for box in placed), width)
    top, view_height = _choose_view(min(box[1] for box in placed), max(box[3] for box in placed), height)
    unit = view_width / 100
    pixels = _MAX_PIXELS / max(view_width, view_height)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(title, quote=True)}" '
        f'width="{view_width * pixels:.0f}" height="{view_height * pixels:.0f}" '
        f'viewBox="{left:.6g} {top:.6g} {view_width:.6g} {view_height:.6g}" class="picture place" '
        f'font-family="system-ui,-apple-system,Segoe UI,Roboto,sans-serif"><title>{escape(title)}</title>',
        _draw_canvas(_Canvas(0.0, 0.0, width, height), unit, image),
    ]
    for (x1, y1, x2, y2), box in zip(placed, boxes, strict=True):
        place = f'x="{x1:.6g}" y="{y1:.6g}" width="{x2 - x1:.6g}" height="{y2 - y1:.6g}" fill="none"'
        dashes = f' stroke-dasharray="{1.4 * unit:.6g} {0.9 * unit:.6g}"' if box.dashed else ""
        parts.append(f'<rect {place} stroke="#fff" stroke-opacity=".8" stroke-width="{1.1 * unit:.6g}"/>')
        parts.append(f'<rect {place} stroke="{box.colour}" stroke-width="{0.5 * unit:.6g}"{dashes}/>')
    taken: list[tuple[float, float, float]] = []
    view = _Canvas(left, top, view_width, view_height)
    font = 2.4 * unit
    for (x1, y1, x2, y2), box in zip(placed, boxes, strict=True):
        if not box.label:
            continue
        # The label of the actual box is below it: boxes of both sides mostly coincide, and the text in them should stay readable.
        top = min(y2 + _LABEL_HEIGHT * font, view.y + view.height) if box.dashed else y1
        shape = DrawnShape(corners=((x1, top), (x2, top)), side="expected", label=box.label)
        parts.append(_draw_label(shape, view, font, taken, box.colour))
    return "\n".join([*parts, "</svg>"])


def _choose_view(low: float, high: float, length: float) -> tuple[float, float]:
    """The start and the length of the part of an axis that is shown around a stretch."""
    shown = min(max(high - low + 0.2 * length, _MIN_VIEW * length), length)
    return min(max((low + high - shown) / 2, 0.0), length - shown), shown


_LEGEND: Final[tuple[tuple[str, str, str], ...]] = (
    ("expected", "matched", "expected"),
    ("actual", "matched", "actual, with IoU"),
    ("actual", "weak", "overlap too small"),
    ("expected", "missing", "missed"),
    ("actual", "extra", "extra"),
)


def _draw_legend(shapes: Iterable[DrawnShape], canvas: _Canvas, font: float) -> str:
    """Draw the legend below the canvas: both sides, and the states that occur."""
    seen = {(shape.side, shape.state) for shape in shapes}
    x, y = canvas.x + 0.6 * font, canvas.y + canvas.height + 1.5 * font
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
