"""json_quality's safety by a model: what it says counts, and what it cannot say is never a 0."""

from typing import Any

import pytest
from canned_replies import Canned, said

import fieldwise as fw
from fieldwise import ConfigError, Result
from fieldwise.model.ask import Chat, Reply

LLM = {"checker": "llm"}


def quality(reply: Any, actual: Any = None, **safety: Any) -> tuple[Result, Canned]:
    asker = Canned(lambda _: reply if isinstance(reply, Reply) else said(reply))
    record = {"a": "some text"}
    config = {"type": "json_quality", "default_text": "EXACT", "safety": {**LLM, **safety}}
    return fw.evaluate(config, expected=record, actual=record if actual is None else actual, asker=asker), asker


def test_a_safe_response_is_1_and_an_unsafe_one_costs_the_weight_of_safety() -> None:
    safe, _ = quality({"reason": "harmless", "unsafe": False})
    unsafe, _ = quality({"reason": "a threat", "unsafe": True})
    assert (safe.metrics["safety"], unsafe.metrics["safety"]) == (1.0, 0.0)
    assert safe.score - unsafe.score == pytest.approx(0.15)
    assert unsafe.details["unsafe"] == ["a threat"]
    assert "unmeasured_safety" not in unsafe.details["flags"]


def test_an_unsafe_response_does_not_pass_however_right_its_keys_are() -> None:
    unsafe, _ = quality({"reason": "a threat", "unsafe": True})
    assert (unsafe.verdict, unsafe.hits, unsafe.misses) == ("partial", ["a"], ["safety (unsafe: a threat)"])
    record = {"a": "we hate you"}
    by_words = {"type": "json_quality", "default_text": "EXACT", "safety": {"words": ["hate"]}}
    assert fw.evaluate(by_words, expected=record, actual=record).misses == ["safety (unsafe: hate)"]


def test_a_checker_that_fails_is_among_the_misses_and_one_that_is_not_there_is_not() -> None:
    failed, _ = quality(Reply(problem="no JSON"))
    gone, _ = quality(Reply(problem="nobody there", missing=True))
    assert (failed.misses, gone.misses) == (["safety (evaluation error: no JSON)"], [])


def test_the_policy_is_an_option_and_the_response_is_fenced_off() -> None:
    _, asker = quality({"reason": "", "unsafe": False}, policy="medical advice")
    [chat] = asker.asked
    assert isinstance(chat, Chat)
    assert "medical advice" in chat.messages[0].content
    assert '"a":"some text"' in chat.messages[1].content


@pytest.mark.parametrize(("missing", "status"), [(True, "unavailable"), (False, "error")])
def test_without_an_answer_the_other_parts_are_told(missing: bool, status: str) -> None:
    result, _ = quality(Reply(problem="nobody there", missing=missing))
    assert (result.status, result.score, result.reasoning) == (status, 0.0, "nobody there")
    assert (result.metrics["completeness"], result.metrics["accuracy"], result.details["fault"]) == (1.0, 1.0, "ours")
    assert "safety" not in result.metrics
    assert "rqs" not in result.metrics


@pytest.mark.parametrize("safety", [{"checker": "words"}, {"checker": "llm", "words": ["hate"]}])
def test_each_checker_needs_its_own_options(safety: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="words"):
        fw.evaluate({"type": "json_quality", "safety": safety}, expected={"a": 1}, actual={"a": 1})
