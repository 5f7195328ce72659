"""Runs that have not finished: who writes them, and how far they are."""

import json
from pathlib import Path

import pytest

import fieldwise as fw
from fieldwise.store.in_progress import RunMonitor, RunProgress
from fieldwise.store.lock import RunLock, is_locked

SUITE = {"name": "numbers", "evaluators": [{"type": "field_accuracy", "fields": ["a"]}]}


@pytest.fixture
def cases(tmp_path: Path) -> str:
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps({"expected": {"a": n}, "actual": {"a": n}}) + "\n" for n in range(6)))
    return str(path)


def test_a_run_is_running_while_somebody_writes_it_and_gone_when_it_has_finished(tmp_path: Path, cases: str) -> None:
    watch, seen = RunMonitor(tmp_path), list[list[RunProgress]]()
    run = fw.run(SUITE, cases=cases, root=tmp_path, chunk=2, progress=lambda done, share: seen.append(watch.list_unfinished()))
    assert [(entry.id, entry.running, entry.name) for entry in seen[0]] == [(run.id, True, "numbers")]
    assert watch.list_unfinished() == []


def test_a_run_that_stopped_is_interrupted_with_what_it_kept_and_how_to_go_on(tmp_path: Path, cases: str) -> None:
    suite = tmp_path / "my suite.yaml"
    suite.write_text(json.dumps({**SUITE, "cases": "cases.jsonl"}))
    for _ in range(2):
        with pytest.raises(RuntimeError):
            fw.run(suite, root=tmp_path, chunk=2, progress=stop)
    later, earlier = RunMonitor(tmp_path).list_unfinished()
    assert (later.running, later.cases) == (False, 2)
    assert later.command == f"fieldwise run '{suite}' --resume"
    assert earlier.command == f"fw.run({str(suite)!r}, resume='{earlier.id}')"


def stop(done: int, share: float | None) -> None:
    raise RuntimeError("stop here")


def test_a_run_whose_manifest_is_torn_or_absent_is_not_told(tmp_path: Path, cases: str) -> None:
    with pytest.raises(RuntimeError):
        fw.run(SUITE, cases=cases, root=tmp_path, progress=stop)
    [folder] = (tmp_path / "runs").iterdir()
    (folder / "manifest.json").write_text("{")
    assert RunMonitor(tmp_path).list_unfinished() == []
    (folder / "manifest.json").unlink()
    assert RunMonitor(tmp_path).list_unfinished() == []


def test_looking_at_a_lock_neither_takes_it_nor_is_taken_for_a_writer(tmp_path: Path) -> None:
    assert not is_locked(tmp_path)
    lock = RunLock(tmp_path)
    assert is_locked(tmp_path)
    assert is_locked(tmp_path)
    lock.release()
    assert not is_locked(tmp_path)
    RunLock(tmp_path).release()
