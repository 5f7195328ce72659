"""The metric guide from end to end: five evals, both conventions, macro and micro, the target, `eval-results.json`."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import fieldwise as fw
from fieldwise.cli.app import app

RECORD = {"a": 1, "b": 2, "c": 3, "d": 4}
EVALS = [
    RECORD,
    {**RECORD, "d": "4"},  # format_error
    {**RECORD, "c": 9},  # wrong_value
    {"a": 1, "b": 2, "c": 3},  # omission
    {**RECORD, "e": 5},  # hallucination
]


def counted(counts: dict[str, int]) -> dict[str, float]:
    """The guide's formulas, written down again."""
    right = 4 - counts["omission"] - counts["format_error"] - counts["wrong_value"]
    false_positives = counts["hallucination"] + counts["format_error"] + counts["wrong_value"]
    false_negatives = counts["omission"] + counts["format_error"] + counts["wrong_value"]
    precision, recall = right / (right + false_positives), right / (right + false_negatives)
    return {"precision": precision, "recall": recall, "f1": 2 * (precision * recall) / (precision + recall)}


KINDS = ("omission", "hallucination", "format_error", "wrong_value")
ONE_OF_EACH = [None, "format_error", "wrong_value", "omission", "hallucination"]
PER_EVAL = [counted({kind: int(kind == found_kind) for kind in KINDS}) for found_kind in ONE_OF_EACH]


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps({"id": f"eval{at}", "expected": RECORD, "actual": actual}) for at, actual in enumerate(EVALS, 1)]
    Path("evals.jsonl").write_text("\n".join(lines))
    return {"name": "evals", "cases": "evals.jsonl", "evaluators": [{"type": "field_prf"}]}


def test_macro_f1_is_the_mean_over_evals_and_micro_f1_pools_their_counts(suite: dict[str, Any]) -> None:
    """metric guide: Aggregate Metrics Across Evals"""
    summary = fw.run(suite).summary
    for name in ("precision", "recall", "f1"):
        assert summary[f"field_prf.macro_{name}"] == pytest.approx(sum(metrics[name] for metrics in PER_EVAL) / 5, abs=1e-15)
    assert summary["field_prf.micro_precision"] == summary["field_prf.micro_recall"] == pytest.approx(17 / 20)
    assert [summary[f"field_prf.total_{name}"] for name in ("true_positives", "false_positives", "false_negatives")] == [17, 3, 3]


def test_the_code_of_the_guide_counts_a_wrong_value_once(suite: dict[str, Any]) -> None:
    """metric guide: compute_confusion_counts"""
    suite["evaluators"][0]["substitution_counts"] = "fp"
    summary = fw.run(suite).summary
    assert summary["field_prf.total_false_negatives"] == 1
    assert summary["field_prf.micro_recall"] == pytest.approx(17 / 18)
    assert summary["field_prf.micro_recall_fp_fn"] == pytest.approx(17 / 20)


@pytest.mark.parametrize(("target", "code"), [(0.84, 0), (0.90, 1)])
def test_the_target_is_a_gate_on_macro_f1(suite: dict[str, Any], target: float, code: int) -> None:
    """metric guide: Project target is 0.90 macro-F1 across all 5 evals"""
    Path("evals.eval.yaml").write_text(json.dumps({**suite, "gate": {"field_prf.macro_f1": f">= {target}"}}))
    assert CliRunner().invoke(app, ["run", "evals.eval.yaml"]).exit_code == code


def test_per_eval_and_aggregate_metrics_are_stored_in_eval_results(suite: dict[str, Any]) -> None:
    """metric guide: Store per-eval and aggregate metrics in eval-results.json"""
    Path("evals.eval.yaml").write_text(json.dumps(suite))
    assert CliRunner().invoke(app, ["run", "evals.eval.yaml", "--output", "eval-results.json"]).exit_code == 0
    written = json.loads(Path("eval-results.json").read_text())
    keys = {"precision", "recall", "f1", "true_positives", "false_positives", "false_negatives", "total_gt_fields", "correct_fields"}
    assert all(keys <= set(metrics["metrics"]) for metrics in written["per_eval"])
    aggregate = written["aggregate"]
    seed_keys = {"macro", "micro", "total_true_positives", "total_false_positives", "total_false_negatives", "eval_count"}
    assert set(aggregate) == seed_keys | {"macro_fp", "micro_fp"}  # and the other counting convention
    assert set(aggregate["macro"]) == set(aggregate["micro"]) == {"precision", "recall", "f1"}
    assert (aggregate["eval_count"], aggregate["total_true_positives"]) == (5, 17)
    assert aggregate["macro"]["f1"] == pytest.approx(sum(metrics["f1"] for metrics in PER_EVAL) / 5)
