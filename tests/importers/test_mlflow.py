"""MLflow."""

from importer_samples import read_sample

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
