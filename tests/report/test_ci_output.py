"""JUnit XML as a parser reads it, and workflow commands as GitHub reads them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from report_factory import evaluator, stored, view

from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.summary import Summary
from fieldwise.report.ci_output import format_annotation, format_diagnostic_annotation, render_github, render_junit
from fieldwise.report.run_view import build_run_view
from fieldwise.store.run import Run


def test_the_github_report_equals_the_snapshot(snapshot: object) -> None:
    assert render_github(view()) == snapshot


def test_a_failing_gate_is_an_error_at_the_suite() -> None:
    assert "::error file=invoices.eval.yaml,title=gate failed::field_prf.macro_f1 is 0.8: it does not hold" in render_github(view())


def test_a_diagnostic_is_annotated_at_its_file_and_line() -> None:
    problem = Diagnostic(code="unknown-option", what="there is no option `x`", where=Where(file="a.yaml", line=9), fix="remove it")
    assert (
        format_diagnostic_annotation(problem) == "::error file=a.yaml,line=9,title=unknown-option::there is no option `x`%0Afix: remove it"
    )


@pytest.mark.parametrize(
    ("options", "required", "actual", "annotation"),
    [
        ({"pass_at": 0.5}, True, 2, "title=exit 1::a case is below its evaluator's pass_at"),
        ({}, False, None, "title=exit 3::incomplete: not everything could be measured"),
    ],
)
def test_a_step_that_fails_has_an_error_that_says_why(
    tmp_path: Path, options: dict[str, Any], required: bool, actual: int | None, annotation: str
) -> None:
    cases = [{"id": "1", "expected": {"a": 1}, "actual": {"a": 1}}, {"id": "2", "expected": {"a": 1}, "actual": {"a": actual}}]
    evaluator_options = {"type": "field_accuracy", "fields": [{"path": "a", "required": required}], **options}
    suite = json.dumps({"name": "s", "cases": "cases.jsonl", "evaluators": [evaluator_options]})
    errors = [line for line in render_github(build_run_view(stored(tmp_path, cases, suite))).splitlines() if line.startswith("::error")]
    assert [error.partition("title=")[2] for error in errors] == [annotation.partition("title=")[2]]


def test_data_cannot_end_an_annotation_or_begin_another() -> None:
    line = format_annotation("error", "100%\n::set-output name=x::y\r", title="a:b,c", file="x\n.yaml")
    assert "\n" not in line
    assert line == "::error file=x⏎.yaml,title=a%3Ab%2Cc::100%25%0A::set-output name=x::y\\r"


def test_hostile_data_adds_no_annotation() -> None:
    hostile = evaluator(name="fields", worst=(("x\n::error::pwned", 0.0),))
    report = render_github(view(summary=Summary(cases=1, evaluators={"fields": hostile}), name="a\n::warning::b"))
    assert not re.search(r"^::error::pwned|^::warning::b", report, flags=re.MULTILINE)


def test_no_more_annotations_than_github_shows() -> None:
    many = tuple(Diagnostic(code="x", what=f"{n}", level="warning") for n in range(40))
    assert render_github(view(diagnostics=many, summary=Summary(cases=0, evaluators={}))).count("::warning") == 10


def _parse_junit(run: Run) -> Any:
    return etree.fromstring(render_junit(run).encode())


def test_junit_distinguishes_failures_faults_and_skipped_cases(states: Run) -> None:
    root = _parse_junit(states)
    whole, gates, fields = root.findall("testsuite")
    assert (whole.get("name"), whole.get("errors")) == ("run", "1")
    assert (gates.get("tests"), gates.get("failures")) == ("1", "1")
    assert {name: fields.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "6",
        "failures": "0",
        "errors": "1",
        "skipped": "1",
    }
    children = {test.get("name"): [child.tag for child in test] for test in fields}
    assert children == {
        "right": [],
        "partly": ["system-out"],
        "wrong": ["system-out"],
        "no output": ["system-out"],
        "nothing to score": ["skipped"],
        "expected is no record": ["error"],
    }
    assert fields.find("testcase[@name='nothing to score']/skipped").get("message") == "no field to score"


def test_junit_says_what_was_missed_and_why(demo: Run) -> None:
    text = _parse_junit(demo).find("testsuite[@name='fields']/testcase[@name='rheintal-0305']/system-out").text
    assert "invoice_number: expected RB-2024-0305, got RB-2O24-O3O5 (likely cause: look-alike characters)" in text


def test_junit_is_xml_whatever_the_data_holds(hostile: Run) -> None:
    root = _parse_junit(hostile)
    assert root.get("name") == "<b>hostile</b> =1+1"
    assert len(root.findall(".//testcase")) == 11
    assert root.findall(".//x") == []


def test_an_absent_value_and_the_text_missing_differ(tmp_path: Path) -> None:
    cases = [{"id": "1", "expected": {"a": "x", "b": "x"}, "actual": {"a": "missing"}}]
    suite = "name: s\ncases: cases.jsonl\nevaluators:\n  - {type: field_accuracy, fields: [a, b]}\n"
    text = render_junit(stored(tmp_path, cases, suite))
    assert 'a: expected x, got "missing"' in text
    assert "b (required, missing): expected x, got missing" in text


PASS_AT_CASES = [
    {"id": "right", "expected": {"a": 1, "b": 2}, "actual": {"a": 1, "b": 2}},
    {"id": "half", "expected": {"a": 1, "b": 2}, "actual": {"a": 1, "b": 3}},
    {"id": "wrong", "expected": {"a": 1, "b": 2}, "actual": {"a": 5, "b": 6}},
]


@pytest.mark.parametrize(
    ("pass_at", "gate", "exit_code", "red"),
    [
        ("", "", 0, set[str]()),
        ("", "gate: {fields.score: '>= 0.1'}", 0, set[str]()),
        ("", "gate: {fields.score: '>= 0.9'}", 1, {"fields.score >= 0.9"}),
        (", pass_at: 0.5", "", 1, {"wrong"}),
        (", pass_at: 0.5", "gate: {fields.pass_rate: '>= 0.6'}", 0, set[str]()),
        (", pass_at: 0.5", "gate: {fields.pass_rate: '>= 0.7'}", 1, {"wrong", "fields.pass_rate >= 0.7"}),
        (", pass_at: 0", "", 0, set[str]()),
    ],
)
def test_junit_has_failures_exactly_if_the_exit_code_is_not_0(
    tmp_path: Path, pass_at: str, gate: str, exit_code: int, red: set[str]
) -> None:
    suite = f"name: s\ncases: cases.jsonl\nevaluators:\n  - {{type: field_accuracy, name: fields, fields: [a, b]{pass_at}}}\n{gate}\n"
    run = stored(tmp_path, PASS_AT_CASES, suite)
    root = _parse_junit(run)
    failing = {
        test.get("name") for test in root.findall(".//testcase") if test.find("failure") is not None or test.find("error") is not None
    }
    assert (run.exit_code, failing) == (exit_code, red)


def test_a_field_is_annotated_at_the_line_of_its_rule_with_its_cause(tmp_path: Path) -> None:
    cases = [{"id": "1", "expected": {"vendor": "Acme", "total": 5}, "actual": {"vendor": "ACME", "total": 5}}]
    rules = "  - type: field_accuracy\n    fields:\n      - total\n      - vendor\n"
    suite = f"name: s\ncases: cases.jsonl\nevaluators:\n{rules}gate:\n  field_accuracy.score: '>= 0.9'\n"
    report = render_github(build_run_view(stored(tmp_path, cases, suite)))
    [error] = re.findall("^::error .*", report, flags=re.MULTILINE)
    [warning] = re.findall("^::warning .*", report, flags=re.MULTILINE)
    assert "line=9," in error
    assert (
        "suite.eval.yaml,line=7,title=field vendor::field_accuracy: field vendor: 1 of 1 wrong%0Acauses: letter case 1%0Afix: " in warning
    )
