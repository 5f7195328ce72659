"""Who is writing a run: a lock that ends with the process that holds it, however that ends."""

import os
import sys
from pathlib import Path
from typing import Final

FILE: Final = "lock"


class Busy(Exception):
    """Another process holds the lock."""


class Lock:
    """The lock of a run's folder, held until it is released."""

    def __init__(self, folder: Path) -> None:
        self._handle: int | None = os.open(folder / FILE, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _hold(self._handle)
        except OSError as error:
            self.release()
            raise Busy(f"another process is writing {folder.name}") from error

    def release(self) -> None:
        """Let others have it."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


if sys.platform == "win32":
    import msvcrt

    def _hold(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _hold(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
