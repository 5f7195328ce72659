"""Worker processes for the evaluations of requests and jobs.

A request may ask for anything, so its evaluation runs in a process that can be killed: at a time limit, at a memory limit, or when the
server stops. The server itself only waits. Workers are forked from a clean process (`forkserver`), never from the server with its threads,
and end with it.
"""

import asyncio
import ctypes
import multiprocessing as mp
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final, NamedTuple

from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.store.errors import StoreError
from fieldwise.web.problems import RequestProblem, config_problem, make_problem
from fieldwise.web.settings import RequestLimits

Report = Callable[[Any], None]
"""Receives the messages that a function sends while it runs."""
_POLL_SECONDS: Final = 0.1
_START_SECONDS: Final = 60.0
_READY: Final = "ready"
_STOP_SECONDS: Final = 3.0
"""Time that a worker has to store its cases when the server stops."""
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_PR_SET_PDEATHSIG: Final = 1
_PRELOADED: Final = ["fieldwise.web.evaluation"]


class WorkerProcessLost(Exception):
    """A worker was killed or died; the diagnostic says why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.what)


class CallCancelled(Exception):
    """The caller no longer wants the result."""


class _Outcome(NamedTuple):
    kind: str
    """`report`, `value`, `config`, `store` or `crash`."""
    content: Any


class WorkerProcess:
    """One process that runs one function at a time."""

    def __init__(self) -> None:
        context: Any = mp.get_context("forkserver" if "forkserver" in mp.get_all_start_methods() else "spawn")
        if context.get_start_method() == "forkserver":
            context.set_forkserver_preload(_PRELOADED)
        self._pipe, worker_end = context.Pipe()
        self._process: BaseProcess = context.Process(target=_serve_calls, args=(worker_end,), daemon=True)
        self._process.start()
        worker_end.close()
        self._is_ready = False
        self._closing = threading.Lock()

    @property
    def alive(self) -> bool:
        """True if it can run another function."""
        return not self._pipe.closed and self._process.is_alive()

    def call(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        seconds: float,
        memory: int,
        on_report: Report | None = None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> Any:
        """Run a module-level function in the process, and return its value.

        Raises WorkerProcessLost if `seconds` pass without a report or its memory exceeds `memory` bytes, after killing it; CallCancelled;
        ConfigError and StoreError as the function does. With `on_report` the function gets a further argument: a function that reports.
        """
        try:
            if not self._is_ready:  # its start does not count as time of the call
                self._is_ready = self._pipe.poll(_START_SECONDS) and self._pipe.recv() == _READY
            self._pipe.send((function, arguments, on_report is not None))
            deadline = time.monotonic() + seconds
            while True:
                outcome = self._receive(_POLL_SECONDS)
                if outcome is not None and outcome.kind == "report" and on_report is not None:
                    on_report(outcome.content)
                    deadline = time.monotonic() + seconds
                elif outcome is not None:
                    return _open_outcome(outcome)
                if is_cancelled():
                    self._interrupt()
                    self._receive_last_reports(on_report)
                    self.kill()
                    raise CallCancelled
                self._check_limits(deadline, seconds, memory)
        except (EOFError, OSError) as error:
            if isinstance(error, StoreError):
                raise
            self.kill()
            what = f"the worker process of this evaluation died (exit code {self._process.exitcode})"
            raise WorkerProcessLost(Diagnostic(code="worker-died", what=what, fix="send fewer or smaller cases at a time")) from error

    def _receive(self, wait: float) -> _Outcome | None:
        return self._pipe.recv() if self._pipe.poll(wait) else None

    def _check_limits(self, deadline: float, seconds: float, memory: int) -> None:
        if time.monotonic() > deadline:
            self.kill()
            what, fix = f"this takes longer than {seconds:g} seconds", "send fewer cases at a time, or make it a job: POST /api/v1/jobs"
            raise WorkerProcessLost(Diagnostic(code="too-long", what=what, fix=fix))
        if self._process.pid is not None and resident_memory(self._process.pid) > memory:
            self.kill()
            what = f"this needs more than {memory // 2**20:,} MB of memory"
            raise WorkerProcessLost(Diagnostic(code="too-much-memory", what=what, fix="send fewer or smaller cases at a time"))

    def _interrupt(self) -> None:
        """Interrupt the function, which may store what it has and report it; wait for its end, but not forever."""
        self._process.terminate()
        self._process.join(_STOP_SECONDS)

    def _receive_last_reports(self, on_report: Report | None) -> None:
        """Pass on the reports that were sent before the process ended."""
        with suppress(EOFError, OSError):  # the process closed its end
            while (outcome := self._receive(0)) is not None:
                if outcome.kind == "report" and on_report is not None:
                    on_report(outcome.content)

    def kill(self) -> None:
        """End the process at once."""
        if self._process.is_alive():
            self._process.kill()
        self._process.join(_STOP_SECONDS)
        with self._closing:  # the thread of a call and that of a server that stops may both get here
            self._pipe.close()


def _open_outcome(outcome: _Outcome) -> Any:
    if outcome.kind == "value":
        return outcome.content
    if outcome.kind == "config":
        raise ConfigError(outcome.content)
    if outcome.kind == "store":
        raise StoreError(outcome.content)
    raise RuntimeError(outcome.content)


def resident_memory(process: int) -> int:
    """The memory of a process in bytes; 0 where /proc does not tell."""
    try:
        return int(Path(f"/proc/{process}/statm").read_bytes().split()[1]) * _PAGE_BYTES
    except (OSError, ValueError, IndexError):
        return 0


def _serve_calls(pipe: Connection) -> None:
    """Main loop of a worker: one call after the other, until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the server
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a run that is interrupted stores its cases
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    pipe.send(_READY)
    while True:
        try:
            function, arguments, reports = pipe.recv()
            extra = (partial(_send_report, pipe),) if reports else ()
            pipe.send(_run_call(function, (*arguments, *extra)))
        except (EOFError, OSError, KeyboardInterrupt):
            return


def _send_report(pipe: Connection, message: Any) -> None:
    pipe.send(_Outcome("report", message))


def _run_call(function: Callable[..., Any], arguments: tuple[Any, ...]) -> _Outcome:
    """The outcome of a call. An unexpected exception becomes text: it may not survive pickling."""
    try:
        return _Outcome("value", function(*arguments))
    except ConfigError as error:
        return _Outcome("config", list(error.diagnostics))
    except StoreError as error:
        return _Outcome("store", str(error))
    except MemoryError:
        return _Outcome("store", "there is not enough memory for this evaluation\n  send fewer or smaller cases at a time")
    except Exception as error:
        traceback.print_exc()  # to the server's log
        return _Outcome("crash", type(error).__name__)


class EvaluationWorkers:
    """Worker processes for requests, with a limited queue: reused while they keep the limits."""

    def __init__(self, limits: RequestLimits) -> None:
        self._limits = limits
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._mutex = threading.Lock()
        self._threads = ThreadPoolExecutor(max_workers=limits.workers, thread_name_prefix="fieldwise-evaluation")
        self._pending = 0
        self._closed = False

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Run a module-level function in a worker; RequestProblem if the queue is full, a limit is exceeded or the request is wrong."""
        if self._pending >= self._limits.workers + self._limits.waiting:
            busy = Diagnostic(code="busy", what="the server is busy: its request queue is full", fix="try again in a moment")
            raise RequestProblem(503, [busy], {"retry-after": "2"})
        self._pending += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: self.call(function, *arguments))
        finally:
            self._pending -= 1

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The same from a thread."""
        worker = self._take_worker()
        try:
            return worker.call(function, *arguments, seconds=self._limits.seconds, memory=self._limits.memory)
        except ConfigError as error:
            raise config_problem(error) from error
        except WorkerProcessLost as error:
            problem = error.diagnostic
            raise make_problem(503, problem.code, problem.what, problem.fix) from error
        finally:
            self._return_worker(worker)

    def _take_worker(self) -> WorkerProcess:
        with self._mutex:
            while self._idle:
                worker = self._idle.pop()
                if worker.alive:
                    self._busy.add(worker)
                    return worker
        worker = WorkerProcess()
        with self._mutex:
            self._busy.add(worker)
        return worker

    def _return_worker(self, worker: WorkerProcess) -> None:
        with self._mutex:
            self._busy.discard(worker)
            if worker.alive and not self._closed:
                self._idle.append(worker)
                return
        worker.kill()

    def close(self) -> None:
        """Kill every worker; calls in progress fail."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._mutex:
            workers = [*self._idle, *self._busy]
            self._idle.clear()
        for worker in workers:
            worker.kill()
