"""Background jobs.

A job is a folder, so that it survives a restart: the next server resumes its run. The process that works on a job holds the lock of its
folder, so that two servers of one store never work on the same job.
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
from fieldwise.model.locations import DEFAULT_ROOT, is_url
from fieldwise.store.atomic import write_atomically
from fieldwise.store.delete import delete_runs
from fieldwise.store.errors import StoreError
from fieldwise.store.lock import RunLock, RunLocked
from fieldwise.store.run import Run, open_run
from fieldwise.store.run_names import RunNotFound
from fieldwise.web.evaluation import run_job
from fieldwise.web.settings import Settings
from fieldwise.web.worker_processes import CallCancelled, WorkerProcess, WorkerProcessLost

JobState = Literal["waiting", "running", "finished", "failed", "cancelled"]
LIVE_STATES: Final = ("waiting", "running")
CASES: Final = "cases.jsonl"
JOB_FILE: Final = "job.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job. Its fields are the keys of `job.json`."""

    id: str
    name: str
    created: str
    source: Mapping[str, str]
    """`cases`, or `expected` and `actual`: paths of files."""
    evaluators: Sequence[Mapping[str, Any]]
    state: JobState = "waiting"
    done: int = 0
    share: float | None = None
    run: str | None = None
    """The id of its run, from its start on; None again after a cancellation, which deletes the run."""
    diagnostics: Sequence[Mapping[str, Any]] = ()

    def to_json(self) -> dict[str, Any]:
        """The job as the API shows it."""
        public = ("id", "name", "state", "created", "done", "share", "run")
        return {name: getattr(self, name) for name in public} | {"diagnostics": [dict(diagnostic) for diagnostic in self.diagnostics]}


class JobQueue:
    """The jobs of a server; one thread runs them one after the other."""

    def __init__(self, settings: Settings) -> None:
        self._root = settings.root
        self._limits = settings.limits
        self._adding = threading.Lock()
        # always a local folder: object stores have no locks that end with their process, and job.json is written often
        self._folder = Path(DEFAULT_ROOT if is_url(settings.root) else settings.root) / "jobs"
        self._mutex = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._locks: dict[str, RunLock] = {}
        self._cancelled: set[str] = set()
        self._waiting: queue.Queue[str | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self.stopping = False

    def start(self) -> None:
        """Load the stored jobs, queue the unfinished ones, and start the thread."""
        paths = sorted(self._folder.glob(f"*/{JOB_FILE}")) if self._folder.is_dir() else []
        for path in paths:
            job = _read_job(path)
            if job is not None and job.id == path.parent.name and job.id not in self._jobs and self._claim(job):
                self._jobs[job.id] = job
        self._thread = threading.Thread(target=self._work_loop, name="fieldwise-jobs", daemon=True)
        self._thread.start()

    def _claim(self, job: Job) -> bool:
        """Lock and queue a live job; False if another server holds its lock. Ended jobs need no lock."""
        if job.state not in LIVE_STATES:
            return True
        try:
            self._locks[job.id] = RunLock(self._folder / job.id)
        except (RunLocked, OSError):
            return False
        self._waiting.put(job.id)
        return True

    def stop(self) -> None:
        """Interrupt the running job, which the next server resumes, and release all locks."""
        self.stopping = True
        self._waiting.put(None)
        if self._thread is not None:
            self._thread.join(timeout=5)
        for job_id in [*self._locks]:
            self._release(job_id)

    def add(self, name: str, source: Mapping[str, str] | bytes, evaluators: Sequence[Mapping[str, Any]]) -> Job | None:
        """Add a job over files, or over JSON lines, which are stored with it; None if there are too many."""
        with self._adding:  # one at a time, or several could pass the check at once
            return self._add(name, source, evaluators)

    def _add(self, name: str, source: Mapping[str, str] | bytes, evaluators: Sequence[Mapping[str, Any]]) -> Job | None:
        if len(self.list_live()) >= self._limits.jobs:
            return None
        created = datetime.now(UTC)
        job_id = f"{created:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        folder = self._folder / job_id
        folder.mkdir(parents=True)
        self._locks[job_id] = RunLock(folder)
        if isinstance(source, bytes):
            path = folder / CASES
            path.write_bytes(source)
            source = {"cases": str(path.resolve())}
        job = Job(id=job_id, name=name, created=created.isoformat(), source=dict(source), evaluators=list(evaluators))
        self._store(job)
        self._waiting.put(job.id)
        return job

    def get(self, job_id: str) -> Job | None:
        """The job with this id."""
        return self._jobs.get(job_id)

    def list_all(self) -> list[Job]:
        """Every job, newest first."""
        return sorted(self._jobs.values(), key=lambda job: job.created, reverse=True)

    def list_live(self) -> list[Job]:
        """Waiting and running jobs, newest first."""
        return [job for job in self.list_all() if job.state in LIVE_STATES]

    def cancel(self, job_id: str) -> Job | None:
        """Cancel a job; a running one stops after its current batch."""
        with self._mutex:
            job = self._jobs.get(job_id)
            if job is None or job.state not in LIVE_STATES:
                return job
            self._cancelled.add(job_id)
        if job.state == "waiting":
            self._finish(job, "cancelled")
        return self._jobs[job_id]

    def _store(self, job: Job, *, persist: bool = True) -> None:
        with self._mutex:
            self._jobs[job.id] = job
        if persist:
            text = json.dumps(asdict(job))
            write_atomically(self._folder / job.id / JOB_FILE, lambda path: _write_text(path, text))

    def _work_loop(self) -> None:
        while (job_id := self._waiting.get()) is not None and not self.stopping:
            job = self._jobs[job_id]
            if job_id not in self._cancelled and job.state in LIVE_STATES:
                self._run_job(replace(job, state="running"))

    def _run_job(self, job: Job) -> None:
        self._store(job)
        try:
            run, cases = self._score(job)
        except CallCancelled:
            if not self.stopping:
                self._finish(job, "cancelled")
        except ConfigError as error:
            self._finish(job, "failed", diagnostics=[diagnostic.to_json() for diagnostic in error.diagnostics])
        except WorkerProcessLost as error:  # ended, so that the next server does not resume it and lose its worker again
            self._finish(job, "failed", diagnostics=[error.diagnostic.to_json()])
        except Exception as error:  # recorded in the job; the thread must survive for the next one
            diagnostic = Diagnostic(code="internal-error", what=f"{type(error).__name__}: {error}", fix="please report it")
            self._finish(job, "failed", diagnostics=[diagnostic.to_json()])
        else:
            with self._mutex:  # a job can be cancelled while its last batch is stored, and not any more when it is finished
                state: JobState = "cancelled" if job.id in self._cancelled else "finished"
                current = replace(self._jobs[job.id], share=1.0, done=cases, run=run)
                self._jobs[job.id] = current if state == "cancelled" else replace(current, state=state)
            self._finish(job, state)

    def _score(self, job: Job) -> tuple[str, int]:
        """Score the cases of a job in a worker process, resuming the run that an earlier server began; its run and number of cases."""
        previous = None if job.run is None else self._open_run(job.run)
        if previous is not None and previous.finished is not None:
            return previous.id, previous.full.cases

        def on_report(message: tuple[str, Any]) -> None:
            kind, content = message
            if kind == "progress":
                done, share = content
                self._store(replace(self._jobs[job.id], done=done, share=share), persist=False)
                return
            self._store(replace(self._jobs[job.id], run=content))
            if previous is not None and previous.id != content:  # the previous run could not be resumed
                self._delete_run(previous.id)

        resume = None if previous is None else previous.id
        worker = WorkerProcess()
        try:
            return worker.call(
                run_job,
                job.source,
                job.evaluators,
                job.name,
                self._root,
                resume,
                seconds=self._limits.job_seconds,
                memory=self._limits.memory,
                on_report=on_report,
                is_cancelled=lambda: self.stopping or job.id in self._cancelled,
            )
        finally:
            worker.kill()

    def _open_run(self, run_id: str) -> Run | None:
        try:
            return open_run(self._root, run_id)
        except (RunNotFound, StoreError, ValueError):
            return None

    def _delete_run(self, run_id: str) -> None:
        """Delete the run of a job, unless it is protected by a tag or a baseline."""
        run = self._open_run(run_id)
        if run is not None:
            with suppress(ConfigError, StoreError):  # protected, or locked by another process: the run stays and remains listed
                delete_runs([run])

    def _finish(self, job: Job, state: JobState, **changes: Any) -> None:
        """Store the final state, delete the cases and a cancelled run, and release the lock."""
        current = self._jobs[job.id]
        if state == "cancelled" and current.run is not None:
            self._delete_run(current.run)
            changes = {**changes, "run": None}
        self._store(replace(current, state=state, **changes))
        (self._folder / job.id / CASES).unlink(missing_ok=True)
        self._release(job.id)

    def _release(self, job_id: str) -> None:
        lock = self._locks.pop(job_id, None)
        if lock is not None:
            lock.release()


def _read_job(path: Path) -> Job | None:
    """Read a job file; None for a file that is not a job."""
    try:
        return Job(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
