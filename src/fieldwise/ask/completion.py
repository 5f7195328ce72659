"""One chat completion: send the request, classify failures by what to do next, and read JSON from the reply."""

import asyncio
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final, Literal

import orjson

from fieldwise.ask.answer_cache import ModelAnswer
from fieldwise.ask.endpoints import ModelTarget, is_private

if TYPE_CHECKING:
    import httpx

_MAX_BYTES: Final = 16 * 2**20
_MAX_ERROR_BYTES: Final = 500
_MAX_QUOTED: Final = 120
CONTENT_FILTER: Final = "content_filter"
"""Finish reason of a reply that the content filter of the server stopped."""
REFUSAL: Final = "refusal"
"""Finish reason of a reply whose text is the model's refusal."""
_FIX_KEY: Final = "check that `key_env` names the variable with the key for this server, and that the key is valid"
_FIX_ACCOUNT: Final = "check the account and run again: answers so far are cached"
_FATAL_STATUSES: Final = {
    401: ("the server does not accept the key", _FIX_KEY),
    402: ("the server asks for payment", _FIX_ACCOUNT),
    403: ("the server refuses access", _FIX_KEY),
    404: (
        "the server knows no such model or address",
        "check that `url` ends before /chat/completions and that `name` exists",
    ),
}
_UNSUPPORTED_STATUSES: Final = (400, 415, 422, 501)
_RETRY_STATUSES: Final = (408, 409, 425, 429)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFailure:
    """Why a request has no answer, and what to do next."""

    what: str
    action: Literal["retry", "wait", "simpler", "give_up", "dead"]
    """Retry; wait as the server asks and retry; use a simpler response format; give up this question; give up the endpoint."""
    after: float | None = None
    """Seconds to wait, from the server."""
    fix: str | None = None


class PrivateAddressError(Exception):
    """A host name that resolves to a private address without permission."""


@dataclass(frozen=True, slots=True)
class RequestTemplate:
    """The parts that all requests to a target share, built once."""

    url: "httpx.URL"
    headers: "httpx.Headers"
    extensions: Mapping[str, Any]


def build_template(target: ModelTarget) -> RequestTemplate:
    """The address and headers of requests to this target."""
    import httpx

    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {target.key}"} if target.key else {})}
    return RequestTemplate(
        httpx.URL(target.url), httpx.Headers(headers), {} if target.allows_private else {"trace": _refuse_private_address}
    )


async def send_request(
    transport: "httpx.AsyncBaseTransport", target: ModelTarget, template: RequestTemplate, body: Mapping[str, Any]
) -> ModelAnswer | RequestFailure:
    """Send one request. A transport keeps no cookies, follows no redirects and uses no proxy or password of the environment."""
    import httpx

    started = time.monotonic()
    try:
        content = orjson.dumps(body)
        request = httpx.Request("POST", template.url, headers=template.headers, content=content, extensions=dict(template.extensions))
        async with asyncio.timeout(target.endpoint.timeout):
            response = await transport.handle_async_request(request)
            content = await _read_content(response)
    except TimeoutError:
        return RequestFailure(what=f"no answer within {target.endpoint.timeout:g} s", action="retry")
    except PrivateAddressError as error:
        return RequestFailure(what=str(error), action="dead")
    except httpx.ConnectError as error:
        return RequestFailure(what=f"cannot connect to {target.url}: {error}", action="retry")
    except (httpx.HTTPError, ValueError) as error:
        return RequestFailure(what=f"the connection failed: {error or type(error).__name__}", action="retry")
    if response.status_code == 200:
        return _parse_completion(content, target, body, time.monotonic() - started)
    return _classify_failure(response.status_code, response.headers, target.redact_key(content[:_MAX_ERROR_BYTES].decode(errors="replace")))


async def _refuse_private_address(event: str, info: Mapping[str, Any]) -> None:
    """Trace callback of the connection: check the resolved address, because a name may resolve to any."""
    if event == "connection.connect_tcp.complete":
        address = str(info["return_value"].get_extra_info("server_addr")[0])
        if is_private(address):
            raise PrivateAddressError(f"the url of the model resolves to {address}, a private address that the suite does not allow")


async def _read_content(response: "httpx.Response") -> bytes:
    content = bytearray()
    try:
        async for chunk in response.aiter_bytes():
            content += chunk
            if len(content) > _MAX_BYTES:
                raise ValueError(f"the reply of the server exceeds {_MAX_BYTES // 2**20} MB")
    finally:
        await response.aclose()
    return bytes(content)


def _parse_completion(content: bytes, target: ModelTarget, body: Mapping[str, Any], seconds: float) -> ModelAnswer | RequestFailure:
    try:
        reply: Any = orjson.loads(content)
        choice = reply["choices"][0]
        message = choice["message"]
        text = target.redact_key(_message_text(message))
        finish = REFUSAL if message.get("refusal") and not message.get("content") else str(choice.get("finish_reason") or "stop")
        usage = reply.get("usage") or {}
        return ModelAnswer(
            text=text,
            finish=finish,
            tokens_in=int(usage.get("prompt_tokens") or estimate_tokens(body)),
            tokens_out=int(usage.get("completion_tokens") or max(1, len(text) // 4)),
            seconds=seconds,
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        start = target.redact_key(content[:_MAX_ERROR_BYTES].decode(errors="replace"))[:_MAX_QUOTED]
        return RequestFailure(what=f"the reply of the server is not a chat completion: {start}", action="retry")


def _message_text(message: Mapping[str, Any]) -> str:
    """The text of a message, which some servers send in parts.

    >>> _message_text({"content": [{"type": "thinking"}, {"type": "text", "text": "yes"}]}), _message_text({"refusal": "no"})
    ('yes', 'no')
    """
    content: Any = message.get("content")
    if isinstance(content, list):
        parts: list[Any] = content
        content = "".join(str(part.get("text") or "") for part in parts)
    return str(content or message.get("refusal") or "")


def describe_finish(answer: ModelAnswer) -> str:
    """Why an unusable reply ended as it did, to be added to its problem; empty for a regular end.

    >>> describe_finish(ModelAnswer(text="I cannot help.", finish="refusal", tokens_in=1, tokens_out=1, seconds=0.0))
    ', and the model refused: I cannot help.'
    """
    if answer.finish == "length":
        return ", and it was cut off at the maximum length"
    if answer.finish == CONTENT_FILTER:
        return ", and the content filter of the server stopped it"
    if answer.finish == REFUSAL:
        return f", and the model refused: {answer.text[:_MAX_QUOTED]}" if answer.text else ", and the model refused"
    return ""


def estimate_tokens(body: Mapping[str, Any]) -> int:
    """The approximate number of tokens of a request."""
    return sum(len(message["content"]) for message in body["messages"]) // 4 + 1


def _classify_failure(status: int, headers: Mapping[str, str], message: str) -> RequestFailure:
    what = f"the server returned {status}: {message}" if message else f"the server returned {status}"
    if status in _FATAL_STATUSES:
        reason, fix = _FATAL_STATUSES[status]
        return RequestFailure(what=f"{reason}: {message}", action="dead", fix=fix)
    if status == 429 and "insufficient_quota" in message:
        return RequestFailure(what=f"the quota is exhausted: {message}", action="dead", fix=_FIX_ACCOUNT)
    if status in _RETRY_STATUSES or status == 503:
        after = parse_retry_after(headers.get("retry-after"))
        return RequestFailure(what=what, action="wait" if status == 429 or after is not None else "retry", after=after)
    if status >= 500 and status not in _UNSUPPORTED_STATUSES:
        return RequestFailure(what=what, action="retry")
    if status in _UNSUPPORTED_STATUSES:
        return RequestFailure(what=what, action="simpler")
    if 300 <= status < 400:
        what += f"; redirects to {headers.get('location', 'another address')}, which is not followed"
    return RequestFailure(what=what, action="give_up")


def parse_retry_after(value: str | None) -> float | None:
    """Seconds to wait, from the header `Retry-After`: a number, or a date.

    >>> parse_retry_after("1.5"), parse_retry_after("Wed, 21 Oct 2015 07:28:00 GMT"), parse_retry_after("soon"), parse_retry_after(None)
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


_CODE_FENCE = re.compile(r"```\w*\s*(.*?)\s*```", re.DOTALL)
_END_OF_REASONING = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_OBJECT_START = re.compile(r"\{(?=\s*[\"}])")
# Problems of a reply are sent back to the model, and so are part of the cache key of the second answer.
_NO_JSON: Final = "there is no JSON in it"
_QUOTATION: Final = "the JSON in it is a quotation from the material"
_JSON_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


def parse_reply(text: str, schema: Mapping[str, Any], material: Sequence[str] = ()) -> tuple[Any, str | None]:
    """The JSON value of a reply that follows the schema, or the problem.

    An object that also occurs in the material is a quotation and no answer, unless it is the whole reply.

    >>> schema = {"type": "object", "properties": {"score": {"type": "number", "maximum": 1}}, "required": ["score"]}
    >>> parse_reply('Sure:\\n```json\\n{"score": 0.5}\\n```', schema)
    ({'score': 0.5}, None)
    >>> parse_reply('{"score": 7}', schema)[1]
    'score is 7, above 1'
    >>> parse_reply('The answer says {"score":1}, I give it zero.', schema, ['{"score": 1}'])[1]
    'the JSON in it is a quotation from the material'
    """
    try:
        values = _find_json(text)
    except (ValueError, RecursionError) as error:
        return None, str(error) if isinstance(error, _DuplicateKey) else _NO_JSON
    violations = [find_schema_violation(value, schema) for value in values]
    valid = [value for value, violation in zip(values, violations, strict=True) if violation is None]
    answers = _remove_quotations(valid, text, material)
    if not answers:
        return None, next(filter(None, reversed(violations)), _QUOTATION if valid else _NO_JSON)
    if any(value != answers[0] for value in answers):
        return None, "it holds several answers that differ"
    return answers[0], None


def _remove_quotations(values: list[Any], text: str, material: Sequence[str]) -> list[Any]:
    """The values that the material does not contain; all of them if the reply is nothing but JSON."""
    if not values or not any("{" in part for part in material) or _is_only_json(text):
        return values
    try:
        quotable = [_strip_whitespace(value) for part in material for value in _find_objects(part)]
    except RecursionError:  # nested too deeply to be compared, so that any object may be a quotation
        return []
    return [value for value in values if _strip_whitespace(value) not in quotable]


def _is_only_json(text: str) -> bool:
    """True if a reply is one JSON value after its reasoning, with or without a code fence.

    >>> _is_only_json('<think>hm</think>```json\\n{"a": 1}\\n```'), _is_only_json('It says {"a": 1}')
    (True, False)
    """
    answer = _END_OF_REASONING.split(text)[-1].strip()
    fenced = _CODE_FENCE.fullmatch(answer)
    try:
        _DECODER.decode(fenced[1] if fenced else answer)
    except ValueError:
        return False
    return True


def _find_objects(text: str) -> Iterator[Any]:
    """Every JSON object in a text, also those inside other objects and inside their texts."""
    position = 0
    while start := _OBJECT_START.search(text, position):
        try:
            value, position = _MATERIAL_DECODER.raw_decode(text, start.start())
        except ValueError:
            position = start.end()
            continue
        yield from _list_objects(value)
    # In the JSON of a list or a text, quotation marks are escaped.
    unescaped = text.replace('\\"', '"').replace("\\\\", "\\")
    if unescaped != text:
        yield from _find_objects(unescaped)


def _list_objects(value: Any) -> Iterator[Any]:
    """The objects in a JSON value, itself included."""
    if isinstance(value, str):
        yield from _find_objects(value)
    elif isinstance(value, list):
        for item in value:
            yield from _list_objects(item)
    elif isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _list_objects(item)


def _strip_whitespace(value: Any) -> Any:
    """The value with all whitespace removed from its texts."""
    if isinstance(value, str):
        return "".join(value.split())
    if isinstance(value, list):
        return [_strip_whitespace(item) for item in value]
    if isinstance(value, dict):
        return {name: _strip_whitespace(item) for name, item in value.items()}
    return value


class _DuplicateKey(ValueError):
    """An object with a duplicate key, which is ambiguous."""


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _refuse_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    parsed: dict[str, Any] = {}
    for name, value in pairs:
        if name in parsed:
            raise _DuplicateKey(f"`{name}` is there twice")
        parsed[name] = value
    return parsed


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_refuse_duplicate_keys)
_MATERIAL_DECODER: Final = json.JSONDecoder()


def _find_json(text: str) -> list[Any]:
    """The whole text as JSON, else every object in it: models write reasoning, fences and prose around the JSON."""
    values: list[Any] = []
    with suppress(json.JSONDecodeError):
        values.append(_DECODER.decode(text))
        if not isinstance(values[0], list):
            return values
    answer = _END_OF_REASONING.split(text)[-1]
    position = 0
    while start := _OBJECT_START.search(answer, position):
        # Raises for an object without an end: the reply was cut off, so nothing in it counts.
        value, position = _DECODER.raw_decode(answer, start.start())
        values.append(value)
    return values


def find_schema_violation(value: Any, schema: Mapping[str, Any], path: str = "") -> str | None:
    """The first violation of a schema, for the subset of JSON Schema that judges use; None if the value is valid.

    >>> find_schema_violation({"items": ["a"]}, {"type": "object", "properties": {"items": {"type": "array", "minItems": 2}}})
    'items has 1 items, fewer than 2'
    """
    label = path or "the reply"
    type_name = schema.get("type")
    if type_name and not _has_type(value, type_name):
        return f"{label} is not of type {type_name}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{label} is not one of {json.dumps(schema['enum'])}"
    violation = _find_bound_violation(value, schema, label)
    if violation:
        return violation
    if isinstance(value, dict):
        return _find_property_violation(value, schema, path)
    if isinstance(value, list) and "items" in schema:
        violations = (find_schema_violation(item, schema["items"], f"{path}[{index}]") for index, item in enumerate(value))
        return next(filter(None, violations), None)
    return None


def _has_type(value: Any, type_name: str) -> bool:
    if isinstance(value, bool):
        return type_name == "boolean"
    return isinstance(value, _JSON_TYPES[type_name])


def _find_bound_violation(value: Any, schema: Mapping[str, Any], label: str) -> str | None:
    if isinstance(value, int | float):
        if value < schema.get("minimum", value):
            return f"{label} is {value}, below {schema['minimum']}"
        if value > schema.get("maximum", value):
            return f"{label} is {value}, above {schema['maximum']}"
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            return f"{label} has {len(value)} items, fewer than {schema['minItems']}"
        # A maximum without a minimum only keeps servers from generating endlessly: more items do no harm.
        if "minItems" in schema and len(value) > schema.get("maxItems", len(value)):
            return f"{label} has {len(value)} items, more than {schema['maxItems']}"
    return None


def _find_property_violation(value: dict[str, Any], schema: Mapping[str, Any], path: str) -> str | None:
    for name in schema.get("required", ()):
        if name not in value:
            return f"{path or 'the reply'} lacks `{name}`"
    for name, inner in schema.get("properties", {}).items():
        if name in value:
            violation = find_schema_violation(value[name], inner, f"{path}.{name}" if path else name)
            if violation:
                return violation
    return None
