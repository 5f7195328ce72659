"""Runs and results as JSON."""

import json

import pytest
from jsonschema import Draft202012Validator
from report_factory import comparison, view
from syrupy.assertion import SnapshotAssertion

from fieldwise.model.result import Result
from fieldwise.report.json_report import build_run_schema, iterate_results_jsonl, iterate_run_json
from fieldwise.report.result_text import result_to_json
from fieldwise.report.text_format import dump_json

RESULT = Result(
    score=0.5, verdict="partial", hits=["a"], misses=["=1+1"], reasoning="1/2", metrics={"f1": 0.5, "ok": True}, comparisons=[comparison()]
)


def encode(case: str, evaluator: str, result: Result) -> bytes:
    return dump_json(result_to_json(case, evaluator, result)).encode()


RESULTS = [encode("=cmd()", "fields", RESULT), encode("b,2", "fields", Result(status="skipped"))]


def document(**more: object) -> dict[str, object]:
    return json.loads("".join(iterate_run_json(view(**more), RESULTS)))


def shape(value: object) -> object:
    """The keys and kinds of a document, without its values."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def test_the_document_has_the_five_parts_and_the_shape_it_had(snapshot: SnapshotAssertion) -> None:
    run_json = document()
    assert set(run_json) == {"run", "summary", "gates", "results", "diagnostics"}
    assert shape(run_json) == snapshot


def test_the_document_is_what_its_schema_says() -> None:
    schema = build_run_schema()
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document())
    Draft202012Validator(schema).validate(document(finished=None, exit_code=None, gates=(), diagnostics=()))


def test_a_number_that_json_does_not_have_becomes_text() -> None:
    odd = Result(comparisons=[comparison(expected=float("nan"), actual=float("inf"))])
    text = "".join(iterate_run_json(view(), [encode("a", "fields", odd)]))
    parsed = json.loads(text, parse_constant=pytest.fail)
    assert parsed["results"][0]["comparisons"][0]["expected"] == "NaN"


def test_jsonl_has_one_result_a_line() -> None:
    lines = "".join(iterate_results_jsonl(RESULTS)).splitlines()
    assert [json.loads(line)["case"] for line in lines] == ["=cmd()", "b,2"]
