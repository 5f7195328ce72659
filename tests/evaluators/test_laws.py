"""What every evaluator owes, whoever wrote it: the laws, over small values so that records collide."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldwise.model.case import Case, Cases
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING
from fieldwise.plan.evaluators import plan_config
from fieldwise.registry import EVALUATORS
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.evaluate import evaluate, result_at, score_batch


class Example(NamedTuple):
    """An evaluator as it might stand in a suite, with a value that should be perfect against itself."""

    options: dict[str, Any]
    perfect: Any = None
    """None: there is no value that every configuration of this evaluator calls perfect."""
    best: float = 1.0
    """Its score against itself."""
    keys_in_order: bool = True
    """Whether the order of keys in a record must not matter."""


RECORD = {"a": "x", "b": [1, {"c": 2.5}], "é": {"a": True, "b": None}}
EXAMPLES: dict[str, list[Example]] = {
    "field_accuracy": [
        Example({"fields": ["a", "b", {"path": "é.a", "weight": 2}]}, RECORD),
        Example({"fields": [{"path": "a", "match": "fuzzy"}, {"path": "b[*].a", "required": False}], "lists": {"b": "best"}}, RECORD),
        Example({"fields": ["[*].a", "[-1]", "a[0].b"], "lists": {"[*]": {"align": "key", "key": "a"}}}, [{"a": 1, "b": 2}, {"a": 3}]),
        Example({"fields": ["a[*].b[*]", "b"], "lists": {"a": "best", "a[*].b": "set"}, "aggregation": "all_or_nothing"}, RECORD),
        Example({"fields": [{"path": "a", "required": True}, {"path": "b", "match": "ignore"}, "a..b"], "pass_at": 0.5}),
    ],
    "field_prf": [
        Example({}, RECORD),
        Example({"substitution_counts": "fp", "ignore": ["a", "**.c"]}, RECORD),
        Example({"fields": [{"path": "b[*].a", "match": "fuzzy"}, "b[0].b"], "lists": {"b": "best", "[*]": {"key": "a"}}}, RECORD),
        Example({"lists": {"a": "set", "b": "set"}}, RECORD),
    ],
    "json_quality": [
        Example({"default_text": "FUZZY"}, RECORD, best=0.85),
        Example({"default_text": "EXACT", "flatten": True, "null_values": ["x"], "strategies": {"b[*].c": "IGNORE"}}, RECORD, best=0.85),
        Example(
            {"default_text": "EXACT", "strategies": {"a": "IGNORE"}, "ignore_scope": "all", "safety": {"words": ["xx"]}}, RECORD, best=0.85
        ),
    ],
    "iou_score": [
        Example({}, [[0, 0, 1, 1], [0, 0, 2, 1]]),
        Example({"path": "a", "format": "xywh", "threshold": 0.5, "pairing": "best"}, {"a": [[0, 0, 1, 1], [1, 1, 2, 1]]}),
    ],
    "coordinate_distance": [
        Example({}, [[0, 1], [1, 2]]),
        Example({"path": "a", "metric": "cosine", "pairing": "best"}, {"a": [[0, 1], [1, 2]]}),
    ],
    "detection": [Example({}, [{"bbox": [0, 0, 1, 1], "category": "a", "score": 0.9}])],
    "answer_quality": [Example({}, keys_in_order=False)],
    "list_coverage": [Example({}, "* one\n* two", keys_in_order=False)],
    "fact_checks": [Example({"facts": {"one": {"word": "one"}, "two": {"number": 2}}}, "one is 2", keys_in_order=False)],
    "retrieval": [Example({}, keys_in_order=False)],
    "grounding": [Example({}, keys_in_order=False)],
    "contains": [
        Example({"value": "x"}, "x y", keys_in_order=False),
        Example({"negate": True, "value": ["xx", "2025"], "mode": "any"}, "x", keys_in_order=False),
        Example({}, "x y", keys_in_order=False),
    ],
    "icontains": [Example({"value": ["X", "é"], "mode": "any"}, "ax", keys_in_order=False)],
    "similarity": [
        Example({"match": "fuzzy"}, "ax", keys_in_order=False),
        Example({"match": {"match": "fuzzy", "algorithm": "token_set"}, "value": ["xx", "a é"], "negate": True}, "x", keys_in_order=False),
    ],
    "starts_with": [Example({}, "ax", keys_in_order=False), Example({"value": "a", "negate": True}, "x", keys_in_order=False)],
    "ends_with": [Example({}, "ax", keys_in_order=False), Example({"value": ["x", "é"], "ignore_case": True}, "aX", keys_in_order=False)],
    "equals": [Example({}, "ax", keys_in_order=False), Example({"value": "xx", "negate": True}, "x", keys_in_order=False)],
    "regex": [
        Example({"value": "a|x"}, "ax", keys_in_order=False),
        Example({"value": ["a", "é"], "negate": True}, "x", keys_in_order=False),
    ],
    "is_json": [
        Example({}, RECORD),
        Example({"anywhere": True, "kind": "object"}, '{"a": 1}'),
        Example({"negate": True}, "x", keys_in_order=False),
    ],
    "length": [Example({"min": 1}, "x", keys_in_order=False), Example({"max": 3, "unit": "words"}, "a b", keys_in_order=False)],
    "latency": [Example({"max": 1, "path": "metadata.relevant_ids"}, 1, keys_in_order=False)],
    "cost": [Example({"max": 1, "path": "actual.a", "negate": True}, {"a": 2}, keys_in_order=False)],
    "json_schema": [
        Example({"schema": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}}, RECORD),
        Example(
            {"schema": {"additionalProperties": {"type": ["string", "array"], "minLength": 2}}, "score": "graded", "formats": True}, []
        ),
    ],
    "constraints": [
        Example({"rules": [{"check": "a == 'x'"}, {"if": "é.a", "then": "b[1].c > 2"}, {"require": ["a", "b[0]"]}]}, RECORD),
        Example({"rules": [{"check": "a[*] + b >= c / 2"}, {"sum": "a", "equals": "b", "tolerance": 0.5}], "parse": True}),
        Example({"rules": [{"check": "not present(c) or a < b", "when_present": True}, {"check": "count(a) in (0, 1, 2)"}]}),
    ],
    "tool_trajectory": [
        Example({}, [{"tool": "a", "args": {"b": 1}}, "x"], keys_in_order=False),
        Example({"mode": "in_order", "expected": ["a", {"tool": "b", "args": {"c": 1}}], "args": "subset"}, keys_in_order=False),
        Example({"mode": "exact", "args": {"a": "fuzzy", "b": "ignore"}}, {"tool_calls": ["a", "a"]}, keys_in_order=False),
        Example({"mode": "subset", "args": "ignore"}, ["a"], keys_in_order=False),
        Example({"minimums": {"a": 1, "x": 2}}, ["x", "a", "x"], keys_in_order=False),
    ],
    "composite": [
        Example(
            {
                "evaluators": [
                    {"type": "field_accuracy", "fields": ["a", "b"], "weight": 2, "required": 0.2},
                    {"type": "field_prf", "when": {"contexts": True}},
                    {"type": "contains", "value": "xx", "negate": True, "required": True, "weight": 0},
                ]
            },
            RECORD,
            keys_in_order=False,
        ),
        Example(
            {
                "aggregation": "threshold",
                "threshold": 0.5,
                "evaluators": [{"type": "is_json"}, {"type": "latency", "max": 1, "path": "metadata.relevant_ids"}, {"type": "retrieval"}],
            },
            keys_in_order=False,
        ),
        Example({"aggregation": "all_or_nothing", "evaluators": [{"type": "json_quality"}, {"type": "equals"}]}, keys_in_order=False),
    ],
}
"""At least one example for each evaluator; one that is not in here fails its laws."""

CASES = [(name, example) for name, examples in EXAMPLES.items() for example in examples]
each_example = pytest.mark.parametrize(
    ("name", "example"), CASES, ids=lambda value: value if isinstance(value, str) else str(value.options)
)
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


def planned(name: str, example: Example) -> PlannedEvaluator:
    return plan_config({"type": name, **example.options})


def case(pair: tuple[Any, Any], at: int = 0) -> Case:
    expected, actual = pair
    lists = actual if isinstance(actual, list) else None
    return Case(id=str(at), expected=expected, actual=actual, contexts=lists, metadata={"relevant_ids": expected}, actuals=lists)


def results(plan: PlannedEvaluator, given: list[tuple[Any, Any]]) -> list[Result]:
    found = evaluate(plan, ScoringBatch(Cases.of([case(pair, at) for at, pair in enumerate(given)])))
    assert len(found) == len(given)
    return [result_at(found, row) for row in range(len(given))]


def one(plan: PlannedEvaluator, pair: tuple[Any, Any]) -> Result:
    return results(plan, [pair])[0]


def verdict_by_the_rules(result: Result, pass_at: float | None) -> str | None:
    if result.status in ("skipped", "unavailable"):
        return None
    if pass_at is not None:
        return "pass" if result.status == "scored" and result.score >= pass_at - 1e-8 else "fail"
    if not result.hits or result.score == 0:
        return "fail"
    return "partial" if result.misses else "pass"


def json_text(value: Any) -> bytes:
    """As JSON, with what orjson cannot hold (long integers, lone surrogates) written another way; anything else is a failure."""

    def plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {plain(key): plain(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [plain(inner) for inner in value]
        if isinstance(value, str):
            return value.encode("utf-8", "replace").decode()
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    return orjson.dumps(plain(value))


def test_every_evaluator_has_an_example_and_a_test_file() -> None:
    here = Path(__file__).parent
    judges = {name for name in EVALUATORS.names() if EVALUATORS.find(name).is_judge}  # test_judge_laws.py has theirs
    assert set(EVALUATORS.names()) <= set(EXAMPLES) | judges, "add an Example to EXAMPLES"
    assert [name for name in EVALUATORS.names() if not (here / f"test_{name}.py").exists()] == []


@each_example
@given(pair=pairs)
@law
def test_no_json_makes_it_raise_or_leave_the_unit_interval(name: str, example: Example, pair: tuple[Any, Any]) -> None:
    plan = planned(name, example)
    result = one(plan, pair)
    assert type(result.score) is float
    assert 0.0 <= result.score <= 1.0
    assert result.status in ("scored", "error", "skipped", "unavailable")
    assert result.status == "scored" or result.score == 0.0
    assert "crashed" not in result.reasoning, result.reasoning
    assert result.verdict == verdict_by_the_rules(result, plan.pass_at)
    assert all(math.isfinite(number) for number in result.metrics.values())
    assert all(type(result.metrics[count]) is int for count in EVALUATORS.find(name).counts if count in result.metrics)
    assert json_text(result.to_json())


@each_example
@given(given=st.lists(pairs, min_size=1, max_size=6))
@law
def test_a_batch_scores_as_its_cases_do_one_by_one(name: str, example: Example, given: list[tuple[Any, Any]]) -> None:
    plan = planned(name, example)
    together = results(plan, given)
    for pair, result in zip(given, together, strict=True):
        alone = one(plan, pair)
        assert [type(number) for number in result.metrics.values()] == [type(number) for number in alone.metrics.values()]
        assert repr(result) == repr(alone)


@each_example
@given(pair=pairs)
@law
def test_the_order_of_keys_does_not_matter(name: str, example: Example, pair: tuple[Any, Any]) -> None:
    if not example.keys_in_order:  # text is read as it stands
        assert EVALUATORS.find(name).reads != "records"
        return
    plan = planned(name, example)
    first, second = one(plan, pair), one(plan, (_turned(pair[0]), _turned(pair[1])))
    assert (first.score, first.verdict, dict(first.metrics)) == (second.score, second.verdict, dict(second.metrics))
    assert (sorted(first.hits), sorted(first.misses)) == (sorted(second.hits), sorted(second.misses))


def _turned(value: Any) -> Any:
    """The same value with the keys of every object in reverse."""
    if isinstance(value, dict):
        return {key: _turned(inner) for key, inner in reversed(value.items())}
    return [_turned(inner) for inner in value] if isinstance(value, list) else value


@each_example
def test_a_good_answer_against_itself_is_a_pass(name: str, example: Example) -> None:
    if example.perfect is None:
        return
    result = one(planned(name, example), (example.perfect, example.perfect))
    assert (result.score, result.verdict, list(result.misses)) == (pytest.approx(example.best), "pass", [])


@each_example
def test_no_output_is_the_systems_failure_and_no_expectation_is_skipped(name: str, example: Example) -> None:
    plan = planned(name, example)
    needs_expected = EVALUATORS.find(name).needs_expected
    for nothing in (MISSING, None):
        if name != "retrieval":  # it looks at what was retrieved, not at the output
            failed = one(plan, (example.perfect or RECORD, nothing))
            assert (failed.status, failed.score, failed.verdict, list(failed.hits)) == ("error", 0.0, "fail", [])
            assert failed.details["fault"] == "system"
            assert failed.misses
        if needs_expected:
            skipped = one(plan, (nothing, example.perfect or RECORD))
            assert (skipped.status, skipped.verdict, dict(skipped.metrics)) == ("skipped", None, {})


@each_example
def test_a_plan_gives_the_same_results_as_its_evaluators(name: str, example: Example) -> None:
    plan = planned(name, example)
    cases = Cases.of([case((example.perfect or RECORD, RECORD)), case((MISSING, RECORD), 1), case((RECORD, MISSING), 2)])
    outcome = score_batch(Plan(name="suite", source=None, evaluators=(plan,)), cases)
    (evaluated,) = outcome.evaluated
    assert evaluated.rows.tolist() == [0, 1, 2]
    assert [repr(result_at(evaluated.results, row)) for row in range(3)] == [
        repr(one(plan, pair)) for pair in ((example.perfect or RECORD, RECORD), (MISSING, RECORD), (RECORD, MISSING))
    ]
