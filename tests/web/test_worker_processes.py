"""Evaluations for the web: in processes that can be killed, so that no request blocks the server."""

import os
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.store.errors import StoreError
from fieldwise.web.jobs import JobQueue
from fieldwise.web.settings import RequestLimits, Settings
from fieldwise.web.worker_processes import CallCancelled, EvaluationWorkers, WorkerProcess, WorkerProcessLost, resident_memory

TOKEN = "a-launch-token-for-tests"
FAST = {"seconds": 30.0, "memory": 4_000_000_000}
DOUBLING = {
    "$defs": {f"d{level}": {"allOf": [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(40)} | {"d40": {"type": "object"}},
    "$ref": "#/$defs/d0",
}
"""A schema that takes 2^40 steps: valid, and without end for practical purposes."""
HEAVY = {"expected": {}, "actual": {"x": 1}, "evaluators": [{"type": "json_schema", "schema": DOUBLING}]}


def double(number: int) -> int:
    return 2 * number


def hang() -> None:
    while True:
        time.sleep(1)


def fill_memory() -> int:
    blocks = []
    while True:
        blocks.append(bytearray(20_000_000))
        time.sleep(0.01)


def die() -> None:
    os._exit(9)


def refuse() -> None:
    raise ConfigError([Diagnostic(code="no", what="not like this")])


def fail_to_store() -> None:
    raise StoreError("the disk is full")


def crash() -> None:
    raise ZeroDivisionError("secret")


def count_up(last: int, report: Any) -> str:
    for number in range(last):
        report(number)
    return "done"


@pytest.fixture
def worker() -> Any:
    process = WorkerProcess()
    yield process
    process.kill()


def test_a_worker_is_used_again(worker: WorkerProcess) -> None:
    assert [worker.call(double, number, **FAST) for number in range(3)] == [0, 2, 4]
    assert worker.alive


def test_a_call_beyond_its_time_is_killed(worker: WorkerProcess) -> None:
    started = time.monotonic()
    with pytest.raises(WorkerProcessLost, match=r"longer than 0\.3 seconds"):
        worker.call(hang, seconds=0.3, memory=4_000_000_000)
    assert time.monotonic() - started < 10
    assert not worker.alive


def test_a_call_beyond_its_memory_is_killed(worker: WorkerProcess) -> None:
    if not resident_memory(os.getpid()):
        pytest.skip("this system does not tell the memory of a process")
    with pytest.raises(WorkerProcessLost, match=r"more than 381 MB"):
        worker.call(fill_memory, seconds=60, memory=400_000_000)


def test_a_worker_that_dies_is_a_problem_and_not_a_hang(worker: WorkerProcess) -> None:
    with pytest.raises(WorkerProcessLost, match="died"):
        worker.call(die, **FAST)


def test_errors_of_the_function_are_raised_here(worker: WorkerProcess) -> None:
    with pytest.raises(ConfigError, match="not like this"):
        worker.call(refuse, **FAST)
    with pytest.raises(StoreError, match="disk is full"):
        worker.call(fail_to_store, **FAST)
    with pytest.raises(RuntimeError, match=r"^ZeroDivisionError$"):
        worker.call(crash, **FAST)
    assert worker.call(double, 4, **FAST) == 8


def test_reports_arrive_in_order_and_a_call_can_be_cancelled(worker: WorkerProcess) -> None:
    reports: list[int] = []
    assert worker.call(count_up, 5, on_report=reports.append, **FAST) == "done"
    assert reports == [0, 1, 2, 3, 4]
    with pytest.raises(CallCancelled):
        worker.call(hang, is_cancelled=lambda: True, **FAST)


def test_after_a_killed_call_the_next_one_gets_a_new_worker() -> None:
    workers = EvaluationWorkers(RequestLimits(workers=1, seconds=4))
    with pytest.raises(Exception, match="longer than"):
        workers.call(hang)
    assert workers.call(double, 21) == 42
    workers.close()


def test_a_request_without_end_is_refused_and_the_server_goes_on(serve: Any, tmp_path: Path) -> None:
    address = serve(Settings(root=tmp_path, workspace=tmp_path, token=TOKEN, limits=RequestLimits(seconds=2)))
    with httpx.Client(base_url=address, headers={"authorization": f"Bearer {TOKEN}"}, timeout=60) as client:
        answer = client.post("/api/v1/evaluate", json=HEAVY)
        assert (answer.status_code, answer.json()["diagnostics"][0]["code"]) == (503, "too-long")
        started = time.monotonic()
        assert client.get("/api/v1/health").status_code == 200
        assert time.monotonic() - started < 2
        good = client.post("/api/v1/evaluate", json={"expected": {"a": 1}, "actual": {"a": 1}, "default_text": "EXACT"})
        assert good.status_code == 200


def test_the_catastrophic_pattern_is_answered(serve: Any, tmp_path: Path) -> None:
    address = serve(Settings(root=tmp_path, workspace=tmp_path, token=TOKEN))
    schema = {"properties": {"x": {"pattern": "^(a+)+$"}}}
    body = {"expected": {}, "actual": {"x": "a" * 50 + "!"}, "evaluators": [{"type": "json_schema", "schema": schema}]}
    with httpx.Client(base_url=address, headers={"authorization": f"Bearer {TOKEN}"}, timeout=30) as client:
        assert client.post("/api/v1/evaluate", json=body).json()["results"][0]["score"] == 0.0


def test_a_job_that_killed_its_worker_is_not_resumed(tmp_path: Path) -> None:
    settings = Settings(root=tmp_path, limits=RequestLimits(job_seconds=1.5))
    first = JobQueue(settings)
    first.start()
    job = first.add("endless", b'{"expected": {}, "actual": {"x": 1}}\n', HEAVY["evaluators"])
    assert job is not None
    for _ in range(600):
        if first.get(job.id).state not in ("waiting", "running"):
            break
        time.sleep(0.05)
    first.stop()
    assert first.get(job.id).state == "failed"
    assert first.get(job.id).diagnostics[0]["code"] == "too-long"
    second = JobQueue(settings)
    second.start()
    time.sleep(0.2)
    assert second.get(job.id).state == "failed"
    second.stop()


def test_no_more_jobs_than_the_limit_are_queued(tmp_path: Path) -> None:
    jobs = JobQueue(Settings(root=tmp_path, limits=RequestLimits(jobs=3)))  # not started: all of them wait
    added = [jobs.add("j", b"{}\n", []) for _ in range(5)]
    assert [job is not None for job in added] == [True, True, True, False, False]
    jobs.stop()


def test_the_server_stops_at_once_while_a_request_is_evaluated() -> None:
    import threading

    workers = EvaluationWorkers(RequestLimits(workers=1, seconds=60))
    problems: list[Exception] = []

    def ask() -> None:
        try:
            workers.call(hang)
        except Exception as error:
            problems.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(1)
    started = time.monotonic()
    workers.close()
    thread.join(10)
    assert not thread.is_alive()
    assert time.monotonic() - started < 8
    assert len(problems) == 1
