"""Matchers are called in batches, and a crash of theirs costs one row."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fieldwise as fw
from fieldwise import registry
from fieldwise.model.case import Case, Cases
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.pairs import Pairs, Scores
from fieldwise.model.path import Path
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.rule import FieldRule, Match
from fieldwise.model.values import MISSING
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.evaluate import evaluate, result_at
from fieldwise.score.matching import pair_similarities, score_nullable_pairs, score_pairs, similarity_grid
from fieldwise.score.services import local_services


@dataclass(frozen=True, slots=True, kw_only=True)
class Brittle:
    """There is nothing to set."""


SEEN: list[int] = []


def no_grid(expected: Sequence[Any], actual: Sequence[Any], config: Brittle) -> NDArray[np.float64]:
    raise ZeroDivisionError


@pytest.fixture
def brittle() -> Iterator[Match]:
    """A matcher that breaks at the text "boom", and at an empty batch."""

    def brittle(pairs: Pairs, config: Brittle) -> Scores:
        SEEN.append(len(pairs))
        if "boom" in pairs.actual:
            raise ValueError("boom")
        assert len(pairs)
        return Scores.of(
            [expected == actual for expected, actual in zip(pairs.expected, pairs.actual, strict=True)], notes={0: "first of its batch"}
        )

    brittle.__annotations__ = {"pairs": Pairs, "config": Brittle, "return": Scores}
    registry.matcher(grid=no_grid)(brittle)
    SEEN.clear()
    yield Match("brittle", Brittle())
    registry.MATCHERS.specs.pop("brittle")


@pytest.fixture
def exiting() -> Iterator[Match]:
    """A matcher that calls `sys.exit` at the text "exit", and is interrupted at "interrupt"."""

    def exiting(pairs: Pairs, config: Brittle) -> Scores:
        if "exit" in pairs.actual:
            sys.exit(0)
        if "interrupt" in pairs.actual:
            raise KeyboardInterrupt
        return Scores.of([1.0] * len(pairs))

    exiting.__annotations__ = {"pairs": Pairs, "config": Brittle, "return": Scores}
    registry.matcher(exiting)
    yield Match("exiting", Brittle())
    registry.MATCHERS.specs.pop("exiting")


def test_a_crash_costs_one_row_not_the_batch(brittle: Match) -> None:
    actual = ["a"] * 100
    actual[71] = "boom"
    scores = score_pairs(brittle, ["a"] * 100, actual)
    assert list(scores.faults) == [71]
    assert (scores.faults[71].code, scores.faults[71].what) == ("matcher-crashed", "brittle: boom")
    assert np.isnan(scores.value[71])
    assert scores.passed.sum() == 99
    assert len(SEEN) < 20


def test_a_matcher_that_calls_sys_exit_costs_one_row_and_not_the_run(exiting: Match) -> None:
    scores = score_pairs(exiting, ["a", "a"], ["a", "exit"])
    assert {row: fault.what for row, fault in scores.faults.items()} == {1: "exiting: SystemExit: 0"}
    assert scores.passed.tolist() == [True, False]


def test_an_interrupt_in_a_matcher_ends_the_run(exiting: Match) -> None:
    with pytest.raises(KeyboardInterrupt):
        score_pairs(exiting, ["a", "a"], ["a", "interrupt"])


@pytest.fixture
def unruly() -> Iterator[Match]:
    """A matcher whose scores are the actual values, which all pass; it returns an actual list as its column of scores."""

    def unruly(pairs: Pairs, config: Brittle) -> Any:
        actual: list[Any] = list(pairs.actual)
        if None in actual[0:1]:
            return None
        column = actual[0] if isinstance(actual[0], list) else actual
        return Scores.of(column, passed=[True] * len(pairs))

    unruly.__annotations__ = {"pairs": Pairs, "config": Brittle, "return": Scores}
    registry.matcher(unruly)
    yield Match("unruly", Brittle())
    registry.MATCHERS.specs.pop("unruly")


def test_a_score_outside_0_to_1_is_a_fault_of_its_row(unruly: Match) -> None:
    scores = score_pairs(unruly, ["a"] * 5, [1.0, 2.0, -1.0, 0.25, 0.0])
    assert {row: fault.what for row, fault in scores.faults.items()} == {
        1: "unruly: it returned the score 2, which is not a number between 0 and 1",
        2: "unruly: it returned the score -1, which is not a number between 0 and 1",
    }
    assert scores.passed.tolist() == [True, False, False, True, True]
    np.testing.assert_array_equal(scores.value, [1.0, np.nan, np.nan, 0.25, 0.0])


def test_a_score_that_is_nan_without_a_fault_is_one(unruly: Match) -> None:
    scores = score_pairs(unruly, ["a"] * 2, [1.0, "nan"])
    assert scores.faults[1].what == "unruly: it returned the score nan, which is not a number between 0 and 1"
    assert scores.passed.tolist() == [True, False]


def test_a_rounding_error_beyond_1_is_1(unruly: Match) -> None:
    scores = score_pairs(unruly, ["a"] * 2, [1.0000000000000002, -1e-17])
    assert (scores.value.tolist(), dict(scores.faults)) == ([1.0, 0.0], {})


@pytest.mark.parametrize(
    ("actual", "what"),
    [
        ([1.0, 1.0], "unruly: it returned Scores whose `value` has the shape (2,) instead of (1,)"),
        ([], "unruly: it returned Scores whose `value` has the shape (0,) instead of (1,)"),
        (["x"], "unruly: could not convert string to float: 'x'"),
        (None, "unruly: it returned `NoneType` instead of Scores"),
    ],
)
def test_scores_of_another_length_or_type_are_a_fault_with_the_reason(unruly: Match, actual: Any, what: str) -> None:
    scores = score_pairs(unruly, ["a"], [actual])
    assert [fault.what for fault in scores.faults.values()] == [what]
    assert scores.passed.tolist() == [False]


def test_notes_stay_with_their_rows_when_a_batch_is_halved(brittle: Match) -> None:
    scores = score_pairs(brittle, ["a"] * 4, ["a", "a", "a", "boom"])
    assert set(scores.notes) == {0, 2}


def test_a_crash_is_an_evaluation_error_of_that_case_alone(brittle: Match) -> None:
    rules = (FieldRule(path=Path(("a",)), text="a", match=brittle), FieldRule(path=Path(("b",)), text="b"))
    from fieldwise.evaluators.records.field_accuracy import FieldAccuracy

    planned = PlannedEvaluator(type="field_accuracy", name="fields", config=FieldAccuracy(fields=rules))
    actuals = [{"a": "x", "b": 1}, {"a": "boom", "b": 1}, {"a": "y", "b": 1}]
    cases = Cases.of([Case(id=str(at), expected={"a": "x", "b": 1}, actual=actual) for at, actual in enumerate(actuals)])
    results = evaluate(planned, ScoringBatch(cases))
    by_case = [result_at(results, row) for row in range(3)]
    assert [result.status for result in by_case] == ["scored", "error", "scored"]
    assert [result.score for result in by_case] == [1.0, 0.0, 0.5]
    assert (by_case[1].verdict, by_case[1].details["fault"]) == ("fail", "ours")
    assert by_case[1].misses == ["a (evaluation error: brittle: boom)"]
    assert by_case[1].comparisons[0].outcome == "fault"


def test_an_empty_batch_is_not_shown_to_a_matcher(brittle: Match) -> None:
    assert len(score_pairs(brittle, [], [])) == 0
    assert score_nullable_pairs(brittle, [None, "a"], ["a", None]).value.tolist() == [0.0, 0.0]
    assert SEEN == []


def test_a_grid_that_crashes_is_reported_and_its_pairs_are_scored_one_by_one(brittle: Match) -> None:
    reported: list[Diagnostic] = []
    services = local_services(report=reported.append)
    grid = similarity_grid(brittle, ["a", "b"], ["b", "boom", "a"], services)
    assert grid.tolist() == [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    assert [(diagnostic.code, diagnostic.level) for diagnostic in reported] == [("grid-crashed", "warning")]
    assert reported[0].what.endswith("ZeroDivisionError")


def test_null_matches_null_alone() -> None:
    scores = score_nullable_pairs(Match(), [None, None, 1, 1], [None, 1, None, 1])
    assert (scores.value.tolist(), scores.passed.tolist()) == ([1.0, 0.0, 0.0, 1.0], [True, False, False, True])
    assert fw.match("exact", expected=[None], actual=[None]).value.tolist() == [1.0]


@pytest.mark.parametrize(
    ("expected", "actual", "similarity"),
    [(None, None, 1.0), (None, MISSING, 1.0), (None, 1, 0.0), (1, MISSING, 0.0), ([1], [True], 0.0), ([1], [1.0], 1.0), ("a", "b", 0.0)],
)
def test_similarity_for_list_alignment(expected: Any, actual: Any, similarity: float) -> None:
    assert pair_similarities(Match(), [expected], [actual]).tolist() == [similarity]
    assert similarity_grid(Match(), [expected], [actual]).tolist() == [[similarity]]


@pytest.mark.parametrize(("expected", "actual"), [(float("nan"), 1.0), (1.0, float("nan")), ([1.0], [float("inf")])])
def test_a_number_that_is_none_is_noted_whichever_side_has_it(expected: Any, actual: Any) -> None:
    scores = score_pairs(Match(), [expected], [actual])
    assert scores.passed.tolist() == [False]
    assert "is not a number" in scores.notes[0]


def test_a_halved_batch_has_distances_only_if_its_matcher_measures_them(brittle: Match) -> None:
    assert score_pairs(brittle, ["x", "a"], ["boom", "a"]).distance is None
