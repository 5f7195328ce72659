"""`fuzzy` and `semantic` by a model: which pairs it is asked about, and how its replies are scored."""

from typing import Any

import numpy as np
import pytest
from canned_replies import Canned, said

import fieldwise as fw
from fieldwise.model.ask import Ask, Chat, Reply
from fieldwise.model.pairs import Scores
from fieldwise.plan.rules import plan_match
from fieldwise.score.matching import score_nullable_pairs
from fieldwise.score.services import local_services

BY_MODEL = [("fuzzy", {"algorithm": "llm"}), ("semantic", {"by": "llm"})]
each = pytest.mark.parametrize(("name", "options"), BY_MODEL, ids=["fuzzy", "semantic"])


def model(similarities: dict[str, float | Reply]) -> Canned:
    """A model that replies with the similarity of the first of these texts that occurs in the question."""

    def reply(ask: Ask) -> Reply:
        assert isinstance(ask, Chat)
        similarity = next(value for text, value in similarities.items() if text in ask.messages[-1].content)
        return similarity if isinstance(similarity, Reply) else said({"reason": f"about {similarity}", "similarity": similarity})

    return Canned(reply)


def score(name: str, asker: Canned, expected: list[Any], actual: list[Any], **options: Any) -> Scores:
    return score_nullable_pairs(plan_match(name, options), expected, actual, local_services(asker))


@each
def test_the_score_is_what_the_model_says_and_its_reason_is_noted(name: str, options: dict[str, Any]) -> None:
    scores = score(name, model({"Smyth": 0.92, "Miller": 0.1}), ["John Smith"] * 2, ["John Smyth", "Jo Miller"], **options, threshold=0.85)
    assert scores.value.tolist() == [0.92, 0.1]
    assert scores.passed.tolist() == [True, False]
    assert scores.notes[0] == "about 0.92"


@each
def test_equal_text_is_1_without_asking_and_other_kinds_are_0(name: str, options: dict[str, Any]) -> None:
    asker = model({})
    scores = score(name, asker, ["Same Text", "a", "", None, "x"], ["same text ", 5, "b", None, None], **options)
    assert scores.value.tolist() == [1.0, 0.0, 0.0, 1.0, 0.0]
    assert asker.asked == []


@each
def test_the_same_pair_is_asked_about_once(name: str, options: dict[str, Any]) -> None:
    asker = model({"b": 0.5})
    assert score(name, asker, ["a"] * 9, ["b"] * 9, **options).value.tolist() == [0.5] * 9
    assert len(asker.asked) == 1


@each
def test_binary_is_1_from_the_threshold_on(name: str, options: dict[str, Any]) -> None:
    scores = score(name, model({"beta": 0.8, "gamma": 0.7}), ["alpha"] * 2, ["beta", "gamma"], **options, threshold=0.8, score="binary")
    assert scores.value.tolist() == [1.0, 0.0]


@each
@pytest.mark.parametrize(("missing", "code"), [(True, "unavailable"), (False, "unusable-reply")])
def test_no_answer_is_a_fault_and_never_a_0(name: str, options: dict[str, Any], missing: bool, code: str) -> None:
    scores = score(name, model({"b": Reply(problem="nobody there", fix="start it", missing=missing)}), ["a"], ["b"], **options)
    assert np.isnan(scores.value[0])
    assert (scores.faults[0].code, scores.faults[0].what, scores.passed[0]) == (code, "nobody there", False)


@each
def test_a_field_without_a_model_makes_its_case_unavailable(name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FIELDWISE_MODEL_URL", raising=False)
    rules = {"type": "field_accuracy", "fields": [{"path": "a", "match": name, **options}]}
    result = fw.evaluate(rules, expected={"a": "one"}, actual={"a": "two"})
    assert (result.status, result.verdict) == ("unavailable", None)


def test_the_walkthrough_with_a_model_that_says_92_and_88_percent_is_0_7375() -> None:
    """Response-quality plan, walkthrough: FUZZY by LLM score 0.92, SEMANTIC by LLM score 0.88."""
    expected = {
        "name": "John Smith",
        "email": "john@example.com",
        "bio": "Senior engineer, 10 years",
        "internal_id": None,
        "status": "active",
    }
    actual = {
        "name": "John Smyth",
        "email": "john@example.com",
        "bio": "Experienced, 10+ years",
        "internal_id": "abc123",
        "extra_field": "s",
    }
    strategies = {"name": "FUZZY", "bio": "SEMANTIC"}
    config = {"type": "json_quality", "strategies": strategies, "fuzzy": {"algorithm": "llm"}, "semantic": {"by": "llm"}}
    asker = model({"Smyth": 0.92, "Experienced": 0.88})
    result = fw.evaluate(config, expected=expected, actual=actual, asker=asker)
    assert result.score == pytest.approx(0.7375)
    assert len(asker.asked) == 2


@pytest.mark.parametrize(
    ("missing", "status", "misses"),
    [(True, "unavailable", ["name"]), (False, "error", ["name", "bio (evaluation error: nobody there)"])],
)
def test_a_key_that_nobody_compared_is_no_plain_miss_of_response_quality(missing: bool, status: str, misses: list[str]) -> None:
    config = {"type": "json_quality", "strategies": {"name": "EXACT", "bio": "SEMANTIC"}, "semantic": {"by": "llm"}}
    asker = model({"engineer": Reply(problem="nobody there", missing=missing)})
    result = fw.evaluate(config, expected={"name": "a", "bio": "engineer", "n": 1}, actual={"name": "b", "bio": "x", "n": 1}, asker=asker)
    assert (result.status, result.hits, result.misses) == (status, ["n"], misses)


@each
def test_items_of_lists_find_their_counterparts_without_asking_about_each(name: str, options: dict[str, Any]) -> None:
    rules = {"type": "field_accuracy", "fields": [{"path": "items[*].name", "match": name, **options}], "lists": {"items": "best"}}
    expected = {"items": [{"name": text} for text in ("red apple", "green pear", "blue plum")]}
    actual = {"items": [{"name": text} for text in ("blue plums", "red apples", "green pears")]}
    asker = model({"": 0.9})
    result = fw.evaluate(rules, expected=expected, actual=actual, asker=asker)
    assert (result.score, len(asker.asked)) == (pytest.approx(0.9), 3)
