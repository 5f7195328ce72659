"""Pieces of a run on the cores of this machine: a process each, given a piece at a time."""

import ctypes
import multiprocessing as mp
import signal
import sys
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from typing import Any, Final, Protocol

from fieldwise.engines.shard_worker import ATTEMPTS, Done, Stop, Task, Tell, Work, do_task
from fieldwise.model.remote_path import RemotePath
from fieldwise.model.roots import is_url
from fieldwise.read.shards import BYTES

_DIE_WITH_PARENT: Final = 1
_SOON: Final = 0.5
"""Seconds that a process may take for the batch it is at once it is told to stop; then it lets go of it."""
_PATIENCE: Final = 10.0
"""Seconds that it may take to write what it has, and to end."""


class _Flag(Protocol):
    def is_set(self) -> bool: ...

    def set(self) -> None: ...


class WorkerLost(RuntimeError):
    """A piece was given out again and again, and whoever had it was gone each time."""


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    pipe: Connection
    task: Task | None = None


class Processes:
    """An executor of so many processes."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.least = BYTES

    def do(self, work: Work, tasks: Iterator[Task], tell: Tell) -> Iterator[Done]:
        """Do all of the tasks. A process that is gone is replaced, and its piece is done again."""
        context = mp.get_context(_way_to_start(work))
        stop = context.Event()
        crew = _Crew(context, work, stop, tasks)
        with crew.hired(self._count):
            try:
                yield from crew.work(tell)
            except KeyboardInterrupt:
                stop.set()
                yield from crew.finish()
                raise


def _way_to_start(work: Work) -> str:
    """Fork, which is fast, but not where connections to a remote place are open: a forked process would share them."""
    source = work.plan.source
    remote = isinstance(work.folder, RemotePath) or (source is not None and is_url(source.cases))
    return "fork" if "fork" in mp.get_all_start_methods() and not remote else "spawn"


class _Crew:
    """The processes at work, and who has which piece."""

    def __init__(self, context: BaseContext, work: Work, stop: _Flag, tasks: Iterator[Task]) -> None:
        self._context, self._work, self._stop = context, work, stop
        self._tasks = tasks
        self._again: deque[Task] = deque()
        self._attempts: dict[int, int] = {}
        self._workers: list[_Worker] = []

    @contextmanager
    def hired(self, count: int) -> Generator[None]:
        """Start with so many processes, and end every one."""
        try:
            for _ in range(count):
                self._hire()
            yield
        finally:
            for worker in self._workers:
                worker.pipe.close()  # it ends by itself when nobody gives it a piece
                worker.process.join(_PATIENCE if self._stop.is_set() else 0.2)
                if worker.process.is_alive():
                    worker.process.kill()
                    worker.process.join()

    def _hire(self) -> None:
        ours, theirs = self._context.Pipe()
        # what a fork holds besides its own pipe it closes, so that a pipe ends with its one process
        forked = self._context.get_start_method() == "fork"
        others = [ours, *(worker.pipe for worker in self._workers)] if forked else []
        started: Any = self._context
        process: BaseProcess = started.Process(target=_serve, args=(self._work, theirs, self._stop, others), daemon=True)
        process.start()
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        self._give(worker)

    def _give(self, worker: _Worker) -> None:
        worker.task = self._again.popleft() if self._again else next(self._tasks, None)
        if worker.task is not None:
            worker.pipe.send(worker.task)

    def work(self, tell: Tell) -> Iterator[Done]:
        """Whatever comes of the pieces, until none is left."""
        while any(worker.task for worker in self._workers):
            for worker in self._ready():
                done = self._heard(worker, tell)
                if done is not None:
                    self._give(worker)
                    yield done

    def finish(self) -> Iterator[Done]:
        """What comes of the pieces under way, which end soon because they were told to."""
        waiting, end = _SOON, BaseProcess.terminate
        while busy := [worker for worker in self._workers if worker.task]:
            ready = self._ready(waiting)
            if not ready:
                for worker in busy:
                    end(worker.process)
                waiting, end = _PATIENCE, BaseProcess.kill
            for worker in ready:
                if (done := self._heard(worker, lambda _: None, again=False)) is not None:
                    worker.task = None
                    yield done

    def _ready(self, timeout: float | None = None) -> list[_Worker]:
        by_pipe = {worker.pipe: worker for worker in self._workers if worker.task}
        return [by_pipe[pipe] for pipe in wait(list(by_pipe), timeout) if isinstance(pipe, Connection)]

    def _heard(self, worker: _Worker, tell: Tell, *, again: bool = True) -> Done | None:
        try:
            told: int | Done | BaseException = worker.pipe.recv()
        except (EOFError, OSError):
            self._lost(worker, again=again)
            return None
        if isinstance(told, int):
            tell(told)
            return None
        if isinstance(told, BaseException):
            raise told
        return told

    def _lost(self, worker: _Worker, *, again: bool) -> None:
        """Do the piece of a process that is gone again, in another process."""
        self._workers.remove(worker)
        worker.pipe.close()
        worker.process.join()
        if not again or worker.task is None:
            return
        tried = self._attempts[worker.task.number] = self._attempts.get(worker.task.number, 1) + 1
        if tried > ATTEMPTS:
            where = f"{worker.task.shard.file}, cases {worker.task.shard.first + 1} to {worker.task.shard.first + worker.task.shard.cases}"
            raise WorkerLost(f"the process for {where} ended {ATTEMPTS} times with code {worker.process.exitcode}: is there enough memory?")
        self._again.append(worker.task)
        self._hire()


def _serve(work: Work, pipe: Connection, asked: _Flag, others: list[Connection]) -> None:
    """Do one piece after the other, until nobody gives any."""
    stop = Stop(asked.is_set)

    def halt(*_: object) -> None:
        if asked.is_set():
            stop.halt()
        else:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.raise_signal(signal.SIGTERM)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    signal.signal(signal.SIGTERM, halt)
    _end_with_parent()
    for other in others:
        other.close()
    while True:
        try:
            task: Task = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(_done(work, task, pipe.send, stop))


def _done(work: Work, task: Task, tell: Tell, stop: Stop) -> Done | BaseException:
    try:
        return do_task(work, task, tell, stop)
    except BaseException as error:
        return error


def _end_with_parent() -> None:
    """Be killed when the parent is, so that nobody goes on writing a run that another process resumes. Only Linux knows how."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
