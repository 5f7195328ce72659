"""A server at its worst, and a process that is killed: nothing is lost, and nothing is paid for twice."""

import json
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from model_server import ModelServer, Say, model_server

import fieldwise as fw
from fieldwise.ask.asker import open_asker
from fieldwise.cli.app import app
from fieldwise.model.ask import Asking, Asks, Chat, Endpoint, Message, Replies

CASES = 1000
RETRY_AFTER = 0.05
GOOD = Say('{"reasoning": "fine", "hits": ["a"], "misses": [], "score": 1}')
HARMLESS = ("wait", "fails", "hangs", "no completion")


class Storm:
    """30 % 429 with Retry-After, 10 % 5xx, 10 % malformed, 5 % hanging; otherwise a good answer.

    Every question has dice of its own, so its fate does not depend on the order in which requests arrive.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.dice: dict[str, random.Random] = {}
        self.kinds: Counter[str] = Counter()

    def __call__(self, request: dict[str, Any]) -> Say:
        question = case_of(request)
        dice = self.dice.setdefault(question, random.Random(f"{self.seed} {question}"))
        roll = dice.random()
        for limit, kind, say in (
            (0.30, "wait", Say("slow down", status=429, headers={"Retry-After": str(RETRY_AFTER)})),
            (0.40, "fails", Say("oops", status=dice.choice([500, 502, 503, 504]))),
            (0.45, "no completion", Say(raw=b"<html>gateway</html>")),
            (0.50, "no JSON", Say("I would say it is rather good.")),
            (0.55, "hangs", Say(delay=60)),
        ):
            if roll < limit:
                self.kinds[kind] += 1
                return say
        self.kinds["good"] += 1
        return GOOD


def suite(folder: Path, server: ModelServer, cases: int, **model: Any) -> dict[str, Any]:
    lines = (json.dumps({"id": f"case {n}", "input": f"question <{n}>", "actual": f"answer {n}"}) for n in range(cases))
    (folder / "cases.jsonl").write_text("\n".join(lines))
    endpoint = {"url": server.url, "name": "judge-1", **model}
    return {"cases": str(folder / "cases.jsonl"), "evaluators": [{"type": "llm_judge", "prompt": "Is it right?", "model": endpoint}]}


def case_of(request: dict[str, Any]) -> str:
    """Which case a request is about, and whether it is the repair of a reply."""
    number = re.search(r"question <(\d+)>", json.dumps(request["messages"]))
    assert number
    return f"{number.group(1)}{'+' if len(request['messages']) > 2 else ''}"


def test_a_thousand_cases_finish_whatever_the_server_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fieldwise.ask.chat.FIRST_WAIT", 0.02)
    storm = Storm(seed=14)  # with it no question fails more than four times: eight retries are enough, by no luck
    times: list[tuple[str, float, Say]] = []

    def say(request: dict[str, Any]) -> Say:
        said = storm(request)
        times.append((case_of(request), time.monotonic(), said))
        return said

    with model_server(say) as server:
        run = fw.run(suite(tmp_path, server, CASES, timeout=4, concurrency=64), root=tmp_path, chunk=CASES)
    results = [stored.result for stored in run.results()]
    assert all(storm.kinds[kind] > 20 for kind in (*HARMLESS, "no JSON"))
    assert Counter(result.status for result in results).total() == CASES
    assert {result.status for result in results} <= {"scored", "error"}
    unread = [result for result in results if result.status == "error"]
    assert all(result.details["raw_reply"] == "I would say it is rather good." for result in unread)  # so it was when repaired, too
    assert len(unread) < 20
    assert run.summary["llm_judge.score"] == 1.0
    last: dict[str, float] = {}
    for case, when, said in times:
        assert when >= last.pop(case, 0.0), "sent before Retry-After"
        if said.status == 429:
            last[case] = when + RETRY_AFTER
    good = Counter(case for case, _, said in times if said.status == 200 and said.raw is None and not said.delay)
    assert set(good.values()) == {1}, "an answered question was asked again"


def answered(request: dict[str, Any]) -> Say:
    """A good answer that says which case it is about, so that it can be told from what the client keeps."""
    return Say(json.dumps({"reasoning": f"case <{case_of(request)}>", "hits": ["a"], "misses": [], "score": 1}), delay=0.01)


def committed(folder: Path) -> set[str]:
    """The cases whose answers are in the cache."""
    with closing(sqlite3.connect(folder / "answers.sqlite")) as connection:
        texts = [text for (text,) in connection.execute("SELECT text FROM answers")]
    return {re.findall(r"case <(\d+)>", text)[0] for text in texts}


def quiet(server: ModelServer) -> int:
    """How many requests there were, once everything that was on its way has arrived."""
    seen = -1
    while seen != len(server.requests) or server.at_once:
        seen = len(server.requests)
        time.sleep(0.1)
    return seen


def test_a_kill_in_the_middle_repeats_no_call_whose_answer_was_committed(tmp_path: Path) -> None:
    """Killed five times: what was committed is never asked again, and what is lost is only what was on its way."""
    concurrency, cases = 8, 400
    with model_server(answered) as server:
        config = suite(tmp_path, server, cases, concurrency=concurrency)
        program = f"import fieldwise as fw; fw.run({config!r}, root={str(tmp_path)!r})"
        for kill in range(5):
            before, committed_before = quiet(server), committed(tmp_path) if kill else set[str]()
            process = subprocess.Popen([sys.executable, "-c", program])
            while len(server.said) < 60 * (kill + 1):
                assert process.poll() is None
                time.sleep(0.002)
            process.send_signal(signal.SIGKILL)
            process.wait()
            after, kept = quiet(server), committed(tmp_path)
            asked = [case_of(request) for request in server.requests[before:after]]
            assert not committed_before & set(asked), "an answer that was committed was asked for again"
            assert committed_before <= kept, "an answer that was committed is lost"
            # Every answer that the client read is committed: missing are only questions that were on their way.
            assert len(set(asked) - kept) <= concurrency
            assert 0 < len(kept) < cases
        kept = committed(tmp_path)
        last = len(server.requests)
        run = fw.run(config, root=tmp_path)
    again = [case_of(request) for request in server.requests[last:]]
    assert not kept & set(again)
    assert len(again) == len(set(again)) == cases - len(kept)
    assert run.full.evaluators["llm_judge"].counts.scored == cases
    assert sum(result.result.details["usage"]["cached"] for result in run.results()) == len(kept)


def test_an_answer_is_committed_before_anybody_uses_it(tmp_path: Path) -> None:
    """The judge that gets a reply finds its answer in the file already, read by another process."""
    seen: list[bool] = []
    with model_server(answered) as server, open_asker(Asking(cache=tmp_path / "answers.sqlite")) as asker:
        endpoint = Endpoint(url=server.url, name="judge-1", concurrency=4)
        schema = {"type": "object", "required": ["score"]}
        asks = {n: (Chat(endpoint=endpoint, messages=(Message("user", f"question <{n}>"),), schema=schema),) for n in range(20)}

        def follow(which: int, replies: Replies) -> Asks:
            program = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT text FROM answers').fetchall())"
            completed = subprocess.run(
                [sys.executable, "-c", program, str(tmp_path / "answers.sqlite")], capture_output=True, text=True, check=True
            )
            seen.append(f"case <{which}>" in completed.stdout)
            return ()

        asker.answer(asks, follow)
    assert seen == [True] * 20


def test_the_command_asks_again_only_what_could_not_be_used_unless_it_is_told_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = {"0": Say("no JSON")}
    with model_server(lambda request: said.get(case_of(request).rstrip("+"), GOOD)) as server:
        config = suite(tmp_path, server, 3)
        (tmp_path / "suite.yaml").write_text(json.dumps(config))

        def asked(*options: str) -> int:
            before = len(server.requests)
            CliRunner().invoke(app, ["run", "suite.yaml", *options])
            return len(server.requests) - before

        assert asked() == 4  # the reply that cannot be used is sent back once
        said.clear()
        assert [asked(), asked(), asked("--fresh"), asked()] == [1, 0, 3, 0]
