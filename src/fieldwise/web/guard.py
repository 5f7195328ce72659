"""What stands before every page and every call: who is asked for, who asks, how much they send.

It is plain ASGI, so that nothing of a refused request reaches the application.
"""

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
from fieldwise.web.problems import Problem, problem, problem_response
from fieldwise.web.settings import Settings, is_loopback

SAFE: Final = ("GET", "HEAD", "OPTIONS")
OPEN: Final = ("/api/v1/health", "/static/")
"""What everybody may read: nothing in it is anybody's."""
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_DRAINED: Final = 400_000_000
_DRAIN_SECONDS: Final = 20.0


class Guard:
    """The application behind its guard."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        self.cookie = f"fieldwise_{settings.port}"  # cookies do not tell ports apart

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        known = _Headers(scope)
        careful = _with_headers(send, scope["path"])
        answer = self._launch(scope) if self._host_refused(known) is None else None
        refused = None if answer else self._refused(scope, known)
        if refused is not None:
            await _drain(receive, known)
            answer = self._told(scope, known, refused)
        if answer is not None:
            await answer(scope, receive, careful)
            return
        await self.app(scope, _limited(receive, self.settings.limits.body), careful)

    def _refused(self, scope: Scope, known: "_Headers") -> Problem | None:
        return (
            self._host_refused(known) or self._size_refused(known) or self._origin_refused(scope, known) or self._who_refused(scope, known)
        )

    def _host_refused(self, known: "_Headers") -> Problem | None:
        """Another site may make its name point to this machine; it still asks for its own name."""
        hosts = known.all("host")
        if len(hosts) != 1:
            return problem(400, "bad-host", f"a request needs one Host header, and this has {len(hosts)}")
        name = _name(hosts[0])
        if name is not None and (name in ("localhost", *self.settings.names) or self._is_address(name)):
            return None
        fix = f"use http://{self.settings.host}:{self.settings.port}, or start the server with --allow-host NAME"
        return problem(421, "wrong-host", "this server does not go by that name", fix)

    def _is_address(self, name: str) -> bool:
        """An address in place of a name cannot have been made to point elsewhere."""
        if is_loopback(self.settings.host):
            return is_loopback(name)
        try:
            ip_address(name)
        except ValueError:
            return False
        return True

    def _size_refused(self, known: "_Headers") -> Problem | None:
        given = known.get("content-length")
        if given is None:
            return None
        if not (given.isascii() and given.isdigit()):
            return problem(400, "bad-length", "Content-Length is not a number")
        return too_large(self.settings.limits.body) if int(given) > self.settings.limits.body else None

    def _origin_refused(self, scope: Scope, known: "_Headers") -> Problem | None:
        """Other sites may send a browser here, but not to change anything."""
        if scope["method"] in SAFE:
            return None
        site, origin = known.get("sec-fetch-site"), known.get("origin")
        foreign = site in ("cross-site", "same-site") or (
            origin is not None and urlsplit(origin).netloc.lower() != (known.get("host") or "").lower()
        )
        return (
            problem(403, "other-site", "this request comes from another site", "send it from the pages of this server") if foreign else None
        )

    def _who_refused(self, scope: Scope, known: "_Headers") -> Problem | None:
        if self.settings.token is None or scope["path"].startswith(OPEN):
            return None
        given = [*known.keys(), *self._cookies(known)]
        secret = [one for one in (self.settings.token, self.settings.api_key) if one is not None]
        if any(_same(one, other) for one in given for other in secret):
            return None
        fix = "open the address that `fieldwise view` printed, or send the token or an API key: `Authorization: Bearer …`"
        return Problem(
            401, [Diagnostic(code="no-token", what="this needs the launch token or an API key", fix=fix)], {"www-authenticate": "Bearer"}
        )

    def _cookies(self, known: "_Headers") -> Iterator[str]:
        for text in known.all("cookie"):
            try:
                found = SimpleCookie(text).get(self.cookie)
            except CookieError:
                continue
            if found is not None:
                yield found.value

    def _launch(self, scope: Scope) -> Response | None:
        """The launch address sets a cookie and is gone from the address bar."""
        token, path = self.settings.token, scope["path"]
        if token is None or scope["method"] != "GET" or path.startswith("/api/"):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if not any(name == "token" and _same(value, token) for name, value in query):
            return None
        rest = urlencode([pair for pair in query if pair[0] != "token"])
        answer = RedirectResponse("/" + path.lstrip("/") + (f"?{rest}" if rest else ""), status_code=303)
        answer.set_cookie(self.cookie, token, httponly=True, samesite="strict", path="/")
        return answer

    def _told(self, scope: Scope, known: "_Headers", refused: Problem) -> Response:
        wants_page = not scope["path"].startswith("/api/") and "text/html" in (known.get("accept") or "")
        if refused.status_code == 401 and wants_page:
            from fieldwise.web.render import render

            return HTMLResponse(render("refused.html", problem=refused), status_code=401)
        return problem_response(refused.status_code, refused.diagnostics, refused.headers)


def too_large(limit: int) -> Problem:
    """A request that is larger than is accepted."""
    fix = "send less at a time, or put the file below the server's data folder and evaluate it by path"
    return problem(413, "too-large", f"a request may have {limit:,} bytes", fix)


class _Headers:
    """The headers of a request."""

    def __init__(self, scope: Scope) -> None:
        self._pairs: list[tuple[bytes, bytes]] = scope["headers"]

    def all(self, name: str) -> list[str]:
        return [value.decode("latin-1") for key, value in self._pairs if key == name.encode()]

    def get(self, name: str) -> str | None:
        found = self.all(name)
        return found[0] if found else None

    def keys(self) -> Iterator[str]:
        """Keys that come in headers."""
        yield from self.all("x-api-key")
        for text in self.all("authorization"):
            kind, _, key = text.partition(" ")
            if kind.lower() == "bearer":
                yield key.strip()


def _name(host: str) -> str | None:
    """The name in a Host header, without its port; None where it cannot be one."""
    try:
        found = urlsplit(f"//{host}")
        _ = found.port
    except ValueError:
        return None
    plain = found.netloc == host and not found.username and not found.path
    return found.hostname if plain else None


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def _with_headers(send: Send, path: str) -> Send:
    added: list[tuple[bytes, bytes]] = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    added.append((b"cache-control", b"no-cache" if path.startswith("/static/") else b"no-store"))

    async def careful(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *(pair for pair in added if pair[0] not in own)]
        await send(message)

    return careful


def _limited(receive: Receive, limit: int) -> Receive:
    """What is received, up to so many bytes: whoever sends no Content-Length is counted."""
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > limit:
                if message.get("more_body"):
                    await _drain(receive, None)
                raise too_large(limit)
        return message

    return counted


async def _drain(receive: Receive, known: _Headers | None) -> None:
    """Read on without keeping anything: a client that is still sending would not hear the answer."""
    if known is not None and not (known.get("content-length") or known.get("transfer-encoding")):
        return
    seen, end = 0, time.monotonic() + _DRAIN_SECONDS
    while seen < _DRAINED and time.monotonic() < end:
        message: Any = await receive()
        seen += len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            return
