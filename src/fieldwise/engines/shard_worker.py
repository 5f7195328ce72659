"""One shard of a run, processed by one worker: read its cases, score them, write their parts.

Little passes between processes: which range of which file to read, and the totals. Cases and results stay in the worker.
"""

from collections.abc import Callable, Iterator
from typing import Final, Protocol

from fieldwise.dataclass import dataclass
from fieldwise.engines.run_totals import RunTotals
from fieldwise.kernels.runtime import throughput_settings
from fieldwise.model.ask import Asker
from fieldwise.model.case import Cases
from fieldwise.model.locations import Location
from fieldwise.model.plan import Plan
from fieldwise.model.services import Services
from fieldwise.read.columns import ColumnRoles
from fieldwise.read.ids import IdsSeen
from fieldwise.read.shards import Shard, ShardReader
from fieldwise.score.evaluate import score_batch
from fieldwise.score.groups import assign_groups
from fieldwise.score.services import local_services
from fieldwise.store.manifest import Part
from fieldwise.store.writer import BatchTables, build_batch_tables, cases_outside_parts, write_part

MAX_ATTEMPTS: Final = 3
"""Maximum number of attempts at a shard whose worker died."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSetup:
    """What all shards of a run share."""

    plan: Plan
    folder: Location
    """The folder of the run."""
    roles: ColumnRoles
    columns: frozenset[str]
    chunk: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardTask:
    """A shard to process."""

    shard: Shard
    number: int
    """Number of the first part that it writes. It may write one more for each resumed part."""
    resumed_parts: tuple[Part, ...] = ()
    """Parts of an earlier attempt at the run that hold some of its cases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardDone:
    """The outcome of a shard; its parts are complete."""

    task: ShardTask
    parts: tuple[Part, ...]
    totals: RunTotals
    ids: IdsSeen
    columns: frozenset[str]


class BatchCancelled(BaseException):
    """A batch was cancelled while it was being scored. A BaseException, so that no guard of an evaluator catches it."""


@dataclass(slots=True)
class StopSignal:
    """Ends a shard early: after the current batch if `requested`, or within it by `cancel_batch`."""

    requested: Callable[[], bool] = lambda: False
    scoring: bool = False

    def cancel_batch(self) -> None:
        """Raise `BatchCancelled` if a batch is being scored; anything else, such as writing a part, must finish."""
        if self.scoring:
            raise BatchCancelled


class SourceChanged(Exception):
    """A file was modified while it was being read."""


ReportCases = Callable[[int], None]
"""Called with the number of cases done since the last call."""


class Executor(Protocol):
    """Runs the shards of a run."""

    min_bytes: int
    """Minimum size of the data for this executor; 0 if it was requested explicitly."""

    def run_shards(self, setup: RunSetup, tasks: Iterator[ShardTask], report: ReportCases) -> Iterator[ShardDone]:
        """Process all tasks, in any order. KeyboardInterrupt is raised after the shards done so far were yielded."""
        ...


def process_shard(
    setup: RunSetup, task: ShardTask, report: ReportCases, stop: StopSignal | None = None, asker: Asker | None = None
) -> ShardDone:
    """Process a shard. After a stop request it writes the cases done so far, which are fewer than those of its shard."""
    assert setup.plan.source is not None
    stop = stop or StopSignal()
    reader = ShardReader(setup.plan.source, task.shard, setup.roles, setup.columns, setup.chunk)
    totals, position = RunTotals(setup.plan.evaluators), task.shard.first_case
    services = local_services(asker, totals.report)
    writer = _PartWriter(setup.folder / "parts", task.number, totals)
    with throughput_settings():
        for read_cases in reader:
            cases = assign_groups(setup.plan.group, read_cases)
            batches = [
                _score_unless_cancelled(setup.plan, remaining, first, services, stop)
                for first, remaining in cases_outside_parts(task.resumed_parts, cases, position)
            ]
            if None in batches:
                break
            for batch in filter(None, batches):
                writer.add(batch)
            totals.count_cases(cases)
            position += len(cases)
            report(len(cases))
            if stop.requested():
                break
        else:
            if position != task.shard.first_case + task.shard.cases:
                raise SourceChanged(f"{task.shard.file} changed while it was being read: run again once nothing writes to it")
        parts = writer.finish()
    return ShardDone(task=task, parts=parts, totals=totals, ids=reader.ids, columns=reader.columns)


def _score_unless_cancelled(plan: Plan, cases: Cases, first: int, services: Services, stop: StopSignal) -> BatchTables | None:
    """A scored batch as it is stored; None if it was cancelled."""
    try:
        stop.scoring = True
        outcome = score_batch(plan, cases, first, services)
        stop.scoring = False  # not only in `finally`: a signal between this line and that block would not be caught here
    except BatchCancelled:
        return None
    finally:
        stop.scoring = False
    return build_batch_tables(outcome)


class _PartWriter:
    """Writes the parts of a shard: one, or more where resumed parts lie between its cases."""

    def __init__(self, folder: Location, number: int, totals: RunTotals) -> None:
        self._folder, self._number, self._totals = folder, number, totals
        self._batches: list[BatchTables] = []
        self._parts: list[Part] = []

    def add(self, batch: BatchTables) -> None:
        if self._batches and self._batches[-1].end != batch.first:
            self._flush()
        self._batches.append(batch)

    def _flush(self) -> None:
        if self._batches:
            written = write_part(self._folder, self._number, self._batches)
            self._batches = []
            self._totals.add_written_part(written)
            self._parts.append(written.part)
            self._number += 1

    def finish(self) -> tuple[Part, ...]:
        self._flush()
        return tuple(self._parts)
