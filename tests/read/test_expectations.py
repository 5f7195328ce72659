"""MLflow expectations with several keys beside an output in text."""

import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw

EXPECTATIONS = {"expected_response": "Paris", "guidelines": ["Be short."]}
REMARK = "`expected_response` of `expectations` is read as the expected answer"


def run_case(folder: Path, evaluator: dict[str, Any], outputs: Any, expectations: Any = EXPECTATIONS, **cases: Any) -> fw.Run:
    row = {"inputs": {"q": "Capital of France?"}, "outputs": outputs, "expectations": expectations}
    (folder / "m.jsonl").write_text(json.dumps(row) + "\n")
    return fw.run({"cases": {"file": str(folder / "m.jsonl"), **cases}, "evaluators": [evaluator]}, root=folder / "store")


def list_remarks(run: fw.Run) -> list[str]:
    return [diagnostic.what for diagnostic in run.diagnostics if diagnostic.code == "expected-answer"]


@pytest.mark.parametrize("outputs", ["Paris", {"response": "Paris"}, [{"role": "assistant", "content": "Paris"}]])
def test_an_answer_in_text_is_compared_with_the_expected_response_and_the_run_says_so(tmp_path: Path, outputs: Any) -> None:
    run = run_case(tmp_path, {"type": "answer_quality"}, outputs)
    assert run.summary["answer_quality.exact_match"] == 1
    [remark] = list_remarks(run)
    assert remark.startswith(REMARK)


def test_the_format_mlflow_reads_the_same_answer(tmp_path: Path) -> None:
    run = run_case(tmp_path, {"type": "answer_quality"}, "Paris", format="mlflow")
    assert run.summary["answer_quality.exact_match"] == 1
    assert list_remarks(run)


@pytest.mark.parametrize("outputs", [{"expected_response": "Paris", "total": 5}, '{"total": 5}'])
def test_expectations_stay_a_record_beside_a_record(tmp_path: Path, outputs: Any) -> None:
    run = run_case(tmp_path, {"type": "field_prf"}, outputs, {"expected_response": "Paris", "total": 5})
    assert not list_remarks(run)
    assert run.summary["field_prf.total_true_positives"] >= 1


def test_expectations_stay_a_record_where_a_rule_names_one(tmp_path: Path) -> None:
    run = run_case(tmp_path, {"type": "field_accuracy", "fields": ["expected_response"]}, "no record")
    assert not list_remarks(run)
