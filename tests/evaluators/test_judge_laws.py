"""Laws that hold for every judge and all replies. The examples are those of the specs."""

import math
from typing import Any

import orjson
import pytest
from canned_replies import Canned, agreeable
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.model.ask import Ask, Reply
from fieldwise.model.case import Case, Cases
from fieldwise.model.result import Result
from fieldwise.model.values import MISSING
from fieldwise.plan.evaluators import plan_config
from fieldwise.registry import EVALUATORS
from fieldwise.score.batch import ScoringBatch
from fieldwise.score.evaluate import evaluate, result_at
from fieldwise.score.services import local_services

JUDGES = [spec for spec in EVALUATORS.all() if spec.is_judge]
CASES = [(spec.name, dict(example.options)) for spec in JUDGES for example in spec.examples]
each_example = pytest.mark.parametrize(("name", "options"), CASES, ids=str)
law = settings(max_examples=40, deadline=None)

texts = st.text(alphabet="ax1 \u00e9\ud800", max_size=3) | st.sampled_from(["", "</data>", "$mark {{x}}"])
values = st.recursive(
    st.none() | st.booleans() | st.sampled_from([0, 1.5, 10**400, math.nan]) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
cases = st.builds(
    Case,
    id=st.just("1"),
    input=values,
    expected=values | st.just(MISSING),
    actual=values | st.just(MISSING),
    contexts=st.none() | st.lists(values, max_size=3),
)


def judge_cases(name: str, options: dict[str, Any], cases: list[Case], reply: Any = agreeable) -> list[Result]:
    batch = ScoringBatch(Cases.of(cases), local_services(Canned(reply)))
    results = evaluate(plan_config({"type": name, **options}), batch)
    return [result_at(results, row) for row in range(len(cases))]


def test_every_judge_has_an_example() -> None:
    assert [spec.name for spec in JUDGES if not spec.examples] == []


@each_example
@given(case=cases)
@law
def test_no_case_makes_it_crash_or_leave_the_unit_interval(name: str, options: dict[str, Any], case: Case) -> None:
    [result] = judge_cases(name, options, [case])
    assert 0.0 <= result.score <= 1.0
    assert result.status in ("scored", "error", "skipped")
    assert "crashed" not in result.reasoning
    assert all(math.isfinite(number) for number in result.metrics.values())
    assert orjson.dumps(orjson.loads(orjson.dumps(result.details, default=str)))


@each_example
@given(judged_cases=st.lists(cases, min_size=2, max_size=4))
@law
def test_a_batch_is_judged_as_its_cases_are_one_by_one(name: str, options: dict[str, Any], judged_cases: list[Case]) -> None:
    assert judge_cases(name, options, judged_cases) == [judge_cases(name, options, [case])[0] for case in judged_cases]


@each_example
@pytest.mark.parametrize(("missing", "status"), [(True, "unavailable"), (False, "error")])
def test_a_question_without_an_answer_is_never_a_score(name: str, options: dict[str, Any], missing: bool, status: str) -> None:
    case = Case(id="1", input="a?", expected="a", actual="a", contexts=["a"])
    [result] = judge_cases(name, options, [case], lambda _: Reply(problem="not running", fix="start it", missing=missing))
    expected = "error" if name == "code_judge" else status
    assert (result.status, result.score) == (expected, 0.0)
    assert "not running" in result.reasoning


@each_example
def test_a_reply_that_makes_it_crash_costs_its_case_alone(name: str, options: dict[str, Any]) -> None:
    def reply(ask: Ask) -> Reply:
        return Reply(data=17, text="17") if "odd" in str(ask) else agreeable(ask)

    judged_cases = [Case(id=text, input=text, expected=text, actual=text, contexts=["a"]) for text in ("even", "odd", "even too")]
    assert [result.status for result in judge_cases(name, options, judged_cases, reply)] == ["scored", "error", "scored"]


@each_example
def test_a_case_without_output_costs_no_question(name: str, options: dict[str, Any]) -> None:
    asker = Canned(agreeable)
    batch = ScoringBatch(Cases.of([Case(id="1", input="a?", expected="a", contexts=["a"])]), local_services(asker))
    result = result_at(evaluate(plan_config({"type": name, **options}), batch), 0)
    assert (result.status, result.details["fault"], asker.asked) == ("error", "system", [])
