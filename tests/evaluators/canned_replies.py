"""An `Asker` for tests that takes its replies from a function."""

from collections.abc import Callable, Mapping
from typing import Any
from zlib import crc32

import numpy as np

from fieldwise.model.ask import Ask, Asks, Chat, Command, Embed, NextAsks, Reply, Usage


class Canned:
    """Replies from a function; `asked` records the questions."""

    def __init__(self, reply: Callable[[Ask], Reply]) -> None:
        self.reply = reply
        self.asked: list[Ask] = []

    def answer(self, first: Mapping[int, Asks], follow: NextAsks) -> None:
        waiting = dict(first)
        while waiting:
            which, asks = waiting.popitem()
            self.asked += asks
            if following := follow(which, [self.reply(ask) for ask in asks]):
                waiting[which] = following


def said(data: Any, **usage: Any) -> Reply:
    return Reply(data=data, usage=Usage(calls=1, tokens_in=10, tokens_out=5, seconds=0.1, **usage))


def agreeable(ask: Ask) -> Reply:
    """A well-formed reply to any question, the same for the same question."""
    if isinstance(ask, Chat):
        return said(_by_schema(ask.schema or {}, crc32(ask.messages[-1].content.encode()) % 7))
    if isinstance(ask, Command):
        return Reply(text='{"score": 0.5, "hits": ["a"], "misses": ["b"]}', exit_code=0)
    return Reply(vectors=vectors(ask))


def vectors(ask: Embed) -> Any:
    """Unit vectors that depend on the first letter alone."""
    angles = np.array([(ord(text[0]) if text else 0) % 8 * np.pi / 16 for text in ask.texts])
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _by_schema(schema: Mapping[str, Any], luck: int) -> Any:
    kind = schema.get("type")
    if kind == "object":
        return {name: _by_schema(inner, luck + at) for at, (name, inner) in enumerate(schema["properties"].items())}
    if kind == "array":
        return [_by_schema(schema["items"], luck + at) for at in range(schema.get("minItems", 1 + luck % 2))]
    if kind == "integer":
        return luck % (schema.get("maximum", 5) + 1)
    return {"number": (luck % 5) / 4, "boolean": luck % 2 == 0, "string": f"text {luck}"}[str(kind)]
