"""Which processes a judge has started, and the end of all of them.

A judge is the leader of its own session and carries a mark in its environment, which its children inherit. Between them they find
every child but one that takes a new session *and* empties its environment. Where there is no `/proc` (macOS), only the process group
is known, and processes and memory are not watched.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MARK: Final = "FIELDWISE_JUDGE"
"""The environment variable by which a judge's processes are known."""
_PROC: Final = Path("/proc")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_ROUNDS: Final = 50
"""How often to look again for processes that were started while others were being ended."""


@dataclass(frozen=True, slots=True)
class Load:
    """How much a judge's processes use together."""

    processes: int
    memory: int
    """Bytes in memory."""


def load_of(leader: int) -> Load:
    """What the session of this leader uses now."""
    count = memory = 0
    for _, session, pages in _living():
        if session == leader:
            count, memory = count + 1, memory + pages * _PAGE
    return Load(count, memory)


def end_all(leader: int, mark: str) -> None:
    """Kill the group of this leader, its session, and whatever carries its mark; again until nothing is left."""
    sign = f"{MARK}={mark}".encode()
    for _ in range(_ROUNDS):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
        left = [pid for pid, session, _ in _living() if session == leader or _carries(pid, sign)]
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not left:
            return


def _living() -> Iterator[tuple[int, int, int]]:
    """Every process that is not a zombie: its id, its session, its pages in memory."""
    with suppress(FileNotFoundError):
        for folder in _PROC.iterdir():
            if folder.name.isdigit():
                with suppress(OSError, ValueError, IndexError):
                    # The second field is the name in parentheses, which may hold anything, parentheses too.
                    fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
                    if fields[0] not in (b"Z", b"X"):
                        yield int(folder.name), int(fields[3]), int(fields[21])


def _carries(pid: int, sign: bytes) -> bool:
    try:
        return sign in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False
