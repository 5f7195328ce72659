"""DeepEval."""

from importer_samples import read_sample

from fieldwise.read.imported_files import read_documents


def test_a_test_run_has_both_sides_and_contexts() -> None:
    [record] = read_sample("deepeval")
    assert record.id == "test_case_0"
    assert record.expected == "You can get a full refund within 30 days."
    assert record.record == "We offer a 30-day refund."
    assert record.contexts == ["All customers are eligible for a 30 day full refund."]
    assert record.metadata == {"topic": "refund"}


def test_results_of_evaluate_are_read_too() -> None:
    row = {"name": "x", "input": "q", "actual_output": '{"a": 1}', "expected_output": '{"a": 2}', "success": True}
    [record] = read_documents("auto", {"test_results": [row], "confident_link": None})
    assert (record.record, record.expected) == ({"a": 1}, {"a": 2})
