"""Charts as SVG."""

import xml.etree.ElementTree as ET

from fieldwise.report.charts import ChartBar, draw_histogram, draw_intervals, draw_line

_SVG = "{http://www.w3.org/2000/svg}"


def test_a_chart_holds_no_script_no_style_and_no_comment() -> None:
    drawn = draw_intervals([ChartBar("score", 0.8, 0.7, 0.9)], title="scores")
    root = ET.fromstring(drawn)
    assert {element.tag.removeprefix(_SVG) for element in root.iter()} <= {"svg", "g", "rect", "path", "text", "title", "desc"}
    assert "<!--" not in drawn
    assert root.get("aria-label") == "scores"
    assert [(child.tag.removeprefix(_SVG), child.text) for child in root[:2]] == [("title", "scores"), ("desc", "score 0.8 (0.7 to 0.9)")]


def test_a_bar_with_an_interval_has_whiskers_and_one_without_has_none() -> None:
    assert ET.fromstring(draw_intervals([ChartBar("a", 0.8, 0.7, 0.9)], title="t")).findall(f".//{_SVG}g[@class='ci']")
    assert not ET.fromstring(draw_intervals([ChartBar("a", 0.8)], title="t")).findall(f".//{_SVG}g[@class='ci']")


def test_labels_from_data_are_escaped() -> None:
    hostile = "</svg><script>x"
    drawn = draw_intervals([ChartBar(hostile, 0.2)], title=hostile)
    assert "<script>" not in drawn
    assert hostile in [element.text for element in ET.fromstring(drawn).iter(f"{_SVG}text")]


def test_hints_name_the_bar() -> None:
    root = ET.fromstring(draw_intervals([ChartBar("a", 1.0)], title="t"))
    assert "a: 1" in [element.text for element in root.iter(f"{_SVG}title")]


def test_a_histogram_has_a_bar_for_each_tenth_and_one_for_all_right() -> None:
    root = ET.fromstring(draw_histogram([1] * 11, title="t"))
    assert len(root.findall(f".//{_SVG}rect[@class='rect']")) == 11


def test_each_source_is_a_line_of_its_own() -> None:
    bars = [ChartBar(str(place), 0.1 * place, series="ab"[place % 2]) for place in range(6)]
    drawn = draw_line(bars, title="t", bound=0.3)
    classes = [element.get("class", "") for element in ET.fromstring(drawn).iter(f"{_SVG}g")]
    assert sum("kind-series-0" in name for name in classes) == sum("kind-series-1" in name for name in classes) > 0
    assert any("kind-bound" in name for name in classes)
    assert "a 0 0; b 1 0.1" in drawn
