"""One connection to a server as a transport for httpx: kept alive between requests, used by one request at a time."""

import asyncio
from collections.abc import AsyncIterator, Generator, Iterable
from contextlib import contextmanager
from ssl import SSLContext
from typing import Any, Final

import httpcore
import httpx

KEPT_ALIVE: Final = 30.0
"""Seconds that an idle connection is trusted to be there still; servers often close them after a minute."""
_NEXT_ADDRESS: Final = 0.25
"""Seconds after which the next address of a host is tried too."""


class OneConnection(httpx.AsyncBaseTransport):
    """A transport without a pool: whoever takes one of these has the connection, so nothing is locked or searched for.

    It knows no proxy, no password, no cookie and no redirect.
    """

    def __init__(self, certificates: SSLContext) -> None:
        self._certificates = certificates
        self._connection: httpcore.AsyncHTTPConnection | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; the response has to be closed before the next one."""
        assert isinstance(request.stream, httpx.AsyncByteStream)
        to = request.url
        url = httpcore.URL(scheme=to.raw_scheme, host=to.raw_host, port=to.port, target=to.raw_path)
        connection = await self._open(url.origin)
        asked = httpcore.Request(
            method=request.method, url=url, headers=request.headers.raw, content=request.stream, extensions=request.extensions
        )
        with _as_httpx():
            said = await connection.handle_async_request(asked)
        return httpx.Response(said.status, headers=said.headers, stream=_Body(said), extensions=said.extensions)

    async def aclose(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            await self._connection.aclose()
            self._connection = None

    async def _open(self, origin: httpcore.Origin) -> httpcore.AsyncHTTPConnection:
        """The connection, or a new one where the server has closed it or it has waited too long."""
        if self._connection is not None and (self._connection.is_closed() or self._connection.has_expired()):
            await self.aclose()
        if self._connection is None:
            self._connection = httpcore.AsyncHTTPConnection(
                origin, ssl_context=self._certificates, keepalive_expiry=KEPT_ALIVE, network_backend=_Network()
            )
        return self._connection


class _Network(httpcore.AsyncNetworkBackend):
    """Connections by asyncio's own streams: what httpcore would take otherwise costs more than the request itself."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to this host. Nobody here asks for a timeout of its own, an address of ours, or options."""
        del timeout, local_address, socket_options
        with _errors_as(httpcore.ConnectError):
            return _Stream(*await asyncio.open_connection(host, port, happy_eyeballs_delay=_NEXT_ADDRESS))


class _Stream(httpcore.AsyncNetworkStream):
    """A connection that keeps what is written until an answer is waited for: head and body leave in one piece."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._written: list[bytes] = []

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        del timeout
        with _errors_as(httpcore.ReadError):
            if self._written:
                self._writer.write(b"".join(self._written))
                self._written.clear()
                await self._writer.drain()
            return await self._reader.read(max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        del timeout
        if buffer:
            self._written.append(bytes(buffer))

    async def aclose(self) -> None:
        self._writer.close()

    async def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        del timeout
        with _errors_as(httpcore.ConnectError):
            await self._writer.start_tls(ssl_context, server_hostname=server_hostname)
        return self

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":  # asked of an idle connection: then there is nothing to read but its end
            return self._reader.at_eof() or self._writer.is_closing()
        return self._writer.get_extra_info({"server_addr": "peername"}.get(info, info))


@contextmanager
def _errors_as(kind: type[Exception]) -> Generator[None]:
    """Errors of the system as httpcore knows them."""
    try:
        yield
    except OSError as error:
        raise kind(str(error)) from error


class _Body(httpx.AsyncByteStream):
    """What comes after the headers."""

    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _as_httpx():
            async for part in self._response.aiter_stream():
                yield part

    async def aclose(self) -> None:
        with _as_httpx():
            await self._response.aclose()


@contextmanager
def _as_httpx() -> Generator[None]:
    """Errors of the connection as those of httpx, so that nobody else has to know both."""
    try:
        yield
    except httpcore.ConnectError as error:
        raise httpx.ConnectError(str(error)) from error
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException, httpcore.ConnectionNotAvailable) as error:
        raise httpx.TransportError(str(error) or type(error).__name__) from error
