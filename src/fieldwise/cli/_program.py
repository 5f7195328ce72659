"""How this command was called, for messages that name the next one."""

import shlex
from contextvars import ContextVar

CALLED: ContextVar[str] = ContextVar("called", default="fieldwise")
"""How fieldwise is called to find the runs that this command works with."""


def with_root(root: str) -> str:
    """
    >>> with_root("my runs")
    "fieldwise --root 'my runs'"
    """
    return f"fieldwise --root {shlex.quote(root)}"
