"""What every judge owes, whoever wrote it, and whatever the replies."""

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

EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "code_judge": [{"script": ["judge"], "threshold": 0.5}],
    "llm_judge": [{"prompt": "Is it right?"}, {"rubric": ["polite", {"name": "short", "weight": 2}], "scale": 4}],
    "ragas": [{}, {"metrics": ["context_recall"]}],
}
CASES = [(name, options) for name, examples in EXAMPLES.items() for options in examples]
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


def judged(name: str, options: dict[str, Any], given: list[Case], reply: Any = agreeable) -> list[Result]:
    batch = ScoringBatch(Cases.of(given), local_services(Canned(reply)))
    found = evaluate(plan_config({"type": name, **options}), batch)
    return [result_at(found, row) for row in range(len(given))]


def test_every_judge_has_an_example() -> None:
    assert {name for name in EVALUATORS.names() if EVALUATORS.find(name).is_judge} == set(EXAMPLES)


@each_example
@given(case=cases)
@law
def test_no_case_makes_it_crash_or_leave_the_unit_interval(name: str, options: dict[str, Any], case: Case) -> None:
    [result] = judged(name, options, [case])
    assert 0.0 <= result.score <= 1.0
    assert result.status in ("scored", "error", "skipped")
    assert "crashed" not in result.reasoning
    assert all(math.isfinite(number) for number in result.metrics.values())
    assert orjson.dumps(orjson.loads(orjson.dumps(result.details, default=str)))


@each_example
@given(several=st.lists(cases, min_size=2, max_size=4))
@law
def test_a_batch_is_judged_as_its_cases_are_one_by_one(name: str, options: dict[str, Any], several: list[Case]) -> None:
    assert judged(name, options, several) == [judged(name, options, [case])[0] for case in several]


@each_example
@pytest.mark.parametrize(("missing", "status"), [(True, "unavailable"), (False, "error")])
def test_a_question_without_an_answer_is_never_a_score(name: str, options: dict[str, Any], missing: bool, status: str) -> None:
    case = Case(id="1", input="a?", expected="a", actual="a", contexts=["a"])
    [result] = judged(name, options, [case], lambda _: Reply(problem="nobody there", fix="start it", missing=missing))
    expected = "error" if name == "code_judge" else status
    assert (result.status, result.score) == (expected, 0.0)
    assert "nobody there" in result.reasoning


@each_example
def test_a_reply_that_makes_it_crash_costs_its_case_alone(name: str, options: dict[str, Any]) -> None:
    def reply(ask: Ask) -> Reply:
        return Reply(data=17, text="17") if "odd" in str(ask) else agreeable(ask)

    several = [Case(id=text, input=text, expected=text, actual=text, contexts=["a"]) for text in ("even", "odd", "even too")]
    assert [result.status for result in judged(name, options, several, reply)] == ["scored", "error", "scored"]


@each_example
def test_nobody_is_asked_about_a_case_without_output(name: str, options: dict[str, Any]) -> None:
    asker = Canned(agreeable)
    batch = ScoringBatch(Cases.of([Case(id="1", input="a?", expected="a", contexts=["a"])]), local_services(asker))
    found = result_at(evaluate(plan_config({"type": name, **options}), batch), 0)
    assert (found.status, found.details["fault"], asker.asked) == ("error", "system", [])
