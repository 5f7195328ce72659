"""One connection, used again as long as the server lets it be."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from fieldwise.ask.connection import SingleConnection

Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Server:
    """Keeps what arrived on each connection, chunk by chunk as the network brought it."""

    def __init__(self, reply: bytes = REPLY, *, hang_up: bool = False) -> None:
        self.reply, self.hang_up = reply, hang_up
        self.chunks: list[list[bytes]] = []

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        mine: list[bytes] = []
        self.chunks.append(mine)
        while chunk := await reader.read(1 << 16):
            mine.append(chunk)
            writer.write(self.reply)
            await writer.drain()
            if self.hang_up:
                break
        writer.close()


@asynccontextmanager
async def serving(handle: Handle) -> AsyncIterator[str]:
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    finally:
        server.close()


async def posted(connection: SingleConnection, url: str, times: int, pause: float = 0.0) -> list[bytes]:
    bodies: list[bytes] = []
    for _ in range(times):
        response = await connection.handle_async_request(httpx.Request("POST", url, content=b"x" * 1000))
        bodies.append(b"".join([part async for part in response.aiter_bytes()]))
        await response.aclose()
        await asyncio.sleep(pause)
    return bodies


def run(handle: Handle, times: int, pause: float = 0.0, scheme: str = "http") -> Any:
    async def go() -> list[bytes]:
        connection = SingleConnection(ssl.create_default_context())
        async with serving(handle) as url:
            try:
                return await posted(connection, url.replace("http", scheme, 1), times, pause)
            finally:
                await connection.aclose()

    return asyncio.run(asyncio.wait_for(go(), 20))


def test_requests_use_one_connection_and_leave_in_one_piece() -> None:
    server = Server()
    assert run(server, 3) == [b"ok"] * 3
    assert [len(connection) for connection in server.chunks] == [3]
    assert all(chunk.startswith(b"POST / ") and chunk.endswith(b"x" * 1000) for chunk in server.chunks[0])


@pytest.mark.parametrize("reply", [REPLY, REPLY.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")], ids=["silently", "as it says"])
def test_a_server_that_hangs_up_gets_a_new_connection(reply: bytes) -> None:
    server = Server(reply, hang_up=True)
    assert run(server, 3, pause=0.05) == [b"ok"] * 3
    assert len(server.chunks) == 3


def test_a_packed_reply_is_unpacked() -> None:
    import gzip

    packed = gzip.compress(b"said")
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    assert run(Server(head + packed), 1) == [b"said"]


@pytest.mark.parametrize(
    "reply", [b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", b"", b"no HTTP\r\n\r\n"], ids=["cut", "none", "other"]
)
def test_what_breaks_off_is_an_error_of_httpx(reply: bytes) -> None:
    with pytest.raises(httpx.TransportError):
        run(Server(reply, hang_up=True), 1)


def test_a_server_that_does_not_speak_tls_is_not_trusted() -> None:
    server = Server()
    with pytest.raises(httpx.ConnectError):
        run(server, 1, scheme="https")
    assert b"POST" not in b"".join(chunk for connection in server.chunks for chunk in connection)


def test_a_request_that_is_given_up_leaves_the_connection_usable() -> None:
    calls: list[int] = []

    async def slow_at_first(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        calls.append(1)
        while await reader.read(1 << 16):
            await asyncio.sleep(10 if len(calls) == 1 else 0)
            writer.write(REPLY)
        writer.close()

    async def go() -> list[bytes]:
        connection = SingleConnection(ssl.create_default_context())
        async with serving(slow_at_first) as url:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await posted(connection, url, 1)
            bodies = await posted(connection, url, 2)
            await connection.aclose()
            return bodies

    assert asyncio.run(asyncio.wait_for(go(), 20)) == [b"ok"] * 2
    assert len(calls) == 2
