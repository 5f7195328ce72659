"""Tool calls in the records of agents: messages, traces, responses of model APIs, and calls that a model wrote as text."""

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, cast

import orjson

from fieldwise.dataclass import dataclass
from fieldwise.model.bounds import MinLen
from fieldwise.model.tool_call_keys import ARGUMENT_KEYS, CALL_LIST_KEYS, CERTAIN_NAME_KEYS, FUNCTION_KEY, NAME_KEYS
from fieldwise.model.values import json_kind

_BLOCK_KEYS: Final = ("output", "content", "parts", "message", "choices")
"""Keys whose value holds calls among other things."""
_CALL_TYPES: Final = ("tool_use", "tool_call", "function", "function_call", "tool", "tool-call")
_WRAPPER_KEYS: Final = ("function_call", "functionCall", "toolUse")
"""Keys of a message or a part whose value is one call."""
_OTHER_KEYS: Final = (FUNCTION_KEY, "functionResponse", "toolResult", "role", "type", "text")
_CALL_KEYS: Final = frozenset((*CALL_LIST_KEYS, *_BLOCK_KEYS, *_WRAPPER_KEYS, *NAME_KEYS, *ARGUMENT_KEYS, *_OTHER_KEYS))
_KEYS_OF_CALLS_ALONE: Final = frozenset((*ARGUMENT_KEYS, *CERTAIN_NAME_KEYS))
"""Keys by which an object is a call."""
_KEYS_OF_ONE_CALL: Final = frozenset((*NAME_KEYS, *ARGUMENT_KEYS)) - {*CALL_LIST_KEYS, *_BLOCK_KEYS, *_WRAPPER_KEYS}
"""The keys of a call that is written without anything around it."""
_MCP_METHOD: Final = "tools/call"
_CALL_TAGS: Final = (("<tool_call>", "</tool_call>"), ("<function_call>", "</function_call>"), ("```", "```"))
"""What stands around calls that a model writes among its words."""
_CALL_FENCES: Final = ("tool_code", "tool_call", "tool_calls")
_MAX_DEPTH: Final = 8
_MAX_CALL_TEXT: Final = 20_000
"""Characters of the longest text that is read as calls in Python syntax."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call of a tool."""

    tool: Annotated[str, MinLen(1)]
    """The name of the tool."""
    args: Mapping[str, Any] | None = None
    """The arguments by name; None: any arguments."""


def has_unreadable_item(value: Any) -> bool:
    """True if a list that records no call has objects that are neither messages nor blocks of one: calls in an unknown form."""
    items = _parse_json(value) if isinstance(value, str) else value
    if json_kind(items) != "list":
        return False
    return any(json_kind(item) == "object" and not item.keys() & {"role", "type"} and _calls_of_object(item, 0) is None for item in items)


def calls_in(value: Any, depth: int = 0) -> list[ToolCall] | None:
    """The calls that a value records, in order; None if it is not a record of calls.

    >>> calls_in(["search", {"name": "fetch", "arguments": '{"id": 1}'}])
    [ToolCall(tool='search', args=None), ToolCall(tool='fetch', args={'id': 1})]
    >>> calls_in("The answer is 4.") is None
    True
    """
    if depth > _MAX_DEPTH:
        return None
    if isinstance(value, str):
        return _calls_in_text(value, depth)
    if json_kind(value) == "list":
        named = _calls_by_name(value)
        return named if named is not None else [call for item in value for call in _calls_of_item(item, depth)]
    return _calls_of_object(value, depth) if json_kind(value) == "object" else None


def _calls_in_text(text: str, depth: int) -> list[ToolCall] | None:
    parsed = _parse_json(text)
    if json_kind(parsed) in ("list", "object"):
        return calls_in(parsed, depth + 1)
    calls = _parse_python_calls(text)
    if calls is not None:
        return calls
    tagged: list[ToolCall] = []
    for piece in _split_tagged(text):
        tagged += calls_in(piece, depth + 1) or []
    return tagged or None


def _split_tagged(text: str) -> Iterator[str]:
    """The pieces of a text between the tags of calls, or in code fences."""
    for opening, closing in _CALL_TAGS:
        end = 0
        while (start := text.find(opening, end)) >= 0:
            start += len(opening)
            end = text.find(closing, start)
            if end < 0:
                break
            piece = text[start:end]
            if opening != "```":
                yield piece
            elif (code := _read_fence(piece)) is not None:
                yield code
            end += len(closing)
        if end:
            return


def _read_fence(piece: str) -> str | None:
    """The content of a code fence that may hold calls: JSON, or what its first line says; None for code of an answer."""
    language, _, code = piece.partition("\n")
    is_json = language.strip() in ("", "json") and code.lstrip().startswith(("[", "{"))
    return code if is_json or language.strip() in _CALL_FENCES else None


def _parse_python_calls(text: str) -> list[ToolCall] | None:
    """Calls in Python syntax, `[search(query="x"), fetch(7)]`; None for any other text.

    >>> _parse_python_calls('[math.area(base=10, unit="cm")]')
    [ToolCall(tool='math.area', args={'base': 10, 'unit': 'cm'})]
    >>> _parse_python_calls("It is (a guess)"), _parse_python_calls("area(x)")
    (None, None)
    """
    stripped = text.strip()
    if not stripped.endswith((")", ")]")) or len(stripped) > _MAX_CALL_TEXT:
        return None
    try:
        body = ast.parse(stripped, mode="eval").body
        nodes = body.elts if isinstance(body, ast.List) else [body]
        return [_call_of_node(node) for node in nodes]
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):  # a sentence, or arguments that are not values
        return None


def _call_of_node(node: ast.expr) -> ToolCall:
    """A call from its syntax tree; ValueError for another expression. Arguments without a name are called by their position."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
        raise ValueError("not a call")
    positional = {str(position): ast.literal_eval(value) for position, value in enumerate(node.args)}
    named = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}
    arguments = json.loads(json.dumps(positional | named))  # TypeError for values that JSON does not have, such as sets
    return ToolCall(tool=ast.unparse(node.func), args=arguments)


def _calls_by_name(items: Sequence[Any]) -> list[ToolCall] | None:
    """Calls as objects with the name of the tool as their only key, `[{"search": {"query": "x"}}]`; None if an item is something else."""
    calls: list[ToolCall] = []
    for item in items:
        if json_kind(item) != "object" or len(item) != 1 or not _CALL_KEYS.isdisjoint(item):
            return None
        [(name, written)] = item.items()
        arguments = _parse_json(written) if isinstance(written, str) else written
        if json_kind(arguments) != "object":
            return None
        calls.append(ToolCall(tool=name, args=arguments))
    return calls or None


def _calls_of_item(item: Any, depth: int) -> list[ToolCall]:
    if isinstance(item, str):
        return _parse_python_calls(item) or ([ToolCall(tool=item)] if item else [])
    if json_kind(item) != "object":
        return []
    calls = _calls_of_object(item, depth)
    if calls is not None:
        return calls
    call = _read_call(item)
    return [call] if call else []


def _calls_of_object(item: Mapping[str, Any], depth: int) -> list[ToolCall] | None:
    """The calls that an object records. An object with only a name is a call inside a list alone: elsewhere, many things have names."""
    if _KEYS_OF_ONE_CALL.issuperset(item):  # the usual form, in which none of the keys below can be
        call = _read_call(item) if not _KEYS_OF_CALLS_ALONE.isdisjoint(item) else None
        return None if call is None else [call]
    for key in CALL_LIST_KEYS:
        calls = calls_in(item[key], depth + 1) if key in item else None
        if calls is not None:
            return calls
    wrapped = next((item[key] for key in _WRAPPER_KEYS if json_kind(item.get(key)) == "object"), None)
    if item.get("method") == _MCP_METHOD and json_kind(item.get("params")) == "object":
        wrapped = item["params"]
    call = None
    if wrapped is not None:
        call = _read_call(wrapped)
    elif not _KEYS_OF_CALLS_ALONE.isdisjoint(item):
        call = _read_call(item)
    if call is not None:
        return [call]
    for key in _BLOCK_KEYS:
        calls = _calls_in_blocks(item[key], depth + 1) if key in item else None
        if calls is not None:
            return calls
    return [] if "role" in item or any(key in item for key in (*CALL_LIST_KEYS, *_BLOCK_KEYS)) else None


def _calls_in_blocks(value: Any, depth: int) -> list[ToolCall] | None:
    """Calls among other things: text in such a list is not the name of a tool."""
    if json_kind(value) != "list":
        return _calls_of_object(value, depth) if json_kind(value) == "object" and depth <= _MAX_DEPTH else None
    return [call for item in value if json_kind(item) == "object" for call in _calls_of_item(item, depth)]


def _read_call(item: Mapping[str, Any]) -> ToolCall | None:
    """The call that an object represents; None for anything else, such as a message or the result of a tool."""
    if item.get("type", "tool") not in _CALL_TYPES or "role" in item:
        return None
    function = item.get(FUNCTION_KEY)
    if json_kind(function) == "object":
        item = cast("Mapping[str, Any]", function)
    elif isinstance(function, str):
        item = {**item, "name": function}
    name = next((item[key] for key in NAME_KEYS if isinstance(item.get(key), str) and item[key]), None)
    return None if name is None else ToolCall(tool=name, args=_read_arguments(item))


def _read_arguments(item: Mapping[str, Any]) -> Mapping[str, Any] | None:
    key = next((key for key in ARGUMENT_KEYS if key in item), None)
    if key is None or item[key] is None:
        return None
    value = _parse_json(item[key]) if isinstance(item[key], str) else item[key]
    return value if json_kind(value) == "object" else {"": value}  # arguments without names stay comparable


def _parse_json(text: str) -> Any:
    try:
        return orjson.loads(text.encode())
    except ValueError:
        return text
