"""A run in pieces: its shards given to an executor, and what comes of them put together as if they had been read in order."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from fieldwise.engines.run_totals import Tally
from fieldwise.engines.shard_worker import Done, Executor, Task, Work
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.read.cases import CaseReader
from fieldwise.read.ids import IdsSeen
from fieldwise.read.shards import Shard, Unsplittable, check_roles, shards_of
from fieldwise.store.manifest import Part
from fieldwise.store.reading import check_parts
from fieldwise.store.writer import RunWriter

Progress = Callable[[int, float | None], None]
"""Told how many cases are done, and which share of the input that is if it is known."""


def in_pieces(
    plan: Plan, reader: CaseReader, writer: RunWriter, executor: Executor | None, chunk: int, progress: Progress | None, *, whole: bool
) -> Tally | None:
    """Score and store every case in pieces; None where this process has to do it, or does better, from the start to the end."""
    assert plan.source is not None
    size = reader.size_hint.total or 0
    if executor is None or size < executor.least:
        return None
    shards = shards_of(plan.source) if whole else None
    if shards is not None:
        work = Work(plan=plan, folder=writer.path, roles=reader.found.roles, columns=reader.found.columns or frozenset(), chunk=chunk)
        try:
            tally, problems = _score_pieces(work, shards, writer, executor, progress, size)
        except Unsplittable:
            pass
        else:
            reader.diagnostics += problems
            return tally
    if not executor.least:  # somebody asked for it, whatever the size
        what, fix = "the cases cannot be read in pieces, so one process did all the work", "put all of them in JSONL or Parquet files"
        reader.diagnostics.append(Diagnostic(code="one-piece", level="warning", what=what, fix=fix))
    return None


def _score_pieces(
    work: Work, shards: Iterator[Shard], writer: RunWriter, executor: Executor, progress: Progress | None, size: int
) -> tuple[Tally, list[Diagnostic]]:
    """Score and store every case that is not stored yet; gives what they come to, and what is wrong with their ids.

    `Unsplittable` where the rows turn out to need reading from start to end; nothing is left of the pieces then.
    """
    assert work.plan.source is not None
    merging, telling = _Merging(work.plan.evaluators, work.columns), _Telling(progress, size)
    try:
        for done in executor.do(work, merging.given(_tasks(shards, writer)), telling.cases):
            writer.adopt(done.parts)
            merging.take(done)
            telling.piece(done.task.shard)
        check_roles(work.plan.source, merging.columns, work.roles)
    except Unsplittable:
        writer.abandon()
        raise
    merging.tally.add(writer.path, writer.standing)
    if isinstance(writer.path, Path):  # a remote store keeps what it has taken, and asking for each file takes its time
        check_parts(writer.path, writer.parts)
    return merging.tally, merging.ids.duplicates()


def _tasks(shards: Iterator[Shard], writer: RunWriter) -> Iterator[Task]:
    for shard in shards:
        standing = _within(shard, writer.standing)
        yield Task(shard=shard, number=writer.numbers(1 + len(standing)), standing=standing)


class _Merging:
    """What pieces come to, put together in their order as soon as that can be, so that only those ahead of a slow one are held."""

    def __init__(self, evaluators: Sequence[PlannedEvaluator], columns: frozenset[str]) -> None:
        self.tally, self.ids, self.columns = Tally(evaluators), IdsSeen(), columns
        self._given: deque[int] = deque()
        self._ahead: dict[int, Done] = {}

    def given(self, tasks: Iterator[Task]) -> Iterator[Task]:
        """The tasks, while their order is remembered."""
        for task in tasks:
            self._given.append(task.number)
            yield task

    def take(self, done: Done) -> None:
        """Take in a piece, and whatever waited for it."""
        self._ahead[done.task.number] = done
        self.columns |= done.columns
        while self._given and self._given[0] in self._ahead:
            next_one = self._ahead.pop(self._given.popleft())
            self.tally.merge(next_one.tally)
            self.ids.merge(next_one.ids)


def _within(shard: Shard, standing: Sequence[Part]) -> tuple[Part, ...]:
    end = shard.first + shard.cases
    return tuple(part for part in standing if part.first < end and part.first + part.cases > shard.first)


class _Telling:
    """How far a run in pieces has come: cases as they are done, the share of the input by whole pieces and what is done of others."""

    def __init__(self, progress: Progress | None, size: int) -> None:
        self._progress, self._size = progress, size
        self._cases = self._whole_cases = self._bytes = 0

    def cases(self, more: int) -> None:
        """So many more cases are done."""
        self._cases += more
        if self._progress is not None:
            self._progress(self._cases, self._share())

    def piece(self, shard: Shard) -> None:
        """A whole piece is done."""
        self._whole_cases += shard.cases
        self._bytes += shard.size

    def _share(self) -> float | None:
        if not self._size or not self._whole_cases:
            return 0.0 if self._size else None
        under_way = (self._cases - self._whole_cases) * self._bytes / self._whole_cases
        return min((self._bytes + max(under_way, 0.0)) / self._size, 1.0)
