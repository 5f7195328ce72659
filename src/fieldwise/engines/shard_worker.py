"""One piece of a run, done by whoever is given it: read the cases of a shard, score them, write their part.

What passes between processes is small: which range of which file to read, and what came of it. Cases and results stay where they are.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from fieldwise.engines.run_totals import Tally
from fieldwise.kernels.runtime import throughput_settings
from fieldwise.model.ask import Asker
from fieldwise.model.case import Cases
from fieldwise.model.locations import Place
from fieldwise.model.plan import Plan
from fieldwise.read.columns import Roles
from fieldwise.read.ids import IdsSeen
from fieldwise.read.shards import Shard, ShardReader
from fieldwise.score.evaluate import score_batch
from fieldwise.store.manifest import Part
from fieldwise.store.writer import Batch, batch_of, cases_left, write_part

ATTEMPTS = 3
"""How often a piece is given out again when whoever had it is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What all pieces of a run have in common."""

    plan: Plan
    folder: Place
    """Of the run."""
    roles: Roles
    columns: frozenset[str]
    chunk: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A piece of a run."""

    shard: Shard
    number: int
    """The number of the first part that it writes. It may write one more for each part that stands."""
    standing: tuple[Part, ...] = ()
    """Parts from before that hold some of its cases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of a piece; its parts are complete."""

    task: Task
    parts: tuple[Part, ...]
    tally: Tally
    ids: IdsSeen
    columns: frozenset[str]


class Halted(BaseException):
    """A batch was let go in the middle, because nobody waits for it."""


@dataclass(slots=True)
class Stop:
    """Ends a piece early, where somebody asks for it: after the batch it is at, or, halted, in the middle of it."""

    asked: Callable[[], bool] = lambda: False
    scoring: bool = False

    def halt(self) -> None:
        """Raise `Halted` if a batch is being scored; whatever else is done has to come to its end."""
        if self.scoring:
            raise Halted


class SourceChanged(Exception):
    """A file was written to while it was being read."""


Tell = Callable[[int], None]
"""Told how many more cases are done."""


class Executor(Protocol):
    """Whoever does the pieces of a run."""

    least: int
    """So many bytes of data make it worth the trouble."""

    def do(self, work: Work, tasks: Iterator[Task], tell: Tell) -> Iterator[Done]:
        """Do all of the tasks, in any order. Ctrl-C keeps what is done so far, and is raised again once that is told."""
        ...


def do_task(work: Work, task: Task, tell: Tell, stop: Stop | None = None, asker: Asker | None = None) -> Done:
    """Do a piece. Asked to stop, it writes what it has so far, and is shorter than its shard."""
    assert work.plan.source is not None
    stop = stop or Stop()
    reader = ShardReader(work.plan.source, task.shard, work.roles, work.columns, work.chunk)
    tally, at = Tally(work.plan.evaluators), task.shard.first
    writing = _Parts(work.folder / "parts", task.number, tally)
    with throughput_settings():
        for cases in reader:
            batches = [_scored(work.plan, some, first, asker, stop) for first, some in cases_left(task.standing, cases, at)]
            if None in batches:
                break
            for batch in filter(None, batches):
                writing.add(batch)
            tally.read(cases)
            at += len(cases)
            tell(len(cases))
            if stop.asked():
                break
        else:
            if at != task.shard.first + task.shard.cases:
                raise SourceChanged(f"{task.shard.file} changed while it was being read: run again once nobody writes to it")
        parts = writing.finish()
    return Done(task=task, parts=parts, tally=tally, ids=reader.ids, columns=reader.known)


def _scored(plan: Plan, cases: Cases, first: int, asker: Asker | None, stop: Stop) -> Batch | None:
    """A batch as it is stored; None if it was halted."""
    try:
        stop.scoring = True
        outcome = score_batch(plan, cases, first, asker)
        stop.scoring = False  # here too: a halt after this line would be caught by nobody
    except Halted:
        return None
    finally:
        stop.scoring = False
    return batch_of(outcome)


class _Parts:
    """The parts of a piece: one, or more where cases between them stood from before. What is complete counts."""

    def __init__(self, folder: Place, number: int, tally: Tally) -> None:
        self._folder, self._number, self._tally = folder, number, tally
        self._batches: list[Batch] = []
        self._parts: list[Part] = []

    def add(self, batch: Batch) -> None:
        if self._batches and self._batches[-1].end != batch.first:
            self._flush()
        self._batches.append(batch)

    def _flush(self) -> None:
        if self._batches:
            written = write_part(self._folder, self._number, self._batches)
            self._batches = []
            self._tally.add_written(written)
            self._parts.append(written.part)
            self._number += 1

    def finish(self) -> tuple[Part, ...]:
        self._flush()
        return tuple(self._parts)
