"""ASGI middleware: Host, size, origin and credential checks.

It is plain ASGI, so that no part of a refused request reaches the application.
"""

import asyncio
import secrets
import time
from collections.abc import Iterator
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fieldwise.model.diagnostic import Diagnostic
from fieldwise.web.problems import RequestProblem, make_problem, problem_response
from fieldwise.web.settings import Settings, is_loopback

SAFE_METHODS: Final = ("GET", "HEAD", "OPTIONS")
PUBLIC_PATHS: Final = ("/api/v1/health", "/static/")
"""Readable without credentials: they contain no data."""
CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS: Final = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_MAX_DRAINED: Final = 400_000_000
_DRAIN_SECONDS: Final = 20.0
_IDLE_SECONDS: Final = 1.0
"""A client that sends nothing for so long is not waited for."""


class Guard:
    """The application with its request checks."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        self.cookie = f"fieldwise_{settings.port}"  # cookies are shared by all ports of a host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request; refuse it or pass it to the application."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = _RequestHeaders(scope)
        send_securely = _add_security_headers(send, scope["path"])
        response = self._launch_response(scope) if self._check_host(headers) is None else None
        problem = None if response else self._check_request(scope, headers)
        if problem is not None:
            refusal = self._refusal_response(scope, headers, problem)
            await refusal(scope, receive, _drain_before_end(send_securely, receive, headers))
            return
        if response is not None:
            await response(scope, receive, send_securely)
            return
        await self.app(scope, _limit_body(receive, self.settings.limits.body), send_securely)

    def _check_request(self, scope: Scope, headers: "_RequestHeaders") -> RequestProblem | None:
        return (
            self._check_host(headers)
            or self._check_size(headers)
            or self._check_origin(scope, headers)
            or self._check_credentials(scope, headers)
        )

    def _check_host(self, headers: "_RequestHeaders") -> RequestProblem | None:
        """Refuse unknown host names: with DNS rebinding, another site's name points to this machine."""
        hosts = headers.all("host")
        if len(hosts) != 1:
            return make_problem(400, "bad-host", f"a request needs one Host header, and this has {len(hosts)}")
        name = _host_name(hosts[0])
        if name is not None and (name in ("localhost", *self.settings.names) or self._is_own_address(name)):
            return None
        fix = f"use http://{self.settings.host}:{self.settings.port}, or start the server with --allow-host NAME"
        return make_problem(421, "wrong-host", "this server does not accept that host name", fix)

    def _is_own_address(self, name: str) -> bool:
        """True for an IP address, which DNS rebinding cannot forge; on loopback, only a loopback address."""
        if is_loopback(self.settings.host):
            return is_loopback(name)
        try:
            ip_address(name)
        except ValueError:
            return False
        return True

    def _check_size(self, headers: "_RequestHeaders") -> RequestProblem | None:
        length = headers.get("content-length")
        if length is None:
            return None
        if not (length.isascii() and length.isdigit()):
            return make_problem(400, "bad-length", "Content-Length is not a number")
        return too_large_problem(self.settings.limits.body) if int(length) > self.settings.limits.body else None

    def _check_origin(self, scope: Scope, headers: "_RequestHeaders") -> RequestProblem | None:
        """Refuse requests of other sites to the API or with an unsafe method. Links from other sites, which send no Origin, are allowed."""
        is_safe = scope["method"] in SAFE_METHODS
        if is_safe and not scope["path"].startswith("/api/"):
            return None
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        foreign_origin = origin is not None and _origin_host(origin) != (headers.get("host") or "").lower()
        foreign_site = site in ("cross-site", "same-site") and not is_safe
        if foreign_site or foreign_origin:
            return make_problem(403, "other-site", "this request comes from another site", "send it from the pages of this server")
        return None

    def _check_credentials(self, scope: Scope, headers: "_RequestHeaders") -> RequestProblem | None:
        if self.settings.token is None or scope["path"].startswith(PUBLIC_PATHS):
            return None
        credentials = [*headers.credentials(), *self._cookie_tokens(headers)]
        secrets_accepted = [secret for secret in (self.settings.token, self.settings.api_key) if secret is not None]
        if any(_same_secret(credential, secret) for credential in credentials for secret in secrets_accepted):
            return None
        fix = "open the address that `fieldwise view` printed, or send the token or an API key: `Authorization: Bearer …`"
        diagnostic = Diagnostic(code="no-token", what="this needs the launch token or an API key", fix=fix)
        return RequestProblem(401, [diagnostic], {"www-authenticate": "Bearer"})

    def _cookie_tokens(self, headers: "_RequestHeaders") -> Iterator[str]:
        for text in headers.all("cookie"):
            try:
                morsel = SimpleCookie(text).get(self.cookie)
            except CookieError:  # a malformed cookie carries no token
                continue
            if morsel is not None:
                yield morsel.value

    def _launch_response(self, scope: Scope) -> Response | None:
        """For the launch address: store the token in a cookie and redirect, so that it leaves the address bar."""
        token, path = self.settings.token, scope["path"]
        if token is None or scope["method"] != "GET" or path.startswith("/api/"):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if not any(name == "token" and _same_secret(value, token) for name, value in query):
            return None
        rest = urlencode([pair for pair in query if pair[0] != "token"])
        response = RedirectResponse("/" + path.lstrip("/") + (f"?{rest}" if rest else ""), status_code=303)
        response.set_cookie(self.cookie, token, httponly=True, samesite="strict", path="/")
        return response

    def _refusal_response(self, scope: Scope, headers: "_RequestHeaders", problem: RequestProblem) -> Response:
        wants_page = not scope["path"].startswith("/api/") and "text/html" in (headers.get("accept") or "")
        if problem.status_code == 401 and wants_page:
            from fieldwise.web.render import render

            return HTMLResponse(render("refused.html", problem=problem), status_code=401)
        return problem_response(problem.status_code, problem.diagnostics, problem.headers)


def too_large_problem(limit: int) -> RequestProblem:
    """The problem of a request that exceeds the size limit."""
    fix = "send less at a time, or put the file into the server's data folder and evaluate it by path"
    return make_problem(413, "too-large", f"a request may have {limit:,} bytes", fix)


class _RequestHeaders:
    """The headers of a request."""

    def __init__(self, scope: Scope) -> None:
        self._pairs: list[tuple[bytes, bytes]] = scope["headers"]

    def all(self, name: str) -> list[str]:
        return [value.decode("latin-1") for key, value in self._pairs if key == name.encode()]

    def get(self, name: str) -> str | None:
        values = self.all(name)
        return values[0] if values else None

    def credentials(self) -> Iterator[str]:
        """Yield API keys and bearer tokens."""
        yield from self.all("x-api-key")
        for text in self.all("authorization"):
            scheme, _, key = text.partition(" ")
            if scheme.lower() == "bearer":
                yield key.strip()


def _host_name(host: str) -> str | None:
    """The name in a Host header without the port; None if the header is malformed."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port  # raises for an invalid port
    except ValueError:
        return None
    well_formed = parts.netloc == host and not parts.username and not parts.path
    return parts.hostname if well_formed else None


def _origin_host(origin: str) -> str | None:
    """The host and port in an Origin header; None if the header is malformed."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


def _same_secret(left: str, right: str) -> bool:
    return secrets.compare_digest(left.encode("utf-8", "replace"), right.encode("utf-8", "replace"))


def _add_security_headers(send: Send, path: str) -> Send:
    defaults: list[tuple[bytes, bytes]] = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
    defaults.append((b"cache-control", b"no-cache" if path.startswith("/static/") else b"no-store"))

    async def send_securely(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *(pair for pair in defaults if pair[0] not in present)]
        await send(message)

    return send_securely


def _limit_body(receive: Receive, limit: int) -> Receive:
    """Count the received bytes and raise over the limit, for requests without a Content-Length."""
    received = 0

    async def receive_counted() -> Message:
        nonlocal received
        message = await receive()
        if message["type"] == "http.request":
            received += len(message.get("body", b""))
            if received > limit:
                if message.get("more_body"):
                    await _drain_body(receive)
                raise too_large_problem(limit)
        return message

    return receive_counted


def _drain_before_end(send: Send, receive: Receive, headers: _RequestHeaders) -> Send:
    """Send a response at once, but end it only when the request has been read.

    The client gets an answer even if it announced a body and sends none; one that is still sending is not cut off before it reads the
    answer. A client that asked with `Expect: 100-continue` sends nothing after a refusal.
    """
    announces_body = headers.get("content-length") not in (None, "0") or headers.get("transfer-encoding") is not None
    sends_body = announces_body and headers.get("expect") is None

    async def send_then_drain(message: Message) -> None:
        if message["type"] != "http.response.body" or message.get("more_body") or not sends_body:
            await send(message)
            return
        await send({**message, "more_body": True})
        await _drain_body(receive)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    return send_then_drain


async def _drain_body(receive: Receive) -> None:
    """Read and discard the rest of a request, until it ends or nothing arrives for a while."""
    received, deadline = 0, time.monotonic() + _DRAIN_SECONDS
    while received < _MAX_DRAINED and time.monotonic() < deadline:
        try:
            message: Any = await asyncio.wait_for(receive(), _IDLE_SECONDS)
        except TimeoutError:
            return
        received += len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            return
