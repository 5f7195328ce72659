"""A model server on loopback that says what a test tells it to say."""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Say:
    """What the server answers to one request."""

    content: str = '{"reasoning": "fine", "hits": ["a"], "misses": [], "score": 1}'
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    raw: bytes | None = None
    """The whole body, instead of a chat completion."""
    delay: float = 0.0
    tokens: tuple[int, int] | None = (100, 20)
    finish: str = "stop"

    def body(self) -> bytes:
        if self.raw is not None:
            return self.raw
        if self.status != 200:
            return json.dumps({"error": {"message": self.content}}).encode()
        choice = {"index": 0, "message": {"role": "assistant", "content": self.content}, "finish_reason": self.finish}
        usage = {"usage": {"prompt_tokens": self.tokens[0], "completion_tokens": self.tokens[1]}} if self.tokens else {}
        return json.dumps({"object": "chat.completion", "choices": [choice], **usage}).encode()


@dataclass(slots=True)
class ModelServer:
    """What was asked, when, and what was said."""

    say: Callable[[dict[str, Any]], Say]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    paths: list[str] = field(default_factory=list[str])
    said: list[tuple[float, str, Say]] = field(default_factory=list[tuple[float, str, Say]])
    """When a request came, the last message of it, and what was said to it."""
    at_once: int = 0
    most_at_once: int = 0


@contextmanager
def model_server(say: Callable[[dict[str, Any]], Say] | Say | None = None) -> Iterator[ModelServer]:
    """A server in a thread of its own, with one event loop for all connections."""
    server = ModelServer(say if callable(say) else lambda _: say or Say())
    loop = asyncio.new_event_loop()
    listening = loop.run_until_complete(
        asyncio.start_server(lambda reader, writer: _serve(server, reader, writer), "127.0.0.1", 0, backlog=256)
    )
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(_close(listening), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _close(listening: asyncio.Server) -> None:
    listening.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


async def _serve(server: ModelServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One connection: request after request."""
    with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
        while True:
            first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            body = json.loads(await reader.readexactly(int(headers["content-length"])))
            await _reply(server, writer, first.split()[1], headers, body)
    writer.close()


async def _reply(server: ModelServer, writer: asyncio.StreamWriter, path: str, headers: dict[str, str], body: dict[str, Any]) -> None:
    came = time.monotonic()
    server.at_once += 1
    server.most_at_once = max(server.most_at_once, server.at_once)
    say = server.say(body)
    server.requests.append(body)
    server.headers.append(headers)
    server.paths.append(path)
    try:
        await asyncio.sleep(say.delay)
    finally:
        server.at_once -= 1
    data = say.body()
    head = "".join(f"{name}: {value}\r\n" for name, value in {"Content-Length": str(len(data)), **say.headers}.items())
    writer.write(f"HTTP/1.1 {say.status} said\r\n{head}\r\n".encode() + data)
    await writer.drain()
    server.said.append((came, body["messages"][-1]["content"], say))
