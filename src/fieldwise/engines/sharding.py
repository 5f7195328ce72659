"""A run in shards: gives them to an executor and merges the outcomes as if all cases had been read in order."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from fieldwise.engines.run_totals import RunTotals
from fieldwise.engines.shard_worker import Executor, RunSetup, ShardDone, ShardTask
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.read.cases import CaseReader
from fieldwise.read.ids import IdsSeen
from fieldwise.read.shards import Shard, Unsplittable, check_roles, split_source
from fieldwise.store.manifest import Part
from fieldwise.store.part_reader import verify_parts
from fieldwise.store.writer import RunWriter

Progress = Callable[[int, float | None], None]
"""Called with the number of cases done, and the share of the input that is done if known."""


def score_in_shards(
    plan: Plan, reader: CaseReader, writer: RunWriter, executor: Executor | None, chunk: int, progress: Progress | None, *, all_cases: bool
) -> RunTotals | None:
    """Score and store every case in shards; None if this process must, or should, score all cases in order.

    `all_cases` is False for a selection of cases, which cannot be divided into shards.
    """
    assert plan.source is not None
    size = reader.progress.total or 0
    if executor is None or size < executor.min_bytes:
        return None
    shards = split_source(plan.source) if all_cases else None
    if shards is not None:
        setup = RunSetup(
            plan=plan, folder=writer.path, roles=reader.columns_seen.roles, columns=reader.columns_seen.columns or frozenset(), chunk=chunk
        )
        try:
            totals, problems = _score_shards(setup, shards, writer, executor, progress, size)
        except Unsplittable:
            pass  # the rows must be read in order, which the caller does
        else:
            reader.diagnostics += problems
            return totals
    if not executor.min_bytes:  # the executor was requested, so warn that it was not used
        what, fix = "the cases cannot be read in shards, so one process did all the work", "put all of them in JSONL or Parquet files"
        reader.diagnostics.append(Diagnostic(code="one-piece", level="warning", what=what, fix=fix))
    return None


def _score_shards(
    setup: RunSetup, shards: Iterator[Shard], writer: RunWriter, executor: Executor, progress: Progress | None, size: int
) -> tuple[RunTotals, list[Diagnostic]]:
    """Score and store every case that is not stored yet; return the totals and the problems with case ids.

    Raise `Unsplittable` if the rows turn out to need reading in order; the parts written until then are discarded.
    """
    assert setup.plan.source is not None
    merger, tracker = _ShardMerger(setup.plan.evaluators, setup.columns), _ProgressTracker(progress, size)
    try:
        tasks = merger.remember_order(_shard_tasks(shards, writer))
        for done in executor.run_shards(setup, tasks, tracker.add_cases):
            writer.add_parts(done.parts)
            merger.add(done)
            tracker.finish_shard(done.task.shard)
        check_roles(setup.plan.source, merger.columns, setup.roles)
    except Unsplittable:
        writer.discard_new_parts()
        raise
    merger.totals.add_stored_parts(writer.path, writer.resumed_parts)
    if isinstance(writer.path, Path):  # a remote store keeps what it has confirmed, and reading every file again is slow
        verify_parts(writer.path, writer.parts)  # the totals come from the memory of the workers
    return merger.totals, merger.ids.report_duplicates()


def _shard_tasks(shards: Iterator[Shard], writer: RunWriter) -> Iterator[ShardTask]:
    for shard in shards:
        resumed = _parts_within(shard, writer.resumed_parts)
        yield ShardTask(shard=shard, number=writer.reserve_numbers(1 + len(resumed)), resumed_parts=resumed)


def _parts_within(shard: Shard, parts: Sequence[Part]) -> tuple[Part, ...]:
    end = shard.first_case + shard.cases
    return tuple(part for part in parts if part.first < end and part.first + part.cases > shard.first_case)


class _ShardMerger:
    """Merges shards in the order of their cases, as early as possible: only shards ahead of a slow one are held."""

    def __init__(self, evaluators: Sequence[PlannedEvaluator], columns: frozenset[str]) -> None:
        self.totals, self.ids, self.columns = RunTotals(evaluators), IdsSeen(), columns
        self._order: deque[int] = deque()
        self._waiting: dict[int, ShardDone] = {}

    def remember_order(self, tasks: Iterator[ShardTask]) -> Iterator[ShardTask]:
        """Yield the tasks and remember their order."""
        for task in tasks:
            self._order.append(task.number)
            yield task

    def add(self, done: ShardDone) -> None:
        """Add a shard, and merge it with those that waited for it."""
        self._waiting[done.task.number] = done
        self.columns |= done.columns
        while self._order and self._order[0] in self._waiting:
            next_shard = self._waiting.pop(self._order.popleft())
            self.totals.merge(next_shard.totals)
            self.ids.merge(next_shard.ids)


class _ProgressTracker:
    """Progress of a run in shards: the cases done, and the share of the input, estimated from the shards that are finished."""

    def __init__(self, progress: Progress | None, size: int) -> None:
        self._progress, self._size = progress, size
        self._cases = self._finished_cases = self._finished_bytes = 0

    def add_cases(self, cases: int) -> None:
        """Count further cases, and report them."""
        self._cases += cases
        if self._progress is not None:
            self._progress(self._cases, self._share_done())

    def finish_shard(self, shard: Shard) -> None:
        """Count a shard as finished."""
        self._finished_cases += shard.cases
        self._finished_bytes += shard.size

    def _share_done(self) -> float | None:
        if not self._size or not self._finished_cases:
            return 0.0 if self._size else None
        bytes_in_progress = (self._cases - self._finished_cases) * self._finished_bytes / self._finished_cases
        return min((self._finished_bytes + max(bytes_in_progress, 0.0)) / self._size, 1.0)
