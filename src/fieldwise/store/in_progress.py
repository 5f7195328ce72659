"""Runs that have not finished: whether somebody is writing them now, and how far they are."""

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from shlex import quote

from fieldwise.model.locations import Location
from fieldwise.store.errors import StoreError
from fieldwise.store.lock import is_locked
from fieldwise.store.manifest import Manifest, read_manifest
from fieldwise.store.part_reader import read_part
from fieldwise.store.run_names import list_run_ids, runs_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """A run that has not finished."""

    id: str
    name: str
    started: datetime
    suite_file: str | None
    running: bool
    """Some process is writing it. Otherwise it was interrupted."""
    cases: int
    """How many cases its complete parts hold."""
    latest: bool = False
    """It is the run that `--resume` goes on with."""

    @property
    def command(self) -> str:
        """What goes on with it."""
        if self.suite_file is None:
            return f"fw.run(suite, resume={self.id!r})"
        return f"fieldwise run {quote(self.suite_file)} --resume" if self.latest else f"fw.run({self.suite_file!r}, resume={self.id!r})"


class RunMonitor:
    """Looks at the runs of a root again and again. What cannot change any more is read once."""

    def __init__(self, root: str | Path | None) -> None:
        self._root = root
        self._finished: set[str] = set()
        self._parts: dict[tuple[str, str, int], int] = {}

    def list_unfinished(self) -> list[RunProgress]:
        """The runs that have not finished, newest first."""
        found = [
            one
            for name in reversed(list_run_ids(self._root))
            if name not in self._finished and (one := self._read_progress(name)) is not None
        ]
        latest: dict[tuple[str, str | None], str] = {}
        for one in found:
            if not one.running:
                latest.setdefault((one.name, one.suite_file), one.id)
        return [one if one.id not in latest.values() else replace(one, latest=True) for one in found]

    def _read_progress(self, name: str) -> RunProgress | None:
        folder = runs_folder(self._root) / name
        running = is_locked(folder)  # before the manifest is read: a run that ends in between is seen as finished
        try:
            manifest = read_manifest(folder)
        except (StoreError, ValueError):  # torn, or of another format: there is nothing to tell
            return None
        if manifest is None:
            return None
        if manifest.finished is not None:
            self._finished.add(name)
            return None
        return _build_progress(manifest, running=running, cases=self._count_cases(folder))

    def _count_cases(self, folder: Location) -> int:
        """A part never changes, but one that is scored again may have the name of one that was torn."""
        total = 0
        for path in (folder / "parts").glob("*.json"):
            try:
                key = (folder.name, path.name, path.stat().st_mtime_ns)
                if key not in self._parts:
                    part = read_part(path)
                    self._parts[key] = 0 if part is None else part.cases
            except FileNotFoundError:  # retired since the folder was listed
                continue
            total += self._parts[key]
        return total


def _build_progress(manifest: Manifest, *, running: bool, cases: int) -> RunProgress:
    return RunProgress(
        id=manifest.id, name=manifest.name, started=manifest.started, suite_file=manifest.suite_file, running=running, cases=cases
    )
