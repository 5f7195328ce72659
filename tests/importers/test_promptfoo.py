"""promptfoo."""

import json
from pathlib import Path
from typing import Any

import pytest
from importer_samples import load_sample, read_sample

import fieldwise as fw
from fieldwise.read.imported_files import read_documents


def test_expected_comes_from_a_variable_or_an_assertion() -> None:
    records = read_sample("promptfoo")
    assert [(record.expected, record.record) for record in records] == [
        ("Paris", "Paris."),
        ({"total": 12.5}, {"total": 12.5}),
        ("4", "4"),
        ("4", "five"),
    ]
    assert records[0].input == "Capital of France?"


def test_outputs_of_several_providers_have_ids_of_their_own() -> None:
    records = read_sample("promptfoo")
    assert [record.id for record in records] == ["0", "1", "2:0:openai:gpt-4o-mini", "2:1:anthropic:claude"]
    assert records[3].metadata == {"provider": "anthropic:claude"}


def test_lines_of_a_jsonl_file_are_results() -> None:
    rows = load_sample("promptfoo")["results"]["results"]
    lines = [{"testIdx": number, "promptIdx": 0, **row} for number, row in enumerate(rows)]
    assert [record.record for record in read_documents("auto", lines)] == [record.record for record in read_sample("promptfoo")]
    assert [record.record for record in read_documents("auto", lines[0])] == ["Paris."]


def _make_result(value: Any, rendered: str | None = None, test: int = 0) -> dict[str, Any]:
    assertion = {"type": "equals", "value": value}
    metadata = {} if rendered is None else {"renderedAssertionValue": rendered}
    other = {"assertion": {"type": "contains", "value": "x"}, "metadata": {"renderedAssertionValue": "other"}}
    return {
        "testIdx": test,
        "vars": {"country": "France", "capital": "Paris", "rank": 1, "record": {"city": "Paris"}},
        "testCase": {"assert": [assertion]},
        "response": {"output": "Paris"},
        "gradingResult": {"componentResults": [other, {"assertion": assertion, "metadata": metadata}]},
    }


@pytest.mark.parametrize(
    ("value", "rendered", "expected"),
    [
        ("{{capital}}", None, "Paris"),
        ("{{ capital }} ({{rank}})", None, "Paris (1)"),
        ({"city": ["{{capital}}"]}, None, {"city": ["Paris"]}),
        ("{{record}}", None, {"city": "Paris"}),
        ("{{capital | upper}}", "PARIS", "PARIS"),
        ('{"city": "{{capital | upper}}"}', '{"city": "PARIS"}', {"city": "PARIS"}),
    ],
)
def test_the_expected_value_of_an_assertion_has_its_variables_filled_in(value: Any, rendered: str | None, expected: Any) -> None:
    [record] = read_documents("auto", {"results": {"results": [_make_result(value, rendered)]}})
    assert (record.expected, record.diagnostics) == (expected, ())


@pytest.mark.parametrize("value", ["{{capital | upper}}", "{{city}}", "{% if rank %}Paris{% endif %}", {"city": "{{record.city}}"}])
def test_a_template_that_is_left_over_is_no_expected_value(value: Any, tmp_path: Path) -> None:
    results = [_make_result(value), _make_result("{{capital}}", test=1)]
    file = tmp_path / "results.json"
    file.write_text(json.dumps({"results": {"results": results}}))
    run = fw.run({"cases": str(file), "evaluators": [{"type": "answer_quality"}]}, root=tmp_path)
    assert [result.result.status for result in run.results()] == ["skipped", "scored"]
    assert [(note.where.case, note.level) for note in run.diagnostics if note.code == "unrendered-template"] == [("0", "warning")]
    assert run.exit_code == 3
