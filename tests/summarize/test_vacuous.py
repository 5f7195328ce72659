"""Metrics that had nothing to measure stay with their case and out of every mean."""

import numpy as np

import fieldwise as fw
from fieldwise.model.result import Labels
from fieldwise.specs import EvaluatorSpec
from fieldwise.summarize.vacuous import count_unscored, has_flag, leave_out_vacuous

SPEC = EvaluatorSpec(name="x", function=len, options=dict, vacuous={"a": ("no_a",), "score": ("no_a", "no_b")}, unscored={"b": "unread_b"})
FLAGS = Labels.of([["no_a"], ["no_a", "no_b"], ["unread_b"], []])
EVERY = np.ones(4, dtype=np.bool_)


def columns() -> dict[str, np.ndarray]:
    return {name: np.arange(4.0) for name in ("score", "a", "b")}


def test_a_metric_is_left_out_where_all_its_flags_are_set() -> None:
    remaining = leave_out_vacuous(columns(), FLAGS, EVERY, SPEC)
    assert np.isnan(remaining["a"]).tolist() == [True, True, False, False]
    assert np.isnan(remaining["score"]).tolist() == [False, True, False, False]
    assert np.isnan(remaining["b"]).tolist() == [False, False, True, False]


def test_a_case_without_output_counts_in_every_mean() -> None:
    scored = np.array([True, False, False, True])
    remaining = leave_out_vacuous(columns(), FLAGS, scored, SPEC)
    assert np.isnan(remaining["a"]).tolist() == [True, False, False, False]
    assert count_unscored(columns(), FLAGS, scored, SPEC) == {"b": 0}
    assert count_unscored(columns(), FLAGS, EVERY, SPEC) == {"b": 1}


def test_a_metric_without_a_number_is_unscored_where_there_is_no_output() -> None:
    without_number = {**columns(), "b": np.array([0.0, 1.0, np.nan, 3.0])}
    assert count_unscored(without_number, FLAGS, ~EVERY, SPEC) == {"b": 1}
    assert count_unscored({}, FLAGS, ~EVERY, SPEC) == {"b": 1}


def test_results_without_flags_are_left_as_they_are() -> None:
    assert leave_out_vacuous(columns(), None, EVERY, SPEC)["a"].tolist() == [0.0, 1.0, 2.0, 3.0]
    assert count_unscored(columns(), None, EVERY, SPEC) == {}
    assert has_flag(FLAGS, "unknown").tolist() == [False] * 4


def test_a_case_keeps_the_value_that_the_mean_leaves_out() -> None:
    result = fw.evaluate({"type": "json_quality", "default_text": "EXACT"}, expected={"a": 1}, actual={})
    assert (result.metrics["accuracy"], result.metrics["completeness"]) == (1.0, 0.0)
    assert {"vacuous_accuracy", "unscored_accuracy"} <= set(result.details["flags"])
    ignored = fw.evaluate({"type": "json_quality", "strategies": {"a": "IGNORE"}}, expected={"a": 1}, actual={})
    assert "unscored_accuracy" not in ignored.details["flags"]
