"""The runs of a store as lists tell them. A manifest is read again only when it has changed."""

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from fieldwise.model.locations import Place
from fieldwise.model.summary import GateResult
from fieldwise.store.errors import StoreError
from fieldwise.store.in_progress import Going, Watch
from fieldwise.store.manifest import FILE
from fieldwise.store.run import Run, open_run
from fieldwise.store.runs import find_run, run_ids, runs_folder
from fieldwise.store.tags import tags_of

State = Literal["finished", "running", "interrupted"]
OPEN: Final = 16
"""How many runs are kept at hand."""
FRESH: Final = 0.3
"""For so many seconds what was seen of unfinished runs is true enough, whoever asks."""
Signature = tuple[int | str, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
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
    labels: tuple[str, ...] = ()
    """The tags of its cases."""
    tags: tuple[str, ...] = ()
    """The names that people gave to it."""
    state: State = "finished"
    going: Going | None = None
    """Of a run that has not finished: how far it is."""


class Library:
    """The runs below one root."""

    def __init__(self, root: str | Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._watch = Watch(root)
        self._seen: tuple[float, list[Going]] = (-1.0, [])
        self._heads: dict[str, tuple[Signature | None, Head]] = {}
        self._open: OrderedDict[tuple[str, Signature | None], Run] = OrderedDict()

    def open(self, which: str) -> Run:
        """A run by its id, the beginning of one, or `latest`; one that has finished is opened once."""
        folder = find_run(self._root, which)
        key = (folder.name, _signature(folder))
        with self._lock:
            known = self._open.get(key)
            if known is not None:
                self._open.move_to_end(key)
                return known
        run = open_run(self._root, folder.name)
        if run.finished is not None:
            with self._lock:
                self._open[key] = run
                while len(self._open) > OPEN:
                    self._open.popitem(last=False)
        return run

    def going(self) -> list[Going]:
        """The runs that have not finished, newest first, as they were a moment ago."""
        with self._lock:
            if time.monotonic() - self._seen[0] > FRESH:
                self._seen = (time.monotonic(), self._watch.look())
            return self._seen[1]

    def heads(self) -> list[Head]:
        """All runs, newest first: ids tell only seconds apart."""
        going = {one.id: one for one in self.going()}
        names = run_ids(self._root)
        for gone in {*list(self._heads)} - {*names}:
            self._heads.pop(gone, None)
        found = [self._head(name, going.get(name)) for name in names]
        return sorted(found, key=lambda head: head.started, reverse=True)

    def _head(self, name: str, going: Going | None) -> Head:
        folder = runs_folder(self._root) / name
        signature = _signature(folder)
        known = self._heads.get(name)
        if known is None or known[0] != signature:
            known = self._heads[name] = (signature, _read(self._root, name))
        head = replace(known[1], tags=tags_of(folder))
        if going is None:
            return head
        return replace(head, state="running" if going.running else "interrupted", going=going, cases=going.cases)


def _signature(folder: Place) -> Signature | None:
    try:
        found = (folder / FILE).stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _read(root: str | Path, name: str) -> Head:
    try:
        run = open_run(root, name)
    except (StoreError, ValueError, LookupError, TypeError):  # torn, of another version, or deleted since
        at = datetime.strptime(name[:15] + "+0000", "%Y%m%d-%H%M%S%z")
        return Head(id=name, name="", started=at, metrics={}, state="interrupted")
    evaluators = run.full.evaluators
    slices = {slice for one in evaluators.values() for slice in one.slices}
    return Head(
        id=run.id,
        name=run.name,
        started=run.started,
        finished=run.finished,
        exit_code=run.exit_code,
        cases=run.full.cases,
        metrics=run.summary,
        scored=tuple(one.name for one in evaluators.values() if "score" in one.metrics),
        gates=run.gates,
        labels=tuple(sorted(slice.removeprefix("tag:") for slice in slices if slice.startswith("tag:"))),
        state="finished" if run.finished else "interrupted",
    )
