"""Many processes that store runs in one root at the same time."""

import json
import multiprocessing as mp
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
import fieldwise.engines.executors
from fieldwise.read import shards
from fieldwise.store.manifest import summary_to_json
from fieldwise.store.run import open_run
from fieldwise.store.run_names import list_run_ids

WRITERS = 16
CASES = 90


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A suite over a file of several pieces."""
    monkeypatch.setattr(shards, "SHARD_BYTES", 2000)
    monkeypatch.setattr(fieldwise.engines.executors, "SHARD_BYTES", 1)
    rows = [{"id": f"c{at}", "expected": {"total": at}, "actual": {"total": at - at % 7 // 6}} for at in range(CASES)]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return {"name": "many", "cases": str(tmp_path / "cases.jsonl"), "evaluators": [{"type": "field_accuracy", "fields": ["total"]}]}


def write(suite: dict[str, Any], root: Path, ready: Any, reports: Any) -> None:
    try:
        ready.wait(60)
        reports.put((fw.run(suite, root=root, workers=2).id, None))
    except BaseException as error:
        reports.put((None, f"{type(error).__name__}: {error}"))


def test_sixteen_processes_of_two_workers_each_store_their_runs_in_one_root(suite: dict[str, Any], tmp_path: Path) -> None:
    root = tmp_path / "root"
    alone = fw.run(suite, root=tmp_path / "alone")
    expected = [(item.case, item.result.to_json()) for item in alone.results()]
    context = mp.get_context("fork")
    ready, reports = context.Barrier(WRITERS), context.Queue()
    writers = [context.Process(target=write, args=(suite, root, ready, reports)) for _ in range(WRITERS)]
    for writer in writers:
        writer.start()
    outcomes = [reports.get(timeout=120) for _ in writers]
    for writer in writers:
        writer.join(60)
    assert [problem for _, problem in outcomes if problem] == []
    assert [writer.exitcode for writer in writers] == [0] * WRITERS
    assert sorted(name for name, _ in outcomes) == list_run_ids(root)
    assert len(list_run_ids(root)) == WRITERS
    for name in list_run_ids(root):
        run = open_run(root, name)
        assert run.state == "finished"
        assert len(run.manifest.parts) > 2
        assert summary_to_json(run.manifest.summary) == summary_to_json(alone.manifest.summary)
        assert [(item.case, item.result.to_json()) for item in run.results()] == expected
