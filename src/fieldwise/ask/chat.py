"""Asks models: from the cache, else from the server, again where it helps, and within what may be spent."""

import asyncio
import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import orjson

from fieldwise.ask.answers import Answer, Answers
from fieldwise.ask.endpoints import Target, resolve
from fieldwise.ask.limits import Spending, Window
from fieldwise.ask.sending import Letterhead, Setback, letterhead, send, tokens_in
from fieldwise.ask.structured import read_reply
from fieldwise.model.ask import Asking, Chat, Endpoint, Message, Reply, Usage

if TYPE_CHECKING:
    import ssl

    from fieldwise.ask.connection import OneConnection

_FORMATS: Final = ("json_schema", "json_object", "text")
FIRST_WAIT: Final = 0.5
"""Seconds before a failed request is sent again; each further time twice as long."""
_LONGEST_WAIT: Final = 10.0
_RETRIES_AT_FIRST: Final = 4
"""Retries of a server that has not answered anything yet: most likely it is not there."""
_TOKENS_OUT: Final = 1024
"""How long a reply may get, for the estimate of its cost, where `max_tokens` does not say."""
_SHAPE: Final = "Reply with nothing but JSON that follows this JSON Schema:\n"
_AGAIN: Final = "Your reply cannot be used: {wrong}. "


@dataclass(slots=True)
class Line:
    """What is known of one server and model, and who may ask it when."""

    endpoint: Endpoint
    slots: asyncio.Semaphore = field(init=False)
    resting: "list[OneConnection]" = field(default_factory=lambda: [])
    """Connections that nobody uses at the moment."""
    requests: Window = field(init=False)
    tokens: Window = field(init=False)
    format: int = 0
    """Which of the formats the server understands."""
    answered: bool = False
    dead: Setback | None = None
    """Why it is not asked any more."""

    def retries(self) -> int:
        """How often to send a question again that failed."""
        return self.endpoint.retries if self.answered else min(self.endpoint.retries, _RETRIES_AT_FIRST)

    def __post_init__(self) -> None:
        self.slots = asyncio.Semaphore(self.endpoint.concurrency)
        self.requests = Window(self.endpoint.requests_per_minute)
        self.tokens = Window(self.endpoint.tokens_per_minute)


class Models:
    """Every model that a run asks. Used from one event loop."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._spending = Spending(asking)
        self._answers: Answers | None = None
        self._certificates: ssl.SSLContext | None = None
        self._targets: dict[Endpoint, Target | Reply] = {}
        self._heads: dict[Target, Letterhead] = {}
        self._lines: dict[tuple[str, str], Line] = {}
        self._under_way: dict[bytes, asyncio.Future[Answer | Reply]] = {}
        self._asked: set[bytes] = set()

    async def ask(self, chat: Chat) -> Reply:
        """The reply, repaired once where it has not the shape that was asked for. What stays unusable is not kept."""
        target = self._target(chat.endpoint)
        if isinstance(target, Reply):
            return target
        messages = list(chat.messages)
        if chat.schema is not None:
            messages[-1] = Message(messages[-1].role, f"{messages[-1].content}\n\n{_SHAPE}{orjson.dumps(chat.schema).decode()}")
        first = await self._answer(target, messages, chat)
        if isinstance(first, Reply):
            return first
        reply, wrong = _read(first, target, chat)
        if wrong is None:
            return reply
        again = [*messages, Message("assistant", first.text), Message("user", _AGAIN.format(wrong=wrong) + _SHAPE + _schema_text(chat))]
        second = await self._answer(target, again, chat)
        if isinstance(second, Reply):
            return replace(second, text=first.text, usage=reply.usage + second.usage)
        repaired, wrong = _read(second, target, chat)
        usage = reply.usage + repaired.usage
        if wrong is None:
            return replace(repaired, usage=usage)
        self._forget(target, chat, messages, again)
        cut = ", and it was cut off at its longest" if second.finish == "length" else ""
        return Reply(problem=f"the model's reply cannot be used: {wrong}{cut}", text=second.text, usage=usage)

    async def close(self) -> None:
        """Close connections and the cache."""
        for connection in (connection for line in self._lines.values() for connection in line.resting):
            await connection.aclose()
        if self._answers is not None:
            self._answers.close()

    async def _answer(self, target: Target, messages: list[Message], chat: Chat) -> Answer | Reply:
        """What the model says to these messages: kept, under way already, or asked now."""
        body = _body(target, messages)
        key = _key(target, body, chat.schema)
        if (kept := self._kept(key)) is not None:
            return kept
        if key in self._under_way:
            return await asyncio.shield(self._under_way[key])
        future = self._under_way[key] = asyncio.get_running_loop().create_future()
        try:
            answer = await self._paid(target, body, chat, key)
        except BaseException as error:
            future.set_result(Reply(problem=f"asking failed: {error or type(error).__name__}"))
            raise
        else:
            future.set_result(replace(answer, cached=True) if isinstance(answer, Answer) else answer)
            return answer
        finally:
            del self._under_way[key]

    def _kept(self, key: bytes) -> Answer | None:
        if self._answers is None:
            if (file := self._asking.answers) is None:
                return None
            self._answers = Answers(file)
        return None if self._asking.fresh and key not in self._asked else self._answers.get(key)

    def _forget(self, target: Target, chat: Chat, *asked: list[Message]) -> None:
        """Do not keep the answers to these messages."""
        if self._answers is not None:
            for messages in asked:
                self._answers.forget(_key(target, _body(target, messages), chat.schema))

    async def _paid(self, target: Target, body: dict[str, Any], chat: Chat, key: bytes) -> Answer | Reply:
        """Ask the server, within what may be spent, and keep the answer before anybody uses it."""
        line = self._line(target)
        estimate = _cost(target.endpoint, tokens_in(body), target.endpoint.max_tokens or _TOKENS_OUT)
        if line.dead:
            return Reply(problem=line.dead.what, fix=line.dead.fix, missing=True)
        if refusal := self._spending.refusal(estimate):
            fix = (
                "add `price: {input: …, output: …}` to `model`" if "price" in refusal else "run again with more: what was answered is kept"
            )
            return Reply(problem=refusal, fix=fix, missing=True)
        answer = await self._patiently(line, target, body, chat)
        if isinstance(answer, Reply):
            self._spending.release(estimate)
            return answer
        if self._answers is not None:
            self._answers.put(key, target.model, answer)
            self._asked.add(key)
        self._spending.settle(estimate, _cost(target.endpoint, answer.tokens_in, answer.tokens_out))
        return answer

    async def _patiently(self, line: Line, target: Target, body: dict[str, Any], chat: Chat) -> Answer | Reply:
        """Send until there is an answer, or no hope of one."""
        failures, waited, form = 0, 0.0, line.format
        while True:
            found = await self._send(line, target, body | _response_format(chat, form))
            if isinstance(found, Answer):
                line.answered, line.format = True, max(line.format, form)
                return found
            if found.then == "simpler" and chat.schema is not None and form + 1 < len(_FORMATS):
                form += 1
                continue
            pause = _pause(found, failures)
            failures += found.then == "retry"
            waited += pause if found.then == "wait" else 0.0
            if found.then not in ("retry", "wait") or failures > line.retries() or waited > target.endpoint.patience:
                return _given_up(line, found)
            await asyncio.sleep(pause)

    async def _send(self, line: Line, target: Target, body: dict[str, Any]) -> Answer | Setback:
        async with line.slots:
            if line.dead:
                return line.dead
            await line.requests.take(1)
            await line.tokens.take(tokens_in(body) + (target.endpoint.max_tokens or 0))
            connection = line.resting.pop() if line.resting else self._connection()
            try:
                return await send(connection, target, self._head(target), body)
            finally:
                line.resting.append(connection)

    def _target(self, endpoint: Endpoint) -> Target | Reply:
        if endpoint not in self._targets:
            self._targets[endpoint] = resolve(endpoint, private=self._asking.private)
        return self._targets[endpoint]

    def _head(self, target: Target) -> Letterhead:
        if target not in self._heads:
            self._heads[target] = letterhead(target)
        return self._heads[target]

    def _line(self, target: Target) -> Line:
        name = (target.url, target.model)
        if name not in self._lines:
            self._lines[name] = Line(target.endpoint)
        return self._lines[name]

    def _connection(self) -> "OneConnection":
        import httpx

        from fieldwise.ask.connection import OneConnection

        # The environment is not trusted with proxies or passwords, only with certificates.
        self._certificates = self._certificates or httpx.create_ssl_context(trust_env=True)
        return OneConnection(self._certificates)


def _read(answer: Answer, target: Target, chat: Chat) -> tuple[Reply, str | None]:
    usage = Usage(
        calls=1,
        cached=int(answer.cached),
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        cost_usd=_cost(target.endpoint, answer.tokens_in, answer.tokens_out),
        seconds=answer.seconds,
    )
    data, wrong = (None, None) if chat.schema is None else read_reply(answer.text, chat.schema)
    return Reply(text=answer.text, data=data, usage=usage), wrong


def _schema_text(chat: Chat) -> str:
    return orjson.dumps(chat.schema).decode()


def _body(target: Target, messages: list[Message]) -> dict[str, Any]:
    endpoint = target.endpoint
    given = {"temperature": endpoint.temperature, "max_tokens": endpoint.max_tokens, "seed": endpoint.seed}
    return {
        "model": target.model,
        "messages": [{"role": message.role, "content": message.content} for message in messages],
        **{name: value for name, value in given.items() if value is not None},
        **endpoint.parameters,
    }


def _response_format(chat: Chat, form: int) -> dict[str, Any]:
    if chat.schema is None or _FORMATS[form] == "text":
        return {}
    if _FORMATS[form] == "json_object":
        return {"response_format": {"type": "json_object"}}
    return {"response_format": {"type": "json_schema", "json_schema": {"name": chat.name, "strict": True, "schema": chat.schema}}}


def _key(target: Target, body: Mapping[str, Any], schema: Mapping[str, Any] | None) -> bytes:
    """What decides an answer: the server, the model, the messages, the settings, the shape asked for. Not the key, nor any limit."""
    told = orjson.dumps([1, target.url, body, schema], option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    return hashlib.sha256(told).digest()


def _cost(endpoint: Endpoint, tokens_in: int, tokens_out: int) -> float | None:
    """What this many tokens cost in US dollars; None where the price is not known."""
    price = endpoint.price
    return None if price is None else (tokens_in * price.input + tokens_out * price.output) / 1e6


def _pause(setback: Setback, failures: int) -> float:
    """Seconds to wait: at least what the server asked for, and a little by chance, so that not all come back at once."""
    if setback.after is not None:
        return setback.after + random.uniform(0.0, 0.1 + 0.1 * setback.after)
    return min(_LONGEST_WAIT, FIRST_WAIT * 2**failures) * random.uniform(0.5, 1.0)


def _given_up(line: Line, setback: Setback) -> Reply:
    if setback.then in ("give_up", "simpler"):
        return Reply(problem=setback.what)
    told = replace(setback, fix=setback.fix or "see that the server runs and takes requests, and run again: what was answered is kept")
    if told.then == "dead" or (told.then == "retry" and not line.answered):
        line.dead = line.dead or replace(told, then="dead")
    return Reply(problem=told.what, fix=told.fix, missing=True)
