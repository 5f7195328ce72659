"""The prompts of judges, which are text files, and values as the text that goes with them."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from fieldwise.kernels.values import canonical
from fieldwise.model.ask import Message
from fieldwise.model.prompt import fenced
from fieldwise.model.values import MISSING, Value


@cache
def _text(name: str) -> str:
    return files("fieldwise.evaluators.judges").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")


def messages(name: str, material: Mapping[str, str], **filled: str) -> tuple[Message, ...]:
    """The prompt of that name, followed by the material, fenced off."""
    return fenced(_text(name), material, **filled)


def as_text(value: Value) -> str:
    """Text as it is, anything else as JSON.

    >>> as_text("604"), as_text({"a": 1})
    ('604', '{"a":1}')
    """
    if value is MISSING or value is None:
        return ""
    return value if isinstance(value, str) else canonical(value) or json.dumps(value, default=str)
