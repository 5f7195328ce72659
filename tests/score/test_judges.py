"""Judges are run in rounds of questions, side by side, and inside a running event loop."""

import asyncio
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.model.ask import (
    Ask,
    Asking,
    Asks,
    Command,
    DisabledAsker,
    Judgement,
    JudgeSteps,
    NextAsks,
    Reply,
    Usage,
    ask_one,
    ask_together,
)
from fieldwise.model.case import Case, Cases
from fieldwise.model.plan import PlannedEvaluator
from fieldwise.model.result import Result
from fieldwise.score.judges import judge_cases
from fieldwise.specs import EvaluatorSpec


@dataclass(frozen=True)
class Echo:
    """An asker that repeats each question, and counts the questions of each round."""

    rounds: list[int]

    def answer(self, first: Mapping[int, Asks], follow: NextAsks) -> None:
        waiting = dict(first)
        while waiting:
            self.rounds.append(sum(len(asks) for asks in waiting.values()))
            waiting = {which: more for which, asks in waiting.items() if (more := follow(which, [self.reply(ask) for ask in asks]))}

    def reply(self, ask: Ask) -> Reply:
        assert isinstance(ask, Command)
        return Reply(text=ask.stdin, usage=Usage(calls=1, tokens_in=len(ask.stdin)))


def say(text: str) -> Command:
    return Command(argv=("echo",), stdin=text)


def results(judge: Any, actuals: list[str]) -> tuple[list[float], list[int]]:
    echo = Echo([])
    cases = Cases.of([Case(id=str(at), actual=actual) for at, actual in enumerate(actuals)])
    entry = EvaluatorSpec(name="judge", function=judge, options=type(None), is_judge=True)
    judged = judge_cases(entry, PlannedEvaluator(type="judge", name="judge", config=None), cases, (), echo)
    return judged.score.tolist(), echo.rounds


def count(text: str, rounds: int) -> JudgeSteps[int]:
    total = 0
    for _ in range(rounds):
        reply = yield from ask_one(say(text))
        total += len(reply.text)
    return total


def test_each_case_takes_the_rounds_that_it_needs() -> None:
    def judge(case: Case, config: None) -> Judgement:
        total = yield from count("x", len(str(case.actual)))
        return Result(score=total / 10)

    assert results(judge, ["a", "aaa", "aa"]) == ([0.1, 0.3, 0.2], [3, 2, 1])


def test_a_judge_that_asks_nothing_is_done_at_once() -> None:
    def judge(case: Case, config: None) -> Judgement:
        return Result(score=1.0)
        yield ()

    assert results(judge, ["a"]) == ([1.0], [])


def test_a_round_without_questions_is_passed_over() -> None:
    def judge(case: Case, config: None) -> Judgement:
        nothing = yield ()
        reply = yield from ask_one(say("x"))
        return Result(score=(len(nothing) + len(reply.text)) / 2)

    assert results(judge, ["a"]) == ([0.5], [1])


def test_parts_side_by_side_share_their_rounds() -> None:
    def judge(case: Case, config: None) -> Judgement:
        totals = yield from ask_together([count("x", 1), count("xx", 3), count("xxx", 0)])
        return Result(score=sum(totals) / 10)

    assert results(judge, ["a"]) == ([0.7], [2, 1, 1])


def test_it_works_where_an_event_loop_already_runs() -> None:
    async def in_a_notebook() -> Result:
        code = "print('{\"score\": 1}')"
        return fw.evaluate({"type": "code_judge", "script": [sys.executable, "-c", code]}, expected="a", actual="a")

    assert asyncio.run(in_a_notebook()).score == 1.0


def test_usage_adds_up_over_rounds_even_where_the_judge_crashes() -> None:
    def judge(case: Case, config: None) -> Judgement:
        yield from count("xx", 2)
        raise ValueError("no")

    cases = Cases.of([Case(id="1", actual="a")])
    entry = EvaluatorSpec(name="judge", function=judge, options=type(None), is_judge=True)
    judged = judge_cases(entry, PlannedEvaluator(type="judge", name="mine", config=None), cases, (), Echo([]))
    assert judged.reasoning == ["mine crashed: no"]
    assert judged.details(0)["usage"]["tokens_in"] == 4


def test_a_judge_inside_another_evaluator_asks_the_same_asker_within_the_same_limits(tmp_path: Path) -> None:
    judge = {"type": "llm_judge", "prompt": "?", "model": {"url": "http://127.0.0.1:9/v1", "name": "m"}}
    suite = {"cases": str(tmp_path / "cases.jsonl"), "evaluators": [{"type": "composite", "evaluators": [judge]}]}
    (tmp_path / "cases.jsonl").write_text('{"id": "1", "expected": "a", "actual": "b"}\n')
    run = fw.run(suite, root=tmp_path, asking=Asking(cache=None, max_calls=0))
    [stored] = run.results()
    assert "the limit of 0 calls is reached" in json.dumps(stored.result.to_json())


def test_a_run_without_judges_opens_no_answer_cache(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text('{"id": "1", "expected": {"a": 1}, "actual": {"a": 1}}\n')
    fw.run({"cases": str(tmp_path / "cases.jsonl"), "evaluators": [{"type": "field_prf"}]}, root=tmp_path)
    assert not (tmp_path / "answers.sqlite").exists()


def test_a_disabled_asker_is_used_by_rules_with_a_model_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a rule could otherwise have a server send its keys to any address."""
    monkeypatch.setenv("SECRET_KEY", "sk-1")
    model = {"url": "http://127.0.0.1:9/v1", "name": "m", "key_env": "SECRET_KEY"}
    rules = {"type": "field_accuracy", "fields": [{"path": "a", "match": "fuzzy", "algorithm": "llm", "model": model}]}
    alone = fw.evaluate(rules, expected={"a": "x"}, actual={"a": "y"}, asker=DisabledAsker())
    (tmp_path / "cases.jsonl").write_text('{"id": "1", "expected": {"a": "x"}, "actual": {"a": "y"}}\n')
    run = fw.run({"cases": str(tmp_path / "cases.jsonl"), "evaluators": [rules]}, root=tmp_path, asking=Asking(disabled=True))
    [stored] = run.results()
    assert (alone.status, alone.reasoning) == ("unavailable", "no model or program is asked here")
    assert stored.result.reasoning == "no model or program is asked here"
    assert not (tmp_path / "answers.sqlite").exists()
