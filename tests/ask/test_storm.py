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
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, Say, model_server

import fieldwise as fw

CASES = 1000
RETRY_AFTER = 0.05
GOOD = Say('{"reasoning": "fine", "hits": ["a"], "misses": [], "score": 1}')
HARMLESS = ("wait", "fails", "hangs", "no completion")


class Storm:
    """30 % 429 with Retry-After, 10 % 5xx, 10 % malformed, 5 % hanging; otherwise a good answer."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.kinds: Counter[str] = Counter()

    def __call__(self, request: dict[str, Any]) -> Say:
        roll = self.dice.random()
        for limit, kind, say in (
            (0.30, "wait", Say("slow down", status=429, headers={"Retry-After": str(RETRY_AFTER)})),
            (0.40, "fails", Say("oops", status=self.dice.choice([500, 502, 503, 504]))),
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
    storm = Storm(seed=5)
    times: list[tuple[str, float, Say]] = []

    def say(request: dict[str, Any]) -> Say:
        said = storm(request)
        times.append((case_of(request), time.monotonic(), said))
        return said

    with model_server(say) as server:
        run = fw.run(suite(tmp_path, server, CASES, timeout=2, concurrency=64), root=tmp_path, chunk=CASES)
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


def test_a_kill_in_the_middle_repeats_no_call_that_was_answered(tmp_path: Path) -> None:
    concurrency = 8
    with model_server(Say(GOOD.content, delay=0.01)) as server:
        config = suite(tmp_path, server, 400, concurrency=concurrency)
        program = f"import fieldwise as fw; fw.run({config!r}, root={str(tmp_path)!r})"
        first = subprocess.Popen([sys.executable, "-c", program])
        while len(server.said) < 100:
            assert first.poll() is None
            time.sleep(0.005)
        first.send_signal(signal.SIGKILL)
        first.wait()
        with sqlite3.connect(tmp_path / "answers.sqlite") as connection:
            (kept,) = connection.execute("SELECT count(*) FROM answers").fetchone()
        run = fw.run(config, root=tmp_path)
    asked = Counter(case_of(request) for request in server.requests)
    assert 100 - concurrency <= kept < 400
    assert run.full.evaluators["llm_judge"].counts.scored == 400
    assert len(asked) == 400
    # Asked again is only what was on its way when the process died, and so was never kept.
    assert sum(count - 1 for count in asked.values()) <= concurrency
    assert len(server.requests) <= 400 + concurrency
    assert sum(result.result.details["usage"]["cached"] for result in run.results()) == kept
