"""The HTML report of a run with what studies of the run add to it: the calibration of its confidences, if it has any."""

from fieldwise.report.html import render_html
from fieldwise.store.run import Run
from fieldwise.study.confidence import study_confidence
from fieldwise.study.confident_values import has_confidences


def render_studied_html(run: Run) -> str:
    """Render the report of a run, with the calibration of its confidences if values have any."""
    return render_html(run, confidence=study_confidence(run) if has_confidences(run) else None)
