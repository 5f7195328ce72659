"""MLflow."""

import json
from pathlib import Path
from typing import Any

import pytest
from importer_samples import read_sample

import fieldwise as fw
from fieldwise.importers.mlflow import mlflow
from fieldwise.read.imported_files import read_documents


def test_the_results_table_is_read_by_its_columns() -> None:
    first, second = read_sample("mlflow")
    assert (first.input, first.expected, first.record) == ("What is MLflow?", "MLflow is an open source platform.", "A platform for ML.")
    assert first.contexts == ["MLflow docs"]
    assert (second.expected, second.record, second.contexts) == ({"total": 5}, {"total": 6}, None)


def test_a_trace_has_its_expectations() -> None:
    expectations = [
        {"assessment_name": "expected_response", "expectation": {"value": "4"}},
        {"assessment_name": "correct", "feedback": {"value": True}},
    ]
    info = {"trace_id": "tr-1", "request_preview": "2+2?", "response_preview": "five", "assessments": expectations}
    [record] = read_documents("auto", [{"info": info, "data": {"spans": []}}])
    assert (record.id, record.input, record.expected, record.record) == ("tr-1", "2+2?", "4", "five")


def test_rows_of_a_dataset_have_a_record_of_expectations() -> None:
    rows = [{"inputs": {"file": "a"}, "outputs": {"total": 5}, "expectations": {"total": 6, "vendor": "Acme"}}]
    [record] = read_documents("auto", rows)
    assert (record.record, record.expected) == ({"total": 5}, {"total": 6, "vendor": "Acme"})


def test_an_answer_in_an_object_is_compared_with_the_expected_text() -> None:
    row = {"inputs": {"question": "q"}, "outputs": {"response": "Yes."}, "expectations": {"expected_response": "Yes!"}}
    [record] = mlflow([row])
    assert (record.record, record.expected) == ("Yes.", "Yes!")
    [record] = mlflow([row | {"expectations": {"expected_response": {"response": "Yes!"}}}])
    assert record.record == {"response": "Yes."}


def _make_trace(output: Any, preview: str, **data: Any) -> dict[str, Any]:
    expectation = {"assessment_name": "expected_response", "expectation": {"value": {"total": 5, "note": "long " * 300}}}
    spans = [
        {"span_id": "b", "parent_span_id": "a", "attributes": {"mlflow.spanOutputs": "{}"}},
        {"span_id": "a", "parent_span_id": None, "attributes": {"mlflow.spanInputs": '{"q": 1}', "mlflow.spanOutputs": json.dumps(output)}},
    ]
    info = {"trace_id": "tr-1", "request_preview": "cut...", "response_preview": preview, "assessments": [expectation]}
    return {"info": info, "data": {"spans": spans, **data}}


def test_the_output_of_a_trace_is_that_of_its_root_span() -> None:
    output = {"total": 5, "note": "long " * 300}
    [record] = read_documents("auto", [_make_trace(output, json.dumps(output)[:997] + "...")])
    assert (record.record, record.input, record.diagnostics) == (output, {"q": 1}, ())


@pytest.mark.parametrize(
    "output",
    [
        "Paris",
        {"choices": [{"message": {"role": "assistant", "content": "Paris"}}]},
        {"messages": [{"role": "assistant", "content": "Paris"}, {"role": "user", "content": "Thanks"}]},
        {"output": [{"type": "reasoning"}, {"role": "assistant", "content": [{"type": "output_text", "text": "Paris"}]}]},
    ],
)
def test_the_output_of_a_chat_is_its_text(output: Any) -> None:
    [record] = mlflow([_make_trace(output, "Paris")])
    assert record.record == "Paris"


def test_a_preview_that_mlflow_has_cut_is_not_scored(tmp_path: Path) -> None:
    output = {"total": 5, "note": "long " * 300}
    cut = _make_trace(output, json.dumps(output)[:997] + "...", spans=[])
    file = tmp_path / "traces.json"
    file.write_text(json.dumps([cut, _make_trace(output, "{}") | {"info": {**cut["info"], "trace_id": "tr-2"}}]))
    run = fw.run({"cases": str(file), "evaluators": [{"type": "field_accuracy"}]}, root=tmp_path)
    first, second = (result.result for result in run.results())
    assert (first.status, first.details["fault"]) == ("error", "ours")
    assert "a preview of its output, which MLflow has cut" in first.reasoning
    assert (second.status, second.score) == ("scored", 1.0)
    assert run.exit_code == 3
