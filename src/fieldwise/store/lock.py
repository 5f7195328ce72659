"""Who is writing a run: a lock that ends with the process that holds it, however that ends."""

import os
import sys
import time
from pathlib import Path
from typing import Final

FILE: Final = "lock"
_TRIES, _PAUSE = 6, 0.02
"""Whoever looks whether a run is being written holds its lock for a moment, and is waited for."""


class Busy(Exception):
    """Another process holds the lock."""


class Lock:
    """The lock of a run's folder, held until it is released."""

    def __init__(self, folder: Path) -> None:
        self._handle: int | None = os.open(folder / FILE, os.O_RDWR | os.O_CREAT, 0o644)
        for left in reversed(range(_TRIES)):
            try:
                _hold(self._handle)
            except OSError as error:
                if not left:
                    self.release()
                    raise Busy(f"another process is writing {folder.name}") from error
                time.sleep(_PAUSE)
            else:
                return

    def release(self) -> None:
        """Let others have it."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def is_locked(folder: Path) -> bool:
    """Whether a process is writing in this folder now; whoever looks changes nothing."""
    try:
        handle = os.open(folder / FILE, os.O_RDONLY)
    except OSError:
        return False
    try:
        _try(handle)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


if sys.platform == "win32":
    import msvcrt

    def _hold(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    _try = _hold
else:
    import fcntl

    def _hold(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _try(handle: int) -> None:
        """Shared, so that two who look at the same time do not take each other for a writer."""
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
