"""A case as a picture."""

from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise.model.case import Case
from fieldwise.report.picture import DrawnShape, PlaceBox, draw_case_picture, draw_place, draw_shapes

SVG = "{http://www.w3.org/2000/svg}"
BOX = ((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0))


def picture(expected: Any, actual: Any, metadata: dict[str, Any] | None = None, **options: Any) -> ElementTree.Element:
    kind = options.pop("type", "iou_score")
    result = fw.evaluate({"type": kind, **options}, expected=expected, actual=actual)
    svg = draw_case_picture(Case(id="c1", expected=expected, actual=actual, metadata=metadata or {}), result, SimpleNamespace(**options))
    assert svg is not None
    return ElementTree.fromstring(svg)


def groups(svg: ElementTree.Element) -> dict[str, int]:
    counts: dict[str, int] = {}
    for group in svg.iter(f"{SVG}g"):
        counts[group.attrib["class"]] = counts.get(group.attrib["class"], 0) + 1
    return counts


def words(svg: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in svg.iter(f"{SVG}text")]


def test_expected_is_solid_and_actual_is_dashed_with_its_iou() -> None:
    svg = picture([[0, 0, 10, 10]], [[0, 0, 10, 5]])
    assert groups(svg) == {"expected matched": 1, "actual matched": 1}
    lines = {group.attrib["class"]: group.find(f"{SVG}polygon") for group in svg.iter(f"{SVG}g")}
    assert "stroke-dasharray" not in lines["expected matched"].attrib  # type: ignore[union-attr]
    assert "stroke-dasharray" in lines["actual matched"].attrib  # type: ignore[union-attr]
    assert "0.50" in words(svg)


def test_missed_extra_and_weak_boxes_have_different_states() -> None:
    svg = picture([[0, 0, 10, 10], [20, 20, 30, 30]], [[0, 0, 10, 2], [50, 50, 60, 60], [70, 70, 80, 80]], pairing="best", threshold=0.5)
    assert groups(svg) == {"expected weak": 1, "expected missing": 1, "actual weak": 1, "actual extra": 2}
    assert {"0.20", "missed", "extra", "overlap too small"} <= set(words(svg))


def test_the_canvas_has_the_size_of_the_image_and_shows_it() -> None:
    svg = picture([0, 0, 10, 10], [0, 0, 10, 10], {"image": "photos/a & b.jpg", "width": 640, "height": 480})
    left, top, width, height = map(float, svg.attrib["viewBox"].split())
    assert (left, top, width) == (0, 0, 640)
    assert height > 480
    image = svg.find(f"{SVG}image")
    assert image is not None
    assert (image.attrib["href"], image.attrib["width"], image.attrib["height"]) == ("photos/a & b.jpg", "640", "480")


def test_without_an_image_the_canvas_is_blank_and_holds_every_box() -> None:
    svg = picture([100, 100, 200, 150], [-50, 120, 180, 160])
    assert svg.find(f"{SVG}image") is None
    left, top, width, height = map(float, svg.attrib["viewBox"].split())
    assert left < -50
    assert top < 100
    assert left + width > 200
    assert top + height > 160


def test_normalised_boxes_are_stretched_over_the_image() -> None:
    svg = picture([0.5, 0.5, 1, 1], [0.5, 0.5, 1, 1], {"width": 200, "height": 100})
    polygon = next(svg.iter(f"{SVG}polygon"))
    assert polygon.attrib["points"] == "100,50 200,50 200,100 100,100"


@pytest.mark.parametrize("href", ["javascript:alert(1)", "data:text/html,<b>", "vbscript:x"])
def test_an_address_that_is_no_image_is_not_shown(href: str) -> None:
    assert picture([0, 0, 1, 1], [0, 0, 1, 1], {"image": href}).find(f"{SVG}image") is None


def test_labels_are_escaped_and_long_ones_cut() -> None:
    item = {"bbox": [0, 0, 10, 10], "category": "<script>&" + "x" * 40}
    svg = picture([item], [{**item, "score": 0.9}], type="detection", format="xywh", box="bbox", label="category")
    label = next(text for text in words(svg) if text.startswith("<script>&"))
    assert len(label) == 28


def test_labels_at_one_place_do_not_cover_each_other() -> None:
    shapes = [DrawnShape(corners=BOX, side="actual", label=f"dog 0.{index}") for index in range(5)]
    svg = ElementTree.fromstring(draw_shapes(shapes))
    heights = [float(text.attrib["y"]) for text in svg.iter(f"{SVG}text") if (text.text or "").startswith("dog")]
    assert len(set(heights)) == 5


def test_detections_too_unsure_to_count_are_not_drawn_and_a_crowd_is_not_missed() -> None:
    dog = {"bbox": [0, 0, 10, 10], "category": "dog"}
    options = {"type": "detection", "format": "xywh", "box": "bbox", "label": "category", "min_score": 0.5}
    svg = picture({"boxes": [{**dog, "iscrowd": 1}]}, {"boxes": [{"bbox": [50, 50, 5, 5], "category": "dog", "score": 0.2}]}, **options)
    assert groups(svg) == {"expected matched": 1}
    assert "dog crowd" in words(svg)


def test_polygons_and_boxes_at_a_path_are_drawn_as_they_are() -> None:
    svg = picture({"a": {"b": [[0, 0], [4, 0], [0, 4]]}}, {"a": {"b": [0, 0, 4, 4]}}, path="a.b", format="polygon", actual_format="xyxy")
    assert [polygon.attrib["points"] for polygon in svg.iter(f"{SVG}polygon")][:2] == ["0,0 4,0 0,4", "0,0 4,0 4,4 0,4"]


@pytest.mark.parametrize(
    ("shape", "form"),
    [
        ({"xmin": 0, "ymin": 0, "xmax": 4, "ymax": 4}, "xyxy"),
        ({"Left": 0, "Top": 0, "Width": 4, "Height": 4}, "xyxy"),
        ([[0, 0, 4, 0, 4, 4, 0, 4]], "polygon"),
        ([{"x": 0, "y": 0}, {"x": 4, "y": 0}, {"x": 4, "y": 4}, {"x": 0, "y": 4}], "polygon"),
    ],
)
def test_shapes_are_drawn_however_the_evaluator_reads_them(shape: Any, form: str) -> None:
    svg = picture([{"place": shape}], [{"place": shape}], box="place", format=form)
    assert [polygon.attrib["points"] for polygon in svg.iter(f"{SVG}polygon")][:2] == ["0,0 4,0 4,4 0,4"] * 2


def test_the_pairs_of_tool_calls_are_no_boxes() -> None:
    calls = ["search", "fetch"]
    result = fw.evaluate({"type": "tool_trajectory"}, expected=calls, actual=calls)
    assert draw_case_picture(Case(id="c", expected=calls, actual=calls), result, SimpleNamespace(path=None)) is None


def test_nothing_to_draw_is_no_picture() -> None:
    result = fw.evaluate({"type": "iou_score"}, expected=[], actual=[])
    assert draw_case_picture(Case(id="c", expected=[], actual=[]), result, SimpleNamespace()) is None
    assert draw_case_picture(Case(id="c", expected="prose", actual={"a": 1}), result, SimpleNamespace(path="a..b")) is None


SCRAPS = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["x1", "bbox", "score", "boxes"]), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=100, deadline=None)
@given(SCRAPS, SCRAPS, st.sampled_from(["xyxy", "xywh", "polygon"]))
def test_no_data_keeps_a_picture_from_being_well_formed(expected: Any, actual: Any, form: str) -> None:
    result = fw.evaluate({"type": "iou_score", "format": form}, expected={"b": expected}, actual={"b": actual})
    svg = draw_case_picture(
        Case(id="<&>", expected={"b": expected}, actual={"b": actual}, metadata={"width": expected, "image": actual}),
        result,
        SimpleNamespace(path="b", format=form),
    )
    assert svg is None or ElementTree.fromstring(svg).tag == f"{SVG}svg"


def test_an_image_of_unknown_size_is_left_out_because_the_boxes_would_be_elsewhere_on_it() -> None:
    svg = picture([10, 10, 20, 20], [10, 10, 20, 20], {"image": "photos/a.jpg"})
    assert svg.find(f"{SVG}image") is None
    assert groups(svg) == {"expected matched": 1, "actual matched": 1}


def test_an_image_in_the_case_gives_the_canvas_its_size() -> None:
    image = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='800' height='1100'></svg>"
    svg = picture([10, 10, 20, 20], [10, 10, 20, 20], {"image": image})
    assert svg.attrib["viewBox"].startswith("0 0 800 ")
    assert svg.find(f"{SVG}image") is not None
    broken = picture([10, 10, 20, 20], [10, 10, 20, 20], {"image": "data:image/png;base64,%"})
    assert broken.find(f"{SVG}image") is None


def test_the_labels_of_two_boxes_at_one_place_leave_the_value_readable() -> None:
    box = (0.1, 0.2, 0.3, 0.22)
    boxes = [PlaceBox(box, "expected", "#047857"), PlaceBox(box, "actual", "#4338ca", dashed=True)]
    svg = ElementTree.fromstring(draw_place(boxes, size=(1000, 1000), image=None, title="t"))
    labels = [rect for rect in svg.iter(f"{SVG}rect") if rect.attrib.get("fill-opacity") == ".94"]
    above, below = ((float(label.attrib["y"]), float(label.attrib["height"])) for label in labels)
    assert sum(above) <= 200
    assert below[0] >= 220
