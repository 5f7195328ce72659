"""Annotations as GitHub reads them."""

import re

from report_factory import evaluator, view

from fieldwise.model.diagnostic import Diagnostic, Where
from fieldwise.model.summary import Summary
from fieldwise.report.ci_output import format_annotation, format_diagnostic_annotation, render_github


def test_the_report_is_as_it_was(snapshot: object) -> None:
    assert render_github(view()) == snapshot


def test_a_failing_gate_is_an_error_at_the_suite() -> None:
    assert "::error file=invoices.eval.yaml,title=gate failed::field_prf.macro_f1 is 0.8: it does not hold" in render_github(view())


def test_a_diagnostic_stands_at_its_file_and_line() -> None:
    problem = Diagnostic(code="unknown-option", what="there is no option `x`", where=Where(file="a.yaml", line=9), fix="remove it")
    assert (
        format_diagnostic_annotation(problem) == "::error file=a.yaml,line=9,title=unknown-option::there is no option `x`%0Afix: remove it"
    )


def test_data_cannot_end_an_annotation_or_begin_another() -> None:
    line = format_annotation("error", "100%\n::set-output name=x::y\r", title="a:b,c", file="x\n.yaml")
    assert "\n" not in line
    assert line == "::error file=x⏎.yaml,title=a%3Ab%2Cc::100%25%0A::set-output name=x::y\\r"


def test_every_line_of_hostile_data_is_one_that_was_meant() -> None:
    hostile = evaluator(name="fields", worst=(("x\n::error::pwned", 0.0),))
    report = render_github(view(summary=Summary(cases=1, evaluators={"fields": hostile}), name="a\n::warning::b"))
    assert not re.search(r"^::error::pwned|^::warning::b", report, flags=re.MULTILINE)


def test_no_more_annotations_than_github_shows() -> None:
    many = tuple(Diagnostic(code="x", what=f"{n}", level="warning") for n in range(40))
    assert render_github(view(diagnostics=many, summary=Summary(cases=0, evaluators={}))).count("::warning") == 10
