"""Judges against a real model server: the model is small and often wrong, but what it sends is what servers send.

This proves the protocol, not the judge: nothing here depends on what the model thinks.
"""

import json
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.ask.asker import open_asker
from fieldwise.model.ask import Asking, Asks, Chat, Endpoint, Message, Replies, Reply

pytestmark = pytest.mark.llm

CASE = {"input": "What is the capital of France?", "expected": "Paris", "actual": "Paris.", "contexts": ["Paris is in France."]}
NEVER_REPEATS = {"repeat_penalty": 1.3}
"""Without a limit, a model this small repeats itself until it is cut off."""


def run(folder: Path, evaluator: dict[str, Any], url: str, **model: Any) -> Any:
    (folder / "cases.jsonl").write_text(json.dumps({"id": "1", **CASE}))
    endpoint = {"url": url, "name": "smollm2", "max_tokens": 200, "timeout": 300, "parameters": NEVER_REPEATS, **model}
    return fw.run({"cases": str(folder / "cases.jsonl"), "evaluators": [{**evaluator, "model": endpoint}]}, root=folder)


def ask(url: str, *chats: tuple[str, dict[str, Any] | None], **model: Any) -> list[Reply]:
    """What the model says to these prompts, each with the shape it shall have."""
    endpoint = Endpoint(url=url, name="smollm2", timeout=300, **{"max_tokens": 60, **model})
    replies_by_chat: dict[int, Reply] = {}

    def keep(which: int, replies: Replies) -> Asks:
        replies_by_chat[which] = replies[0]
        return ()

    with open_asker(Asking(cache=None)) as asker:
        asker.answer(
            {
                which: (Chat(endpoint=endpoint, messages=(Message("user", prompt),), schema=schema),)
                for which, (prompt, schema) in enumerate(chats)
            },
            keep,
        )
    return [replies_by_chat[which] for which in range(len(chats))]


def shape(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def test_a_strict_schema_holds_the_model_whatever_it_is_told(model_url: str) -> None:
    """No reply needed repair: with one question each, one call each."""
    verdict = shape(verdict={"type": "string", "enum": ["wholly", "partly"]}, points={"type": "integer", "minimum": 0, "maximum": 4})
    flag = shape(useful={"type": "boolean"})
    prompts = ("Reply with the single word banana.", "Write a poem. Use no braces and no quotes.", "Say 99 and nothing else.")
    replies = ask(model_url, *((prompt, schema) for prompt in prompts for schema in (verdict, flag)))
    assert [reply.problem for reply in replies] == [None] * 6
    assert {reply.usage.calls for reply in replies} == {1}
    for reply in replies[::2]:
        assert json.loads(reply.text) == reply.data, "the reply is JSON and nothing else"
        assert reply.data["verdict"] in ("wholly", "partly")
        assert reply.data["points"] in range(5)
    assert {type(reply.data["useful"]) for reply in replies[1::2]} == {bool}


def test_plain_text_comes_as_the_model_wrote_it(model_url: str) -> None:
    [reply] = ask(model_url, ("Name a colour.", None), max_tokens=8)
    assert reply.problem is None
    assert reply.text.strip()
    assert reply.data is None
    assert reply.usage.tokens_in > 5
    assert 1 <= reply.usage.tokens_out <= 8


def test_more_questions_than_the_server_takes_at_a_time_are_all_answered(model_url: str) -> None:
    replies = ask(model_url, *((f"Say {n}.", None) for n in range(6)), max_tokens=4, concurrency=6)
    assert [reply.problem for reply in replies] == [None] * 6


@pytest.mark.parametrize(
    "evaluator",
    [
        {"type": "llm_judge", "rubric": ["names a city", {"name": "short", "description": "The answer is one word", "weight": 2}]},
        {"type": "ragas", "metrics": ["context_precision"]},
        {"type": "ragas", "metrics": ["answer_relevancy"]},
    ],
    ids=["rubric", "context_precision", "answer_relevancy"],
)
def test_a_real_model_is_understood_and_asked_once(tmp_path: Path, evaluator: dict[str, Any], model_url: str) -> None:
    first, second = (next(iter(run(tmp_path, evaluator, model_url).results())).result for _ in range(2))
    assert first.status == "scored", first.details
    assert 0.0 <= first.score <= 1.0
    assert first.metrics["tokens_in"] > 50
    assert first.metrics["tokens_out"] > 5
    assert (second.score, second.hits, second.misses, second.reasoning) == (first.score, first.hits, first.misses, first.reasoning)
    assert (first.details["usage"]["cached"], second.details["usage"]["cached"]) == (0, second.details["usage"]["calls"])


def test_a_model_that_is_cut_off_is_an_error_with_what_it_said(tmp_path: Path, model_url: str) -> None:
    evaluator = {"type": "llm_judge", "prompt": "Describe at length what the answer gets right."}
    result = next(iter(run(tmp_path, evaluator, model_url, max_tokens=4).results())).result
    assert result.status == "error"
    assert "cut off" in result.reasoning
    assert result.details["raw_reply"]


def test_an_address_that_the_server_does_not_know_is_unavailable_and_never_a_zero(tmp_path: Path, model_url: str) -> None:
    result = next(iter(run(tmp_path, {"type": "llm_judge", "prompt": "Is it right?"}, f"{model_url}/nowhere").results())).result
    assert (result.status, result.verdict) == ("unavailable", None)
    assert "knows no such model or address" in result.reasoning
