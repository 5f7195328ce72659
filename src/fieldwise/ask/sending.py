"""One request to a model's server: what came back, told apart by what to do next."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final, Literal

import orjson

from fieldwise.ask.answers import Answer
from fieldwise.ask.endpoints import Target, is_private

if TYPE_CHECKING:
    import httpx

_LARGEST: Final = 16 * 2**20
_KEPT: Final = 500
_SHOWN: Final = 120
_KEY: Final = "see that `key_env` names the variable that holds the key for this server, and that the key is valid"
_ACCOUNT: Final = "see to the account, and run again: what was answered is kept"
_DEAD: Final = {
    401: ("the server does not accept the key", _KEY),
    402: ("the server asks for payment", _ACCOUNT),
    403: ("the server refuses access", _KEY),
    404: ("the server knows no such model or address", "see that `url` ends before /chat/completions, and that `name` is a model there"),
}
_UNREADABLE: Final = (400, 415, 422, 501)
_LATER: Final = (408, 409, 425, 429)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setback:
    """Why a request brought no answer, and what follows from it."""

    what: str
    then: Literal["retry", "wait", "simpler", "give_up", "dead"]
    """Send it again; wait as the server says, and send it again; ask in a simpler form; give up this question, or all of them."""
    after: float | None = None
    """Seconds that the server asked to wait."""
    fix: str | None = None
    """What to do about it, where that is known."""


class PrivateAddress(Exception):
    """A name that led to an address it should not lead to."""


@dataclass(frozen=True, slots=True)
class Letterhead:
    """What every request to a target has in common, read once."""

    url: "httpx.URL"
    headers: "httpx.Headers"
    extensions: Mapping[str, Any]


def letterhead(target: Target) -> Letterhead:
    """Where requests to this target go, and with which headers."""
    import httpx

    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {target.key}"} if target.key else {})}
    return Letterhead(httpx.URL(target.url), httpx.Headers(headers), {} if target.private else {"trace": _only_public})


async def send(transport: "httpx.AsyncBaseTransport", target: Target, head: Letterhead, body: Mapping[str, Any]) -> Answer | Setback:
    """The answer to one request, or the setback. A transport keeps no cookies, follows no redirects and knows no passwords."""
    import httpx

    started = time.monotonic()
    try:
        request = httpx.Request("POST", head.url, headers=head.headers, content=orjson.dumps(body), extensions=dict(head.extensions))
        async with asyncio.timeout(target.endpoint.timeout):
            response = await transport.handle_async_request(request)
            content = await _content(response)
    except TimeoutError:
        return Setback(what=f"no answer within {target.endpoint.timeout:g} s", then="retry")
    except PrivateAddress as error:
        return Setback(what=str(error), then="dead")
    except httpx.ConnectError as error:
        return Setback(what=f"cannot connect to {target.url}: {error}", then="retry")
    except (httpx.HTTPError, ValueError) as error:
        return Setback(what=f"the connection failed: {error or type(error).__name__}", then="retry")
    if response.status_code == 200:
        return _answer(content, target, body, time.monotonic() - started)
    return _setback(response.status_code, response.headers, target.hushed(content[:_KEPT].decode(errors="replace")))


async def _only_public(event: str, info: Mapping[str, Any]) -> None:
    """Called by the client as it connects: looks at the address itself, since a name may lead anywhere."""
    if event == "connection.connect_tcp.complete":
        address = str(info["return_value"].get_extra_info("server_addr")[0])
        if is_private(address):
            raise PrivateAddress(f"the model's url leads to {address}, a private address that the suite does not name")


async def _content(response: "httpx.Response") -> bytes:
    content = bytearray()
    try:
        async for chunk in response.aiter_bytes():
            content += chunk
            if len(content) > _LARGEST:
                raise ValueError("the server's reply has no end")
    finally:
        await response.aclose()
    return bytes(content)


def _answer(content: bytes, target: Target, body: Mapping[str, Any], seconds: float) -> Answer | Setback:
    try:
        reply: Any = orjson.loads(content)
        choice = reply["choices"][0]
        text = target.hushed(_text(choice["message"]))
        usage = reply.get("usage") or {}
        return Answer(
            text=text,
            finish=str(choice.get("finish_reason") or "stop"),
            tokens_in=int(usage.get("prompt_tokens") or tokens_in(body)),
            tokens_out=int(usage.get("completion_tokens") or max(1, len(text) // 4)),
            seconds=seconds,
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        said = target.hushed(content[:_KEPT].decode(errors="replace"))[:_SHOWN]
        return Setback(what=f"the server's reply is not a chat completion: {said}", then="retry")


def _text(message: Mapping[str, Any]) -> str:
    """What a message says; some servers send it in parts.

    >>> _text({"content": [{"type": "thinking"}, {"type": "text", "text": "yes"}]}), _text({"content": None, "refusal": "no"})
    ('yes', 'no')
    """
    content: Any = message.get("content")
    if isinstance(content, list):
        parts: list[Any] = content
        content = "".join(str(part.get("text") or "") for part in parts)
    return str(content or message.get("refusal") or "")


def tokens_in(body: Mapping[str, Any]) -> int:
    """About how many tokens a request has."""
    return sum(len(message["content"]) for message in body["messages"]) // 4 + 1


def _setback(status: int, headers: Mapping[str, str], said: str) -> Setback:
    what = f"the server says {status}: {said}" if said else f"the server says {status}"
    if status in _DEAD:
        reason, fix = _DEAD[status]
        return Setback(what=f"{reason}: {said}", then="dead", fix=fix)
    if status == 429 and "insufficient_quota" in said:
        return Setback(what=f"the server says that there is no quota left: {said}", then="dead", fix=_ACCOUNT)
    if status in _LATER or status == 503:
        after = retry_after(headers.get("retry-after"))
        return Setback(what=what, then="wait" if status == 429 or after is not None else "retry", after=after)
    if status >= 500 and status not in _UNREADABLE:
        return Setback(what=what, then="retry")
    if status in _UNREADABLE:
        return Setback(what=what, then="simpler")
    if 300 <= status < 400:
        return Setback(what=f"{what}; redirects to {headers.get('location', 'somewhere')}, which is not followed", then="give_up")
    return Setback(what=what, then="give_up")


def retry_after(value: str | None) -> float | None:
    """Seconds to wait, from the header `Retry-After`: a number, or a date.

    >>> retry_after("1.5"), retry_after("Wed, 21 Oct 2015 07:28:00 GMT"), retry_after("soon"), retry_after(None)
    (1.5, 0.0, None, None)
    """
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
