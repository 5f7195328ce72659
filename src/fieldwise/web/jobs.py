"""Long work that goes on while nobody waits. A job is a file, so that it outlives the server: what was not finished starts again."""

import json
import queue
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.store.atomic import write_atomically
from fieldwise.web.evaluating import run_file
from fieldwise.web.settings import Settings

State = Literal["waiting", "running", "finished", "failed", "cancelled"]
LIVE: Final = ("waiting", "running")
CASES: Final = "cases.jsonl"
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
    diagnostics: Sequence[Mapping[str, Any]] = ()

    def to_json(self) -> dict[str, Any]:
        """What the API tells of it."""
        shown = ("id", "name", "state", "created", "done", "share", "run")
        return {name: getattr(self, name) for name in shown} | {"diagnostics": [dict(one) for one in self.diagnostics]}


class Jobs:
    """The jobs of a server, done one after the other in a thread of their own."""

    def __init__(self, settings: Settings) -> None:
        self._root = settings.root
        self._folder = settings.root / "jobs"
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._cancelled: set[str] = set()
        self._waiting: queue.Queue[str | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self.stopping = False

    def start(self) -> None:
        """Take up what an earlier server left undone, and begin."""
        for path in sorted(self._folder.glob("*.json")) if self._folder.is_dir() else ():
            try:
                job = Job(**json.loads(path.read_text(encoding="utf-8")))
            except (OSError, ValueError, TypeError):
                continue  # a file that somebody else put there
            if job.state in LIVE:
                job = replace(job, state="waiting", done=0, share=None)
                self._waiting.put(job.id)
            self._jobs[job.id] = job
        self._thread = threading.Thread(target=self._work, name="fieldwise-jobs", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop soon; what is running will start again with the next server."""
        self.stopping = True
        self._waiting.put(None)
        if self._thread is not None:
            self._thread.join(timeout=5)

    def add(self, name: str, source: Mapping[str, str] | bytes, evaluators: Sequence[Mapping[str, Any]]) -> Job | None:
        """A new job over files, or over cases as JSON lines, which are kept with it; None where too many wait already."""
        if len(self.live()) >= MOST_WAITING:
            return None
        created = datetime.now(UTC)
        identity = f"{created:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        self._folder.mkdir(parents=True, exist_ok=True)
        if isinstance(source, bytes):
            path = self._folder / f"{identity}.{CASES}"
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
            self._put(replace(job, state="cancelled"))
        return self._jobs[identity]

    def _put(self, job: Job, *, keep: bool = True) -> None:
        with self._lock:
            self._jobs[job.id] = job
        if keep:
            text = json.dumps(asdict(job))
            write_atomically(self._folder / f"{job.id}.json", lambda path: _write(path, text))

    def _work(self) -> None:
        while (identity := self._waiting.get()) is not None and not self.stopping:
            job = self._jobs[identity]
            if identity not in self._cancelled and job.state == "waiting":
                self._do(replace(job, state="running"))

    def _do(self, job: Job) -> None:
        self._put(job)

        def tell(done: int, share: float | None) -> None:
            if self.stopping or job.id in self._cancelled:
                raise Cancelled
            self._put(replace(job, done=done, share=share), keep=False)

        try:
            run = run_file(job.source, job.evaluators, job.name, self._root, tell)
        except Cancelled:
            if not self.stopping:
                self._put(replace(self._jobs[job.id], state="cancelled"))
            return
        except ConfigError as error:
            self._put(replace(job, state="failed", diagnostics=[one.to_json() for one in error.diagnostics]))
        except Exception as error:
            told = Diagnostic(code="internal-error", what=f"{type(error).__name__}: {error}", fix="please report it")
            self._put(replace(job, state="failed", diagnostics=[told.to_json()]))
        else:
            self._put(replace(self._jobs[job.id], state="finished", share=1.0, done=run.full.cases, run=run.id))
        if Path(job.source.get("cases", "")).parent == self._folder.resolve():
            Path(job.source["cases"]).unlink(missing_ok=True)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
