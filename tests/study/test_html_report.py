"""The HTML report with the calibration of confidences."""

from pathlib import Path

import fieldwise as fw
from fieldwise.study.confident_values import has_confidences
from fieldwise.study.html_report import render_studied_html


def test_a_run_with_confidences_shows_its_calibration(tmp_path: Path) -> None:
    cases = [
        {"id": str(n), "expected": {"a": n}, "actual": {"a": {"value": n if n % 4 else -1, "confidence": 0.5 + (n % 4) / 10}}}
        for n in range(60)
    ]
    run = fw.run({"name": "sure", "evaluators": [{"type": "field_accuracy", "fields": ["a"]}]}, cases=cases, root=tmp_path)
    page = render_studied_html(run)
    assert has_confidences(run)
    assert 'id="calibration"' in page
    assert "accuracy by confidence" in page
    assert "Numbers of the charts" in page


def test_a_run_without_confidences_shows_none(tmp_path: Path) -> None:
    run = fw.run(
        {"name": "plain", "evaluators": [{"type": "field_prf"}]},
        cases=[{"id": "1", "expected": {"a": 1}, "actual": {"a": 1}}],
        root=tmp_path,
    )
    assert not has_confidences(run)
    assert 'id="calibration"' not in render_studied_html(run)
