"""The asker: answers the questions of many judges concurrently with models, programs and the embedding model."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Generator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from threading import Event, Thread
from typing import Any, Final

from fieldwise.ask.chat import ModelClient
from fieldwise.ask.embedding import answer_embed
from fieldwise.ask.subprocesses import JudgeWorkers, run_once
from fieldwise.model.ask import Ask, Asking, Asks, Chat, Command, Embed, NextAsks, RagasMetric, Reply

_TASKS_PER_YIELD: Final = 16
"""Judges started before the event loop gets a turn."""


@contextmanager
def open_asker(asking: Asking | None = None) -> "Generator[LiveAsker]":
    """An asker that is closed at the end of the context."""
    asker = LiveAsker(asking or Asking())
    try:
        yield asker
    finally:
        asker.close()


class LiveAsker:
    """The `Asker` of runs. It has its own thread and event loop, so that it works inside a running event loop."""

    def __init__(self, asking: Asking) -> None:
        self.asking = asking
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="fieldwise-ask", daemon=True)
        self._thread.start()
        self._programs: Executor = ThreadPoolExecutor(asking.processes or os.cpu_count() or 1, thread_name_prefix="fieldwise-program")
        self._stop = Event()
        self._workers = JudgeWorkers(self._stop)
        self._models = ModelClient(asking)
        self._handlers: dict[type, Callable[[Any], Awaitable[Reply]]] = {
            Chat: self._models.ask,
            Command: self._run_program,
            Embed: self._embed,
            RagasMetric: self._measure_ragas,
        }

    def answer(self, first: Mapping[int, Asks], follow: NextAsks) -> None:
        """Answer the questions of many judges concurrently; each judge continues as soon as it has its replies."""
        pending = asyncio.run_coroutine_threadsafe(self._answer(first, follow), self._loop)
        try:
            pending.result()
        except BaseException:  # KeyboardInterrupt above all
            self._stop.set()
            pending.cancel()
            raise

    def close(self) -> None:
        """Stop programs and requests, and close all connections."""
        self._stop.set()
        self._programs.shutdown(cancel_futures=True)
        self._workers.end()
        asyncio.run_coroutine_threadsafe(self._models.close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _answer(self, first: Mapping[int, Asks], follow: NextAsks) -> None:
        async def run_judge(judge: int, asks: Asks) -> None:
            while asks:
                if len(asks) == 1:  # the common case: no further task
                    replies = [await self._reply(asks[0])]
                else:
                    replies = await asyncio.gather(*(self._reply(ask) for ask in asks))
                asks = follow(judge, replies)

        tasks: list[asyncio.Task[None]] = []
        try:
            for judge, asks in first.items():
                tasks.append(asyncio.create_task(run_judge(judge, asks)))
                if len(tasks) % _TASKS_PER_YIELD == 0:
                    await asyncio.sleep(0)  # read replies meanwhile: starting a thousand judges takes longer than many an answer
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()

    async def _reply(self, ask: Ask) -> Reply:
        try:
            return await self._handlers[type(ask)](ask)
        except ModuleNotFoundError as error:
            return Reply(problem=f"the package {error.name} is not installed", fix="pip install 'fieldwise[judges]'", missing=True)
        except SystemExit as error:  # an embedding model of another package may raise anything
            return Reply(problem=f"asking failed: SystemExit: {error}")
        except Exception as error:
            return Reply(problem=f"asking failed: {error or type(error).__name__}")

    async def _run_program(self, command: Command) -> Reply:
        run = partial(self._workers.ask, command) if command.workers else partial(run_once, command, self._stop)
        return await self._loop.run_in_executor(self._programs, run)

    async def _embed(self, ask: Embed) -> Reply:
        return await self._loop.run_in_executor(self._programs, answer_embed, ask)

    async def _measure_ragas(self, ask: RagasMetric) -> Reply:
        from fieldwise.ask.ragas_package import measure_ragas_metric  # rarely used

        return await measure_ragas_metric(ask, self._models.ask)
