"""Laws that hold for every evaluator, over small values so that records collide. The examples are those of the specs."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import example as also_with
from hypothesis import strategies as st

from fieldwise.model.case import Case, Cases
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING
from fieldwise.plan.evaluators import plan_config
from fieldwise.registry import EVALUATORS
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.evaluate import evaluate, result_at, score_batch
from fieldwise.specs import EvaluatorExample, EvaluatorSpec

RECORD = {"a": "x", "b": [1, {"c": 2.5}], "é": {"a": True, "b": None}}
SPECS = [spec for spec in EVALUATORS.all() if not spec.is_judge]  # those of judges are in test_judge_laws.py
EXAMPLES = [(spec.name, example) for spec in SPECS for example in spec.examples]


def each_of(examples: list[tuple[str, EvaluatorExample]]) -> pytest.MarkDecorator:
    ids = [f"{name}-{example.options}" for name, example in examples]
    return pytest.mark.parametrize(("name", "example"), examples, ids=ids)


each_example = each_of(EXAMPLES)
law = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

texts = st.text(alphabet="ax1 \u00e9\u0301.", max_size=3) | st.sampled_from(["xx", "2025-01-31", "a@b.org", '{"a": 1}', "null", "\ud800"])
numbers = st.sampled_from([0, 1, 2, -1, 1.0, 0.5, 2**53, 2**53 + 1, 10**400, 1e308, math.nan, math.inf, -math.inf])
keys = st.sampled_from(["a", "b", "c", "é", "0", "odd.key", ""])
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
records = st.dictionaries(keys, values, max_size=4) | st.lists(st.dictionaries(keys, values, max_size=2), max_size=3)
boxes = st.lists(st.lists(st.sampled_from([0, 1, 2, 0.5, -1, math.nan, "1", None]), max_size=5), max_size=3)
sides = records | values | boxes | boxes.map(lambda items: {"a": items}) | st.just(MISSING)
twins = sides.flatmap(lambda value: st.tuples(st.just(value), st.just(value)))
pairs = st.tuples(sides, sides) | twins


def plan_example(name: str, example: EvaluatorExample) -> PlannedEvaluator:
    return plan_config({"type": name, **example.options})


def make_case(pair: tuple[Any, Any], at: int = 0) -> Case:
    expected, actual = pair
    lists = actual if isinstance(actual, list) else None
    return Case(id=str(at), expected=expected, actual=actual, contexts=lists, metadata={"relevant_ids": expected}, actuals=lists)


def evaluate_pairs(plan: PlannedEvaluator, pairs: list[tuple[Any, Any]]) -> list[Result]:
    results = evaluate(plan, ScoringBatch(Cases.of([make_case(pair, at) for at, pair in enumerate(pairs)])))
    assert len(results) == len(pairs)
    return [result_at(results, row) for row in range(len(pairs))]


def evaluate_pair(plan: PlannedEvaluator, pair: tuple[Any, Any]) -> Result:
    return evaluate_pairs(plan, [pair])[0]


def expected_verdict(result: Result, pass_at: float | None) -> str | None:
    if result.status in ("skipped", "unavailable"):
        return None
    if pass_at is not None:
        return "pass" if result.status == "scored" and result.score >= pass_at - 1e-8 else "fail"
    if result.score == 0:
        return "fail"
    if not result.hits:  # json_quality: nothing expected and nothing given is agreement
        agrees_on_nothing = "bucket_of" in result.details and not result.misses
        return "pass" if agrees_on_nothing else "fail"
    return "partial" if result.misses else "pass"


def encode_json(value: Any) -> bytes:
    """The value as JSON, long integers and lone surrogates replaced, which orjson cannot encode."""

    def plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {plain(key): plain(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [plain(inner) for inner in value]
        if isinstance(value, str):
            return value.encode("utf-8", "replace").decode()
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    return orjson.dumps(plain(value))


@pytest.mark.parametrize("spec", EVALUATORS.all(), ids=lambda spec: spec.name)
def test_an_evaluator_has_an_example_and_a_test_file(spec: EvaluatorSpec) -> None:
    folder, module = spec.function.__module__.split(".")[-2:]
    assert spec.examples
    assert (Path(__file__).parent / folder / f"test_{module}.py").exists()


def check_result(plan: PlannedEvaluator, result: Result) -> None:
    """No JSON makes an evaluator raise or leave the unit interval."""
    assert type(result.score) is float
    assert 0.0 <= result.score <= 1.0
    assert result.status in ("scored", "error", "skipped", "unavailable")
    assert result.status == "scored" or result.score == 0.0
    assert "crashed" not in result.reasoning, result.reasoning
    assert result.verdict == expected_verdict(result, plan.pass_at)
    assert all(math.isfinite(number) for number in result.metrics.values())
    spec = EVALUATORS.find(plan.type)
    declared = spec.metric_names(plan.config)
    assert declared is None or result.metrics.keys() <= declared
    assert all(type(result.metrics[count]) is int for count in spec.counts if count in result.metrics)
    assert encode_json(result.to_json())


@each_example
@given(drawn=st.lists(pairs, min_size=1, max_size=4))
@also_with(drawn=[({}, MISSING), ("", MISSING)])
@law
def test_any_json_is_scored_and_a_batch_scores_as_its_cases_do_one_by_one(
    name: str, example: EvaluatorExample, drawn: list[tuple[Any, Any]]
) -> None:
    plan = plan_example(name, example)
    together = evaluate_pairs(plan, drawn)
    for pair, result in zip(drawn, together, strict=True):
        alone = evaluate_pair(plan, pair)
        check_result(plan, alone)
        assert [type(number) for number in result.metrics.values()] == [type(number) for number in alone.metrics.values()]
        assert repr(result) == repr(alone)


def test_the_order_of_keys_matters_to_no_evaluator_of_records() -> None:
    assert "records" not in {EVALUATORS.find(name).reads for name, example in EXAMPLES if example.key_order_matters}


@each_of([(name, example) for name, example in EXAMPLES if not example.key_order_matters])
@given(pair=pairs)
@law
def test_the_order_of_keys_does_not_matter(name: str, example: EvaluatorExample, pair: tuple[Any, Any]) -> None:
    plan = plan_example(name, example)
    first, second = evaluate_pair(plan, pair), evaluate_pair(plan, (_reverse_keys(pair[0]), _reverse_keys(pair[1])))
    assert (first.score, first.verdict, dict(first.metrics)) == (second.score, second.verdict, dict(second.metrics))
    assert (sorted(first.hits), sorted(first.misses)) == (sorted(second.hits), sorted(second.misses))


def _reverse_keys(value: Any) -> Any:
    """The same value with the keys of every object in reverse."""
    if isinstance(value, dict):
        return {key: _reverse_keys(inner) for key, inner in reversed(value.items())}
    return [_reverse_keys(inner) for inner in value] if isinstance(value, list) else value


@each_example
def test_a_good_answer_against_itself_is_a_pass(name: str, example: EvaluatorExample) -> None:
    if example.perfect is None:
        return
    result = evaluate_pair(plan_example(name, example), (example.perfect, example.perfect))
    assert (result.score, result.verdict, list(result.misses)) == (pytest.approx(example.best), "pass", [])


@each_example
def test_no_output_is_the_systems_failure_and_no_expectation_is_skipped(name: str, example: EvaluatorExample) -> None:
    plan = plan_example(name, example)
    needs_expected = EVALUATORS.find(name).needs_expected
    for nothing in (MISSING, None):
        if name != "retrieval":  # it looks at what was retrieved, not at the output
            failed = evaluate_pair(plan, (example.perfect or RECORD, nothing))
            assert (failed.status, failed.score, failed.verdict, list(failed.hits)) == ("error", 0.0, "fail", [])
            assert failed.details["fault"] == "system"
            assert failed.misses
        if needs_expected:
            skipped = evaluate_pair(plan, (nothing, example.perfect or RECORD))
            assert (skipped.status, skipped.verdict, dict(skipped.metrics)) == ("skipped", None, {})


@each_example
def test_a_plan_gives_the_same_results_as_its_evaluators(name: str, example: EvaluatorExample) -> None:
    plan = plan_example(name, example)
    cases = Cases.of([make_case((example.perfect or RECORD, RECORD)), make_case((MISSING, RECORD), 1), make_case((RECORD, MISSING), 2)])
    outcome = score_batch(Plan(name="suite", source=None, evaluators=(plan,)), cases)
    (evaluated,) = outcome.evaluated
    assert evaluated.rows.tolist() == [0, 1, 2]
    assert [repr(result_at(evaluated.results, row)) for row in range(3)] == [
        repr(evaluate_pair(plan, pair)) for pair in ((example.perfect or RECORD, RECORD), (MISSING, RECORD), (RECORD, MISSING))
    ]
