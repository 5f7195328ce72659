"""Writes a run to disk while it goes on: whole parts, each in place only when it is complete, and the manifest last."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self

import pyarrow.parquet as pq

from fieldwise.model.batch import BatchOutcome
from fieldwise.model.case import Cases
from fieldwise.model.change import Changes
from fieldwise.model.comparison import Comparisons
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.locations import Location
from fieldwise.model.plan import Plan
from fieldwise.model.remote_path import RemotePath
from fieldwise.model.summary import GateResult, Summary
from fieldwise.store.arrow_tables import ArrowColumn, ArrowTable, build_cases_table, build_pool_table, build_results_table, concat_tables
from fieldwise.store.atomic import sync_folder, write_atomically
from fieldwise.store.comparison_table import FIELDS_KEY, build_comparisons_table, merge_fields
from fieldwise.store.errors import StoreError, write_error
from fieldwise.store.fingerprints import fingerprint_cases
from fieldwise.store.lock import RunLock, RunLocked
from fieldwise.store.manifest import Part, PartFile, new_manifest, utc_now, write_manifest
from fieldwise.store.part_reader import ColumnChoice, select_columns
from fieldwise.store.resume import ResumedRun, delete_other_parts
from fieldwise.store.run import CHANGES_FILE, Run
from fieldwise.store.run_names import new_run_id, runs_folder
from fieldwise.store.stored_json import dump_json

PART_CASES: Final = 10_000
PART_SECONDS: Final = 10.0
_ROW_GROUP_SIZES: Final = {"cases": 2_000, "results": 10_000, "comparisons": 20_000, "pool": 100_000}
_DICTIONARY_COLUMNS: Final[Mapping[str, bool | list[str]]] = {"comparisons": ["field", "path", "outcome", "cause"]}
"""The columns that have few values, by table; all where nothing is said, which Parquet gives up where it does not pay."""
TableKey = tuple[str, tuple[str, ...]]
"""A table and the evaluators it is about."""


class RunWriter:
    """A run being written. Use it in a `with` block; a run that never gets to `finish` stays behind as unfinished."""

    def __init__(
        self,
        root: str | Path | None,
        plan: Plan,
        *,
        fingerprints: Mapping[str, str] | None = None,
        part_cases: int | None = None,
        resume: ResumedRun | None = None,
    ) -> None:
        """Begin a run, or go on with an unfinished one, whose parts stand as they are."""
        self._part_cases = PART_CASES if part_cases is None else part_cases
        begun = _create_run(root, plan, fingerprints or {}) if resume is None else resume
        self.path, self._manifest, self._lock = begun.path, begun.manifest, begun.lock
        self._standing = tuple(begun.parts)
        self._parts: list[Part] = list(begun.parts)
        self._number = max((part.number for part in begun.parts), default=-1)
        self._batches: list[StoredBatch] = []
        self._begun = self._flushed = monotonic()
        self._background = ThreadPoolExecutor(max_workers=1, thread_name_prefix="fieldwise-store")
        self._pending: Future[Part] | None = None

    @property
    def id(self) -> str:
        """The run's id."""
        return self._manifest.id

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts that are complete, in the order of their cases."""
        return tuple(sorted(self._parts, key=lambda part: part.first))

    @property
    def case_count(self) -> int:
        """How many cases the complete parts hold."""
        return sum(part.cases for part in self._parts)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Keep what is known: an interrupted run has everything up to its last batch."""
        try:
            self.close()
        except OSError:
            if error is None:
                raise  # else what went wrong first is told
        finally:
            self._lock.release()

    def remaining_cases(self, cases: Cases, first: int) -> Iterator[tuple[int, Cases]]:
        """Those of some cases that no part from before holds, with their positions; `first` is the position of the first."""
        return cases_outside_parts(self._standing, cases, first)

    @property
    def resumed_parts(self) -> tuple[Part, ...]:
        """The parts from before."""
        return self._standing

    def reserve_numbers(self, count: int) -> int:
        """Set so many numbers of parts aside for someone else who writes them; gives the first."""
        first = self._number + 1
        self._number += count
        return first

    def add_parts(self, parts: Iterable[Part]) -> None:
        """Take in complete parts that someone else wrote into the run's folder."""
        self._parts.extend(parts)

    def discard_new_parts(self) -> None:
        """Let go of every part but those from before."""
        delete_other_parts(self.path, self._standing)
        self._parts = list(self._standing)

    def write(self, outcome: BatchOutcome) -> None:
        """Take in a batch. Each part holds batches that follow each other."""
        if not len(outcome.cases):
            return
        if self._batches and self._batches[-1].end != outcome.first:
            self.flush()
        # One step, so that Ctrl-C leaves a batch in or out, never half of it.
        self._batches.append(build_stored_batch(outcome))
        if sum(batch.cases for batch in self._batches) >= self._part_cases or self._is_flush_due():
            self.flush()

    def _is_flush_due(self) -> bool:
        """Whether a crash would cost too much: ten seconds of work or, in a long run, a hundredth of it."""
        now = monotonic()
        return now - self._flushed > max(PART_SECONDS, (now - self._begun) / 100)

    def flush(self) -> None:
        """Write what has been taken in as a part, beside whatever goes on; at most one part is on its way."""
        self._await_pending()
        if not self._batches:
            return
        self._number += 1  # never given twice, so that no part overwrites another whatever is interrupted
        batches, self._batches = self._batches, []
        self._pending = self._background.submit(_write_part_only, self.path / "parts", self._number, batches)
        self._flushed = monotonic()

    def _await_pending(self) -> None:
        """Wait for the part that is on its way; raises what went wrong with it."""
        if self._pending is not None:
            pending, self._pending = self._pending, None
            try:
                self._parts.append(pending.result())
            except OSError as error:
                raise write_error(self.id, self.case_count, error) from error

    def close(self) -> None:
        """Write what is left. Without `finish` the run stays unfinished."""
        try:
            self.flush()
            self._await_pending()
        finally:
            self._background.shutdown()

    def build_run(self, summary: Summary, diagnostics: Iterable[Diagnostic] = ()) -> Run:
        """The run as it will be once it is finished, to be compared with others before anyone is told that it is."""
        self.close()
        made: dict[str, Any] = {"parts": self.parts, "summary": summary, "diagnostics": tuple(diagnostics)}
        return Run(self.path, replace(self._manifest, finished=utc_now(), **made))

    def finish(
        self,
        summary: Summary,
        gates: Sequence[GateResult] = (),
        diagnostics: Iterable[Diagnostic] = (),
        exit_code: int = 0,
        changes: Changes | None = None,
    ) -> Run:
        """Write what is left and then the manifest, which makes the run finished."""
        run = self.build_run(summary, diagnostics)
        manifest = replace(run.manifest, gates=tuple(gates), exit_code=exit_code)
        try:
            if changes is not None:
                told = dump_json(changes.to_json())
                write_atomically(self.path / CHANGES_FILE, lambda path: _write_bytes(path, told))
            self._lock.check()
            write_manifest(self.path, manifest)
        except StoreError:
            raise
        except OSError as error:
            raise write_error(self.id, self.case_count, error) from error
        return Run(self.path, manifest)


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """A batch in tables."""

    first: int
    cases: int
    tables: tuple[tuple[TableKey, ArrowTable], ...]

    @property
    def end(self) -> int:
        """The position of the case after its last."""
        return self.first + self.cases


def build_stored_batch(outcome: BatchOutcome) -> StoredBatch:
    """What is stored of a batch."""
    return StoredBatch(outcome.first, len(outcome.cases), tuple(_build_tables(outcome)))


def cases_outside_parts(standing: Sequence[Part], cases: Cases, first: int) -> Iterator[tuple[int, Cases]]:
    """Those of some cases that no standing part holds, with their positions; `first` is the position of the first."""
    end, at = first + len(cases), first
    for part in standing:
        if part.first < end and part.first + part.cases > at:
            if part.first > at:
                yield at, cases.take(range(at - first, part.first - first))
            at = part.first + part.cases
    if at == first:
        yield at, cases
    elif at < end:
        yield at, cases.take(range(at - first, end - first))


def _create_run(root: str | Path | None, plan: Plan, fingerprints: Mapping[str, str]) -> ResumedRun:
    """A new run's folder, with a manifest that says what will run."""
    manifest = new_manifest("", plan, fingerprints, utc_now())
    try:
        path, lock = _create_folder(root, manifest.started)
        manifest = replace(manifest, id=path.name)
        write_manifest(path, manifest)
    except OSError as error:
        what = f"no run can be stored in {runs_folder(root)}: {error.strerror or error}"
        raise StoreError(f"{what}\n  name a folder that can be written to: fieldwise --root PLACE, or `root=` in Python") from error
    return ResumedRun(path=path, manifest=manifest, parts=(), lock=lock)


def _create_folder(root: str | Path | None, started: datetime) -> tuple[Location, RunLock]:
    while True:
        path = runs_folder(root) / new_run_id(started)
        if isinstance(path, RemotePath):
            try:
                return path, RunLock(path)  # there are no folders; the lock is what only one can make
            except RunLocked:
                continue
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            path.mkdir()
        except FileExistsError:  # another process was given the same id
            continue
        (path / "parts").mkdir()
        sync_folder(path)
        sync_folder(path.parent)
        return path, RunLock(path)


def _build_tables(outcome: BatchOutcome) -> Iterable[tuple[TableKey, ArrowTable]]:
    """Every table of a batch; comparisons that evaluators share come once."""
    yield ("cases", ()), build_cases_table(outcome)
    shared: dict[tuple[int, bytes], tuple[Comparisons, list[int]]] = {}
    told: dict[int, ArrowColumn] = {}
    for index, evaluated in enumerate(outcome.evaluated):
        if not len(evaluated.rows):
            continue
        name = evaluated.evaluator.name
        yield ("results", (name,)), build_results_table(evaluated, outcome.first, told)
        if evaluated.results.pool:
            yield ("pool", (name,)), build_pool_table(evaluated, outcome.first)
        comparisons = evaluated.results.comparisons
        if comparisons is not None and len(comparisons):
            shared.setdefault((id(comparisons), evaluated.rows.tobytes()), (comparisons, []))[1].append(index)
    for comparisons, users in shared.values():
        names = tuple(outcome.evaluated[index].evaluator.name for index in users)
        yield ("comparisons", names), build_comparisons_table(comparisons, outcome.evaluated[users[0]].rows, outcome.first, outcome.cases)


@dataclass(frozen=True, slots=True)
class WrittenPart:
    """A part that is complete, and its tables as they stand in its files."""

    part: Part
    _tables: Mapping[str, ArrowTable]

    def table(self, file: PartFile, columns: ColumnChoice | None = None) -> ArrowTable:
        """Some columns of one of its tables, or all of them, without reading the file again."""
        table = self._tables[file.file]
        return table if columns is None else table.select(select_columns(columns, table.column_names))


def write_part(folder: Location, number: int, batches: Sequence[StoredBatch]) -> WrittenPart:
    """Write batches that follow each other as a part; once it is named in the folder, it is complete."""
    tables: dict[TableKey, list[ArrowTable]] = defaultdict(list)
    for batch in batches:
        for key, table in batch.tables:
            tables[key].append(table)
    content = fingerprint_cases(concat_tables(tables["cases", ()]))
    written = [_write_table(folder, f"{number:05d}-{index:02d}", key, some) for index, (key, some) in enumerate(tables.items())]
    files = tuple(file for file, _ in written)
    cases = sum(batch.cases for batch in batches)
    part = Part(number=number, first=batches[0].first, cases=cases, files=files, content=content)
    sync_folder(folder)
    # The part counts from here on: a crash before this line leaves files that nothing names.
    write_atomically(folder / f"{number:05d}.json", lambda path: _write_bytes(path, dump_json(asdict(part))))
    return WrittenPart(part, {file.file: table for file, table in written})


def _write_part_only(folder: Location, number: int, batches: Sequence[StoredBatch]) -> Part:
    """The part alone: nobody asks for its tables, and they are large."""
    return write_part(folder, number, batches).part


def _write_table(folder: Location, name: str, key: TableKey, tables: Sequence[ArrowTable]) -> tuple[PartFile, ArrowTable]:
    table, evaluators = key
    whole = concat_tables(tables).unify_dictionaries()
    if table == "comparisons":
        whole = whole.replace_schema_metadata({FIELDS_KEY: merge_fields(tables)})
    file = f"{name}-{table}.parquet"
    size = write_atomically(folder / file, lambda path: _write_parquet(path, table, whole), sync=False)
    return PartFile(file=file, table=table, evaluators=evaluators, rows=whole.num_rows, bytes=size), whole


def _write_parquet(path: Path, table: str, content: ArrowTable) -> None:
    options: dict[str, Any] = {"compression": "zstd", "row_group_size": _ROW_GROUP_SIZES[table], "write_statistics": ["case"]}
    options |= {"use_dictionary": _DICTIONARY_COLUMNS.get(table, True), "write_page_checksum": True}
    pq.write_table(content, path, **options)


def _write_bytes(path: Path, content: bytes) -> None:
    path.write_bytes(content)
