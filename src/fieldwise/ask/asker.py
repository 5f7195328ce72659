"""Carries the questions of many judges at once to models, programs and the embedding model."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Generator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from threading import Event, Thread
from typing import Any, Final

from fieldwise.ask.chat import Models
from fieldwise.ask.command import Workers, run_once
from fieldwise.ask.embed import embed
from fieldwise.model.ask import Ask, Asking, Asks, Chat, Command, Embed, Follow, Packaged, Reply

_BEGUN_AT_ONCE: Final = 16


@contextmanager
def open_asker(asking: Asking | None = None) -> "Generator[LiveAsker]":
    """An asker, with what it opened closed at the end."""
    asker = LiveAsker(asking or Asking())
    try:
        yield asker
    finally:
        asker.close()


class LiveAsker:
    """The Asker that asks. It works in a thread of its own, so that it can be used where an event loop already runs."""

    def __init__(self, asking: Asking) -> None:
        self.asking = asking
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="fieldwise-ask", daemon=True)
        self._thread.start()
        self._programs: Executor = ThreadPoolExecutor(asking.processes or os.cpu_count() or 1, thread_name_prefix="fieldwise-program")
        self._stop = Event()
        self._workers = Workers(self._stop)
        self._models = Models(asking)
        self._kinds: dict[type, Callable[[Any], Awaitable[Reply]]] = {
            Chat: self._models.ask,
            Command: self._command,
            Embed: self._embed,
            Packaged: self._packaged,
        }

    def answer(self, first: Mapping[int, Asks], follow: Follow) -> None:
        """Answer the questions of many judges at once, each going on as soon as its own replies are there."""
        under_way = asyncio.run_coroutine_threadsafe(self._answer(first, follow), self._loop)
        try:
            under_way.result()
        except BaseException:  # Ctrl-C above all
            self._stop.set()
            under_way.cancel()
            raise

    def close(self) -> None:
        """End whatever still runs."""
        self._stop.set()
        self._programs.shutdown(cancel_futures=True)
        self._workers.end()
        asyncio.run_coroutine_threadsafe(self._models.close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _answer(self, first: Mapping[int, Asks], follow: Follow) -> None:
        async def judge(which: int, asks: Asks) -> None:
            while asks:
                alone = len(asks) == 1  # as most are: no task beside the judge's own
                replies = [await self._reply(asks[0])] if alone else await asyncio.gather(*(self._reply(ask) for ask in asks))
                asks = follow(which, replies)

        begun: list[asyncio.Task[None]] = []
        try:
            for which, asks in first.items():
                begun.append(asyncio.create_task(judge(which, asks)))
                if len(begun) % _BEGUN_AT_ONCE == 0:
                    await asyncio.sleep(0)  # let replies be read meanwhile: to begin a thousand takes longer than many an answer
            await asyncio.gather(*begun)
        finally:
            for task in begun:
                task.cancel()

    async def _reply(self, ask: Ask) -> Reply:
        try:
            return await self._kinds[type(ask)](ask)
        except ModuleNotFoundError as error:
            return Reply(problem=f"the package {error.name} is not installed", fix="pip install 'fieldwise[judges]'", missing=True)
        except Exception as error:
            return Reply(problem=f"asking failed: {error or type(error).__name__}")

    async def _command(self, command: Command) -> Reply:
        run = partial(self._workers.ask, command) if command.workers else partial(run_once, command, self._stop)
        return await self._loop.run_in_executor(self._programs, run)

    async def _embed(self, ask: Embed) -> Reply:
        return await self._loop.run_in_executor(self._programs, embed, ask)

    async def _packaged(self, ask: Packaged) -> Reply:
        from fieldwise.ask.packaged import measure  # its own file, since hardly anybody has the package

        return await measure(ask, self._models.ask)
