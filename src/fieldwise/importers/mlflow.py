"""MLflow: `eval_results_table.json`, traces with expectations, and rows of an evaluation dataset."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from fieldwise.importers._rows import has_keys, list_rows, none_if_missing, parse_text, take, take_list, take_text
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.imported import ImportedRecord
from fieldwise.model.values import MISSING
from fieldwise.registry import importer

_EXPECTED = ("expected_response", "expected_output", "expected", "ground_truth", "expected_facts")
"""Names of an expectation that is the whole expected output; several others are a record."""

_PREVIEW_LENGTHS: Final = (1_000, 10_000)
"""Maximum lengths of a preview, which MLflow cuts to end in `...`: of the open-source server and of Databricks."""
_CUT_PREVIEW: Final = Diagnostic(
    code="cut-preview",
    what="the trace holds only a preview of its output, which MLflow has cut",
    fix="export the trace with its spans: `mlflow.get_trace(trace_id).to_json()`",
)


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
    request, response = take(data, "request"), take(data, "response")
    if request is MISSING:
        request = _read_root_span(data, "mlflow.spanInputs", "user")
    if response is MISSING:
        response = _read_root_span(data, "mlflow.spanOutputs", "assistant")
    preview = take(info, "response_preview")
    expected = _read_expectations(expectations)
    return ImportedRecord(
        id=take_text(info, "client_request_id", "trace_id", "request_id"),
        record=_unwrap_answer(parse_text(preview if response is MISSING else response), expected),
        expected=expected,
        input=none_if_missing(parse_text(take(info, "request_preview") if request is MISSING else request)),
        diagnostics=(_CUT_PREVIEW,) if response is MISSING and _is_cut(preview) else (),
    )


def _is_cut(preview: Any) -> bool:
    return isinstance(preview, str) and len(preview) in _PREVIEW_LENGTHS and preview.endswith("...")


def _read_root_span(data: Mapping[str, Any], attribute: str, role: str) -> Any:
    """The whole input or output of the root span, of a chat the last message of this role; MISSING if the trace has no such span."""
    spans = list_rows(data, "spans")
    root = next((span for span in spans if take(span, "parent_span_id", "parent_id") in (None, MISSING, "")), {})
    attributes = root.get("attributes")
    written = attributes.get(attribute) if isinstance(attributes, Mapping) else None
    if written is None:
        return MISSING
    value = parse_text(written)
    if isinstance(value, str) and value.startswith('"'):  # a text is written as JSON too
        try:
            return json.loads(value)
        except ValueError:
            return value
    text = _find_chat_text(value, role)
    return value if text is None else text


def _find_chat_text(value: Any, role: str) -> str | None:
    """The text of the last message of this role, or of any, in a chat request or response; None in other values.

    >>> _find_chat_text({"choices": [{"message": {"role": "assistant", "content": "Paris"}}]}, "assistant")
    'Paris'
    """
    if not isinstance(value, Mapping):
        return None
    choices = [choice.get("message") for choice in list_rows(value, "choices")[:1]]
    entries = list_rows(value, "messages") or choices or list_rows(value, "input") or list_rows(value, "output")
    messages = [entry for entry in entries if isinstance(entry, Mapping) and "role" in entry and "content" in entry]
    own_messages = [message for message in messages if message["role"] == role] or messages
    content = own_messages[-1]["content"] if own_messages else None
    if isinstance(content, list):  # parts: the first text counts
        texts = (part if isinstance(part, str) else part.get("text") for part in content if isinstance(part, str | Mapping))
        content = next((text for text in texts if isinstance(text, str)), None)
    return content if isinstance(content, str) and content else None


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
