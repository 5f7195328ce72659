"""Texts of results and comparisons."""

import pytest
from report_factory import comparison

import fieldwise as fw
from fieldwise.model.result import Result
from fieldwise.registry import CAUSES, MATCHERS
from fieldwise.report.result_text import (
    describe_cause,
    describe_mismatch,
    describe_score,
    displayed_verdict,
    field_state_name,
    result_to_json,
)
from fieldwise.report.run_view import build_run_view


def test_every_cause_has_the_label_and_advice_of_its_spec() -> None:
    for spec in CAUSES.all():
        assert describe_cause(spec.name) == (spec.label, spec.advice)


@pytest.mark.parametrize("match", MATCHERS.names())
def test_no_advice_names_the_match_that_the_field_has(match: str) -> None:
    rules = ["numeric", "numeric ± 0.01"] if match == "numeric_tolerance" else [match, f"{match} ± 1", f"{match} ≥ 0.85 (x)"]
    for spec in CAUSES.all():
        for rule in rules:
            advice = describe_cause(spec.name, rule).advice
            assert advice.endswith(".")
            assert f"`match: {match}`" not in advice, (spec.name, advice)


def test_a_cause_that_is_not_installed_keeps_its_name() -> None:
    assert describe_cause("my_own_cause") == ("my own cause", "")


def test_an_absent_side_and_the_text_missing_are_distinguished() -> None:
    absent = describe_mismatch(comparison(actual=None, actual_presence="missing"), 20)
    text = describe_mismatch(comparison(actual="missing"), 20)
    assert (absent.actual, text.actual) == ("missing", '"missing"')


def test_long_values_are_cut_and_the_cause_is_labelled() -> None:
    text = describe_mismatch(comparison(expected="x" * 50, cause="ocr"), 10)
    assert text.expected == "xxxxxxxxx…"
    assert text.cause == "look-alike characters"


@pytest.mark.parametrize(
    ("result", "verdict"),
    [
        (Result(score=1.0, verdict="pass"), "pass"),
        (Result(status="error", verdict="fail", details={"fault": "system"}), "fail"),
        (Result(status="error", verdict="fail", details={"fault": "ours"}), "fault"),
        (Result(status="unavailable", verdict="fail"), "unavailable"),
        (Result(status="skipped"), "skipped"),
    ],
)
def test_a_result_that_is_no_measurement_shows_its_status(result: Result, verdict: str) -> None:
    assert displayed_verdict(result) == verdict


def test_a_match_that_is_not_identical_is_close() -> None:
    assert field_state_name(comparison(outcome="match", passed=True, similarity=0.9)) == "close"
    assert field_state_name(comparison(outcome="match", passed=True, similarity=1.0)) == "match"
    assert field_state_name(comparison()) == "wrong_value"


def test_a_result_as_json_names_its_case_and_evaluator() -> None:
    record = result_to_json("a-1", "fields", Result(score=0.5, comparisons=[comparison()]))
    assert (record["case"], record["evaluator"], record["score"]) == ("a-1", "fields", 0.5)
    assert record["comparisons"][0]["path"] == "number"


@pytest.mark.parametrize(
    "rule", ["numeric ± 0.01", "money", "date", "datetime ± 60 s", "duration", "quantity", "boolean", "code, box IoU ≥ 0.5", "country"]
)
def test_a_typed_match_is_never_advised_a_match_of_text(rule: str) -> None:
    advice = " ".join(describe_cause(name, rule).advice for name in CAUSES.names())
    assert not [match for match in ("fuzzy", "contains", "one_of", "semantic") if f"match: {match}" in advice]
    assert "algorithm:" not in advice


def test_a_code_is_not_advised_to_be_read_as_a_number() -> None:
    assert "numeric" not in describe_cause("number_format", "code").advice
    assert "parse: true" in describe_cause("number_format", "money ± 0.005").advice


def test_the_score_of_a_perfect_output_is_named_where_it_is_below_one() -> None:
    def describe(**options: object) -> str:
        evaluator = {"type": "json_quality", **options}
        run = fw.run({"evaluators": [evaluator]}, cases=[{"id": "1", "expected": {"a": 1}, "actual": {"a": 1}}])
        return describe_score(build_run_view(run).evaluators[0])

    assert describe() == "a perfect output scores 0.85 (safety is not measured and counts as 1); rqs_normalized divides by that"
    assert describe(safety={"words": ["xx"]}) == "a perfect output scores 0.85; rqs_normalized divides by that"
    assert describe(weights={"w_accuracy": 0.6}) == ""
