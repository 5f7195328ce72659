"""An httpx transport over a single keep-alive connection, used by one request at a time."""

import asyncio
from collections.abc import AsyncIterator, Generator, Iterable
from contextlib import contextmanager
from ssl import SSLContext
from typing import Any, Final

import httpcore
import httpx

KEEPALIVE_SECONDS: Final = 30.0
"""Maximum idle time of a connection; servers often close them after a minute."""
_NEXT_ADDRESS_SECONDS: Final = 0.25
"""Delay before the next address of a host is tried in parallel."""


class SingleConnection(httpx.AsyncBaseTransport):
    """A transport without a pool: its user owns the connection, so that no lock or lookup is needed.

    It supports no proxies, passwords, cookies or redirects.
    """

    def __init__(self, certificates: SSLContext) -> None:
        self._certificates = certificates
        self._connection: httpcore.AsyncHTTPConnection | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; its response must be closed before the next one."""
        assert isinstance(request.stream, httpx.AsyncByteStream)
        target = request.url
        url = httpcore.URL(scheme=target.raw_scheme, host=target.raw_host, port=target.port, target=target.raw_path)
        connection = await self._open(url.origin)
        core_request = httpcore.Request(
            method=request.method, url=url, headers=request.headers.raw, content=request.stream, extensions=request.extensions
        )
        with _translate_to_httpx():
            response = await connection.handle_async_request(core_request)
        return httpx.Response(response.status, headers=response.headers, stream=_ResponseBody(response), extensions=response.extensions)

    async def aclose(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            await self._connection.aclose()
            self._connection = None

    async def _open(self, origin: httpcore.Origin) -> httpcore.AsyncHTTPConnection:
        """The open connection, or a new one if it was closed or has expired."""
        if self._connection is not None and (self._connection.is_closed() or self._connection.has_expired()):
            await self.aclose()
        if self._connection is None:
            self._connection = httpcore.AsyncHTTPConnection(
                origin, ssl_context=self._certificates, keepalive_expiry=KEEPALIVE_SECONDS, network_backend=_AsyncioBackend()
            )
        return self._connection


class _AsyncioBackend(httpcore.AsyncNetworkBackend):
    """Connections by asyncio streams: the default backend of httpcore costs more time than the request itself."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a host. Timeout, local address and socket options are not used here."""
        del timeout, local_address, socket_options
        with _translate_os_errors(httpcore.ConnectError):
            return _BufferedStream(*await asyncio.open_connection(host, port, happy_eyeballs_delay=_NEXT_ADDRESS_SECONDS))


class _BufferedStream(httpcore.AsyncNetworkStream):
    """A stream that buffers writes until the next read, so that headers and body are sent in one packet."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._pending: list[bytes] = []

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        del timeout
        with _translate_os_errors(httpcore.ReadError):
            if self._pending:
                self._writer.write(b"".join(self._pending))
                self._pending.clear()
                await self._writer.drain()
            return await self._reader.read(max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        del timeout
        if buffer:
            self._pending.append(bytes(buffer))

    async def aclose(self) -> None:
        self._writer.close()

    async def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        del timeout
        with _translate_os_errors(httpcore.ConnectError):
            await self._writer.start_tls(ssl_context, server_hostname=server_hostname)
        return self

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":  # of an idle connection: the only thing to read is its end
            return self._reader.at_eof() or self._writer.is_closing()
        return self._writer.get_extra_info({"server_addr": "peername"}.get(info, info))


@contextmanager
def _translate_os_errors(kind: type[Exception]) -> Generator[None]:
    """Raise errors of the system as errors of httpcore."""
    try:
        yield
    except OSError as error:
        raise kind(str(error)) from error


class _ResponseBody(httpx.AsyncByteStream):
    """The body of a response."""

    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _translate_to_httpx():
            async for part in self._response.aiter_stream():
                yield part

    async def aclose(self) -> None:
        with _translate_to_httpx():
            await self._response.aclose()


@contextmanager
def _translate_to_httpx() -> Generator[None]:
    """Raise errors of httpcore as errors of httpx, so that callers need only those."""
    try:
        yield
    except httpcore.ConnectError as error:
        raise httpx.ConnectError(str(error)) from error
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException, httpcore.ConnectionNotAvailable) as error:
        raise httpx.TransportError(str(error) or type(error).__name__) from error
