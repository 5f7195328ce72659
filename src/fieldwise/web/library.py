"""The runs of a store, for lists. A manifest is read again only when its file has changed."""

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from fieldwise.model.locations import Location
from fieldwise.model.provenance import name_data
from fieldwise.model.summary import GateResult
from fieldwise.store.errors import StoreError
from fieldwise.store.in_progress import RunMonitor, RunProgress
from fieldwise.store.manifest import MANIFEST_FILE
from fieldwise.store.part_reader import read_parts
from fieldwise.store.run import Run, open_run
from fieldwise.store.run_names import find_run, list_run_ids, read_tags, runs_folder

RunState = Literal["finished", "running", "interrupted", "unreadable"]
MAX_OPEN_RUNS: Final = 16
PROGRESS_SECONDS: Final = 0.3
"""The progress of unfinished runs is read at most this often, for all clients together."""
FileSignature = tuple[int | str, int, int]
"""Inode, modification time and size: they change whenever a manifest is replaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHead:
    """A run without its results and fields."""

    id: str
    name: str
    started: datetime
    finished: datetime | None = None
    exit_code: int | None = None
    cases: int = 0
    metrics: Mapping[str, float]
    scored: Sequence[str] = ()
    """The evaluators that have a score, in order."""
    gates: Sequence[GateResult] = ()
    case_tags: tuple[str, ...] = ()
    """The tags of its cases."""
    tags: tuple[str, ...] = ()
    """The tags of the run."""
    label: str = ""
    """The name given to the run."""
    data: str = ""
    """The file that its outputs came from."""
    state: RunState = "finished"
    progress: RunProgress | None = None
    """None for a finished run."""


class RunLibrary:
    """The runs of one root."""

    def __init__(self, root: str | Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._monitor = RunMonitor(root)
        self._unfinished: tuple[float, list[RunProgress]] = (-1.0, [])
        self._heads: dict[str, tuple[FileSignature | None, RunHead]] = {}
        self._open: OrderedDict[tuple[str, FileSignature | None], Run] = OrderedDict()

    def open(self, name: str) -> Run:
        """Open a run by its id or first characters, a tag, or `latest`. Finished runs are cached: their files never change."""
        folder = find_run(self._root, name)
        key = (folder.name, _manifest_signature(folder))
        with self._lock:
            cached = self._open.get(key)
            if cached is not None:
                self._open.move_to_end(key)
                return cached
        run = open_run(self._root, folder.name)
        if run.finished is not None:
            with self._lock:
                self._open[key] = run
                while len(self._open) > MAX_OPEN_RUNS:
                    self._open.popitem(last=False)
        return run

    def list_unfinished(self) -> list[RunProgress]:
        """The runs that have not finished, newest first; at most PROGRESS_SECONDS old."""
        with self._lock:
            if time.monotonic() - self._unfinished[0] > PROGRESS_SECONDS:
                self._unfinished = (time.monotonic(), self._monitor.list_unfinished())
            return self._unfinished[1]

    def list_heads(self) -> list[RunHead]:
        """All runs, newest first. Sorted by start time, because ids have a resolution of one second."""
        unfinished = {progress.id: progress for progress in self.list_unfinished()}
        run_ids = list_run_ids(self._root)
        for deleted in {*list(self._heads)} - {*run_ids}:
            self._heads.pop(deleted, None)
        heads = [self._read_head(run_id, unfinished.get(run_id)) for run_id in run_ids]
        return sorted(heads, key=lambda head: head.started, reverse=True)

    def _read_head(self, run_id: str, progress: RunProgress | None) -> RunHead:
        folder = runs_folder(self._root) / run_id
        signature = _manifest_signature(folder)
        cached = self._heads.get(run_id)
        if cached is None or cached[0] != signature:
            cached = self._heads[run_id] = (signature, _load_head(self._root, run_id))
        head = replace(cached[1], tags=read_tags(folder))  # tags are not part of the manifest
        if progress is None:
            return head
        return replace(head, state="running" if progress.running else "interrupted", progress=progress, cases=progress.cases)


def _manifest_signature(folder: Location) -> FileSignature | None:
    try:
        status = (folder / MANIFEST_FILE).stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _count_stored_cases(folder: Location) -> int:
    """The number of cases in the complete parts of a run; 0 if they cannot be read either."""
    try:
        return sum(part.cases for part in read_parts(folder))
    except (StoreError, OSError):
        return 0


def _load_head(root: str | Path, run_id: str) -> RunHead:
    try:
        run = open_run(root, run_id)
    except (StoreError, ValueError, LookupError, TypeError):  # damaged, of another version, or deleted meanwhile: listed without results
        started = datetime.strptime(run_id[:15] + "+0000", "%Y%m%d-%H%M%S%z")
        cases = _count_stored_cases(runs_folder(root) / run_id)
        return RunHead(id=run_id, name="", started=started, cases=cases, metrics={}, state="unreadable")
    summaries = run.full.evaluators.values()
    slices = {slice for summary in summaries for slice in summary.slices}
    return RunHead(
        id=run.id,
        name=run.name,
        started=run.started,
        finished=run.finished,
        exit_code=run.exit_code,
        cases=run.full.cases,
        metrics=run.summary,
        scored=tuple(summary.name for summary in summaries if "score" in summary.metrics),
        gates=run.gates,
        case_tags=tuple(sorted(slice.removeprefix("tag:") for slice in slices if slice.startswith("tag:"))),
        label=run.label,
        data=name_data(run.sources),
        state="finished" if run.finished else "interrupted",
    )
