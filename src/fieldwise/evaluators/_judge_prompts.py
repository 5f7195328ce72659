"""Prompts: text files with `$names` to fill in, and material fenced off so that it cannot pass for instructions."""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template

from fieldwise.kernels.values import canonical
from fieldwise.model.ask import Message
from fieldwise.model.values import MISSING, Value


@cache
def _template(name: str) -> Template:
    return Template(files("fieldwise.evaluators").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8").strip())


def messages(name: str, material: Mapping[str, str], **filled: str) -> tuple[Message, ...]:
    """The prompt of that name, followed by the material.

    The fence carries a digest of the material, so that nothing in the material can close it.

    >>> print(messages("claims", {"answer": "It is 5."})[1].content)
    <data-ce9aeb3fa7e2bf61 name="answer">
    It is 5.
    </data-ce9aeb3fa7e2bf61>
    """
    mark = hashlib.sha256(json.dumps(list(material.items())).encode()).hexdigest()[:16]
    system = _template(name).substitute(filled, data=_template("data").substitute(mark=mark))
    parts = [f'<data-{mark} name="{part}">\n{_sendable(text)}\n</data-{mark}>' for part, text in material.items()]
    return Message("system", system), Message("user", "\n\n".join(parts))


def _sendable(text: str) -> str:
    """A text without half characters, which cannot be sent."""
    return text.encode("utf-8", "replace").decode()


def as_text(value: Value) -> str:
    """Text as it is, anything else as JSON.

    >>> as_text("604"), as_text({"a": 1})
    ('604', '{"a":1}')
    """
    if value is MISSING or value is None:
        return ""
    return value if isinstance(value, str) else canonical(value) or json.dumps(value, default=str)
