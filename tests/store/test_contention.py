"""Several processes and one run: each resumes, deletes or waits, and nothing is lost or counted twice."""

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
import fieldwise.store.manifest
import fieldwise.store.writer
from fieldwise.store.run import list_runs, open_run

SUITE = {"name": "s", "evaluators": [{"type": "field_accuracy", "fields": ["a"]}]}
RESUME = """
import json, sys
import fieldwise as fw, fieldwise.store.writer
from fieldwise import ConfigError
fieldwise.store.writer.PART_CASES = 10
try:
    run = fw.run(json.loads(sys.argv[1]), cases=sys.argv[2], root=sys.argv[3], resume=sys.argv[4], chunk=5)
    print(run.id, run.summary["field_accuracy.score"])
except ConfigError as error:
    print("refused", str(error).splitlines()[0])
"""
DELETE = """
import sys
from fieldwise import ConfigError
from fieldwise.store.delete import delete_runs
from fieldwise.store.run import open_run
try:
    delete_runs([open_run(sys.argv[1], sys.argv[2])])
    print("deleted")
except (ConfigError, OSError, KeyError) as error:
    print("refused", str(error).splitlines()[0])
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(fieldwise.store.writer, "PART_CASES", 10)
    cases = [{"id": f"c{at}", "expected": {"a": at}, "actual": {"a": at % 4}} for at in range(200)]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    return tmp_path


def run(folder: Path, root: str = "root", **options: Any) -> fw.Run:
    return fw.run(SUITE, cases=str(folder / "data.jsonl"), root=folder / root, chunk=5, **options)


def interrupt(folder: Path) -> str:
    def stop(done: int, share: float | None) -> None:
        if done >= 60:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(folder, progress=stop)
    return open_run(folder / "root").id


def start(script: str, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_of_four_processes_that_resume_one_run_one_does_and_the_others_are_refused(folder: Path) -> None:
    stopped = interrupt(folder)
    processes = [start(RESUME, json.dumps(SUITE), str(folder / "data.jsonl"), str(folder / "root"), stopped) for _ in range(4)]
    outputs = [process.communicate(timeout=120)[0].strip() for process in processes]
    finished = [output for output in outputs if not output.startswith("refused")]
    assert finished == [f"{stopped} {run(folder, 'other').summary['field_accuracy.score']}"]
    assert all(output.startswith("refused") for output in outputs if output not in finished)
    assert len(list(open_run(folder / "root").results())) == 200


def test_a_run_that_one_process_deletes_while_another_resumes_it_is_whole_or_gone(folder: Path) -> None:
    whole = run(folder, "other").summary
    for _ in range(3):
        stopped = interrupt(folder)
        resuming = start(RESUME, json.dumps(SUITE), str(folder / "data.jsonl"), str(folder / "root"), stopped)
        deleting = start(DELETE, str(folder / "root"), stopped)
        outputs = [process.communicate(timeout=120)[0].strip() for process in (resuming, deleting)]
        left = [stored for stored in list_runs(folder / "root") if stored.id == stopped]
        if left:
            assert left[0].summary == whole or left[0].state == "unfinished"
            assert len(list(left[0].results())) in (60, 200)
        else:
            assert outputs[1] == "deleted"


def test_a_clock_that_moves_back_neither_hides_nor_overwrites_a_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run(folder)
    now = fieldwise.store.manifest.utc_now
    monkeypatch.setattr(fieldwise.store.writer, "utc_now", lambda: now() - timedelta(days=400))
    second = run(folder)
    assert {stored.id for stored in list_runs(folder / "root")} == {first.id, second.id}
    assert open_run(folder / "root", second.id).summary == first.summary
    assert second.started < first.started
    told = [note.what for note in second.diagnostics if note.code == "earlier-clock"]
    assert told == [f"the stored run {first.id} is dated after this one, so `latest` names that run"]
    assert open_run(folder / "root", "latest").state == "finished"
