"""The answer inside a list of messages, or inside an object whose only member is a text, for evaluators that read text."""

import json
from collections.abc import Mapping
from typing import Any, Final, cast

from fieldwise.model.accepted_values import accepted_values
from fieldwise.model.values import MISSING, Value

_ANSWERING_ROLES: Final = frozenset(("assistant", "ai", "model"))
_TEXT_KEYS: Final = ("text", "value")
"""Where a part of a message has its text: `text` in most chat formats, `value` in that of AgentV."""
_ANSWER_KEYS: Final = frozenset(
    (
        "answer",
        "output",
        "response",
        "result",
        "reply",
        "text",
        "content",
        "completion",
        "prediction",
        "generation",
        "expected",
        "reference",
    )
)
"""Keys that say nothing but that the value is an answer, so that two objects with different ones still hold the same thing."""


def read_answers(expected: Value, actual: Value) -> tuple[Value, Value]:
    """Both sides of a case without what tools put around an answer; sides that hold a record, or anything else, as they are.

    The last answer of a list of messages always stands for the list. An object whose only member is a text stands for that text if the
    opposite side is a text, or such an object with the same key or one that also means "answer".

    >>> read_answers([{"role": "assistant", "content": "Paris"}], {"answer": "Paris."})
    ('Paris', 'Paris.')
    >>> read_answers({"city": "Paris"}, {"country": "France"})
    ({'city': 'Paris'}, {'country': 'France'})
    """
    expected, actual = (_read_messages(side) for side in (expected, actual))
    if not isinstance(expected, Mapping) and not isinstance(actual, Mapping):
        return expected, actual
    expected_member, actual_member = _find_only_text(expected), _find_only_text(actual)
    if expected_member is None or actual_member is None:
        return expected, actual
    expected_key, expected_text = expected_member
    actual_key, actual_text = actual_member
    keys = {key.casefold() for key in (expected_key, actual_key) if key is not None}
    return (expected_text, actual_text) if len(keys) == 1 or keys <= _ANSWER_KEYS else (expected, actual)


def find_message_answer(value: Any) -> Value:
    """The content of the last answer in a list of messages, a message or an object that holds the messages; MISSING for other values.

    >>> find_message_answer([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "text", "text": "Hello"}]}])
    'Hello'
    """
    if isinstance(value, Mapping):
        value = _list_messages(cast("Mapping[str, Any]", value))
    if not isinstance(value, list) or not value or not all(map(_is_message, cast("list[Any]", value))):
        return MISSING
    for message in reversed(cast("list[Mapping[str, Any]]", value)):
        content = _read_content(message.get("content"))
        if message["role"].casefold() in _ANSWERING_ROLES and content is not None:
            return content
    return MISSING


def _list_messages(value: Mapping[str, Any]) -> Any:
    if set(value) == {"messages"}:
        return value["messages"]
    return [value] if set(value) == {"role", "content"} else None


def _is_message(item: Any) -> bool:
    if not isinstance(item, Mapping):
        return False
    members = cast("Mapping[str, Any]", item)
    return isinstance(members.get("role"), str) and ("content" in members or "tool_calls" in members)


def _read_content(content: Any) -> Any:
    """The text of a message, its parts of text joined, or a record; None if there is no text."""
    if not isinstance(content, list):
        return content or None
    texts: list[str] = []
    for part in cast("list[Any]", content):
        text = part
        if isinstance(part, Mapping):
            members = cast("Mapping[str, Any]", part)
            text = next(
                (members[key] for key in _TEXT_KEYS if key in members and members.get("type", "text") in ("text", "output_text")), None
            )
        if isinstance(text, str):
            texts.append(text)
    return "\n".join(texts) or None


def _read_messages(side: Value) -> Value:
    if not isinstance(side, list | Mapping):
        return side
    answer = find_message_answer(side)
    return side if answer is MISSING else answer


def _find_only_text(side: Value) -> tuple[str | None, Value] | None:
    """The key and the text of an object with one text and nothing else, also as JSON; a text or several without key; else None."""
    value: Any = side
    if isinstance(side, str) and side.lstrip().startswith("{"):
        try:
            value = json.loads(side)
        except (ValueError, RecursionError):
            value = side
    if isinstance(value, Mapping) and len(cast("Mapping[str, Any]", value)) == 1:
        key, text = next(iter(cast("Mapping[str, Any]", value).items()))
        if isinstance(text, str) and not key.startswith("$"):
            return key, text
    accepted = accepted_values(side)
    texts = side if accepted is None else accepted
    is_text = isinstance(texts, str) or (isinstance(texts, list) and all(isinstance(text, str) for text in cast("list[Any]", texts)))
    return (None, side) if is_text else None
