"""The memory of a worker and the messages between processes do not grow with the data."""

import gc
import json
import pickle
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import fieldwise as fw
from fieldwise.engines import executors, sharding
from fieldwise.engines.shard_worker import ReportCases, RunSetup, ShardDone, ShardTask, process_shard
from fieldwise.model.case import Cases
from fieldwise.read.shards import Shard, split_source
from fieldwise.score import evaluate
from fieldwise.store.manifest import summary_to_json


class InProcessExecutor:
    """An executor that processes every shard in this process, and keeps the outcomes."""

    min_bytes = 0

    def __init__(self) -> None:
        self.done: list[ShardDone] = []

    def run_shards(self, setup: RunSetup, tasks: Iterator[ShardTask], report: ReportCases) -> Iterator[ShardDone]:
        for task in tasks:
            self.done.append(process_shard(setup, task, report))
            yield self.done[-1]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> InProcessExecutor:
    executor = InProcessExecutor()
    monkeypatch.setattr(executors, "choose_executor", lambda *_: executor)
    return executor


def held() -> int:
    """How many batches of cases are alive."""
    return sum(type(item) is Cases for item in gc.get_objects())


@pytest.fixture
def older_objects_uncounted() -> Iterator[None]:
    """Leaves the objects of other tests out of `gc.get_objects`: there may be millions."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("older_objects_uncounted")
def test_a_worker_holds_two_batches_of_cases_at_most_however_long_its_shard(
    many: Path, here: InProcessExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, most, batches = held(), 0, 0
    scored = evaluate.score_batch

    def score(plan: Any, cases: Any, first: int, services: Any) -> Any:
        nonlocal most, batches
        most, batches = max(most, held() - before), batches + 1
        return scored(plan, cases, first, services)

    monkeypatch.setattr("fieldwise.engines.shard_worker.score_batch", score)
    monkeypatch.setattr("fieldwise.read.shards.SHARD_BYTES", 1 << 20)
    fw.run(many, root=many.parent / "here", chunk=10)
    [done] = here.done
    assert done.totals.cases == 600
    assert batches == 60
    assert most <= 3  # the worker's two, and the first of all, from which the rules were inferred


def test_shards_are_computed_only_when_a_worker_takes_them(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shards_taken: list[Shard] = []
    ahead: list[int] = []

    def shards(source: Any) -> Iterator[Shard]:
        for shard in split_source(source) or ():
            shards_taken.append(shard)
            yield shard

    def tell(done: int, share: float | None) -> None:
        ahead.append(len(shards_taken))

    monkeypatch.setattr(sharding, "split_source", shards)
    executor = executors.ProcessExecutor(2)
    executor.min_bytes = 0
    monkeypatch.setattr(executors, "choose_executor", lambda *_: executor)
    run = fw.run(many, root=many.parent / "shared", chunk=1000, progress=tell)
    assert len(shards_taken) == len(run.manifest.parts) > 10
    assert all(taken <= done + 2 for done, taken in enumerate(ahead, 1))


def outcome(folder: Path, here: InProcessExecutor, evaluator: dict[str, Any], rows: list[dict[str, Any]]) -> int:
    """Size in bytes of the outcome of one shard with these rows."""
    here.done.clear()
    (folder / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fieldwise.read.shards.SHARD_BYTES", 1 << 28)  # one shard
        fw.run({"name": "x", "cases": str(folder / "cases.jsonl"), "evaluators": [evaluator]}, root=folder)
    [done] = here.done
    return len(pickle.dumps(done))


def test_a_shard_returns_about_eight_bytes_per_case(tmp_path: Path, here: InProcessExecutor) -> None:
    rows = [{"id": f"c{at}", "expected": f"Rule {at} applies", "actual": f"Rule {at % 9} applies"} for at in range(4000)]
    small, large = (outcome(tmp_path, here, {"type": "answer_quality"}, rows[:count]) for count in (2000, 4000))
    assert large - small <= 2000 * 10


def test_a_shard_of_images_returns_about_thirty_bytes_more_per_box(tmp_path: Path, here: InProcessExecutor) -> None:
    boxes = [{"bbox": [at, at, 10, 10], "category": "a rather long name of a category"} for at in range(8)]
    rows = [{"id": f"c{at}", "expected": boxes, "actual": [{**box, "score": 0.1 + at / 9999} for box in boxes]} for at in range(4000)]
    small, large = (outcome(tmp_path, here, {"type": "detection"}, rows[:count]) for count in (2000, 4000))
    assert large - small <= 2000 * (10 + 16 * 35)


def test_shards_are_merged_in_order_and_only_those_ahead_are_held(
    many: Path, here: InProcessExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = fw.run(many, root=many.parent / "alone", chunk=100)
    held: list[int] = []
    taking = sharding._ShardMerger.add  # pyright: ignore[reportPrivateUsage]

    def take(self: Any, done: ShardDone) -> None:
        taking(self, done)
        held.append(len(self._waiting))

    def by_threes(setup: RunSetup, tasks: Iterator[ShardTask], report: ReportCases) -> Iterator[ShardDone]:
        while three := list(islice(tasks, 3)):
            yield from (process_shard(setup, task, report) for task in reversed(three))

    monkeypatch.setattr(sharding._ShardMerger, "add", take)  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(here, "run_shards", by_threes)
    shared = fw.run(many, root=many.parent / "shared")
    assert len(held) > 10
    assert set(held) == {0, 1, 2}
    assert summary_to_json(shared.manifest.summary) == summary_to_json(alone.manifest.summary)
    assert [item.to_json() for item in shared.manifest.diagnostics] == [item.to_json() for item in alone.manifest.diagnostics]


def test_a_shard_of_blank_lines_hides_none_of_its_neighbours(many: Path, here: InProcessExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = many.parent / "cases.jsonl"
    cases.write_text("\n" * 30_000 + cases.read_text())

    def backwards(setup: RunSetup, tasks: Iterator[ShardTask], report: ReportCases) -> Iterator[ShardDone]:
        yield from (process_shard(setup, task, report) for task in reversed(list(tasks)))

    monkeypatch.setattr(here, "run_shards", backwards)
    run = fw.run(many, root=many.parent / "shared")
    assert next(part.first for part in run.manifest.parts) == 0
    assert run.manifest.summary.cases == 600
