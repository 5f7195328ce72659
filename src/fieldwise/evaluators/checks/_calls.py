"""Tool calls as systems record them, read into one form.

A list of calls or of their names; messages with `tool_calls` or `toolCalls` (OpenAI and others), with `tool_use` blocks (Anthropic) or with
`functionCall` parts (Gemini); `function_call` items of a response; an object that holds one of these under `tool_calls`, `messages`,
`calls`, `trace`, `steps`, `output`, `content` or `parts`; or any of it as JSON text.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, cast

import orjson
from annotated_types import MinLen

from fieldwise.model.values import kind

_HOLDERS: Final = ("tool_calls", "toolCalls", "messages", "calls", "trace", "steps")
_BLOCKS: Final = ("output", "content", "parts")
"""Keys that hold calls among other things."""
_CALL_TYPES: Final = ("tool_use", "tool_call", "function", "function_call", "tool", "tool-call")
_WRAPPERS: Final = ("function_call", "functionCall")
"""Keys of a message or a part whose value is one call."""
_NAMES: Final = ("tool", "name", "tool_name", "toolName")
_ARGUMENTS: Final = ("args", "arguments", "input", "parameters", "input_parameters", "tool_input", "tool_args", "params", "kwargs")
_DEEPEST: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a tool."""

    tool: Annotated[str, MinLen(1)]
    args: Mapping[str, Any] | None = None
    """The arguments by name; left out: whatever they are."""


def calls_in(value: Any, depth: int = 0) -> list[Call] | None:
    """The calls a value records, in order; None if it is no record of calls at all.

    >>> calls_in(["search", {"name": "fetch", "arguments": '{"id": 1}'}])
    [Call(tool='search', args=None), Call(tool='fetch', args={'id': 1})]
    >>> calls_in("The answer is 4.") is None
    True
    """
    if depth > _DEEPEST:
        return None
    if isinstance(value, str):
        parsed = _parsed(value)
        return calls_in(parsed, depth + 1) if kind(parsed) in ("list", "object") else None
    if kind(value) == "list":
        return [call for item in value for call in _calls_of_item(item, depth)]
    return _calls_of_object(value, depth) if kind(value) == "object" else None


def _calls_of_item(item: Any, depth: int) -> list[Call]:
    if isinstance(item, str):
        return [Call(tool=item)] if item else []
    if kind(item) != "object":
        return []
    found = _calls_of_object(item, depth)
    call = _call(item) if found is None else None
    return [call] if call else found or []


def _calls_of_object(item: Mapping[str, Any], depth: int) -> list[Call] | None:
    """What an object records. Only inside a list is an object with a name alone a call: elsewhere, many things have names."""
    for key in _HOLDERS:
        found = calls_in(item[key], depth + 1) if key in item else None
        if found is not None:
            return found
    wrapped = next((item[key] for key in _WRAPPERS if kind(item.get(key)) == "object"), None)
    is_call = any(key in item for key in (*_ARGUMENTS, "tool", "tool_name", "toolName", "function"))
    call = _call(item if wrapped is None else wrapped) if is_call or wrapped is not None else None
    if call is not None:
        return [call]
    for key in _BLOCKS:
        found = _calls_in_blocks(item[key], depth + 1) if key in item else None
        if found is not None:
            return found
    return [] if "role" in item or any(key in item for key in (*_HOLDERS, *_BLOCKS)) else None


def _calls_in_blocks(value: Any, depth: int) -> list[Call] | None:
    """Calls among other things: text in such a list is no name of a tool."""
    if kind(value) != "list":
        return _calls_of_object(value, depth) if kind(value) == "object" and depth <= _DEEPEST else None
    return [call for item in value if kind(item) == "object" for call in _calls_of_item(item, depth)]


def _call(item: Mapping[str, Any]) -> Call | None:
    """The call an object is; None where it is something else, such as a message or a tool's result."""
    if item.get("type", "tool") not in _CALL_TYPES or "role" in item:
        return None
    function = item.get("function")
    if kind(function) == "object":
        item = cast("Mapping[str, Any]", function)
    elif isinstance(function, str):
        item = {**item, "name": function}
    name = next((item[key] for key in _NAMES if isinstance(item.get(key), str) and item[key]), None)
    return None if name is None else Call(tool=name, args=_arguments(item))


def _arguments(item: Mapping[str, Any]) -> Mapping[str, Any] | None:
    key = next((key for key in _ARGUMENTS if key in item), None)
    if key is None or item[key] is None:
        return None
    value = _parsed(item[key]) if isinstance(item[key], str) else item[key]
    return value if kind(value) == "object" else {"": value}  # arguments without names stay comparable


def _parsed(text: str) -> Any:
    try:
        return orjson.loads(text.encode())
    except ValueError:
        return text


def named(calls: Sequence[Call]) -> list[str]:
    """What people call each of the calls: its tool, numbered where the tool is called more than once.

    >>> named([Call(tool="search"), Call(tool="fetch"), Call(tool="search")])
    ['search #1', 'fetch', 'search #2']
    """
    tools = [call.tool for call in calls]
    return list(_numbered(tools))


def _numbered(tools: Sequence[str]) -> Iterator[str]:
    seen: dict[str, int] = {}
    for tool in tools:
        seen[tool] = seen.get(tool, 0) + 1
        yield f"{tool} #{seen[tool]}" if tools.count(tool) > 1 else tool
