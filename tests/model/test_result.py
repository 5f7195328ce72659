"""Results of single cases and of batches, and their HTML."""

import math
from collections import OrderedDict
from enum import StrEnum
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldwise as fw
from fieldwise.model.case import Case, Cases
from fieldwise.model.comparison import Comparison, Outcome, presence_label
from fieldwise.model.diagnostic import ConfigError, Diagnostic, Where
from fieldwise.model.pairs import Scores
from fieldwise.model.result import Labels, Result, Results, Status
from fieldwise.model.rule import Nulls
from fieldwise.model.values import MISSING, json_kind


@given(lists=st.lists(st.lists(st.sampled_from("abc"), max_size=4), max_size=6))
@settings(max_examples=100, deadline=None)
def test_labels_give_back_what_they_were_given(lists: list[list[str]]) -> None:
    labels = Labels.of(lists)
    assert [labels.at(row) for row in range(len(lists))] == lists
    assert labels.counts().tolist() == [len(texts) for texts in lists]
    assert sorted(labels.texts) == sorted({text for texts in lists for text in texts})


def test_a_batch_of_single_results() -> None:
    single_results = [
        Result(score=0.5, hits=["a"], misses=["b"], metrics={"f1": 0.5, "right": True}, details={"flags": ["x"]}),
        Result(status="skipped", reasoning="nothing to do"),
        Result(status="unavailable", metrics={"right": False}),
    ]
    results = Results.from_results(single_results)
    assert len(results) == 3
    assert results.status.tolist() == [Status.SCORED, Status.SKIPPED, Status.UNAVAILABLE]
    assert (results.metrics["f1"][0], np.isnan(results.metrics["f1"][1:]).all()) == (0.5, True)
    assert results.kinds == {"right": bool}
    assert results.flags is not None
    assert [results.flags.at(row) for row in range(3)] == [["x"], [], []]
    assert results.details(0) == {"flags": ["x"]}


def test_yes_or_no_in_every_row_stays_so() -> None:
    assert Results.from_results([Result(metrics={"yes": True}), Result(metrics={"yes": False})]).metrics["yes"].dtype == np.bool_


def test_a_result_as_json_has_every_part() -> None:
    comparison = Comparison(
        path="a",
        field="a",
        outcome="omission",
        expected=1,
        actual=None,
        expected_presence="present",
        actual_presence="missing",
        similarity=0.0,
        passed=False,
    )
    content = Result(score=0.5, verdict="partial", comparisons=[comparison]).to_json()
    assert list(content) == ["score", "verdict", "status", "hits", "misses", "reasoning", "metrics", "details", "comparisons"]
    assert content["comparisons"] == [
        {"path": "a", "field": "a", "outcome": "omission", "expected": 1, "similarity": 0.0, "passed": False, "cause": None}
    ]


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "null"),
        (True, "bool"),
        (1, "number"),
        (math.nan, "number"),
        ("", "string"),
        ([], "list"),
        ((), "list"),
        ({}, "object"),
        (OrderedDict(), "object"),
        (Colour.RED, "string"),
        (np.float64(1), "number"),
        (MISSING, "missing"),
        (object(), "object"),
    ],
)
def test_every_value_has_a_kind(value: Any, name: str) -> None:
    assert json_kind(value) == name


def test_missing_is_something_else_than_null() -> None:
    assert (presence_label(None), presence_label(MISSING), presence_label(0)) == ("null", "missing", "present")
    assert not MISSING
    assert repr(MISSING) == "MISSING"


def test_outcomes_and_statuses_have_names_on_the_wire() -> None:
    assert [outcome.label for outcome in Outcome] == [
        *("match", "wrong_value", "format_error", "omission", "hallucination", "both_absent", "ignored", "fault")
    ]
    assert [status.label for status in Status] == ["scored", "error", "skipped", "unavailable"]


def test_cases_in_columns_are_the_cases() -> None:
    single_cases = [
        Case(id="1", input="q", expected={"a": 1}, actual=None, contexts=["c"], metadata={"m": 1}, tags=("t",), split="s", actuals=[1]),
        Case(id="2"),
    ]
    cases = Cases.of(single_cases)
    assert [cases.at(row) for row in range(2)] == single_cases
    cases.diagnostics[1] = [Diagnostic(code="c", what="w")]
    turned = cases.take([1, 0])
    assert ([turned.at(row) for row in range(2)], list(turned.diagnostics)) == ([single_cases[1], single_cases[0]], [0])


def test_scores_pass_at_1_unless_told_otherwise() -> None:
    assert Scores.of([1.0, 0.99]).passed.tolist() == [True, False]
    assert Scores.of([0.5], passed=[True]).passed.tolist() == [True]


@pytest.mark.parametrize(
    ("value", "null"), [("", True), (" \n", True), ("n/a", True), (" N/A ", True), ("none", False), (0, False), ([], False), (False, False)]
)
def test_which_values_count_as_null(value: Any, null: bool) -> None:
    is_null = Nulls(blank=True, values=frozenset({"N/A"})).make_test()
    assert is_null is not None
    assert is_null(value) == null


def test_only_null_is_null_where_nothing_is_said() -> None:
    assert Nulls().make_test() is None


def test_a_config_error_carries_every_problem() -> None:
    problems = [Diagnostic(code="a", what="one", where=Where(file="s.yaml", line=3)), Diagnostic(code="b", what="two", fix="do it")]
    error = ConfigError(problems)
    assert error.diagnostics == tuple(problems)
    assert str(error) == "s.yaml:3: one\ntwo\n  fix: do it"
    assert problems[0].to_json() == {"level": "error", "code": "a", "file": "s.yaml", "line": 3, "what": "one"}


def test_metrics_keep_the_order_that_a_result_gives_them_whichever_case_comes_first() -> None:
    few, more = Result(metrics={"matched": 1, "ordered": True}), Result(metrics={"matched": 1, "recall": 0.5, "ordered": True})
    for results in ([few, more], [more, few]):
        assert list(Results.from_results(results).metrics) == ["matched", "recall", "ordered"]


def test_a_notebook_shows_the_fields_that_are_not_right() -> None:
    result = fw.evaluate({"type": "field_accuracy", "fields": ["a", "b"]}, expected={"a": 1, "b": 2}, actual={"a": 1, "b": 3})
    html = result._repr_html_()
    assert "<strong>0.5000</strong> · partial" in html
    assert ">b<" in html
    assert ">a<" not in html


def test_nothing_from_data_is_taken_for_html() -> None:
    evil = "<img src=x onerror=alert(1)>"
    html = fw.evaluate({"type": "field_prf"}, expected={evil: "x"}, actual={evil: evil})._repr_html_()
    assert "<img" not in html
    assert "&lt;img" in html


def test_long_values_and_long_lists_are_cut() -> None:
    html = fw.evaluate({"type": "field_prf"}, expected={"a": ["x" * 500] * 80}, actual={"a": ["y"] * 80})._repr_html_()
    assert "and 30 more" in html
    assert "x" * 200 not in html
