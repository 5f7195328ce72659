"""Work that takes a while, done beside the server's own loop: so many at a time, so long, and no more waiting than that."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.web.problems import Problem, problem
from fieldwise.web.settings import Limits

P = ParamSpec("P")
T = TypeVar("T")


class Work:
    """The workers of a server."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._workers = ThreadPoolExecutor(max_workers=limits.workers, thread_name_prefix="fieldwise-web")
        self._open = 0

    async def do(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the function returns; a Problem where there is no room or no time for it."""
        if self._open >= self._limits.workers + self._limits.waiting:
            busy = Diagnostic(code="busy", what="the server has as much work as it takes on", fix="try again in a moment")
            raise Problem(503, [busy], {"retry-after": "2"})
        self._open += 1
        loop = asyncio.get_running_loop()
        future = self._workers.submit(function, *args, **kwargs)
        future.add_done_callback(lambda done: self._done(loop, done))  # a place is free when the work has ended, not when nobody waits
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(future)), self._limits.seconds)
        except TimeoutError as error:
            future.cancel()
            what = f"this takes longer than {self._limits.seconds:g} seconds"
            raise problem(503, "too-long", what, "send fewer cases at a time, or make it a job: POST /api/v1/jobs") from error

    def _done(self, loop: asyncio.AbstractEventLoop, future: "Future[Any]") -> None:
        del future
        if not loop.is_closed():
            loop.call_soon_threadsafe(self._left)

    def _left(self) -> None:
        self._open -= 1

    def close(self) -> None:
        """Start nothing new."""
        self._workers.shutdown(wait=False, cancel_futures=True)
