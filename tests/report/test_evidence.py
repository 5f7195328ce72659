"""Where values come from: pages, boxes, and places in the source text."""

from dataclasses import replace
from typing import Any

import pytest

from fieldwise.model.case import Case
from fieldwise.model.comparison import Comparison
from fieldwise.model.evidence import read_box
from fieldwise.report.evidence import find_page_place, find_value_in_text, list_source_texts, mark_sources

RECEIPT = "TAN CHAY YEE\nInvoice No: INV-2024-031\nDate: 14/03/2018 10:22\nTotal RM 1,234.50\nGST 6%"


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ("Tan  Chay Yee", "TAN CHAY YEE"),
        ("INV-2024-031", "INV-2024-031"),
        ("2018-03-14", "14/03/2018"),
        (1234.5, "1,234.50"),
        ("RM 1234.50", "1,234.50"),
        (6, "6"),
        ({"$any": ["INV-31", "INV-2024-031"]}, "INV-2024-031"),
    ],
)
def test_a_value_is_found_as_the_text_writes_it(value: Any, place: str) -> None:
    assert [RECEIPT[start:end] for start, end in find_value_in_text(RECEIPT, value)] == [place]


@pytest.mark.parametrize("value", ["INV-2024-03", "INV-31", 31, "2018-03-15", 234.5, None, True, [], "", "Chay Ye", "a total of 6 persons"])
def test_what_is_not_there_is_not_found(value: Any) -> None:
    assert find_value_in_text(RECEIPT, value) == []


def test_both_values_are_marked_and_the_same_place_is_of_both() -> None:
    case = Case(id="a", input={"text": "Total 12.50, paid 12.50 of 13.00", "n": 3}, contexts=[{"text": "nothing"}, "due 13.00"])
    assert [source.name for source in list_source_texts(case)] == ["input.text", "context 1", "context 2"]
    marked = mark_sources(case, {"expected": 12.5, "actual": 13.0})
    assert [(text.name, [role for _, _, role in text.spans]) for text in marked] == [
        ("input.text", ["expected", "expected", "actual"]),
        ("context 2", ["actual"]),
    ]
    assert mark_sources(case, {"expected": 13, "actual": "13.00"})[0].spans[0][2] == "both"


def test_pages_and_boxes_come_from_the_comparison_and_the_metadata() -> None:
    sides = {"expected_presence": "present", "actual_presence": "present", "similarity": 0.0, "passed": False, "cause": None}
    comparison = Comparison(path="items[0].sku", field="items[*].sku", outcome="match", expected=1, actual=2, **sides)  # type: ignore[arg-type]
    case = Case(id="a", metadata={"expected_boxes": {"items": [{"sku": {"x": 1, "y": 2, "width": 3, "height": 4}}]}})
    assert find_page_place(case, comparison) is None
    expected = find_page_place(case, comparison, "expected")
    assert expected is not None
    assert (expected.page, expected.box) == (None, (1, 2, 4, 6))
    actual = find_page_place(case, replace(comparison, page=2, box=(0.1, 0.2, 0.3, 0.2, 0.3, 0.4)))
    assert actual is not None
    assert actual.describe() == "page 2, box 0.1 0.2 0.3 0.4"


@pytest.mark.parametrize("value", [None, [1, 2, 3], [3, 0, 1, 1], ["a", 1, 2, 3], {"x": 1}, [True, 0, 1, 1]])
def test_what_is_no_box_is_none(value: Any) -> None:
    assert read_box(value) is None
