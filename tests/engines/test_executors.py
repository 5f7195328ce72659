"""Worker processes: a run has the same results with any number of them, and after crashes and interrupts."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.engines.executors import WorkerLost, find_demands
from fieldwise.engines.shard_worker import RunSetup, ShardTask
from fieldwise.score import evaluate
from fieldwise.store.errors import Interrupted, StoreError
from fieldwise.store.manifest import summary_to_json
from fieldwise.store.run import open_run
from fieldwise.suite_plan import compile_suite


def run_content(run: Any) -> Any:
    """The content of a run without its id, times and paths."""
    results = [(item.case, item.evaluator, item.result.to_json()) for item in run.results()]
    return summary_to_json(run.manifest.summary), [item.to_json() for item in run.manifest.diagnostics], run.exit_code, results


@pytest.fixture
def alone(many: Path) -> Any:
    """The content of the run of one process."""
    return run_content(fw.run(many, root=many.parent / "alone"))


@pytest.mark.parametrize("workers", [2, 5])
def test_a_run_does_not_depend_on_how_many_share_the_work(many: Path, alone: Any, workers: int) -> None:
    run = fw.run(many, root=many.parent / "shared", workers=workers)
    assert len(run.manifest.parts) > 10
    assert run_content(run) == alone


def test_ids_that_come_twice_are_noticed_across_shards(many: Path) -> None:
    cases = many.parent / "cases.jsonl"
    cases.write_text(cases.read_text().replace('"id": "c401"', '"id": "c17"'))
    run = fw.run(many, root=many.parent / "shared", workers=2)
    assert [item.what for item in run.manifest.diagnostics if item.code == "duplicate-id"] == ["line 402 has the same id as line 18: `c17`"]


def test_rows_that_change_their_roles_are_read_from_start_to_end(many: Path) -> None:
    cases = many.parent / "cases.jsonl"
    text = cases.read_text()
    cases.write_text(text + text.replace('"actual"', '"output"').replace('"id": "c', '"id": "d'))
    once, shared = (fw.run(many, root=many.parent / str(workers), workers=workers) for workers in (1, 2))
    assert run_content(shared) == run_content(once)


def dying(times: int, marks: Path) -> Any:
    """score_batch that kills its process the first `times` times it reaches the case c300."""
    scored = evaluate.score_batch

    def score(plan: Any, cases: Any, first: int, services: Any) -> Any:
        if "c300" in cases.id and len(list(marks.glob("died-*"))) < times:
            (marks / f"died-{os.getpid()}").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return scored(plan, cases, first, services)

    return score


def test_the_shard_of_a_killed_process_is_retried(many: Path, alone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fieldwise.engines.shard_worker.score_batch", dying(2, many.parent))
    run = fw.run(many, root=many.parent / "shared", workers=2)
    assert len(list(many.parent.glob("died-*"))) == 2
    assert run_content(run) == alone


def test_a_shard_that_kills_every_process_ends_the_run_and_is_named(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fieldwise.engines.shard_worker.score_batch", dying(99, many.parent))
    with pytest.raises(WorkerLost, match=r"cases\.jsonl, cases \d+ to \d+ ended 3 times with code -9: is there enough memory"):
        fw.run(many, root=many.parent / "shared", workers=2)
    assert open_run(many.parent / "shared").state == "unfinished"


@pytest.mark.parametrize("harm", [Path.unlink, lambda file: file.write_bytes(file.read_bytes()[:-1])])
def test_a_part_that_is_gone_or_short_before_the_end_is_an_error_of_that_run(many: Path, harm: Callable[[Path], object]) -> None:
    harmed: list[Path] = []

    def progress(*_: Any) -> None:
        if not harmed and (parts := sorted((many.parent / "shared").rglob("*-results.parquet"))):
            harmed.append(parts[0])
            harm(parts[0])

    with pytest.raises(StoreError, match=r"results\.parquet"):
        fw.run(many, root=many.parent / "shared", workers=2, progress=progress)
    assert open_run(many.parent / "shared").state == "unfinished"


def test_an_interrupted_run_keeps_what_is_done_and_goes_on(many: Path, alone: Any) -> None:
    def interrupt(done: int, _: float | None) -> None:
        if done > 100:
            raise KeyboardInterrupt

    root = many.parent / "shared"
    with pytest.raises(Interrupted) as stopped:
        fw.run(many, root=root, workers=2, chunk=10, progress=interrupt)
    assert 100 <= stopped.value.cases < 600
    run = fw.run(many, root=root, workers=2, resume=True)
    [note] = [item.what for item in run.manifest.diagnostics if item.code == "resumed"]
    assert note == f"resumed: {stopped.value.cases} cases were already stored"
    summary, diagnostics, *rest = run_content(run)
    assert (summary, [item for item in diagnostics if item["code"] != "resumed"], *rest) == alone


def test_a_batch_that_takes_long_is_let_go_when_the_run_is_interrupted(many: Path, alone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scored = evaluate.score_batch

    def slow_from_the_hundredth_on(plan: Any, cases: Any, first: int, services: Any) -> Any:
        if first >= 100:
            time.sleep(600)
        return scored(plan, cases, first, services)

    def interrupt(done: int, _: float | None) -> None:
        if done > 60:
            raise KeyboardInterrupt

    root = many.parent / "shared"
    monkeypatch.setattr("fieldwise.engines.shard_worker.score_batch", slow_from_the_hundredth_on)
    with pytest.raises(Interrupted) as stopped:
        fw.run(many, root=root, workers=2, chunk=10, progress=interrupt)
    monkeypatch.undo()
    assert 60 < stopped.value.cases < 130
    summary, diagnostics, *rest = run_content(fw.run(many, root=root, workers=2, resume=True))
    assert (summary, [item for item in diagnostics if item["code"] != "resumed"], *rest) == alone


def test_a_killed_run_goes_on_from_its_complete_parts(many: Path, alone: Any) -> None:
    root = many.parent / "shared"
    child = os.fork()
    if not child:  # the process that will be killed, with its workers
        scored = evaluate.score_batch
        patched = pytest.MonkeyPatch()
        patched.setattr("fieldwise.engines.shard_worker.score_batch", lambda *arguments: time.sleep(0.02) or scored(*arguments))
        try:
            fw.run(many, root=root, workers=2, chunk=10)
        finally:
            os._exit(0)
    list(_until(lambda: sorted(root.glob("runs/*/parts/*.json")), 5))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    run = fw.run(many, root=root, workers=2, resume=True)
    [note] = [item.what for item in run.manifest.diagnostics if item.code == "resumed"]
    assert int(note.split()[1]) > 50
    summary, diagnostics, *rest = run_content(run)
    assert (summary, [item for item in diagnostics if item["code"] != "resumed"], *rest) == alone


def test_progress_counts_every_case_and_never_more_than_everything(many: Path) -> None:
    heard: list[tuple[int, float | None]] = []
    fw.run(many, root=many.parent / "shared", workers=2, progress=lambda done, share: heard.append((done, share)))
    assert heard[-1][0] == 600
    assert [done for done, _ in heard] == sorted(done for done, _ in heard)
    assert all(share is not None and 0 <= share <= 1 for _, share in heard)


def test_workers_end_with_the_process_that_started_them(many: Path) -> None:
    def slow(setup: RunSetup, task: ShardTask, *_: Any) -> None:
        (many.parent / f"pid-{os.getpid()}").touch()
        time.sleep(600)

    child = os.fork()
    if not child:  # the parent that will be killed
        os.setpgrp()
        patched = pytest.MonkeyPatch()
        patched.setattr("fieldwise.engines.executors.process_shard", slow)
        try:
            fw.run(many, root=many.parent / "shared", workers=2)
        finally:
            os._exit(0)
    pids = list(_until(lambda: sorted(many.parent.glob("pid-*")), 2))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    deadline = time.monotonic() + 300
    while any(Path(f"/proc/{path.name[4:]}").exists() for path in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [path.name for path in pids if Path(f"/proc/{path.name[4:]}").exists()]


def _until(look: Any, count: int) -> Iterator[Path]:
    deadline = time.monotonic() + 300
    while len(paths := look()) < count and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(paths) >= count
    return paths


def test_a_small_file_is_not_worth_a_second_process(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text('{"id": "1", "expected": {"a": 1}, "actual": {"a": 1}}\n')
    suite = {"name": "small", "cases": str(tmp_path / "cases.jsonl"), "evaluators": [{"type": "field_accuracy"}]}
    assert run_content(fw.run(suite, root=tmp_path, workers=4))[0]["cases"] == 1


@pytest.mark.parametrize(
    ("evaluator", "size"),
    [
        ({"type": "field_prf"}, 1024),
        ({"type": "field_accuracy", "fields": [{"path": "a", "match": "semantic"}]}, 256),
        ({"type": "field_accuracy", "fields": ["semantic", "llm.a"]}, 1024),
        ({"type": "json_quality"}, 256),
        ({"type": "json_quality", "default_text": "FUZZY"}, 1024),
        ({"type": "grounding", "by": "embedding"}, 256),
        ({"type": "llm_judge", "prompt": "Is it good?"}, 256),
    ],
)
def test_fewer_cases_are_scored_together_where_each_takes_long(evaluator: dict[str, Any], size: int) -> None:
    assert find_demands(compile_suite({"name": "x", "cases": "cases.jsonl", "evaluators": [evaluator]})).batch_size == size


def test_a_suite_that_asks_a_model_is_done_by_one_process(many: Path) -> None:
    judged = [{"type": "llm_judge", "prompt": "Is it right?"}]
    composed = [{"type": "composite", "evaluators": judged}]
    by_model = [{"type": "field_accuracy", "fields": [{"path": "a", "match": "fuzzy", "algorithm": "llm"}]}]
    for evaluators in (judged, composed, by_model):
        assert find_demands(compile_suite({"name": "x", "cases": "cases.jsonl", "evaluators": evaluators})).asks_models
    assert not find_demands(compile_suite(json.loads(many.read_text()) | {"cases": "cases.jsonl"})).asks_models
