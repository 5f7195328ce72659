"""What a run in the making comes to: the same code that sums up a run, over the parts that are complete."""

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import fieldwise as fw
from fieldwise.store.run import Run, open_run
from fieldwise.web import partial_results
from fieldwise.web.partial_results import PartialResults, RunAccumulator

SUITE = {"name": "numbers", "evaluators": [{"type": "field_accuracy", "name": "fields", "fields": ["a", "b"]}, {"type": "field_prf"}]}


def interrupted(workspace: Path, batches: int) -> str:
    """A run that stopped after so many batches of two cases."""
    left = batches

    def stop(done: int, share: float | None) -> None:
        nonlocal left
        left -= 1
        if not left:
            raise RuntimeError("stop here")

    with pytest.raises(RuntimeError):
        fw.run(SUITE, cases=str(workspace / "data" / "cases.jsonl"), root=workspace / ".fieldwise", progress=stop, chunk=2)
    [folder] = (workspace / ".fieldwise" / "runs").iterdir()
    return folder.name


def in_parts(workspace: Path) -> Run:
    """A run of six cases in two parts: it stopped once, and went on."""
    before = interrupted(workspace, 1)
    run = fw.run(SUITE, cases=str(workspace / "data" / "cases.jsonl"), root=workspace / ".fieldwise", resume=before)
    assert [part.cases for part in run.parts] == [2, 4]
    return run


def test_all_parts_of_a_run_come_to_its_summary(workspace: Path) -> None:
    run = in_parts(workspace)
    output = RunAccumulator(run).update()
    assert output is not None
    assert (output.cases, output.complete) == (6, True)
    assert {row.name: row.score for row in output.rows} == {name: entry.metrics["score"] for name, entry in run.full.evaluators.items()}
    assert [sum(part.count for part in row.statuses) for row in output.rows] == [6, 6]
    assert dict(output.rows[0].lowest).keys() == {"a"}


def test_a_large_run_is_caught_up_with_step_by_step(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = in_parts(workspace)
    monkeypatch.setattr(partial_results, "READ_SECONDS", -1.0)
    monkeypatch.setattr(partial_results, "SUMMARY_INTERVAL", 0)
    partial = PartialResults()
    summaries = [partial.summarize(run) for _ in range(3)]
    assert [(entry.cases, entry.complete) for entry in summaries if entry] == [(2, False), (6, True), (6, True)]


def test_a_run_without_a_complete_part_comes_to_nothing_yet(workspace: Path) -> None:
    run = fw.run(SUITE, cases=str(workspace / "data" / "cases.jsonl"), root=workspace / ".fieldwise")
    for path in Path(str(run.path)).glob("parts/*.json"):
        path.unlink()
    assert RunAccumulator(open_run(workspace / ".fieldwise", run.id)).update() is None


def test_a_run_that_is_scored_again_is_summed_up_from_the_start(workspace: Path) -> None:
    run = in_parts(workspace)
    seen = RunAccumulator(run)
    assert seen.update() is not None
    [first, *_] = sorted(Path(str(run.path)).glob("parts/*.json"))
    first.unlink()
    output = seen.update()
    assert output is not None
    assert output.cases == 4


def test_the_page_of_an_unfinished_run_says_what_it_comes_to_so_far(client: TestClient, workspace: Path) -> None:
    run = interrupted(workspace, 1)
    page = client.get(f"/runs/{run}").text
    assert "So far: 2 cases" in page
    assert "The figures change until the run has finished" in page
    finished = fw.run(SUITE, cases=str(workspace / "data" / "cases.jsonl"), root=workspace / ".fieldwise")
    assert "So far: 2 of about 6 cases" in client.get(f"/runs/{run}").text
    assert "So far" not in client.get(f"/runs/{finished.id}").text


def test_an_interrupted_run_that_is_summed_up_is_not_listened_to(client: TestClient, workspace: Path) -> None:
    run = interrupted(workspace, 1)
    assert "data-events" not in client.get(f"/runs/{run}").text
    output: Any = client.get(f"/events/{run}").text
    assert output.count("event: progress") == 1
    assert '"more": false' in output
