"""Who is writing a run: a lock that ends with the process that holds it, however that ends."""

import os
import sys
import time
from pathlib import Path
from typing import Final

from fieldwise.model.locations import Place
from fieldwise.model.remote_path import RemotePath
from fieldwise.store.errors import StoreError
from fieldwise.store.lease import LASTS, Held, Lease, is_alive, read

FILE: Final = "lock"
_TRIES, _PAUSE = 6, 0.02
"""Whoever looks whether a run is being written holds its lock for a moment, and is waited for."""


class Busy(Exception):
    """Another process holds the lock."""


class Lock:
    """The lock of a run's folder, held until it is released."""

    def __init__(self, folder: Place) -> None:
        self._name = folder.name
        self._lease: Lease | None = None
        self._handle: int | None = None
        if isinstance(folder, RemotePath):
            self._lease = _leased(folder)
        else:
            self._hold(folder)

    def _hold(self, folder: Path) -> None:
        self._handle = os.open(folder / FILE, os.O_RDWR | os.O_CREAT, 0o644)
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

    def check(self) -> None:
        """StoreError if it was lost on the way, which only a lock in a store of objects can be."""
        if self._lease is not None and not self._lease.still_ours():
            raise StoreError(f"run {self._name}: another process took over, because nothing was heard of this one for {LASTS:.0f} s")

    def release(self) -> None:
        """Let others have it."""
        if self._lease is not None:
            self._lease.release()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def _leased(folder: RemotePath) -> Lease:
    try:
        return Lease(folder / FILE)
    except Held as error:
        raise Busy(f"another process is writing {folder.name}: {error}") from error


def is_locked(folder: Place) -> bool:
    """Whether a process is writing in this folder now; whoever looks changes nothing."""
    if isinstance(folder, RemotePath):
        found = read(folder / FILE)
        return found is not None and is_alive(found)
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
