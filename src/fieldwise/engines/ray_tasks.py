"""Pieces of a run as tasks of a Ray cluster: each node reads its range of the data and writes its part where all can see it.

A node that is lost is Ray's to replace: its pieces are done again elsewhere, those that are finished are not. Judges ask through one
actor, so that requests per minute, budgets and kept answers hold for the whole cluster.
"""

import os
import socket
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from fieldwise.engines.shard_worker import ATTEMPTS, Done, Task, Tell, Work, do_task
from fieldwise.model.ask import Asking, Asks, Follow, Reply
from fieldwise.model.diagnostic import ConfigError, Diagnostic

_AHEAD: Final = 2
"""How many pieces are given out for each worker, so that none waits for its next one."""
_PERIOD: Final = 0.25
"""Seconds between two looks at how far the pieces are."""


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report its use home
    try:
        import ray
    except ModuleNotFoundError as error:
        fix = "pip install 'fieldwise[ray]', or leave out --engine"
        raise ConfigError([Diagnostic(code="no-ray", what="the engine `ray` needs Ray, which is not installed", fix=fix)]) from error
    return ray


class RayTasks:
    """An executor of Ray tasks: on the cluster at RAY_ADDRESS, else on one that begins on this machine and ends with the run."""

    def __init__(self, workers: int, asking: Asking | None = None) -> None:
        """`asking` says what judges may spend; None where nobody asks."""
        self._workers, self._asking = workers, asking
        self.least = 0

    def do(self, work: Work, tasks: Iterator[Task], tell: Tell) -> Iterator[Done]:
        """Do all of the tasks."""
        ray = _ray()
        ours = not ray.is_initialized()
        if ours:
            address = os.environ.get("RAY_ADDRESS")
            alone: dict[str, Any] = {} if address else {"num_cpus": self._workers, "include_dashboard": False}
            ray.init(address=address, log_to_driver=False, logging_level="error", configure_logging=False, **alone)
        try:
            yield from self._do(ray, work, tasks, tell)
        finally:
            if ours:
                ray.shutdown()

    def _do(self, ray: Any, work: Work, tasks: Iterator[Task], tell: Tell) -> Iterator[Done]:
        actor = ray.remote(max_concurrency=64, num_cpus=0)(_Answers).remote(self._asking, Path.cwd()) if self._asking else None
        remote = ray.remote(max_retries=ATTEMPTS - 1, num_cpus=1)(_do_remotely)
        shared = ray.put(_portable(work))
        waiting: dict[Any, Task] = {}
        seats = _AHEAD * max(int(ray.cluster_resources().get("CPU", self._workers)), 1)
        try:
            while True:
                while len(waiting) < seats and (task := next(tasks, None)) is not None:
                    waiting[remote.remote(shared, task, actor, Path.cwd())] = task
                if not waiting:
                    return
                ready, _ = ray.wait(list(waiting), num_returns=1, timeout=_PERIOD)
                for reference in ready:
                    task = waiting.pop(reference)
                    done = _got(ray, reference)
                    tell(task.shard.cases)
                    yield done
        except KeyboardInterrupt:
            for reference in waiting:
                ray.cancel(reference, force=True)
            raise


def _portable(work: Work) -> Work:
    """The same with a path that means the same on every node that sees the folder."""
    return replace(work, folder=work.folder.absolute())


def _got(ray: Any, reference: Any) -> Done:
    """What came of a piece; raises what went wrong with it as it was raised there."""
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error


def _do_remotely(work: Work, task: Task, actor: Any, home: Path) -> Done:
    _go_to(home)
    try:
        return do_task(work, task, lambda _: None, asker=None if actor is None else _Remote(actor))
    except FileNotFoundError as error:
        what = f"the node {socket.gethostname()} does not see {error.filename or task.shard.file}"
        fix = "put the data and the root in a folder that every node has under the same name, or at a URL"
        raise ConfigError([Diagnostic(code="not-shared", what=what, fix=fix)]) from error


def _go_to(home: Path) -> None:
    """Stand where the run was started, if this node has that folder: names of files may be relative to it."""
    if home.is_dir():
        os.chdir(home)


class _Answers:
    """The one place that asks for a whole cluster."""

    def __init__(self, asking: Asking, home: Path) -> None:
        from fieldwise.ask.asker import LiveAsker

        _go_to(home)
        self._asker = LiveAsker(asking)

    def reply(self, asks: Mapping[int, Asks]) -> dict[int, list[Reply]]:
        """The replies to one round of questions."""
        found: dict[int, list[Reply]] = {}

        def keep(which: int, replies: Any) -> Asks:
            found[which] = list(replies)
            return ()

        self._asker.answer(asks, keep)
        return found


class _Remote:
    """The Asker of a task: sends each round of questions to the actor, and brings the replies."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    def answer(self, first: Mapping[int, Asks], follow: Follow) -> None:
        """Answer the questions of many judges, round by round."""
        asks: dict[int, Asks] = dict(first)
        while asks:
            replies: dict[int, list[Reply]] = _ray().get(self._actor.reply.remote(asks))
            asks = {which: more for which, found in replies.items() if (more := follow(which, found))}
