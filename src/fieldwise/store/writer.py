"""Write a run while it is being scored: part by part, each visible only when it is complete, and the manifest last."""

import shutil
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from fieldwise.dataclass import dataclass
from fieldwise.model.batch import BatchOutcome
from fieldwise.model.case import Cases
from fieldwise.model.change import Changes
from fieldwise.model.comparison import ComparisonTable
from fieldwise.model.correction import AppliedCorrections
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.locations import Location
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.model.remote_path import RemotePath
from fieldwise.model.summary import GateResult, Summary
from fieldwise.store.arrow_tables import ArrowColumn, ArrowTable, build_cases_table, build_pool_table, build_results_table, concat_tables
from fieldwise.store.atomic import sync_folder, write_atomically
from fieldwise.store.checksums import dump_sealed, sha256
from fieldwise.store.comparison_table import MEMBER_COMPARISONS, build_comparisons_table, merge_metadata
from fieldwise.store.errors import StoreError, write_error
from fieldwise.store.field_means import FIELD_MEANS, MIN_COMPARISONS, build_field_means
from fieldwise.store.fingerprints import fingerprint_cases
from fieldwise.store.lock import RunLock, RunLocked
from fieldwise.store.manifest import Manifest, Part, PartFile, new_manifest, utc_now, write_manifest
from fieldwise.store.part_reader import ColumnChoice, select_columns
from fieldwise.store.provenance import with_columns, with_content_hash
from fieldwise.store.resume import WritableRun, delete_other_parts
from fieldwise.store.run import CHANGES_FILE, Run
from fieldwise.store.run_names import new_run_id, runs_folder

PART_CASES: Final = 10_000
PART_SECONDS: Final = 10.0
_ROW_GROUP_SIZES: Final = {
    "cases": 2_000,
    "results": 10_000,
    "comparisons": 100_000,
    MEMBER_COMPARISONS: 100_000,
    FIELD_MEANS: 1_000_000,
    "pool": 100_000,
}
_REPEATED_CASE_COLUMNS: Final = ("tags.list.element", "split", "input", "contexts", "metadata", "actuals", "diagnostics", "group")
_ENCODINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "cases": {"use_dictionary": [*_REPEATED_CASE_COLUMNS]},
    "comparisons": {"use_dictionary": ["field", "path", "outcome", "cause"]},
    MEMBER_COMPARISONS: {"use_dictionary": ["field", "path", "outcome", "cause"]},
    FIELD_MEANS: {"use_dictionary": ["field", "mean"], "column_encoding": {"case": "DELTA_BINARY_PACKED"}},
}
"""Options of Parquet by table; of other tables all columns are dictionary-encoded, and Parquet drops encodings that do not pay."""
TableKey = tuple[str, tuple[str, ...]]
"""The name of a table and the evaluators that it belongs to."""


class RunWriter:
    """A run being written. Use it in a `with` block; without a call of `finish` the run stays unfinished."""

    def __init__(
        self,
        root: str | Path | None,
        plan: Plan,
        *,
        fingerprints: Mapping[str, str] | None = None,
        part_cases: int | None = None,
        resume: WritableRun | None = None,
    ) -> None:
        """Begin a run, or continue an unfinished one, whose parts are kept."""
        self._part_cases = PART_CASES if part_cases is None else part_cases
        run = _create_run(root, plan, fingerprints or {}) if resume is None else resume
        self.path, self._manifest, self._lock = run.path, run.manifest, run.lock
        self._resumed_parts = tuple(run.parts)
        self._parts: list[Part] = list(run.parts)
        self._last_number = max((part.number for part in run.parts), default=-1)
        self._batches: list[BatchTables] = []
        self._started = self._last_flush = monotonic()
        self._background = ThreadPoolExecutor(max_workers=1, thread_name_prefix="fieldwise-store")
        self._pending: Future[Part] | None = None
        self._use_part: UseWrittenPart | None = None

    @property
    def id(self) -> str:
        """The run's id."""
        return self._manifest.id

    @property
    def parts(self) -> tuple[Part, ...]:
        """The complete parts, in the order of their cases."""
        return tuple(sorted(self._parts, key=lambda part: part.first))

    @property
    def case_count(self) -> int:
        """Number of cases in the complete parts."""
        return sum(part.cases for part in self._parts)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Write the pending batches: an interrupted run has everything up to its last batch."""
        try:
            self.close()
        except OSError:
            if error is None:
                raise  # otherwise the first error is reported
        finally:
            self._lock.release()

    def pass_parts_to(self, use_part: "UseWrittenPart") -> None:
        """Call `use_part` with every part that is written from now on, in order, from the thread that writes it.

        What it computes comes from memory: call `verify_parts` before it counts as the content of the files.
        """
        self._use_part = use_part

    def remaining_cases(self, cases: Cases, first: int) -> Iterator[tuple[int, Cases]]:
        """The cases that no resumed part holds, as (position, consecutive cases); `first` is the position of the first case."""
        return cases_outside_parts(self._resumed_parts, cases, first)

    @property
    def resumed_parts(self) -> tuple[Part, ...]:
        """The parts that were complete before this process resumed the run."""
        return self._resumed_parts

    def reserve_numbers(self, count: int) -> int:
        """Reserve part numbers for a worker that writes parts itself; returns the first."""
        first = self._last_number + 1
        self._last_number += count
        return first

    def add_parts(self, parts: Iterable[Part]) -> None:
        """Add complete parts that workers wrote into the run's folder."""
        self._parts.extend(parts)

    def discard_new_parts(self) -> None:
        """Delete every part that was written since the run was begun or resumed."""
        delete_other_parts(self.path, self._resumed_parts)
        self._parts = list(self._resumed_parts)

    def write(self, outcome: BatchOutcome) -> None:
        """Add a batch. A part holds consecutive batches."""
        if not len(outcome.cases):
            return
        if self._batches and self._batches[-1].end != outcome.first:
            self.flush()
        # One statement, so that an interrupt adds the batch completely or not at all.
        self._batches.append(build_batch_tables(outcome))
        if sum(batch.cases for batch in self._batches) >= self._part_cases or self._is_flush_due():
            self.flush()

    def _is_flush_due(self) -> bool:
        """True if a crash would lose more than ten seconds of work and more than a hundredth of the run."""
        now = monotonic()
        return now - self._last_flush > max(PART_SECONDS, (now - self._started) / 100)

    def flush(self) -> None:
        """Write the pending batches as a part, in a background thread; at most one part is being written at a time."""
        self._await_pending()
        if not self._batches:
            return
        self._last_number += 1  # never reused, so that no part overwrites another, whatever is interrupted
        batches, self._batches = self._batches, []
        self._pending = self._background.submit(_write_and_use_part, self.path / "parts", self._last_number, batches, self._use_part)
        self._last_flush = monotonic()

    def _await_pending(self) -> None:
        """Wait until the part in the background is written; raises its error."""
        if self._pending is not None:
            pending, self._pending = self._pending, None
            try:
                self._parts.append(pending.result())
            except OSError as error:
                raise write_error(self.id, self.case_count, error) from error

    def close(self) -> None:
        """Write the pending batches. Without `finish` the run stays unfinished."""
        try:
            self.flush()
            self._await_pending()
        finally:
            self._background.shutdown()

    def record_columns(self, columns: Mapping[str, str]) -> None:
        """Record the columns of the data that were found for each role."""
        self._manifest = replace(self._manifest, sources=with_columns(self._manifest.sources, columns))

    def record_corrections(self, corrections: AppliedCorrections | None) -> None:
        """Record the corrections that the run applied."""
        self._manifest = replace(self._manifest, corrections=corrections)

    def build_run(self, summary: Summary, diagnostics: Iterable[Diagnostic] = ()) -> Run:
        """The run as it will be when it is finished, for comparisons with other runs before the manifest is written."""
        self.close()
        manifest = replace(self._manifest, finished=utc_now(), parts=self.parts, summary=summary, diagnostics=tuple(diagnostics))
        return Run(self.path, manifest)

    def finish(
        self,
        summary: Summary,
        gates: Sequence[GateResult] = (),
        diagnostics: Iterable[Diagnostic] = (),
        exit_code: int = 0,
        changes: Changes | None = None,
    ) -> Run:
        """Write the pending batches and then the manifest, which marks the run as finished."""
        run = self.build_run(summary, diagnostics)
        sources = with_content_hash(run.manifest.sources, (part.content for part in self.parts))
        return self._write_end(replace(run.manifest, gates=tuple(gates), exit_code=exit_code, sources=sources), changes)

    def finish_invalid(self, diagnostics: Iterable[Diagnostic], exit_code: int) -> Run:
        """End the run without results, because the data showed that the suite is wrong: it keeps the problems and nothing else."""
        run = self.build_run(Summary(cases=self.case_count, evaluators={}), diagnostics)
        delete_other_parts(self.path, ())
        return self._write_end(replace(run.manifest, parts=(), exit_code=exit_code, invalid=True), None)

    def _write_end(self, manifest: Manifest, changes: Changes | None) -> Run:
        try:
            if changes is not None:
                content = dump_sealed(changes.to_json())
                write_atomically(self.path / CHANGES_FILE, lambda path: _write_bytes(path, content))
            self._lock.check()
            write_manifest(self.path, manifest)
        except StoreError:
            raise
        except OSError as error:
            raise write_error(self.id, self.case_count, error) from error
        return Run(self.path, manifest)


@dataclass(frozen=True, slots=True)
class BatchTables:
    """A batch as Arrow tables."""

    first: int
    """Position of its first case in the run."""
    cases: int
    """Number of cases."""
    tables: tuple[tuple[TableKey, ArrowTable], ...]

    @property
    def end(self) -> int:
        """Position after its last case."""
        return self.first + self.cases


def build_batch_tables(outcome: BatchOutcome) -> BatchTables:
    """Convert a batch to tables."""
    return BatchTables(outcome.first, len(outcome.cases), tuple(_build_tables(outcome)))


def cases_outside_parts(parts: Sequence[Part], cases: Cases, first: int) -> Iterator[tuple[int, Cases]]:
    """The cases that none of these parts holds, as (position, consecutive cases); `first` is the position of the first case."""
    end, position = first + len(cases), first
    for part in parts:
        if part.first < end and part.first + part.cases > position:
            if part.first > position:
                yield position, cases.take(range(position - first, part.first - first))
            position = part.first + part.cases
    if position == first:
        yield position, cases
    elif position < end:
        yield position, cases.take(range(position - first, end - first))


def _create_run(root: str | Path | None, plan: Plan, fingerprints: Mapping[str, str]) -> WritableRun:
    """Create the folder of a new run, with an unfinished manifest."""
    manifest = new_manifest("", plan, fingerprints, utc_now())
    try:
        path, lock = _create_folder(root, manifest.started)
        with _remove_if_interrupted(path):
            manifest = replace(manifest, id=path.name)
            write_manifest(path, manifest)
    except OSError as error:
        what = f"no run can be stored in {runs_folder(root)}: {error.strerror or error}"
        raise StoreError(f"{what}\n  name a writable folder: fieldwise --root PLACE, or `root=` in Python") from error
    return WritableRun(path=path, manifest=manifest, parts=(), lock=lock)


def _create_folder(root: str | Path | None, started: datetime) -> tuple[Location, RunLock]:
    while True:
        path = runs_folder(root) / new_run_id(started)
        if isinstance(path, RemotePath):
            try:
                return path, RunLock(path)  # object storage has no folders: creating the lock reserves the id
            except RunLocked:
                continue
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            path.mkdir()
        except FileExistsError:  # another process chose the same id
            continue
        with _remove_if_interrupted(path):
            (path / "parts").mkdir()
            sync_folder(path)
            sync_folder(path.parent)
            return path, RunLock(path)


@contextmanager
def _remove_if_interrupted(folder: Location) -> Generator[None]:
    """Remove the folder of a new run if an interruption comes before its manifest is written: nothing else knows its id yet."""
    try:
        yield
    except KeyboardInterrupt:
        if isinstance(folder, Path):
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _build_tables(outcome: BatchOutcome) -> Iterable[tuple[TableKey, ArrowTable]]:
    """All tables of a batch; comparisons that evaluators share are written once."""
    yield ("cases", ()), build_cases_table(outcome)
    # Keyed by id: evaluators with equal specs get the same ComparisonTable, which `outcome` keeps alive here.
    shared: dict[tuple[int, bytes], tuple[ComparisonTable, list[int]]] = {}
    label_columns: dict[int, ArrowColumn] = {}
    for index, evaluated in enumerate(outcome.evaluated):
        if not len(evaluated.rows):
            continue
        name = evaluated.evaluator.name
        yield ("results", (name,)), build_results_table(evaluated, outcome.first, label_columns)
        if evaluated.results.pool:
            yield ("pool", (name,)), build_pool_table(evaluated, outcome.first)
        of_member = evaluated.results.member_comparisons
        if of_member is not None and len(of_member) and not _has_member_results(outcome, evaluated.evaluator):
            table = build_comparisons_table(of_member, evaluated.rows, outcome.first, outcome.cases)
            yield (MEMBER_COMPARISONS, (name,)), table
        comparisons = evaluated.results.comparisons
        if comparisons is not None and len(comparisons):
            shared.setdefault((id(comparisons), evaluated.rows.tobytes()), (comparisons, []))[1].append(index)
    for comparisons, users in shared.values():
        names = tuple(outcome.evaluated[index].evaluator.name for index in users)
        yield ("comparisons", names), build_comparisons_table(comparisons, outcome.evaluated[users[0]].rows, outcome.first, outcome.cases)


def _has_member_results(outcome: BatchOutcome, planned: PlannedEvaluator) -> bool:
    """True if the members of an evaluator are evaluators of the suite, whose comparisons are stored with their own results."""
    stored = {evaluated.evaluator.name: evaluated.evaluator for evaluated in outcome.evaluated}
    for member in getattr(planned.config, "evaluators", ()):
        same_name = stored.get(member.evaluator.name)
        if same_name is None or (same_name.config, same_name.when) != (member.evaluator.config, member.evaluator.when):
            return False
    return True


@dataclass(frozen=True, slots=True)
class WrittenPart:
    """A complete part with its tables as they are in its files."""

    part: Part
    _tables: Mapping[str, ArrowTable]

    def table(self, file: PartFile, columns: ColumnChoice | None = None) -> ArrowTable:
        """One of its tables, or some of its columns, without reading the file."""
        table = self._tables[file.file]
        return table if columns is None else table.select(select_columns(columns, table.column_names))


def write_part(folder: Location, number: int, batches: Sequence[BatchTables]) -> WrittenPart:
    """Write consecutive batches as a part. The part is complete when its JSON file exists."""
    tables: dict[TableKey, list[ArrowTable]] = defaultdict(list)
    for batch in batches:
        for key, table in batch.tables:
            tables[key].append(table)
    whole_tables = {key: _merge_batches(key, batch_tables) for key, batch_tables in tables.items()}
    for (table, evaluators), comparisons in list(whole_tables.items()):
        if table == "comparisons" and comparisons.num_rows >= MIN_COMPARISONS:
            whole_tables[FIELD_MEANS, evaluators] = build_field_means(comparisons)
    written: list[tuple[PartFile, ArrowTable]] = []
    for index, (key, whole_table) in enumerate(whole_tables.items()):
        written.append((_write_table(folder, f"{number:05d}-{index:02d}", key, whole_table), whole_table))
    files = tuple(file for file, _ in written)
    cases = sum(batch.cases for batch in batches)
    part = Part(
        number=number,
        first=batches[0].first,
        cases=cases,
        files=files,
        content=fingerprint_cases(whole_tables["cases", ()]),
        expected=tuple(fingerprint_cases(cases_of_batch.select(["expected"])) for cases_of_batch in tables["cases", ()]),
    )
    sync_folder(folder)
    # The part counts from here on: a crash before this line leaves files that no part names.
    write_atomically(folder / f"{number:05d}.json", lambda path: _write_bytes(path, dump_sealed(asdict(part))))
    return WrittenPart(part, {file.file: table for file, table in written})


UseWrittenPart: TypeAlias = Callable[[WrittenPart], None]


def _write_and_use_part(folder: Location, number: int, batches: Sequence[BatchTables], use_part: UseWrittenPart | None) -> Part:
    """Write a part, let `use_part` read its tables, and drop them, because they are large."""
    written = write_part(folder, number, batches)
    if use_part is not None:
        use_part(written)
    return written.part


def _merge_batches(key: TableKey, tables: Sequence[ArrowTable]) -> ArrowTable:
    """The tables of consecutive batches as one."""
    merged = concat_tables(tables).unify_dictionaries()
    return merged.replace_schema_metadata(merge_metadata(tables)) if key[0] in ("comparisons", MEMBER_COMPARISONS) else merged


def _write_table(folder: Location, name: str, key: TableKey, content: ArrowTable) -> PartFile:
    table, evaluators = key
    file = f"{name}-{table}.parquet"
    encoded = _encode_parquet(table, content)
    size = write_atomically(folder / file, lambda path: _write_bytes(path, encoded), sync=False)
    return PartFile(file=file, table=table, evaluators=evaluators, rows=content.num_rows, bytes=size, checksum=sha256(encoded))


def _encode_parquet(table: str, content: ArrowTable) -> memoryview:
    """The bytes of a table as a Parquet file: in memory, because the checksum is that of what was encoded, not of what a disk returns."""
    options: dict[str, Any] = {"compression": "zstd", "row_group_size": _ROW_GROUP_SIZES[table], "write_statistics": ["case"]}
    options |= {"write_page_checksum": True, **_ENCODINGS.get(table, {})}
    buffer = pa.BufferOutputStream()
    pq.write_table(content, buffer, **options)
    return memoryview(buffer.getvalue())


def _write_bytes(path: Path, content: bytes | memoryview) -> None:
    path.write_bytes(content)
