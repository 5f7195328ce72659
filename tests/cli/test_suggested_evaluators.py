"""Evaluators that `fieldwise init` suggests for lists of boxes and of tool calls."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from cli_cases import write_jsonl

Run = Callable[..., Any]
CALLS = [{"tool": "search", "args": {"query": "x"}}]


@pytest.fixture
def write_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fieldwise: Run) -> Callable[..., list[dict[str, Any]]]:
    """Writes a suite for five cases with these sides, checks and runs it, and returns its evaluators."""
    monkeypatch.chdir(tmp_path)

    def write(expected: object, actual: object) -> list[dict[str, Any]]:
        write_jsonl(tmp_path / "data.jsonl", [{"id": str(number), "expected": expected, "actual": actual} for number in range(5)])
        written = fieldwise("init", tmp_path, "--cases", tmp_path / "data.jsonl")
        assert written.exit_code == 0, written.output
        suite = tmp_path / "data.eval.yaml"
        assert fieldwise("check", suite).exit_code == 0
        completed = fieldwise("run", suite)
        assert completed.exit_code == 0, completed.output
        return yaml.safe_load(suite.read_text())["evaluators"]

    return write


def test_a_list_of_labelled_boxes_is_scored_by_their_overlap(write_suite: Callable[..., list[dict[str, Any]]]) -> None:
    expected = {"regions": [{"kind": "title", "bbox": [10, 10, 50, 30]}, {"kind": "table", "bbox": [10, 40, 90, 99]}]}
    actual = {"regions": [{"kind": "table", "bbox": [10, 40, 90, 95], "score": 0.7}]}
    assert write_suite(expected, actual) == [
        {"type": "iou_score", "path": "regions", "format": "xyxy", "box": "bbox", "label": "kind", "pairing": "best", "threshold": 0.5}
    ]


def test_fields_beside_boxes_keep_their_rules(write_suite: Callable[..., list[dict[str, Any]]]) -> None:
    record = {"page": 1, "items": [{"name": "Paper", "amount": 4.5, "box": {"left": 1, "top": 2, "width": 4, "height": 5}}]}
    boxes, fields, prf = write_suite(record, record)
    assert boxes == {"type": "iou_score", "path": "items", "box": "box", "pairing": "best", "threshold": 0.5}
    assert [rule["path"] for rule in fields["fields"]] == ["page", "items[*].name", "items[*].amount"]
    assert prf["ignore"] == ["items[*].box"]


def test_boxes_that_are_the_items_of_a_record_need_no_path(write_suite: Callable[..., list[dict[str, Any]]]) -> None:
    boxes = [{"class": "dog", "x1": 1, "y1": 2, "x2": 3, "y2": 4}]
    assert write_suite(boxes, boxes) == [{"type": "iou_score", "label": "class", "pairing": "best", "threshold": 0.5}]


def test_several_lists_of_boxes_have_evaluators_with_different_names(write_suite: Callable[..., list[dict[str, Any]]]) -> None:
    record = {"boxes": [[1, 2, 3, 4]], "faces": [{"rect": [1, 2, 3, 4]}]}
    assert [evaluator["name"] for evaluator in write_suite(record, record)] == ["iou_score_boxes", "iou_score_faces"]


def test_an_expected_box_that_is_not_two_corners_shows_widths_and_heights(write_suite: Callable[..., list[dict[str, Any]]]) -> None:
    record = {"words": [{"label": "a", "bbox": [1, 1, 30, 30]}, {"label": "b", "bbox": [100, 40, 20, 10]}]}
    assert write_suite(record, record)[0]["format"] == "xywh"


def test_sides_that_differ_in_the_format_of_boxes_are_told_apart(write_suite: Callable[..., list[dict[str, Any]]]) -> None:
    expected = {"words": [{"label": "a", "bbox": [100 + number, 40, 120 + number, 50]} for number in range(10)]}
    actual = {"words": [{"label": "a", "bbox": [100 + number, 40, 20, 10]} for number in range(10)]}
    evaluator = write_suite(expected, actual)[0]
    assert (evaluator["format"], evaluator["actual_format"]) == ("xyxy", "xywh")


@pytest.mark.parametrize(
    "item",
    [
        {"name": "Paper", "amount": 4.5, "quantity": 2},
        {"name": "Paper", "quarters": [1, 2, 3, 4]},
        {"name": "Frame", "width": 30, "height": 40},
        {"name": "Paper", "details": {"colour": "white"}},
    ],
)
def test_line_items_are_neither_boxes_nor_calls(write_suite: Callable[..., list[dict[str, Any]]], item: dict[str, Any]) -> None:
    record = {"items": [item, item]}
    assert [evaluator["type"] for evaluator in write_suite(record, record)] == ["field_accuracy", "field_prf"]


@pytest.mark.parametrize(
    "calls",
    [
        CALLS,
        [{"name": "search", "arguments": '{"query": "x"}'}],
        [{"type": "function", "function": {"name": "search", "arguments": "{}"}}],
        [{"tool_name": "search", "parameters": {"query": "x"}}],
        {"tool_calls": CALLS},
    ],
)
def test_expected_tool_calls_are_compared_as_a_trajectory(write_suite: Callable[..., list[dict[str, Any]]], calls: object) -> None:
    assert write_suite(calls, calls) == [{"type": "tool_trajectory"}]


def test_tool_calls_beside_an_answer_leave_the_answer_its_rule(write_suite: Callable[..., list[dict[str, Any]]]) -> None:
    record = {"answer": "Paris is large", "plan": {"actions": CALLS}}
    trajectory, fields, prf = write_suite(record, record)
    assert trajectory == {"type": "tool_trajectory", "path": "actual.plan.actions", "expected_path": "expected.plan.actions"}
    assert [rule["path"] for rule in fields["fields"]] == ["answer"]
    assert prf["ignore"] == ["plan.actions"]
