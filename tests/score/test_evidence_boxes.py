"""Values and their places scored together."""

import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw

BOX = [0.1, 0.1, 0.3, 0.2]
SHIFTED = [0.2, 0.1, 0.4, 0.2]
"""Overlaps BOX with an IoU of 1/3."""


def _evaluate(expected: Any, actual: Any, iou: float = 0.5, **options: Any) -> Any:
    rule = {"path": "total", "match": "numeric_tolerance", "tolerance": 0.5, "evidence": {"iou": iou}}
    return fw.evaluate({"type": "field_accuracy", "fields": [rule, "name"]}, expected=expected, actual=actual, **options)


def _expected(**place: Any) -> dict[str, Any]:
    return {"total": {"value": 5, **place}, "name": "a"}


def _actual(value: float = 5, **place: Any) -> dict[str, Any]:
    return {"total": {"value": value, "confidence": 0.9, **place}, "name": "a"}


@pytest.mark.parametrize(
    ("expected", "actual", "iou", "passes", "note"),
    [
        (_expected(box=BOX), _actual(box=BOX), 1.0, True, None),
        (_expected(box=BOX), _actual(5.4, box=BOX), 1.0, True, None),
        (_expected(box=BOX), _actual(box=SHIFTED), 0.3, True, None),
        (_expected(box=BOX), _actual(box=SHIFTED), 0.5, False, "box IoU 0.33, and at least 0.5 is needed"),
        (_expected(box=BOX), _actual(6, box=BOX), 0.5, False, None),
        (_expected(box=BOX), {"total": 5, "name": "a"}, 0.5, False, "the output has no box"),
        (_expected(box=BOX, page=1), _actual(box=BOX, page=2), 0.5, False, "page 2, and page 1 is expected"),
        (_expected(box=BOX, page=1), _actual(box=BOX), 0.5, True, None),
        (_expected(box=BOX), {"name": "a"}, 0.5, False, None),
    ],
)
def test_value_and_box_must_both_hold(expected: Any, actual: Any, iou: float, passes: bool, note: str | None) -> None:
    result = _evaluate(expected, actual, iou)
    [comparison] = [comparison for comparison in result.comparisons if comparison.path == "total"]
    assert comparison.passed is passes
    assert comparison.expected == 5
    assert result.score == (1.0 if passes else 0.5)
    assert (note or "") in (comparison.note or "")
    assert result.misses == ([] if passes else [result.misses[0]])


def test_boxes_may_be_in_the_metadata() -> None:
    metadata = {"expected_boxes": {"total": BOX}, "boxes": {"total": SHIFTED}}
    plain = {"total": 5, "name": "a"}
    assert _evaluate(plain, plain, metadata=metadata).score == 0.5
    assert _evaluate(plain, plain, 0.3, metadata=metadata).score == 1.0


def test_a_value_without_an_expected_box_is_judged_alone_and_says_so() -> None:
    plain = {"total": 5, "name": "a"}
    result = _evaluate(plain, _actual(box=BOX))
    assert "some expected values have no box" in result.details["diagnostics"][0]["what"]
    assert result.score == 1.0
    assert "only the value was compared" in result.comparisons[0].note


def test_items_of_a_list_are_compared_with_the_boxes_of_their_partners() -> None:
    items = [{"sku": {"value": name, "box": [n, 0, n + 1, 1]}} for n, name in enumerate("abc")]
    moved = [{"sku": {**item["sku"], "confidence": 0.5}} for item in reversed(items)]
    rules = {"type": "field_prf", "fields": [{"path": "items[*].sku", "evidence": {"iou": 0.9}}], "lists": {"items": {"align": "best"}}}
    assert fw.evaluate(rules, expected={"items": items}, actual={"items": moved}).score == 1.0
    moved[0]["sku"]["box"] = [9, 0, 10, 1]
    result = fw.evaluate(rules, expected={"items": items}, actual={"items": moved})
    assert [comparison.path for comparison in result.comparisons if not comparison.passed] == ["items[2].sku"]


def test_a_stored_run_has_the_plain_values_and_the_reason(tmp_path: Path) -> None:
    cases = [{"id": str(n), "expected": _expected(box=BOX), "actual": _actual(box=BOX if n else SHIFTED)} for n in range(2)]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    rule = {"path": "total", "evidence": {"iou": 0.5}}
    suite = {"name": "e", "cases": str(tmp_path / "cases.jsonl"), "evaluators": [{"type": "field_accuracy", "fields": [rule]}]}
    run = fw.run(suite, root=tmp_path / "runs")
    assert [(stored.expected, stored.actual, stored.passed, stored.box) for stored in run.comparisons()] == [
        (5, 5, False, tuple(SHIFTED)),
        (5, 5, True, tuple(BOX)),
    ]
    assert "its place is not" in next(iter(run.mismatches())).note
    assert run.fields()[0].rule == "exact, box IoU ≥ 0.5"


@pytest.mark.parametrize("evidence", [{"iou": 0}, {"iou": 1.5}, {}, 0.5, {"iou": 0.5, "page": 1}, "yes"])
def test_a_mistake_in_the_option_is_reported(evidence: Any) -> None:
    with pytest.raises(fw.ConfigError, match=r"iou|evidence"):
        fw.evaluate({"type": "field_accuracy", "fields": [{"path": "a", "evidence": evidence}]}, expected={"a": 1}, actual={"a": 1})
