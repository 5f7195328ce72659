"""Running evaluators: who is left out, who failed, what a crash costs, what verdict there is."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from fieldwise import registry
from fieldwise.model.batch import Batch
from fieldwise.model.case import Case, Cases
from fieldwise.model.plan import Plan, PlannedEvaluator, When
from fieldwise.model.result import Results, Status
from fieldwise.model.rule import CompareSpec
from fieldwise.model.values import MISSING
from fieldwise.plan.evaluators import plan_config
from fieldwise.score.batch import ScoringBatch, as_text
from fieldwise.score.evaluate import applicable_rows, evaluate, result_at, score_batch


@dataclass(frozen=True, slots=True, kw_only=True)
class Brittle:
    """What it breaks at."""

    boom: str = "boom"


SIZES: list[int] = []


@pytest.fixture
def brittle() -> Iterator[PlannedEvaluator]:
    """field_prf that breaks at an output with the text "boom", and puts something in the pool."""
    inner = registry.EVALUATORS.find("field_prf")

    def brittle(batch: Batch, config: Brittle) -> Results:
        SIZES.append(len(batch))
        if any(config.boom in repr(value) for value in batch.cases.actual):
            raise RuntimeError
        results: Results = inner.function(batch, inner.options())
        results.pool = {"case": np.arange(len(batch)), "value": np.array([len(name) for name in batch.cases.id])}
        return results

    brittle.__annotations__ = {"batch": Batch, "config": Brittle, "return": Results}
    registry.evaluator(counts=inner.counts)(brittle)
    SIZES.clear()
    yield PlannedEvaluator(type="brittle", name="mine", config=Brittle())
    registry.EVALUATORS.specs.pop("brittle")


def cases(*actuals: Any, expected: Any = None) -> Cases:
    record = {"a": 1, "b": [1, 2]} if expected is None else expected
    return Cases.of([Case(id="x" * at, expected=record, actual=actual) for at, actual in enumerate(actuals)])


ACTUALS = [{"a": 1, "b": [1, 3]}, {"a": "boom"}, {"z": [1], "a": 2}, {"a": 1, "b": [1, 2]}, {"b": 7}]


class TestCrashes:
    def test_a_crash_costs_one_case_not_the_batch(self, brittle: PlannedEvaluator) -> None:
        results = evaluate(brittle, ScoringBatch(cases(*ACTUALS)))
        by_case = [result_at(results, row) for row in range(5)]
        assert [result.status for result in by_case] == ["scored", "error", "scored", "scored", "scored"]
        assert by_case[1].misses == ["(evaluation error: mine crashed: RuntimeError)"]
        assert (by_case[1].details["fault"], by_case[1].score, by_case[1].verdict) == ("ours", 0.0, "fail")
        assert SIZES[0] == 5
        assert 1 in SIZES

    def test_the_others_are_as_if_nothing_had_happened(self, brittle: PlannedEvaluator) -> None:
        halved = evaluate(brittle, ScoringBatch(cases(*ACTUALS)))
        whole = evaluate(plan_config({"type": "field_prf"}), ScoringBatch(cases(*ACTUALS)))
        for row in (0, 2, 3, 4):
            from_halves, from_whole = result_at(halved, row), result_at(whole, row)
            assert from_halves == from_whole
            assert from_halves.comparisons
            assert [type(value) for value in from_halves.metrics.values()] == [type(value) for value in from_whole.metrics.values()]

    def test_comparisons_flags_and_pool_survive(self, brittle: PlannedEvaluator) -> None:
        results = evaluate(brittle, ScoringBatch(cases({}, *ACTUALS)))
        assert results.comparisons is not None
        assert results.comparisons.cases == 6
        assert results.comparisons.field.tolist() == sorted(results.comparisons.field.tolist())
        assert len(set(results.comparisons.fields)) == len(results.comparisons.fields)
        assert results.flags is not None
        assert results.flags.at(0) == ["nothing_given"]
        assert results.pool["case"].tolist() == [0, 1, 3, 4, 5]
        assert results.pool["value"].tolist() == [0, 1, 3, 4, 5]
        causes = [comparison.cause for row in range(6) for comparison in result_at(results, row).comparisons]
        assert len(causes) == len(results.comparisons)

    def test_a_batch_in_which_every_case_crashes_is_all_faults(self, brittle: PlannedEvaluator) -> None:
        results = evaluate(brittle, ScoringBatch(cases({"a": "boom"}, {"b": "boom"})))
        assert results.status.tolist() == [Status.ERROR, Status.ERROR]
        assert results.comparisons is None

    def test_an_evaluator_that_calls_sys_exit_costs_its_cases_and_not_the_run(self) -> None:
        def exiting(batch: Batch, config: Brittle) -> Results:
            sys.exit(0)

        exiting.__annotations__ = {"batch": Batch, "config": Brittle, "return": Results}
        registry.evaluator(exiting)
        try:
            planned = PlannedEvaluator(type="exiting", name="mine", config=Brittle())
            results = evaluate(planned, ScoringBatch(cases({"a": 1})))
        finally:
            registry.EVALUATORS.specs.pop("exiting")
        assert result_at(results, 0).misses == ["(evaluation error: mine crashed: SystemExit: 0)"]
        assert result_at(results, 0).details["fault"] == "ours"

    def test_a_crash_among_cases_that_are_left_out(self, brittle: PlannedEvaluator) -> None:
        batch = cases(MISSING, {"a": "boom"}, {"a": 1})
        batch.expected[2] = MISSING
        results = evaluate(brittle, ScoringBatch(batch))
        assert [Status(code).label for code in results.status.tolist()] == ["error", "error", "skipped"]
        assert [result_at(results, row).details.get("fault") for row in range(3)] == ["system", "ours", None]


class TestPartition:
    def test_cases_without_an_expectation_are_skipped_and_keep_their_place(self) -> None:
        batch = cases({"a": 1, "b": [1, 2]}, {"a": 1}, {"a": 1, "b": [1, 2]})
        batch.expected[1] = None
        results = evaluate(plan_config({"type": "field_prf"}), ScoringBatch(batch))
        assert [result_at(results, row).score for row in range(3)] == [1.0, 0.0, 1.0]
        assert [len(result_at(results, row).comparisons) for row in range(3)] == [3, 0, 3]
        assert result_at(results, 1).metrics == {}

    def test_flags_keep_their_place_among_cases_that_are_left_out(self) -> None:
        batch = cases({"a": 1}, {}, {"a": 1})
        batch.expected[0] = None
        results = evaluate(plan_config({"type": "field_prf"}), ScoringBatch(batch))
        assert results.flags is not None
        assert [results.flags.at(row) for row in range(3)] == [[], ["nothing_given"], []]

    def test_a_failure_of_the_system_leaves_the_counts_and_zeroes_the_rest(self) -> None:
        results = evaluate(plan_config({"type": "field_prf"}), ScoringBatch(cases(None, {"a": 1, "b": [1, 2]})))
        failed, good = result_at(results, 0), result_at(results, 1)
        assert (failed.metrics["false_negatives"], failed.metrics["recall"], failed.metrics["f1"]) == (3, 0.0, 0.0)
        assert (good.metrics["true_positives"], good.score) == (3, 1.0)

    def test_failing_a_case_does_not_write_into_the_arrays_of_the_evaluator(self) -> None:
        planned = plan_config({"type": "field_prf"})
        batch = ScoringBatch(cases({"a": 1}, "no JSON"))
        first, second = evaluate(planned, batch), evaluate(planned, batch)
        assert repr(result_at(first, 1)) == repr(result_at(second, 1))

    @pytest.mark.parametrize(
        ("when", "rows"),
        [
            (None, [0, 1, 2]),
            (When(id=("x*",)), [1, 2]),
            (When(id=("x",)), [1]),
            (When(tag=("t",)), [0]),
            (When(split=("test",)), [2]),
            (When(contexts=True), [1]),
            (When(contexts=False), [0, 2]),
            (When(id=("x*",), split=("test",)), [2]),
        ],
    )
    def test_when_says_who_it_is_for(self, when: When | None, rows: list[int]) -> None:
        batch = cases(1, 2, 3)
        batch.tags[0], batch.split[2], batch.contexts[1] = ("t", "u"), "test", ["text"]
        assert applicable_rows(when, batch).tolist() == rows

    def test_a_case_that_when_excludes_has_no_result(self) -> None:
        planned = plan_config({"type": "field_prf", "when": {"id": "x"}})
        outcome = score_batch(Plan(name="s", source=None, evaluators=(planned,)), cases({}, {"a": 1, "b": [1, 2]}, {}), first=7)
        assert (outcome.first, outcome.evaluated[0].rows.tolist(), len(outcome.evaluated[0].results)) == (7, [1], 1)
        assert outcome.evaluated[0].results.score.tolist() == [1.0]


class TestBatch:
    def test_evaluators_that_ask_the_same_share_the_comparisons(self) -> None:
        batch = ScoringBatch(cases({"a": 1}))
        assert batch.compare(CompareSpec(open="leaves")) is batch.compare(CompareSpec(open="leaves"))
        assert batch.compare(CompareSpec(open="leaves")) is not batch.compare(CompareSpec(open="keys"))

    def test_the_same_rows_give_the_same_selection(self) -> None:
        batch = ScoringBatch(cases(1, 2, 3))
        assert batch.select_cases([0, 2]) is batch.select_cases([0, 2])
        assert batch.select_cases([0, 1, 2]) is batch
        assert batch.select_cases([0, 2]).cases.actual == [1, 3]

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            ("604", "604"),
            (None, ""),
            (MISSING, ""),
            (604, "604"),
            (True, "true"),
            ({"b": 1, "a": [None, "x"]}, '{"a":[null,"x"],"b":1}'),
            ({"a": 2**70}, '{"a":1180591620717411303424}'),
        ],
    )
    def test_values_as_text(self, value: Any, text: str) -> None:
        assert as_text(value) == text

    def test_text_is_never_read_as_json_where_text_is_asked_for(self) -> None:
        batch = ScoringBatch(cases('{"a": 1}', "604"))
        assert list(batch.actual_texts) == ['{"a": 1}', "604"]

    def test_what_was_needed_to_read_a_record_and_what_could_not_be_read(self) -> None:
        records = ScoringBatch(cases('{"a": 1,}', "none", expected="none at all")).records
        assert records.repairs == {0: ["actual: trailing comma removed"]}
        assert {row: list(sides) for row, sides in records.unreadable.items()} == {0: ["expected"], 1: ["expected", "actual"]}


def test_a_case_without_anything_expected_does_not_disturb_the_verdicts_of_the_others() -> None:
    cases = Cases.of([Case(id="a", expected=None, actual={"a": 1}), Case(id="b", expected={"a": None}, actual={"a": None})])
    results = evaluate(plan_config({"type": "json_quality"}), ScoringBatch(cases))
    assert [result_at(results, row).verdict for row in range(2)] == [None, "pass"]
