"""Questions to models: answered from the cache, else by the server, with retries, rate limits and budget."""

import asyncio
import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import orjson

from fieldwise.ask.answer_cache import AnswerCache, ModelAnswer
from fieldwise.ask.completion import (
    CONTENT_FILTER,
    RequestFailure,
    RequestTemplate,
    build_template,
    describe_finish,
    estimate_tokens,
    parse_reply,
    send_request,
)
from fieldwise.ask.endpoints import Budget, ModelTarget, RateLimit, resolve_endpoint
from fieldwise.model.ask import Asking, Chat, Endpoint, Message, Reply, Usage

if TYPE_CHECKING:
    import ssl

    from fieldwise.ask.connection import SingleConnection

_RESPONSE_FORMATS: Final = ("json_schema", "json_object", "text")
FIRST_WAIT: Final = 0.5
"""Seconds before the first retry; doubled with each further one."""
_MAX_WAIT: Final = 10.0
_FIRST_RETRIES: Final = 4
"""Maximum retries before the first answer of a server: most likely it is not running."""
_DEFAULT_TOKENS_OUT: Final = 1024
"""Tokens of a reply for the cost estimate without `max_tokens`."""
_FORMAT_INSTRUCTION: Final = "Reply with nothing but JSON that follows this JSON Schema:\n"
_RETRY_INSTRUCTION: Final = "Your reply cannot be used: {wrong}. "
# Both texts are part of the cache key of an answer: changing them invalidates cached answers.


@dataclass(slots=True)
class EndpointState:
    """State of one server and model: free slots, idle connections, rate limits, failures."""

    endpoint: Endpoint
    slots: asyncio.Semaphore = field(init=False)
    idle: "list[SingleConnection]" = field(default_factory=lambda: [])
    """Open connections that are not in use."""
    requests: RateLimit = field(init=False)
    tokens: RateLimit = field(init=False)
    format: int = 0
    """Index of the first response format that the server supports."""
    answered: bool = False
    dead: RequestFailure | None = None
    """The failure after which it is not asked again."""

    def max_retries(self) -> int:
        """Maximum retries of a failed request."""
        return self.endpoint.retries if self.answered else min(self.endpoint.retries, _FIRST_RETRIES)

    def __post_init__(self) -> None:
        self.slots = asyncio.Semaphore(self.endpoint.concurrency)
        self.requests = RateLimit(self.endpoint.requests_per_minute)
        self.tokens = RateLimit(self.endpoint.tokens_per_minute)


class ModelClient:
    """Client for all models of a run. Used from one event loop."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._budget = Budget(asking)
        self._cache: AnswerCache | None = None
        self._certificates: ssl.SSLContext | None = None
        self._targets: dict[Endpoint, ModelTarget | Reply] = {}
        self._templates: dict[ModelTarget, RequestTemplate] = {}
        self._states: dict[tuple[str, str], EndpointState] = {}
        """By url and model."""
        self._pending: dict[bytes, asyncio.Future[ModelAnswer | Reply]] = {}
        """Questions being asked, by cache key: an equal question waits for the same answer."""
        self._asked: set[bytes] = set()
        """Cache keys answered in this run: with `fresh`, only these are read from the cache."""

    async def ask(self, chat: Chat) -> Reply:
        """The reply of the model; asked once more if it does not follow the schema. Unusable replies are not cached.

        A reply that the content filter of the server stopped is not asked for again: the same material would be filtered again.
        """
        target = self._target(chat.endpoint)
        if isinstance(target, Reply):
            return target
        messages = list(chat.messages)
        if chat.schema is not None:
            last = messages[-1]
            messages[-1] = Message(last.role, f"{last.content}\n\n{_FORMAT_INSTRUCTION}{_schema_text(chat)}")
        first = await self._answer(target, messages, chat)
        if isinstance(first, Reply):
            return first
        reply, problem = _read_answer(first, target, chat)
        if problem is None:
            return reply
        if first.finish == CONTENT_FILTER:
            self._delete_cached(target, chat, messages)
            return _unusable_reply(first, problem, reply.usage)
        request = _RETRY_INSTRUCTION.format(wrong=problem) + _FORMAT_INSTRUCTION + _schema_text(chat)
        retry = [*messages, Message("assistant", first.text), Message("user", request)]
        second = await self._answer(target, retry, chat)
        if isinstance(second, Reply):
            return replace(second, text=first.text, usage=reply.usage + second.usage)
        repaired, problem = _read_answer(second, target, chat)
        usage = reply.usage + repaired.usage
        if problem is None:
            return replace(repaired, usage=usage)
        self._delete_cached(target, chat, messages, retry)
        return _unusable_reply(second, problem, usage)

    async def close(self) -> None:
        """Close connections and the cache."""
        for state in self._states.values():
            for connection in state.idle:
                await connection.aclose()
        if self._cache is not None:
            self._cache.close()

    async def _answer(self, target: ModelTarget, messages: list[Message], chat: Chat) -> ModelAnswer | Reply:
        """The answer to these messages: from the cache, from an equal question in progress, or from the server."""
        body = _build_body(target, messages)
        key = _cache_key(target, body, chat.schema)
        if (cached := self._cached(key)) is not None:
            return cached
        if key in self._pending:
            return await asyncio.shield(self._pending[key])
        future = self._pending[key] = asyncio.get_running_loop().create_future()
        try:
            answer = await self._ask_server(target, body, chat, key)
        except BaseException as error:
            future.set_result(Reply(problem=f"asking failed: {error or type(error).__name__}"))
            raise
        else:
            future.set_result(replace(answer, cached=True) if isinstance(answer, ModelAnswer) else answer)
            return answer
        finally:
            del self._pending[key]

    def _cached(self, key: bytes) -> ModelAnswer | None:
        if self._cache is None:
            if (file := self._asking.cache_file) is None:
                return None
            self._cache = AnswerCache(file)
        return None if self._asking.fresh and key not in self._asked else self._cache.get(key)

    def _delete_cached(self, target: ModelTarget, chat: Chat, *conversations: list[Message]) -> None:
        """Delete the answers to these messages from the cache."""
        if self._cache is not None:
            for messages in conversations:
                self._cache.delete(_cache_key(target, _build_body(target, messages), chat.schema))

    async def _ask_server(self, target: ModelTarget, body: dict[str, Any], chat: Chat, key: bytes) -> ModelAnswer | Reply:
        """Ask the server within the budget, and cache the answer before it is used."""
        state = self._state(target)
        estimate = _compute_cost(target.endpoint, estimate_tokens(body), target.endpoint.max_tokens or _DEFAULT_TOKENS_OUT)
        if state.dead:
            return Reply(problem=state.dead.what, fix=state.dead.fix, missing=True)
        if refusal := self._budget.reserve(estimate):
            fix = "run again with a higher limit: answers so far are cached"
            if "price" in refusal:
                fix = "add `price: {input: …, output: …}` to `model`"
            return Reply(problem=refusal, fix=fix, missing=True)
        answer = await self._send_with_retries(state, target, body, chat)
        if isinstance(answer, Reply):
            self._budget.release(estimate)
            return answer
        if self._cache is not None:
            self._cache.put(key, target.model, answer)
            self._asked.add(key)
        self._budget.settle(estimate, _compute_cost(target.endpoint, answer.tokens_in, answer.tokens_out))
        return answer

    async def _send_with_retries(self, state: EndpointState, target: ModelTarget, body: dict[str, Any], chat: Chat) -> ModelAnswer | Reply:
        """Send until there is an answer or no more retries."""
        failures, waited, response_format = 0, 0.0, state.format
        while True:
            outcome = await self._send(state, target, body | _format_option(chat, response_format))
            if isinstance(outcome, ModelAnswer):
                state.answered, state.format = True, max(state.format, response_format)
                return outcome
            if outcome.action == "simpler" and chat.schema is not None and response_format + 1 < len(_RESPONSE_FORMATS):
                response_format += 1
                continue
            pause = _pause_seconds(outcome, failures)
            failures += outcome.action == "retry"
            waited += pause if outcome.action == "wait" else 0.0
            can_retry = failures <= state.max_retries() and waited <= target.endpoint.patience
            if outcome.action not in ("retry", "wait") or not can_retry:
                return _give_up(state, outcome)
            await asyncio.sleep(pause)

    async def _send(self, state: EndpointState, target: ModelTarget, body: dict[str, Any]) -> ModelAnswer | RequestFailure:
        async with state.slots:
            if state.dead:
                return state.dead
            await state.requests.acquire(1)
            await state.tokens.acquire(estimate_tokens(body) + (target.endpoint.max_tokens or 0))
            connection = state.idle.pop() if state.idle else self._open_connection()
            try:
                return await send_request(connection, target, self._template(target), body)
            finally:
                state.idle.append(connection)

    def _target(self, endpoint: Endpoint) -> ModelTarget | Reply:
        if endpoint not in self._targets:
            self._targets[endpoint] = resolve_endpoint(endpoint, private=self._asking.private)
        return self._targets[endpoint]

    def _template(self, target: ModelTarget) -> RequestTemplate:
        if target not in self._templates:
            self._templates[target] = build_template(target)
        return self._templates[target]

    def _state(self, target: ModelTarget) -> EndpointState:
        name = (target.url, target.model)
        if name not in self._states:
            self._states[name] = EndpointState(target.endpoint)
        return self._states[name]

    def _open_connection(self) -> "SingleConnection":
        import httpx

        from fieldwise.ask.connection import SingleConnection

        # Certificates are taken from the environment; proxies and passwords are not.
        self._certificates = self._certificates or httpx.create_ssl_context(trust_env=True)
        return SingleConnection(self._certificates)


def _read_answer(answer: ModelAnswer, target: ModelTarget, chat: Chat) -> tuple[Reply, str | None]:
    usage = Usage(
        calls=1,
        cached=int(answer.cached),
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        cost_usd=_compute_cost(target.endpoint, answer.tokens_in, answer.tokens_out),
        seconds=answer.seconds,
    )
    data, problem = None, None
    if chat.schema is not None:
        material = [message.content for message in chat.messages if message.role == "user"]
        data, problem = parse_reply(answer.text, chat.schema, material)
    return Reply(text=answer.text, data=data, usage=usage), problem


def _unusable_reply(answer: ModelAnswer, problem: str, usage: Usage) -> Reply:
    return Reply(problem=f"the reply of the model cannot be used: {problem}{describe_finish(answer)}", text=answer.text, usage=usage)


def _schema_text(chat: Chat) -> str:
    return orjson.dumps(chat.schema).decode()


def _build_body(target: ModelTarget, messages: list[Message]) -> dict[str, Any]:
    endpoint = target.endpoint
    options = {"temperature": endpoint.temperature, "max_tokens": endpoint.max_tokens, "seed": endpoint.seed}
    return {
        "model": target.model,
        "messages": [{"role": message.role, "content": message.content} for message in messages],
        **{name: value for name, value in options.items() if value is not None},
        **endpoint.parameters,
    }


def _format_option(chat: Chat, response_format: int) -> dict[str, Any]:
    if chat.schema is None or _RESPONSE_FORMATS[response_format] == "text":
        return {}
    if _RESPONSE_FORMATS[response_format] == "json_object":
        return {"response_format": {"type": "json_object"}}
    return {"response_format": {"type": "json_schema", "json_schema": {"name": chat.name, "strict": True, "schema": chat.schema}}}


def _cache_key(target: ModelTarget, body: Mapping[str, Any], schema: Mapping[str, Any] | None) -> bytes:
    """Hash of everything that determines an answer: server, model, messages, settings and schema. Not the key, nor any limit."""
    content = orjson.dumps([1, target.url, body, schema], option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    return hashlib.sha256(content).digest()


def _compute_cost(endpoint: Endpoint, tokens_in: int, tokens_out: int) -> float | None:
    """The cost of tokens in US dollars; None if the price is not known."""
    price = endpoint.price
    return None if price is None else (tokens_in * price.input + tokens_out * price.output) / 1e6


def _pause_seconds(failure: RequestFailure, failures: int) -> float:
    """Seconds before a retry: at least what the server asks for, with jitter, so that requests do not return all at once."""
    if failure.after is not None:
        return failure.after + random.uniform(0.0, 0.1 + 0.1 * failure.after)
    return min(_MAX_WAIT, FIRST_WAIT * 2**failures) * random.uniform(0.5, 1.0)


def _give_up(state: EndpointState, failure: RequestFailure) -> Reply:
    """The reply after the last retry; marks an endpoint that never answered as dead."""
    if failure.action in ("give_up", "simpler"):
        return Reply(problem=failure.what)
    fix = failure.fix or "check that the server is running and run again: answers so far are cached"
    if failure.action == "dead" or (failure.action == "retry" and not state.answered):
        state.dead = state.dead or replace(failure, fix=fix, action="dead")
    return Reply(problem=failure.what, fix=fix, missing=True)
