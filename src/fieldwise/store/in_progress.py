"""Unfinished runs: which of them are being written now, and their progress."""

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from shlex import quote

from fieldwise.model.locations import Location
from fieldwise.store.errors import StoreError
from fieldwise.store.lock import is_locked
from fieldwise.store.manifest import read_manifest
from fieldwise.store.part_reader import read_part
from fieldwise.store.run_names import list_run_ids, runs_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """The progress of an unfinished run."""

    id: str
    """The run's id."""
    name: str
    """The suite's name."""
    started: datetime
    """When the run began."""
    suite_file: str | None
    """The suite's file; None for a suite given in Python."""
    running: bool
    """True if a process is writing it; otherwise it was interrupted."""
    cases: int
    """Number of cases in its complete parts."""
    latest: bool = False
    """True if `--resume` continues this run."""

    @property
    def command(self) -> str:
        """The command that continues it."""
        if self.suite_file is None:
            return f"fw.run(suite, resume={self.id!r})"
        return f"fieldwise run {quote(self.suite_file)} --resume" if self.latest else f"fw.run({self.suite_file!r}, resume={self.id!r})"


class RunMonitor:
    """Lists the unfinished runs of a root repeatedly. Finished runs and complete parts are read only once."""

    def __init__(self, root: str | Path | None) -> None:
        self._root = root
        self._finished: set[str] = set()
        self._parts: dict[tuple[str, str, int], int] = {}

    def list_unfinished(self) -> list[RunProgress]:
        """The unfinished runs, newest first."""
        unfinished: list[RunProgress] = []
        for run_id in reversed(list_run_ids(self._root)):
            progress = None if run_id in self._finished else self._read_progress(run_id)
            if progress is not None:
                unfinished.append(progress)
        latest: dict[tuple[str, str | None], str] = {}
        for progress in unfinished:
            if not progress.running:
                latest.setdefault((progress.name, progress.suite_file), progress.id)
        return [replace(progress, latest=progress.id in latest.values()) for progress in unfinished]

    def _read_progress(self, run_id: str) -> RunProgress | None:
        folder = runs_folder(self._root) / run_id
        running = is_locked(folder)  # before the manifest is read, so that a run that ends in between is seen as finished
        try:
            manifest = read_manifest(folder)
        except (StoreError, ValueError):  # corrupt, or of another format: its progress is unknown
            return None
        if manifest is None:
            return None
        if manifest.finished is not None:
            self._finished.add(run_id)
            return None
        return RunProgress(
            id=manifest.id,
            name=manifest.name,
            started=manifest.started,
            suite_file=manifest.suite_file,
            running=running,
            cases=self._count_cases(folder),
        )

    def _count_cases(self, folder: Location) -> int:
        """Number of cases in the complete parts. The key has the time of change, because a part may be scored again under its name."""
        total = 0
        for path in (folder / "parts").glob("*.json"):
            try:
                key = (folder.name, path.name, path.stat().st_mtime_ns)
                if key not in self._parts:
                    part = read_part(path)
                    self._parts[key] = 0 if part is None else part.cases
            except FileNotFoundError:  # deleted since the folder was listed
                continue
            total += self._parts[key]
        return total
