"""MLflow: `eval_results_table.json`, traces with expectations, and rows of an evaluation dataset."""

from collections.abc import Iterator, Mapping
from typing import Any

from fieldwise.importers._rows import has_keys, list_rows, none_if_missing, parse_text, take, take_list, take_text
from fieldwise.model.imported import ImportedRecord
from fieldwise.model.values import MISSING
from fieldwise.registry import importer

_EXPECTED = ("expected_response", "expected_output", "expected", "ground_truth", "expected_facts")
"""Names of an expectation that is the whole expected output; several others are a record."""


def _recognizes(document: Any) -> bool:
    if isinstance(document, Mapping) and isinstance(document.get("columns"), list) and isinstance(document.get("data"), list):
        return bool({"outputs", "targets", "predictions"} & {str(column) for column in document["columns"]})
    rows = list_rows(document, "traces", "records")
    return bool(rows) and (_is_trace(rows[0]) or (has_keys(rows[0], ("inputs",)) and has_keys(rows[0], ("expectations",))))


def _is_trace(row: Mapping[str, Any]) -> bool:
    info = row.get("info")
    return isinstance(info, Mapping) and ("trace_id" in info or "request_id" in info) and isinstance(row.get("data"), Mapping)


@importer(label="MLflow", recognizes=_recognizes)
def mlflow(document: Any) -> Iterator[ImportedRecord]:
    """One record for each row or trace. One expectation named as an expected output is that; several are a record of their names."""
    if isinstance(document, Mapping) and "columns" in document:
        for values in document["data"]:
            yield _read_table_row(dict(zip(map(str, document["columns"]), values, strict=False)))
        return
    for row in list_rows(document, "traces", "records"):
        yield _read_trace(row) if _is_trace(row) else _read_dataset_row(row)


def _read_table_row(row: Mapping[str, Any]) -> ImportedRecord:
    return ImportedRecord(
        id=take_text(row, "id", "request_id", "trace_id"),
        record=parse_text(take(row, "outputs", "predictions", "output")),
        expected=parse_text(take(row, "targets", "ground_truth", "expected_response", "expected_output")),
        input=none_if_missing(parse_text(take(row, "inputs", "input", "question", "query"))),
        contexts=take_list(row, "retrieved_context", "context", "contexts", "source_documents"),
    )


def _read_dataset_row(row: Mapping[str, Any]) -> ImportedRecord:
    expected = _read_expectations(row.get("expectations") or {})
    return ImportedRecord(
        id=take_text(row, "dataset_record_id", "id"),
        record=_unwrap_answer(parse_text(take(row, "outputs")), expected),
        expected=expected,
        input=none_if_missing(parse_text(take(row, "inputs"))),
        metadata=row["tags"] if isinstance(row.get("tags"), Mapping) else {},
    )


def _read_trace(row: Mapping[str, Any]) -> ImportedRecord:
    info, data = row["info"], row["data"]
    expectations = {
        str(assessment.get("assessment_name") or assessment.get("name")): _read_value(assessment["expectation"])
        for assessment in info.get("assessments") or ()
        if assessment.get("expectation")
    }
    request = take(data, "request")
    response = take(data, "response")
    expected = _read_expectations(expectations)
    return ImportedRecord(
        id=take_text(info, "client_request_id", "trace_id", "request_id"),
        record=_unwrap_answer(parse_text(take(info, "response_preview") if response is MISSING else response), expected),
        expected=expected,
        input=none_if_missing(parse_text(take(info, "request_preview") if request is MISSING else request)),
    )


def _unwrap_answer(output: Any, expected: Any) -> Any:
    """The only text of an output such as `{"response": "…"}`, where a text is expected; else the output as it is."""
    if isinstance(output, Mapping) and len(output) == 1 and isinstance(expected, str):
        answer = next(iter(output.values()))
        return answer if isinstance(answer, str) else output
    return output


def _read_value(expectation: Mapping[str, Any]) -> Any:
    if "value" in expectation:
        return expectation["value"]
    serialized = expectation.get("serialized_value") or {}
    return parse_text(serialized.get("value"))


def _read_expectations(expectations: Mapping[str, Any]) -> Any:
    if not expectations:
        return MISSING
    if len(expectations) == 1:
        name, value = next(iter(expectations.items()))
        if name in _EXPECTED:
            return parse_text(value)
    return dict(expectations)
