"""State shared by the routes of one server: settings, threads, jobs, runs and caches."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, ParamSpec, TypeVar

from fastapi import Path as PathParameter

from fieldwise.model.change import Changes
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.store.errors import StoreError
from fieldwise.store.run import Run
from fieldwise.store.run_names import RunNotFound
from fieldwise.web import configuration
from fieldwise.web.case_index import Cache, CaseIndex
from fieldwise.web.jobs import JobQueue
from fieldwise.web.library import RunLibrary
from fieldwise.web.partial_results import PartialResults
from fieldwise.web.problems import RequestProblem, config_problem, make_problem
from fieldwise.web.settings import RequestLimits, Settings
from fieldwise.web.worker_processes import EvaluationWorkers

P = ParamSpec("P")
T = TypeVar("T")


class WorkerThreads:
    """A thread pool for requests, with a limited queue and a time limit."""

    def __init__(self, limits: RequestLimits) -> None:
        self._limits = limits
        self._executor = ThreadPoolExecutor(max_workers=limits.workers, thread_name_prefix="fieldwise-web")
        self._pending = 0

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function in a thread; RequestProblem 503 if the queue is full or the time limit is exceeded."""
        if self._pending >= self._limits.workers + self._limits.waiting:
            busy = Diagnostic(code="busy", what="the server is busy: its request queue is full", fix="try again in a moment")
            raise RequestProblem(503, [busy], {"retry-after": "2"})
        self._pending += 1
        loop = asyncio.get_running_loop()
        future = self._executor.submit(function, *args, **kwargs)
        # a slot is free when the function has returned, not when the client has stopped waiting for it
        future.add_done_callback(lambda done: self._on_done(loop, done))
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(future)), self._limits.seconds)
        except TimeoutError as error:
            future.cancel()
            what = f"this takes longer than {self._limits.seconds:g} seconds"
            raise make_problem(503, "too-long", what, "send fewer cases at a time, or make it a job: POST /api/v1/jobs") from error

    def _on_done(self, loop: asyncio.AbstractEventLoop, future: "Future[Any]") -> None:
        del future
        if not loop.is_closed():
            loop.call_soon_threadsafe(self._release_slot)

    def _release_slot(self) -> None:
        self._pending -= 1

    def close(self) -> None:
        """Cancel what has not started."""
        self._executor.shutdown(wait=False, cancel_futures=True)


RUN_ID: Final = r"^[^\x00-\x1f\x7f/\\]{1,200}$"
"""What may name a run: names are free text, and are compared with those of stored runs, never used as a path."""
RunId = Annotated[
    str, PathParameter(alias="run", pattern=RUN_ID, description="The id of a run or its first characters, a tag, a name, or `latest`.")
]


@dataclass(frozen=True, slots=True)
class Server:
    """Settings, threads, jobs and runs of a server, with its caches."""

    settings: Settings
    threads: WorkerThreads
    jobs: JobQueue
    library: RunLibrary
    evaluations: EvaluationWorkers
    """Processes that evaluate for requests."""
    index: CaseIndex = field(default_factory=CaseIndex)
    pages: Cache[str] = field(default_factory=lambda: Cache[str](64))
    """Rendered pages and page fragments of finished runs, which never change."""
    partial_results: PartialResults = field(default_factory=PartialResults)
    changes: Cache[Changes] = field(default_factory=lambda: Cache[Changes](64))
    """Comparisons of finished runs."""
    comparing: dict[tuple[str, str], float] = field(default_factory=dict)
    """Base and new run of the comparisons that are being computed → the share that is done."""
    background: set["asyncio.Task[None]"] = field(default_factory=set)
    """Tasks that no request waits for; the event loop itself keeps no reference to them."""

    def open_run(self, name: str) -> Run:
        """Open a stored run; RequestProblem if there is none, or if it cannot be read."""
        try:
            return self.library.open(name)
        except RunNotFound as error:
            what = str(error.args[0]).replace(str(self.settings.root), "the store")  # clients need not learn the server's paths
            raise make_problem(404, "no-run", what, "GET /api/v1/runs lists them") from error
        except (StoreError, ValueError, KeyError, TypeError) as error:
            what = f"run {name} cannot be read: {error}"
            raise make_problem(409, "unreadable-run", what, "it was stored by another version, or damaged") from error

    def load_configuration(self) -> configuration.Configuration:
        """Load the saved configuration; RequestProblem if it is not valid."""
        try:
            return configuration.load_configuration(self.settings.workspace)
        except ConfigError as error:
            raise config_problem(error) from error
