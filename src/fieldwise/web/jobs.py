"""Long work that goes on while nobody waits.

A job is a folder, so that it outlives the server: the next one goes on with the job's run where it stopped. Whoever works on a job holds
the lock of its folder, so that two servers of one store never do the same.
"""

import json
import queue
import secrets
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.roots import DEFAULT_ROOT, is_url
from fieldwise.store.atomic import write_atomically
from fieldwise.store.delete import delete_runs
from fieldwise.store.errors import StoreError
from fieldwise.store.lock import Busy, Lock
from fieldwise.store.run import Run, open_run
from fieldwise.store.runs import RunNotFound
from fieldwise.web.evaluating import run_file
from fieldwise.web.settings import Settings

State = Literal["waiting", "running", "finished", "failed", "cancelled"]
LIVE: Final = ("waiting", "running")
CASES: Final = "cases.jsonl"
FILE: Final = "job.json"
MOST_WAITING: Final = 100


class Cancelled(Exception):
    """Somebody asked to stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work."""

    id: str
    name: str
    created: str
    source: Mapping[str, str]
    """`cases`, or `expected` and `actual`: files that stay where they are."""
    evaluators: Sequence[Mapping[str, Any]]
    state: State = "waiting"
    done: int = 0
    share: float | None = None
    run: str | None = None
    """Known from the moment that it begins. A job that was cancelled leaves none."""
    diagnostics: Sequence[Mapping[str, Any]] = ()

    def to_json(self) -> dict[str, Any]:
        """What the API tells of it."""
        shown = ("id", "name", "state", "created", "done", "share", "run")
        return {name: getattr(self, name) for name in shown} | {"diagnostics": [dict(one) for one in self.diagnostics]}


class Jobs:
    """The jobs of a server, done one after the other in a thread of their own."""

    def __init__(self, settings: Settings) -> None:
        self._root = settings.root
        # a lock that ends with its process, and a job that is told of at every step, are for a folder of this machine
        self._folder = Path(DEFAULT_ROOT if is_url(settings.root) else settings.root) / "jobs"
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._held: dict[str, Lock] = {}
        self._cancelled: set[str] = set()
        self._waiting: queue.Queue[str | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self.stopping = False

    def start(self) -> None:
        """Take up what an earlier server left undone, and begin."""
        for path in sorted(self._folder.glob(f"*/{FILE}")) if self._folder.is_dir() else ():
            job = _read(path)
            if job is not None and job.id == path.parent.name and job.id not in self._jobs and self._mine(job):
                self._jobs[job.id] = job
        self._thread = threading.Thread(target=self._work, name="fieldwise-jobs", daemon=True)
        self._thread.start()

    def _mine(self, job: Job) -> bool:
        """Whether a job has ended, or nobody else is at it; then it is ours to do."""
        if job.state not in LIVE:
            return True
        try:
            self._held[job.id] = Lock(self._folder / job.id)
        except (Busy, OSError):
            return False
        self._waiting.put(job.id)
        return True

    def stop(self) -> None:
        """Stop soon; the next server goes on with what is running."""
        self.stopping = True
        self._waiting.put(None)
        if self._thread is not None:
            self._thread.join(timeout=5)
        for identity in [*self._held]:
            self._let_go(identity)

    def add(self, name: str, source: Mapping[str, str] | bytes, evaluators: Sequence[Mapping[str, Any]]) -> Job | None:
        """A new job over files, or over cases as JSON lines, which are kept with it; None where too many wait already."""
        if len(self.live()) >= MOST_WAITING:
            return None
        created = datetime.now(UTC)
        identity = f"{created:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        folder = self._folder / identity
        folder.mkdir(parents=True)
        self._held[identity] = Lock(folder)
        if isinstance(source, bytes):
            path = folder / CASES
            path.write_bytes(source)
            source = {"cases": str(path.resolve())}
        job = Job(id=identity, name=name, created=created.isoformat(), source=dict(source), evaluators=list(evaluators))
        self._put(job)
        self._waiting.put(job.id)
        return job

    def get(self, identity: str) -> Job | None:
        """The job with this id."""
        return self._jobs.get(identity)

    def all(self) -> list[Job]:
        """Every job, newest first."""
        return sorted(self._jobs.values(), key=lambda job: job.created, reverse=True)

    def live(self) -> list[Job]:
        """Those that wait or run."""
        return [job for job in self.all() if job.state in LIVE]

    def cancel(self, identity: str) -> Job | None:
        """Stop a job, at the latest after the batch that it is in."""
        with self._lock:
            job = self._jobs.get(identity)
            if job is None or job.state not in LIVE:
                return job
            self._cancelled.add(identity)
        if job.state == "waiting":
            self._end(job, "cancelled")
        return self._jobs[identity]

    def _put(self, job: Job, *, keep: bool = True) -> None:
        with self._lock:
            self._jobs[job.id] = job
        if keep:
            text = json.dumps(asdict(job))
            write_atomically(self._folder / job.id / FILE, lambda path: _write(path, text))

    def _work(self) -> None:
        while (identity := self._waiting.get()) is not None and not self.stopping:
            job = self._jobs[identity]
            if identity not in self._cancelled and job.state in LIVE:
                self._do(replace(job, state="running"))

    def _do(self, job: Job) -> None:
        self._put(job)
        try:
            run = self._run(job)
        except Cancelled:
            if not self.stopping:
                self._end(job, "cancelled")
        except ConfigError as error:
            self._end(job, "failed", diagnostics=[one.to_json() for one in error.diagnostics])
        except Exception as error:
            told = Diagnostic(code="internal-error", what=f"{type(error).__name__}: {error}", fix="please report it")
            self._end(job, "failed", diagnostics=[told.to_json()])
        else:
            self._end(job, "finished", share=1.0, done=run.full.cases, run=run.id)

    def _run(self, job: Job) -> Run:
        """The job's run: gone on with where an earlier server began it, else a new one."""
        before = None if job.run is None else self._opened(job.run)
        if before is not None and before.finished is not None:
            return before

        def tell(done: int, share: float | None) -> None:
            if self.stopping or job.id in self._cancelled:
                raise Cancelled
            self._put(replace(self._jobs[job.id], done=done, share=share), keep=False)

        def begun(run: str) -> None:
            self._put(replace(self._jobs[job.id], run=run))
            if before is not None and before.id != run:  # nothing of it could stand
                self._forget(before.id)

        return run_file(
            job.source, job.evaluators, job.name, self._root, progress=tell, begun=begun, resume=False if before is None else before.id
        )

    def _opened(self, run: str) -> Run | None:
        try:
            return open_run(self._root, run)
        except (RunNotFound, StoreError, ValueError):
            return None

    def _forget(self, run: str) -> None:
        """Delete a run that will never be finished; one that somebody holds dear stays."""
        found = self._opened(run)
        if found is not None and found.finished is None:
            with suppress(ConfigError, StoreError):
                delete_runs([found])

    def _end(self, job: Job, state: State, **changes: Any) -> None:
        """Say how a job ended, and leave nothing behind that nobody can use."""
        known = self._jobs[job.id]
        if state == "cancelled" and known.run is not None:
            self._forget(known.run)
            changes = {**changes, "run": None}
        self._put(replace(known, state=state, **changes))
        (self._folder / job.id / CASES).unlink(missing_ok=True)
        self._let_go(job.id)

    def _let_go(self, identity: str) -> None:
        held = self._held.pop(identity, None)
        if held is not None:
            held.release()


def _read(path: Path) -> Job | None:
    """The job in a file; None for a file that somebody else put there."""
    try:
        return Job(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
