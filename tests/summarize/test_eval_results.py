"""`eval-results.json` in the metric guide's keys."""

import pytest

import fieldwise as fw
from fieldwise.model.result import Result
from fieldwise.summarize.eval_results import build_eval_results

SMALL = {"precision": 1.0, "recall": 0.5, "f1": 2 / 3, "true_positives": 1.0, "false_positives": 0.0, "false_negatives": 1.0}
LARGE = {"precision": 0.5, "recall": 1.0, "f1": 2 / 3, "true_positives": 4.0, "false_positives": 4.0, "false_negatives": 0.0}


def test_no_cases_is_all_zeros():
    rates = {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    totals = {"total_true_positives": 0, "total_false_positives": 0, "total_false_negatives": 0, "eval_count": 0}
    aggregate = {"macro": rates, "micro": rates, **totals, "macro_fp": rates, "micro_fp": rates}
    assert build_eval_results([]) == {"per_eval": [], "aggregate": aggregate, "substitution_counts": "fp_fn"}


@pytest.mark.parametrize(("counting", "alternative", "f1", "other_f1"), [("fp_fn", "fp", 0.5, 2 / 3), ("fp", "fp_fn", 2 / 3, 0.5)])
def test_the_file_names_its_way_of_counting_and_gives_the_other_figures(counting: str, alternative: str, f1: float, other_f1: float):
    config = {"type": "field_prf", "substitution_counts": counting}
    content = build_eval_results([("a", fw.evaluate(config, expected={"x": 1, "y": 2}, actual={"x": 1, "y": 3}))])
    assert content["substitution_counts"] == counting
    assert content["aggregate"]["macro"]["f1"] == content["aggregate"]["micro"]["f1"] == pytest.approx(f1)
    assert (
        content["aggregate"][f"macro_{alternative}"]["f1"] == content["aggregate"][f"micro_{alternative}"]["f1"] == pytest.approx(other_f1)
    )


def test_aggregates_follow_the_guides_formulas():
    """Metric guide: compute_aggregate_metrics."""
    aggregate = build_eval_results([("a", Result(metrics=SMALL)), ("b", Result(metrics=LARGE))])["aggregate"]
    assert aggregate["macro"] == {"precision": 0.75, "recall": 0.75, "f1": 2 / 3}
    assert aggregate["micro"]["precision"] == 5 / 9
    assert aggregate["micro"]["recall"] == 5 / 6
    assert aggregate["micro"]["f1"] == pytest.approx(2 * (5 / 9) * (5 / 6) / (5 / 9 + 5 / 6))
    assert (aggregate["total_true_positives"], aggregate["total_false_positives"], aggregate["total_false_negatives"]) == (5, 4, 1)
    assert aggregate["eval_count"] == 2


def test_each_case_has_its_metrics_as_whole_counts_and_its_discrepancies():
    errors = [{"path": "a", "error_type": "omission", "expected": 1, "actual": None}]
    result = Result(metrics=SMALL | {"total_gt_fields": 2.0, "correct_fields": 1.0}, details={"errors": errors})
    [entry] = build_eval_results([("a", result)])["per_eval"]
    assert entry == {"id": "a", "metrics": SMALL | {"total_gt_fields": 2, "correct_fields": 1}, "discrepancies": errors}
    assert isinstance(entry["metrics"]["true_positives"], int)


def test_only_measurements_are_counted():
    results = [
        ("a", Result(status="skipped")),
        ("b", Result(status="error", details={"fault": "ours"})),
        ("c", Result(status="error", details={"fault": "system"}, metrics={"false_negatives": 3.0})),
    ]
    content = build_eval_results(results)
    assert [entry["id"] for entry in content["per_eval"]] == ["c"]
    assert content["aggregate"]["total_false_negatives"] == 3
