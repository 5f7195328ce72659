"""Writes a run to disk while it goes on: whole parts, each in place only when it is complete, and the manifest last."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import pyarrow.parquet as pq

from fieldwise.model.change import Changes
from fieldwise.model.comparison import Comparisons
from fieldwise.model.diagnostic import Diagnostic
from fieldwise.model.outcome import BatchOutcome
from fieldwise.model.plan import Plan
from fieldwise.model.summary import GateResult, Summary
from fieldwise.store.atomic import sync_folder, write_atomically
from fieldwise.store.compared import comparisons_table
from fieldwise.store.json_text import to_text
from fieldwise.store.manifest import Manifest, Part, PartFile, new_manifest, now, write_manifest
from fieldwise.store.run import CHANGES, Run
from fieldwise.store.runs import new_run_id, runs_folder
from fieldwise.store.tables import ArrowTable, cases_table, joined, pool_table, results_table

PART_CASES: Final = 20_000
_ROWS_IN_GROUP: Final = {"cases": 2_000, "results": 10_000, "comparisons": 100_000, "pool": 100_000}
Key = tuple[str, tuple[str, ...]]
"""A table and the evaluators it is about."""


class RunWriter:
    """A run being written. Use it in a `with` block; a run that never gets to `finish` stays behind as unfinished."""

    def __init__(
        self,
        root: str | Path | None,
        plan: Plan,
        *,
        fingerprints: Mapping[str, str] | None = None,
        part_cases: int = PART_CASES,
    ) -> None:
        started = now()
        self._manifest: Manifest = new_manifest(new_run_id(started), plan, fingerprints or {}, started)
        self.path: Path = runs_folder(root) / self._manifest.id
        (self.path / "parts").mkdir(parents=True)
        sync_folder(self.path.parent)
        write_manifest(self.path, self._manifest)
        self._part_cases = part_cases
        self._parts: list[Part] = []
        self._buffer: dict[Key, list[tuple[int, ArrowTable]]] = defaultdict(list)
        self._buffered = 0
        self._background = ThreadPoolExecutor(max_workers=1, thread_name_prefix="fieldwise-store")
        self._pending: Future[Part] | None = None

    @property
    def id(self) -> str:
        """The run's id."""
        return self._manifest.id

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Keep what is known: an interrupted run has everything up to its last batch."""
        self.close()

    def write(self, outcome: BatchOutcome) -> None:
        """Take in a batch. Batches come in any order, but each part holds those that came one after the other."""
        if not len(outcome.cases):
            return
        for key, table in _tables(outcome):
            self._buffer[key].append((outcome.first, table))
        self._buffered += len(outcome.cases)
        if self._buffered >= self._part_cases:
            self.flush()

    def flush(self) -> None:
        """Write what has been taken in as a part, beside whatever goes on; at most one part is on its way."""
        self._settle()
        if not self._buffered:
            return
        number = len(self._parts)
        self._pending = self._background.submit(_write_part, self.path / "parts", number, dict(self._buffer), self._buffered)
        self._buffer.clear()
        self._buffered = 0

    def _settle(self) -> None:
        """Wait for the part that is on its way; raises what went wrong with it."""
        if self._pending is not None:
            pending, self._pending = self._pending, None
            self._parts.append(pending.result())

    def close(self) -> None:
        """Write what is left. Without `finish` the run stays unfinished."""
        try:
            self.flush()
            self._settle()
        finally:
            self._background.shutdown()

    def finish(
        self,
        summary: Summary,
        gates: Sequence[GateResult] = (),
        diagnostics: Iterable[Diagnostic] = (),
        exit_code: int = 0,
    ) -> Run:
        """Write what is left and then the manifest, which makes the run finished."""
        self.close()
        self._manifest = replace(
            self._manifest,
            finished=now(),
            parts=tuple(self._parts),
            summary=summary,
            gates=tuple(gates),
            diagnostics=tuple(diagnostics),
            exit_code=exit_code,
        )
        write_manifest(self.path, self._manifest)
        return Run(self.path, self._manifest)


def amend(run: Run, *, gates: Sequence[GateResult], exit_code: int, changes: Changes) -> Run:
    """A finished run with what comparing it with a baseline gave: kept beside it, and in its gates and exit code."""
    write_atomically(run.path / CHANGES, lambda path: _write_bytes(path, to_text(changes.to_json())))
    manifest = replace(run.manifest, gates=tuple(gates), exit_code=exit_code)
    write_manifest(run.path, manifest)
    return Run(run.path, manifest)


def _tables(outcome: BatchOutcome) -> Iterable[tuple[Key, ArrowTable]]:
    """Every table of a batch; comparisons that evaluators share come once."""
    yield ("cases", ()), cases_table(outcome)
    shared: dict[tuple[int, bytes], tuple[Comparisons, list[int]]] = {}
    for index, evaluated in enumerate(outcome.evaluated):
        if not len(evaluated.rows):
            continue
        name = evaluated.evaluator.name
        yield ("results", (name,)), results_table(evaluated, outcome.first)
        if evaluated.results.pool:
            yield ("pool", (name,)), pool_table(evaluated, outcome.first)
        comparisons = evaluated.results.comparisons
        if comparisons is not None and len(comparisons):
            shared.setdefault((id(comparisons), evaluated.rows.tobytes()), (comparisons, []))[1].append(index)
    for comparisons, users in shared.values():
        names = tuple(outcome.evaluated[index].evaluator.name for index in users)
        yield ("comparisons", names), comparisons_table(comparisons, outcome.evaluated[users[0]].rows, outcome.first, outcome.cases)


def _write_part(folder: Path, number: int, tables: Mapping[Key, list[tuple[int, ArrowTable]]], cases: int) -> Part:
    files = [_write_table(folder, f"{number:05d}-{index:02d}", key, some) for index, (key, some) in enumerate(tables.items())]
    first = min(first for first, _ in tables["cases", ()])
    part = Part(number=number, first=first, cases=cases, files=tuple(files))
    # The part counts from here on: a crash before this line leaves files that nothing names.
    write_atomically(folder / f"{number:05d}.json", lambda path: _write_bytes(path, to_text(asdict(part))))
    return part


def _write_table(folder: Path, name: str, key: Key, tables: list[tuple[int, ArrowTable]]) -> PartFile:
    table, evaluators = key
    whole = joined([batch for _, batch in sorted(tables, key=lambda pair: pair[0])]).unify_dictionaries()
    file = f"{name}-{table}.parquet"
    size = write_atomically(folder / file, lambda path: _write_parquet(path, table, whole))
    return PartFile(file=file, table=table, evaluators=evaluators, rows=whole.num_rows, bytes=size)


def _write_parquet(path: Path, table: str, content: ArrowTable) -> None:
    options: dict[str, Any] = {"compression": "zstd", "row_group_size": _ROWS_IN_GROUP[table], "write_statistics": ["case"]}
    pq.write_table(content, path, **options)


def _write_bytes(path: Path, content: bytes) -> None:
    path.write_bytes(content)
