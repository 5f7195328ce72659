"""JUnit XML as a parser reads it, and workflow commands as GitHub reads them."""

import re
from pathlib import Path
from typing import Any

from conftest import stored
from lxml import etree
from report_factory import evaluator, view

from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.summary import Summary
from fieldwise.report.ci_output import format_annotation, format_diagnostic_annotation, render_github, render_junit
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
        "failures": "2",
        "errors": "1",
        "skipped": "1",
    }
    children = {test.get("name"): [child.tag for child in test] for test in fields}
    assert children == {
        "right": [],
        "partly": ["system-out"],
        "wrong": ["failure"],
        "no output": ["failure"],
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
