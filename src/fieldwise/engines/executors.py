"""Executors of a run's shards: worker processes on this machine, or tasks of a Ray cluster; and which of them a plan needs.

Worker processes: one shard at a time each; a process that dies is replaced and its shard is retried.
Ray: each node reads its range of the data and writes its part to shared storage; Ray replaces lost nodes. Judges ask through one actor,
so that rate limits, budgets and the answer cache hold for the whole cluster.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections import deque
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, cast

from fieldwise.dataclass import dataclass
from fieldwise.engines.shard_worker import (
    MAX_ATTEMPTS,
    Executor,
    ReportCases,
    RunSetup,
    ShardDone,
    ShardTask,
    StopSignal,
    process_shard,
)
from fieldwise.model.ask import Asking, Asks, NextAsks, Replies, Reply
from fieldwise.model.diagnostic import ConfigError, Diagnostic
from fieldwise.model.locations import is_url
from fieldwise.model.plan import Plan, PlannedEvaluator
from fieldwise.model.remote_path import RemotePath
from fieldwise.model.rule import FieldRule
from fieldwise.model.values import dataclass_fields
from fieldwise.read.shards import SHARD_BYTES
from fieldwise.registry import is_judge

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

Engine = Literal["local", "ray"]
_ASKS_MODEL: Final = "llm"
"""Option value of matches that ask a model: `algorithm: llm`, `by: llm`."""
_EMBEDS_TEXT: Final = ("semantic", "SEMANTIC", "embedding")
"""Option values of matches and evaluators that embed texts, which takes milliseconds each."""
_NO_TEXTS: Final = frozenset((bool, int, float, type(None)))
_BATCH_SIZE: Final = 1024
_SLOW_BATCH_SIZE: Final = 256


@dataclass(frozen=True, slots=True)
class PlanDemands:
    """What scoring a plan may need."""

    asks_models: bool
    """A judge or a match may ask a model or a program."""
    embeds_texts: bool

    @property
    def batch_size(self) -> int:
        """Number of cases scored together: many share the cost of each step; fewer show progress sooner where scoring is slow."""
        return _SLOW_BATCH_SIZE if self.asks_models or self.embeds_texts else _BATCH_SIZE


def find_demands(plan: Plan) -> PlanDemands:
    """Inspect the evaluators of a plan and all their options, once per run."""
    asks_models = embeds_texts = False
    seen_matches: set[int] = set()  # by id, which the plan keeps valid: thousands of rules share a few matches
    stack: list[Any] = [plan.evaluators]
    while stack:
        value = stack.pop()
        if type(value) in _NO_TEXTS:
            continue
        if isinstance(value, str):
            asks_models = asks_models or value == _ASKS_MODEL
            embeds_texts = embeds_texts or value in _EMBEDS_TEXT
        elif isinstance(value, FieldRule):  # paths name no matcher
            if id(value.match) not in seen_matches:
                seen_matches.add(id(value.match))
                stack.append(value.match)
        elif isinstance(value, (list, tuple)):
            stack += cast("list[Any]", value)
        elif (names := dataclass_fields(type(value))) is not None:
            asks_models = asks_models or (isinstance(value, PlannedEvaluator) and is_judge(value.type))
            stack += [getattr(value, name) for name in names]
        elif isinstance(value, dict):
            stack += cast("dict[Any, Any]", value).values()
    return PlanDemands(asks_models, embeds_texts)


def choose_executor(demands: PlanDemands, engine: Engine, workers: int, asking: Asking) -> Executor | None:
    """The executor for a plan; None if this process scores alone.

    All questions are asked from one process, so that limits and budgets hold: on one machine this process, on a cluster an actor.
    """
    if engine == "ray":
        return RayExecutor(workers, asking=asking if demands.asks_models else None)
    return None if workers < 2 or demands.asks_models else ProcessExecutor(workers)


def count_cores() -> int:
    """Number of processes that can run at a time on this machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_PR_SET_PDEATHSIG: Final = 1
_BATCH_TIMEOUT: Final = 0.5
"""Seconds that a worker may take to finish its batch after a stop request; then the batch is cancelled."""
_WRITE_TIMEOUT: Final = 10.0
"""Seconds that a worker may take to write its cases and exit."""
_EXIT_TIMEOUT: Final = 0.2
"""Seconds that an idle worker may take to exit."""


class _StopEvent(Protocol):
    def is_set(self) -> bool: ...

    def set(self) -> None: ...


class WorkerLost(RuntimeError):
    """The workers of one shard died at every attempt."""


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    pipe: Connection
    task: ShardTask | None = None


class ProcessExecutor:
    """An executor with a fixed number of worker processes."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self.min_bytes = SHARD_BYTES

    def run_shards(self, setup: RunSetup, tasks: Iterator[ShardTask], report: ReportCases) -> Iterator[ShardDone]:
        """Process all tasks. A process that dies is replaced, and its shard is retried."""
        from multiprocessing import get_context

        context = get_context(_start_method(setup))
        stop = context.Event()
        pool = WorkerPool(context, setup, stop, tasks)
        with pool.start(self._workers):
            try:
                yield from pool.run(report)
            except KeyboardInterrupt:
                stop.set()
                yield from pool.stop()
                raise


def _start_method(setup: RunSetup) -> str:
    """`fork`, which is fast, unless connections to remote storage are open, which a forked process would share; then `spawn`."""
    from multiprocessing import get_all_start_methods

    source = setup.plan.source
    is_remote = isinstance(setup.folder, RemotePath) or (source is not None and is_url(source.cases))
    return "fork" if "fork" in get_all_start_methods() and not is_remote else "spawn"


class WorkerPool:
    """The worker processes, and the shard that each of them processes."""

    def __init__(self, context: BaseContext, setup: RunSetup, stop: _StopEvent, tasks: Iterator[ShardTask]) -> None:
        self._context, self._setup, self._stop = context, setup, stop
        self._tasks = tasks
        self._retries: deque[ShardTask] = deque()
        self._attempts: dict[int, int] = {}
        self._workers: list[_Worker] = []

    @contextmanager
    def start(self, count: int) -> Generator[None]:
        """Start `count` processes; end all of them on exit."""
        try:
            for _ in range(count):
                self._spawn()
            yield
        finally:
            for worker in self._workers:
                worker.pipe.close()  # the worker exits when its pipe is closed
                worker.process.join(_WRITE_TIMEOUT if self._stop.is_set() else _EXIT_TIMEOUT)
                if worker.process.is_alive():
                    worker.process.kill()
                    worker.process.join()

    def _spawn(self) -> None:
        parent_end, worker_end = self._context.Pipe()
        # a forked process inherits all pipes and must close those of the others, or they would not end with their own process
        is_forked = self._context.get_start_method() == "fork"
        inherited = [parent_end, *(worker.pipe for worker in self._workers)] if is_forked else []
        context: Any = self._context
        process: BaseProcess = context.Process(target=_run_worker, args=(self._setup, worker_end, self._stop, inherited), daemon=True)
        process.start()
        worker_end.close()
        worker = _Worker(process, parent_end)
        self._workers.append(worker)
        self._assign(worker)

    def _assign(self, worker: _Worker) -> None:
        worker.task = self._retries.popleft() if self._retries else next(self._tasks, None)
        if worker.task is not None:
            worker.pipe.send(worker.task)

    def run(self, report: ReportCases) -> Iterator[ShardDone]:
        """Yield the shards as they are done, until none is left."""
        while any(worker.task for worker in self._workers):
            for worker in self._wait_for_messages():
                done = self._receive(worker, report)
                if done is not None:
                    self._assign(worker)
                    yield done

    def stop(self) -> Iterator[ShardDone]:
        """After the stop event: yield the shards in progress, which end early. Workers that take too long are terminated, then killed."""
        from multiprocessing.process import BaseProcess

        timeout, end_process = _BATCH_TIMEOUT, BaseProcess.terminate
        while busy := [worker for worker in self._workers if worker.task]:
            ready = self._wait_for_messages(timeout)
            if not ready:
                for worker in busy:
                    end_process(worker.process)
                timeout, end_process = _WRITE_TIMEOUT, BaseProcess.kill
            for worker in ready:
                done = self._receive(worker, lambda _: None, retry=False)
                if done is not None:
                    worker.task = None
                    yield done

    def _wait_for_messages(self, timeout: float | None = None) -> list[_Worker]:
        from multiprocessing.connection import Connection, wait

        by_pipe = {worker.pipe: worker for worker in self._workers if worker.task}
        return [by_pipe[pipe] for pipe in wait(list(by_pipe), timeout) if isinstance(pipe, Connection)]

    def _receive(self, worker: _Worker, report: ReportCases, *, retry: bool = True) -> ShardDone | None:
        """Read one message of a worker: a number of cases done, an outcome, or an exception."""
        try:
            message: int | ShardDone | BaseException = worker.pipe.recv()
        except (EOFError, OSError):
            self._on_exit(worker, retry=retry)
            return None
        if isinstance(message, int):
            report(message)
            return None
        if isinstance(message, BaseException):
            raise message
        return message

    def _on_exit(self, worker: _Worker, *, retry: bool) -> None:
        """Retry the shard of a process that died, in a new process."""
        self._workers.remove(worker)
        worker.pipe.close()
        worker.process.join()
        task = worker.task
        if not retry or task is None:
            return
        attempt = self._attempts[task.number] = self._attempts.get(task.number, 1) + 1
        if attempt > MAX_ATTEMPTS:
            cases = f"{task.shard.file}, cases {task.shard.first_case + 1} to {task.shard.first_case + task.shard.cases}"
            raise WorkerLost(
                f"the process for {cases} ended {MAX_ATTEMPTS} times with code {worker.process.exitcode}: is there enough memory?"
            )
        self._retries.append(task)
        self._spawn()


def _run_worker(setup: RunSetup, pipe: Connection, stop_requested: _StopEvent, inherited: list[Connection]) -> None:
    """Main loop of a worker process: one shard after the other, until the pipe is closed."""
    stop = StopSignal(stop_requested.is_set)

    def handle_sigterm(*_: object) -> None:
        if stop_requested.is_set():
            stop.cancel_batch()
        else:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.raise_signal(signal.SIGTERM)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent
    signal.signal(signal.SIGTERM, handle_sigterm)
    _die_with_parent()
    for connection in inherited:
        connection.close()
    while True:
        try:
            task: ShardTask = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(_process_or_error(setup, task, pipe.send, stop))


def _process_or_error(setup: RunSetup, task: ShardTask, report: ReportCases, stop: StopSignal) -> ShardDone | BaseException:
    """The outcome of a shard, or its exception, which the parent raises."""
    try:
        return process_shard(setup, task, report, stop)
    except BaseException as error:
        return error


def _die_with_parent() -> None:
    """On Linux: be killed with the parent, so that no orphan writes to a run that another process resumes."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


_TASKS_PER_CPU: Final = 2
"""Ray tasks submitted per CPU, so that none is idle between two."""
_POLL_SECONDS: Final = 0.25


def _import_ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray reports usage to its makers by default
    try:
        import ray
    except ModuleNotFoundError as error:
        fix = "pip install 'fieldwise[ray]', or leave out --engine"
        raise ConfigError([Diagnostic(code="no-ray", what="the engine `ray` needs Ray, which is not installed", fix=fix)]) from error
    return ray


class RayExecutor:
    """An executor of Ray tasks: on the cluster at RAY_ADDRESS, else on one that is started on this machine for the run."""

    def __init__(self, workers: int, asking: Asking | None = None) -> None:
        """`asking` configures the actor that asks models; None if nothing is asked."""
        self._workers, self._asking = workers, asking
        self.min_bytes = 0

    def run_shards(self, setup: RunSetup, tasks: Iterator[ShardTask], report: ReportCases) -> Iterator[ShardDone]:
        """Process all tasks."""
        ray = _import_ray()
        is_started_here = not ray.is_initialized()
        if is_started_here:
            address = os.environ.get("RAY_ADDRESS")
            local_options: dict[str, Any] = {} if address else {"num_cpus": self._workers, "include_dashboard": False}
            ray.init(address=address, log_to_driver=False, logging_level="error", configure_logging=False, **local_options)
        try:
            yield from self._run_tasks(ray, setup, tasks, report)
        finally:
            if is_started_here:
                ray.shutdown()

    def _run_tasks(self, ray: Any, setup: RunSetup, tasks: Iterator[ShardTask], report: ReportCases) -> Iterator[ShardDone]:
        actor = None
        if self._asking:
            actor = ray.remote(max_concurrency=64, num_cpus=0)(_AskerActor).remote(self._asking, Path.cwd())
        remote_function = ray.remote(max_retries=MAX_ATTEMPTS - 1, num_cpus=1)(_process_on_node)
        shared_setup = ray.put(_with_absolute_folder(setup))
        pending: dict[Any, ShardTask] = {}
        max_pending = _TASKS_PER_CPU * max(int(ray.cluster_resources().get("CPU", self._workers)), 1)
        try:
            while True:
                while len(pending) < max_pending and (task := next(tasks, None)) is not None:
                    pending[remote_function.remote(shared_setup, task, actor, Path.cwd())] = task
                if not pending:
                    return
                ready, _ = ray.wait(list(pending), num_returns=1, timeout=_POLL_SECONDS)
                for reference in ready:
                    task = pending.pop(reference)
                    done = _get_result(ray, reference)
                    report(task.shard.cases)
                    yield done
        except KeyboardInterrupt:
            for reference in pending:
                ray.cancel(reference, force=True)
            raise


def _with_absolute_folder(setup: RunSetup) -> RunSetup:
    """The same with a path that is valid on every node that mounts the folder."""
    return replace(setup, folder=setup.folder.absolute())


def _get_result(ray: Any, reference: Any) -> ShardDone:
    """The outcome of a task; raises the exception of the task itself."""
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error


def _process_on_node(setup: RunSetup, task: ShardTask, actor: Any, working_folder: Path) -> ShardDone:
    _change_folder(working_folder)
    try:
        return process_shard(setup, task, lambda _: None, asker=None if actor is None else _ActorAsker(actor))
    except FileNotFoundError as error:
        what = f"the node {socket.gethostname()} does not see {error.filename or task.shard.file}"
        fix = "put the data and the root in a folder that every node has under the same name, or at a URL"
        raise ConfigError([Diagnostic(code="not-shared", what=what, fix=fix)]) from error


def _change_folder(folder: Path) -> None:
    """Change to the folder in which the run was started, if this node has it: file names may be relative to it."""
    if folder.is_dir():
        os.chdir(folder)


class _AskerActor:
    """The actor that asks all questions of a cluster."""

    def __init__(self, asking: Asking, working_folder: Path) -> None:
        from fieldwise.ask.asker import LiveAsker

        _change_folder(working_folder)
        self._asker = LiveAsker(asking)

    def ask_round(self, asks: Mapping[int, Asks]) -> dict[int, list[Reply]]:
        """The replies to one round of questions."""
        replies_by_judge: dict[int, list[Reply]] = {}

        def collect(judge: int, replies: Replies) -> Asks:
            replies_by_judge[judge] = list(replies)
            return ()

        self._asker.answer(asks, collect)
        return replies_by_judge


class _ActorAsker:
    """The Asker of a Ray task: sends each round of questions to the actor."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    def answer(self, first: Mapping[int, Asks], follow: NextAsks) -> None:
        """Answer the questions of many judges, round by round."""
        asks: dict[int, Asks] = dict(first)
        while asks:
            replies_by_judge: dict[int, list[Reply]] = _import_ray().get(self._actor.ask_round.remote(asks))
            asks = {}
            for judge, replies in replies_by_judge.items():
                next_asks = follow(judge, replies)
                if next_asks:
                    asks[judge] = next_asks
