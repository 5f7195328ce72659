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
from typing import Final, NamedTuple

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
    """What this leader, its session and its descendants use now."""
    living = {process.pid: process for process in _living()}
    own = [process for process in living.values() if process.session == leader or _descends(process, leader, living)]
    return Load(len(own), sum(process.pages for process in own) * _PAGE)


def _descends(process: "_Process", leader: int, living: "dict[int, _Process]") -> bool:
    seen: set[int] = set()
    while process.parent in living and process.pid not in seen:
        if process.parent == leader:
            return True
        seen.add(process.pid)
        process = living[process.parent]
    return False


def end_all(leader: int, mark: str) -> None:
    """Kill the group of this leader, its session, and whatever carries its mark; again until nothing is left."""
    sign = f"{MARK}={mark}".encode()
    for _ in range(_ROUNDS):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
        left = [process.pid for process in _living() if process.session == leader or _carries(process.pid, sign)]
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not left:
            return


class _Process(NamedTuple):
    pid: int
    parent: int
    session: int
    pages: int
    """In memory."""


def _living() -> Iterator[_Process]:
    """Every process that is not a zombie."""
    with suppress(FileNotFoundError):
        for folder in _PROC.iterdir():
            if folder.name.isdigit():
                with suppress(OSError, ValueError, IndexError):
                    # The second field is the name in parentheses, which may hold anything, parentheses too.
                    fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
                    if fields[0] not in (b"Z", b"X"):
                        yield _Process(int(folder.name), int(fields[1]), int(fields[3]), int(fields[21]))


def _carries(pid: int, sign: bytes) -> bool:
    try:
        return sign in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False
